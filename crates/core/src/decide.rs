use crate::event::{Description, Shipped};
use crate::{
    Code, Event, Exit, Launch, Lifecycle, OnLoss, Parked, Pending, Place, Problem, Session, Step,
};

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
    /// It could not be made; what was made on the way is gone.
    CreationFailed(Problem),
    /// It could not be made, and its files are there still: somebody has worked in them.
    CreationKept(Problem),
    /// Its program could not be started again.
    StartFailed(Problem),
    /// Its program ended.
    Exited(Option<Exit>),
    /// Its terminal is gone and nobody saw how its program ended.
    Lost {
        /// The program had been started only a moment before: starting it once more would most
        /// likely end the same way.
        soon: bool,
    },
    /// Put it in the trash.
    Trash,
    /// End its program and put its worktree away.
    Pause,
    /// Its files have been put away.
    Parked(Box<Parked>),
    /// That failed.
    ParkFailed(Problem),
    /// Bring it back from the trash.
    Restore,
    /// Go on with one that was paused.
    Resume,
    /// Its files have been brought back.
    FilesBack(Option<Box<Place>>),
    /// That failed.
    FilesBackFailed(Problem),
    /// End its program to free memory.
    Hibernate,
    /// Go on with one that was hibernated.
    Wake,
    /// End its program if it runs, and start it again.
    Restart,
    /// End it for good.
    Purge,
    /// It has been ended.
    PurgeDone,
    /// That failed.
    PurgeFailed(Problem),
    /// Its program is to end with the daemon.
    EndAsked,
    /// Change what the person calls it.
    Describe(Box<Description>),
    /// The agent has a conversation of this id.
    ConversationFound(String),
    /// Something of its work was shipped, or that failed.
    Shipped(Box<Shipped>),
}

/// What follows from a command in a state: events, none when there is nothing to do, or a
/// refusal that changes nothing.
///
/// A person who asks twice for the same change gets the change once and no error: a second
/// `Trash` while the first is under way answers with no events. Deleting comes before all else
/// that is under way but a way back from the trash or out of it.
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
    match command {
        Command::Create(_) => refuse(session, "be created again"),
        Command::Trash
        | Command::Pause
        | Command::Restore
        | Command::Resume
        | Command::Hibernate
        | Command::Wake
        | Command::Restart
        | Command::Purge => asked(session, &command),
        Command::Describe(words) if *words == Description::default() => Ok(vec![]),
        Command::Describe(words) => one(Event::Described(words)),
        report => Ok(reported(session, report)),
    }
}

/// What a person asks for.
fn asked(session: &Session, command: &Command) -> Result<Vec<Event>, Problem> {
    use Lifecycle::{Exited, Failed, Hibernated, Paused, Running, Trashed};
    let (pending, lifecycle) = (session.pending, session.lifecycle);
    match (command, pending, lifecycle) {
        (Command::Pause, ..) if session.is_adopted() => not_ours(session, "be paused"),
        (Command::Hibernate, ..) if session.is_adopted() => not_ours(session, "be hibernated"),
        (Command::Restart, ..) if session.is_adopted() => not_ours(session, "be restarted"),

        (Command::Trash, Some(Pending::Trash), _) | (Command::Trash, None, Trashed) => Ok(vec![]),
        (Command::Trash, Some(Pending::Restore | Pending::Purge), _) => {
            refuse(session, "be deleted just now")
        }
        (Command::Trash, ..) => one(Event::TrashBegan),

        (Command::Restore, Some(Pending::Restore), _) => Ok(vec![]),
        // Its worktree stays put away: there is nothing to wait for.
        (Command::Restore, None, Trashed) if session.before_trash == Some(Paused) => {
            one(Event::Restored(None))
        }
        (Command::Restore, None, Trashed) => one(Event::RestoreBegan),
        (Command::Restore, ..) => refuse(session, "be restored: it is not in the trash"),

        (Command::Purge, Some(Pending::Purge), _) => Ok(vec![]),
        (Command::Purge, None, Trashed) => one(Event::PurgeBegan),
        (Command::Purge, ..) => {
            let hint = "Nothing was changed. Put it in the trash first, with `qd rm`.";
            refuse_with(session, "be purged: it is not in the trash", hint)
        }

        (Command::Pause, Some(Pending::Pause), _) | (Command::Pause, None, Paused) => Ok(vec![]),
        (Command::Pause, None, Running | Exited | Hibernated) => one(Event::PauseBegan),
        (Command::Pause, ..) => refuse(session, "be paused"),

        (Command::Resume, Some(Pending::Resume), _) => Ok(vec![]),
        (Command::Resume, None, Paused) => one(Event::ResumeBegan),
        (Command::Resume | Command::Wake, Some(Pending::Wake), _)
        | (Command::Resume | Command::Wake, None, Running) => Ok(vec![]),
        (Command::Resume | Command::Wake, None, Hibernated)
        // It is wanted after all: it goes on as soon as its program has ended.
        | (Command::Resume | Command::Wake, Some(Pending::Hibernate), Running) => {
            one(Event::WakeBegan)
        }
        (Command::Resume, ..) => refuse(session, "be resumed"),
        (Command::Wake, ..) => refuse(session, "be woken"),

        (Command::Hibernate, Some(Pending::Hibernate), _)
        | (Command::Hibernate, None, Hibernated) => Ok(vec![]),
        (Command::Hibernate, None, Running) => one(Event::HibernateBegan),
        (Command::Hibernate, ..) => refuse(session, "be hibernated"),

        (Command::Restart, Some(Pending::Restart), _) => Ok(vec![]),
        (Command::Restart, None, Running | Exited | Hibernated) => one(Event::RestartBegan),
        (Command::Restart, None, Failed) if session.place.is_some() => one(Event::RestartBegan),
        (Command::Restart, None, Failed) => {
            refuse(session, "be restarted: make it again instead")
        }
        (Command::Restart, ..) => refuse(session, "be restarted"),
        _ => Ok(vec![]),
    }
}

/// What the world reports. A report of work that a later command has overtaken is late, and not
/// wrong: it changes nothing.
fn reported(session: &Session, report: Command) -> Vec<Event> {
    let (pending, lifecycle) = (session.pending, session.lifecycle);
    // A creation that a delete has called off is not under way any more.
    let creating = matches!(pending, Some(Pending::Create(_)));
    let running = lifecycle == Lifecycle::Running;
    let event = match (report, pending) {
        (Command::ConversationFound(id), _)
            if session.launch.conversation.as_ref() != Some(&id) =>
        {
            Event::ConversationKnown(id)
        }
        (Command::BeginStep(step), _) if creating => Event::StepBegan(step),
        // Also of one that is on its way to the trash: what was made before the creation was
        // called off is put away, not forgotten.
        (Command::PlaceReady(place), _) if lifecycle == Lifecycle::Creating => {
            Event::PlaceReady(place)
        }
        (Command::Started, _) if creating => Event::Started,
        (Command::Started, Some(Pending::Trash)) if !running && session.parked.is_none() => {
            Event::Started
        }
        (Command::Started, Some(Pending::Wake | Pending::Restart)) if !running => Event::Started,
        (Command::Started, Some(Pending::Resume)) if session.parked.is_none() => Event::Started,
        (Command::CreationFailed(problem), _) if lifecycle == Lifecycle::Creating => {
            Event::CreationFailed(problem)
        }
        (Command::CreationKept(problem), _) if lifecycle == Lifecycle::Creating => {
            Event::CreationKept(problem)
        }
        (Command::StartFailed(problem), Some(Pending::Resume)) => Event::ResumeFailed(problem),
        (Command::StartFailed(problem), Some(Pending::Wake)) if !running => {
            Event::WakeFailed(problem)
        }
        (Command::StartFailed(problem), Some(Pending::Restart)) if !running => {
            Event::RestartFailed(problem)
        }
        // A program that ends while something else is under way has ended all the same.
        (Command::Exited(exit), _) if running => Event::Exited(exit),
        (Command::Lost { soon }, pending) if running => {
            let stays = soon
                || pending.is_some()
                || session.end_asked
                || session.launch.on_loss == OnLoss::Stop;
            if !stays {
                return vec![Event::Exited(None), Event::RestartBegan];
            }
            Event::Exited(None)
        }
        (Command::EndAsked, _) if running => Event::EndAsked,
        (Command::Shipped(shipped), _) if session.place.is_some() => Event::Shipped(shipped),
        // What runs in its pane was let go of, and may be there still: it is taken up again.
        (Command::FilesBack(place), Some(Pending::Restore))
            if session.before_trash == Some(Lifecycle::Running) =>
        {
            return vec![Event::Restored(place), Event::RestartBegan];
        }
        (Command::Parked(parked), Some(Pending::Trash)) => Event::Trashed(parked),
        (Command::Parked(parked), Some(Pending::Pause)) => Event::Paused(parked),
        (Command::ParkFailed(problem), Some(Pending::Trash)) => Event::TrashFailed(problem),
        (Command::ParkFailed(problem), Some(Pending::Pause)) => Event::PauseFailed(problem),
        (Command::FilesBack(place), Some(Pending::Restore)) => Event::Restored(place),
        // On its way to the trash: they are put away again from where they are now.
        (Command::FilesBack(place), Some(Pending::Resume | Pending::Trash))
            if lifecycle == Lifecycle::Paused =>
        {
            Event::FilesBack(place)
        }
        (Command::FilesBackFailed(problem), Some(Pending::Restore)) => {
            Event::RestoreFailed(problem)
        }
        (Command::FilesBackFailed(problem), Some(Pending::Resume)) => Event::ResumeFailed(problem),
        (Command::PurgeDone, Some(Pending::Purge)) => Event::Purged,
        (Command::PurgeFailed(problem), Some(Pending::Purge)) => Event::PurgeFailed(problem),
        _ => return vec![],
    };
    vec![event]
}

#[expect(clippy::unnecessary_wraps, reason = "every arm of the table has one type")]
fn one(event: Event) -> Result<Vec<Event>, Problem> {
    Ok(vec![event])
}

/// What takes the end of a program that is not ours, or its start.
fn not_ours(session: &Session, what: &str) -> Result<Vec<Event>, Problem> {
    let title = &session.launch.title;
    Err(Problem::new(
        Code::StateConflict,
        format!(
            "\u{201c}{title}\u{201d} cannot {what}: its program is in a tmux pane of your own."
        ),
        "Nothing was changed. End it or start it there; `qd rm` lets go of it and leaves it running.",
    ))
}

fn refuse(session: &Session, what: &str) -> Result<Vec<Event>, Problem> {
    refuse_with(session, what, hint(session))
}

fn refuse_with(session: &Session, what: &str, hint: &'static str) -> Result<Vec<Event>, Problem> {
    let now = match session.pending {
        Some(Pending::Create(_)) => "it is being made",
        Some(Pending::Trash) => "it is on its way to the trash",
        Some(Pending::Restore) => "it is on its way back from the trash",
        Some(Pending::Purge) => "it is being purged",
        Some(Pending::Pause) => "it is being paused",
        Some(Pending::Resume) => "it is being resumed",
        Some(Pending::Hibernate) => "it is being hibernated",
        Some(Pending::Wake) => "it is being woken",
        Some(Pending::Restart) => "it is being restarted",
        None => match session.lifecycle {
            Lifecycle::Creating => "it is being made",
            Lifecycle::Running => "it runs",
            Lifecycle::Paused => "it is paused",
            Lifecycle::Hibernated => "it is hibernated",
            Lifecycle::Exited => "it has ended",
            Lifecycle::Failed => "it failed to start",
            Lifecycle::Trashed => "it is in the trash",
        },
    };
    Err(Problem::new(
        Code::StateConflict,
        format!("\u{201c}{}\u{201d} cannot {what}; {now}.", session.launch.title),
        hint,
    ))
}

/// What can be done instead.
fn hint(session: &Session) -> &'static str {
    match (session.pending, session.lifecycle) {
        (Some(_), _) => "Nothing was changed. Wait until that is done; `qd show` tells.",
        (None, Lifecycle::Paused) => "Nothing was changed. Go on with it with `qd resume`.",
        (None, Lifecycle::Exited) if session.is_adopted() => {
            "Nothing was changed. Adopt its pane again with `qd adopt`, if it is there."
        }
        (None, Lifecycle::Exited) => "Nothing was changed. Start it again with `qd restart`.",
        (None, Lifecycle::Trashed) => "Nothing was changed. Bring it back with `qd restore`.",
        (None, _) => "Nothing was changed. Look at it with `qd show`.",
    }
}

#[cfg(test)]
mod tests;
