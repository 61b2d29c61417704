use std::path::{Path, PathBuf};

use qd_git::{
    Base, BaseSource, Delivery, GitError, Oid, Operation, RepoWriter, SessionLine, Whose,
};

use crate::fixture::{World, never, write};

/// A session's worktree, with where it began.
pub struct Session {
    pub path: PathBuf,
    pub line: SessionLine,
    pub start: Base,
}

impl Session {
    /// Begins at `from`, as `agent/<name>`.
    pub fn begin(world: &World, name: &str, from: &str) -> Self {
        let path = world.path("W").join(name);
        let branch = format!("agent/{name}");
        let place = path.to_str().unwrap();
        world.run(&world.main(), &["worktree", "add", "-q", "-b", &branch, place, from]);
        let commit = oid(world, &path, "HEAD");
        let start = Base {
            name: "main".into(),
            commit: commit.clone(),
            source: BaseSource::Local,
            note: String::new(),
        };
        Self { path, line: SessionLine { branch: Some(branch), start: Some(commit) }, start }
    }

    pub fn commit(&self, world: &World, file: &str, text: &str, message: &str) {
        write(self.path.join(file), text);
        world.commit_all(&self.path, message);
    }
}

pub fn oid(world: &World, at: &Path, name: &str) -> Oid {
    Oid::parse(&world.run(at, &["rev-parse", name])).unwrap()
}

/// Somebody else pushes to the branch of the remote.
pub fn push_elsewhere(world: &World, file: &str, text: &str, options: &[&str]) {
    let other = world.path("other");
    if !other.exists() {
        world.run(&world.path(""), &["clone", "-q", "origin.git", "other"]);
    }
    write(other.join(file), text);
    world.commit_all(&other, &format!("theirs: {file}"));
    world.run(&other, &[&["push", "-q", "origin", "HEAD:main"], options].concat());
}

/// Commits of the person that are only in the local main.
pub fn ahead(world: &World, count: usize) {
    for number in 1..=count {
        write(world.main().join(format!("private-{number}")), "x\n");
        world.commit_all(&world.main(), &format!("private {number}"));
    }
}

pub async fn deliver(
    writer: &mut RepoWriter,
    session: &Session,
    others: &[SessionLine],
) -> Delivery {
    let base = writer.current_base(Some(&session.start.name), never()).await.unwrap();
    let checkout = writer.checkout(&session.path).unwrap();
    writer.delivery(&checkout, &base, &session.line, others).await.unwrap()
}

/// Subject and owner of each commit, newest first.
fn told(delivery: &Delivery) -> Vec<(String, Whose)> {
    delivery.commits.iter().map(|one| (one.commit.subject.clone(), one.whose)).collect()
}

fn on(delivery: &Delivery) -> Vec<Option<&str>> {
    delivery.commits.iter().map(|one| one.on.as_deref()).collect()
}

fn own(subject: &str) -> (String, Whose) {
    (subject.to_owned(), Whose::Own)
}

fn nobodys(subject: &str) -> (String, Whose) {
    (subject.to_owned(), Whose::Nobody)
}

#[tokio::test]
async fn a_local_base_ahead_of_the_remote_is_seen_through() {
    for mut world in [World::new(), World::hostile()] {
        world.clone_with_commit();
        let pushed = oid(&world, &world.main(), "main");
        ahead(&world, 6);
        let session = Session::begin(&world, "a1", "main");
        session.commit(&world, "n.txt", "x\n", "add n");
        session.commit(&world, "n.txt", "x\ny\n", "more n");
        push_elsewhere(&world, "theirs", "x\n", &[]);
        let mut writer = world.writer().await;

        let seen = writer.last_seen_base(Some("main")).await.unwrap();
        assert_eq!((seen.name.as_str(), seen.source), ("origin/main", BaseSource::Local));
        assert_eq!(seen.commit, pushed);
        assert_eq!(seen.note, "From origin/main as last seen: the remote was not asked.");

        let delivery = deliver(&mut writer, &session, &[]).await;
        assert_eq!(delivery.base.note, "From origin/main, fetched just now.");
        assert_eq!(delivery.base.source, BaseSource::Fetched);
        assert_eq!(delivery.base.commit, oid(&world, &world.path("other"), "HEAD"));
        assert_eq!(delivery.merge_base.as_ref(), Some(&pushed));
        assert_eq!((delivery.behind, delivery.rewritten, delivery.shallow), (1, false, false));
        assert_eq!(delivery.branch.as_deref(), Some("agent/a1"));
        let mut wanted = vec![own("more n"), own("add n")];
        wanted.extend((1..=6).rev().map(|number| nobodys(&format!("private {number}"))));
        assert_eq!(told(&delivery), wanted);
        assert_eq!(on(&delivery)[..2], [None, None]);
        assert!(on(&delivery)[2..].iter().all(|on| *on == Some("main")), "{:?}", on(&delivery));
        assert_eq!(delivery.foreign().count(), 6);

        // Also when the person has taken them off their own branch since, and nobody else has them.
        world.run(&world.main(), &["reset", "-q", "--hard", "origin/main"]);
        let delivery = deliver(&mut writer, &session, &[]).await;
        assert_eq!(told(&delivery), wanted);
        assert!(on(&delivery).iter().all(Option::is_none));
    }
}

#[tokio::test]
async fn commits_of_other_sessions_are_theirs() {
    let mut world = World::new();
    world.clone_with_commit();
    let first = Session::begin(&world, "first", "main");
    first.commit(&world, "one", "x\n", "one");
    // Begun from the first one's branch, as a fork is.
    let second = Session::begin(&world, "second", "agent/first");
    second.commit(&world, "two", "x\n", "two");
    first.commit(&world, "three", "x\n", "three");
    world.run(&second.path, &["merge", "-q", "--no-edit", "agent/first"]);
    // Pushed, and looked at by the person on a branch of theirs.
    world.run(&second.path, &["push", "-q", "origin", "agent/second"]);
    world.run(&world.main(), &["branch", "keep", "agent/second"]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &second, std::slice::from_ref(&first.line)).await;
    let theirs = |subject: &str| (subject.to_owned(), Whose::Session(0));
    let mut told_sorted = told(&delivery);
    told_sorted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        told_sorted,
        [
            own("Merge branch 'agent/first' into agent/second"),
            theirs("one"),
            theirs("three"),
            own("two")
        ]
    );
    let delivery = deliver(&mut writer, &first, std::slice::from_ref(&second.line)).await;
    assert_eq!(told(&delivery), [own("three"), own("one")]);
}

#[tokio::test]
async fn what_a_merge_or_a_rebase_brought_in_is_not_made_here() {
    let mut world = World::new();
    world.clone_with_commit();
    let merging = Session::begin(&world, "merging", "main");
    let rebasing = Session::begin(&world, "rebasing", "main");
    ahead(&world, 2);
    merging.commit(&world, "n", "x\n", "own");
    world.run(&merging.path, &["merge", "-q", "--no-edit", "main"]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &merging, &[]).await;
    let mut wanted = told(&delivery);
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        wanted,
        [
            own("Merge branch 'main' into agent/merging"),
            own("own"),
            nobodys("private 1"),
            nobodys("private 2")
        ]
    );
    // Begun at the private commits, and taken along under other names.
    let along = Session::begin(&world, "along", "main");
    along.commit(&world, "n", "x\n", "own");
    push_elsewhere(&world, "theirs", "x\n", &[]);
    world.run(&along.path, &["fetch", "-q"]);
    world.run(&along.path, &["rebase", "-q", "origin/main"]);
    let delivery = deliver(&mut writer, &along, &[]).await;
    assert_eq!(delivery.behind, 0);
    assert_eq!(told(&delivery), [own("own"), nobodys("private 2"), nobodys("private 1")]);
    // A fast-forward makes nothing.
    world.run(&rebasing.path, &["merge", "-q", "--ff-only", "main"]);
    let delivery = deliver(&mut writer, &rebasing, &[]).await;
    assert_eq!(told(&delivery), [nobodys("private 2"), nobodys("private 1")]);
}

#[tokio::test]
async fn every_way_of_making_a_commit_counts_as_made_here() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "n", "1\n", "first");
    session.commit(&world, "n", "2\n", "second");
    world.run(&session.path, &["commit", "-q", "--amend", "-m", "amended"]);
    world.run(&session.path, &["revert", "--no-edit", "HEAD"]);
    push_elsewhere(&world, "theirs", "x\n", &[]);
    world.run(&session.path, &["pull", "-q", "--rebase", "origin", "main"]);
    // By plumbing, which leaves no words in any log.
    let head = world.run(&session.path, &["rev-parse", "HEAD"]);
    let tree = world.run(&session.path, &["rev-parse", "HEAD^{tree}"]);
    let made = world.run(&session.path, &["commit-tree", "-p", &head, "-m", "plumbing", &tree]);
    world.run(&session.path, &["update-ref", "HEAD", &made]);
    // A branch of the person that has it all says nothing.
    world.run(&world.main(), &["branch", "keep", &head]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!(
        told(&delivery),
        [own("plumbing"), own("Revert \"amended\""), own("amended"), own("first")]
    );
    // Without any log the branches tell.
    std::fs::remove_file(world.main().join(".git/worktrees/a1/logs/HEAD")).unwrap();
    world.run(&world.main(), &["branch", "-D", "keep"]);
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!(delivery.foreign().count(), 0);
}

#[tokio::test]
async fn a_base_that_was_rewritten_is_told() {
    let mut world = World::new();
    world.clone_with_commit();
    push_elsewhere(&world, "secret", "x\n", &[]);
    world.run(&world.main(), &["pull", "-q"]);
    let session = Session::begin(&world, "a1", "origin/main");
    session.commit(&world, "n", "x\n", "own");
    world.run(&world.main(), &["reset", "-q", "--hard", "HEAD~"]);
    world.run(&world.path("other"), &["reset", "-q", "--hard", "HEAD~"]);
    push_elsewhere(&world, "instead", "x\n", &["--force"]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert!(delivery.rewritten);
    assert_eq!(told(&delivery), [own("own"), nobodys("theirs: secret")]);
    assert_eq!(on(&delivery), [None, Some("origin/main before it was rewritten")]);
    assert_eq!(delivery.behind, 1);
}

#[tokio::test]
async fn a_base_that_is_gone_gives_way_to_the_new_default_branch() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    let origin = world.path("origin.git");
    world.run(&origin, &["branch", "-m", "main", "trunk"]);
    world.run(&origin, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!(delivery.base.name, "origin/trunk");
    assert_eq!(
        delivery.base.note,
        "From origin/trunk, fetched just now. origin has no main any more."
    );
    // Without one, what was last seen counts; and without that, what is here.
    world.run(&origin, &["update-ref", "-d", "refs/heads/trunk"]);
    let base = writer.current_base(Some("main"), never()).await.unwrap();
    assert_eq!(base.note, "From origin/main as last seen: origin has no main any more.");
    assert_eq!(base.source, BaseSource::Local);
    world.run(&world.main(), &["update-ref", "-d", "refs/remotes/origin/main"]);
    let base = writer.current_base(Some("main"), never()).await.unwrap();
    assert_eq!(base.note, "From the local main: origin has no main that we know.");
    // A base that only was here, such as the branch of another session.
    world.run(&world.main(), &["branch", "stack"]);
    let base = writer.current_base(Some("stack"), never()).await.unwrap();
    assert_eq!((base.name.as_str(), base.source), ("stack", BaseSource::Local));
    world.run(&world.main(), &["branch", "-D", "stack"]);
    let base = writer.current_base(Some("stack"), never()).await.unwrap();
    assert_eq!(base.name, "main");
    world.run(&world.main(), &["checkout", "-q", "--detach"]);
    world.run(&world.main(), &["branch", "-D", "main"]);
    let error = writer.current_base(Some("main"), never()).await.unwrap_err();
    assert_eq!(error.code(), "base_missing");
}

#[tokio::test]
async fn unrelated_and_shallow_histories_are_told() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    world.run(&session.path, &["checkout", "-q", "--orphan", "agent/new"]);
    world.commit_all(&session.path, "anew");
    let mut writer = world.writer().await;
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!((delivery.merge_base.as_ref(), delivery.behind), (None, 1));
    assert_eq!(delivery.branch.as_deref(), Some("agent/new"));
    assert_eq!(told(&delivery), [own("anew")]);

    for number in 1..4 {
        push_elsewhere(&world, &number.to_string(), "x\n", &[]);
    }
    let url = format!("file://{}", world.path("origin.git").display());
    world.run(&world.path(""), &["clone", "-q", "--depth=1", &url, "S"]);
    let shallow = world.path("S");
    world.run(&shallow, &["switch", "-q", "-c", "agent/s"]);
    let start = oid(&world, &shallow, "HEAD");
    write(shallow.join("n"), "x\n");
    world.commit_all(&shallow, "own");
    push_elsewhere(&world, "4", "x\n", &[]);
    let repo = world.git().discover(&shallow).await.unwrap();
    let mut writer = world.writers().claim(repo).unwrap();
    let base = writer.current_base(Some("main"), never()).await.unwrap();
    let line = SessionLine { branch: Some("agent/s".into()), start: Some(start.clone()) };
    let checkout = writer.main_checkout();
    let delivery = writer.delivery(&checkout, &base, &line, &[]).await.unwrap();
    assert!(delivery.shallow);
    assert_eq!((delivery.merge_base.as_ref(), delivery.behind), (Some(&start), 1));
    assert_eq!(told(&delivery), [own("own")]);
}

#[tokio::test]
async fn a_detached_head_and_a_rebase_are_told_apart() {
    let mut world = World::new();
    world.clone_with_commit();
    let session = Session::begin(&world, "a1", "main");
    session.commit(&world, "f.txt", "mine\n", "own");
    push_elsewhere(&world, "f.txt", "theirs\n", &[]);
    let mut writer = world.writer().await;
    world.run(&session.path, &["fetch", "-q"]);
    assert!(!world.try_run(&session.path, &["rebase", "-q", "origin/main"]).status.success());
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!(delivery.operation, Some(Operation::Rebase));
    assert_eq!(delivery.branch.as_deref(), Some("agent/a1"));
    assert_eq!(told(&delivery), [own("own")]);
    let checkout = writer.checkout(&session.path).unwrap();
    let error = writer.preview_rebuild(&checkout, &delivery).await.unwrap_err();
    assert!(matches!(error, GitError::OperationUnderWay { operation: Operation::Rebase, .. }));
    assert!(error.hint().unwrap().ends_with("rebase --abort"), "{:?}", error.hint());

    world.run(&session.path, &["rebase", "--abort"]);
    world.run(&session.path, &["checkout", "-q", "--detach"]);
    let delivery = deliver(&mut writer, &session, &[]).await;
    assert_eq!((delivery.branch.as_deref(), delivery.operation), (None, None));
    assert_eq!(told(&delivery), [own("own")]);
    let error = writer.preview_rebuild(&checkout, &delivery).await.unwrap_err();
    assert!(matches!(error, GitError::HeadDetached { .. }), "{error}");
}
