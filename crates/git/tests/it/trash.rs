use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use qd_git::{Attach, ParkRecord, RepoWriter};

use crate::discover::shown;
use crate::fixture::{World, chmod, write};

/// Every entry of a folder: kind and mode, time, content.
pub type Tree = BTreeMap<PathBuf, (u32, (i64, i64), Vec<u8>)>;

pub fn tree(dir: &Path) -> Tree {
    fn walk(dir: &Path, root: &Path, into: &mut Tree) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = if meta.is_symlink() {
                std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if meta.is_file() {
                std::fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            let time = if meta.is_dir() { (0, 0) } else { (meta.mtime(), meta.mtime_nsec()) };
            let name = path.strip_prefix(root).unwrap().to_path_buf();
            into.insert(name, (meta.mode(), time, content));
            if meta.is_dir() {
                walk(&path, root, into);
            }
        }
    }
    let mut found = Tree::new();
    walk(dir, dir, &mut found);
    found
}

/// All that makes up a worktree: its folder, and what git keeps for it except the log of HEAD,
/// which is to tell what happened.
pub fn everything(world: &World, path: &Path, record: &ParkRecord) -> (Tree, Tree) {
    let admin = world.main().join(".git/worktrees").join(&record.admin);
    let mut kept = tree(&admin);
    kept.retain(|name, _| !name.starts_with("logs"));
    for (_, time, _) in kept.values_mut() {
        *time = (0, 0);
    }
    (tree(path), kept)
}

pub async fn plan(world: &World, writer: &RepoWriter, path: &Path) -> ParkRecord {
    writer.plan_park(path, &world.path("trash/1"), "1").await.unwrap()
}

/// Work of every kind in progress.
pub fn busy(world: &World, path: &Path) {
    write(path.join("committed"), "x\n");
    world.commit_all(path, "work");
    write(path.join("staged"), "staged\n");
    world.run(path, &["add", "staged"]);
    write(path.join("staged"), "staged, then changed\n");
    write(path.join("f.txt"), "unstaged\n");
    write(path.join("untracked/a b"), "new\n");
    write(path.join("intended"), "later\n");
    world.run(path, &["add", "-N", "intended"]);
    write(path.join(".env"), "SECRET=1\n");
    write(path.join("node_modules/x.js"), "x\n");
    std::fs::create_dir_all(path.join("empty/inner")).unwrap();
    symlink("f.txt", path.join("link")).unwrap();
    symlink("/nowhere/at/all", path.join("dangling")).unwrap();
    write(path.join("run.sh"), "#!/bin/sh\n");
    chmod(&path.join("run.sh"), 0o755);
    write(path.join("locked/file"), "x\n");
    chmod(&path.join("locked/file"), 0o400);
    chmod(&path.join("locked"), 0o500);
    world.run(path, &["init", "-q", "nested"]);
    write(path.join("nested/x"), "x\n");
    world.commit_all(&path.join("nested"), "nested");
}

async fn round_trip(mut world: World, prepare: impl Fn(&World, &Path)) {
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    prepare(&world, &path);
    let status = world.run(&path, &["status", "--porcelain=v2", "--branch", "--ignored"]);
    let record = plan(&world, &writer, &path).await;
    let before = everything(&world, &path, &record);

    let report = writer.park(&record).await.unwrap();
    assert!(!report.copied && report.notes.is_empty());
    assert!(!path.exists());
    assert_eq!(tree(&record.parked_at), before.0);
    assert_eq!(world.run(&world.main(), &["worktree", "list"]).lines().count(), 2);
    // The branch is free, also for git's own opinion; the commits are kept.
    let probe = world.path("probe");
    world.run(&world.main(), &["worktree", "add", "-q", probe.to_str().unwrap(), "qd/a"]);
    world.run(&world.main(), &["worktree", "remove", "--force", probe.to_str().unwrap()]);
    let kept = world.run(&world.main(), &["rev-parse", "refs/quarterdeck/trash/1"]);
    assert_eq!(Some(kept.as_str()), record.commit.as_ref().map(|commit| commit.as_str()));
    world.run(&world.main(), &["worktree", "prune", "--expire=now"]);
    world.run(&world.main(), &["gc", "-q", "--prune=now"]);

    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(everything(&world, &path, &record), before);
    assert!(!record.parked_at.exists());
    let again = world.run(&path, &["status", "--porcelain=v2", "--branch", "--ignored"]);
    assert_eq!(again, status);
    assert_eq!(world.run(&world.main(), &["for-each-ref", "refs/quarterdeck"]), "");
    chmod_back(&path);
}

pub fn chmod_back(path: &Path) {
    if path.join("locked").exists() {
        chmod(&path.join("locked"), 0o700);
    }
}

#[tokio::test]
async fn every_byte_goes_and_comes_back() {
    round_trip(World::new(), busy).await;
}

#[tokio::test]
async fn every_byte_goes_and_comes_back_whatever_is_configured() {
    round_trip(World::hostile(), busy).await;
}

fn conflict(world: &World, path: &Path) {
    write(path.join("f.txt"), "mine\n");
    world.commit_all(path, "mine");
    world.run(&world.main(), &["checkout", "-q", "-b", "other"]);
    write(world.main().join("f.txt"), "theirs\n");
    world.commit_all(&world.main(), "theirs");
}

#[tokio::test]
async fn a_merge_under_way_survives() {
    round_trip(World::new(), |world, path| {
        conflict(world, path);
        assert!(!world.try_run(path, &["merge", "other"]).status.success());
    })
    .await;
}

#[tokio::test]
async fn a_rebase_under_way_survives_and_can_go_on() {
    round_trip(World::new(), |world, path| {
        conflict(world, path);
        assert!(!world.try_run(path, &["rebase", "other"]).status.success());
    })
    .await;
}

#[tokio::test]
async fn a_bisect_under_way_survives() {
    round_trip(World::new(), |world, path| {
        for i in 0..4 {
            world.run(path, &["commit", "-q", "--allow-empty", "-m", &i.to_string()]);
        }
        world.run(path, &["bisect", "start", "HEAD", "HEAD~4"]);
    })
    .await;
}

#[tokio::test]
async fn sparse_and_submodules_survive() {
    round_trip(World::new(), |world, path| {
        let origin = world.path("origin.git");
        world.run(path, &["submodule", "--quiet", "add", origin.to_str().unwrap(), "sub"]);
        write(path.join("in/a"), "x\n");
        write(path.join("out/b"), "x\n");
        world.commit_all(path, "more");
        write(path.join("sub/new"), "x\n");
    })
    .await;
    round_trip(World::new(), |world, path| {
        write(path.join("in/a"), "x\n");
        write(path.join("out/b"), "x\n");
        world.commit_all(path, "more");
        world.run(path, &["sparse-checkout", "set", "in"]);
    })
    .await;
}

#[tokio::test]
async fn a_rebase_goes_on_after_the_way_back() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    conflict(&world, &path);
    assert!(!world.try_run(&path, &["rebase", "other"]).status.success());
    let record = plan(&world, &writer, &path).await;
    assert!(!record.branch.as_ref().unwrap().checked_out);
    writer.park(&record).await.unwrap();
    writer.unpark(&record, Attach::Branch).await.unwrap();
    write(path.join("f.txt"), "both\n");
    world.run(&path, &["add", "f.txt"]);
    world.run(&path, &["rebase", "--continue"]);
    assert_eq!(world.run(&path, &["symbolic-ref", "--short", "HEAD"]), "qd/a");
}

#[tokio::test]
async fn a_move_that_was_cut_short_is_undone_from_its_record() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let json = serde_json::to_string(&plan(&world, &writer, &path).await).unwrap();
    let record: ParkRecord = serde_json::from_str(&json).unwrap();
    let before = everything(&world, &path, &record);
    // Killed before the folder was moved, and killed right after.
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(everything(&world, &path, &record), before);
    std::fs::create_dir(world.path("trash")).unwrap();
    std::fs::rename(&path, &record.parked_at).unwrap();
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(everything(&world, &path, &record), before);
    chmod_back(&path);
}

#[tokio::test]
async fn a_move_that_was_cut_short_is_finished_while_the_branch_is_in_use() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let record = plan(&world, &writer, &path).await;
    let before = everything(&world, &path, &record);
    // Killed right after the folder was moved; and once more at the very end.
    std::fs::create_dir(world.path("trash")).unwrap();
    std::fs::rename(&path, &record.parked_at).unwrap();
    writer.finish_park(&record).await.unwrap();
    world.run(&world.main(), &["switch", "-q", "qd/a"]);
    writer.finish_park(&record).await.unwrap();
    world.run(&world.main(), &["switch", "-q", "-"]);
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(everything(&world, &path, &record), before);
    chmod_back(&path);
}

#[tokio::test]
async fn across_file_systems_it_is_copied_and_compared() {
    let mut world = World::new();
    world.clone_with_commit();
    let Ok(other) = tempfile::Builder::new().prefix("qd-git-").tempdir_in("/dev/shm") else {
        eprintln!("skipped: no second file system");
        return;
    };
    let device = |path: &Path| path.metadata().unwrap().dev();
    if device(other.path()) == device(&world.main()) {
        eprintln!("skipped: no second file system");
        return;
    }
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let status = world.run(&path, &["status", "--porcelain=v2", "--branch"]);
    let socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    let at = other.path().canonicalize().unwrap().join("parked");
    let record = writer.plan_park(&path, &at, "1").await.unwrap();
    let mut before = everything(&world, &path, &record);
    let report = writer.park(&record).await.unwrap();
    drop(socket);
    assert!(report.copied);
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    before.0.remove(Path::new("socket"));
    assert_eq!(tree(&at), before.0);
    assert!(!path.exists());
    let back = writer.unpark(&record, Attach::Branch).await.unwrap();
    assert!(back.moved.copied);
    assert_eq!(everything(&world, &path, &record), before);
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 0);
    assert_eq!(world.run(&path, &["status", "--porcelain=v2", "--branch"]), status);
    chmod_back(&path);
}

#[tokio::test]
async fn purging_removes_only_what_is_ours() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    for (i, (delete, meanwhile, branch_stays)) in [
        (true, &[][..], false),
        (false, &[], true),
        (true, &["branch", "-f", "qd/a", "main"], true),
        (true, &["branch", "-q", "-D", "qd/a"], false),
    ]
    .into_iter()
    .enumerate()
    {
        let path = world.worktree(&mut writer, "qd/a").await;
        busy(&world, &path);
        let id = i.to_string();
        let parked_at = world.path("trash").join(&id);
        let record = writer.plan_park(&path, &parked_at, &id).await.unwrap();
        writer.park(&record).await.unwrap();
        if !meanwhile.is_empty() {
            world.run(&world.main(), meanwhile);
        }
        let report = writer.purge(&record, delete).await.unwrap();
        assert!(!parked_at.exists());
        assert_eq!(writer.branch_exists("qd/a").await.unwrap(), branch_stays, "{report:?}");
        assert_eq!(world.run(&world.main(), &["worktree", "list"]).lines().count(), 1);
        assert_eq!(world.run(&world.main(), &["for-each-ref", "refs/quarterdeck"]), "");
        // Cut short, it can be repeated.
        writer.purge(&record, delete && branch_stays).await.unwrap();
        if branch_stays {
            world.run(&world.main(), &["branch", "-q", "-D", "qd/a"]);
        }
    }
}

#[tokio::test]
async fn purging_refuses_a_strangers_folder() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let record = plan(&world, &writer, &path).await;
    writer.park(&record).await.unwrap();
    std::fs::rename(&record.parked_at, world.path("moved")).unwrap();
    write(record.parked_at.join("mine"), "x\n");
    let error = writer.purge(&record, true).await.unwrap_err();
    assert_eq!(shown(&world, &error), "/t/trash/1 is not a worktree of /t/P.");
    assert!(record.parked_at.join("mine").exists());
    // Not parked at all.
    let path = world.worktree(&mut writer, "qd/b").await;
    let record = writer.plan_park(&path, &world.path("trash/2"), "2").await.unwrap();
    assert_eq!(writer.purge(&record, true).await.unwrap_err().code(), "not_a_worktree");
    assert!(path.join("f.txt").exists());
}

#[tokio::test]
async fn a_worktree_without_its_git_file_can_still_go_and_come_back() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    std::fs::remove_file(path.join(".git")).unwrap();
    write(path.join("new"), "work\n");
    let record = plan(&world, &writer, &path).await;
    let before = tree(&path);
    writer.park(&record).await.unwrap();
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(tree(&path), before);
    writer.park(&record).await.unwrap();
    writer.purge(&record, true).await.unwrap();
    assert!(!record.parked_at.exists());
}
