use std::path::Path;

use qd_git::{CreateFailed, Git, GitConfig, Place, PlaceKind, RepoWriter};

use crate::discover::shown;
use crate::fixture::{World, never, write};
use crate::script::program;

async fn fails(world: &World, writer: &mut RepoWriter, place: Place) -> (String, CreateFailed) {
    let failed = writer.plan_worktree(place).unwrap().create(writer, never()).await.unwrap_err();
    (shown(world, &failed.error), failed)
}

/// All refs and all worktrees: what a failed creation must not change.
fn traces(world: &World) -> String {
    let refs = world.run(&world.main(), &["for-each-ref"]);
    let worktrees = world.run(&world.main(), &["worktree", "list", "--porcelain"]);
    let folders = world.path("W").exists();
    format!("{refs}\n{worktrees}\n{folders}")
}

async fn new_branch(mut world: World) {
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let place = world.place(&writer, "qd/a").await;
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    let record = made.record().clone();
    assert_eq!(made.notes(), [""; 0]);
    assert_eq!(record.kind, PlaceKind::NewBranch);
    assert!(record.made.branch && record.made.worktree);
    assert!(record.path.join("f.txt").exists());
    let state = made.checkout().head_state().await.unwrap();
    assert_eq!(state.branch.as_deref(), Some("qd/a"));
    assert!(!state.is_dirty());
    // No upstream, whatever the configuration wants.
    assert!(!world.try_run(&record.path, &["rev-parse", "@{u}"]).status.success());
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<qd_git::WorktreeRecord>(&json).unwrap(), record);

    let before_rollback = made.roll_back(&mut writer).await;
    assert_eq!(before_rollback.removed_branch.as_deref(), Some("qd/a"));
    assert_eq!(before_rollback.kept, [""; 0]);
    assert!(!record.path.exists() && !world.path("W").exists());
    assert_eq!(world.run(&world.main(), &["branch", "--list", "qd/*"]), "");
}

#[tokio::test]
async fn a_new_branch_in_a_new_worktree_and_back() {
    new_branch(World::new()).await;
}

#[tokio::test]
async fn a_new_branch_whatever_is_configured() {
    new_branch(World::hostile()).await;
}

#[tokio::test]
async fn each_refusal_says_why_and_leaves_no_trace() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    world.run(&world.main(), &["branch", "taken"]);
    world.run(&world.main(), &["branch", "flat"]);
    let before = traces(&world);

    let place = world.place(&writer, "taken").await;
    let (said, _) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "the branch taken exists already. Choose another name, or work on that branch."
    );
    let place = world.place(&writer, "flat/deep").await;
    let (said, _) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "the branch flat/deep cannot exist beside the branch flat. \
         Choose a name that is not below the other."
    );
    let path = world.path("W/x");
    let place = Place::ExistingBranch { branch: "main".into(), path: path.clone() };
    let (said, _) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "the branch main is checked out at /t/P. Work in /t/P, or choose another branch."
    );
    let place = Place::ExistingBranch { branch: "nope".into(), path };
    let (said, _) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "there is no branch nope. \
         It may have been deleted or renamed; work in the trash can come back without it."
    );
    assert_eq!(traces(&world), before);

    let here = world.path("here");
    write(here.join("keep"), "mine\n");
    let base = world.base(&writer).await;
    let place = Place::NewBranch { branch: "qd/b".into(), base: base.clone(), path: here.clone() };
    let (said, failed) = fails(&world, &mut writer, place).await;
    assert_eq!(said, "/t/here exists already. Choose another place, or move that folder away.");
    assert_eq!(failed.rollback.removed_branch.as_deref(), Some("qd/b"));
    assert_eq!(std::fs::read(here.join("keep")).unwrap(), b"mine\n");
    assert_eq!(traces(&world), before);

    for name in ["-x", "a..b", "HEAD", "a b", "x.lock", ""] {
        let place =
            Place::NewBranch { branch: name.into(), base: base.clone(), path: world.path("W/y") };
        let error = writer.plan_worktree(place).unwrap_err();
        assert_eq!(
            shown(&world, &error),
            format!(
                "{name:?} cannot be the name of a branch. Use letters, digits, '-', '_', '.' \
                 and '/', and do not begin with '-'."
            )
        );
    }
    let place = Place::ExistingWorktree { path: here };
    assert_eq!(
        shown(&world, &writer.plan_worktree(place).unwrap_err()),
        "/t/here is not a worktree of /t/P."
    );
}

#[tokio::test]
async fn a_worktree_that_is_written_down_but_gone() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.path("gone");
    world.run(&world.main(), &["worktree", "add", "-q", "-b", "theirs", path.to_str().unwrap()]);
    std::fs::remove_dir_all(&path).unwrap();
    let base = world.base(&writer).await;
    let place = Place::NewBranch { branch: "qd/a".into(), base, path: path.clone() };
    let (said, failed) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "git still has a worktree written down at /t/gone, but its folder is gone. \
         If the folder is gone for good, run: git worktree remove /t/gone"
    );
    assert_eq!(failed.rollback.removed_branch.as_deref(), Some("qd/a"));
    // What git knows about the person's worktree is still there.
    assert!(world.run(&world.main(), &["worktree", "list"]).contains("[theirs]"));
}

/// Real git, except that writing the files of a worktree gets far and then fails.
fn failing_git(world: &World, ending: &str) -> GitConfig {
    let path = world.path("failing-git");
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' read-tree '*) git \"$@\" || exit 1\n{ending}\n;; esac\n\
         exec git \"$@\"\n"
    );
    program(&path, &script);
    GitConfig { program: path, ..world.config() }
}

#[tokio::test]
async fn a_full_disk_is_told_and_everything_taken_back() {
    let mut world = World::new();
    world.clone_with_commit();
    let before = traces(&world);
    let ending = "echo 'fatal: write error: No space left on device' >&2; exit 128";
    let git = Git::new(failing_git(&world, ending));
    let repo = git.discover(&world.main()).await.unwrap();
    let mut writer = world.writers().claim(repo).unwrap();
    let place = world.place(&writer, "qd/a").await;
    let (said, failed) = fails(&world, &mut writer, place).await;
    assert_eq!(
        said,
        "the disk is full at /t/W/qd-a: fatal: write error: No space left on device. \
         Make room, and try again."
    );
    assert_eq!(failed.rollback.kept, [""; 0]);
    assert_eq!(traces(&world), before);
}

#[tokio::test]
async fn a_cancelled_creation_is_taken_back_before_it_returns() {
    let mut world = World::new();
    world.clone_with_commit();
    let before = traces(&world);
    let mark = world.path("begun");
    let ending = format!("touch {}; sleep 1000", mark.display());
    let git = Git::new(failing_git(&world, &ending));
    let repo = git.discover(&world.main()).await.unwrap();
    let mut writer = world.writers().claim(repo).unwrap();
    let place = world.place(&writer, "qd/a").await;
    let cancel = crate::process::wait_until(|| mark.exists());
    let plan = writer.plan_worktree(place).unwrap();
    let failed = plan.create(&mut writer, cancel).await.unwrap_err();
    assert_eq!(shown(&world, &failed.error), "git worktree add was cancelled.");
    assert_eq!(failed.rollback.kept, [""; 0]);
    assert_eq!(traces(&world), before);
}

#[tokio::test]
async fn work_done_since_is_not_rolled_back() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let place = world.place(&writer, "qd/a").await;
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    let path = made.record().path.clone();
    write(path.join("new"), "work\n");
    let report = made.roll_back(&mut writer).await;
    assert_eq!(report.kept.len(), 2, "{report:?}");
    assert_eq!(std::fs::read(path.join("new")).unwrap(), b"work\n");

    let place = world.place(&writer, "qd/b").await;
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    let path = made.record().path.clone();
    world.run(&path, &["commit", "-q", "--allow-empty", "-m", "work"]);
    let report = made.roll_back(&mut writer).await;
    assert!(report.kept[0].starts_with("The branch qd/b is kept: the branch qd/b moved from "));
    assert!(writer.branch_exists("qd/b").await.unwrap());
}

#[tokio::test]
async fn the_persons_own_places_are_used_and_never_removed() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let theirs = world.path("theirs");
    let args = ["worktree", "add", "-q", "-b", "mine", theirs.to_str().unwrap()];
    world.run(&world.main(), &args);
    let deep = world.main().join("deep");
    std::fs::create_dir(&deep).unwrap();
    for (place, path, branch) in [
        (Place::ExistingWorktree { path: theirs.clone() }, theirs.clone(), "mine"),
        (Place::InPlace { path: deep }, world.main(), "main"),
    ] {
        let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
        assert_eq!(made.record().path, path);
        assert_eq!(made.record().branch.as_deref(), Some(branch));
        let report = made.roll_back(&mut writer).await;
        assert_eq!(report, qd_git::RollbackReport::default());
        assert!(path.join("f.txt").exists());
    }
    world.run(&world.main(), &["branch", "old"]);
    let path = world.path("W/old");
    let place = Place::ExistingBranch { branch: "old".into(), path: path.clone() };
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    let report = made.roll_back(&mut writer).await;
    assert_eq!(report.removed_worktree.as_deref(), Some(path.as_path()));
    assert!(writer.branch_exists("old").await.unwrap());
}

fn hook(main: &Path, name: &str, script: &str) {
    let hook = main.join(".git/hooks").join(name);
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    program(&hook, &format!("#!/bin/sh\n{script}\n"));
}

#[tokio::test]
async fn the_post_checkout_hook_runs_once_and_its_failure_is_a_note() {
    let mut world = World::new();
    world.clone_with_commit();
    let log = world.path("log");
    let script = format!("echo \"$PWD $@\" >> {}; echo oh no >&2; exit 1", log.display());
    hook(&world.main(), "post-checkout", &script);
    let mut writer = world.writer().await;
    let place = world.place(&writer, "qd/a").await;
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    assert_eq!(
        made.notes(),
        ["The post-checkout hook did not end well: git hook run post-checkout failed: oh no."]
    );
    let record = made.into_record();
    let (zero, commit) = ("0".repeat(40), record.commit);
    let expected = format!("{} {zero} {commit} 1\n", record.path.display());
    assert_eq!(std::fs::read_to_string(log).unwrap(), expected);
}

#[tokio::test]
async fn reading_runs_no_hook() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let mark = world.path("ran");
    for name in ["post-index-change", "reference-transaction", "post-checkout"] {
        hook(&world.main(), name, &format!("touch {}", mark.display()));
    }
    write(path.join("f.txt"), "x\n");
    let checkout = writer.checkout(&path).unwrap();
    checkout.head_state().await.unwrap();
    checkout.diff("main", &qd_git::DiffLimits::default()).await.unwrap();
    writer.resolve_base(None, never()).await.unwrap();
    assert!(!mark.exists());
}

#[tokio::test]
async fn what_a_killed_creation_left_is_taken_back() {
    let mut world = World::new();
    world.clone_with_commit();
    let before = traces(&world);
    let mut writer = world.writer().await;
    let place = world.place(&writer, "qd/a").await;
    let create = async |writer: &mut RepoWriter| {
        let plan = writer.plan_worktree(place.clone()).unwrap();
        plan.create(writer, never()).await.unwrap().into_record()
    };
    // Killed while git was at work.
    let record = create(&mut writer).await;
    write(world.main().join(".git/worktrees/qd-a/locked"), "initializing");
    std::fs::remove_file(record.path.join("f.txt")).unwrap();
    let report = writer.roll_back_unfinished(&place).await.unwrap();
    assert_eq!(report.kept, [""; 0]);
    std::fs::remove_dir(world.path("W")).unwrap();
    assert_eq!(traces(&world), before);

    // Killed between the branch and the folder, and before anything.
    let record = create(&mut writer).await;
    world.run(&world.main(), &["worktree", "remove", record.path.to_str().unwrap()]);
    std::fs::create_dir_all(&record.path).unwrap();
    writer.roll_back_unfinished(&place).await.unwrap();
    assert!(!writer.branch_exists("qd/a").await.unwrap() && !record.path.exists());
    assert_eq!(writer.roll_back_unfinished(&place).await.unwrap().removed_branch, None);

    // Complete, and somebody has worked there.
    let record = create(&mut writer).await;
    write(record.path.join("new"), "work\n");
    let report = writer.roll_back_unfinished(&place).await.unwrap();
    assert_eq!(report.kept.len(), 2, "{report:?}");
    assert!(record.path.join("new").exists());

    // A branch of the person's with the same name is not ours.
    world.run(&world.main(), &["branch", "qd/b"]);
    let place = world.place(&writer, "qd/b").await;
    let report = writer.roll_back_unfinished(&place).await.unwrap();
    assert_eq!(report, qd_git::RollbackReport::default());
    assert!(writer.branch_exists("qd/b").await.unwrap());
}

/// All work can be given to a task of its owner.
#[tokio::test]
async fn every_call_can_move_between_threads() {
    fn sendable<T: Send>(future: T) -> T {
        future
    }
    let mut world = World::new();
    world.clone_with_commit();
    let git = world.git();
    let repo = sendable(git.discover(&world.main())).await.unwrap();
    let mut writer = world.writers().claim(repo).unwrap();
    let base = sendable(writer.resolve_base(None, never())).await.unwrap();
    let path = world.path("W/a");
    let place = Place::NewBranch { branch: "qd/a".into(), base, path: path.clone() };
    let plan = writer.plan_worktree(place).unwrap();
    sendable(plan.create(&mut writer, never())).await.unwrap();
    let checkout = writer.checkout(&path).unwrap();
    sendable(checkout.head_state()).await.unwrap();
    sendable(checkout.diff("main", &qd_git::DiffLimits::default())).await.unwrap();
    let file = qd_git::RepoPath::from_bytes("f.txt");
    let limits = qd_git::PatchLimits::default();
    sendable(checkout.file_patch("main", &file, None, &limits)).await.unwrap();
    let plan = sendable(writer.plan_park(&path, &world.path("trash/1"), "1")).await.unwrap();
    sendable(writer.park(&plan)).await.unwrap();
    sendable(writer.unpark(&plan, qd_git::Attach::Branch)).await.unwrap();
    sendable(writer.park(&plan)).await.unwrap();
    sendable(writer.purge(&plan, true)).await.unwrap();
}
