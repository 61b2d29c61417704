use std::time::Duration;

use qd_git::{BaseSource, Git, GitConfig, Timeouts};

use crate::discover::shown;
use crate::fixture::{World, never, write};
use crate::script::program;

/// Somebody else pushes to the remote. Returns the new commit.
fn push_elsewhere(world: &World) -> String {
    let other = world.path("other");
    world.run(&world.path(""), &["clone", "-q", "origin.git", "other"]);
    write(other.join("theirs"), "x\n");
    world.commit_all(&other, "theirs");
    world.run(&other, &["push", "-q"]);
    world.run(&other, &["rev-parse", "HEAD"])
}

#[tokio::test]
async fn the_default_base_is_fetched() {
    for mut world in [World::new(), World::hostile()] {
        world.clone_with_commit();
        let theirs = push_elsewhere(&world);
        let mut writer = world.writer().await;
        let base = writer.resolve_base(None, never()).await.unwrap();
        assert_eq!((base.name.as_str(), base.source), ("origin/main", BaseSource::Fetched));
        assert_eq!(base.commit.as_str(), theirs);
        assert_eq!(base.note, "From origin/main, fetched just now.");
        assert!(!world.main().join(".git/FETCH_HEAD").exists());
    }
}

#[tokio::test]
async fn commits_that_are_only_here_are_told_and_left_out() {
    let mut world = World::new();
    world.clone_with_commit();
    write(world.main().join("f.txt"), "mine\n");
    world.commit_all(&world.main(), "private note");
    let mut writer = world.writer().await;
    let base = writer.resolve_base(None, never()).await.unwrap();
    assert_eq!(
        base.note,
        "From origin/main, fetched just now. \
         Your local main has 1 commit more, not on origin; not included."
    );
}

#[tokio::test]
async fn a_remote_that_is_gone_is_no_error() {
    let mut world = World::new();
    world.clone_with_commit();
    std::fs::rename(world.path("origin.git"), world.path("away")).unwrap();
    let mut writer = world.writer().await;
    let base = writer.resolve_base(None, never()).await.unwrap();
    assert_eq!((base.name.as_str(), base.source), ("origin/main", BaseSource::Local));
    assert!(
        base.note.starts_with("From origin/main as last seen: the remote could not be asked (")
    );
}

#[tokio::test]
async fn a_remote_that_hangs_is_given_up_and_its_process_ended() {
    let mut world = World::new();
    world.clone_with_commit();
    let pid_file = world.path("pid");
    let ssh = world.path("ssh");
    program(&ssh, &format!("#!/bin/sh\necho $$ > {}\nexec sleep 1000\n", pid_file.display()));
    world.run(&world.main(), &["remote", "set-url", "origin", "ssh://nowhere/x"]);
    world.run(&world.main(), &["config", "core.sshCommand", ssh.to_str().unwrap()]);
    let timeouts = Timeouts { fetch: Duration::from_secs(1), ..Timeouts::default() };
    let git = Git::new(GitConfig { timeouts, ..world.config() });
    let repo = git.discover(&world.main()).await.unwrap();
    let mut writer = world.writers().claim(repo).unwrap();
    let base = writer.resolve_base(None, never()).await.unwrap();
    assert_eq!(base.note, "From origin/main as last seen: the remote did not answer within 1 s.");
    let pid: i32 = std::fs::read_to_string(pid_file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    crate::process::wait_until(|| rustix::process::test_kill_process(pid).is_err()).await;

    let cancelled = writer.resolve_base(None, std::future::ready(())).await.unwrap_err();
    assert_eq!(shown(&world, &cancelled), "git fetch was cancelled.");
}

#[tokio::test]
async fn an_explicit_base_is_taken_at_its_word() {
    let mut world = World::new();
    world.clone_with_commit();
    let theirs = push_elsewhere(&world);
    world.run(&world.path("other"), &["push", "-q", "origin", "HEAD:refs/heads/only/there"]);
    let mut writer = world.writer().await;
    let local = writer.resolve_base(Some("main"), never()).await.unwrap();
    assert_eq!(
        (local.source, local.note.as_str()),
        (BaseSource::Local, "From main as it is here.")
    );
    assert_ne!(local.commit.as_str(), theirs);
    let short = local.commit.short().to_owned();
    assert_eq!(writer.resolve_base(Some(&short), never()).await.unwrap().commit, local.commit);
    for name in ["origin/main", "origin/only/there", "only/there"] {
        let base = writer.resolve_base(Some(name), never()).await.unwrap();
        assert_eq!((base.source, base.commit.as_str()), (BaseSource::Fetched, theirs.as_str()));
    }
    for name in ["nope", "origin/nope", "--all", "-x", "", "a b", "main..HEAD"] {
        let error = writer.resolve_base(Some(name), never()).await.unwrap_err();
        assert_eq!(
            shown(&world, &error),
            format!(
                "there is no branch, tag or commit named {name:?}. Check the spelling, \
                 or fetch it first; leave it out for the default branch."
            )
        );
    }
}

#[tokio::test]
async fn without_a_remote_the_local_branch_is_the_base() {
    let mut world = World::new();
    world.run(&world.path(""), &["init", "-q", "P"]);
    world.run(&world.main(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    let mut writer = world.writer().await;
    let base = writer.resolve_base(None, never()).await.unwrap();
    assert_eq!(base.note, "From the local main: this repository has no remote.");
}
