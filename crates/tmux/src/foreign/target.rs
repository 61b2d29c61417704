//! Which pane a person means: the words that tmux takes for a target, on panes that were listed.

use crate::{PaneId, SessionRef, WindowRef};

/// A pane, and where it is shown. A window that is linked to several sessions has a row in each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) session: SessionRef,
    pub(super) window: WindowRef,
    pub(super) pane: PaneId,
    pub(super) window_index: String,
    pub(super) pane_index: String,
    pub(super) window_active: bool,
    pub(super) pane_active: bool,
    pub(super) piped: bool,
    pub(super) dead: bool,
    pub(super) size: (u16, u16),
    pub(super) session_name: String,
    pub(super) window_name: String,
    /// The name of the program in its foreground.
    pub(super) command: String,
}

/// Why a target is no pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unclear {
    Missing,
    /// What it may mean.
    Ambiguous(Vec<String>),
}

impl Row {
    /// What the list is asked for. Names hold no tab: tmux writes one as `\t`.
    pub(super) const FORMAT: &str = "#{session_id}\t#{window_id}\t#{pane_id}\t#{window_index}\t\
        #{pane_index}\t#{window_active}\t#{pane_active}\t#{pane_pipe}\t#{pane_dead}\t\
        #{pane_width}\t#{pane_height}\t#{session_name}\t#{window_name}\t#{pane_current_command}";

    pub(super) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.splitn(14, '\t').collect();
        let [
            session,
            window,
            pane,
            index,
            place,
            active,
            front,
            piped,
            dead,
            cols,
            rows,
            of,
            name,
            command,
        ] = words[..]
        else {
            return None;
        };
        Some(Self {
            session: SessionRef::parse(session)?,
            window: WindowRef::parse(window)?,
            pane: PaneId::parse(pane)?,
            window_index: index.to_owned(),
            pane_index: place.to_owned(),
            window_active: active == "1",
            pane_active: front == "1",
            piped: piped == "1",
            dead: dead == "1",
            size: (cols.parse().ok()?, rows.parse().ok()?),
            session_name: of.to_owned(),
            window_name: name.to_owned(),
            command: command.to_owned(),
        })
    }

    /// Its name as a target, such as `work:1.0`.
    pub(super) fn name(&self) -> String {
        format!("{}:{}.{}", self.session_name, self.window_index, self.pane_index)
    }
}

/// The pane that is meant. `%3`, `@2` and `$1` are ids; else `SESSION`, `SESSION:WINDOW` or
/// `SESSION:WINDOW.PANE`, where names may be cut short if no other begins so, and what is left out
/// is what is in front.
pub(super) fn choose<'a>(rows: &'a [Row], target: &str) -> Result<&'a Row, Unclear> {
    if let Some(pane) = PaneId::parse(target) {
        return rows.iter().find(|row| row.pane == pane).ok_or(Unclear::Missing);
    }
    if let Some(window) = WindowRef::parse(target) {
        return in_window(rows, window, None);
    }
    let (session, rest) = match target.split_once(':') {
        Some((session, rest)) => (session, rest),
        // A session's name holds no full stop.
        None => match target.split_once('.') {
            Some((session, _)) => (session, &target[session.len()..]),
            None => (target, ""),
        },
    };
    let session = session_of(rows, session)?;
    let rows: Vec<&Row> = rows.iter().filter(|row| row.session == session).collect();
    let (window, pane) = match rest.rsplit_once('.') {
        // A window's name may hold one.
        Some((window, pane)) if is_pane(pane) && rows.iter().all(|row| row.window_name != rest) => {
            (window, Some(pane))
        }
        _ => (rest, None),
    };
    let window = window_of(&rows, window)?;
    in_window(rows, window, pane)
}

fn is_pane(text: &str) -> bool {
    let index = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    index || PaneId::parse(text).is_some()
}

fn session_of(rows: &[Row], text: &str) -> Result<SessionRef, Unclear> {
    if let Some(id) = SessionRef::parse(text) {
        let known = rows.iter().any(|row| row.session == id);
        return if known { Ok(id) } else { Err(Unclear::Missing) };
    }
    let named = rows.iter().map(|row| (row.session, row.session_name.as_str(), String::new()));
    pick(named, text)
}

fn window_of(rows: &[&Row], text: &str) -> Result<WindowRef, Unclear> {
    let row = if text.is_empty() {
        rows.iter().find(|row| row.window_active)
    } else {
        let id = WindowRef::parse(text);
        rows.iter().find(|row| row.window_index == text || Some(row.window) == id)
    };
    if let Some(row) = row {
        return Ok(row.window);
    }
    if text.is_empty() {
        return Err(Unclear::Missing);
    }
    let named = rows.iter().map(|row| {
        let at = format!("{}:{} ", row.session_name, row.window_index);
        (row.window, row.window_name.as_str(), at)
    });
    pick(named, text)
}

/// The one of that very name, else the one whose name begins so.
fn pick<'a, T: Copy + PartialEq>(
    named: impl Iterator<Item = (T, &'a str, String)>,
    text: &str,
) -> Result<T, Unclear> {
    let (text, exact) = match text.strip_prefix('=') {
        Some(text) => (text, true),
        None => (text, false),
    };
    if text.is_empty() {
        return Err(Unclear::Missing);
    }
    let mut fits: Vec<(T, &str, String)> = Vec::new();
    for (id, name, at) in named {
        if name.starts_with(text) && !fits.iter().any(|(known, ..)| *known == id) {
            fits.push((id, name, at));
        }
    }
    let same = fits.iter().filter(|(_, name, _)| *name == text).count();
    if same > 0 || exact {
        fits.retain(|(_, name, _)| *name == text);
    }
    match fits.as_slice() {
        [] => Err(Unclear::Missing),
        [(one, ..)] => Ok(*one),
        several => Err(Unclear::Ambiguous(
            several.iter().map(|(_, name, at)| format!("{at}{name}")).collect(),
        )),
    }
}

fn in_window<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    window: WindowRef,
    pane: Option<&str>,
) -> Result<&'a Row, Unclear> {
    rows.into_iter()
        .filter(|row| row.window == window)
        .find(|row| match pane {
            Some(pane) => row.pane_index == pane || Some(row.pane) == PaneId::parse(pane),
            None => row.pane_active,
        })
        .ok_or(Unclear::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        [
            "$0\t@0\t%0\t0\t0\t0\t1\t0\t0\t80\t24\tmain\tvim\tvim",
            "$0\t@1\t%1\t1\t0\t1\t0\t0\t0\t80\t24\tmain\tv1.2\tsh",
            "$0\t@1\t%2\t1\t1\t1\t1\t0\t0\t80\t24\tmain\tv1.2\tsh",
            "$1\t@2\t%3\t0\t0\t1\t1\t1\t0\t80\t24\tmake all\tx y\tmake\tit",
            "$2\t@3\t%4\t0\t0\t1\t1\t0\t1\t80\t24\tma\tsh\tsh",
        ]
        .map(|line| Row::parse(line).unwrap())
        .to_vec()
    }

    #[test]
    fn a_target_is_one_pane() {
        let rows = rows();
        for (target, pane) in [
            ("%3", 3),
            ("@1", 2),
            ("$0", 2),
            ("main", 2),
            ("mai", 2),
            ("main:", 2),
            ("main:0", 0),
            ("main:vi", 0),
            ("main:@0.%0", 0),
            ("main.0", 1),
            ("main:1.0", 1),
            ("main:v1.2", 2),
            ("main:v1.2.0", 1),
            ("make all:x y", 3),
            // The very name comes before what begins so.
            ("ma", 4),
            ("=ma", 4),
        ] {
            assert_eq!(choose(&rows, target).map(|row| row.pane.0), Ok(pane), "{target}");
        }
        let row = choose(&rows, "%3").unwrap();
        assert_eq!((row.command.as_str(), row.name().as_str()), ("make\tit", "make all:0.0"));
    }

    #[test]
    fn what_is_no_pane_or_several_is_told() {
        let rows = rows();
        for target in ["", "%9", "@9", "$9", "nope", "=mai", "main:7", "main:1.7", "main:=vi", ":"]
        {
            assert_eq!(choose(&rows, target), Err(Unclear::Missing), "{target}");
        }
        let names = |target: &str| match choose(&rows, target) {
            Err(Unclear::Ambiguous(names)) => names,
            other => panic!("{other:?}"),
        };
        assert_eq!(names("m"), ["main", "make all", "ma"]);
        assert_eq!(names("main:v"), ["main:0 vim", "main:1 v1.2"]);
    }
}
