use std::path::Path;

use qd_git::GitError;

use crate::delivery::{Session, deliver, push_elsewhere};
use crate::fixture::{World, chmod, write};
use crate::rebuild::{rebuild, seen, undo};

/// A small generator of numbers, the same on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// For generated histories: what a rebuild makes is what `git rebase --onto` makes, or it says that
/// it conflicts where that does; what is not committed stays; an undo brings everything back.
#[tokio::test]
async fn a_rebuild_agrees_with_a_rebase_by_hand() {
    let (mut rebuilt, mut refused) = (0, 0);
    for seed in 1..=8 {
        let mut dice = Dice(seed);
        let mut world = if seed % 2 == 0 { World::hostile() } else { World::new() };
        world.clone_with_commit();
        for name in ["a", "b", "sub dir/ü", "d"] {
            write(world.main().join(name), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        }
        world.commit_all(&world.main(), "files");
        world.run(&world.main(), &["push", "-q"]);
        let change = |dice: &mut Dice, at: &Path, who: &str| {
            let file = at.join(["a", "b", "sub dir/ü", "d"][dice.below(4) as usize]);
            match dice.below(8) {
                0 => write(at.join(format!("{who}-{}", dice.below(3))), format!("{who}\n")),
                1 if file.exists() => {
                    std::fs::rename(&file, file.with_extension(who)).unwrap();
                }
                2 if file.exists() => chmod(&file, 0o755),
                _ => {
                    let text = std::fs::read_to_string(&file).unwrap_or_default();
                    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                    let line = dice.below(9) as usize;
                    lines.resize(lines.len().max(9), String::new());
                    lines[line] = format!("{who} {}", dice.below(1000));
                    write(&file, lines.join("\n") + "\n");
                }
            }
        };
        for number in 0..dice.below(4) {
            change(&mut dice, &world.main(), "person");
            write(world.main().join("count"), number.to_string());
            world.commit_all(&world.main(), &format!("private {number}"));
        }
        let session = Session::begin(&world, "a1", "main");
        for number in 0..1 + dice.below(4) {
            change(&mut dice, &session.path, "agent");
            write(session.path.join("number"), number.to_string());
            world.commit_all(&session.path, &format!("own {number}"));
        }
        for number in 0..dice.below(3) {
            push_elsewhere(&world, "d", &format!("1\n2\n3\n4\n5\n6\n7\n8\nelse {number}\n"), &[]);
        }
        let mut writer = world.writer().await;
        let delivery = deliver(&mut writer, &session, &[]).await;
        let own = delivery.commits.len() - delivery.foreign().count();
        assert!(delivery.commits[..own].iter().all(|one| one.commit.subject.starts_with("own")));

        let hand = world.path("hand");
        let start = session.start.commit.as_str();
        world.run(&session.path, &["worktree", "add", "-q", "--detach", hand.to_str().unwrap()]);
        let by_hand = world.try_run(&hand, &["rebase", "-q", "--onto", "origin/main", start]);

        write(session.path.join("open"), "open\n");
        let before = seen(&world, &session.path);
        match rebuild(&mut writer, &session, &delivery).await {
            Ok(_) => {
                rebuilt += 1;
                let said = String::from_utf8_lossy(&by_hand.stderr);
                assert!(by_hand.status.success(), "seed {seed}: {said}");
                let trees =
                    |at: &Path| world.run(at, &["log", "--format=%T %s %ad", "origin/main.."]);
                assert_eq!(trees(&session.path), trees(&hand), "seed {seed}");
                assert_eq!(world.run(&session.path, &["status", "--porcelain"]), "?? open");
                undo(&mut writer, &session).await.unwrap_or_else(|error| {
                    assert!(matches!(error, GitError::NothingToUndo), "seed {seed}: {error}");
                });
            }
            Err(error) => {
                refused += 1;
                assert_eq!(error.code(), "conflicts", "seed {seed}: {error}");
                assert!(!by_hand.status.success(), "seed {seed}");
            }
        }
        assert_eq!(seen(&world, &session.path), before, "seed {seed}");
    }
    assert!(rebuilt > 2 && refused > 0, "{rebuilt} rebuilt, {refused} refused");
}
