use qd_git::DiffLimits;

use crate::diff::{diff, setup};
use crate::fixture::{World, write};

#[tokio::test]
async fn polling_never_disturbs_the_agent() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let top = checkout.top().to_path_buf();
    let polls = checkout.clone();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let poll = async move {
        let mut count = 0;
        while stopped.try_recv().is_err() {
            polls.head_state().await.unwrap();
            polls.diff_stat("origin/main", &DiffLimits::default()).await.unwrap();
            count += 1;
        }
        count
    };
    let agent = tokio::task::spawn_blocking(move || {
        for i in 0..25 {
            write(top.join("f.txt"), format!("{i}\n"));
            write(top.join(format!("n{i}")), "x\n");
            world.run(&top, &["add", "-A"]);
            world.run(&top, &["commit", "-q", "-m", "work"]);
        }
        stop.send(()).unwrap();
        world
    });
    let (count, world) = tokio::join!(poll, agent);
    assert!(count > 0);
    assert_eq!(world.unwrap().run(checkout.top(), &["rev-list", "--count", "HEAD"]), "26");
}

#[tokio::test]
async fn a_base_that_is_gone_or_unrelated_is_told() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    let error = checkout.diff("nope", &DiffLimits::default()).await.unwrap_err();
    assert_eq!(error.code(), "base_missing");
    world.run(checkout.top(), &["checkout", "-q", "--orphan", "fresh"]);
    world.run(checkout.top(), &["commit", "-q", "-m", "no parents"]);
    let diff = diff(&checkout).await;
    assert!(diff.base.unrelated);
    assert_eq!(diff.files, []);
}

#[tokio::test]
async fn a_lock_that_was_left_is_told_and_hinders_no_reading() {
    let mut world = World::new();
    let checkout = setup(&mut world).await;
    assert_eq!(checkout.lock_files(), []);
    let lock = checkout.git_dir().join("index.lock");
    write(&lock, "");
    write(checkout.top().join("f.txt"), "x\n");
    assert_eq!(diff(&checkout).await.files.len(), 1);
    assert_eq!(checkout.head_state().await.unwrap().unstaged, 1);
    let found: Vec<_> = checkout.lock_files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, [lock]);
}
