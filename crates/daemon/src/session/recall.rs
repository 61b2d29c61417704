//! What is known of a terminal when the daemon comes back: from its tape, or from what was kept at
//! a stop in order.

use qd_core::may_run;

use super::Owner;
use super::keep::Kept;
use super::tape::{self, Played};
use super::terminal::drawn;
use crate::panes::Left;

impl Owner {
    /// Puts the terminal in place as it was left, and has the tape go on; gives where the stream
    /// was left. None when nothing is known: then it is empty, and its next byte has the number
    /// `first`, which none has had before.
    pub(super) async fn recall(&mut self, first: u64) -> Option<Left> {
        let folder = self.folder();
        let kept = self.kept().await;
        let played = tokio::task::spawn_blocking(move || tape::load(&folder)).await.ok().flatten();
        let runs = may_run(&self.state);
        // Numbered with that of another run it is not a tape of the program that is there.
        let run = self.shared.panes.run_of(&self.id);
        // What was kept at a stop is as new as the tape, or the tape is of before.
        let least = kept.as_ref().map_or(0, |kept| kept.next);
        let played = played
            .filter(|played| (!runs || played.run == run) && played.terminal.ring().end() >= least);
        if let Some(Played { terminal, run, left, reel }) = played {
            self.terminal.take_over(terminal);
            if runs {
                self.tape.go_on(reel, run, &left);
            } else if self.save_screen().await {
                self.tape.drop_it();
            }
            return Some(left);
        }
        self.tape.drop_it();
        let Some(Kept { next, size, screen, output }) = kept else {
            let size = self.state.launch.size;
            self.terminal.replace(drawn(size, b""), size, first, "lost");
            return None;
        };
        self.terminal.replace(screen, size, next, "lost");
        if let Some(output) = output {
            self.terminal.refill(output.start, &output.bytes, output.redrawn);
        }
        if runs {
            self.tape.begin(&self.terminal, run);
        }
        Some(Left::default())
    }

    /// A new tape of the program that runs now.
    pub(super) fn begin_tape(&mut self) {
        let run = self.shared.panes.run_of(&self.id);
        self.tape.begin(&self.terminal, run);
    }
}
