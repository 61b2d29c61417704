//! Taking the stream again after somebody cut it.

use super::capture::Snapshot;
use super::create::pipe_command;
use super::link::Pane;
use super::tap::Tap;
use crate::Result;

impl Pane {
    /// Taps the pane anew. The first byte of the new stream follows the last one
    /// that the snapshot shows: pipe and capture run as one list, and tmux reads
    /// no pane in between. What was printed since the cut is in the snapshot
    /// only.
    ///
    /// # Errors
    /// Those of a command; no stream in time.
    pub async fn retap(&mut self, history: u32) -> Result<(Tap, Snapshot)> {
        // Of an earlier try.
        while self.taps.try_recv().is_ok() {}
        let pipe = pipe_command(&self.panes, &self.key, self.address.pane)?;
        let snapshot = self.capture_after(Some(pipe), history).await?;
        let tap = self.next_tap().await?;
        Ok((tap, snapshot))
    }
}
