//! A daemon with nothing to do does nothing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::stage::Stage;
use super::terminal::PLAYER;

/// Every process that descends from one of these.
fn below(roots: &[u32]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(pid) = open.pop() {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children"));
            for child in children.unwrap_or_default().split_whitespace() {
                let child = child.parse().unwrap();
                if found.insert(child) {
                    open.push(child);
                }
            }
        }
    }
    found
}

#[test]
fn idle_sessions_start_no_process() {
    let stage = Stage::start();
    let ids: Vec<_> = (0..5).map(|_| stage.run(PLAYER)).collect();
    for id in &ids {
        stage.until_line(id, |line| line == "ready");
    }
    let tmux = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    let roots = [stage.pid(), tmux.trim().parse().unwrap()];
    // What counts the diff after the first output is work, and ends.
    let settled = super::stage::until("calm", || {
        let first = below(&roots);
        std::thread::sleep(Duration::from_millis(1500));
        (below(&roots) == first).then_some(first)
    });
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        let now = below(&roots);
        assert_eq!(now, settled, "somebody was started");
        std::thread::sleep(Duration::from_millis(3));
    }
    // An init and a program each, one control client, and what holds the server open.
    assert!(settled.len() <= 5 * 2 + 2, "{settled:?}");
}
