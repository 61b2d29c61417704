use crate::Command;

/// What a person can have done to a session, by the word that the API and the command line use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Put it in the trash.
    Trash,
    /// Bring it back from there.
    Restore,
    /// End it for good.
    Purge,
    /// End its program and put its worktree away.
    Pause,
    /// Go on with it after that.
    Resume,
    /// End its program to free memory.
    Hibernate,
    /// Go on with it after that.
    Wake,
    /// End its program, if it runs, and start it again.
    Restart,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Trash,
        Self::Restore,
        Self::Purge,
        Self::Pause,
        Self::Resume,
        Self::Hibernate,
        Self::Wake,
        Self::Restart,
    ];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trash => "trash",
            Self::Restore => "restore",
            Self::Purge => "purge",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Hibernate => "hibernate",
            Self::Wake => "wake",
            Self::Restart => "restart",
        }
    }

    /// What it asks of a session.
    #[must_use]
    pub fn command(self) -> Command {
        match self {
            Self::Trash => Command::Trash,
            Self::Restore => Command::Restore,
            Self::Purge => Command::Purge,
            Self::Pause => Command::Pause,
            Self::Resume => Command::Resume,
            Self::Hibernate => Command::Hibernate,
            Self::Wake => Command::Wake,
            Self::Restart => Command::Restart,
        }
    }
}
