//! What is to be done for a session, from what it is and what its owner has in hand.
//!
//! The owner asks after each of its turns, does what it is told, and reports how that went. After
//! a crash it begins with empty hands and asks the same question: so work that was cut short is
//! gone on with, whatever the step it was at.

use crate::{Command, Exit, Lifecycle, Pending, Problem, Session};

/// What the owner knows of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Program {
    /// None runs: certain.
    Nothing,
    /// It is being started, with all that it needs.
    Starting,
    /// It is looked for.
    Unknown,
    /// It runs.
    Here {
        /// It was asked to end.
        ending: bool,
    },
    /// What is left of it is being ended.
    Closing,
}

/// Work on the files that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// They are put away.
    Park,
    /// They are brought back.
    Unpark,
    /// They are ended.
    Purge,
}

/// What the owner is to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Call off the start.
    CallOff,
    /// Ask the program to end, and see to it that it does.
    End,
    /// Put the files away; answers with [`Command::Parked`] or [`Command::ParkFailed`].
    Park,
    /// Bring them back; answers with [`Command::FilesBack`] or [`Command::FilesBackFailed`].
    Unpark,
    /// Start the program; answers with [`Command::Started`] or [`Command::StartFailed`].
    Start,
    /// End the files; answers with [`Command::PurgeDone`] or [`Command::PurgeFailed`].
    Purge,
}

/// What became of a program that was looked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It runs.
    Here,
    /// It ran and is gone; how it ended, where somebody saw that.
    Gone(Option<Exit>),
    /// Nothing says that it was ever started.
    NeverStarted,
}

/// The one thing to do next; none when nothing is to be done, or what is under way comes first.
#[must_use]
pub fn next(session: &Session, program: Program, work: Option<Work>) -> Option<Effect> {
    let pending = session.pending?;
    if work.is_some() {
        return None;
    }
    match program {
        Program::Starting => (pending == Pending::Trash).then_some(Effect::CallOff),
        Program::Unknown | Program::Closing | Program::Here { ending: true } => None,
        // The one that was wanted is not ended before it is written down that it runs.
        Program::Here { ending: false } => {
            (!matches!(pending, Pending::Create(_)) && !starts(session)).then_some(Effect::End)
        }
        Program::Nothing => match pending {
            Pending::Trash | Pending::Pause => Some(Effect::Park),
            Pending::Restore => Some(Effect::Unpark),
            Pending::Purge => Some(Effect::Purge),
            Pending::Resume if session.parked.is_some() => Some(Effect::Unpark),
            Pending::Resume => Some(Effect::Start),
            // That the last one has ended is written down before the next one is started.
            Pending::Wake | Pending::Restart if session.lifecycle != Lifecycle::Running => {
                Some(Effect::Start)
            }
            Pending::Create(_) | Pending::Hibernate | Pending::Wake | Pending::Restart => None,
        },
    }
}

/// Whether a program of this session may run though nobody holds it, as after a crash: it is
/// looked for before anything else is done.
#[must_use]
pub fn may_run(session: &Session) -> bool {
    matches!(session.lifecycle, Lifecycle::Running | Lifecycle::Creating) || starts(session)
}

/// What is to be reported once it is known what became of the program. `cut_short` is why a
/// creation ended before its program ran. `soon`: it had been started only a moment before.
#[must_use]
pub fn found(session: &Session, found: &Found, cut_short: &Problem, soon: bool) -> Vec<Command> {
    let creating = session.lifecycle == Lifecycle::Creating;
    match found {
        Found::Here if creating || starts(session) => vec![Command::Started],
        Found::Here => vec![],
        _ if creating => vec![Command::CreationFailed(cut_short.clone())],
        // It was started before the daemon ended, and is not started twice.
        Found::Gone(exit) if starts(session) => vec![Command::Started, Command::Exited(*exit)],
        Found::NeverStarted if starts(session) => vec![],
        Found::Gone(exit @ Some(_)) => vec![Command::Exited(*exit)],
        Found::Gone(None) | Found::NeverStarted => vec![Command::Lost { soon }],
    }
}

/// Whether a program that was found is of a run before the one that is being started: what is
/// left of it is ended, and it is not taken for the new one. `run` is the number that it was
/// started with, one more than [`Session::run`] was then.
#[must_use]
pub fn is_older(session: &Session, run: u64) -> bool {
    starts(session) && run <= session.run
}

/// Whether its program is being started again.
fn starts(session: &Session) -> bool {
    match session.pending {
        Some(Pending::Resume) => session.parked.is_none(),
        Some(Pending::Wake | Pending::Restart) => session.lifecycle != Lifecycle::Running,
        _ => false,
    }
}
