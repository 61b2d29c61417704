//! What the kernel tells of processes. Linux only.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;

use crate::fault::Result;

/// Resident memory of a process, in bytes.
///
/// # Errors
/// When the process is gone.
pub fn resident(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: u64 = line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    Ok(kib * 1024)
}

/// Processor time of a process, in seconds: all its threads, those that ended included.
///
/// # Errors
/// When the process is gone.
pub fn cpu(pid: u32) -> Result<f64> {
    let ticks = stat_field(pid, 14)? + stat_field(pid, 15)?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// How often each thread of a process went to sleep, and so was woken.
///
/// # Errors
/// When the process is gone.
pub fn sleeps(pid: u32) -> Result<BTreeMap<OsString, u64>> {
    let mut counts = BTreeMap::new();
    for task in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let text = fs::read_to_string(task.path().join("status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        let count = line.and_then(|line| line.trim().parse().ok()).unwrap_or(0);
        counts.insert(task.file_name(), count);
    }
    Ok(counts)
}

/// The living children of a process, of all its threads.
#[must_use]
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return vec![] };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| text.split(' ').filter_map(|n| n.trim().parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// The processes, and all that descend from them.
#[must_use]
pub fn tree(roots: &[u32]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(pid) = open.pop() {
        if found.insert(pid) {
            open.extend(children(pid));
        }
    }
    found
}

/// Page faults of the children that a process has waited for, their own children included. Not
/// one process starts without some, so this grows by each child that came and went unseen.
///
/// # Errors
/// When the process is gone.
pub fn faults_of_ended_children(pid: u32) -> Result<u64> {
    Ok(stat_field(pid, 11)? + stat_field(pid, 13)?)
}

/// A field of `/proc/PID/stat`, by its number in the manual.
fn stat_field(pid: u32, number: usize) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, which is field 2, may hold anything.
    let field = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(number - 3));
    Ok(field.ok_or("a short /proc/PID/stat")?.parse()?)
}

/// The processor and the memory of this machine, in words.
#[must_use]
pub fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let count = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let name = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("an unnamed processor", |(_, name)| name.trim());
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
    let gib = kib.unwrap_or(0_u64) / (1 << 20);
    format!("{count} x {name}, {gib} GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_came_and_went_is_seen() {
        let us = std::process::id();
        let before = faults_of_ended_children(us).unwrap();
        crate::process::output(&mut crate::process::command("/".as_ref(), "true")).unwrap();
        assert!(faults_of_ended_children(us).unwrap() > before);
        assert!(resident(us).unwrap() > 0 && cpu(us).unwrap() >= 0.0);
    }

    #[test]
    fn descendants_are_found() {
        let mut command = crate::process::command("/".as_ref(), "sleep");
        let mut child = command.arg("60").spawn().unwrap();
        assert!(tree(&[std::process::id()]).contains(&child.id()));
        crate::process::end(&mut child);
        assert!(!tree(&[std::process::id()]).contains(&child.id()));
    }
}
