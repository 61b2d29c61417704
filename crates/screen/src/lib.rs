//! The screen of a terminal session, without a terminal.
//!
//! [`Screen`] eats the bytes that a program writes and knows what they have drawn: cells, colours,
//! cursor, modes, and the rows that have scrolled away. [`Screen::snapshot`] gives the bytes that
//! draw the same on an empty terminal. [`Ring`] keeps the last bytes of a stream by number.
//!
//! This crate is pure: no I/O, no clock, no threads. It never answers a terminal query: whoever
//! holds the terminal (tmux, or the session's owner) does that, and a second answer would be typed
//! into the program.
//!
//! # Whom it follows
//! tmux 3.3a, cell by cell, because that is what a person sees in a native attach; the tests
//! compare with a real one. Widths of characters are those of its C library on Debian 12. It
//! differs where following would lose something, or where tmux errs:
//! - OSC 8 links, the kitty keyboard flags, modes 1007, 1016 and 2026 are tracked; tmux 3.3a
//!   ignores them. An OSC longer than 256 KiB is dropped (tmux: 1 MiB).
//! - ED 3 does not wipe the history. It takes out only the rows that a clear of the screen has put
//!   there just before, so that repainting with ED 2 and ED 3 leaves no copies. A program that
//!   clears with ED 2 alone moves its screen into the history, as in tmux.
//! - An APC string does not become the title, and title strings of screen (`ESC k`) are dropped.
//! - Half a wide character that loses its other half becomes a blank, and ICH past the end of the
//!   row erases. tmux leaves the old cells there.
//! - A line ends where the row that continued it has been emptied or scrolled away, and it goes on
//!   in the next row only if it has reached the end of its own.
//! - A zero width joiner joins only what follows it directly.
//! - Line drawing is stored as the characters that it shows.
//! - When a resize wraps lines anew, tmux cuts some lines with wide characters in two. When the
//!   alternate screen has been resized, tmux may leave the cursor outside of it, and moves a part
//!   of it into the history on leaving it. With one row, it does not scroll it.
//! - The history has a bound in bytes beside the one in rows: 256 bytes a row on average.
//!
//! # What a snapshot does not carry
//! - The saved cursor, in one state only: DECOM is on and the cursor is below the scroll region.
//! - What REP would repeat, in insert mode.
//! - Which rows of the history come back when the screen grows, and which ED 3 would take out:
//!   to the copy, all of them have scrolled.
//! - The covered primary screen, after a resize of the alternate one, is wrapped anew by itself,
//!   without the history before it.

mod cell;
mod color;
mod event;
mod history;
mod params;
mod parser;
mod pool;
mod reflow;
mod ring;
mod row;
mod screen;
mod size;
mod snapshot;
mod style;
mod term;
mod view;
mod width;

pub use color::Color;
pub use event::Event;
pub use ring::{Ring, RingError};
pub use screen::Screen;
pub use size::Size;
pub use style::{Attrs, Underline};
pub use view::{CellView, Cursor, CursorShape, Format, Line, Modes, MouseEncoding, MouseMode};
