use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use qd_git::{Base, BaseSource, GitError, Place, RepoWriter, WorktreeRecord};

use crate::fixture::{World, chmod, never, write};
use crate::trash::{busy, chmod_back, tree};

async fn fork(
    world: &World,
    writer: &mut RepoWriter,
    from: &Path,
    branch: &str,
) -> (WorktreeRecord, Vec<String>) {
    let source = writer.checkout(from).unwrap();
    let commit = source.commit("HEAD").await.unwrap().unwrap();
    let base = Base { name: "main".into(), commit, source: BaseSource::Local, note: String::new() };
    let path = world.path("W").join(branch);
    let place = Place::NewBranch { branch: branch.into(), base, path };
    let plan = writer.plan_worktree(place).unwrap().like(source);
    let made = plan.create(writer, never()).await.unwrap();
    let notes = made.notes().to_vec();
    (made.into_record(), notes)
}

/// Paths with kind, permission bits and content, without times and without what is git's own. Of
/// folders only that they are there.
fn contents(dir: &Path) -> Vec<(PathBuf, String)> {
    let found = tree(dir).into_iter().filter(|(name, _)| name != Path::new(".git"));
    // Folders of nothing but folders are nothing to git.
    let found = found.filter(|(name, _)| !name.starts_with("empty"));
    let short = |mode: u32, bytes: &[u8]| match (mode & 0o170_000, bytes.len()) {
        (0o040_000, _) => "folder".to_owned(),
        (_, 0..=100) => format!("{mode:o} {}", String::from_utf8_lossy(bytes)),
        (_, length) => {
            format!("{mode:o} {length} {:x}", bytes.iter().map(|b| u64::from(*b)).sum::<u64>())
        }
    };
    found.map(|(name, (mode, _, bytes))| (name, short(mode, &bytes))).collect()
}

fn status(world: &World, at: &Path) -> String {
    world.run(at, &["status", "--porcelain=v2"])
}

async fn same_work(mut world: World) {
    world.clone_with_commit();
    let main = world.main();
    for name in ["gone", "moved", "link-then-folder", "folder/then-file", "quiet", "x y/ü"] {
        write(main.join(name), name);
    }
    std::fs::remove_file(main.join("link-then-folder")).unwrap();
    symlink("f.txt", main.join("link-then-folder")).unwrap();
    world.commit_all(&main, "more");
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "source").await;
    busy(&world, &path);
    std::fs::remove_file(path.join("gone")).unwrap();
    world.run(&path, &["mv", "moved", "elsewhere"]);
    std::fs::remove_file(path.join("link-then-folder")).unwrap();
    write(path.join("link-then-folder/inner"), "x");
    std::fs::remove_dir_all(path.join("folder")).unwrap();
    write(path.join("folder"), "a file now");
    world.run(&path, &["update-index", "--assume-unchanged", "quiet"]);
    write(path.join("quiet"), "changed all the same");
    chmod(&path.join("x y/ü"), 0o755);
    symlink("../../..", path.join("out-of-the-tree")).unwrap();
    let (before, said, head) =
        (tree(&path), status(&world, &path), world.run(&path, &["rev-parse", "HEAD"]));
    let index = std::fs::read(main.join(".git/worktrees/source/index")).unwrap();

    let (made, notes) = fork(&world, &mut writer, &path, "copy").await;
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(made.commit.as_str(), head);
    let mut wanted = contents(&path);
    // Ignored, and not asked for.
    wanted.retain(|(name, ..)| name != Path::new(".env") && !name.starts_with("node_modules"));
    assert_eq!(contents(&made.path), wanted);
    assert_eq!(status(&world, &made.path), said);
    assert_eq!(world.run(&made.path, &["symbolic-ref", "--short", "HEAD"]), "copy");
    let flags = world.run(&made.path, &["ls-files", "-v", "quiet"]);
    assert_eq!(flags, "h quiet");
    let entries = |at: &Path| world.run(at, &["ls-files", "--stage", "-v"]);
    assert_eq!(entries(&made.path), entries(&path));

    // Nothing happened to the source, its index included, and the two are apart.
    assert_eq!(tree(&path), before);
    assert_eq!(std::fs::read(main.join(".git/worktrees/source/index")).unwrap(), index);
    write(made.path.join("f.txt"), "of the copy");
    assert_eq!(tree(&path), before);
    let inode = |at: &Path| at.join("untracked/a b").metadata().unwrap().ino();
    assert_ne!(inode(&path), inode(&made.path));
    chmod_back(&path);
    chmod_back(&made.path);
}

#[tokio::test]
async fn a_fork_has_all_work_that_is_not_committed_and_leaves_the_source_alone() {
    same_work(World::new()).await;
}

#[tokio::test]
async fn a_fork_is_the_same_whatever_is_configured() {
    same_work(World::hostile()).await;
}

#[tokio::test]
async fn conflicts_and_wanted_ignored_files_come_along() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    write(main.join(".worktreeinclude"), ".env\n");
    world.commit_all(&main, "include");
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "source").await;
    write(path.join("f.txt"), "ours\n");
    world.commit_all(&path, "ours");
    world.run(&main, &["switch", "-q", "-c", "theirs"]);
    write(main.join("f.txt"), "theirs\n");
    world.commit_all(&main, "theirs");
    assert!(!world.try_run(&path, &["merge", "theirs"]).status.success());
    write(path.join(".env"), "of the source");
    write(main.join(".env"), "of the main checkout");
    let (made, _) = fork(&world, &mut writer, &path, "copy").await;
    assert_eq!(status(&world, &made.path), status(&world, &path));
    assert!(status(&world, &path).contains("u UU"));
    assert_eq!(std::fs::read_to_string(made.path.join(".env")).unwrap(), "of the source");
    // The merge goes on there.
    world.run(&made.path, &["checkout", "--ours", "f.txt"]);
    world.run(&made.path, &["add", "f.txt"]);
    world.run(&made.path, &["commit", "-q", "--no-edit"]);
    assert_eq!(
        world.run(&made.path, &["rev-list", "--parents", "-1", "HEAD"]).split(' ').count(),
        3
    );
    assert!(status(&world, &path).contains("u UU"));
}

#[tokio::test]
async fn a_fork_that_fails_or_is_called_off_leaves_nothing() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "source").await;
    write(path.join("new"), "x");
    write(path.join("secret"), "x");
    chmod(&path.join("secret"), 0o000);
    let root = std::fs::read(path.join("secret")).is_ok();
    let before = world.run(&world.main(), &["for-each-ref"]);
    let source = writer.checkout(&path).unwrap();
    let commit = source.commit("HEAD").await.unwrap().unwrap();
    let base = Base { name: "main".into(), commit, source: BaseSource::Local, note: String::new() };
    let at = world.path("W/copy");
    let place = Place::NewBranch { branch: "copy".into(), base, path: at.clone() };
    if !root {
        let plan = writer.plan_worktree(place.clone()).unwrap().like(source.clone());
        let failed = plan.create(&mut writer, never()).await.unwrap_err();
        assert!(matches!(failed.error, GitError::Unexpected { .. }), "{failed:?}");
        assert!(!at.exists());
        assert_eq!(world.run(&world.main(), &["for-each-ref"]), before);
    }
    chmod(&path.join("secret"), 0o600);
    let plan = writer.plan_worktree(place.clone()).unwrap().like(source.clone());
    let failed = plan.create(&mut writer, async {}).await.unwrap_err();
    assert!(matches!(failed.error, GitError::Cancelled { .. }), "{failed:?}");
    assert!(!at.exists());
    assert_eq!(world.run(&world.main(), &["for-each-ref"]), before);

    // Made and not wanted after all: what is in it is a copy.
    let plan = writer.plan_worktree(place.clone()).unwrap().like(source.clone());
    let made = plan.create(&mut writer, never()).await.unwrap();
    let report = made.discard(&mut writer).await;
    assert!(report.kept.is_empty(), "{report:?}");
    assert!(!at.exists());
    assert_eq!(world.run(&world.main(), &["for-each-ref"]), before);

    // The daemon was killed in the middle of it.
    let plan = writer.plan_worktree(place.clone()).unwrap().like(source);
    drop(plan.create(&mut writer, never()).await.unwrap());
    write(world.main().join(".git/worktrees/copy/locked"), "initializing");
    writer.roll_back_unfinished(&place).await.unwrap();
    assert!(!at.exists());
    assert_eq!(world.run(&world.main(), &["for-each-ref"]), before);
    assert_eq!(std::fs::read_to_string(path.join("new")).unwrap(), "x");
}

#[tokio::test]
async fn pipes_are_left_out_and_a_sparse_checkout_stays_sparse() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    write(main.join("in/a"), "a");
    write(main.join("out/b"), "b");
    world.commit_all(&main, "folders");
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "source").await;
    world.run(&path, &["sparse-checkout", "set", "in"]);
    assert!(!path.join("out").exists());
    write(path.join("in/a"), "changed");
    #[expect(clippy::disallowed_methods, reason = "nothing else makes a pipe in a test")]
    let made = std::process::Command::new("mkfifo").arg(path.join("in/pipe")).status().unwrap();
    assert!(made.success());
    let (fork, _) = fork(&world, &mut writer, &path, "copy").await;
    assert!(!fork.path.join("out").exists(), "the fork is as sparse");
    assert_eq!(std::fs::read_to_string(fork.path.join("in/a")).unwrap(), "changed");
    assert!(path.join("in/pipe").symlink_metadata().unwrap().file_type().is_fifo());
    assert_eq!(status(&world, &fork.path), status(&world, &path));
}
