use std::collections::BTreeMap;

use super::*;
use crate::{
    Effect, Found, Kind, Millis, Program, SessionId, Size, Title, Work, evolve, found, is_older,
    may_run, next,
};

fn launch() -> Box<Launch> {
    Box::new(Launch {
        title: Title::parse("t").unwrap(),
        agent: "command".into(),
        argv: vec!["true".into()],
        repo: "/r".into(),
        kind: Kind::Worktree,
        branch: None,
        base: None,
        tags: vec![],
        env: BTreeMap::new(),
        size: Size::BORN,
        on_loss: OnLoss::Stop,
        conversation: None,
        parent: None,
        adopted: None,
    })
}

fn problem() -> Problem {
    Problem::new(Code::GitFailed, "It failed.", "Try again.")
}

fn parked() -> Box<Parked> {
    Box::new(Parked { path: None, receipt: None, kept: "Nothing.".into() })
}

fn place() -> Box<Place> {
    Box::new(Place {
        worktree: "/w".into(),
        common_dir: None,
        checkout: None,
        branch: None,
        made_branch: false,
        made_worktree: false,
        base: None,
        receipt: None,
        notes: vec![],
    })
}

fn all_commands() -> Vec<Command> {
    vec![
        Command::Create(launch()),
        Command::BeginStep(Step::Worktree),
        Command::PlaceReady(place()),
        Command::Started,
        Command::CreationFailed(problem()),
        Command::CreationKept(problem()),
        Command::Exited(Some(Exit { code: Some(0), signal: None })),
        Command::Exited(None),
        Command::Trash,
        Command::Pause,
        Command::Parked(parked()),
        Command::ParkFailed(problem()),
        Command::Restore,
        Command::Resume,
        Command::FilesBack(None),
        Command::FilesBackFailed(problem()),
        Command::ConversationFound("c".into()),
        Command::Hibernate,
        Command::Wake,
        Command::Restart,
        Command::StartFailed(problem()),
        Command::Lost { soon: false },
        Command::EndAsked,
        Command::Purge,
        Command::PurgeDone,
        Command::PurgeFailed(problem()),
    ]
}

fn id() -> SessionId {
    SessionId::from_random([7; SessionId::LEN])
}

fn apply(state: Option<Session>, command: Command) -> (Option<Session>, bool) {
    match decide(state.as_ref(), command) {
        Ok(events) => {
            let next = events.iter().fold(state, |s, event| evolve(s, &id(), event, Millis(0)));
            (next, true)
        }
        Err(_) => (state, false),
    }
}

/// Every state that any order of commands can reach, without versions.
fn reachable() -> Vec<Session> {
    let mut found: Vec<Session> = vec![];
    let (first, _) = apply(None, Command::Create(launch()));
    let mut open: Vec<Session> = first.into_iter().collect();
    while let Some(state) = open.pop() {
        if found.contains(&state) {
            continue;
        }
        found.push(state.clone());
        for command in all_commands() {
            if let (Some(mut next), _) = apply(Some(state.clone()), command) {
                (next.version, next.run) = (0, 0);
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn every_reachable_state_can_be_left_for_good() {
    let states = reachable();
    assert!(states.len() > 20, "explored {} states only", states.len());
    for state in states {
        let mut now = Some(state.clone());
        for command in [
            // Whatever is under way fails, then the person deletes and purges.
            Command::FilesBackFailed(problem()),
            Command::PurgeFailed(problem()),
            Command::Trash,
            Command::Parked(parked()),
            Command::Purge,
            Command::PurgeDone,
        ] {
            now = apply(now, command).0;
        }
        assert_eq!(now, None, "cannot leave {state:?}");
    }
}

#[test]
fn pending_fits_the_lifecycle_in_every_reachable_state() {
    for state in reachable() {
        let fits = match state.pending {
            None => state.lifecycle != Lifecycle::Creating,
            Some(Pending::Create(_)) => state.lifecycle == Lifecycle::Creating,
            Some(Pending::Trash) => state.lifecycle != Lifecycle::Trashed,
            Some(Pending::Restore | Pending::Purge) => state.lifecycle == Lifecycle::Trashed,
            Some(Pending::Pause) => matches!(
                state.lifecycle,
                Lifecycle::Running | Lifecycle::Exited | Lifecycle::Hibernated
            ),
            Some(Pending::Restart) => matches!(
                state.lifecycle,
                Lifecycle::Running | Lifecycle::Exited | Lifecycle::Hibernated | Lifecycle::Failed
            ),
            Some(Pending::Resume) => {
                matches!(state.lifecycle, Lifecycle::Paused | Lifecycle::Hibernated)
            }
            Some(Pending::Hibernate) => state.lifecycle == Lifecycle::Running,
            Some(Pending::Wake) => {
                matches!(state.lifecycle, Lifecycle::Running | Lifecycle::Hibernated)
            }
        };
        assert!(fits, "{state:?}");
        let away = matches!(state.lifecycle, Lifecycle::Trashed | Lifecycle::Paused);
        assert_eq!(state.parked.is_some(), away, "{state:?}");
    }
}

#[test]
fn asking_twice_changes_once() {
    let (state, _) = apply(None, Command::Create(launch()));
    let (state, _) = apply(state, Command::Started);
    let (state, _) = apply(state, Command::Trash);
    assert_eq!(decide(state.as_ref(), Command::Trash), Ok(vec![]));
}

#[test]
fn a_late_start_does_not_wake_what_was_deleted() {
    let (state, _) = apply(None, Command::Create(launch()));
    let (state, _) = apply(state, Command::Trash);
    let (state, _) = apply(state, Command::Parked(parked()));
    assert_eq!(decide(state.as_ref(), Command::Started), Ok(vec![]));
}

#[test]
fn a_refusal_reads_well() {
    let (state, _) = apply(None, Command::Create(launch()));
    let (state, _) = apply(state, Command::Started);
    let problem = decide(state.as_ref(), Command::Purge).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "\u{201c}t\u{201d} cannot be purged: it is not in the trash; it runs. \
         Nothing was changed. Put it in the trash first, with `qd rm`."
    );
}

fn after(commands: &[Command]) -> Session {
    let begun = apply(None, Command::Create(launch())).0;
    let run = apply(begun, Command::Started).0;
    commands.iter().fold(run, |state, command| apply(state, command.clone()).0).unwrap()
}

#[test]
fn a_program_that_ends_while_it_is_hibernated_is_hibernated() {
    let state = after(&[Command::Hibernate, Command::Exited(None)]);
    assert_eq!((state.lifecycle, state.pending), (Lifecycle::Hibernated, None));
}

#[test]
fn what_is_wanted_while_it_is_hibernated_goes_on_as_soon_as_it_has_ended() {
    let state = after(&[Command::Hibernate, Command::Wake, Command::Exited(None)]);
    assert_eq!((state.lifecycle, state.pending), (Lifecycle::Hibernated, Some(Pending::Wake)));
    assert_eq!(next(&state, Program::Closing, None), None);
    assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Start));
}

#[test]
fn a_resume_that_fails_leaves_it_paused() {
    let paused = [Command::Pause, Command::Exited(None), Command::Parked(parked())];
    let state = after(&[&paused[..], &[Command::Resume]].concat());
    assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Unpark));
    let failed = apply(Some(state.clone()), Command::FilesBackFailed(problem())).0.unwrap();
    assert_eq!((failed.lifecycle, failed.pending), (Lifecycle::Paused, None));
    // With its files back it is hibernated until its program runs, also when that fails.
    let back = apply(Some(state), Command::FilesBack(None)).0.unwrap();
    assert_eq!(next(&back, Program::Nothing, None), Some(Effect::Start));
    let failed = apply(Some(back), Command::StartFailed(problem())).0.unwrap();
    assert_eq!((failed.lifecycle, failed.pending), (Lifecycle::Hibernated, None));
}

#[test]
fn one_that_was_paused_is_paused_again_when_it_comes_back_from_the_trash() {
    let paused = [Command::Pause, Command::Exited(None), Command::Parked(parked())];
    let deleted = [&paused[..], &[Command::Trash, Command::Parked(parked())]].concat();
    let state = after(&[&deleted[..], &[Command::Restore]].concat());
    assert_eq!((state.lifecycle, state.pending), (Lifecycle::Paused, None));
    assert!(state.parked.is_some());
}

#[test]
fn a_delete_while_files_come_back_puts_them_away_again() {
    let paused = [Command::Pause, Command::Exited(None), Command::Parked(parked())];
    let state = after(&[&paused[..], &[Command::Resume, Command::Trash]].concat());
    assert_eq!(next(&state, Program::Nothing, Some(Work::Unpark)), None);
    let state = apply(Some(state), Command::FilesBack(None)).0.unwrap();
    assert_eq!((state.lifecycle, state.pending), (Lifecycle::Hibernated, Some(Pending::Trash)));
    assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Park));
}

#[test]
fn what_is_lost_is_started_again_where_that_was_asked_for() {
    let lost = |on_loss, asked: &[Command], soon| {
        let mut state = after(asked);
        state.launch.on_loss = on_loss;
        let state = apply(Some(state), Command::Lost { soon }).0.unwrap();
        (state.lifecycle, state.pending)
    };
    let again = (Lifecycle::Exited, Some(Pending::Restart));
    let stays = (Lifecycle::Exited, None);
    assert_eq!(lost(OnLoss::Resume, &[], false), again);
    assert_eq!(lost(OnLoss::Rerun, &[], false), again);
    assert_eq!(lost(OnLoss::Stop, &[], false), stays);
    assert_eq!(lost(OnLoss::Resume, &[], true), stays, "it would be lost again");
    assert_eq!(lost(OnLoss::Resume, &[Command::EndAsked], false), stays, "it was to end");
    let trash = (Lifecycle::Exited, Some(Pending::Trash));
    assert_eq!(lost(OnLoss::Resume, &[Command::Trash], false), trash);
}

#[test]
fn what_was_started_before_a_crash_is_not_started_twice() {
    let exited = Command::Exited(Some(Exit { code: Some(0), signal: None }));
    let state = after(&[Command::Restart, exited]);
    assert!(may_run(&state));
    assert_eq!(found(&state, &Found::Here, &problem(), false), [Command::Started]);
    let gone = found(&state, &Found::Gone(None), &problem(), false);
    assert_eq!(gone, [Command::Started, Command::Exited(None)]);
    assert_eq!(found(&state, &Found::NeverStarted, &problem(), false), []);
    assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Start));
}

#[test]
fn what_was_made_before_a_creation_was_called_off_is_put_away() {
    let (state, _) = apply(None, Command::Create(launch()));
    let (state, _) = apply(state, Command::Trash);
    let place = all_commands().into_iter().find(|c| matches!(c, Command::PlaceReady(_))).unwrap();
    let (state, _) = apply(state, place);
    let (state, _) = apply(state, Command::Started);
    let (state, _) = apply(state, Command::Exited(None));
    let state = state.unwrap();
    assert!(state.place.is_some());
    assert_eq!((state.lifecycle, state.pending), (Lifecycle::Exited, Some(Pending::Trash)));
    assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Park));
}

/// Its start is not written down yet, because the store fails or the daemon just came back.
#[test]
fn a_program_that_was_wanted_is_not_ended_by_the_same_want() {
    let here = Program::Here { ending: false };
    for asked in [Command::Restart, Command::Wake] {
        let began = if asked == Command::Wake { Command::Hibernate } else { Command::EndAsked };
        let ended = Command::Exited(None);
        let state = match asked {
            Command::Wake => after(&[began, ended, asked]),
            _ => after(&[began, asked, ended]),
        };
        assert_eq!(next(&state, here, None), None, "{state:?}");
        assert_eq!(next(&state, Program::Nothing, None), Some(Effect::Start));
    }
    // The one before it is.
    assert_eq!(next(&after(&[Command::Restart]), here, None), Some(Effect::End));
}

#[test]
fn what_is_left_of_a_run_before_is_not_the_run_that_is_started() {
    let state = after(&[Command::Exited(None), Command::Restart]);
    assert_eq!(state.run, 1);
    assert!(is_older(&state, 1));
    assert!(!is_older(&state, 2));
    // While it runs, or is being ended to be started again, it is the one that is looked for.
    assert!(!is_older(&after(&[]), 1));
    assert!(!is_older(&after(&[Command::Restart]), 1));
    assert_eq!(apply(Some(state), Command::Started).0.unwrap().run, 2);
}

#[test]
fn what_is_not_ours_is_let_go_of_and_taken_up_again() {
    let adopted = Box::new(Launch { kind: Kind::Adopted, ..*launch() });
    let steps = [
        Command::Create(adopted),
        Command::PlaceReady(place()),
        Command::Started,
        Command::Trash,
        Command::Parked(parked()),
    ];
    let mut state = None;
    for command in steps {
        state = apply(state, command).0;
        if state.as_ref().is_some_and(|state| state.lifecycle == Lifecycle::Running) {
            for refused in [Command::Pause, Command::Hibernate, Command::Restart] {
                let problem = decide(state.as_ref(), refused).unwrap_err();
                assert_eq!(problem.code, Code::StateConflict);
                assert!(problem.hint.contains("qd rm"), "{problem:?}");
            }
        }
    }
    let trashed = state.clone().unwrap();
    assert_eq!((trashed.lifecycle, trashed.exit), (Lifecycle::Trashed, None));
    state = apply(apply(state, Command::Restore).0, Command::FilesBack(None)).0;
    let back = state.clone().unwrap();
    assert_eq!((back.lifecycle, back.pending), (Lifecycle::Exited, Some(Pending::Restart)));
    assert_eq!(next(&back, Program::Nothing, None), Some(Effect::Start));
    // It is gone meanwhile.
    let gone = apply(state.clone(), Command::StartFailed(problem())).0.unwrap();
    assert_eq!((gone.lifecycle, gone.pending), (Lifecycle::Exited, None));
    assert!(apply(state, Command::Started).0.unwrap().lifecycle == Lifecycle::Running);
    // One whose program had ended before is not looked for.
    let mut ended = Some(Session { lifecycle: Lifecycle::Exited, before_trash: None, ..gone });
    for command in [Command::Trash, Command::Parked(parked()), Command::Restore] {
        ended = apply(ended, command).0;
    }
    let ended = apply(ended, Command::FilesBack(None)).0.unwrap();
    assert_eq!((ended.lifecycle, ended.pending), (Lifecycle::Exited, None));
}

#[test]
fn a_conversation_that_is_known_is_not_told_again() {
    let (state, _) = apply(None, Command::Create(launch()));
    let found = || Command::ConversationFound("c1".into());
    let events = decide(state.as_ref(), found()).unwrap();
    assert_eq!(events, [Event::ConversationKnown("c1".into())]);
    let (state, _) = apply(state, found());
    assert_eq!(state.as_ref().unwrap().launch.conversation.as_deref(), Some("c1"));
    assert_eq!(decide(state.as_ref(), found()), Ok(vec![]));
}
