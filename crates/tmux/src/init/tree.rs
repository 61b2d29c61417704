//! All that a process has started and that still lives.
//!
//! The init is the subreaper, so whatever a program starts stays below the init,
//! a child that left its session and its group included. Groups would not do:
//! a `setsid` child is in none of ours.

use std::collections::{HashMap, HashSet};

use rustix::process::{Pid, PidfdFlags, Signal};

/// A process beyond doubt: ids are used again, a start time with it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    start: u64,
    zombie: bool,
}

impl Process {
    /// What no other process ever has.
    pub(crate) fn id(self) -> (i32, u64) {
        (self.pid, self.start)
    }
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

/// Those of a tree that ignore a signal and have nobody below them who does not.
pub(crate) fn deaf(living: &[Process], signal: Signal) -> Vec<Process> {
    let parents: HashMap<i32, i32> = living.iter().map(|p| (p.pid, p.parent)).collect();
    let mut above = HashSet::new();
    let mut deaf = Vec::new();
    for process in living {
        if ignores(process.pid, signal) {
            deaf.push(*process);
            continue;
        }
        let mut next = parents.get(&process.pid);
        while let Some(parent) = next
            && above.insert(*parent)
        {
            next = parents.get(parent);
        }
    }
    deaf.retain(|process| !above.contains(&process.pid));
    deaf
}

/// Kills the process groups that these are in, each in one go, so that none of its members can
/// start another meanwhile. Our own group is left out; all others in the sessions of descendants
/// hold descendants only.
pub(crate) fn kill_groups(living: &[Process]) {
    let own = rustix::process::getpgrp().as_raw_nonzero().get();
    let mut done = HashSet::from([own, 0, 1]);
    for process in living {
        // Looked at once more: the number of a group is free again once it has no member.
        let there = stat(process.pid)
            .is_some_and(|now| now.start == process.start && now.group == process.group);
        if there
            && done.insert(process.group)
            && let Some(group) = Pid::from_raw(process.group)
        {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }
}

/// Kills what it finds of a tree while it looks, the newest first: one that makes another and ends
/// is gone before a look at all processes is over. Gives how many were found.
pub(crate) fn kill_newest_first(root: i32) -> usize {
    let mut ids: Vec<i32> = ids().collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let mut found = 0;
    for id in ids {
        if let Some(process) = stat(id)
            && (process.parent == root || process.session == root)
            && process.pid != root
            && !process.zombie
        {
            signal(process, Signal::KILL);
            found += 1;
        }
    }
    found
}

/// Whether a process has a signal ignored.
fn ignores(pid: i32, signal: Signal) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw() - 1) & 1 == 1
}

fn all() -> impl Iterator<Item = Process> {
    ids().filter_map(stat)
}

fn ids() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
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
        group: words.get(2)?.parse().ok()?,
        session: words.get(3)?.parse().ok()?,
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
        assert_eq!((process.parent, process.group, process.id()), (42, 7, (7, 9876)));
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
