use serde::{Deserialize, Serialize};

use crate::place::Zone;

macro_rules! kinds {
    ($($name:ident => $text:literal, $risk:literal : $doc:literal,)*) => {
        /// What a part of a command does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $doc] #[serde(rename = $text)] $name,)*
        }

        impl Kind {
            /// Every kind with its name in rules, its risk at the least, and a sentence.
            pub const ALL: &'static [(Self, &'static str, u8, &'static str)] =
                &[$((Self::$name, $text, $risk, $doc),)*];

            /// Its name in rules.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            const fn least_risk(self) -> u8 {
                match self { $(Self::$name => $risk,)* }
            }
        }
    };
}

kinds! {
    Prints => "prints", 1: "Prints, computes, waits.",
    Reads => "reads", 1: "Reads a file or folder.",
    Writes => "writes", 2: "Makes or changes a file or folder.",
    Deletes => "deletes", 2: "Deletes or moves away a file.",
    DeletesTree => "deletes-tree", 4: "Deletes a folder with all that is in it, or whatever a pattern finds.",
    Commits => "commits", 2: "Stages or commits on the session's own branch.",
    Discards => "discards", 4: "Throws away work that is not committed.",
    Rewrites => "rewrites-history", 4: "Changes commits or branches that are there.",
    SharesGit => "changes-shared-git", 2: "Changes what all worktrees of a repository share: configuration, stash, remotes, branches, tags.",
    Pushes => "pushes", 3: "Sends commits to a remote.",
    ForcePushes => "force-pushes", 4: "Rewrites or deletes a branch of a remote.",
    Fetches => "fetches", 3: "Asks something of the network.",
    Sends => "sends", 3: "Sends something over the network.",
    Publishes => "publishes", 3: "Publishes, deploys, or writes to a forge.",
    Installs => "installs", 3: "Fetches packages, whose scripts may run.",
    RunsProject => "runs-project", 2: "Runs a known build, test, lint or format tool of the project.",
    RunsCode => "runs-code", 3: "Runs code that is not looked into.",
    RunsUnseen => "runs-unseen", 4: "Runs what comes from the network or is only known then.",
    Environment => "sets-environment", 3: "Sets a variable that makes other programs run code.",
    Privilege => "privilege", 3: "Becomes another user.",
    Machine => "machine", 3: "Changes the machine: services, users, mounts, schedules.",
    Processes => "ends-processes", 3: "Ends programs that run.",
    Credentials => "credentials", 3: "Reads or shows a secret.",
    Leaks => "leaks", 4: "A secret would leave this machine.",
    DestroysData => "destroys-data", 4: "Destroys tables, buckets, volumes or infrastructure.",
    Remote => "remote", 3: "Acts on a database, a cluster or a cloud.",
    SkipsHooks => "skips-hooks", 2: "Skips the checks that a repository asks for.",
    ApprovesItself => "approves-itself", 4: "Acts on Quarterdeck itself: approvals, rules, tokens.",
    HiddenText => "hidden-text", 3: "Holds characters that are not seen or look like others.",
    NotUnderstood => "not-understood", 3: "Is not understood.",
}

/// Which part of a command has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The program with its arguments.
    Program,
    /// A redirection.
    Redirect,
    /// A variable that is set before it.
    Environment,
    /// How the shell would read it.
    Shell,
}

/// One effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// What is done.
    pub kind: Kind,
    /// Where, when there is a where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// The path, URL or name that it is done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Which part of the command does it.
    pub origin: Origin,
    /// More about it, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Effect {
    /// An effect of a program, without a place.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self { kind, zone: None, target: None, origin: Origin::Program, note: None }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, zone: Zone, target: impl Into<String>) -> Self {
        self.zone = Some(zone);
        self.target = Some(target.into());
        self
    }

    /// The same with a word about it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The same from another part of the command.
    #[must_use]
    pub fn from(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// 1 reads, 2 changes with undo, 3 reaches out, 4 destroys.
    #[must_use]
    pub fn risk(&self) -> u8 {
        let least = self.kind.least_risk();
        let place = match (self.kind, self.zone) {
            (Kind::Deletes | Kind::DeletesTree, Some(Zone::Output)) => return 2,
            (Kind::Deletes | Kind::Writes, Some(zone)) if zone.is_grave() => 4,
            (Kind::Deletes, Some(Zone::Worktree)) => 2,
            (Kind::Deletes, _) => 4,
            (Kind::Writes, Some(zone)) if !zone.is_here() => 3,
            (Kind::Fetches | Kind::Sends, Some(Zone::Local)) => return 1,
            _ => 1,
        };
        least.max(place)
    }
}
