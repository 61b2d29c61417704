//! Taking the stream of a pane, and what the pane shows at that moment.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fd::OwnedFd;
use tokio::sync::{oneshot, watch};

use super::look::Standing;
use super::{ANSWER, Adopted, Foreign, ForeignPane, Look};
use crate::control::{Command, CommandList, shell_word_in_format};
use crate::pane::{SNAPSHOT, Snapshot, Tap, TapRequest, nonce, parse_snapshot};
use crate::spec::HandSpec;
use crate::{Error, Result, SessionKey};

impl Foreign {
    /// Takes the stream of a pane. Its first byte follows the last one that the snapshot shows:
    /// tmux reads no pane between the two. `history`: so many lines before the screen.
    ///
    /// That nobody else has the stream, that the pane lives, and that it is this very one, tmux
    /// sees in the same list of commands, so that no other's stream is ever cut.
    ///
    /// # Errors
    /// [`Error::PaneGone`], [`Error::PaneDead`], [`Error::PanePiped`]; when its server does not
    /// answer, or the stream does not come.
    pub async fn take(
        &self,
        key: &SessionKey,
        pane: &ForeignPane,
        history: u32,
    ) -> Result<(Adopted, Snapshot)> {
        let mut ticket = self.expect(key).await?;
        // The version decides how to ask for a screen.
        let before = self.standing(pane).await?;
        free(&before.look, pane)?;
        let (standing, snapshot) = self.tap_and_capture(pane, &ticket, &before, history).await?;
        free(&standing.look, pane)?;
        let stream = tokio::time::timeout(ANSWER, &mut ticket.stream)
            .await
            .map_err(|_| Error::TimedOut { what: "the pane's stream", after: ANSWER })?
            .map_err(|_| Error::NotConnected)?;
        let (_, no_mark) = watch::channel(None);
        let tap = Tap::new(stream, no_mark).map_err(Error::io("the pane's stream"))?;
        let mut snapshot = snapshot.ok_or_else(|| Error::BadAnswer {
            command: "capture-pane".into(),
            output: String::new(),
        })?;
        if snapshot.alternate {
            snapshot.primary = self.primary(pane, &standing).await;
        }
        let device = PathBuf::from(&standing.device);
        let stays = matches!(standing.look, Look::Here { stays: true, .. });
        let adopted = Adopted::new(self.clone(), pane.clone(), tap, device, snapshot.size, stays);
        Ok((adopted, snapshot))
    }

    async fn tap_and_capture(
        &self,
        pane: &ForeignPane,
        ticket: &Ticket,
        before: &Standing,
        history: u32,
    ) -> Result<(Standing, Option<Snapshot>)> {
        let id = pane.pane.to_string();
        let is = |format: &str, value: &str| format!("#{{==:#{{{format}}},{value}}}");
        let all = [
            is("pid", &pane.generation.pid.to_string()),
            is("start_time", &pane.generation.start_time.to_string()),
            is("pane_dead", "0"),
            is("pane_pipe", "0"),
        ];
        let condition =
            all.into_iter().reduce(|all, one| format!("#{{&&:{all},{one}}}")).unwrap_or_default();
        let tap = self.tap_command(pane, ticket)?;
        let from = format!("-{history}");
        let tap = OsStr::from_bytes(&tap);
        let text = OsStr::new;
        let words = [
            text("display-message"),
            text("-p"),
            text("-t"),
            text(&id),
            text(Standing::FORMAT),
            text(";"),
            text("display-message"),
            text("-p"),
            text("-t"),
            text(&id),
            text(SNAPSHOT),
            text(";"),
            text("if-shell"),
            text("-F"),
            text("-t"),
            text(&id),
            text(&condition),
            tap,
            text(";"),
            text("capture-pane"),
            text("-p"),
            text(cells(before)),
            text("-t"),
            text(&id),
            text("-S"),
            text(&from),
        ];
        let (said, complaint) = self.ask(&pane.socket, words).await?;
        let mut parts = said.splitn(3, |byte| *byte == b'\n');
        let mut next = || parts.next().unwrap_or_default();
        let first = String::from_utf8_lossy(next()).into_owned();
        let Some(standing) = Standing::parse(&first, pane) else {
            return Err(self.no_answer(&pane.socket, &said, complaint));
        };
        let snapshot = parse_snapshot(next());
        let lines = next().to_vec();
        Ok((standing, snapshot.map(|snapshot| Snapshot { lines, ..snapshot })))
    }

    /// The saved primary screen under an alternate one. It does not change meanwhile.
    async fn primary(&self, pane: &ForeignPane, standing: &Standing) -> Option<Vec<u8>> {
        let id = pane.pane.to_string();
        let words = ["capture-pane", "-p", "-a", cells(standing), "-t", id.as_str()];
        let (said, complaint) = self.ask(&pane.socket, words).await.ok()?;
        complaint.is_none().then_some(said)
    }

    /// The tap as one line for tmux to read.
    fn tap_command(&self, pane: &ForeignPane, ticket: &Ticket) -> Result<Vec<u8>> {
        let mut shell = b"exec ".to_vec();
        shell.extend(shell_word_in_format(self.panes.config.qd.as_os_str().as_bytes())?);
        shell.extend_from_slice(b" internal hand ");
        shell.extend(shell_word_in_format(ticket.file.as_os_str().as_bytes())?);
        let pipe = Command::new("pipe-pane").args(["-I", "-O", "-t", &pane.pane.to_string()]);
        let mut line = CommandList::from(pipe.bytes(&shell)).encode()?;
        line.pop();
        Ok(line)
    }

    /// Has the host wait for a stream.
    async fn expect(&self, key: &SessionKey) -> Result<Ticket> {
        let spec = HandSpec {
            daemon_sock: crate::spec::Text::from(&self.panes.config.daemon_sock()),
            session: key.clone(),
            nonce: nonce()?,
        };
        let (reply, stream) = oneshot::channel();
        let request = TapRequest { nonce: spec.nonce.clone(), reply };
        self.panes.expect_tap(request).await?;
        let file = self.panes.config.hand(key);
        spec.write(&file)?;
        Ok(Ticket { file, stream })
    }
}

/// A stream that is waited for. Dropped, its file is gone, and a stream that comes is let go of.
struct Ticket {
    file: PathBuf,
    stream: oneshot::Receiver<OwnedFd>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.file));
    }
}

/// Whether the pane can be tapped.
fn free(look: &Look, pane: &ForeignPane) -> Result<()> {
    let pane = || pane.pane.to_string();
    match look {
        Look::Gone => Err(Error::PaneGone { pane: pane() }),
        Look::Dead(exit) => Err(Error::PaneDead { pane: pane(), exit: *exit }),
        Look::Here { piped: true, .. } => Err(Error::PanePiped { pane: pane() }),
        Look::Here { piped: false, .. } => Ok(()),
    }
}

fn cells(standing: &Standing) -> &'static str {
    if standing.fills_rows() { "-eNT" } else { "-eN" }
}
