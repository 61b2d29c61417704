use serde::{Deserialize, Serialize};

use crate::{
    Exit, Launch, Lifecycle, Millis, Parked, Pending, Place, Problem, Session, SessionId, Step,
    Tag, Title,
};

/// What happened to a session. Events are the truth; the rest is derived from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum Event {
    /// It was asked for.
    Created(Box<Launch>),
    /// A step of its creation began.
    StepBegan(Step),
    /// Its files are there.
    PlaceReady(Box<Place>),
    /// Its program runs.
    Started,
    /// It could not be made; what was made on the way is gone.
    CreationFailed(Problem),
    /// Its program ended. `None`: the terminal was lost, so how it ended is not known.
    Exited(Option<Exit>),
    /// It is on its way to the trash.
    TrashBegan,
    /// It is in the trash.
    Trashed(Box<Parked>),
    /// It could not be put in the trash and is where it was.
    TrashFailed(Problem),
    /// It is on its way back.
    RestoreBegan,
    /// It is back.
    Restored(Option<Box<Place>>),
    /// It could not be brought back and is in the trash still.
    RestoreFailed(Problem),
    /// It is being ended for good.
    PurgeBegan,
    /// It is gone.
    Purged,
    /// It could not be ended for good and is in the trash still.
    PurgeFailed(Problem),
    /// The person changed what they call it.
    Described(Box<Description>),
}

/// What a person may change without any effect on the program; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The title.
    pub title: Option<Title>,
    /// The labels.
    pub tags: Option<Vec<Tag>>,
    /// Kept at the top.
    pub pinned: Option<bool>,
    /// Words of the person.
    pub notes: Option<String>,
}

impl Event {
    /// Its name in the event log.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Created(_) => "created",
            Self::StepBegan(_) => "step-began",
            Self::PlaceReady(_) => "place-ready",
            Self::Started => "started",
            Self::CreationFailed(_) => "creation-failed",
            Self::Exited(_) => "exited",
            Self::TrashBegan => "trash-began",
            Self::Trashed(_) => "trashed",
            Self::TrashFailed(_) => "trash-failed",
            Self::RestoreBegan => "restore-began",
            Self::Restored(_) => "restored",
            Self::RestoreFailed(_) => "restore-failed",
            Self::PurgeBegan => "purge-began",
            Self::Purged => "purged",
            Self::PurgeFailed(_) => "purge-failed",
            Self::Described(_) => "described",
        }
    }
}

/// The state after an event. `None` before it was created and after it was purged.
#[must_use]
pub fn evolve(
    state: Option<Session>,
    id: &SessionId,
    event: &Event,
    at: Millis,
) -> Option<Session> {
    if let Event::Created(launch) = event {
        return Some(born(id.clone(), launch.as_ref().clone(), at));
    }
    let mut session = state?;
    session.version += 1;
    let before = session.lifecycle;
    match event {
        Event::Created(_) => {}
        Event::StepBegan(step) => session.pending = Some(Pending::Create(*step)),
        Event::PlaceReady(place) => session.place = Some(place.as_ref().clone()),
        Event::Started => {
            session.lifecycle = Lifecycle::Running;
            session.pending = None;
            session.exit = None;
        }
        Event::CreationFailed(problem) => {
            session.lifecycle = Lifecycle::Failed;
            session.pending = session.pending.filter(|p| *p == Pending::Trash);
            session.place = None;
            session.problem = Some(problem.clone());
        }
        Event::Exited(exit) => {
            session.lifecycle = Lifecycle::Exited;
            session.exit = *exit;
        }
        Event::TrashBegan => session.pending = Some(Pending::Trash),
        Event::Trashed(parked) => {
            session.before_trash = Some(match session.lifecycle {
                Lifecycle::Failed | Lifecycle::Creating => Lifecycle::Failed,
                Lifecycle::Running | Lifecycle::Exited | Lifecycle::Trashed => Lifecycle::Exited,
            });
            session.lifecycle = Lifecycle::Trashed;
            session.parked = Some(parked.as_ref().clone());
            session.pending = None;
            session.problem = None;
        }
        Event::TrashFailed(problem)
        | Event::RestoreFailed(problem)
        | Event::PurgeFailed(problem) => {
            session.pending = None;
            session.problem = Some(problem.clone());
            if session.lifecycle == Lifecycle::Creating {
                session.lifecycle = Lifecycle::Failed;
            }
        }
        Event::RestoreBegan => session.pending = Some(Pending::Restore),
        Event::Restored(place) => {
            session.lifecycle = session.before_trash.take().unwrap_or(Lifecycle::Exited);
            session.parked = None;
            session.pending = None;
            session.problem = None;
            if let Some(place) = place {
                session.place = Some(place.as_ref().clone());
            }
        }
        Event::PurgeBegan => session.pending = Some(Pending::Purge),
        Event::Purged => return None,
        Event::Described(words) => describe(&mut session, words),
    }
    if session.lifecycle != before {
        session.changed_at = at;
    }
    Some(session)
}

fn born(id: SessionId, launch: Launch, at: Millis) -> Session {
    Session {
        id,
        version: 1,
        launch,
        lifecycle: Lifecycle::Creating,
        pending: Some(Pending::Create(Step::Fetch)),
        place: None,
        exit: None,
        problem: None,
        parked: None,
        before_trash: None,
        created_at: at,
        changed_at: at,
        pinned: false,
        notes: String::new(),
    }
}

fn describe(session: &mut Session, words: &Description) {
    if let Some(title) = &words.title {
        session.launch.title = title.clone();
    }
    if let Some(tags) = &words.tags {
        session.launch.tags.clone_from(tags);
    }
    if let Some(pinned) = words.pinned {
        session.pinned = pinned;
    }
    if let Some(notes) = &words.notes {
        session.notes.clone_from(notes);
    }
}
