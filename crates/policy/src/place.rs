//! Where a command runs, and what kind of place a path is.

mod names;

use serde::{Deserialize, Serialize};

pub use names::{is_output, is_secret_name};

/// Where a command runs. Paths are absolute and are never looked up.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The folder it starts in.
    pub cwd: String,
    /// The session's worktree.
    pub worktree: String,
    /// The home of the person.
    pub home: String,
    /// The person's own checkout of the repository, when the worktree is not it.
    #[serde(default)]
    pub checkout: Option<String>,
    /// Worktrees of others.
    #[serde(default)]
    pub others: Vec<String>,
    /// The branch that is checked out.
    #[serde(default)]
    pub branch: Option<String>,
    /// Branches that others build on.
    #[serde(default)]
    pub shared_branches: Vec<String>,
    /// The home of Quarterdeck.
    #[serde(default)]
    pub daemon_home: Option<String>,
}

/// The kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    /// In the session's worktree.
    Worktree,
    /// In it, and made again by a build.
    Output,
    /// `/dev/null` and its like.
    Null,
    /// The git data of the worktree.
    GitData,
    /// A git hook, or what a tool of hooks reads.
    Hooks,
    /// What a CI runs.
    Ci,
    /// What an agent, an editor or a shell runs or obeys by itself in a folder.
    Settings,
    /// A file of secrets in the worktree.
    Secrets,
    /// Keys and tokens of the person or the machine.
    Keys,
    /// What a shell runs when it starts.
    StartUp,
    /// Another worktree.
    OtherWorktree,
    /// The person's checkout.
    Checkout,
    /// A folder for scratch files.
    Temporary,
    /// The home itself.
    Home,
    /// In the home.
    InHome,
    /// The root, or a folder that holds the home or the worktree.
    Root,
    /// What the system is made of.
    System,
    /// A device.
    Device,
    /// Quarterdeck's own home.
    Quarterdeck,
    /// Any other place.
    Outside,
    /// Only known when it runs.
    Unknown,
    /// This machine, over the network.
    Local,
    /// The repository's forge or remote.
    Forge,
    /// The network.
    Internet,
    /// A branch that others build on.
    SharedBranch,
    /// The session's own branch.
    OwnBranch,
}

impl Zone {
    /// Its name in rules.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Whether it is the session's to change.
    #[must_use]
    pub const fn is_here(self) -> bool {
        matches!(self, Self::Worktree | Self::Output | Self::Null | Self::GitData)
    }

    /// Whether a loss there is a loss for people, not for the session.
    #[must_use]
    pub const fn is_grave(self) -> bool {
        matches!(
            self,
            Self::Root
                | Self::Home
                | Self::System
                | Self::Device
                | Self::Keys
                | Self::OtherWorktree
                | Self::Checkout
                | Self::Quarterdeck
        )
    }
}

impl Place {
    /// The path as a whole one, with `.` and `..` taken out as text. A tilde is the home's.
    #[must_use]
    pub fn resolve(&self, cwd: &str, path: &str) -> String {
        if path == "~" || path.starts_with("~/") {
            return normal(&format!("{}{}", self.home, &path[1..]));
        }
        if path.starts_with('/') { normal(path) } else { normal(&format!("{cwd}/{path}")) }
    }

    /// The kind of a whole path. Patterns in it count as what stands before them.
    #[must_use]
    pub fn zone(&self, path: &str) -> Zone {
        let (path, children) = before_pattern(path);
        if let Some(zone) = device(&path) {
            return zone;
        }
        let default = format!("{}/.local/share/quarterdeck", self.home);
        let homes = [self.daemon_home.as_deref(), Some(default.as_str())];
        // Worktrees may lie in that home; they are their sessions', not Quarterdeck's.
        let works_in = |folder: &str, home: &str| {
            folder != home && within(folder, home) && within(&path, folder)
        };
        let kept = |home: &str| {
            within(&path, home)
                && !works_in(&self.worktree, home)
                && !self.others.iter().any(|other| works_in(other, home))
        };
        if homes.into_iter().flatten().any(kept) {
            return Zone::Quarterdeck;
        }
        if path == "/" || (!children || path != self.worktree) && self.holds(&path) {
            return if path == self.home { Zone::Home } else { Zone::Root };
        }
        if let Some(rest) = inside(&path, &self.worktree) {
            return names::in_worktree(rest);
        }
        if self.others.iter().any(|other| within(&path, other)) {
            return Zone::OtherWorktree;
        }
        if self.checkout.as_deref().is_some_and(|checkout| within(&path, checkout)) {
            return Zone::Checkout;
        }
        if let Some(rest) = inside(&path, &self.home) {
            return names::in_home(rest);
        }
        names::elsewhere(&path)
    }

    /// Whether the path is the home, or a folder around the home or the worktree.
    fn holds(&self, path: &str) -> bool {
        path == self.home
            || (path != self.worktree && within(&self.worktree, path))
            || within(&self.home, path)
    }

    /// Whether others build on a branch.
    #[must_use]
    pub fn is_shared(&self, branch: &str) -> bool {
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        if self.shared_branches.is_empty() {
            return matches!(branch, "main" | "master" | "trunk" | "develop");
        }
        self.shared_branches.iter().any(|shared| shared == branch)
    }
}

/// Whether a path is a folder or lies in it.
pub fn within(path: &str, folder: &str) -> bool {
    inside(path, folder).is_some()
}

fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The path up to its first pattern; whether what is meant is what lies in it.
fn before_pattern(path: &str) -> (String, bool) {
    let is_pattern = |part: &str| part.contains(['*', '?', '[']);
    let mut kept = vec![];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if is_pattern(part) {
            // A pattern with a name in it is about files, not about all of a folder.
            let last = part.trim_matches(['*', '?', '.']);
            if !last.is_empty() {
                kept.push(part);
            }
            return (format!("/{}", kept.join("/")), true);
        }
        kept.push(part);
    }
    (format!("/{}", kept.join("/")), false)
}

fn device(path: &str) -> Option<Zone> {
    let name = path.strip_prefix("/dev/")?;
    let null = ["null", "stdin", "stdout", "stderr", "tty", "zero", "full", "random", "urandom"];
    Some(if null.contains(&name) || name.starts_with("fd/") {
        Zone::Null
    } else if name.starts_with("tcp/") || name.starts_with("udp/") {
        Zone::Internet
    } else if name.starts_with("shm/") {
        Zone::Temporary
    } else {
        Zone::Device
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            cwd: "/w/a1".into(),
            worktree: "/w/a1".into(),
            home: "/home/dev".into(),
            checkout: Some("/home/dev/proj".into()),
            others: vec!["/w/a2".into()],
            ..Place::default()
        }
    }

    #[test]
    fn a_worktree_in_the_home_of_quarterdeck_is_a_worktree() {
        let place = Place {
            worktree: "/q/trees/a".into(),
            others: vec!["/q/trees/b".into()],
            home: "/home/dev".into(),
            daemon_home: Some("/q".into()),
            ..Place::default()
        };
        assert_eq!(place.zone("/q/trees/a/src/x.rs"), Zone::Worktree);
        assert_eq!(place.zone("/q/trees/b/src/x.rs"), Zone::OtherWorktree);
        assert_eq!(place.zone("/q/token"), Zone::Quarterdeck);
        assert_eq!(place.zone("/home/dev/.local/share/quarterdeck/token"), Zone::Quarterdeck);
    }

    #[test]
    fn a_path_is_what_it_leads_to() {
        let place = place();
        for (path, zone) in [
            ("src/a.rs", Zone::Worktree),
            ("../a1/src", Zone::Worktree),
            ("../a11/src", Zone::Outside),
            ("../a2/src", Zone::OtherWorktree),
            ("..", Zone::Root),
            ("/", Zone::Root),
            ("/*", Zone::Root),
            ("/home", Zone::Root),
            ("~", Zone::Home),
            ("~/*", Zone::Home),
            ("~/x", Zone::InHome),
            ("~/.ssh/id_rsa", Zone::Keys),
            ("~/.bashrc", Zone::StartUp),
            ("~/proj/src", Zone::Checkout),
            ("/usr/*", Zone::System),
            ("/tmp/x", Zone::Temporary),
            ("/tmp/../etc/x", Zone::System),
            ("/dev/null", Zone::Null),
            ("/dev/sda", Zone::Device),
            (".git/hooks/x", Zone::Hooks),
            (".git/config", Zone::GitData),
            (".env", Zone::Secrets),
            ("target/debug", Zone::Output),
            (".github/workflows/a.yml", Zone::Ci),
        ] {
            let whole = place.resolve(&place.cwd, path);
            assert_eq!(place.zone(&whole), zone, "{path}");
        }
    }
}
