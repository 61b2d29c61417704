//! The checker, checked: each rule that is taken away is a race or a loss, and it is found.

use super::checks::Wrong;
use super::moves::Scene;
use super::rules::Rules;
use super::search::walk;
use super::walks::{ONE, TWO};

/// Walks a scene without one rule, and gives the way to what is wrong then.
fn found(mut scene: Scene, spoil: fn(&mut Rules), wrong: Wrong) -> String {
    spoil(&mut scene.rules);
    match walk(scene) {
        Ok(seen) => panic!("it is not found in {} states", seen.states),
        Err(trace) => {
            assert_eq!(trace.wrong, wrong, "{}", trace.text);
            println!("{}", trace.text);
            trace.text
        }
    }
}

/// What happens, in this order, on the way.
fn tells(text: &str, steps: &[&str]) {
    let mut rest = text;
    for step in steps {
        let at = rest.find(step).unwrap_or_else(|| panic!("no \u{201c}{step}\u{201d} in {text}"));
        rest = &rest[at + step.len()..];
    }
}

fn only(wrong: Wrong) -> Scene {
    Scene { only: Some(wrong), ..ONE }
}

/// The first known race: a start that nobody joined finishes after the session is in the trash.
#[test]
fn a_late_step_of_a_creation_against_a_delete() {
    let spoil: fn(&mut Rules) = |rules| rules.call_off_is_joined = false;
    let text = found(only(Wrong::Outlives), spoil, Wrong::Outlives);
    tells(&text, &["a person deletes it", "Trashed", "pane Alive"]);
    let text = found(ONE, spoil, Wrong::Forgotten);
    tells(&text, &["a person deletes it", "git begins the worktree"]);
}

/// The second: what was allowed by a look is done after somebody else did something.
#[test]
fn a_restore_that_checks_first_and_acts_later() {
    let text = found(ONE, |rules| rules.checks_and_acts_at_once = false, Wrong::TwoJobs);
    tells(&text, &["a person may restore it, by a look", "what was looked at is done"]);
}

/// The third: it is called hibernated when that is asked, and not when its program has ended.
#[test]
fn a_wake_while_the_hibernation_is_not_over() {
    let spoil: fn(&mut Rules) = |rules| rules.hibernated_when_ended = false;
    found(ONE, spoil, Wrong::Outlives);
    let text = found(only(Wrong::TwoPrograms), spoil, Wrong::TwoPrograms);
    tells(&text, &["a person hibernates it", "a person", "the pane is made"]);
    let text = found(only(Wrong::EndedUnasked), spoil, Wrong::EndedUnasked);
    tells(&text, &["hibernates it", "the program starts", "an old job ends it by name"]);
}

/// The fourth: the pane stays in the owner's hands while it is being closed.
#[test]
fn two_closes_of_one_pane() {
    let text = found(ONE, |rules| rules.closes_once = false, Wrong::TwoJobs);
    tells(&text, &["its program ends", "the owner hears that it ended"]);
}

#[test]
fn a_delete_that_comes_too_late_for_the_creation() {
    let text = found(
        Scene { faults: Some(0), ..ONE },
        |rules| rules.work_is_not_forgotten = false,
        Wrong::Forgotten,
    );
    tells(&text, &["a person deletes it", "the owner hears of the program"]);
}

#[test]
fn a_program_that_runs_before_its_place_is_written_down() {
    let text = found(ONE, |rules| rules.place_is_written_first = false, Wrong::Forgotten);
    tells(&text, &["the program starts", "the daemon is killed", "the pane is found"]);
}

#[test]
fn work_that_is_taken_back_with_a_creation() {
    found(ONE, |rules| rules.take_back_spares_work = false, Wrong::WorkLost);
}

#[test]
fn work_that_a_crash_hides() {
    let text = found(ONE, |rules| rules.left_by_the_disk = false, Wrong::Forgotten);
    tells(&text, &["the program starts", "the daemon is killed"]);
}

#[test]
fn a_session_that_keeps_its_files_and_is_taken_back_later() {
    let scene = only(Wrong::NoFiles);
    let text = found(scene, |rules| rules.takes_back_no_place = false, Wrong::NoFiles);
    tells(&text, &["git cannot take back", "a person restarts it", "the daemon is killed"]);
}

#[test]
fn files_that_are_moved_under_a_program() {
    found(ONE, |rules| rules.files_wait_for_the_end = false, Wrong::MovedUnderProgram);
}

#[test]
fn a_sweep_that_acts_on_an_old_look() {
    let text = found(ONE, |rules| rules.sweep_spares_sessions = false, Wrong::EndedUnasked);
    tells(&text, &["the daemon is killed", "the program starts", "an old job ends it"]);
}

#[test]
fn work_that_goes_on_while_the_store_fails() {
    found(ONE, |rules| rules.waits_for_the_store = false, Wrong::ReportsPileUp);
}

#[test]
fn a_start_that_a_crash_swallows() {
    found(ONE, |rules| rules.unknown_is_never_started = false, Wrong::NeverStarted);
    let text = found(ONE, |rules| rules.runs_are_told_apart = false, Wrong::NeverStarted);
    tells(&text, &["its program ends", "a person restarts it", "the daemon is killed"]);
}

#[test]
fn a_delete_while_files_come_back_and_a_crash() {
    let text = found(ONE, |rules| rules.parks_by_the_disk = false, Wrong::NotAway);
    tells(&text, &["a person resumes it", "a person deletes it", "the daemon is killed"]);
    let spoil: fn(&mut Rules) = |rules| rules.parks_by_the_disk = false;
    found(only(Wrong::BranchHeld), spoil, Wrong::BranchHeld);
}

#[test]
fn a_way_back_that_fails_half_way() {
    found(ONE, |rules| rules.unpark_goes_back = false, Wrong::NotAway);
    // On the way back the branch is held by nobody, and the other session may take it.
    let scene = Scene { same_branch: true, asks: Some(4), faults: Some(1), ..TWO };
    let scene = Scene { only: Some(Wrong::NotAway), ..scene };
    found(scene, |rules| rules.unpark_goes_back = false, Wrong::NotAway);
}

#[test]
fn what_is_left_of_a_purged_session() {
    found(ONE, |rules| rules.purge_takes_back = false, Wrong::Leftover);
    found(ONE, |rules| rules.purge_forgets_the_pane = false, Wrong::Leftover);
}

#[test]
fn a_branch_that_goes_with_the_other_session() {
    let scene = Scene { same_branch: true, ..TWO };
    found(scene, |rules| rules.parked_branches_stay = false, Wrong::BranchGone);
}

#[test]
fn an_approval_that_reaches_another_run() {
    let scene = Scene { details: true, ..ONE };
    found(scene, |rules| rules.approves_one_run = false, Wrong::OtherRun);
}
