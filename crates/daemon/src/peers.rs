//! Which session a process belongs to, by what `/proc` says of its ancestors and by nothing else:
//! the answer is the same while sessions are made, joined again, and ended.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use qd_core::SessionId;

/// Most ancestors that are looked at. A chain that is longer is not read to its end.
const MOST: usize = 4096;
/// How often a chain is read anew that changed under the reading.
const TRIES: usize = 16;

/// Where a process stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Beneath no session: every ancestor was read, up to the first process.
    Outside,
    /// Beneath the init of this session.
    Beneath(SessionId),
    /// A program that the daemon itself started, such as a filter of git.
    OfDaemon,
    /// It cannot be told: a link of the chain could not be read.
    Unknown,
}

/// One process, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    parent: i32,
    /// When it started, in clock ticks since the machine did; with the id, it is this process
    /// beyond doubt.
    start: u64,
}

/// Where a process stands among the sessions of the home `root`, a path without symbolic links.
///
/// An init is the subreaper of all that its program starts, so a process that detaches itself is
/// still beneath it. Anybody can look like an init by its arguments, a process of a session too;
/// so of several, the outermost counts, which no process beneath it can have put there.
#[cfg(target_os = "linux")]
#[must_use]
pub fn standing(pid: i32, root: &Path) -> Standing {
    let me = i32::try_from(std::process::id()).unwrap_or(0);
    let panes = root.join("panes");
    (0..TRIES).find_map(|_| walk(pid, me, &Proc, &panes)).unwrap_or(Standing::Unknown)
}

/// As on Linux; elsewhere there is no way to read the chain, and nobody is told apart.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn standing(_pid: i32, _root: &Path) -> Standing {
    Standing::Outside
}

/// What is known of processes.
trait Processes {
    fn link(&self, pid: i32) -> Option<Link>;
    /// The arguments, each ended by a NUL.
    fn arguments(&self, pid: i32) -> Option<Vec<u8>>;
}

struct Proc;

impl Processes for Proc {
    fn link(&self, pid: i32) -> Option<Link> {
        parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn arguments(&self, pid: i32) -> Option<Vec<u8>> {
        std::fs::read(format!("/proc/{pid}/cmdline")).ok()
    }
}

/// Walks up once. None: the chain changed meanwhile, and what was read is of no use.
fn walk(pid: i32, me: i32, processes: &impl Processes, panes: &Path) -> Option<Standing> {
    let mut found = Standing::Outside;
    let mut at = pid;
    let Some(mut link) = processes.link(at) else { return Some(Standing::Unknown) };
    for _ in 0..MOST {
        let Some(arguments) = processes.arguments(at) else { return Some(Standing::Unknown) };
        match session_of(&arguments, panes) {
            Some(Some(session)) => found = Standing::Beneath(session),
            Some(None) => return Some(Standing::Unknown),
            None if at == me && at != pid && at != 1 && found == Standing::Outside => {
                found = Standing::OfDaemon;
            }
            None => {}
        }
        // 0 is the parent of the first process, and of one that was put into a container.
        if link.parent <= 1 {
            return (processes.link(at)? == link).then_some(found);
        }
        let Some(above) = processes.link(link.parent) else {
            // Gone meanwhile, or nothing that may be seen.
            return if processes.link(at)? == link { Some(Standing::Unknown) } else { None };
        };
        // Still its parent after that was read: then it was read of the parent, and not of one
        // that was given the number of a parent that had ended.
        if processes.link(at)? != link || above.start > link.start {
            return None;
        }
        at = link.parent;
        link = above;
    }
    Some(Standing::Unknown)
}

/// The session whose init has these arguments; the inner none for one that cannot be told. The
/// form is written by the adapter for tmux: `PROGRAM internal init HOME/panes/ID.json`.
fn session_of(arguments: &[u8], panes: &Path) -> Option<Option<SessionId>> {
    let words: Vec<&[u8]> = arguments.split(|byte| *byte == 0).collect();
    let [_, b"internal", b"init", spec, ..] = words.as_slice() else { return None };
    let spec = Path::new(OsStr::from_bytes(spec));
    if spec.parent() != Some(panes) {
        return None;
    }
    let id = spec.file_stem().and_then(OsStr::to_str);
    Some(id.and_then(|id| SessionId::parse(id).ok()))
}

/// Reads `/proc/PID/stat`.
fn parse(stat: &[u8]) -> Option<Link> {
    // The name is in brackets and may hold anything, brackets too: read from the last one.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut words = rest.split_ascii_whitespace();
    let parent = words.nth(1)?.parse().ok()?;
    let start = words.nth(17)?.parse().ok()?;
    Some(Link { parent, start })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use super::*;

    /// Processes of a test: the parent and the arguments of each, which started in the order of
    /// their numbers.
    #[derive(Default)]
    struct Fake {
        processes: RefCell<HashMap<i32, (i32, String)>>,
        /// Taken away, and its children given to another, after it was read.
        vanishes: Option<(i32, i32)>,
    }

    impl Fake {
        fn of(list: &[(i32, i32, &str)]) -> Self {
            let processes =
                list.iter().map(|(pid, parent, args)| (*pid, (*parent, args.replace(' ', "\0"))));
            Self { processes: RefCell::new(processes.collect()), vanishes: None }
        }

        fn standing(&self, pid: i32) -> Option<Standing> {
            walk(pid, 50, self, Path::new("/h/panes"))
        }
    }

    impl Processes for Fake {
        fn link(&self, pid: i32) -> Option<Link> {
            let mut processes = self.processes.borrow_mut();
            let (parent, _) = processes.get(&pid)?;
            let link = Link { parent: *parent, start: u64::try_from(pid).unwrap() };
            if let Some((gone, heir)) = self.vanishes.filter(|(gone, _)| *gone == pid) {
                for process in processes.values_mut().filter(|process| process.0 == gone) {
                    process.0 = heir;
                }
            }
            Some(link)
        }

        fn arguments(&self, pid: i32) -> Option<Vec<u8>> {
            Some(self.processes.borrow().get(&pid)?.1.clone().into_bytes())
        }
    }

    fn id(letter: char) -> SessionId {
        SessionId::parse(&letter.to_string().repeat(12)).unwrap()
    }

    fn init(letter: char) -> String {
        format!("/h/bin/qd internal init /h/panes/{}.json", id(letter))
    }

    #[test]
    fn the_outermost_init_of_this_home_counts() {
        let processes = Fake::of(&[
            (1, 0, "init"),
            (10, 1, "tmux"),
            (20, 10, &init('a')),
            (30, 20, "sh"),
            // A process of a session that looks like the init of another.
            (40, 30, &init('b')),
            (60, 40, "qd ls"),
            (70, 10, "/o/bin/qd internal init /other/panes/aaaaaaaaaaaa.json"),
            (80, 70, "qd ls"),
            (90, 1, "/h/bin/qd internal init /h/panes/strange.json"),
            (95, 90, "qd ls"),
            (96, 0, "put into the container"),
        ]);
        for pid in [20, 30, 40, 60] {
            assert_eq!(processes.standing(pid), Some(Standing::Beneath(id('a'))), "{pid}");
        }
        for pid in [10, 70, 80, 96] {
            assert_eq!(processes.standing(pid), Some(Standing::Outside), "{pid}");
        }
        assert_eq!(processes.standing(95), Some(Standing::Unknown), "an init of no session");
    }

    #[test]
    fn what_cannot_be_read_to_the_end_is_not_the_owner() {
        let processes = Fake::of(&[(30, 20, "sh"), (40, 30, "qd ls")]);
        for pid in [40, 30, 99] {
            assert_eq!(processes.standing(pid), Some(Standing::Unknown), "{pid}");
        }
    }

    #[test]
    fn a_chain_that_changes_is_read_anew() {
        let list = [(1, 0, "init"), (20, 1, &init('a')), (30, 20, "sh"), (40, 30, "qd")];
        let mut processes = Fake::of(&list);
        processes.vanishes = Some((30, 20));
        assert_eq!(processes.standing(40), None);
        assert_eq!(processes.standing(40), Some(Standing::Beneath(id('a'))));
        // A parent that is younger than its child is another process under the same number.
        assert_eq!(Fake::of(&[(9, 20, "sh"), (20, 1, "other")]).standing(9), None);
    }

    #[test]
    fn what_the_daemon_started_is_not_the_owner() {
        let processes = Fake::of(&[(40, 1, "sh"), (50, 40, "qd serve"), (60, 50, "git")]);
        assert_eq!(processes.standing(60), Some(Standing::OfDaemon));
        assert_eq!(processes.standing(50), Some(Standing::Outside), "a test asks itself");
        assert_eq!(processes.standing(40), Some(Standing::Outside));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_real_chain_is_read() {
        assert_eq!(parse(b"7 (a) S 1 (b\n) R 42 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9876 0 0"), {
            Some(Link { parent: 42, start: 9876 })
        });
        assert_eq!(parse(b"7 (x) S"), None);
        let me = i32::try_from(std::process::id()).unwrap();
        assert_eq!(standing(me, Path::new("/nowhere")), Standing::Outside);
        assert_eq!(standing(i32::MAX, Path::new("/nowhere")), Standing::Unknown);
    }
}
