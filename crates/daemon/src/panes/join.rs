//! Panes that are not in anybody's hands: joined again, or ended.

use bytes::Bytes;
use qd_core::{Code, Exit, Problem, SessionId, Size};
use qd_tmux::Error;
use qd_tmux::pane::Reconnect;
use qd_tmux::spec::PaneSpec;
use qd_tmux::wire::ProgramState;

use super::own::{OwnPane, seen};
use super::{Pane, Panes, RUN, key};
use crate::problems::tmux as problem;

/// Where the stream stood when it was left by somebody who had all of it so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    /// Output that was written down last and may be in the stream still: it was not written down
    /// that it had been taken out.
    pub(crate) unsure: Bytes,
    /// The spool that was being taken in last, and how many bytes of it were.
    pub(crate) spool: Option<(String, u64)>,
}

/// What a pane printed meanwhile.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) bytes: Bytes,
    /// The spool that it is from, and where in it these bytes begin.
    pub(crate) spool: Option<(String, u64)>,
}

/// What was found of a session's pane after the daemon was away.
pub(crate) enum Rejoin {
    /// It is there, and this is every byte that it printed meanwhile.
    Exact { pane: Box<Pane>, printed: Printed, size: Size },
    /// It is there; the bytes are not all there, so its stream is to be taken anew.
    Broken { pane: Box<Pane> },
    /// It is in the person's own tmux, and its stream was taken anew, with what it shows now.
    Taken { pane: Box<Pane> },
    /// It is gone; what is known of its end. `gap`: what it printed may not be all there.
    Gone { exit: Option<Exit>, printed: Printed, gap: bool },
    /// The daemon before ended before the program was started, or it could not be started, for
    /// this reason. The pane was closed.
    NeverStarted(Option<String>),
}

impl Panes {
    /// Joins the pane of a session again. `left`: what the caller has is all that came before.
    /// Nothing is taken out of the stream.
    ///
    /// # Errors
    /// When it cannot be found out whether the pane is there.
    pub(crate) async fn rejoin(
        &self,
        id: &SessionId,
        left: Option<&Left>,
    ) -> Result<Rejoin, Problem> {
        let key = key(id)?;
        let known = self.host.known().map_err(|error| problem(&error))?;
        if !known.contains(&key) {
            return Ok(Rejoin::NeverStarted(None));
        }
        let here = match self.host.reconnect(&key).await.map_err(|error| problem(&error))? {
            Reconnect::Here(here) => *here,
            Reconnect::Gone(gone) => {
                let mut printed = printed(gone.spool, gone.spool_id, left);
                let gap = left.filter(|left| !is_exact(left, &printed.bytes, &[]));
                if let Some(left) = gap {
                    // It is there twice, most likely.
                    drop(printed.bytes.split_to(left.unsure.len()));
                }
                return Ok(Rejoin::Gone {
                    exit: gone.state.as_ref().and_then(exit_of),
                    printed,
                    gap: gap.is_some(),
                });
            }
            Reconnect::Unreachable(_) => {
                return Err(Problem::new(
                    Code::TmuxFailed,
                    "The pane is there, and the program that watches over it does not answer.",
                    "Delete the session to end what runs there.",
                ));
            }
        };
        let never = match &here.state {
            ProgramState::Waiting => Some(None),
            ProgramState::SpawnFailed { message, .. } => Some(Some(message.clone())),
            ProgramState::Running { .. } | ProgramState::Exited(_) => None,
        };
        if let Some(why) = never {
            here.pane.leave().await.map_err(|error| problem(&error))?;
            return Ok(Rejoin::NeverStarted(why));
        }
        let pane = OwnPane::new(here.pane, here.tap, ended(&here.state));
        let printed = printed(here.spool, here.spool_id, left);
        let is_all = here.dropped_bytes == 0
            && left
                .zip(pane.tap.as_ref())
                .is_some_and(|(left, tap)| is_exact(left, &printed.bytes, &tap.reader.waiting()));
        let pane = Box::new(Pane::Own(Box::new(pane)));
        if is_all {
            let size = Size::clamped(u32::from(here.size.0), u32::from(here.size.1));
            return Ok(Rejoin::Exact { pane, printed, size });
        }
        let (known, dropped) = (left.is_some(), here.dropped_bytes);
        tracing::warn!(session = %id, known, dropped, "what a pane printed may not be all there");
        Ok(Rejoin::Broken { pane })
    }

    /// Whether there are files of a pane of this session.
    pub(crate) fn knows(&self, id: &SessionId) -> bool {
        key(id).is_ok_and(|key| self.host.knows(&key))
    }

    /// For which run of its session the pane was made that there are files of, where they say so.
    pub(crate) fn run_of(&self, id: &SessionId) -> Option<u64> {
        let spec = PaneSpec::read(&self.folder.join(format!("{id}.json"))).ok()?;
        let (_, run) = spec.env.iter().find(|(name, _)| name.0 == RUN)?;
        run.0.to_str()?.parse().ok()
    }

    /// Removes the files of a pane that is gone, when its end is stored.
    pub(crate) fn forget(&self, id: &SessionId) {
        if let Ok(key) = key(id) {
            self.host.forget(&key);
        }
    }

    /// Ends all that tmux has of a session, waits until it has ended, and removes its files.
    ///
    /// # Errors
    /// When tmux cannot be asked, or it does not end.
    pub(crate) async fn end_left(&self, id: &SessionId) -> Result<Option<Exit>, Problem> {
        let key = key(id)?;
        for pane in self.host.list().await.map_err(|error| problem(&error))? {
            if pane.session.as_ref() == Some(&key) {
                self.host.kill_listed(&pane).await.map_err(|error| problem(&error))?;
            }
        }
        let mut exit = None;
        if self.host.knows(&key) {
            match self.host.reconnect(&key).await.map_err(|error| problem(&error))? {
                Reconnect::Gone(gone) => exit = gone.state.as_ref().and_then(exit_of),
                Reconnect::Here(_) | Reconnect::Unreachable(_) => {
                    return Err(crate::problems::internal("a pane is there though it was closed"));
                }
            }
        }
        self.host.forget(&key);
        Ok(exit)
    }

    /// Ends every pane of this home that belongs to no session, and removes the files of such.
    ///
    /// # Errors
    /// When it cannot be found out what there is.
    pub(crate) async fn sweep(&self, owned: impl Fn(&str) -> bool) -> Result<(), Problem> {
        let known = self.host.known().map_err(|error| problem(&error))?;
        for pane in self.host.list().await.map_err(|error| problem(&error))? {
            let Some(key) = pane.session.as_ref().filter(|key| !owned(key.as_str())) else {
                continue;
            };
            match self.host.kill_listed(&pane).await {
                Ok(()) => tracing::warn!(session = %key, "a pane of no session was closed"),
                // It carries another home's mark.
                Err(Error::BadArgument { .. }) => {}
                Err(error) => return Err(problem(&error)),
            }
        }
        for key in known.iter().filter(|key| !owned(key.as_str())) {
            self.host.forget(key);
        }
        Ok(())
    }
}

/// What of a spool is new to who left the stream like this.
fn printed(spool: Vec<u8>, id: Option<String>, left: Option<&Left>) -> Printed {
    let had = left.and_then(|left| left.spool.as_ref());
    // Another spool, or none, means that it was taken.
    let from = had.filter(|(of, _)| Some(of) == id.as_ref()).map_or(0, |(_, bytes)| *bytes);
    let spool = Bytes::from(spool);
    let from = usize::try_from(from).unwrap_or(usize::MAX).min(spool.len());
    Printed { bytes: spool.slice(from..), spool: id.map(|id| (id, from as u64)) }
}

/// Whether these bytes, and those that wait in the stream after them, follow what was left. What
/// was not taken out of the stream comes first in them; what looks like it may be new all the
/// same.
fn is_exact(left: &Left, printed: &[u8], waiting: &[u8]) -> bool {
    let unsure = &left.unsure;
    unsure.is_empty() || !printed.iter().chain(waiting).take(unsure.len()).eq(unsure.iter())
}

/// How a program ended, where that is known.
fn exit_of(state: &ProgramState) -> Option<Exit> {
    ended(state).filter(Exit::is_known)
}

fn ended(state: &ProgramState) -> Option<Exit> {
    match state {
        ProgramState::Exited(exit) => Some(seen(*exit)),
        ProgramState::Waiting | ProgramState::Running { .. } | ProgramState::SpawnFailed { .. } => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(unsure: &'static [u8], spool: Option<(&str, u64)>) -> Left {
        let spool = spool.map(|(id, bytes)| (id.to_owned(), bytes));
        Left { unsure: Bytes::from_static(unsure), spool }
    }

    #[test]
    fn of_a_spool_that_was_begun_only_the_rest_is_new() {
        let fresh = |id: Option<&str>, had: Option<(&str, u64)>| {
            let left = had.map(|had| left(b"", Some(had)));
            let got = printed(b"abcdef".to_vec(), id.map(str::to_owned), left.as_ref());
            (String::from_utf8(got.bytes.to_vec()).unwrap(), got.spool.map(|(_, from)| from))
        };
        assert_eq!(fresh(Some("1"), Some(("1", 4))), ("ef".into(), Some(4)));
        assert_eq!(fresh(Some("1"), Some(("1", 9))), (String::new(), Some(6)));
        assert_eq!(fresh(Some("2"), Some(("1", 4))), ("abcdef".into(), Some(0)), "another one");
        assert_eq!(fresh(None, Some(("1", 4))), ("abcdef".into(), None));
        assert_eq!(fresh(Some("1"), None), ("abcdef".into(), Some(0)));
    }

    #[test]
    fn what_may_come_twice_is_not_exact() {
        assert!(is_exact(&left(b"", None), b"x", b"y"));
        let unsure = left(b"abc", None);
        for (printed, waiting, exact) in [
            (&b"abc"[..], &b""[..], false),
            (b"", b"abcd", false),
            (b"ab", b"cd", false),
            (b"ab", b"", true),
            (b"", b"", true),
            (b"xabc", b"", true),
        ] {
            assert_eq!(is_exact(&unsure, printed, waiting), exact, "{printed:?}");
        }
    }
}
