use crate::event::Description;
use crate::{Code, Event, Exit, Launch, Lifecycle, Parked, Pending, Place, Problem, Session, Step};

/// What somebody wants of a session, or what the world reports about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Make it.
    Create(Box<Launch>),
    /// A step of the creation begins.
    BeginStep(Step),
    /// Its files are there.
    PlaceReady(Box<Place>),
    /// Its program runs.
    Started,
    /// It could not be made.
    CreationFailed(Problem),
    /// Its program ended.
    Exited(Option<Exit>),
    /// Put it in the trash.
    Trash,
    /// It has been put there.
    TrashDone(Box<Parked>),
    /// That failed.
    TrashFailed(Problem),
    /// Bring it back.
    Restore,
    /// It has been brought back.
    RestoreDone(Option<Box<Place>>),
    /// That failed.
    RestoreFailed(Problem),
    /// End it for good.
    Purge,
    /// It has been ended.
    PurgeDone,
    /// That failed.
    PurgeFailed(Problem),
    /// Change what the person calls it.
    Describe(Box<Description>),
}

/// What follows from a command in a state: events, none when there is nothing to do, or a
/// refusal that changes nothing.
///
/// A person who asks twice for the same change gets the change once and no error: a second
/// `Trash` while the first is under way answers with no events.
///
/// # Errors
/// A [`Problem`] with [`Code::StateConflict`] or [`Code::UnknownSession`].
pub fn decide(state: Option<&Session>, command: Command) -> Result<Vec<Event>, Problem> {
    let Some(session) = state else {
        return match command {
            Command::Create(launch) => Ok(vec![Event::Created(launch)]),
            _ => Err(Problem::new(
                Code::UnknownSession,
                "No session has that id.",
                "List them with `qd ls`, and those in the trash with `qd trash`.",
            )),
        };
    };
    // A creation that a delete has called off is not under way any more.
    let creating = matches!(session.pending, Some(Pending::Create(_)));
    let trashed = session.lifecycle == Lifecycle::Trashed;
    match command {
        Command::Create(_) => refuse(session, "be created again"),
        Command::BeginStep(step) if creating => one(Event::StepBegan(step)),
        Command::PlaceReady(place) if creating => one(Event::PlaceReady(place)),
        Command::Started if creating => one(Event::Started),
        Command::CreationFailed(problem) if session.lifecycle == Lifecycle::Creating => {
            one(Event::CreationFailed(problem))
        }
        // A program that ends while its creation or its trash is under way has ended all the same.
        Command::Exited(exit) if session.lifecycle == Lifecycle::Running => {
            one(Event::Exited(exit))
        }
        Command::Trash => match session.pending {
            Some(Pending::Trash) => Ok(vec![]),
            Some(Pending::Restore | Pending::Purge) => refuse(session, "be deleted just now"),
            Some(Pending::Create(_)) | None if trashed => Ok(vec![]),
            Some(Pending::Create(_)) | None => one(Event::TrashBegan),
        },
        Command::TrashDone(parked) if session.pending == Some(Pending::Trash) => {
            one(Event::Trashed(parked))
        }
        Command::TrashFailed(problem) if session.pending == Some(Pending::Trash) => {
            one(Event::TrashFailed(problem))
        }
        Command::Restore => match session.pending {
            Some(Pending::Restore) => Ok(vec![]),
            None if trashed => one(Event::RestoreBegan),
            _ => refuse(session, "be restored: it is not in the trash"),
        },
        Command::RestoreDone(place) if session.pending == Some(Pending::Restore) => {
            one(Event::Restored(place))
        }
        Command::RestoreFailed(problem) if session.pending == Some(Pending::Restore) => {
            one(Event::RestoreFailed(problem))
        }
        Command::Purge => match session.pending {
            Some(Pending::Purge) => Ok(vec![]),
            None if trashed => one(Event::PurgeBegan),
            _ => refuse(session, "be purged: it is not in the trash"),
        },
        Command::PurgeDone if session.pending == Some(Pending::Purge) => one(Event::Purged),
        Command::PurgeFailed(problem) if session.pending == Some(Pending::Purge) => {
            one(Event::PurgeFailed(problem))
        }
        Command::Describe(words) => {
            if *words == Description::default() {
                Ok(vec![])
            } else {
                one(Event::Described(words))
            }
        }
        // Reports of work that a later command has overtaken: late, and not wrong.
        Command::BeginStep(_)
        | Command::PlaceReady(_)
        | Command::Started
        | Command::CreationFailed(_)
        | Command::Exited(_)
        | Command::TrashDone(_)
        | Command::TrashFailed(_)
        | Command::RestoreDone(_)
        | Command::RestoreFailed(_)
        | Command::PurgeDone
        | Command::PurgeFailed(_) => Ok(vec![]),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every arm of the table has one type")]
fn one(event: Event) -> Result<Vec<Event>, Problem> {
    Ok(vec![event])
}

fn refuse(session: &Session, what: &str) -> Result<Vec<Event>, Problem> {
    let now = match session.pending {
        Some(Pending::Create(_)) => "it is being made",
        Some(Pending::Trash) => "it is on its way to the trash",
        Some(Pending::Restore) => "it is on its way back from the trash",
        Some(Pending::Purge) => "it is being purged",
        None => match session.lifecycle {
            Lifecycle::Creating => "it is being made",
            Lifecycle::Running => "it runs",
            Lifecycle::Exited => "it has ended",
            Lifecycle::Failed => "it failed to start",
            Lifecycle::Trashed => "it is in the trash",
        },
    };
    Err(Problem::new(
        Code::StateConflict,
        format!("\u{201c}{}\u{201d} cannot {what}; {now}.", session.launch.title),
        "Nothing was changed. Look at it with `qd show`.",
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Kind, Millis, OnLoss, SessionId, Size, Title, evolve};

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
        })
    }

    fn problem() -> Problem {
        Problem::new(Code::GitFailed, "It failed.", "Try again.")
    }

    fn parked() -> Box<Parked> {
        Box::new(Parked { path: None, receipt: None, kept: "Nothing.".into() })
    }

    fn all_commands() -> Vec<Command> {
        vec![
            Command::Create(launch()),
            Command::BeginStep(Step::Worktree),
            Command::PlaceReady(Box::new(Place {
                worktree: "/w".into(),
                common_dir: None,
                checkout: None,
                branch: None,
                made_branch: false,
                made_worktree: false,
                base: None,
                receipt: None,
                notes: vec![],
            })),
            Command::Started,
            Command::CreationFailed(problem()),
            Command::Exited(Some(Exit { code: Some(0), signal: None })),
            Command::Exited(None),
            Command::Trash,
            Command::TrashDone(parked()),
            Command::TrashFailed(problem()),
            Command::Restore,
            Command::RestoreDone(None),
            Command::RestoreFailed(problem()),
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
                    next.version = 0;
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
                Command::RestoreFailed(problem()),
                Command::PurgeFailed(problem()),
                Command::Trash,
                Command::TrashDone(parked()),
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
            };
            assert!(fits, "{state:?}");
            assert_eq!(state.parked.is_some(), state.lifecycle == Lifecycle::Trashed, "{state:?}");
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
        let (state, _) = apply(state, Command::TrashDone(parked()));
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
             Nothing was changed. Look at it with `qd show`."
        );
    }
}
