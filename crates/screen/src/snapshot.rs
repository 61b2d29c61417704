//! The bytes that draw a screen.
//!
//! Only sequences that tmux and xterm.js understand alike are used where both have to.

mod flow;
mod ink;
mod state;
pub(crate) mod text;

use std::collections::VecDeque;

use self::{flow::Flow, ink::Ink};
use crate::{pool::Pool, reflow::Reflow, row::Row, style::Style, term::Term};

/// See [`Screen::snapshot`](crate::Screen::snapshot). `pending` is the unfinished sequence.
pub(crate) fn write(term: &Term, pending: &[u8], scrollback: usize) -> Vec<u8> {
    let mut ink = Ink::default();
    state::tabs(&mut ink, term);
    if term.primary.is_none()
        && let Some(cursor) = term.alternate_cursor
    {
        // What leaving the alternate screen would restore once more.
        enter_alternate(&mut ink, term, Some(cursor));
        ink.raw(b"\x1b[?1049l\x1b[H");
        ink.style_is_unknown();
    }
    let uncovered = term.primary.as_ref().map(|primary| {
        let same = (primary.cols, primary.rows) == (term.cols, term.rows);
        if same { primary.grid.clone() } else { fit(&primary.grid, term) }
    });
    let mut flow = Flow::new(term.cols);
    let first = term.history.len().saturating_sub(scrollback);
    if first < term.history.len() {
        term.history.for_each(first, &mut Pool::new(), |row, pool| {
            flow.row(&mut ink, &row, pool);
            true
        });
    }
    ink.forget_handle();
    for row in uncovered.as_ref().unwrap_or(&term.grid) {
        flow.row(&mut ink, row, &term.pool);
    }
    if uncovered.is_some() {
        state::keyboard(&mut ink, &term.keyboard.primary);
        enter_alternate(&mut ink, term, term.alternate_cursor);
        ink.style(Style::default(), &term.pool);
        ink.raw(b"\x1b[H");
        let mut flow = Flow::new(term.cols);
        for row in &term.grid {
            flow.row(&mut ink, row, &term.pool);
        }
        state::keyboard(&mut ink, &term.keyboard.alternate);
    } else {
        state::keyboard(&mut ink, &term.keyboard.primary);
    }
    state::palette(&mut ink, &term.palette);
    state::titles(&mut ink, term);
    state::cursor_and_modes(&mut ink, term);
    let mut out = ink.finish();
    out.extend_from_slice(pending);
    out
}

fn enter_alternate(ink: &mut Ink, term: &Term, cursor: Option<(u16, u16)>) {
    ink.style(term.alternate_pen, &term.pool);
    if let Some((x, y)) = cursor {
        ink.move_to(x.min(term.cols - 1), y.min(term.rows - 1));
        ink.raw(b"\x1b[?1049h");
    } else {
        ink.raw(b"\x1b[?1047h");
    }
}

/// The covered primary screen at the size of now, near to what leaving the alternate screen will
/// make of it: lines are wrapped anew, and the last rows stay.
fn fit(grid: &VecDeque<Row>, term: &Term) -> VecDeque<Row> {
    let mut flow = Reflow::new(term.cols, 0);
    for row in grid {
        flow.push(row.clone(), None);
    }
    let (mut rows, ..) = flow.finish();
    while rows.len() > usize::from(term.rows) && rows.back().is_some_and(|row| row.used == 0) {
        rows.pop_back();
    }
    if rows.len() < usize::from(term.rows) {
        rows.resize_with(term.rows.into(), Row::default);
    }
    rows
}
