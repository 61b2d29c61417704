//! All that a process has started and that still lives.
//!
//! The init is the subreaper, so whatever a program starts stays below the init,
//! a child that left its session and its group included. Groups would not do:
//! a `setsid` child is in none of ours.

use std::collections::HashMap;

use rustix::process::{Pid, PidfdFlags, Signal};

/// A process beyond doubt: ids are used again, a start time with it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub pid: i32,
    parent: i32,
    start: u64,
    zombie: bool,
}

/// The living descendants of a process, parents before children.
pub(crate) fn descendants(root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(parent) = next.pop() {
        // Taken out, so that a circle (ids used again meanwhile) ends.
        for process in children.remove(&parent).unwrap_or_default() {
            next.push(process.pid);
            if !process.zombie {
                found.push(process);
            }
        }
    }
    found
}

/// Sends a signal to exactly this process.
pub(crate) fn signal(process: Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => {
            // The descriptor holds the id; only now is a look at it worth anything.
            if stat(process.pid).is_some_and(|now| now.start == process.start) {
                let _ = rustix::process::pidfd_send_signal(fd, signal);
            }
        }
        Err(rustix::io::Errno::NOSYS) => {
            if stat(process.pid).is_some_and(|now| now.start == process.start) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
        Err(_) => {}
    }
}

fn all() -> impl Iterator<Item = Process> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?))
}

fn stat(pid: i32) -> Option<Process> {
    let bytes = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &bytes)
}

/// Reads `/proc/PID/stat`. The name, in brackets, may hold anything, brackets and
/// line ends included, so what counts starts after the last bracket.
fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    let end = stat.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        zombie: matches!(*words.first()?, "Z" | "X"),
        parent: words.get(1)?.parse().ok()?,
        start: words.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_mislead() {
        let line = b"7 (a) S 1 (b\n) R 42 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9876 0 0";
        let process = parse(7, line).unwrap();
        assert_eq!((process.parent, process.start, process.zombie), (42, 9876, false));
        assert!(parse(7, b"7 (x) S").is_none());
    }

    #[test]
    fn finds_a_child() {
        let mut child = crate::process::blocking("sleep").arg("30").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let found = descendants(me).into_iter().find(|p| p.pid == id).unwrap();
        signal(Process { start: found.start + 1, ..found }, Signal::KILL);
        assert!(child.try_wait().unwrap().is_none(), "another start time is another process");
        signal(found, Signal::KILL);
        child.wait().unwrap();
        assert!(!descendants(me).iter().any(|p| p.pid == id));
    }
}
