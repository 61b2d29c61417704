//! Starting the program of a session again, in the files that it has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qd_agents::Again;
use qd_core::{Code, Command, Launch, Millis, OnLoss, Problem, SessionId, Size};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::hold::Hold;
use super::rejoin::ASK_AGAIN;
use super::{Done, Owner};
use crate::agents::Asked;
use crate::panes::{OpenPane, Pane};
use crate::problems;
use crate::shared::Shared;
use crate::starts::Rank;

impl Owner {
    /// Starts the program beside the turns.
    pub(super) fn begin_start(&mut self) {
        let cancel = CancellationToken::new();
        self.hold = Hold::Starting(cancel.clone());
        // What the last one left behind would be taken for the new one's.
        self.shared.panes.forget(&self.id);
        let start = Start {
            shared: Arc::clone(&self.shared),
            id: self.id.clone(),
            launch: self.state.launch.clone(),
            since: self.state.created_at,
            run: self.state.run + 1,
            folder: self.state.place.as_ref().map(|place| PathBuf::from(&place.worktree)),
            size: self.terminal.size(),
            rank: self.lost.unwrap_or(Rank::Asked),
            cancel,
        };
        self.work.spawn(async move { Done::Started(start.run().await) });
    }

    /// It runs, or could not be started.
    pub(super) async fn started_again(&mut self, result: Result<(Pane, Option<String>), Problem>) {
        self.hold = Hold::Nothing;
        self.lost = None;
        self.idle.touch(Instant::now());
        match result {
            Ok((mut pane, conversation)) => {
                let drawing = pane.take_drawing();
                self.hold = Hold::Here(Box::new(pane));
                self.terminal.begin_again();
                self.show_first(drawing).await;
                self.forget_screen();
                if let Some(id) = conversation {
                    self.report(Command::ConversationFound(id)).await;
                }
                self.report(Command::Started).await;
                self.held.started(Instant::now());
                self.seen_running = true;
                self.settle_size();
                self.count_diff();
                self.publish();
            }
            Err(problem) => {
                self.drop_all_input(&problem);
                self.failed(problem, Command::StartFailed).await;
            }
        }
        if !self.shared.stop.is_cancelled() {
            self.advance().await;
        }
    }
}

struct Start {
    shared: Arc<Shared>,
    id: SessionId,
    launch: Launch,
    since: Millis,
    run: u64,
    folder: Option<PathBuf>,
    size: Size,
    rank: Rank,
    cancel: CancellationToken,
}

impl Start {
    /// The pane, and the conversation that its program goes on with.
    async fn run(self) -> Result<(Pane, Option<String>), Problem> {
        if let Some(at) = &self.launch.adopted {
            return self.shared.panes.adopt(&self.id, at).await.map(|pane| (pane, None));
        }
        let Some(folder) = self.folder.clone() else {
            return Err(problems::internal("a session without files cannot be started again"));
        };
        if !folder.is_dir() {
            return Err(Problem::new(
                Code::WorktreeMissing,
                format!("The folder {} is not there any more.", folder.display()),
                "Put it back, or delete the session; its branch is as it was.",
            ));
        }
        // Refused while the files there are being moved.
        self.shared.claim(folder.clone(), &self.id, true).await?;
        let env = super::create::environment(&self.shared, &self.id, &self.launch, self.run);
        let Again { argv, conversation } = self.again(&folder, &env).await?;
        let pane = OpenPane {
            id: self.id.clone(),
            title: self.launch.title.to_string(),
            argv,
            cwd: folder,
            env,
            size: self.size,
        };
        let turn = tokio::select! {
            turn = self.shared.starts.turn(self.rank) => turn,
            () = self.cancel.cancelled() => return Err(self.called_off()),
        };
        self.shared.step("start-opens").await;
        let opened = open_pane(&self.shared, pane, &self.cancel).await;
        drop(turn);
        opened.unwrap_or_else(|| Err(self.called_off())).map(|pane| (pane, conversation))
    }

    /// The program and its arguments, so that it goes on with its conversation where it can.
    async fn again(&self, folder: &Path, env: &BTreeMap<String, String>) -> Result<Again, Problem> {
        let launch = self.launch.clone();
        if launch.on_loss == OnLoss::Rerun {
            return Ok(Again { argv: launch.argv, conversation: None });
        }
        let (folder, env) = (folder.to_path_buf(), env.clone());
        let asked = Asked { id: self.id.clone(), launch, folder, env, since: self.since };
        let again = asked.with(&self.shared, |catalog, launch, place, taken| {
            qd_agents::again(catalog, launch, place, |id| taken.contains(id))
        });
        again.await
    }

    /// With the daemon it is not given up: it goes on at the next start.
    fn called_off(&self) -> Problem {
        if self.shared.stop.is_cancelled() {
            return problems::stopping();
        }
        Problem::new(Code::Cancelled, "The start was called off.", "Start it again if need be.")
    }
}

/// Makes a pane; none when that was called off. Without a pane it is certain, when this is over,
/// that no program runs: what was made of it has ended, and not only been told to.
pub(super) async fn open_pane(
    shared: &Shared,
    pane: OpenPane,
    cancel: &CancellationToken,
) -> Option<Result<Pane, Problem>> {
    if cancel.is_cancelled() {
        return None;
    }
    let id = pane.id.clone();
    // Not dropped when it is called off: what it made would be taken back behind our back.
    let opened = tokio::select! {
        opened = shared.panes.open(pane) => opened,
        // With the daemon it is: the next one ends what tmux was told to make.
        () = shared.stop.cancelled() => return None,
    };
    shared.step("start-opened").await;
    let failed = match opened {
        Ok(pane) if !cancel.is_cancelled() => return Some(Ok(pane)),
        Ok(pane) => {
            if let Err(problem) = pane.kill().await {
                tracing::warn!(session = %id, %problem, "a start that was called off stays");
            }
            None
        }
        Err(problem) => Some(Err(problem)),
    };
    while shared.panes.knows(&id) {
        match shared.panes.end_left(&id).await {
            Err(problem) if shared.panes.knows(&id) => {
                tracing::warn!(session = %id, %problem, "a start could not be taken back yet");
                if !shared.pause(ASK_AGAIN).await {
                    return Some(Err(problems::stopping()));
                }
            }
            _ => break,
        }
    }
    failed
}
