//! What is shown before, and what is kept beside, a move to the trash.

use std::path::Path;

use qd_git::{Attach, Uncommitted};

use crate::fixture::{World, chmod, write};
use crate::script::program;
use crate::trash::{busy, chmod_back, plan, tree};

const SNAPSHOT: &str = "refs/quarterdeck/snapshot/1";

fn show(world: &World, what: &str) -> String {
    world.run(&world.main(), &["show", what])
}

#[tokio::test]
async fn what_is_tracked_is_kept_twice_and_nothing_else() {
    for mut world in [World::new(), World::hostile()] {
        world.clone_with_commit();
        let main = world.main();
        for hook in ["pre-commit", "post-commit", "commit-msg", "reference-transaction"] {
            let path = main.join(".git/hooks").join(hook);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            program(&path, "#!/bin/sh\ntouch \"$HOME/hooked\"\nexit 1\n");
        }
        world.run(&main, &["config", "commit.gpgSign", "true"]);
        world.run(&main, &["config", "gpg.program", "false"]);
        world.run(&main, &["config", "core.hooksPath", "/dev/null"]);
        let mut writer = world.writer().await;
        let path = world.worktree(&mut writer, "qd/a").await;
        world.run(&main, &["config", "commit.gpgSign", "false"]);
        busy(&world, &path);
        world.run(&main, &["config", "commit.gpgSign", "true"]);
        world.run(&main, &["config", "--unset", "core.hooksPath"]);
        let admin = main.join(".git/worktrees/qd-a");
        let index = std::fs::read(admin.join("index")).unwrap();
        // Somebody's lock on the index does not matter: it is only read.
        write(admin.join("index.lock"), "");
        let record = plan(&world, &writer, &path).await;
        let report = writer.park(&record).await.unwrap();
        assert!(report.notes.is_empty(), "{report:?}");
        assert_eq!(std::fs::read(admin.join("index")).unwrap(), index);
        assert!(!world.path("home/hooked").exists());
        assert_eq!(show(&world, &format!("{SNAPSHOT}:f.txt")), "unstaged");
        assert_eq!(show(&world, &format!("{SNAPSHOT}:staged")), "staged, then changed");
        assert_eq!(show(&world, &format!("{SNAPSHOT}^2:staged")), "staged");
        assert_eq!(show(&world, &format!("{SNAPSHOT}^2:f.txt")), "a\nb\nc");
        let head = record.commit.as_ref().unwrap().as_str();
        let parents = world.run(&main, &["rev-list", "--parents", "-1", SNAPSHOT]);
        assert_eq!(parents.split(' ').nth(1), Some(head));
        let author = world.run(&main, &["log", "-1", "--format=%an %cn", SNAPSHOT]);
        assert_eq!(author, "Quarterdeck Quarterdeck");
        let names = world.run(&main, &["ls-tree", "-r", "--name-only", SNAPSHOT]);
        for never in [".env", "node_modules", "untracked", "nested", "run.sh"] {
            assert!(!names.contains(never), "{never}: {names}");
        }
        assert_eq!(world.run(&main, &["stash", "list"]), "");
        assert_eq!(world.run(&main, &["rev-parse", "qd/a"]), head);
        chmod(&record.parked_at.join("locked"), 0o700);

        writer.purge(&record, false).await.unwrap();
        assert_eq!(world.run(&main, &["for-each-ref", "refs/quarterdeck"]), "");
        assert_eq!(world.run(&main, &["rev-parse", "qd/a"]), head);
    }
}

#[tokio::test]
async fn a_conflict_is_kept_as_it_stands_in_the_files_and_a_clean_worktree_needs_no_belt() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let record = plan(&world, &writer, &path).await;
    writer.park(&record).await.unwrap();
    assert_eq!(world.run(&main, &["for-each-ref", SNAPSHOT]), "");
    writer.unpark(&record, Attach::Branch).await.unwrap();

    write(path.join("f.txt"), "ours\n");
    world.commit_all(&path, "ours");
    world.run(&main, &["switch", "-q", "-c", "theirs"]);
    write(main.join("f.txt"), "theirs\n");
    world.commit_all(&main, "theirs");
    assert!(!world.try_run(&path, &["merge", "theirs"]).status.success());
    let before = tree(&path);
    let record = plan(&world, &writer, &path).await;
    writer.park(&record).await.unwrap();
    assert!(show(&world, &format!("{SNAPSHOT}:f.txt")).contains("<<<<<<<"));
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(tree(&path), before);
    assert!(world.run(&path, &["status", "--porcelain"]).contains("UU f.txt"));
    assert_eq!(world.run(&main, &["for-each-ref", "refs/quarterdeck"]), "");
}

#[tokio::test]
async fn a_belt_that_cannot_be_made_does_not_hold_up_the_move() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    world.run(&main, &["config", "filter.broken.clean", "false"]);
    world.run(&main, &["config", "filter.broken.required", "true"]);
    write(path.join(".gitattributes"), "f.txt filter=broken\n");
    write(path.join("f.txt"), "changed\n");
    let before = tree(&path);
    let record = plan(&world, &writer, &path).await;
    let report = writer.park(&record).await.unwrap();
    assert_eq!(report.notes.len(), 1, "{report:?}");
    assert!(report.notes[0].contains("second copy"), "{report:?}");
    assert_eq!(tree(&record.parked_at), before);
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(tree(&path), before);
}

#[tokio::test]
async fn what_would_be_lost_is_counted_without_a_lock() {
    let mut world = World::hostile();
    world.clone_with_commit();
    let main = world.main();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let admin = main.join(".git/worktrees/qd-a");
    write(admin.join("index.lock"), "");
    let index = std::fs::read(admin.join("index")).unwrap();
    let checkout = writer.checkout(&path).unwrap();
    let found = checkout.count_uncommitted().await.unwrap();
    let wanted = world.run(&path, &["status", "--porcelain", "-uall"]);
    let untracked = wanted.lines().filter(|line| line.starts_with("??")).count() as u64;
    assert_eq!(
        found,
        // `staged`; `f.txt`, `staged` and `intended`; `.env` and `node_modules/`.
        Uncommitted { staged: 1, unstaged: 3, untracked, ignored: 2, at_least: false },
        "{wanted}"
    );
    assert!(untracked >= 5, "{wanted}");
    assert_eq!(std::fs::read(admin.join("index")).unwrap(), index);
    assert_eq!(std::fs::read(admin.join("index.lock")).unwrap(), b"");
    std::fs::remove_file(admin.join("index.lock")).unwrap();
    chmod_back(&path);

    let (count, newest) = checkout.unmerged(&["main", "no such"], 20).await.unwrap();
    assert_eq!((count, newest.len()), (1, 1));
    assert_eq!(newest[0].subject, "work");
    world.run(&path, &["push", "-q", "origin", "qd/a"]);
    assert_eq!(checkout.unmerged(&["main"], 20).await.unwrap().0, 0, "it was pushed");
    world.run(&main, &["update-ref", "-d", "refs/remotes/origin/qd/a"]);
    assert_eq!(checkout.unmerged(&["main"], 20).await.unwrap().0, 1);
    assert_eq!(checkout.unmerged(&["main", "qd/a"], 20).await.unwrap().0, 0, "it was merged");
    for n in 0..25 {
        let subject = format!("commit {n}");
        world.run(Path::new(&path), &["commit", "-q", "--allow-empty", "-m", &subject]);
    }
    let (count, newest) = checkout.unmerged(&["main"], 20).await.unwrap();
    assert_eq!((count, newest.len()), (26, 20));
    assert_eq!(newest[0].subject, "commit 24");
}
