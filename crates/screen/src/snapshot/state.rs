//! What a terminal knows besides its cells.

use super::ink::Ink;
use crate::{
    cell::Cell,
    style::Style,
    term::{Flags, Mouse, Palette, Pen, SavedCursor, Term},
};

/// Tab stops, if they are not the usual ones.
pub(super) fn tabs(ink: &mut Ink, term: &Term) {
    if term.has_default_tabs() {
        return;
    }
    ink.raw(b"\x1b[3g");
    for x in (0..term.cols).filter(|&x| term.tabs[usize::from(x)]) {
        ink.csi(x + 1, 'G');
        ink.raw(b"\x1bH");
    }
    ink.raw(b"\r");
}

/// The kitty keyboard flags of the screen that is shown.
pub(super) fn keyboard(ink: &mut Ink, stack: &[u8]) {
    for (index, flags) in stack.iter().enumerate() {
        let operation = if index == 0 { '=' } else { '>' };
        ink.format(format_args!("\x1b[{operation}{flags}u"));
    }
}

/// Colours that were redefined.
pub(super) fn palette(ink: &mut Ink, palette: &Palette) {
    for (index, [r, g, b]) in &palette.indexed {
        ink.format(format_args!("\x1b]4;{index};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"));
    }
    let special = [(10, palette.foreground), (11, palette.background), (12, palette.cursor)];
    for (code, rgb) in special {
        if let Some([r, g, b]) = rgb {
            ink.format(format_args!("\x1b]{code};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"));
        }
    }
}

/// The title and those beneath it.
pub(super) fn titles(ink: &mut Ink, term: &Term) {
    for title in &term.titles {
        ink.format(format_args!("\x1b]2;{title}\x1b\\\x1b[22;2t"));
    }
    if !term.title.is_empty() || !term.titles.is_empty() {
        ink.format(format_args!("\x1b]2;{}\x1b\\", term.title));
    }
}

/// The saved cursor, the scroll region, the cursor, the pen and the modes. The order matters:
/// setting a region or DECOM moves the cursor, and IRM and autowrap change what writing does.
pub(super) fn cursor_and_modes(ink: &mut Ink, term: &Term) {
    saved_cursor(ink, term);
    // REP repeats only what was printed last: then that has to be printed last again.
    let last = term.last.filter(|_| !term.flags.has(Flags::INSERT));
    let pending = last.is_none() && term.x == term.cols;
    let x = match last {
        Some((_, x)) => x,
        None if pending => last_cell(term).0,
        None => term.x,
    };
    place(ink, term, x);
    if pending {
        fill_last_column(ink, term);
    }
    pen(ink, term, &term.pen);
    flags(ink, term);
    if let Some((byte, _)) = last {
        ink.raw(&[byte]);
    }
    if term.joiner {
        ink.raw("\u{200d}".as_bytes());
    }
}

/// DECSC. The region is still the whole screen, so that rows count from the top also with DECOM.
fn saved_cursor(ink: &mut Ink, term: &Term) {
    let SavedCursor { pen: saved, x, y, origin } = &term.saved;
    let charsets = saved.charsets != Default::default();
    if saved.style == Style::default() && !charsets && (*x, *y, *origin) == (0, 0, false) {
        return;
    }
    if *origin {
        ink.raw(b"\x1b[?6h");
    }
    ink.move_to((*x).min(term.cols - 1), (*y).min(term.rows - 1));
    pen(ink, term, saved);
    ink.raw(b"\x1b7");
    if *origin {
        ink.raw(b"\x1b[?6l");
    }
    if charsets {
        ink.raw(b"\x0f\x1b(B\x1b)B");
    }
}

/// Region, DECOM and the position of the cursor.
fn place(ink: &mut Ink, term: &Term, x: u16) {
    let (top, bottom, y) = (term.top, term.bottom, term.y);
    let region = (top, bottom) != (0, term.rows - 1);
    let origin = term.flags.has(Flags::ORIGIN);
    if origin {
        ink.raw(b"\x1b[?6h");
    }
    let unreachable = origin && y > bottom;
    if unreachable {
        // With DECOM no movement leads below the region, but restoring a saved cursor does.
        ink.move_to(x, y);
        ink.raw(b"\x1b7");
    }
    if region {
        ink.format(format_args!("\x1b[{};{}r", top + 1, bottom + 1));
    }
    if unreachable {
        ink.raw(b"\x1b8");
    } else if origin && y < top {
        // Setting the region has put the cursor into the first row.
        if y > 0 {
            ink.csi(y, 'B');
        }
        ink.csi(x + 1, 'G');
    } else {
        ink.move_to(x, if origin { y - top } else { y });
    }
}

/// Where the cell in the last column of the cursor's row starts, and that cell.
fn last_cell(term: &Term) -> (u16, Cell) {
    let row = term.row(term.y);
    let x = term.cols - 1;
    match row.get(x) {
        cell if cell.is_right() && x > 0 => (x - 1, row.get(x - 1)),
        cell => (x, cell),
    }
}

/// Writes the last column again, so that the next character wraps.
fn fill_last_column(ink: &mut Ink, term: &Term) {
    let row = term.row(term.y);
    let (_, cell) = last_cell(term);
    ink.cell(cell, &term.pool);
    if row.used == 0 {
        // Nothing had been written in this row: erase it, the cursor stays.
        ink.handle_style(cell.style, &term.pool);
        ink.raw(b"\x1b[2K");
    }
}

fn pen(ink: &mut Ink, term: &Term, pen: &Pen) {
    ink.style(pen.style, &term.pool);
    let charsets = pen.charsets;
    if charsets.g0 {
        ink.raw(b"\x1b(0");
    }
    if charsets.g1 {
        ink.raw(b"\x1b)0");
    }
    if charsets.shifted {
        ink.raw(b"\x0e");
    }
}

fn flags(ink: &mut Ink, term: &Term) {
    let has = |flag| term.flags.has(flag);
    let style = term.cursor_style;
    if style.shape != 0 {
        let number = u16::from(style.shape) + u16::from(!style.blinking);
        ink.format(format_args!("\x1b[{number} q"));
    }
    if style.blinking_set {
        ink.raw(if style.blinking { b"\x1b[?12h" } else { b"\x1b[?12l" });
    }
    if !has(Flags::WRAP) {
        ink.raw(b"\x1b[?7l");
    }
    if !has(Flags::CURSOR) {
        ink.raw(b"\x1b[?25l");
    }
    match term.mouse {
        Mouse::None => {}
        Mouse::Buttons => ink.raw(b"\x1b[?1000h"),
        Mouse::Drag => ink.raw(b"\x1b[?1002h"),
        Mouse::Motion => ink.raw(b"\x1b[?1003h"),
    }
    for (flag, sequence) in [
        (Flags::INSERT, &b"\x1b[4h"[..]),
        (Flags::APPLICATION_CURSOR, b"\x1b[?1h"),
        (Flags::APPLICATION_KEYPAD, b"\x1b="),
        (Flags::BRACKETED_PASTE, b"\x1b[?2004h"),
        (Flags::FOCUS, b"\x1b[?1004h"),
        (Flags::MOUSE_UTF8, b"\x1b[?1005h"),
        (Flags::MOUSE_SGR, b"\x1b[?1006h"),
        (Flags::MOUSE_PIXELS, b"\x1b[?1016h"),
        (Flags::ALTERNATE_SCROLL, b"\x1b[?1007h"),
        (Flags::EXTENDED_KEYS, b"\x1b[>4;1m"),
        (Flags::SYNCHRONIZED, b"\x1b[?2026h"),
    ] {
        if has(flag) {
            ink.raw(sequence);
        }
    }
}
