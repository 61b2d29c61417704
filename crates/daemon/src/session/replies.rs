//! The screen and the history of a terminal, as the API tells them.

use qd_api::{Cursor, Modes, ScreenReply, ScrollbackReply};

use qd_screen::{Format, MouseMode};

use super::terminal::Terminal;
use crate::message::{ScreenQuery, ScrollbackQuery};

/// What is on the screen.
pub(crate) fn screen(terminal: &Terminal, query: ScreenQuery) -> ScreenReply {
    let screen = terminal.screen();
    let format = if query.ansi { Format::Ansi } else { Format::Plain };
    let mut lines =
        if query.history { screen.history(0..screen.history_len(), format) } else { Vec::new() };
    let history_lines = query.history.then_some(lines.len());
    lines.extend(screen.screen(format));
    let (cursor, modes, size) = (screen.cursor(), screen.modes(), terminal.size());
    ScreenReply {
        seq: terminal.ring().end(),
        cols: size.cols,
        rows: size.rows,
        cursor: Cursor { x: cursor.x, y: cursor.y, visible: cursor.visible },
        modes: Modes {
            alternate: modes.alternate,
            bracketed_paste: modes.bracketed_paste,
            mouse: match modes.mouse {
                MouseMode::None => "off",
                MouseMode::Buttons => "click",
                MouseMode::Drag => "drag",
                MouseMode::Motion => "motion",
            }
            .to_owned(),
            application_cursor: modes.application_cursor,
            focus: modes.focus,
        },
        lines: lines.into_iter().map(|line| line.text).collect(),
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
    let format = if query.ansi { Format::Ansi } else { Format::Plain };
    let lines = screen.history(from..to, format);
    ScrollbackReply { from, total, lines: lines.into_iter().map(|line| line.text).collect() }
}
