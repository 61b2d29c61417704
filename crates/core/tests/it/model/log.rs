//! The event log of a session, as the state that its events lead to. States are numbered, so
//! that one is two bytes; all that is decided on them is decided by the real machine, once.

use std::collections::HashMap;

use qd_core::{
    Action, Code, Command, Description, Event, Exit, Kind, Millis, OnLoss, Session, SessionId,
    Step, Title, decide, evolve,
};

use super::samples::{launch, parked, place, problem};

/// The number of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Log(u16);

impl Log {
    /// Nobody has asked for it.
    pub const NEVER: Self = Self(0);
    /// It was purged.
    pub const PURGED: Self = Self(1);
}

/// What the machine is told. The words that do not matter to it are always the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Said {
    Nothing,
    Act(Act),
    Describe,
    EndAsked,
    BeginWorktree,
    BeginStart,
    PlaceReady,
    Started,
    CreationFailed,
    CreationKept,
    StartFailed,
    Exited,
    Lost {
        soon: bool,
    },
    /// Its worktree was put away.
    Parked,
    /// There was nothing to put away.
    ParkedNothing,
    ParkFailed,
    FilesBack,
    FilesBackFailed,
    PurgeDone,
    PurgeFailed,
}

/// [`Action`], with an order of our own for hashing in one byte.
pub type Act = Action;

/// What came of telling it.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// How many events, or the refusal.
    pub answer: Result<usize, Code>,
    /// One of them says that its program runs.
    pub started: bool,
    /// The state after it.
    pub log: Log,
}

/// All states met so far.
pub struct Logs {
    states: Vec<Session>,
    told: HashMap<(Log, Said), Told>,
}

impl Logs {
    pub fn new() -> Self {
        Self { states: vec![], told: HashMap::new() }
    }

    /// How many states of the log were met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The state; none when there is none.
    pub fn session(&self, log: Log) -> Option<&Session> {
        self.states.get(usize::from(log.0).checked_sub(2)?)
    }

    /// A session that is asked for.
    pub fn create(&mut self, on_loss: OnLoss, kind: Kind) -> Log {
        let command = Command::Create(Box::new(launch(on_loss, kind)));
        let events = decide(None, command).unwrap();
        let state = events.iter().fold(None, |state, event| evolve(state, &id(), event, Millis(0)));
        self.number(state)
    }

    /// Tells it, by the real machine.
    pub fn tell(&mut self, log: Log, said: Said) -> Told {
        if let Some(told) = self.told.get(&(log, said)) {
            return *told;
        }
        let session = self.session(log).cloned();
        let ours = session.as_ref().is_some_and(|session| session.launch.kind == Kind::Worktree);
        let told = match decide(session.as_ref(), command(said, ours)) {
            Ok(events) => {
                let next = events
                    .iter()
                    .fold(session.clone(), |state, event| evolve(state, &id(), event, Millis(0)));
                let started = events.contains(&Event::Started);
                let log = if events.is_empty() { log } else { self.number(next) };
                Told { answer: Ok(events.len()), started, log }
            }
            Err(problem) => Told { answer: Err(problem.code), started: false, log },
        };
        self.told.insert((log, said), told);
        told
    }

    fn number(&mut self, state: Option<Session>) -> Log {
        let Some(mut state) = state else { return Log::PURGED };
        // What no decision looks at is always the same.
        state.version = 0;
        state.run = 0;
        state.exit = None;
        state.problem = None;
        let at = self.states.iter().position(|known| *known == state).unwrap_or_else(|| {
            self.states.push(state);
            self.states.len() - 1
        });
        Log(u16::try_from(at + 2).unwrap())
    }
}

fn id() -> SessionId {
    SessionId::from_random([7; SessionId::LEN])
}

fn command(said: Said, ours: bool) -> Command {
    match said {
        Said::Nothing => unreachable!("nothing is never said"),
        Said::Act(action) => action.command(),
        // It says what is so already: that it changes nothing else is the point.
        Said::Describe => {
            let title = Some(Title::parse("t").unwrap());
            Command::Describe(Box::new(Description { title, ..Description::default() }))
        }
        Said::EndAsked => Command::EndAsked,
        Said::BeginWorktree => Command::BeginStep(Step::Worktree),
        Said::BeginStart => Command::BeginStep(Step::Start),
        Said::PlaceReady => Command::PlaceReady(place(ours)),
        Said::Started => Command::Started,
        Said::CreationFailed => Command::CreationFailed(problem()),
        Said::CreationKept => Command::CreationKept(problem()),
        Said::StartFailed => Command::StartFailed(problem()),
        Said::Exited => Command::Exited(Some(Exit { code: Some(0), signal: None })),
        Said::Lost { soon } => Command::Lost { soon },
        Said::Parked => Command::Parked(parked(Some("/trash"))),
        Said::ParkedNothing => Command::Parked(parked(None)),
        Said::ParkFailed => Command::ParkFailed(problem()),
        Said::FilesBack => Command::FilesBack(Some(place(ours))),
        Said::FilesBackFailed => Command::FilesBackFailed(problem()),
        Said::PurgeDone => Command::PurgeDone,
        Said::PurgeFailed => Command::PurgeFailed(problem()),
    }
}

/// A report that the machine gives, in the model's words.
pub fn said(command: &Command) -> Said {
    match command {
        Command::Started => Said::Started,
        Command::CreationFailed(_) => Said::CreationFailed,
        Command::Exited(_) => Said::Exited,
        Command::Lost { soon } => Said::Lost { soon: *soon },
        other => panic!("the machine reports {other:?}"),
    }
}
