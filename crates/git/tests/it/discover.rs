use qd_git::{Git, GitConfig, GitError};

use crate::fixture::World;

/// Message and hint, as a person reads them, with the temporary folder shortened.
pub fn shown(world: &World, error: &GitError) -> String {
    let text = format!("{error}. {}", error.hint().unwrap_or_default());
    text.replace(world.path("").to_str().unwrap(), "/t/").trim_end().to_owned()
}

async fn refused(world: &World, name: &str) -> String {
    shown(world, &world.git().discover(&world.path(name)).await.unwrap_err())
}

#[tokio::test]
async fn each_refusal_says_what_and_what_to_do() {
    let world = World::new();
    let root = world.path("");
    std::fs::create_dir(world.path("plain")).unwrap();
    world.run(&root, &["init", "-q", "--bare", "bare.git"]);
    world.run(&root, &["init", "-q", "it's empty"]);
    assert_eq!(refused(&world, "nowhere").await, "there is no folder /t/nowhere.");
    assert_eq!(
        refused(&world, "plain").await,
        "/t/plain is not in a git repository. \
         Choose a folder with a repository, or run: git init /t/plain"
    );
    assert_eq!(
        refused(&world, "bare.git").await,
        "/t/bare.git is a bare repository: it has no checkout. Clone it, and choose the clone."
    );
    assert_eq!(
        refused(&world, "it's empty").await,
        "the repository at /t/it's empty has no commits yet. Make a first commit: \
         git -C '/t/it'\\''s empty' commit --allow-empty -m \"First commit\""
    );
    world.clone_with_commit();
    assert_eq!(
        refused(&world, "P/.git").await,
        "/t/P/.git is not in a git repository. \
         Choose a folder with a repository, or run: git init /t/P/.git"
    );
}

#[tokio::test]
async fn a_missing_git_is_told() {
    let world = World::new();
    let git = Git::new(GitConfig { program: "/nowhere/git".into(), ..world.config() });
    let error = git.version().await.unwrap_err();
    assert_eq!(
        shown(&world, &error),
        "git could not be started as /nowhere/git: No such file or directory (os error 2). \
         Install git 2.39 or newer, or put it in the PATH."
    );
}

#[tokio::test]
async fn an_old_git_is_told() {
    let world = World::new();
    let fake = world.path("git");
    crate::script::program(&fake, "#!/bin/sh\necho git version 2.25.1\n");
    let git = Git::new(GitConfig { program: fake, ..world.config() });
    let error = git.version().await.unwrap_err();
    assert_eq!(shown(&world, &error), "git 2.25.1 is too old. Update git to 2.39 or newer.");
    assert!(world.git().version().await.unwrap().starts_with("2."));
}

#[tokio::test]
async fn a_repository_is_the_same_from_everywhere_in_it() {
    let mut world = World::hostile();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let linked = world.worktree(&mut writer, "qd/a").await;
    let inside = world.main().join("deep/down");
    std::fs::create_dir_all(&inside).unwrap();
    for path in [world.main(), inside, linked] {
        let repo = world.git().discover(&path).await.unwrap();
        assert_eq!(repo.top(), world.main());
        assert_eq!(repo.common_dir(), world.main().join(".git"));
        assert_eq!(repo.default_remote(), Some("origin"));
        assert_eq!(repo.default_branch(), "main");
    }
}

#[tokio::test]
async fn the_default_branch_without_a_remote() {
    let world = World::new();
    let root = world.path("");
    for (first, expected) in [("main", "main"), ("master", "master"), ("trunk", "trunk")] {
        world.run(&root, &["init", "-q", "-b", first, first]);
        let path = world.path(first);
        world.run(&path, &["commit", "-q", "--allow-empty", "-m", "x"]);
        let repo = world.git().discover(&path).await.unwrap();
        assert_eq!((repo.default_branch(), repo.default_remote()), (expected, None));
    }
    let path = world.path("trunk");
    world.run(&path, &["config", "init.defaultBranch", "side"]);
    world.run(&path, &["branch", "side"]);
    world.run(&path, &["branch", "main"]);
    assert_eq!(world.git().discover(&path).await.unwrap().default_branch(), "side");
}

#[tokio::test]
async fn one_writer_for_one_repository() {
    let mut world = World::new();
    world.clone_with_commit();
    let writer = world.writer().await;
    let repo = world.repo().await;
    let error = world.writers().claim(repo.clone()).unwrap_err();
    assert_eq!(
        shown(&world, &error),
        "the repository at /t/P/.git is already being changed by somebody else here."
    );
    drop(writer);
    world.writers().claim(repo).unwrap();
}

#[tokio::test]
async fn a_path_with_a_line_end_in_it_is_found() {
    let world = World::new();
    let root = world.path("");
    world.run(&root, &["init", "-q", "two\nlines"]);
    let top = world.path("two\nlines");
    world.run(&top, &["commit", "-q", "--allow-empty", "-m", "first"]);
    std::fs::create_dir(top.join("deep\n")).unwrap();
    let repo = world.git().discover(&top.join("deep\n")).await.unwrap();
    assert_eq!(repo.top(), top.canonicalize().unwrap());
    assert_eq!(repo.common_dir(), top.canonicalize().unwrap().join(".git"));
}
