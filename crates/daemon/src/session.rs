//! The owner of one session: its state, its terminal, its pane and the work on it.

mod create;
mod flow;
mod input;
mod keep;
mod keys;
mod lease;
mod output;
mod rejoin;
mod replies;
mod requests;
mod seat;
mod size;
mod terminal;
mod trash;
mod typing;
mod work;

use std::sync::Arc;
use std::time::Duration;

use qd_api::{DiffStat, PaneView, SessionView};
use qd_core::{
    Command, Event, Exit, Parked, Place, Problem, Session, SessionId, Size, Step, decide,
};
use qd_git::Repo;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::input::InputQueue;
use self::terminal::Terminal;
pub(crate) use self::terminal::VIEWER_QUEUE;
use crate::handle::ViewSignal;
use crate::message::{SessionAddress, SessionMessage, ViewerId};
use crate::panes::{Pane, PaneEvent, Rejoin};
use crate::problems;
use crate::shared::{Shared, Shown};
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
/// How often what could not be done at once is tried again, while there is any.
const TICK: Duration = Duration::from_millis(40);
/// How long after output the diff is counted again, and how often at most.
const STAT_AFTER: Duration = Duration::from_secs(3);
const STAT_EVERY: Duration = Duration::from_secs(15);

/// Where a session comes from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// It was asked for just now.
    New {
        /// It may work in a folder that another session works in.
        shared_folder: bool,
        /// The repository, found a moment ago.
        repo: Option<Repo>,
    },
    /// It was there before the daemon started.
    Recovered,
}

/// Opens a session: its address, the task that owns it, and what it shows.
pub(crate) fn open(
    shared: Arc<Shared>,
    state: Session,
    origin: Origin,
) -> (SessionAddress, impl Future<Output = ()> + Send, watch::Receiver<Arc<Shown>>) {
    let (address, mailbox) = mpsc::channel(QUEUE);
    let (progress_to, progress) = mpsc::channel(16);
    let terminal = Terminal::new(state.launch.size, 0);
    let (shown, view) = watch::channel(Arc::new(show(&state, &terminal, None, None)));
    let owner = Owner {
        shared,
        id: state.id.clone(),
        state,
        terminal,
        reserved: 0,
        pane: None,
        input: InputQueue::default(),
        input_stuck: None,
        mailbox,
        progress,
        progress_to,
        work: JoinSet::new(),
        count: JoinSet::new(),
        creation: None,
        closing: false,
        parking: false,
        resizing: false,
        end_by: None,
        stat: None,
        stat_due: None,
        stat_read: None,
        title: String::new(),
        title_due: None,
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
    /// Sequence numbers below this one are ours to give.
    reserved: u64,
    pane: Option<Pane>,
    input: InputQueue,
    /// Since when the program has not read.
    input_stuck: Option<Instant>,
    mailbox: mpsc::Receiver<SessionMessage>,
    progress: mpsc::Receiver<Progress>,
    progress_to: mpsc::Sender<Progress>,
    work: JoinSet<Done>,
    /// A count of the diff: dropped when the daemon stops, because nobody is hurt by it.
    count: JoinSet<Option<DiffStat>>,
    /// Calls the creation off, while it is under way.
    creation: Option<CancellationToken>,
    /// The pane is being closed after its program ended.
    closing: bool,
    /// Its files are being put away.
    parking: bool,
    resizing: bool,
    /// When to close the pane of a program that does not end.
    end_by: Option<Instant>,
    stat: Option<DiffStat>,
    stat_due: Option<Instant>,
    stat_read: Option<Instant>,
    title: String,
    title_due: Option<Instant>,
    shown: watch::Sender<Arc<Shown>>,
}

/// What a creation reports on its way.
pub(crate) enum Progress {
    /// A step begins.
    Step(Step),
    /// The files are there.
    Place(Box<Place>),
}

/// Work that was done beside the owner's turns.
enum Done {
    Created(Result<Pane, Problem>),
    Rejoined(Result<Rejoin, Problem>),
    Retapped(Result<(Pane, Vec<u8>, Size), Problem>),
    Parked(Result<Parked, Problem>),
    Restored(Result<Option<Box<Place>>, Problem>),
    Purged(Result<(), Problem>),
    Resized(Size, Option<ViewerId>, Result<(), Problem>),
    Closed,
}

/// Whether the owner goes on.
#[derive(PartialEq, Eq)]
enum Then {
    Continue,
    End,
}

impl Owner {
    async fn run(mut self, origin: Origin) {
        match origin {
            Origin::New { shared_folder, repo } => self.begin_creation(shared_folder, repo),
            Origin::Recovered => self.recover().await,
        }
        let stop = self.shared.stop.clone();
        loop {
            let wake = self.next_wake();
            let has_pane = self.pane.is_some();
            let input = self.pane.as_ref().and_then(|pane| self.input.next(pane.allowance()));
            let looks = has_pane && !self.input.is_empty() && input.is_none_or(<[u8]>::is_empty);
            let then = tokio::select! {
                () = stop.cancelled() => break,
                Some(message) = self.mailbox.recv() => self.handle(message).await,
                Some(progress) = self.progress.recv() => self.progressed(progress).await,
                Some(done) = self.work.join_next() => match done {
                    Ok(done) => self.finished(done).await,
                    Err(error) => {
                        tracing::error!(session = %self.id, %error, "work on a session ended in a fault");
                        Then::Continue
                    }
                },
                Some(Ok(stat)) = self.count.join_next() => {
                    self.counted(stat);
                    Then::Continue
                }
                event = next_event(self.pane.as_mut(), input, looks), if has_pane => {
                    self.pane_told(event).await
                }
                () = sleep_until(wake), if wake.is_some() => self.woken().await,
            };
            if then == Then::End {
                return;
            }
        }
        self.close().await;
    }

    /// The daemon stops: the program goes on, and what we know of its screen is kept.
    async fn close(&mut self) {
        if let Some(creation) = self.creation.take() {
            creation.cancel();
        }
        // Work under way is finished, so that nothing is left half-made; it is bounded in time.
        while let Some(done) = self.work.join_next().await {
            if let Ok(done) = done {
                let _ = self.finished(done).await;
            }
        }
        self.terminal.dismiss(None, ViewerGone::DaemonStops);
        self.save_screen();
        self.drop_input(&problems::stopping());
    }

    fn next_wake(&self) -> Option<Instant> {
        let soon = self.terminal.anyone_behind();
        [soon.then(|| Instant::now() + TICK), self.end_by, self.stat_due, self.title_due]
            .into_iter()
            .flatten()
            .min()
    }

    async fn woken(&mut self) -> Then {
        let now = Instant::now();
        self.terminal.catch_up_all();
        if self.title_due.is_some_and(|due| due <= now) {
            self.title_due = None;
            self.title = self.terminal.screen().title().to_owned();
            self.publish();
        }
        if self.stat_due.is_some_and(|due| due <= now) {
            self.stat_due = None;
            self.count_diff();
        }
        if self.end_by.is_some_and(|by| by <= now) {
            self.end_by = None;
            self.close_pane_by_force().await;
        }
        Then::Continue
    }

    /// Decides, writes down, takes the next state, shows it.
    async fn apply(&mut self, command: Command) -> Result<bool, Problem> {
        let events = decide(Some(&self.state), command)?;
        if events.is_empty() {
            return Ok(false);
        }
        let purged = events.contains(&Event::Purged);
        let next = self.shared.persist(Some(self.state.clone()), &self.id, &events).await?;
        if let Some(next) = next {
            self.state = next;
        }
        if !purged {
            self.publish();
        }
        Ok(true)
    }

    /// A report that has to be written down: what cannot be is logged, and tried no further.
    async fn report(&mut self, command: Command) {
        if let Err(problem) = self.apply(command).await {
            tracing::error!(session = %self.id, %problem, "an event could not be written down");
        }
    }

    fn publish(&self) {
        let shown = show(&self.state, &self.terminal, self.pane.as_ref(), self.stat);
        self.shown.send_replace(Arc::new(shown));
        let _ = self.shared.signals.send(ViewSignal::Session(self.id.clone()));
    }
}

/// What a session shows.
fn show(
    state: &Session,
    terminal: &Terminal,
    pane: Option<&Pane>,
    stat: Option<DiffStat>,
) -> Shown {
    let mut view = SessionView::new(state, &state.attention());
    let size = terminal.size();
    view.pane = pane.map(|pane| PaneView { id: pane.name(), cols: size.cols, rows: size.rows });
    view.diff_stat = stat;
    let title = terminal.screen().title();
    view.terminal_title = (!title.is_empty()).then(|| title.to_owned());
    Shown {
        view: Arc::new(view),
        target: pane.map(Pane::target),
        place: state.place.clone(),
        parked_at: state.parked.as_ref().and_then(|parked| parked.path.clone()),
        created_at: state.created_at,
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
