use std::path::Path;

use qd_git::{Delivery, GitError, Outcome, Rebuild, RepoWriter};

use crate::delivery::{Session, ahead, deliver, oid, push_elsewhere};
use crate::fixture::{World, write};
use crate::trash::{Tree, tree};

const ID: &str = "0123abc";

pub async fn rebuild(
    writer: &mut RepoWriter,
    session: &Session,
    delivery: &Delivery,
) -> Result<Rebuild, GitError> {
    let checkout = writer.checkout(&session.path).unwrap();
    writer.rebuild(&checkout, delivery, ID, Some(&session.start)).await
}

pub async fn undo(writer: &mut RepoWriter, session: &Session) -> Result<(), GitError> {
    let checkout = writer.checkout(&session.path).unwrap();
    writer.undo_rebuild(&checkout, ID).await.map(|_| ())
}

/// Everything that a person can see of a worktree: files with their bytes, and what is staged.
pub fn seen(world: &World, at: &Path) -> (Tree, String, String) {
    let mut files = tree(at);
    for (_, time, _) in files.values_mut() {
        *time = (0, 0);
    }
    let staged = world.run(at, &["ls-files", "--stage"]);
    (files, staged, world.run(at, &["status", "--porcelain=v2", "--branch"]))
}

fn subjects(world: &World, at: &Path) -> Vec<String> {
    let log = world.run(at, &["log", "--format=%s", "origin/main..HEAD"]);
    log.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn foreign_commits_stay_out_and_an_undo_brings_all_back() {
    for mut world in [World::new(), World::hostile()] {
        world.clone_with_commit();
        ahead(&world, 6);
        let session = Session::begin(&world, "a1", "main");
        session.commit(&world, "n.txt", "x\n", "add n");
        session.commit(&world, "f.txt", "a\nb\nc\nmine\n", "more f\n\nWith words.\n");
        push_elsewhere(&world, "f.txt", "theirs\na\nb\nc\n", &[]);
        write(session.path.join("open"), "untracked\n");
        write(session.path.join("n.txt"), "staged\n");
        world.run(&session.path, &["add", "n.txt"]);
        write(session.path.join("n.txt"), "not staged\n");
        let mut writer = world.writer().await;
        let (before, old) = (seen(&world, &session.path), oid(&world, &session.path, "HEAD"));
        let objects = tree(&world.main().join(".git/objects"));
        let delivery = deliver(&mut writer, &session, &[]).await;
        let fetched = tree(&world.main().join(".git/objects"));
        assert_ne!(objects, fetched);

        let checkout = writer.checkout(&session.path).unwrap();
        let preview = writer.preview_rebuild(&checkout, &delivery).await.unwrap();
        assert_eq!(tree(&world.main().join(".git/objects")), fetched, "a preview writes nothing");
        assert_eq!(seen(&world, &session.path), before);
        assert!(preview.new.is_some() && preview.conflict().is_none());
        assert_eq!(preview.in_the_way, []);
        assert_eq!(preview.left_out.len(), 6);
        let outcomes: Vec<_> = preview
            .own
            .iter()
            .map(|one| (one.commit.subject.as_str(), matches!(one.outcome, Outcome::Anew(_))))
            .collect();
        assert_eq!(outcomes, [("add n", true), ("more f", true)]);

        let made = rebuild(&mut writer, &session, &delivery).await.unwrap();
        assert_eq!(subjects(&world, &session.path), ["more f", "add n"]);
        let head = oid(&world, &session.path, "HEAD");
        assert_eq!(made.new.as_ref(), Some(&head));
        assert_eq!(world.run(&session.path, &["branch", "--show-current"]), "agent/a1");
        let shown = |name: &str| world.run(&session.path, &["show", name]);
        assert_eq!(shown("HEAD:f.txt"), "theirs\na\nb\nc\nmine");
        assert_eq!(shown(":n.txt"), "staged");
        assert_eq!(
            std::fs::read_to_string(session.path.join("f.txt")).unwrap(),
            "theirs\na\nb\nc\nmine\n"
        );
        assert_eq!(std::fs::read_to_string(session.path.join("n.txt")).unwrap(), "not staged\n");
        assert!(session.path.join("open").exists() && !session.path.join("private-1").exists());
        assert_eq!(
            world.run(&session.path, &["log", "-1", "--format=%an %ae%n%B"]),
            "Ann ann@example.org\nmore f\n\nWith words."
        );
        let author = |name: &str| world.run(&session.path, &["log", "-1", "--format=%ad", name]);
        assert_eq!(author("HEAD"), author(old.as_str()));
        // What stays is still this session's, wherever it is taken to begin.
        let again = deliver(&mut writer, &session, &[]).await;
        assert_eq!((again.foreign().count(), again.commits.len(), again.behind), (0, 2, 0));
        // The person's own branch was not touched.
        assert_eq!(world.run(&world.main(), &["rev-list", "--count", "origin/main..main"]), "6");

        undo(&mut writer, &session).await.unwrap();
        assert_eq!(seen(&world, &session.path), before);
        assert_eq!(oid(&world, &session.path, "HEAD"), old);
        let error = undo(&mut writer, &session).await.unwrap_err();
        assert!(matches!(error, GitError::NothingToUndo), "{error}");
        assert_eq!(world.run(&world.main(), &["for-each-ref", "refs/quarterdeck/rebuild"]), "");
    }
}

#[tokio::test]
async fn a_conflict_is_predicted_and_changes_nothing() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "x\n", "fits");
    session.commit(&world, "f.txt", "mine\n", "does not");
    session.commit(&world, "o", "x\n", "after");
    push_elsewhere(&world, "f.txt", "theirs\n", &[]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    let before = seen(&world, &session.path);
    let checkout = writer.checkout(&session.path).unwrap();
    let preview = writer.preview_rebuild(&checkout, &delivery).await.unwrap();
    assert_eq!(preview.new, None);
    let (commit, paths) = preview.conflict().unwrap();
    assert_eq!(commit.subject, "does not");
    assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), ["f.txt"]);
    assert_eq!(preview.own.last().unwrap().outcome, Outcome::NotTried);
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the commit {} conflicts with what it is put onto, in f.txt",
            preview.own[1].commit.oid.short()
        )
    );
    assert_eq!(seen(&world, &session.path), before);
    assert_eq!(world.run(&world.main(), &["for-each-ref", "refs/quarterdeck"]), "");
}

#[tokio::test]
async fn work_that_is_not_committed_is_never_written_over() {
    let mut world = World::new();
    world.clone_with_commit();
    write(world.main().join("dir/a"), "a\n");
    world.commit_all(&world.main(), "more");
    world.run(&world.main(), &["push", "-q"]);
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "x\n", "own");
    push_elsewhere(&world, "f.txt", "theirs\n", &[]);
    push_elsewhere(&world, "new/file", "theirs\n", &[]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    let checkout = writer.checkout(&session.path).unwrap();
    // Changed, untracked at a new file's place, a file at a new folder's place, and ignored ones.
    let cases: [(&str, &str); 3] = [("f.txt", "f.txt"), ("new/file", "new/file"), ("new", "new")];
    for (file, named) in cases {
        write(session.path.join(file), "precious\n");
        let before = seen(&world, &session.path);
        let preview = writer.preview_rebuild(&checkout, &delivery).await.unwrap();
        let found: Vec<_> = preview.in_the_way.iter().map(ToString::to_string).collect();
        assert_eq!(found, [named]);
        let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("changes that are not committed are in the way: {named}")
        );
        assert_eq!(seen(&world, &session.path), before);
        if file == "f.txt" {
            world.run(&session.path, &["checkout", "-q", "--", "f.txt"]);
        } else if file == "new" {
            std::fs::remove_file(session.path.join("new")).unwrap();
        } else {
            std::fs::remove_dir_all(session.path.join("new")).unwrap();
        }
    }
    write(world.main().join(".git/info/exclude"), "file\n");
    write(session.path.join("new/file"), "ignored and precious\n");
    let before = seen(&world, &session.path);
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(error.code(), "work_in_the_way", "{error}");
    assert_eq!(seen(&world, &session.path), before);
    let kept = || world.run(&world.main(), &["for-each-ref", "refs/quarterdeck/rebuild"]);
    assert_eq!(kept(), "");
    // The way back is as careful: what was there before may be something else by now.
    std::fs::remove_dir_all(session.path.join("new")).unwrap();
    rebuild(&mut writer, &session, &delivery).await.unwrap();
    write(session.path.join("f.txt"), "precious\n");
    let before = seen(&world, &session.path);
    assert_eq!(undo(&mut writer, &session).await.unwrap_err().code(), "work_in_the_way");
    assert_eq!(seen(&world, &session.path), before);
    assert_ne!(kept(), "");
}

#[tokio::test]
async fn merges_empty_commits_and_what_the_base_has_are_told() {
    let mut world = World::new();
    world.clone_with_commit();
    ahead(&world, 1);
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "same", "x\n", "in both");
    session.commit(&world, "n", "x\n", "own");
    world.run(&session.path, &["commit", "-q", "--allow-empty", "-m", "empty"]);
    push_elsewhere(&world, "same", "x\n", &[]);
    world.run(&session.path, &["fetch", "-q"]);
    world.run(&session.path, &["merge", "-q", "--no-edit", "origin/main"]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    let made = rebuild(&mut writer, &session, &delivery).await.unwrap();
    let outcomes: Vec<_> = made
        .own
        .iter()
        .map(|one| {
            let word = match one.outcome {
                Outcome::Anew(_) => "anew",
                Outcome::InBase => "in base",
                Outcome::PlainMerge => "merge",
                _ => "other",
            };
            (one.commit.subject.as_str(), word)
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            ("in both", "in base"),
            ("own", "anew"),
            ("empty", "anew"),
            ("Merge remote-tracking branch 'origin/main' into agent/a1", "merge"),
        ]
    );
    assert_eq!(subjects(&world, &session.path), ["empty", "own"]);
    // Nothing more to do.
    let delivery = deliver(&mut writer, &session, &[]).await;
    let again = rebuild(&mut writer, &session, &delivery).await.unwrap();
    assert!(again.is_needless());
    assert!(again.own.iter().all(|one| one.outcome == Outcome::Same));
}

#[tokio::test]
async fn a_conflict_that_was_solved_in_a_merge_with_the_base_stays_solved() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "x\n", "own");
    ahead(&world, 1);
    push_elsewhere(&world, "f.txt", "theirs\n", &[]);
    world.run(&session.path, &["fetch", "-q"]);
    // An agent that adds to a merge what is in neither side.
    world.run(&session.path, &["merge", "-q", "--no-commit", "origin/main"]);
    write(session.path.join("f.txt"), "theirs and mine\n");
    world.commit_all(&session.path, "merge with more");
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    rebuild(&mut writer, &session, &delivery).await.unwrap();
    assert_eq!(subjects(&world, &session.path), ["merge with more", "own"]);
    assert_eq!(world.run(&session.path, &["show", "HEAD:f.txt"]), "theirs and mine");
    // With commits of others brought in, its own changes cannot be told from theirs.
    world.run(&session.path, &["merge", "-q", "--no-commit", "main"]);
    write(session.path.join("private-1"), "and mine\n");
    world.commit_all(&session.path, "merge of private ones");
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!(delivery.foreign().count(), 1);
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(error.code(), "conflicts", "{error}");
}

#[tokio::test]
async fn what_happened_meanwhile_is_not_written_over() {
    let mut world = World::new();
    world.clone_with_commit();
    ahead(&world, 1);
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "x\n", "own");
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    session.commit(&world, "later", "x\n", "later");
    let before = seen(&world, &session.path);
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(error.code(), "branch_moved", "{error}");
    assert_eq!(seen(&world, &session.path), before);

    // Another git holds the index.
    let delivery = deliver(&mut writer, &session, &[]).await;
    let lock = world.main().join(".git/worktrees/a1/index.lock");
    write(&lock, "");
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(error.code(), "git_locked", "{error}");
    std::fs::remove_file(lock).unwrap();
    assert_eq!(seen(&world, &session.path), before);

    // Another git holds the branch: the files were switched already, and go back.
    let lock = world.main().join(".git/refs/heads/agent/a1.lock");
    write(&lock, "");
    let error = rebuild(&mut writer, &session, &delivery).await.unwrap_err();
    assert_eq!(error.code(), "git_locked", "{error}");
    std::fs::remove_file(lock).unwrap();
    assert_eq!(seen(&world, &session.path), before);

    // Newer commits would be lost by an undo.
    rebuild(&mut writer, &session, &delivery).await.unwrap();
    session.commit(&world, "newer", "x\n", "newer");
    let before = seen(&world, &session.path);
    let error = undo(&mut writer, &session).await.unwrap_err();
    assert_eq!(error.code(), "branch_moved", "{error}");
    assert_eq!(seen(&world, &session.path), before);
}

#[tokio::test]
async fn one_that_was_cut_short_is_taken_back_first() {
    let mut world = World::new();
    world.clone_with_commit();
    ahead(&world, 2);
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "x\n", "own");
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    let before = seen(&world, &session.path);
    rebuild(&mut writer, &session, &delivery).await.unwrap();
    // As if the daemon had been killed before the branch moved.
    let old = delivery.tip.as_str();
    world.run(&session.path, &["update-ref", "refs/heads/agent/a1", old]);
    assert_ne!(seen(&world, &session.path), before);
    undo(&mut writer, &session).await.unwrap();
    assert_eq!(seen(&world, &session.path), before);

    rebuild(&mut writer, &session, &delivery).await.unwrap();
    world.run(&session.path, &["update-ref", "refs/heads/agent/a1", old]);
    let made = rebuild(&mut writer, &session, &delivery).await.unwrap();
    assert_eq!(subjects(&world, &session.path), ["own"]);
    assert!(!session.path.join("private-1").exists());
    assert_eq!(world.run(&session.path, &["status", "--porcelain"]), "");
    assert_eq!(made.new, Some(oid(&world, &session.path, "HEAD")));
    undo(&mut writer, &session).await.unwrap();
    assert_eq!(seen(&world, &session.path), before);
}
