//! Bytes for a terminal, and the style they have set.

use std::{io::Write, sync::Arc};

use crate::{
    cell::{Cell, Glyph},
    color::Color,
    pool::Pool,
    style::{Attrs, Link, Style, Underline},
};

/// Output under construction. Styles are written only where they change.
#[derive(Default)]
pub(crate) struct Ink {
    out: Vec<u8>,
    /// The style in force, its link aside.
    style: Style,
    link: Option<Arc<Link>>,
    /// The handle that `style` and `link` came from.
    handle: Option<u32>,
    /// Whether `style` is to be written even if it seems to be in force.
    unknown: bool,
}

impl Ink {
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A control sequence with one number.
    pub fn csi(&mut self, number: u16, last: char) {
        // Writing to a vector cannot fail.
        let _ = write!(self.out, "\x1b[{number}{last}");
    }

    pub fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    /// Moves the cursor; from 0.
    pub fn move_to(&mut self, x: u16, y: u16) {
        self.format(format_args!("\x1b[{};{}H", y + 1, x + 1));
    }

    /// The terminal may have changed its style by itself: the next one is written whatever it is.
    pub fn style_is_unknown(&mut self) {
        self.unknown = true;
        self.handle = None;
    }

    /// The handles that follow belong to another pool.
    pub fn forget_handle(&mut self) {
        self.handle = None;
    }

    /// Sets the style, if it is not in force.
    pub fn style(&mut self, style: Style, pool: &Pool) {
        self.handle = None;
        let link = pool.link(style.link);
        let style = Style { link: 0, ..style };
        if style != self.style || self.unknown {
            let reset = self.unknown || self.style != Style::default();
            sgr(&mut self.out, style, reset);
            self.style = style;
        }
        if link != self.link.as_ref() || self.unknown {
            if let Some(link) = link {
                let id = if link.id.is_empty() { "" } else { "id=" };
                let _ = write!(self.out, "\x1b]8;{id}{};{}\x1b\\", link.id, link.uri);
            } else if self.link.is_some() || self.unknown {
                self.out.extend_from_slice(b"\x1b]8;;\x1b\\");
            }
            self.link = link.cloned();
        }
        self.unknown = false;
    }

    /// Whether the background in force is not the default one.
    pub fn has_background(&self) -> bool {
        self.style.bg != Color::Default
    }

    /// A cell; nothing for the right half of a wide one.
    pub fn cell(&mut self, cell: Cell, pool: &Pool) {
        if cell.is_right() {
            return;
        }
        self.handle_style(cell.style, pool);
        self.glyph(cell, pool);
    }

    /// The narrow ASCII characters of one style that these cells begin with; how many those are.
    /// Most of what is drawn is such.
    pub fn ascii(&mut self, cells: &[Cell], pool: &Pool) -> usize {
        let Some(first) = cells.first() else { return 0 };
        let fits = |cell: &&Cell| cell.style == first.style && cell.as_ascii().is_some();
        let run = cells.iter().take_while(fits).count();
        if run > 0 {
            self.handle_style(first.style, pool);
            self.out.extend(cells[..run].iter().map(|cell| cell.as_ascii().unwrap_or(b' ')));
        }
        run
    }

    /// The style of a handle.
    pub fn handle_style(&mut self, handle: u32, pool: &Pool) {
        if self.handle != Some(handle) {
            self.style(pool.style(handle), pool);
            self.handle = Some(handle);
        }
    }

    /// Only the text of a cell.
    pub fn glyph(&mut self, cell: Cell, pool: &Pool) {
        match cell.glyph() {
            Glyph::Char(c) if c.is_ascii() => self.out.push(c as u8),
            Glyph::Char(c) => self.raw(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Glyph::Cluster(handle) => self.raw(pool.cluster(handle).as_bytes()),
            Glyph::Right => {}
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

fn sgr(out: &mut Vec<u8>, style: Style, reset: bool) {
    out.extend_from_slice(b"\x1b[");
    let start = out.len();
    if reset && style != Style::default() {
        out.extend_from_slice(b"0;");
    }
    for (attr, number) in [
        (Attrs::BOLD, 1),
        (Attrs::DIM, 2),
        (Attrs::ITALIC, 3),
        (Attrs::BLINK, 5),
        (Attrs::INVERSE, 7),
        (Attrs::HIDDEN, 8),
        (Attrs::STRIKE, 9),
        (Attrs::OVERLINE, 53),
    ] {
        if style.attrs.contains(attr) {
            parameter(out, number);
        }
    }
    out.extend_from_slice(match style.attrs.underline() {
        Underline::None => b"",
        Underline::Single => b"4;",
        Underline::Double => b"4:2;",
        Underline::Curly => b"4:3;",
        Underline::Dotted => b"4:4;",
        Underline::Dashed => b"4:5;",
    });
    color(out, style.fg, 30);
    color(out, style.bg, 40);
    color(out, style.underline, 50);
    if out.len() > start {
        out.pop();
    }
    out.push(b'm');
}

fn color(out: &mut Vec<u8>, color: Color, base: u8) {
    match color {
        Color::Default => {}
        Color::Ansi(n @ 0..8) => parameter(out, base + n),
        Color::Ansi(n) => parameter(out, base + 60 + n - 8),
        Color::Indexed(n) => [base + 8, 5, n].into_iter().for_each(|n| parameter(out, n)),
        Color::Rgb(r, g, b) => {
            [base + 8, 2, r, g, b].into_iter().for_each(|n| parameter(out, n));
        }
    }
}

/// A number and a semicolon. By hand: there may be many thousand in a snapshot.
fn parameter(out: &mut Vec<u8>, number: u8) {
    if number >= 100 {
        out.push(b'0' + number / 100);
    }
    if number >= 10 {
        out.push(b'0' + number / 10 % 10);
    }
    out.extend_from_slice(&[b'0' + number % 10, b';']);
}
