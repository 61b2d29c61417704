use std::path::Path;

use qd_git::{Checkout, Diff, DiffLimits, FileChange, FileStatus, PatchLimits, RepoPath};

use crate::fixture::{World, chmod, write};

pub(crate) async fn setup(world: &mut World) -> Checkout {
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    writer.checkout(&path).unwrap()
}

pub(crate) async fn diff(checkout: &Checkout) -> Diff {
    let limits = DiffLimits { count_ignored: true, ..DiffLimits::default() };
    checkout.diff("origin/main", &limits).await.unwrap()
}

fn find<'a>(diff: &'a Diff, path: &str) -> &'a FileChange {
    let path = RepoPath::from_bytes(path);
    diff.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}: {diff:#?}"))
}

async fn patch(checkout: &Checkout, path: &str) -> String {
    let path = RepoPath::from_bytes(path);
    let patch =
        checkout.file_patch("origin/main", &path, None, &PatchLimits::default()).await.unwrap();
    assert!(patch.change.is_some(), "{path} is not changed");
    patch.text
}

/// What a read must leave as it is: the index, the git directory, the objects.
fn index_state(checkout: &Checkout) -> impl PartialEq + std::fmt::Debug {
    let index = checkout.git_dir().join("index");
    let objects = count_files(&checkout.git_dir().join("../../objects"));
    let names = std::fs::read_dir(checkout.git_dir()).unwrap().map(|e| e.unwrap().file_name());
    let names: std::collections::BTreeSet<_> = names.collect();
    (std::fs::read(&index).unwrap(), index.metadata().unwrap().modified().unwrap(), objects, names)
}

fn count_files(dir: &Path) -> usize {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    entries.map(|e| if e.path().is_dir() { count_files(&e.path()) } else { 1 }).sum()
}

async fn every_kind_of_change(mut world: World) {
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    for (name, text) in [("gone", "1\n2\n"), ("src/old/f.ts", "a\nb\nc\nd\ne\n"), ("mode", "m\n")] {
        write(top.join(name), text);
    }
    write(top.join("Aufträge Q3/B1 — Plan.md"), "hi\n");
    write(top.join("mixed"), "1\n");
    std::os::unix::fs::symlink("f.txt", top.join("link")).unwrap();
    world.commit_all(top, "more");
    world.run(top, &["push", "-q", "origin", "HEAD:main"]);
    world.run(top, &["fetch", "-q"]);

    write(top.join("f.txt"), "a\nB\nc\n");
    world.run(top, &["commit", "-qam", "committed"]);
    write(top.join("Aufträge Q3/B1 — Plan.md"), "hi\nmore\n");
    world.run(top, &["add", "-A"]);
    std::fs::remove_file(top.join("gone")).unwrap();
    // Moved without telling git.
    std::fs::create_dir_all(top.join("lib/new")).unwrap();
    std::fs::rename(top.join("src/old/f.ts"), top.join("lib/new/f.ts")).unwrap();
    chmod(&top.join("mode"), 0o755);
    chmod(&top.join("mixed"), 0o755);
    write(top.join("mixed"), "1\n2\n");
    std::fs::remove_file(top.join("link")).unwrap();
    write(top.join("link"), "now a file\n");
    write(top.join("new.py"), "x\n".repeat(80));
    write(top.join("no-end"), "one\ntwo");
    write(top.join("new\n\"line\\"), "x\n");
    write(top.join("p.png"), b"\x89PNG\0\0\x01");
    write(top.join(".env"), "SECRET=1\n");
    write(top.join("node_modules/a/b.js"), "x\n");
    std::os::unix::fs::symlink("/etc/passwd", top.join("outside")).unwrap();

    let before = index_state(&checkout);
    let diff = diff(&checkout).await;
    let row = |path: &str| {
        let file = find(&diff, path);
        (file.status, file.additions, file.deletions, file.uncommitted)
    };
    use FileStatus::{Deleted, Modified, Renamed, TypeChanged, Untracked};
    assert_eq!(row("f.txt"), (Modified, Some(1), Some(1), false));
    assert_eq!(row("Aufträge Q3/B1 — Plan.md"), (Modified, Some(1), Some(0), true));
    assert_eq!(row("gone"), (Deleted, Some(0), Some(2), true));
    assert_eq!(row("lib/new/f.ts"), (Renamed, Some(0), Some(0), true));
    assert_eq!(find(&diff, "lib/new/f.ts").old_path, Some(RepoPath::from_bytes("src/old/f.ts")));
    assert_eq!(row("mode"), (Modified, Some(0), Some(0), true));
    let mode = find(&diff, "mode");
    assert_eq!(mode.old_mode.as_deref(), Some("100644"));
    assert_eq!(mode.new_mode.as_deref(), Some("100755"));
    assert_eq!(row("mixed"), (Modified, Some(1), Some(0), true));
    assert_eq!(row("link").0, TypeChanged);
    assert_eq!(row("new.py"), (Untracked, Some(80), Some(0), true));
    assert_eq!(row("no-end"), (Untracked, Some(2), Some(0), true));
    assert_eq!(row("new\n\"line\\"), (Untracked, Some(1), Some(0), true));
    assert_eq!(row("outside"), (Untracked, Some(1), Some(0), true));
    assert_eq!(row("p.png"), (Untracked, None, None, true));
    assert!(find(&diff, "p.png").binary);
    assert_eq!(find(&diff, "p.png").size, Some(7));
    assert_eq!(diff.files.len(), 12, "{diff:#?}");
    assert_eq!(diff.totals.files, 12);
    assert_eq!(diff.totals.uncounted, 1);
    assert_eq!(diff.ignored, Some(2));
    let stat = checkout.diff_stat("origin/main", &DiffLimits::default()).await.unwrap();
    assert_eq!(stat.totals, diff.totals);

    let text = patch(&checkout, "f.txt").await;
    assert!(text.contains("--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "{text}");
    let text = patch(&checkout, "Aufträge Q3/B1 — Plan.md").await;
    assert!(
        text.contains("+++ b/Aufträge Q3/B1 — Plan.md") && text.contains("\n+more\n"),
        "{text}"
    );
    let text = patch(&checkout, "new.py").await;
    assert_eq!(text.matches("\n+x").count(), 80, "{text}");
    assert!(text.contains("new file mode 100644"));
    let text = patch(&checkout, "no-end").await;
    assert!(text.ends_with("+one\n+two\n\\ No newline at end of file\n"), "{text}");
    let text = patch(&checkout, "mode").await;
    assert!(text.contains("old mode 100644\nnew mode 100755"), "{text}");
    assert!(patch(&checkout, "new\n\"line\\").await.contains("\n+x\n"));
    let text = patch(&checkout, "outside").await;
    assert!(text.contains("new file mode 120000") && text.contains("+/etc/passwd"), "{text}");
    let text = patch(&checkout, "link").await;
    assert!(text.contains("-f.txt") && text.contains("+now a file"), "{text}");
    let (new, old) = (RepoPath::from_bytes("lib/new/f.ts"), RepoPath::from_bytes("src/old/f.ts"));
    let renamed = checkout
        .file_patch("origin/main", &new, Some(&old), &PatchLimits::default())
        .await
        .unwrap();
    assert!(renamed.text.contains("rename from src/old/f.ts\nrename to lib/new/f.ts"));
    assert_eq!(renamed.change.unwrap().status, Renamed);
    assert_eq!(index_state(&checkout), before);
}

#[tokio::test]
async fn every_kind_of_change_is_listed() {
    every_kind_of_change(World::new()).await;
}

#[tokio::test]
async fn every_kind_of_change_is_listed_whatever_is_configured() {
    every_kind_of_change(World::hostile()).await;
}

#[tokio::test]
async fn committed_work_is_shown_when_the_tree_is_clean() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    write(checkout.top().join("f.txt"), "changed\n");
    write(checkout.top().join("n.txt"), "x\n");
    world.commit_all(checkout.top(), "work");
    let diff = diff(&checkout).await;
    assert_eq!(diff.files.len(), 2);
    assert!(diff.files.iter().all(|file| !file.uncommitted));
    assert_eq!(checkout.commits_since("origin/main", 10).await.unwrap()[0].subject, "work");
    assert_eq!(checkout.unshipped("origin/main").await.unwrap(), 1);
}

#[tokio::test]
async fn what_others_merged_meanwhile_is_not_shown() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    write(world.main().join("theirs"), "x\n");
    world.commit_all(&world.main(), "theirs");
    world.run(&world.main(), &["push", "-q"]);
    write(checkout.top().join("mine"), "x\n");
    let diff = diff(&checkout).await;
    assert_eq!(diff.files.len(), 1);
    assert_ne!(diff.base.commit, diff.base.merge_base);
}

#[tokio::test]
async fn an_edit_in_the_same_instant_as_the_index_is_seen() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    // What a coarse clock does, made to happen each time: the same size and time, and an index
    // of the same time.
    world.run(&world.main(), &["config", "core.trustCtime", "false"]);
    let file = checkout.top().join("f.txt");
    let open = |path: &Path| std::fs::File::options().append(true).open(path).unwrap();
    let time = file.metadata().unwrap().modified().unwrap() - std::time::Duration::from_secs(1_000);
    let times = std::fs::FileTimes::new().set_modified(time);
    open(&file).set_times(times).unwrap();
    world.run(checkout.top(), &["add", "-A"]);
    write(&file, "a\nb\nz\n");
    open(&file).set_times(times).unwrap();
    open(&checkout.git_dir().join("index")).set_times(times).unwrap();
    let diff = diff(&checkout).await;
    let counts = (find(&diff, "f.txt").additions, find(&diff, "f.txt").deletions);
    assert_eq!(counts, (Some(1), Some(1)));
}

#[tokio::test]
async fn marks_of_the_agent_hide_nothing() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    world.run(checkout.top(), &["update-index", "--assume-unchanged", "f.txt"]);
    write(checkout.top().join("f.txt"), "hidden\n");
    world.run(checkout.top(), &["rm", "-q", "--cached", ".gitignore"]);
    let diff = diff(&checkout).await;
    assert_eq!(find(&diff, "f.txt").status, FileStatus::Modified);
    // Still there and unchanged, only no longer tracked: git will show it as deleted when
    // committed, but the working tree is as it was.
    assert_eq!(diff.files.len(), 1, "{diff:#?}");
}

#[tokio::test]
async fn a_replaced_git_file_leads_nowhere() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let evil = world.path("evil");
    world.run(&world.path(""), &["init", "-q", "evil"]);
    let mark = world.path("ran");
    let script = format!("touch {}", mark.display());
    world.run(&evil, &["config", "core.fsmonitor", &script]);
    world.run(&evil, &["config", "diff.external", &script]);
    write(checkout.top().join(".git"), format!("gitdir: {}/.git\n", evil.display()));
    write(checkout.top().join("f.txt"), "x\n");
    let diff = diff(&checkout).await;
    assert_eq!(diff.files.len(), 1);
    let state = checkout.head_state().await.unwrap();
    assert_eq!((state.branch.as_deref(), state.unstaged), (Some("qd/a"), 1));
    assert!(!mark.exists());
}

#[tokio::test]
async fn conflicts_are_told_and_shown() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    write(top.join("f.txt"), "a\nmine\nc\n");
    world.commit_all(top, "mine");
    write(world.main().join("f.txt"), "a\ntheirs\nc\n");
    world.commit_all(&world.main(), "theirs");
    assert!(!world.try_run(top, &["merge", "main"]).status.success());
    let diff = diff(&checkout).await;
    assert_eq!(find(&diff, "f.txt").status, FileStatus::Conflicted);
    assert!(patch(&checkout, "f.txt").await.contains("+<<<<<<< HEAD"));
    let state = checkout.head_state().await.unwrap();
    assert_eq!((state.conflicted, state.operation), (1, Some(qd_git::Operation::Merge)));
}

#[tokio::test]
async fn huge_binary_and_one_line_files_are_cut() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    write(top.join("min.js"), "a".repeat(3 << 20));
    write(top.join("tracked-big"), "line\n".repeat(1 << 20));
    world.commit_all(top, "old");
    world.run(top, &["push", "-q", "origin", "HEAD:main"]);
    world.run(top, &["fetch", "-q"]);
    write(top.join("min.js"), "b".repeat(3 << 20));
    write(top.join("tracked-big"), "Line\n".repeat(1 << 20));
    let sparse = std::fs::File::create(top.join("huge")).unwrap();
    sparse.set_len(700 << 20).unwrap();
    write(top.join("log"), "word\n".repeat(2 << 20));
    for i in 0..5_000 {
        write(top.join(format!("gen/{}/{i}.ts", i % 50)), format!("export const x = {i};\n"));
    }
    let diff = diff(&checkout).await;
    assert_eq!(diff.files.len(), 5_004);
    let huge = find(&diff, "huge");
    assert_eq!((huge.large, huge.size, huge.additions), (true, Some(700 << 20), None));
    let big = find(&diff, "tracked-big");
    assert_eq!((big.large, big.binary, big.additions), (true, false, None));
    assert_eq!(find(&diff, "min.js").additions, Some(1));
    assert_eq!(find(&diff, "gen/7/7.ts").additions, Some(1));

    let limits = PatchLimits::default();
    let get = |path: &'static str, open_large| {
        let checkout = checkout.clone();
        async move {
            let limits = PatchLimits { open_large, ..limits };
            let path = RepoPath::from_bytes(path);
            checkout.file_patch("origin/main", &path, None, &limits).await.unwrap()
        }
    };
    let minified = get("min.js", false).await;
    assert_eq!(minified.cut.long_lines, 2);
    assert!(minified.text.len() < 20_000);
    let unopened = get("tracked-big", false).await;
    assert!(unopened.cut.unopened && unopened.text.is_empty());
    assert_eq!(unopened.old_size, Some(5 << 20));
    let opened = get("tracked-big", true).await;
    assert!(opened.cut.bytes || opened.cut.lines);
    assert!(opened.text.contains("\n-line\n") && opened.text.len() <= limits.bytes);
    let log = get("log", true).await;
    assert!(!log.cut.unopened && log.cut.lines && log.text.contains("+word\n"), "{:?}", log.cut);
    let huge = get("huge", true).await;
    assert!(huge.cut.unopened && huge.text.is_empty());
}

#[tokio::test]
async fn submodules_and_nested_repositories_are_named() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    let origin = world.path("origin.git");
    world.run(top, &["submodule", "--quiet", "add", origin.to_str().unwrap(), "sub"]);
    world.run(top, &["init", "-q", "nested"]);
    write(top.join("nested/x"), "x\n");
    world.commit_all(&top.join("nested"), "in it");
    let diff = diff(&checkout).await;
    let sub = find(&diff, "sub");
    assert!(sub.submodule && sub.status == FileStatus::Added);
    assert!(patch(&checkout, "sub").await.contains("+Subproject commit "));
    let nested = find(&diff, "nested");
    assert!(nested.submodule && nested.status == FileStatus::Untracked);
}

#[tokio::test]
async fn file_modes_are_not_claimed_where_git_ignores_them() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    world.run(&world.main(), &["config", "core.fileMode", "false"]);
    chmod(&checkout.top().join("f.txt"), 0o755);
    assert_eq!(diff(&checkout).await.files, []);
}

#[tokio::test]
async fn sparse_files_are_not_deleted_files() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    write(top.join("in/a"), "x\n");
    write(top.join("out/b"), "x\n");
    world.commit_all(top, "two folders");
    world.run(top, &["push", "-q", "origin", "HEAD:main"]);
    world.run(top, &["fetch", "-q"]);
    world.run(top, &["sparse-checkout", "set", "in"]);
    assert!(!top.join("out/b").exists());
    assert_eq!(diff(&checkout).await.files, []);
}

#[tokio::test]
async fn a_file_in_the_place_of_a_folder_and_back() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top();
    std::fs::remove_file(top.join("f.txt")).unwrap();
    write(top.join("f.txt/inner"), "completely different\n");
    let diff = diff(&checkout).await;
    assert_eq!(find(&diff, "f.txt").status, FileStatus::Deleted);
    assert_eq!(find(&diff, "f.txt/inner").status, FileStatus::Untracked);
    let text = patch(&checkout, "f.txt").await;
    assert!(text.contains("deleted file") && !text.contains("inner"), "{text}");
}
