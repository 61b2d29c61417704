//! The owner of one session: its state, its terminal, its pane and the work on it.

mod advance;
mod conversation;
mod create;
mod flow;
mod held;
mod hold;
mod idle;
mod input;
mod keep;
mod keys;
mod lease;
mod output;
mod recall;
mod rejoin;
mod replies;
mod requests;
mod seat;
mod ship;
mod show;
mod size;
mod start;
mod tape;
mod terminal;
mod timers;
mod typing;
mod work;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use qd_api::DiffStat;
use qd_core::{Command, Event, Exit, Place, Problem, Session, SessionId, Size, Work, decide};
use qd_git::Repo;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

pub(crate) use self::create::worktrees_in;
use self::held::Held;
use self::hold::Hold;
use self::input::InputQueue;
use self::show::show;
use self::tape::Tape;
use self::terminal::Terminal;
pub(crate) use self::terminal::VIEWER_QUEUE;
use self::work::{Done, Progress, ResizeBy};
use crate::doze::Idle;
use crate::handle::ViewSignal;
use crate::message::{Reply, SessionAddress, SessionMessage};
use crate::panes::{Left, Pane, PaneEvent};
use crate::problems;
use crate::shared::{Shared, Shown};
use crate::starts::Rank;
use crate::viewer::ViewerGone;

/// Messages that may wait for a session's owner.
const QUEUE: usize = 256;
/// Sequence numbers reserved ahead, in bytes of output.
const RESERVE: u64 = 64 * 1024 * 1024;
/// How long a program may take to end after it was asked to.
const END_GRACE: Duration = Duration::from_secs(3);
/// How long the init may take on top of that before its pane is closed under it.
const END_LIMIT: Duration = Duration::from_secs(8);
/// How long input may wait for a program that does not read before its sender is told.
const INPUT_PATIENCE: Duration = Duration::from_secs(10);
/// How soon what could not be stored is tried again.
const STORE_AGAIN: Duration = Duration::from_secs(2);
/// How long work under way may hold up the end of the daemon. All of it goes on at the next start,
/// or was bounded in time by itself.
const CLOSE_LIMIT: Duration = Duration::from_secs(30);
/// How long after output the diff is counted again, and how often at most.
const STAT_AFTER: Duration = Duration::from_secs(3);
const STAT_EVERY: Duration = Duration::from_secs(15);
/// How long after one count the next is made while somebody looks at the terminal.
const STAT_WATCHED: Duration = Duration::from_secs(30);

/// Where a session comes from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// It was asked for just now.
    New {
        /// It may work in a folder that another session works in.
        shared_folder: bool,
        /// The repository, found a moment ago.
        repo: Option<Repo>,
        /// Where its files come from, if not from a base.
        fork: Option<Box<Place>>,
    },
    /// It was there before the daemon started.
    Recovered,
}

/// Opens a session: its address, the task that owns it, and what it shows. The task says whether
/// the session is purged; else it ended with the daemon, and the session stays.
pub(crate) fn open(
    shared: Arc<Shared>,
    state: Session,
    origin: Origin,
) -> (SessionAddress, impl Future<Output = bool> + Send, watch::Receiver<Arc<Shown>>) {
    let (address, mailbox) = mpsc::channel(QUEUE);
    let (progress_to, progress) = mpsc::channel(16);
    let terminal = Terminal::new(state.launch.size, 0);
    let names_own = shared.agents.names_own(&state.launch.agent);
    let (shown, view) = watch::channel(Arc::new(show(&state, &terminal, None, None, None)));
    let owner = Owner {
        tape: Tape::new(shared.home.session(&state.id)),
        left: None,
        shared,
        id: state.id.clone(),
        state,
        terminal,
        reserved: 0,
        hold: Hold::Nothing,
        input: InputQueue::default(),
        held: Held::default(),
        idle: Idle::new(Instant::now()),
        idle_due: None,
        wake_again: Instant::now(),
        looking: false,
        lost: None,
        seen_running: false,
        input_stuck: None,
        mailbox,
        progress,
        progress_to,
        work: JoinSet::new(),
        count: JoinSet::new(),
        files: None,
        resizing: false,
        resize_next: None,
        end_by: None,
        unsaved: VecDeque::new(),
        store_at: None,
        place_written: None,
        purged: false,
        stat: None,
        shipping: None,
        stat_due: None,
        stat_read: None,
        title_due: None,
        names_own,
        conversation_due: None,
        shown,
    };
    (address, owner.run(origin), view)
}

/// The owner. Not `Clone`: what it holds has no other holder.
struct Owner {
    shared: Arc<Shared>,
    id: SessionId,
    state: Session,
    terminal: Terminal,
    tape: Tape,
    /// Where the stream of a pane that is looked for was left, when all before that is known.
    left: Option<Left>,
    /// Sequence numbers below this one are ours to give.
    reserved: u64,
    hold: Hold,
    input: InputQueue,
    /// Input for a program that does not run yet.
    held: Held,
    /// Since when it is idle, when to look whether it is, and whether that is being done.
    idle: Idle,
    idle_due: Option<Instant>,
    looking: bool,
    /// A waking at its time that failed is not tried again before.
    wake_again: Instant,
    /// How much its start is wanted, when it is one after a loss.
    lost: Option<Rank>,
    /// Its program has run since the daemon started.
    seen_running: bool,
    /// Since when the program has not read.
    input_stuck: Option<Instant>,
    mailbox: mpsc::Receiver<SessionMessage>,
    progress: mpsc::Receiver<Progress>,
    progress_to: mpsc::Sender<Progress>,
    work: JoinSet<Done>,
    /// A count of the diff: dropped when the daemon stops, because nobody is hurt by it.
    count: JoinSet<Option<DiffStat>>,
    /// What is being done to its files.
    files: Option<Work>,
    resizing: bool,
    /// A size that was asked for while the terminal was being resized.
    resize_next: Option<(Size, Reply<()>)>,
    /// When to close the pane of a program that does not end.
    end_by: Option<Instant>,
    stat: Option<DiffStat>,
    /// What of its work is being shipped, or was last.
    shipping: Option<ship::Shipping>,
    stat_due: Option<Instant>,
    stat_read: Option<Instant>,
    /// Reports that could not be stored yet, in their order, and when to try again.
    unsaved: VecDeque<Command>,
    store_at: Option<Instant>,
    /// Whoever makes it waits until it is stored where its files are.
    place_written: Option<oneshot::Sender<()>>,
    /// It is gone for good.
    purged: bool,
    title_due: Option<Instant>,
    /// Its agent names its conversations itself.
    names_own: bool,
    /// When its conversation is to be looked for.
    conversation_due: Option<Instant>,
    shown: watch::Sender<Arc<Shown>>,
}

impl Owner {
    async fn run(mut self, origin: Origin) -> bool {
        match origin {
            Origin::New { shared_folder, repo, fork } => {
                self.begin_creation(shared_folder, repo, fork);
            }
            Origin::Recovered => self.recover().await,
        }
        let stop = self.shared.stop.clone();
        loop {
            self.settle_held();
            let wake = self.next_wake();
            let has_pane = self.hold.pane().is_some();
            let writes = self.writes();
            let input = self.hold.pane().filter(|_| writes);
            let input = input.and_then(|pane| self.input.next(pane.allowance()));
            let looks = writes && !self.input.is_empty() && input.is_none_or(<[u8]>::is_empty);
            let full = self.terminal.anyone_waits_for_room();
            // What was done is not looked at before what was done earlier is stored.
            let stored = self.unsaved.is_empty();
            tokio::select! {
                () = stop.cancelled() => break,
                Some(message) = self.mailbox.recv() => self.handle(message).await,
                Some(progress) = self.progress.recv(), if stored => self.progressed(progress).await,
                Some(done) = self.work.join_next(), if stored => match done {
                    Ok(done) => self.finished(done).await,
                    Err(error) => {
                        tracing::error!(session = %self.id, %error, "work on a session ended in a fault");
                    }
                },
                Some(Ok(stat)) = self.count.join_next() => self.counted(stat),
                event = next_event(self.hold.pane_mut(), input, looks), if has_pane => {
                    self.pane_told(event).await;
                }
                () = self.terminal.room(), if full => self.terminal.catch_up_all(),
                () = sleep_until(wake), if wake.is_some() => self.woken().await,
            }
            if self.purged {
                break;
            }
        }
        if !self.purged {
            self.close().await;
        }
        if self.purged {
            self.forget();
        }
        self.purged
    }

    /// The daemon stops: the program goes on, and what we know of its screen is kept.
    async fn close(&mut self) {
        if let Hold::Starting(start) = &self.hold {
            start.cancel();
        }
        self.ends_shipping();
        // Work under way is finished, so that nothing is left half-made.
        let work = async {
            while let Some(done) = self.work.join_next().await {
                if let Ok(done) = done {
                    self.finished(done).await;
                }
            }
        };
        if tokio::time::timeout(CLOSE_LIMIT, work).await.is_err() {
            tracing::warn!(session = %self.id, "work on a session is left for the next start");
            self.work.shutdown().await;
        }
        self.flush().await;
        if self.purged {
            return;
        }
        self.terminal.dismiss(None, ViewerGone::DaemonStops);
        self.save_screen().await;
        self.drop_all_input(&problems::stopping());
    }

    /// The session is purged: nothing of it stays.
    fn forget(&mut self) {
        self.terminal.dismiss(None, ViewerGone::NoSession);
        self.shared.panes.forget(&self.id);
        self.forget_files();
    }

    /// Decides, writes down, takes the next state, shows it.
    async fn apply(&mut self, command: Command) -> Result<(), Problem> {
        let events = decide(Some(&self.state), command)?;
        self.write_down(&events).await
    }

    async fn write_down(&mut self, events: &[Event]) -> Result<(), Problem> {
        if events.is_empty() {
            return Ok(());
        }
        let next = self.shared.persist(Some(self.state.clone()), &self.id, events).await?;
        if let Some(next) = next {
            self.state = next;
            self.publish();
        } else {
            self.purged = true;
        }
        Ok(())
    }

    /// A report of what happened. It is true whether it can be written down or not: what cannot
    /// be now is tried again.
    async fn report(&mut self, command: Command) {
        self.unsaved.push_back(command);
        self.flush().await;
    }

    /// Writes down the reports that wait.
    async fn flush(&mut self) {
        self.store_at = None;
        while let Some(command) = self.unsaved.front().cloned() {
            match decide(Some(&self.state), command) {
                Ok(events) => {
                    if let Err(problem) = self.write_down(&events).await {
                        tracing::error!(session = %self.id, %problem, "an event could not be written down yet");
                        self.store_at = Some(Instant::now() + STORE_AGAIN);
                        return;
                    }
                }
                Err(problem) => {
                    tracing::error!(session = %self.id, %problem, "a report was refused");
                }
            }
            self.unsaved.pop_front();
        }
        if let Some(written) = self.place_written.take() {
            let _ = written.send(());
        }
    }

    fn publish(&self) {
        let shipping = self.shipping.as_ref().map(|shipping| shipping.view.clone());
        let shown = show(&self.state, &self.terminal, self.hold.pane(), self.stat, shipping);
        self.shown.send_replace(Arc::new(shown));
        let _ = self.shared.signals.send(ViewSignal::Session(self.id.clone()));
    }
}

async fn next_event(pane: Option<&mut Pane>, input: Option<&[u8]>, looks: bool) -> PaneEvent {
    match pane {
        Some(pane) => pane.next(input, looks).await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// How a program ended, when nobody could tell.
pub(crate) const UNKNOWN_EXIT: Option<Exit> = None;
