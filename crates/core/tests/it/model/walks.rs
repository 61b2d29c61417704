//! The walks of what is to be: nothing is wrong anywhere.
//!
//! One session is walked to the end: nothing bounds what a person asks, how often the daemon, tmux,
//! git, the store or a link fails, and in which order. Two sessions meet in three things only: the
//! repository's owner, who works for one of them at a time; a branch that both want; and what
//! befalls all at once (the daemon is killed, tmux dies). They are walked to the end without
//! failures, on two branches and on one; and with one failure on any way of four requests, which is
//! enough for each of those three meetings at every step of either. `QD_MODEL=full` walks them
//! with one failure and any number of requests, and with two.

use std::time::Instant;

use qd_core::{Kind, OnLoss};

use super::moves::Scene;
use super::rules::Rules;
use super::search::walk;

pub const ONE: Scene = Scene {
    rules: Rules::ALL,
    sessions: 1,
    same_branch: false,
    on_loss: OnLoss::Resume,
    kind: Kind::Worktree,
    asks: None,
    faults: None,
    details: false,
    only: None,
};

pub const TWO: Scene = Scene { sessions: 2, faults: Some(0), ..ONE };

/// Walks it, and says how far that went.
fn safe(name: &str, scene: Scene, at_least: usize) {
    let begun = Instant::now();
    match walk(scene) {
        Ok(seen) => {
            println!(
                "{name}: {} states ({} of the log), {} steps, {} deep, {} ms",
                seen.states,
                seen.logs,
                seen.steps,
                seen.depth,
                begun.elapsed().as_millis()
            );
            assert!(seen.states >= at_least, "it walked {} states only", seen.states);
        }
        Err(trace) => panic!("{name}: {}", trace.text),
    }
}

fn in_full() -> bool {
    std::env::var("QD_MODEL").is_ok_and(|how| how == "full")
}

#[test]
fn one_session_is_safe_whatever_happens() {
    safe("one session", Scene { details: true, ..ONE }, 40_000);
    let stops = Scene { on_loss: OnLoss::Stop, ..ONE };
    safe("one session that is not started again when it is lost", stops, 7_000);
    safe("one session in the person's own checkout", Scene { kind: Kind::InPlace, ..ONE }, 5_000);
}

#[test]
fn a_pane_of_the_persons_own_is_safe_whatever_happens() {
    let scene = Scene { kind: Kind::Adopted, on_loss: OnLoss::Stop, ..ONE };
    safe("one adopted session", Scene { details: true, ..scene }, 8_000);
}

#[test]
fn two_sessions_are_safe_whatever_is_asked() {
    safe("two sessions", TWO, 300_000);
}

#[test]
fn two_sessions_that_want_one_branch_are_safe_whatever_is_asked() {
    safe("two sessions and one branch", Scene { same_branch: true, ..TWO }, 300_000);
}

#[test]
fn two_sessions_are_safe_when_something_fails() {
    let scene = Scene { asks: Some(4), faults: Some(1), ..TWO };
    safe("two sessions and a failure", scene, 300_000);
    let scene = Scene { same_branch: true, ..scene };
    safe("two sessions, one branch and a failure", scene, 80_000);
}

#[test]
fn two_sessions_are_safe_in_full() {
    if !in_full() {
        return println!("walked with QD_MODEL=full only");
    }
    for same_branch in [true, false] {
        let scene = Scene { same_branch, faults: Some(1), ..TWO };
        safe(&format!("in full, on one branch: {same_branch}"), scene, 1_000_000);
        let scene = Scene { asks: Some(5), faults: Some(2), ..scene };
        safe(&format!("with two failures, on one branch: {same_branch}"), scene, 500_000);
    }
}
