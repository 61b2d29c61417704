//! What work there is in a worktree, so that it can be compared later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::dice::Dice;
use crate::engine::seen::files;
use crate::engine::stage::Stage;

/// The file that the program of a session writes to.
const LOG: &str = "ignored.log";

/// All that git and the file system know of somebody's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The last commit.
    head: String,
    /// Each staged path with its content's name.
    index: String,
    /// Everything in it: tracked, untracked and ignored.
    files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

impl Ledger {
    pub fn read(stage: &Stage, at: &Path) -> Self {
        let at_text = at.display();
        Self {
            head: stage.shell(&format!("git -C '{at_text}' rev-parse HEAD")),
            index: stage.shell(&format!("git -C '{at_text}' --no-optional-locks ls-files -s")),
            files: files(at),
        }
    }

    /// What differs, for a person to read.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = vec![];
        if self.head != other.head {
            found.push(format!("HEAD {} became {}", self.head.trim(), other.head.trim()));
        }
        if self.index != other.index {
            found.push(format!("the index\n{}became\n{}", self.index, other.index));
        }
        let names: std::collections::BTreeSet<_> =
            self.files.keys().chain(other.files.keys()).collect();
        for name in names {
            match (self.files.get(name), other.files.get(name)) {
                (Some(was), Some(is)) if was == is => {}
                // What the program itself writes grows, and nothing of it goes.
                (Some(was), Some(is)) if name == Path::new(LOG) && is.1.starts_with(&was.1) => {}
                (None, Some(_)) if name == Path::new(LOG) => {}
                (was, is) => found.push(format!(
                    "{}: {:?} (mode, bytes) became {:?}",
                    name.display(),
                    was.map(|(mode, bytes)| (mode, bytes.len())),
                    is.map(|(mode, bytes)| (mode, bytes.len()))
                )),
            }
        }
        found
    }
}

/// Does some work, of any of the kinds that can be lost.
pub fn work(stage: &Stage, at: &Path, dice: &mut Dice, stamp: &str) {
    let name = format!("f{}", dice.roll(12));
    let kinds: [&str; 7] = [
        // committed
        "echo STAMP >> NAME && git add NAME && git -c user.name=n -c user.email=e commit -qm STAMP",
        // staged
        "echo STAMP >> NAME && git add NAME",
        // unstaged
        "echo STAMP >> a",
        // staged, and changed again since
        "echo STAMP >> a && git add a && echo more STAMP >> a",
        // untracked, in a folder of its own
        "mkdir -p new/NAME && echo STAMP >> new/NAME/u",
        // ignored
        "echo STAMP >> ignored.NAME",
        // meant to be added
        "echo STAMP > later.NAME && git add -N later.NAME",
    ];
    let script = dice.pick(&kinds).replace("STAMP", stamp).replace("NAME", &name);
    // A daemon that reads may not, and does not, take the index's lock; what holds it is us.
    stage.shell(&format!("cd '{}' && {script}", at.display()));
}
