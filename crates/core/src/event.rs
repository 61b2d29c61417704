use serde::{Deserialize, Serialize};

use crate::{Base, Exit, Launch, Millis, Parked, Place, Problem, Step, Tag, Title};

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
    /// It could not be made, and its files are there still.
    CreationKept(Problem),
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
    /// It is to be paused.
    PauseBegan,
    /// Its program has ended and its worktree is put away.
    Paused(Box<Parked>),
    /// Its worktree could not be put away and is where it was; its program has ended.
    PauseFailed(Problem),
    /// It is to go on.
    ResumeBegan,
    /// Its worktree is back where it was, and the session on its way to run or to the trash.
    FilesBack(Option<Box<Place>>),
    /// It could not go on: paused still if its worktree is not back, else hibernated.
    ResumeFailed(Problem),
    /// Its program is to be ended to free memory. When it has, it is hibernated.
    HibernateBegan,
    /// Its program is to be started again after it was hibernated.
    WakeBegan,
    /// It could not be started again and is hibernated still.
    WakeFailed(Problem),
    /// Its program is to be ended, if it runs, and started again.
    RestartBegan,
    /// It could not be started again.
    RestartFailed(Problem),
    /// Its program was asked to end with the daemon.
    EndAsked,
    /// The person changed what they call it.
    Described(Box<Description>),
    /// The agent's own id of its conversation was found.
    ConversationKnown(String),
    /// Something of its work was shipped, or that failed.
    Shipped(Box<Shipped>),
}

/// A step on the way of a session's work to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shipped {
    /// Which one.
    pub what: Shipping,
    /// The commit that the branch is at since, here or on the remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The remote, when it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// What its changes are compared with since, when that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The steps on the way of a session's work to others, by the words that the API uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shipping {
    /// Commit what is not committed.
    Commit,
    /// Push its branch.
    Push,
    /// Make its branch anew of its own commits, on the base as it is now.
    Rebuild,
    /// Take that back.
    Undo,
    /// Bring its work into the base.
    Merge,
}

impl Shipping {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Commit, Self::Push, Self::Rebuild, Self::Undo, Self::Merge];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Push => "push",
            Self::Rebuild => "rebuild",
            Self::Undo => "undo",
            Self::Merge => "merge",
        }
    }
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
    /// When it is to be woken if it is hibernated then; `Some(None)` takes that back.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "either_way")]
    pub wake_at: Option<Option<Millis>>,
}

/// A value that is absent, null, or there: what is left out stays, null takes away.
mod either_way {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Millis;

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Option<Millis>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.flatten().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Option<Millis>>, D::Error> {
        Option::deserialize(from).map(Some)
    }
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
            Self::CreationKept(_) => "creation-kept",
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
            Self::PauseBegan => "pause-began",
            Self::Paused(_) => "paused",
            Self::PauseFailed(_) => "pause-failed",
            Self::ResumeBegan => "resume-began",
            Self::FilesBack(_) => "files-back",
            Self::ResumeFailed(_) => "resume-failed",
            Self::HibernateBegan => "hibernate-began",
            Self::WakeBegan => "wake-began",
            Self::WakeFailed(_) => "wake-failed",
            Self::RestartBegan => "restart-began",
            Self::RestartFailed(_) => "restart-failed",
            Self::EndAsked => "end-asked",
            Self::Described(_) => "described",
            Self::Shipped(_) => "shipped",
            Self::ConversationKnown(_) => "conversation-known",
        }
    }
}
