use std::time::Duration;

use qd_git::{Git, GitConfig, Timeouts};

use crate::fixture::World;
use crate::script::program;

/// Waits for a condition, for as long as a slow machine may need.
pub async fn wait_until(mut condition: impl FnMut() -> bool) {
    for _ in 0..1_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the condition did not come true");
}

fn fake(world: &World, script: &str, timeouts: Timeouts) -> Git {
    let path = world.path("fake-git");
    program(&path, &format!("#!/bin/sh\n{script}\n"));
    Git::new(GitConfig { program: path, timeouts, ..world.config() })
}

fn pid_in(path: &std::path::Path) -> rustix::process::Pid {
    let text = std::fs::read_to_string(path).unwrap();
    rustix::process::Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

#[tokio::test]
async fn a_dropped_read_ends_the_whole_group() {
    let world = World::new();
    let pid_file = world.path("pid");
    let script = format!("sleep 1000 & echo $! > {}; wait", pid_file.display());
    let git = fake(&world, &script, Timeouts::default());
    let started =
        wait_until(|| std::fs::read_to_string(&pid_file).is_ok_and(|t| t.ends_with('\n')));
    tokio::select! {
        version = git.version() => panic!("{version:?}"),
        () = started => {}
    }
    let pid = pid_in(&pid_file);
    wait_until(|| rustix::process::test_kill_process(pid).is_err()).await;
}

#[tokio::test]
async fn what_is_left_in_the_background_holds_nothing_up() {
    let world = World::new();
    let pid_file = world.path("pid");
    let script = format!("sleep 1000 & echo $! > {}; echo git version 2.50.0", pid_file.display());
    let git = fake(&world, &script, Timeouts::default());
    assert_eq!(git.version().await.unwrap(), "2.50.0");
    let _ = rustix::process::kill_process(pid_in(&pid_file), rustix::process::Signal::KILL);
}

#[tokio::test]
async fn a_slow_command_is_ended_and_told() {
    let world = World::new();
    let timeouts = Timeouts { read: Duration::from_secs(1), ..Timeouts::default() };
    let git = fake(&world, "trap '' TERM; sleep 1000", timeouts);
    let error = git.version().await.unwrap_err();
    assert_eq!(error.to_string(), "git version took longer than 1 s and was ended");
    assert_eq!(error.hint().as_deref(), Some("Try again; if it happens again, run it by hand."));
}

#[tokio::test]
async fn the_child_sees_only_what_it_should() {
    let mut world = World::new();
    for (name, value) in [("GIT_DIR", "/x"), ("QD_TOKEN", "secret"), ("LANGUAGE", "de")] {
        world.env.insert(name.into(), value.into());
    }
    let env_file = world.path("env");
    let mut config = GitConfig::from_vars(world.env.clone(), world.path("scratch"));
    config.program = world.path("fake-git");
    let script = format!("#!/bin/sh\nenv > {}\necho git version 2.50.0\n", env_file.display());
    program(&config.program, &script);
    Git::new(config).version().await.unwrap();
    let env = std::fs::read_to_string(env_file).unwrap();
    for expected in ["LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ASKPASS="] {
        assert!(env.lines().any(|line| line == expected), "{expected} in {env}");
    }
    for hidden in ["GIT_DIR", "QD_TOKEN", "LANGUAGE", "CARGO"] {
        assert!(!env.contains(hidden), "{hidden} in {env}");
    }
}
