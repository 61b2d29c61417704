//! The screen of one session.

use std::ops::Range;

use crate::{
    cell::{Cell, Glyph},
    event::Event,
    parser::Parser,
    pool::Pool,
    size::Size,
    snapshot::{self, text},
    term::{Flags, Mouse, Term},
    view::{CellView, Cursor, CursorShape, Format, Line, Modes, MouseEncoding, MouseMode},
};

/// Bytes that are parsed before unused styles and links are looked for again.
const CHUNK: usize = 16 * 1024;

/// What a program's output has drawn so far.
#[derive(Debug)]
pub struct Screen {
    parser: Parser,
    term: Term,
    /// Bytes fed since unused styles were looked for.
    untidied: usize,
}

impl Screen {
    /// An empty screen that keeps up to `history_lines` rows that scroll away.
    pub fn new(size: Size, history_lines: usize) -> Self {
        Self { parser: Parser::new(), term: Term::new(size, history_lines), untidied: 0 }
    }

    /// Draws output. Any bytes are fine, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(CHUNK) {
            self.parser.feed(&mut self.term, chunk);
            self.untidied += chunk.len();
            if self.untidied >= CHUNK {
                self.term.tidy();
                self.untidied = 0;
            }
        }
    }

    /// Changes the size. A new width wraps the lines of the primary screen and of the history
    /// anew, as tmux does; the alternate screen is cut.
    pub fn resize(&mut self, size: Size) {
        self.term.resize(size.cols(), size.rows());
        self.term.tidy();
    }

    /// The size now.
    pub fn size(&self) -> Size {
        Size::new(self.term.cols, self.term.rows)
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        let term = &self.term;
        let style = term.cursor_style;
        Cursor {
            x: term.x.min(term.cols - 1),
            y: term.y,
            visible: term.flags.has(Flags::CURSOR),
            shape: match style.shape {
                1 => CursorShape::Block,
                3 => CursorShape::Underline,
                5 => CursorShape::Bar,
                _ => CursorShape::Default,
            },
            blinking: (style.blinking_set || style.shape != 0).then_some(style.blinking),
            pending_wrap: term.x == term.cols,
        }
    }

    /// First and last row of the scroll region.
    pub fn scroll_region(&self) -> (u16, u16) {
        (self.term.top, self.term.bottom)
    }

    /// The modes.
    pub fn modes(&self) -> Modes {
        let term = &self.term;
        let has = |flag| term.flags.has(flag);
        let alternate = term.primary.is_some();
        let keyboard = if alternate { &term.keyboard.alternate } else { &term.keyboard.primary };
        Modes {
            alternate,
            bracketed_paste: has(Flags::BRACKETED_PASTE),
            mouse: match term.mouse {
                Mouse::None => MouseMode::None,
                Mouse::Buttons => MouseMode::Buttons,
                Mouse::Drag => MouseMode::Drag,
                Mouse::Motion => MouseMode::Motion,
            },
            mouse_encoding: if has(Flags::MOUSE_PIXELS) {
                MouseEncoding::SgrPixels
            } else if has(Flags::MOUSE_SGR) {
                MouseEncoding::Sgr
            } else if has(Flags::MOUSE_UTF8) {
                MouseEncoding::Utf8
            } else {
                MouseEncoding::Legacy
            },
            application_cursor: has(Flags::APPLICATION_CURSOR),
            application_keypad: has(Flags::APPLICATION_KEYPAD),
            focus: has(Flags::FOCUS),
            alternate_scroll: has(Flags::ALTERNATE_SCROLL),
            synchronized: has(Flags::SYNCHRONIZED),
            insert: has(Flags::INSERT),
            origin: has(Flags::ORIGIN),
            autowrap: has(Flags::WRAP),
            extended_keys: has(Flags::EXTENDED_KEYS),
            kitty_keyboard: keyboard.last().copied().unwrap_or(0),
        }
    }

    /// The title that the program has set; empty if none.
    pub fn title(&self) -> &str {
        &self.term.title
    }

    /// The rows of the screen as plain text, without blanks at the end.
    pub fn lines(&self) -> Vec<String> {
        self.screen(Format::Plain).into_iter().map(|line| line.text).collect()
    }

    /// The rows of the screen as text.
    pub fn screen(&self, format: Format) -> Vec<Line> {
        let grid = self.term.grid.iter();
        grid.map(|row| text::line(row, &self.term.pool, format)).collect()
    }

    /// The screen with SGR sequences, a line feed after each row.
    pub fn screen_ansi(&self) -> String {
        let mut out = String::new();
        for line in self.screen(Format::Ansi) {
            out += &line.text;
            out.push('\n');
        }
        out
    }

    /// The cell at a column and a row; `None` outside the screen.
    pub fn cell(&self, x: u16, y: u16) -> Option<CellView<'_>> {
        if x >= self.term.cols || y >= self.term.rows {
            return None;
        }
        Some(view(self.term.row(y).get(x), &self.term.pool))
    }

    /// Whether the line in a row goes on in the next row.
    pub fn is_wrapped(&self, y: u16) -> bool {
        y < self.term.rows && self.term.row(y).wrapped
    }

    /// How many rows have scrolled away and are kept.
    pub fn history_len(&self) -> usize {
        self.term.history.len()
    }

    /// Rows of the history as text; number 0 is the oldest. What is not there is left out.
    pub fn history(&self, range: Range<usize>, format: Format) -> Vec<Line> {
        let wanted = range.end.min(self.history_len()).saturating_sub(range.start);
        let mut lines = Vec::with_capacity(wanted);
        if wanted > 0 {
            self.term.history.for_each(range.start, &mut Pool::new(), |row, pool| {
                lines.push(text::line(&row, pool, format));
                lines.len() < wanted
            });
        }
        lines
    }

    /// The bytes that draw all this on an empty terminal of the same size: up to `scrollback` rows
    /// of history, the screen, the primary screen beneath the alternate one, cursor, modes, and
    /// the beginning of a sequence that is not complete yet.
    ///
    /// What follows in the stream can be written right after it.
    pub fn snapshot(&self, scrollback: usize) -> Vec<u8> {
        snapshot::write(&self.term, &self.parser.pending(), scrollback)
    }

    /// Takes what the program has asked for since the last call, oldest first, and how many
    /// events had no room.
    pub fn take_events(&mut self) -> (Vec<Event>, u64) {
        self.term.events.take()
    }

    /// Approximate bytes of memory that this screen takes, history included.
    pub fn memory(&self) -> usize {
        self.term.memory()
    }

    /// Bytes of memory that the history takes.
    pub fn history_memory(&self) -> usize {
        self.term.history.memory()
    }
}

fn view(cell: Cell, pool: &Pool) -> CellView<'_> {
    let style = pool.style(cell.style);
    CellView {
        text: match cell.glyph() {
            Glyph::Char(c) => String::from(c).into(),
            Glyph::Cluster(handle) => pool.cluster(handle).into(),
            Glyph::Right => "".into(),
        },
        columns: cell.columns(),
        fg: style.fg,
        bg: style.bg,
        underline_color: style.underline,
        attrs: style.attrs,
        link: pool.link(style.link).map(|link| (&*link.id, &*link.uri)),
    }
}
