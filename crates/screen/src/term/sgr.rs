//! SGR: what the pen draws with.

use super::Term;
use crate::{
    color::Color,
    params::{Param, Params, Parts},
    style::{Attrs, Style, Underline},
};

impl Term {
    pub fn select_graphics(&mut self, params: &Params<'_>) {
        let mut style = self.pen.style;
        let link = style.link;
        let list = params.list();
        let mut index = 0;
        if list.is_empty() {
            style = Style { link, ..Style::default() };
        }
        while let Some(param) = list.get(index) {
            match *param {
                Param::Colons(text) => colons(&mut style, text),
                Param::Missing => style = Style { link, ..Style::default() },
                Param::Number(kind @ (38 | 48 | 58)) => {
                    index += 1;
                    index += extended(&mut style, kind, params, index);
                }
                Param::Number(number) => simple(&mut style, number),
            }
            index += 1;
        }
        if style != self.pen.style {
            self.pen.set(style);
        }
    }
}

/// SGR 38, 48 and 58 with semicolons; returns how many parameters after `index` were used up.
fn extended(style: &mut Style, kind: i32, params: &Params<'_>, index: usize) -> usize {
    match params.number(index) {
        2 => {
            let rgb = [1, 2, 3].map(|at| params.number(index + at));
            if set_rgb(style, kind, rgb) { 3 } else { 0 }
        }
        5 => {
            set_indexed(style, kind, params.number(index + 1));
            1
        }
        _ => 0,
    }
}

/// A parameter with colons: kinds of underline, and colours.
fn colons(style: &mut Style, text: &str) {
    let Some(Parts { numbers: n, len }) = Parts::parse(text) else { return };
    match (n[0], n[1]) {
        (4, kind) if len == 2 => style.attrs.set_underline(match kind {
            0 => Underline::None,
            1 => Underline::Single,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => return,
        }),
        (kind @ (38 | 48 | 58), 2) => {
            // With or without a colour space.
            let at = if len == 5 { 2 } else { 3 };
            if len >= at + 3 {
                set_rgb(style, kind, [n[at], n[at + 1], n[at + 2]]);
            }
        }
        (kind @ (38 | 48 | 58), 5) if len >= 3 => set_indexed(style, kind, n[2]),
        _ => {}
    }
}

fn slot(style: &mut Style, kind: i32) -> &mut Color {
    match kind {
        38 => &mut style.fg,
        48 => &mut style.bg,
        _ => &mut style.underline,
    }
}

fn set_rgb(style: &mut Style, kind: i32, rgb: [i32; 3]) -> bool {
    let [Ok(r), Ok(g), Ok(b)] = rgb.map(u8::try_from) else { return false };
    *slot(style, kind) = Color::Rgb(r, g, b);
    true
}

fn set_indexed(style: &mut Style, kind: i32, index: i32) {
    match u8::try_from(index) {
        Ok(index) => *slot(style, kind) = Color::Indexed(index),
        Err(_) if kind != 58 => *slot(style, kind) = Color::Default,
        Err(_) => {}
    }
}

fn simple(style: &mut Style, number: i32) {
    let attrs = &mut style.attrs;
    match number {
        0 => *style = Style { link: style.link, ..Style::default() },
        1 => attrs.insert(Attrs::BOLD),
        2 => attrs.insert(Attrs::DIM),
        3 => attrs.insert(Attrs::ITALIC),
        4 => attrs.set_underline(Underline::Single),
        5 | 6 => attrs.insert(Attrs::BLINK),
        7 => attrs.insert(Attrs::INVERSE),
        8 => attrs.insert(Attrs::HIDDEN),
        9 => attrs.insert(Attrs::STRIKE),
        21 => attrs.set_underline(Underline::Double),
        22 => {
            attrs.remove(Attrs::BOLD);
            attrs.remove(Attrs::DIM);
        }
        23 => attrs.remove(Attrs::ITALIC),
        24 => attrs.set_underline(Underline::None),
        25 => attrs.remove(Attrs::BLINK),
        27 => attrs.remove(Attrs::INVERSE),
        28 => attrs.remove(Attrs::HIDDEN),
        29 => attrs.remove(Attrs::STRIKE),
        30..=37 => style.fg = Color::Ansi(number as u8 - 30),
        39 => style.fg = Color::Default,
        40..=47 => style.bg = Color::Ansi(number as u8 - 40),
        49 => style.bg = Color::Default,
        53 => attrs.insert(Attrs::OVERLINE),
        55 => attrs.remove(Attrs::OVERLINE),
        59 => style.underline = Color::Default,
        90..=97 => style.fg = Color::Ansi(number as u8 - 90 + 8),
        100..=107 => style.bg = Color::Ansi(number as u8 - 100 + 8),
        _ => {}
    }
}
