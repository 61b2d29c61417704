//! The screen and the history of a terminal, as the API tells them.

use qd_api::{Cursor, Modes, ScreenReply, ScrollbackReply};

use super::terminal::Terminal;
use crate::message::{ScreenQuery, ScrollbackQuery};

/// What is on the screen.
pub(crate) fn screen(terminal: &Terminal, query: ScreenQuery) -> ScreenReply {
    let screen = terminal.screen();
    let history = if query.history {
        screen.history(0..screen.history_len(), query.ansi)
    } else {
        Vec::new()
    };
    let history_lines = query.history.then_some(history.len());
    let mut lines = history;
    lines.extend(if query.ansi { screen.lines_ansi() } else { screen.lines() });
    let (cursor, modes, size) = (screen.cursor(), screen.modes(), terminal.size());
    ScreenReply {
        seq: terminal.ring().end(),
        cols: size.cols,
        rows: size.rows,
        cursor: Cursor { x: cursor.x, y: cursor.y, visible: cursor.visible },
        modes: Modes {
            alternate: modes.alternate,
            bracketed_paste: modes.bracketed_paste,
            mouse: modes.mouse.as_str().to_owned(),
            application_cursor: modes.application_cursor,
            focus: modes.focus,
        },
        lines,
        history_lines,
        title: screen.title().to_owned(),
    }
}

/// Lines from before the screen.
pub(crate) fn scrollback(terminal: &Terminal, query: ScrollbackQuery) -> ScrollbackReply {
    let screen = terminal.screen();
    let total = screen.history_len();
    let from = query.from.min(total);
    let to = from.saturating_add(query.lines).min(total);
    ScrollbackReply { from, total, lines: screen.history(from..to, query.ansi) }
}
