use qd_api::SessionView;
use qd_core::Millis;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::{clock, output, states};

/// Characters of the shortest id that is shown.
const SHORTEST: usize = 4;
/// Columns of the narrowest title, repository and branch at a terminal.
const NARROWEST: usize = 12;

const HEADS: [&str; 8] = ["ID", "STATE", "SINCE", "TITLE", "AGENT", "REPO", "BRANCH", "+/-"];
const TITLE: usize = 3;
const REPO: usize = 5;
const BRANCH: usize = 6;
const STATE: usize = 1;

/// The table of sessions for people. `width` is that of a terminal, which titles,
/// repositories and branches give way to.
pub fn sessions(list: &[SessionView], now: Millis, width: Option<usize>, colours: bool) -> String {
    let ids = prefixes(list);
    let mut rows: Vec<[String; 8]> = vec![HEADS.map(str::to_owned)];
    rows.extend(list.iter().zip(ids).map(|(session, id)| cells(session, id, now)));
    let mut widths = [0; 8];
    for row in &rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = cell.width().max(*most);
        }
    }
    if let Some(width) = width {
        // The title first; where that is not enough, what is the longer of the two others.
        let room = width.saturating_sub(2 * (HEADS.len() - 1));
        give_way(&mut widths, TITLE, NARROWEST, room);
        let floor = widths[REPO].min(widths[BRANCH]).max(NARROWEST);
        for (column, least) in
            [(REPO, floor), (BRANCH, floor), (REPO, NARROWEST), (BRANCH, NARROWEST)]
        {
            give_way(&mut widths, column, least, room);
        }
    }
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let cell = cut(cell, width);
            let pad = " ".repeat(width - cell.width());
            let colour = match (colours, place.checked_sub(1), column) {
                (true, None, _) => Some("1"),
                (true, Some(at), STATE) => list.get(at).map(|s| states::colour(states::word(s))),
                _ => None,
            };
            if column > 0 {
                line.push_str("  ");
            }
            match colour {
                Some(colour) => line.push_str(&format!("\u{1b}[{colour}m{cell}\u{1b}[0m{pad}")),
                None => line.push_str(&format!("{cell}{pad}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Makes a column narrower, down to `least`, until all fit into the room.
fn give_way(widths: &mut [usize], column: usize, least: usize, room: usize) {
    let over = widths.iter().sum::<usize>().saturating_sub(room);
    widths[column] = widths[column].saturating_sub(over).max(widths[column].min(least));
}

fn cells(session: &SessionView, id: String, now: Millis) -> [String; 8] {
    let word = states::word(session);
    let repo = session.repo.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let changed = session.diff_stat.map(|stat| format!("+{} -{}", stat.additions, stat.deletions));
    [
        id,
        format!("{} {word}", states::glyph(word)),
        clock::ago(&session.attention.since, now),
        output::one_line(&session.title),
        output::one_line(&session.agent),
        output::one_line(repo),
        output::one_line(session.branch.as_deref().unwrap_or("-")),
        changed.unwrap_or_else(|| "-".to_owned()),
    ]
}

/// For each session the shortest beginning of its id that no other in the list has.
fn prefixes(list: &[SessionView]) -> Vec<String> {
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let needed = |session: &SessionView| {
        let others = list.iter().filter(|other| other.id != session.id);
        let longest = others.map(|other| shared(&other.id, &session.id)).max().unwrap_or(0);
        (longest + 1).max(SHORTEST)
    };
    list.iter().map(|session| session.id.chars().take(needed(session)).collect()).collect()
}

/// The beginning of a text that fits into so many columns, with a mark where it was cut.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= width {
            break;
        }
        kept.push(c);
    }
    kept.push('\u{2026}');
    kept
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A running session.
    pub fn session(id: &str, title: &str) -> SessionView {
        serde_json::from_value(serde_json::json!({
            "id": id, "version": 1, "title": title, "agent": "claude", "command": ["claude"],
            "repo": "/r/shop", "worktree": "/w", "branch": null, "base": null,
            "base_commit": null, "kind": "worktree", "state": "running", "pending": null,
            "attention": {"state": "unknown", "since": "1970-01-01T00:00:00Z", "source": "none",
                          "confidence": 0.0, "why": "", "evidence": []},
            "tags": [], "pinned": false, "notes": "", "created_at": "1970-01-01T00:00:00Z",
            "changed_at": "1970-01-01T00:00:00Z", "pane": null, "exit": null, "problem": null,
            "messages": [], "kept": null, "diff_stat": null, "terminal_title": null
        }))
        .unwrap()
    }

    #[test]
    fn ids_are_as_short_as_they_can_be() {
        let list: Vec<_> =
            ["kabc2345wxyz", "kabc2399wxyz", "m23456789abc"].map(|id| session(id, "t")).into();
        assert_eq!(prefixes(&list), ["kabc234", "kabc239", "m234"]);
        assert_eq!(prefixes(&list[2..]), ["m234"]);
    }

    #[test]
    fn columns_line_up_for_wide_characters() {
        let mut list = vec![session("kabc2345wxyz", "修复 🚀"), session("m23456789abc", "plain")];
        list[0].diff_stat = Some(qd_api::DiffStat { files: 1, additions: 3, deletions: 1 });
        list[1].branch = Some("b".to_owned());
        let table = sessions(&list, Millis(60_000), None, false);
        let expected = "\
ID    STATE      SINCE  TITLE    AGENT   REPO  BRANCH  +/-
kabc  \u{25cf} running  1m     修复 🚀  claude  shop  -       +3 -1
m234  \u{25cf} running  1m     plain    claude  shop  b       -
";
        assert_eq!(table, expected);
    }

    #[test]
    fn titles_give_way_at_a_terminal() {
        let list = [session("kabc2345wxyz", &"long ".repeat(40))];
        let table = sessions(&list, Millis(0), Some(80), false);
        assert!(table.lines().all(|line| line.width() <= 80), "{table}");
        assert!(table.contains('\u{2026}'), "{table}");
        assert_eq!(cut("修复修复", 4), "修\u{2026}");
    }

    #[test]
    fn long_repositories_and_branches_give_way_too() {
        let mut list = [session("kabc2345wxyz", "short")];
        list[0].repo = format!("/r/{}", "d".repeat(250));
        list[0].branch = Some("b".repeat(50));
        let table = sessions(&list, Millis(0), Some(100), false);
        assert!(table.lines().all(|line| line.width() <= 100), "{table}");
        // There was room for all of a short one.
        list[0].repo = "/r/shop".to_owned();
        let table = sessions(&list, Millis(0), Some(110), false);
        assert!(table.contains(&"b".repeat(50)), "{table}");
    }

    #[test]
    fn a_session_is_one_row_whatever_its_names_are() {
        let mut list = [session("kabc2345wxyz", "a\u{202e}b\u{200b}")];
        list[0].repo = "/r/new\nm234 fake".to_owned();
        let table = sessions(&list, Millis(0), None, false);
        assert_eq!(table.lines().count(), 2, "{table}");
        assert!(!table.contains(['\u{202e}', '\u{200b}']), "{table:?}");
    }
}
