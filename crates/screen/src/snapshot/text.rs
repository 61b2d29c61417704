//! Rows as text.

use super::ink::Ink;
use crate::{
    pool::Pool,
    row::Row,
    style::Style,
    view::{Format, Line},
};

/// A row as text.
pub(crate) fn line(row: &Row, pool: &Pool, format: Format) -> Line {
    let mut ink = Ink::default();
    let cells = &row.cells[..usize::from(row.visible_len())];
    for &cell in cells {
        match format {
            Format::Plain => ink.glyph(cell, pool),
            Format::Ansi => ink.cell(cell, pool),
        }
    }
    ink.style(Style::default(), pool);
    let mut text = String::from_utf8(ink.finish()).unwrap_or_default();
    if format == Format::Plain {
        text.truncate(text.trim_end_matches(' ').len());
    }
    Line { text, wrapped: row.wrapped }
}
