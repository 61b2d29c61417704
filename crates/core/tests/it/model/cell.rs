//! All there is of one session: what is written down, what its owner has in hand, and what is
//! so in the world.

use qd_core::{Program, Work};

use super::log::{Log, Said};

/// Reports that may wait for the store before that is a fault: a queue without a bound.
pub const WAITING: usize = 5;

/// Two sessions of one repository, and what may still befall them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub cells: [Cell; 2],
    /// The branches that there are.
    pub branches: [bool; 2],
    /// What a person may still ask, where that is bounded.
    pub asks: u8,
    /// How often something may still go wrong, where that is bounded.
    pub faults: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// What is written down. All else but the world is lost with the daemon.
    pub log: Log,

    // The owner's hands.
    pub hold: Hold,
    /// Work on the program that is under way, or done and not told yet.
    pub job: Job,
    /// Work on the files that is under way, or done and not told yet.
    pub files: Files,
    /// How many reports on its way a creation has sent, of [`PROGRESS`].
    pub sent: u8,
    /// How many of them the owner has taken.
    pub got: u8,
    /// Reports that wait for the store, in their order.
    pub unsaved: [Said; WAITING],
    /// Somebody looks at its terminal.
    pub viewer: bool,

    // The world.
    pub pane: Pane,
    pub tree: Tree,
    /// There is work in the tree that is nowhere else.
    pub dirty: bool,
    /// We made its branch.
    pub made: bool,
    /// The note of a creation that is not finished lies in the home.
    pub note: bool,
    /// The program asked for leave, and its question is open.
    pub question: Question,
    /// The pane's files carry the number of a run that is not written down yet: one more than
    /// that of the log.
    pub next_run: bool,

    // What only the checker knows.
    /// A program was started, and that is not written down yet.
    pub fresh: bool,
    /// Somebody asked for the end of the program that runs.
    pub end_wanted: bool,
    /// Planted: checks that were made, and are acted on later.
    pub tickets: u8,
    /// Planted: a job nobody holds that ends what has the session's name.
    pub killer: bool,
}

/// What a creation reports on its way, in its order.
pub const PROGRESS: [Said; 3] = [Said::BeginWorktree, Said::PlaceReady, Said::BeginStart];

/// As `Hold` of the daemon's `session/hold.rs`, with the token and the pane's end beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hold {
    Nothing,
    Starting { called_off: bool },
    Joining,
    Here { ending: bool },
    Closing,
}

/// Work on the program, by how far it is. One at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Job {
    None,
    Create(At),
    /// What the creation made is taken back.
    TakeBack,
    Created(bool),
    /// It failed, and there is work in the tree: it was not taken back.
    CreatedKept,
    Start(At),
    Started(bool),
    Join,
    Joined(Joined),
    EndLeft,
    Leave,
    Kill,
    Closed(Closed),
}

/// The steps of a creation; a start has the last three of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    Begun,
    /// The base is known, the note is written.
    Fetched,
    /// Git is at it.
    Making,
    /// The files are there.
    Ready,
    /// The pane is there, its program is not.
    Pane,
    /// The program was started.
    Spawned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Joined {
    Here,
    /// What is there is of a run before the one that is looked for.
    Older,
    Gone {
        seen: bool,
    },
    NeverStarted,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Closed {
    Done,
    Failed,
}

/// Work on the files, by how far it is. One at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Files {
    None,
    Park,
    /// The folder is moved, git does not know yet.
    Parking,
    /// Done, with [`Said::Parked`] or the like.
    Parked(Said),
    Unpark,
    Unparking,
    Unparked(Said),
    Purge,
    Purged(Said),
}

/// The pane of a session and the program in it, as tmux and the pane's files tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    None,
    /// Its init waits for the word to start.
    Waiting,
    Alive,
    /// The program has ended; its init, and what the program left behind, is there.
    Ended,
    /// All of it is gone, but for its files.
    Gone {
        seen: bool,
    },
}

/// Where a session's worktree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tree {
    None,
    /// Git was making it.
    Half,
    Here,
    /// Moved to the home; git does not know yet, the branch is still held.
    Moved,
    /// In the home, and the branch is free.
    Away,
    /// Moved back; git does not know yet, the branch is not held yet.
    Back,
}

/// A question of a program, and of which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    None,
    ThisRun,
    OlderRun,
}

impl Cell {
    pub const NEVER: Self = Self {
        log: Log::NEVER,
        hold: Hold::Nothing,
        job: Job::None,
        files: Files::None,
        sent: 0,
        got: 0,
        unsaved: [Said::Nothing; WAITING],
        viewer: false,
        pane: Pane::None,
        tree: Tree::None,
        dirty: false,
        made: false,
        note: false,
        question: Question::None,
        next_run: false,
        fresh: false,
        end_wanted: false,
        tickets: 0,
        killer: false,
    };

    /// What the owner says of the program: `Hold::program` of `session/hold.rs`.
    pub fn program(&self) -> Program {
        match self.hold {
            Hold::Nothing => Program::Nothing,
            Hold::Starting { .. } => Program::Starting,
            Hold::Joining => Program::Unknown,
            Hold::Here { ending } => Program::Here { ending },
            Hold::Closing => Program::Closing,
        }
    }

    /// `Owner::files` of `session.rs`.
    pub fn work(&self) -> Option<Work> {
        match self.files {
            Files::None => None,
            Files::Park | Files::Parking | Files::Parked(_) => Some(Work::Park),
            Files::Unpark | Files::Unparking | Files::Unparked(_) => Some(Work::Unpark),
            Files::Purge | Files::Purged(_) => Some(Work::Purge),
        }
    }

    /// Whether it has an owner.
    pub fn is_owned(&self) -> bool {
        self.log != Log::NEVER && self.log != Log::PURGED
    }

    /// Reports that wait for the store.
    pub fn waits(&self) -> bool {
        self.unsaved[0] != Said::Nothing
    }

    /// Nothing is under way in the owner's hands.
    pub fn is_quiet(&self) -> bool {
        self.job == Job::None && self.files == Files::None && !self.waits()
    }

    /// Its repository's owner is at work for it: others wait for their turn.
    pub fn has_the_repository(&self) -> bool {
        self.job == Job::Create(At::Making)
            || matches!(self.files, Files::Parking | Files::Unparking)
    }

    /// Whether its worktree has its branch checked out.
    pub fn holds_branch(&self) -> bool {
        matches!(self.tree, Tree::Half | Tree::Here | Tree::Moved)
    }

    /// The daemon is gone, and all that it had in hand.
    pub fn without_hands(&self) -> Self {
        Self {
            hold: Hold::Nothing,
            job: Job::None,
            files: Files::None,
            sent: 0,
            got: 0,
            unsaved: [Said::Nothing; WAITING],
            viewer: false,
            tickets: 0,
            killer: false,
            ..*self
        }
    }
}
