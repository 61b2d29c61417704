use qd_git::{Attach, GitError};

use crate::discover::shown;
use crate::fixture::{World, write};
use crate::trash::{busy, chmod_back, everything, plan, tree};

/// Parks, lets somebody do something, and checks that coming back is refused and nothing changed.
async fn refused_after(meanwhile: impl Fn(&World), expected: &str) {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let record = plan(&world, &writer, &path).await;
    writer.park(&record).await.unwrap();
    meanwhile(&world);
    let before = everything(&world, &record.parked_at, &record);
    let error = writer.unpark(&record, Attach::Branch).await.unwrap_err();
    let said = shown(&world, &error);
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(everything(&world, &record.parked_at, &record), before);
    if !matches!(error, GitError::PathExists { .. }) {
        assert!(!path.exists());
        // There is always a way back to the work itself.
        let back = writer.unpark(&record, Attach::Detached).await.unwrap();
        assert_eq!(back.branch, None);
        assert_eq!(tree(&path), before.0);
        assert!(!world.try_run(&path, &["symbolic-ref", "-q", "HEAD"]).status.success());
        chmod_back(&path);
    } else {
        chmod_back(&record.parked_at);
    }
}

#[tokio::test]
async fn a_branch_that_was_deleted_is_not_made_again() {
    let delete = |world: &World| drop(world.run(&world.main(), &["branch", "-q", "-D", "qd/a"]));
    refused_after(delete, "there is no branch qd/a. It may have been deleted").await;
}

#[tokio::test]
async fn a_branch_that_moved_is_left_alone() {
    let move_it = |world: &World| drop(world.run(&world.main(), &["branch", "-f", "qd/a", "main"]));
    refused_after(move_it, "the branch qd/a moved from ").await;
}

#[tokio::test]
async fn a_branch_that_somebody_took_is_left_to_them() {
    let take = |world: &World| {
        let there = world.path("there");
        world.run(&world.main(), &["worktree", "add", "-q", there.to_str().unwrap(), "qd/a"]);
    };
    let expected = "the branch qd/a is checked out at /t/there. \
                    Work in /t/there, or choose another branch.";
    refused_after(take, expected).await;
}

#[tokio::test]
async fn a_place_that_was_taken_is_not_overwritten() {
    let take = |world: &World| write(world.path("W/qd-a/mine"), "x\n");
    refused_after(take, "/t/W/qd-a exists already. Choose another place").await;
}

#[tokio::test]
async fn a_locked_worktree_stays_where_it_is() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let record = plan(&world, &writer, &path).await;
    let text = path.to_str().unwrap();
    world.run(&world.main(), &["worktree", "lock", "--reason", "on a stick", text]);
    let before = everything(&world, &path, &record);
    let expected = "the worktree /t/W/qd-a is locked: on a stick. \
                    If that is right, run: git worktree unlock /t/W/qd-a";
    let planned = writer.plan_park(&path, &world.path("trash/1"), "1").await;
    assert_eq!(shown(&world, &planned.unwrap_err()), expected);
    assert_eq!(shown(&world, &writer.park(&record).await.unwrap_err()), expected);
    assert_eq!(everything(&world, &path, &record), before);
    let main = writer.plan_park(&world.main(), &world.path("trash/2"), "2").await.unwrap_err();
    assert_eq!(
        shown(&world, &main),
        "/t/P is the main checkout of its repository. \
         Only a worktree that was added to the repository can be moved."
    );
}

#[tokio::test]
async fn a_failed_move_leaves_the_worktree_as_it_was() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let record = plan(&world, &writer, &path).await;
    write(world.path("trash/1"), "in the way\n");
    let before = everything(&world, &path, &record);
    let error = writer.park(&record).await.unwrap_err();
    assert_eq!(error.code(), "path_exists");
    assert_eq!(everything(&world, &path, &record), before);
    assert_eq!(world.run(&world.main(), &["for-each-ref", "refs/quarterdeck"]), "");
    // Work that the record does not know of.
    std::fs::remove_file(world.path("trash/1")).unwrap();
    world.run(&path, &["commit", "-q", "--allow-empty", "-m", "later"]);
    let error = writer.park(&record).await.unwrap_err();
    assert_eq!(
        shown(&world, &error),
        "/t/W/qd-a changed while it was being moved. \
         Stop what still writes in the folder, and try again."
    );
    chmod_back(&path);
}

#[tokio::test]
async fn a_way_back_that_fails_ends_in_the_trash() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    busy(&world, &path);
    let record = plan(&world, &writer, &path).await;
    let at_work = everything(&world, &path, &record);
    writer.park(&record).await.unwrap();
    let parked = everything(&world, &record.parked_at, &record);
    // After the move HEAD cannot be written.
    let lock = world.main().join(".git/worktrees").join(&record.admin).join("HEAD.lock");
    write(&lock, "");
    writer.unpark(&record, Attach::Branch).await.unwrap_err();
    std::fs::remove_file(lock).unwrap();
    assert!(!path.exists());
    assert_eq!(everything(&world, &record.parked_at, &record), parked);
    // Killed on the way back, and then somebody takes the branch.
    std::fs::rename(&record.parked_at, &path).unwrap();
    world.run(&world.main(), &["switch", "-q", "qd/a"]);
    let error = writer.unpark(&record, Attach::Branch).await.unwrap_err();
    assert_eq!(error.code(), "branch_checked_out");
    assert!(!path.exists());
    assert_eq!(everything(&world, &record.parked_at, &record), parked);
    // It is refused without a way back, too, and that changes nothing.
    writer.unpark(&record, Attach::Branch).await.unwrap_err();
    assert_eq!(everything(&world, &record.parked_at, &record), parked);
    world.run(&world.main(), &["switch", "-q", "-"]);
    writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(everything(&world, &path, &record), at_work);
    chmod_back(&path);
}

#[tokio::test]
async fn one_that_is_back_is_not_brought_back_again() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let record = plan(&world, &writer, &path).await;
    writer.park(&record).await.unwrap();
    writer.unpark(&record, Attach::Branch).await.unwrap();
    // Nobody was told of it, and meanwhile somebody works there.
    world.run(&path, &["commit", "-q", "--allow-empty", "-m", "later"]);
    let before = everything(&world, &path, &record);
    let back = writer.unpark(&record, Attach::Branch).await.unwrap();
    assert_eq!(back.branch.as_deref(), Some("qd/a"));
    assert_eq!(everything(&world, &path, &record), before);
}

#[tokio::test]
async fn a_branch_that_another_parked_worktree_came_from_stays() {
    let mut world = World::new();
    world.clone_with_commit();
    let mut writer = world.writer().await;
    let path = world.worktree(&mut writer, "qd/a").await;
    let first = plan(&world, &writer, &path).await;
    writer.park(&first).await.unwrap();
    let there = world.path("there");
    world.run(&world.main(), &["worktree", "add", "-q", there.to_str().unwrap(), "qd/a"]);
    let second = writer.plan_park(&there, &world.path("trash/2"), "2").await.unwrap();
    writer.park(&second).await.unwrap();
    let report = writer.purge(&first, true).await.unwrap();
    assert_eq!((report.removed_branch, report.kept.len()), (None, 1), "{:?}", report.kept);
    writer.unpark(&second, Attach::Branch).await.unwrap();
    assert_eq!(world.run(&there, &["symbolic-ref", "--short", "HEAD"]), "qd/a");
    // The last one to go takes it with it.
    writer.park(&second).await.unwrap();
    let report = writer.purge(&second, true).await.unwrap();
    assert_eq!(report.removed_branch.as_deref(), Some("qd/a"), "{:?}", report.kept);
}
