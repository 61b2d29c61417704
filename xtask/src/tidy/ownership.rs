use super::Finding;
use crate::tree::{Tree, code_lines};

/// Crates in which state has one owner, and nobody else a lock on it.
const OWNED: &[&str] = &["crates/daemon/src/", "crates/tmux/src/", "crates/server/src/"];
const SHARED: &[&str] = &["Arc<Mutex<", "Arc<RwLock<", "Rc<RefCell<"];

/// Ways to a PTY. tmux holds the terminals; a descriptor of one in the daemon is the beginning of
/// one that is read here and closed there.
const PTYS: &[&str] = &["openpt(", "openpty(", "forkpty(", "/dev/ptmx"];

/// Types that hold a resource by value. A second one would be a second owner.
const OWNERS: &[&str] = &[
    "Daemon",
    "Owner",
    "Pane",
    "RepoWriter",
    "Session",
    "SessionActor",
    "Store",
    "Supervisor",
    "TapReader",
    "Terminal",
    "TmuxServer",
    "Writer",
];

/// The session of `core` is a value: what the events say. The owner of the same name is elsewhere.
const VALUES: &[&str] = &["crates/core/src/", "crates/api/src/", "xtask/"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.ending(&[".rs"]).filter(|file| file.path.contains("/src/")) {
        if OWNED.iter().any(|folder| file.path.starts_with(folder)) {
            for (at, line) in code_lines(&file.text) {
                let dense: String = line.split("//").next().unwrap_or(line).replace(' ', "");
                if PTYS.iter().any(|pty| dense.contains(pty)) {
                    found.push(Finding::at(
                        &file.path,
                        at,
                        "a PTY in the daemon: tmux holds the terminals, ask it for one",
                    ));
                }
                if SHARED.iter().any(|shared| dense.contains(shared)) {
                    found.push(Finding::at(
                        &file.path,
                        at,
                        "state behind a shared lock: give it an owner, and send the owner messages",
                    ));
                }
            }
        }
        if !VALUES.iter().any(|folder| file.path.starts_with(folder)) {
            found.extend(cloned(&file.path, &file.text));
        }
    }
    found
}

fn cloned(path: &str, text: &str) -> Vec<Finding> {
    let mut found = vec![];
    let mut derives_clone = false;
    for (at, line) in code_lines(text) {
        let line = line.trim();
        if line.starts_with("#[derive(") {
            derives_clone |= has_item(line, "Clone");
        } else if let Some(name) = type_name(line) {
            if derives_clone && OWNERS.contains(&name) {
                found.push(Finding::at(
                    path,
                    at,
                    format!("{name} is an owner and is never cloned"),
                ));
            }
            derives_clone = false;
        }
        if let Some((_, name)) = line.split_once("Clone for ") {
            let name = name.trim_end_matches([' ', '{']);
            if line.starts_with("impl") && OWNERS.contains(&name) {
                found.push(Finding::at(
                    path,
                    at,
                    format!("{name} is an owner and is never cloned"),
                ));
            }
        }
    }
    found
}

fn has_item(line: &str, item: &str) -> bool {
    line.split(['(', ',', ')']).any(|part| part.trim() == item)
}

/// The name of the type that a line begins to define.
fn type_name(line: &str) -> Option<&str> {
    let line =
        line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    let rest = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn a_shared_lock_is_found() {
        let text = "struct A {\n    all: Arc<Mutex<u8>>,\n}\n";
        assert_eq!(told("crates/daemon/src/a.rs", text), 1);
        assert_eq!(told("crates/store/src/a.rs", text), 0);
        assert_eq!(told("crates/tmux/src/a.rs", "type A = Arc< RwLock<u8>>;\n"), 1);
        assert_eq!(told("crates/tmux/src/a.rs", "// not Arc<Mutex<u8>>\n"), 0);
    }

    /// The bug that this design began from: a terminal's descriptor that one task reads while
    /// another closes it. Planted as it was, and in the two ways around the first rule.
    #[test]
    fn a_terminal_that_two_tasks_hold_is_found() {
        let as_it_was = "struct Session {\n    ptmx: Arc<Mutex<Option<File>>>,\n}\n";
        assert_eq!(told("crates/daemon/src/session.rs", as_it_was), 1);
        let opened = "let pty = rustix_openpty::openpty(None, None)?;\n";
        assert_eq!(told("crates/daemon/src/session/start.rs", opened), 1);
        let by_name = "let file = File::open(\"/dev/ptmx\")?;\n";
        assert_eq!(told("crates/tmux/src/pane/create.rs", by_name), 1);
        let copied = "#[derive(Clone)]\nstruct TapReader {\n}\n";
        assert_eq!(told("crates/tmux/src/pane/tap.rs", copied), 1);
    }

    #[test]
    fn an_owner_that_can_be_cloned_is_found() {
        let derived = "#[derive(Debug, Clone)]\n#[must_use]\npub(crate) struct Pane {\n}\n";
        assert_eq!(told("crates/tmux/src/pane.rs", derived), 1);
        assert_eq!(told("crates/tmux/src/pane.rs", "impl Clone for Pane {\n}\n"), 1);
        let other = "#[derive(Clone)]\nstruct PaneId(u8);\nstruct Pane;\n";
        assert_eq!(told("crates/tmux/src/pane.rs", other), 0);
        assert_eq!(
            told("crates/core/src/session.rs", "#[derive(Clone)]\npub struct Session {}\n"),
            0
        );
    }
}
