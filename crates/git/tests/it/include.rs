use std::os::unix::fs::{PermissionsExt, symlink};

use qd_git::{IncludeReport, SkipReason, Worktree};

use crate::fixture::{World, chmod, never, write};

async fn make(world: &mut World) -> Worktree<qd_git::Created> {
    let mut writer = world.writer().await;
    let place = world.place(&writer, "qd/a").await;
    writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap()
}

fn lists(report: &IncludeReport) -> (Vec<String>, Vec<(String, SkipReason)>) {
    let copied = report.copied.iter().map(ToString::to_string).collect();
    let skipped = report.skipped.iter().map(|skip| (skip.path.to_string(), skip.reason)).collect();
    (copied, skipped)
}

async fn scenario(mut world: World) {
    world.clone_with_commit();
    let main = world.main();
    write(main.join(".gitignore"), ".env*\n*.pem\nnode_modules/\nlinks/\npipe\n");
    write(
        main.join(".worktreeinclude"),
        ".env*\n!.env.example\nconfig/*.pem\nplain\nf.txt\nlinks/\npipe\n",
    );
    write(main.join(".env.example"), "x\n");
    world.run(&main, &["add", "-f", ".env.example"]);
    world.commit_all(&main, "rules");
    write(main.join(".env"), "SECRET=1\n");
    chmod(&main.join(".env"), 0o600);
    write(main.join("config/a.pem"), "key\n");
    write(main.join("other.pem"), "not asked for\n");
    write(main.join("plain"), "untracked, not ignored\n");
    write(main.join("node_modules/x/y.js"), "x\n");
    std::fs::create_dir(main.join("links")).unwrap();
    symlink("/etc/passwd", main.join("links/out")).unwrap();
    write(world.path("outside/secret"), "s\n");
    symlink(world.path("outside"), main.join(".env.d")).unwrap();
    // An uncommitted wish is not heard.
    write(main.join(".worktreeinclude"), "*\n");

    let made = make(&mut world).await;
    let (copied, skipped) = lists(made.include());
    assert_eq!(copied, [".env", "config/a.pem"]);
    assert_eq!(
        skipped,
        [
            (".env.d".to_owned(), SkipReason::SymbolicLink),
            ("links/out".to_owned(), SkipReason::SymbolicLink),
            ("plain".to_owned(), SkipReason::NotIgnored),
        ]
    );
    let path = &made.record().path;
    assert_eq!(std::fs::read_to_string(path.join(".env")).unwrap(), "SECRET=1\n");
    let mode = path.join(".env").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!path.join("links").exists());
    assert!(!made.checkout().head_state().await.unwrap().is_dirty());
}

#[tokio::test]
async fn ignored_files_that_are_asked_for_come_along() {
    scenario(World::new()).await;
}

#[tokio::test]
async fn ignored_files_come_along_whatever_is_configured() {
    scenario(World::hostile()).await;
}

#[tokio::test]
async fn nothing_comes_where_it_would_be_committed_or_overwrite() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    write(main.join(".worktreeinclude"), "local\ntracked-there\n");
    write(main.join("tracked-there"), "theirs\n");
    world.commit_all(&main, "base of the session");
    world.run(&main, &["branch", "start"]);
    // Later, on main: one is ignored only here, the other is tracked only there.
    world.run(&main, &["rm", "-q", "tracked-there"]);
    write(main.join(".gitignore"), "local\ntracked-there\n");
    world.commit_all(&main, "later");
    write(main.join("local"), "x\n");
    write(main.join("tracked-there"), "mine\n");

    let mut writer = world.writer().await;
    let mut base = world.base(&writer).await;
    base.commit = writer.commit("start").await.unwrap().unwrap();
    let path = world.path("W/a");
    let place = qd_git::Place::NewBranch { branch: "qd/a".into(), base, path: path.clone() };
    let made = writer.plan_worktree(place).unwrap().create(&mut writer, never()).await.unwrap();
    let (copied, skipped) = lists(made.include());
    assert_eq!(copied, [""; 0]);
    assert_eq!(
        skipped,
        [
            ("local".to_owned(), SkipReason::NotIgnoredThere),
            ("tracked-there".to_owned(), SkipReason::AlreadyThere),
        ]
    );
    assert_eq!(std::fs::read(path.join("tracked-there")).unwrap(), b"theirs\n");
}

#[tokio::test]
async fn too_many_and_too_large_are_told() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    write(main.join(".worktreeinclude"), "node_modules/\n.env\n");
    world.commit_all(&main, "rules");
    for i in 0..2_010 {
        write(main.join(format!("node_modules/{}/{i}", i % 20)), "x\n");
    }
    std::fs::File::create(main.join(".env")).unwrap().set_len(300 << 20).unwrap();
    let made = make(&mut world).await;
    let report = made.include();
    assert_eq!(report.copied.len(), 1_999);
    assert_eq!(report.skipped.len(), 12);
    assert!(report.skipped.iter().all(|skip| skip.reason == SkipReason::OverLimit));
}

#[tokio::test]
async fn a_rules_file_that_is_a_link_or_too_large_is_not_used() {
    let mut world = World::new();
    world.clone_with_commit();
    let main = world.main();
    write(main.join(".env"), "x\n");
    symlink(".gitignore", main.join(".worktreeinclude")).unwrap();
    world.commit_all(&main, "a link");
    assert_eq!(make(&mut world).await.include(), &IncludeReport::default());

    let mut world = World::new();
    world.clone_with_commit();
    write(world.main().join(".worktreeinclude"), ".env\n".repeat(20_000));
    world.commit_all(&world.main(), "too large");
    let made = make(&mut world).await;
    assert!(made.include().note.as_deref().unwrap().contains("larger than 65536 bytes"));
}
