//! What a tree of processes has used of the processor, from `/proc`.

use std::collections::HashMap;
use std::time::Duration;

/// What a tree has used in its life, those of it that have ended included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    /// How many live, the root among them.
    pub(crate) processes: usize,
}

#[derive(Clone, Copy)]
struct Process {
    parent: u32,
    /// Of its own, and of children that it has waited for; in clock ticks.
    ticks: u64,
}

/// What the process and all below it have used; none when it is gone or this machine has no
/// `/proc`. Reads a file for each process of the machine: not for a turn.
pub(crate) fn usage(root: u32) -> Option<Usage> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let all: HashMap<u32, Process> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, parse(&std::fs::read(entry.path().join("stat")).ok()?)?))
        })
        .collect();
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (pid, process) in &all {
        children.entry(process.parent).or_default().push(*pid);
    }
    all.get(&root)?;
    let (mut open, mut ticks, mut processes) = (vec![root], 0, 0);
    while let Some(pid) = open.pop() {
        open.extend(children.remove(&pid).unwrap_or_default());
        ticks += all.get(&pid).map_or(0, |process| process.ticks);
        processes += 1;
    }
    let second = rustix::param::clock_ticks_per_second().max(1);
    Some(Usage { cpu: Duration::from_millis(ticks * 1000 / second), processes })
}

/// Reads `/proc/PID/stat`. The name, in brackets, may hold anything, so what counts starts after
/// the last bracket.
fn parse(stat: &[u8]) -> Option<Process> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    // utime, stime, cutime, cstime.
    let ticks = number(11)? + number(12)? + number(13)? + number(14)?;
    Some(Process { parent: words.get(1)?.parse().ok()?, ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_mislead() {
        let line = b"7 (a) S 1 (b\n) R 42 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 9876 0 0";
        let process = parse(line).unwrap();
        assert_eq!((process.parent, process.ticks), (42, 10));
        assert!(parse(b"7 (x) S").is_none());
    }

    #[test]
    fn work_is_seen() {
        let me = std::process::id();
        let before = usage(me).unwrap();
        let mut number = 0_u64;
        loop {
            for _ in 0..1_000_000 {
                number = std::hint::black_box(number.wrapping_mul(31).wrapping_add(7));
            }
            let now = usage(me).unwrap();
            assert!(now.processes >= 1 && now.cpu >= before.cpu);
            if now.cpu > before.cpu {
                break;
            }
        }
        assert_eq!(usage(u32::MAX), None);
    }
}
