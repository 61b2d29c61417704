//! Whether a process runs beneath one of our panes.

use std::collections::HashMap;

/// The session that a process belongs to: the one whose pane init is among its ancestors.
///
/// An init is the subreaper of all that its program starts, so a process that detaches itself
/// is still beneath it. `inits` maps process ids of inits to what belongs to them.
pub(crate) fn beneath<T: Copy>(pid: i32, inits: &HashMap<i32, T>) -> Option<T> {
    let mut pid = pid;
    // Bounded: a chain of parents that changes while it is read could otherwise go on.
    for _ in 0..1024 {
        if let Some(found) = inits.get(&pid) {
            return Some(*found);
        }
        pid = parent(pid)?;
        if pid <= 1 {
            return None;
        }
    }
    None
}

/// The parent of a process, from `/proc`; none where there is no such thing.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may hold anything, brackets too: read from the last one.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_an_ancestor_and_nobody_else() {
        let me = i32::try_from(std::process::id()).unwrap();
        let up = parent(me).unwrap();
        assert_eq!(beneath(me, &HashMap::from([(up, 'a')])), Some('a'));
        assert_eq!(beneath(me, &HashMap::from([(me, 'b')])), Some('b'));
        assert_eq!(beneath(up, &HashMap::from([(me, 'c')])), None);
    }
}
