//! The owner of one session: its state, its terminal, its pane and the work on it.

mod create;
mod flow;
mod input;
mod keys;
mod lease;
mod replies;
mod size;
mod terminal;
mod trash;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use qd_api::{DiffStat, Operation, PaneView, SessionView};
use qd_core::{
    Code, Command, Description, Event, Exit, Lifecycle, Parked, Pending, Place, Problem, Session,
    SessionId, Size, Step, Tag, Title, decide,
};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::input::InputQueue;
use self::terminal::Terminal;
pub(crate) use self::terminal::VIEWER_QUEUE;
use crate::handle::ViewSignal;
use crate::message::{Reply, SessionAddress, SessionMessage, ViewerId};
use crate::panes::{Pane, PaneEvent, Rejoin};
use crate::problems;
use crate::shared::{Shared, Shown};
use crate::viewer::ViewerGone;

/// Messages that may wait for a session's owner.
const QUEUE: usize = 256;
/// Most bytes taken from the pane in one turn.
const READ: usize = 64 * 1024;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was asked for just now.
    New {
        /// It may work in a folder that another session works in.
        shared_folder: bool,
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
        buffer: BytesMut::new(),
        mailbox,
        progress,
        progress_to,
        work: JoinSet::new(),
        creation: None,
        resizing: false,
        counting: false,
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
    buffer: BytesMut,
    mailbox: mpsc::Receiver<SessionMessage>,
    progress: mpsc::Receiver<Progress>,
    progress_to: mpsc::Sender<Progress>,
    work: JoinSet<Done>,
    /// Calls the creation off, while it is under way.
    creation: Option<CancellationToken>,
    resizing: bool,
    counting: bool,
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
    Retapped(Result<Pane, Problem>),
    Parked(Result<Parked, Problem>),
    Restored(Result<Option<Box<Place>>, Problem>),
    Purged(Result<(), Problem>),
    Resized(Size, Option<ViewerId>, Result<(), Problem>),
    Counted(Option<DiffStat>),
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
            Origin::New { shared_folder } => self.begin_creation(shared_folder),
            Origin::Recovered => self.recover().await,
        }
        let stop = self.shared.stop.clone();
        loop {
            let wake = self.next_wake();
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
                event = next_event(&mut self.pane, &mut self.buffer), if self.pane.is_some() => {
                    self.from_pane(event).await
                }
                ready = writable(self.pane.as_ref()), if self.wants_to_write() => {
                    self.write_input(ready);
                    Then::Continue
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
        self.input.fail(&problems::stopping());
    }

    fn wants_to_write(&self) -> bool {
        self.pane.as_ref().is_some_and(Pane::may_write) && !self.input.is_empty()
    }

    fn next_wake(&self) -> Option<Instant> {
        let soon = self.terminal.anyone_behind() || (!self.input.is_empty() && !self.wants_to_write());
        [
            soon.then(|| Instant::now() + TICK),
            self.end_by,
            self.stat_due,
            self.title_due,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    async fn woken(&mut self) -> Then {
        let now = Instant::now();
        self.terminal.catch_up_all();
        if !self.input.is_empty() {
            self.look_at_input(now);
        }
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
            self.close_pane_by_force();
        }
        Then::Continue
    }

    // ---- messages -------------------------------------------------------------------------

    async fn handle(&mut self, message: SessionMessage) -> Then {
        match message {
            SessionMessage::Attach { request, events, reply } => {
                if reply.is_closed() {
                    return Then::Continue;
                }
                let viewer = self.terminal.attach(request, events);
                if reply.send(Ok(viewer)).is_err() {
                    self.terminal.leave(viewer);
                }
                self.settle_size();
            }
            SessionMessage::ViewerInput { viewer, data, paste } => {
                if self.terminal.may_type(viewer) {
                    let data = if paste { self.as_paste(&data) } else { data };
                    if let Err(problem) = self.enqueue(data, None) {
                        self.terminal.refuse(viewer, problem);
                    }
                    self.settle_size();
                }
            }
            SessionMessage::ViewerResize { viewer, size } => {
                self.terminal.viewer_resized(viewer, size);
                self.settle_size();
            }
            SessionMessage::ViewerAck { viewer, seq } => self.terminal.ack(viewer, seq),
            SessionMessage::ViewerLease { viewer, take } => {
                self.terminal.lease(viewer, take);
                self.settle_size();
            }
            SessionMessage::ViewerLeft { viewer } => {
                self.terminal.leave(viewer);
                self.settle_size();
            }
            SessionMessage::Revoke { device } => {
                self.terminal.dismiss(Some(&device), ViewerGone::Revoked);
                self.settle_size();
            }
            SessionMessage::Send { data, paste, enter, reply } => {
                self.send(data, paste, enter, reply);
            }
            SessionMessage::Keys { keys, reply } => {
                let application = self.terminal.screen().modes().application_cursor;
                let encoded: Result<Vec<_>, _> =
                    keys.iter().map(|key| keys::encode(key, application)).collect();
                match encoded {
                    Ok(bytes) => self.send(Bytes::from(bytes.concat()), false, false, reply),
                    Err(problem) => {
                        let _ = reply.send(Err(problem));
                    }
                }
            }
            SessionMessage::Resize { size, reply } => {
                self.terminal.size_forced();
                let answer = if self.pane.is_some() { Ok(()) } else { Err(self.no_program()) };
                if answer.is_ok() && size != self.terminal.size() {
                    self.begin_resize(size, None);
                }
                let _ = reply.send(answer);
            }
            SessionMessage::Screen { query, reply } => {
                let _ = reply.send(Ok(replies::screen(&self.terminal, query)));
            }
            SessionMessage::Scrollback { query, reply } => {
                let _ = reply.send(Ok(replies::scrollback(&self.terminal, query)));
            }
            SessionMessage::Log { query, reply } => {
                let _ = reply.send(Ok(self.log(query.from)));
            }
            SessionMessage::Change { change, expect, reply } => {
                let answer = self.change(change, expect).await;
                let _ = reply.send(answer);
            }
            SessionMessage::Trash { expect, reply } => {
                let answer = self.begin(Command::Trash, "trash", expect).await;
                if answer.is_ok() {
                    self.advance_trash();
                }
                let _ = reply.send(answer);
            }
            SessionMessage::Restore { expect, reply } => {
                let before = self.state.pending;
                let answer = self.begin(Command::Restore, "restore", expect).await;
                if answer.is_ok() && before != Some(Pending::Restore) {
                    self.begin_restore();
                }
                let _ = reply.send(answer);
            }
            SessionMessage::Purge { expect, reply } => {
                let before = self.state.pending;
                let answer = self.begin(Command::Purge, "purge", expect).await;
                if answer.is_ok() && before != Some(Pending::Purge) {
                    self.begin_purge();
                }
                let _ = reply.send(answer);
            }
            SessionMessage::Stat(stat) => self.counted(Some(stat)),
        }
        Then::Continue
    }

    fn log(&self, from: Option<u64>) -> (u64, Bytes) {
        let ring = self.terminal.ring();
        let from = from.unwrap_or(0).clamp(ring.start(), ring.end());
        let bytes = ring.read(from, usize::MAX).map_or_else(
            |_| Bytes::new(),
            |(first, second)| Bytes::from([first, second].concat()),
        );
        (from, bytes)
    }

    async fn change(
        &mut self,
        change: qd_api::Change,
        expect: Option<u64>,
    ) -> Result<SessionView, Problem> {
        self.expect(expect)?;
        let words = description(change)?;
        self.apply(Command::Describe(Box::new(words))).await?;
        Ok(self.shown.borrow().view.as_ref().clone())
    }

    /// Begins what a person asked for, or finds that it is under way or done already.
    async fn begin(
        &mut self,
        command: Command,
        word: &'static str,
        expect: Option<u64>,
    ) -> Result<Operation, Problem> {
        self.expect(expect)?;
        self.apply(command).await?;
        Ok(operation(&self.state, word))
    }

    fn expect(&self, expect: Option<u64>) -> Result<(), Problem> {
        match expect {
            Some(version) if version != self.state.version => Err(Problem::new(
                Code::VersionConflict,
                format!(
                    "The session changed meanwhile: it has version {}, not {version}.",
                    self.state.version
                ),
                "Look at it again with `qd show`, then decide anew. Nothing was changed.",
            )),
            _ => Ok(()),
        }
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

    // ---- input ----------------------------------------------------------------------------

    fn as_paste(&self, data: &[u8]) -> Bytes {
        Bytes::from(keys::paste(data, self.terminal.screen().modes().bracketed_paste))
    }

    fn send(&mut self, data: Bytes, paste: bool, enter: bool, reply: Reply<()>) {
        let data = if paste { self.as_paste(&data) } else { data };
        if !enter {
            if let Err(refused) = self.enqueue_or_return(data, Some(reply)) {
                answer_full(refused);
            }
            return;
        }
        // Enter is a key of its own, after the text: programs that take a burst for a paste
        // would swallow it.
        if let Err(problem) = self.enqueue(data, None) {
            let _ = reply.send(Err(problem));
        } else if let Err(refused) =
            self.enqueue_or_return(Bytes::from_static(keys::ENTER), Some(reply))
        {
            answer_full(refused);
        }
    }

    fn enqueue(&mut self, data: Bytes, done: Option<Reply<()>>) -> Result<(), Problem> {
        if self.pane.is_none() || self.state.lifecycle != Lifecycle::Running {
            return Err(self.no_program());
        }
        self.input.push(data, done).map_err(|_| input::full())
    }

    fn enqueue_or_return(
        &mut self,
        data: Bytes,
        done: Option<Reply<()>>,
    ) -> Result<(), (Option<Reply<()>>, Problem)> {
        if self.pane.is_none() || self.state.lifecycle != Lifecycle::Running {
            return Err((done, self.no_program()));
        }
        self.input.push(data, done).map_err(|refused| (refused.done, input::full()))
    }

    fn no_program(&self) -> Problem {
        let now = match self.state.lifecycle {
            Lifecycle::Creating => "it is being made",
            Lifecycle::Exited => "its program has ended",
            Lifecycle::Failed => "it could not be started",
            Lifecycle::Trashed => "it is in the trash",
            Lifecycle::Running => "its terminal is being joined again",
        };
        Problem::new(
            Code::StateConflict,
            format!("\u{201c}{}\u{201d} takes no input: {now}.", self.state.launch.title),
            "Look at it with `qd show`. Nothing was typed.",
        )
    }

    fn write_input(&mut self, ready: std::io::Result<()>) {
        let Some(pane) = self.pane.as_mut() else { return };
        if ready.is_err() {
            return;
        }
        while let Some(next) = self.input.next(pane.may_write_bytes()) {
            if next.is_empty() {
                return;
            }
            match pane.try_write(next) {
                Ok(0) => return,
                Ok(bytes) => {
                    self.input.wrote(bytes);
                    self.input_stuck = None;
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    tracing::debug!(session = %self.id, %error, "the pane takes no input");
                    self.input.fail(&Problem::new(
                        Code::StateConflict,
                        "The program has ended.",
                        "Look at it with `qd show`.",
                    ));
                    return;
                }
            }
        }
    }

    /// Input waits because the program does not read: look whether it does now.
    fn look_at_input(&mut self, now: Instant) {
        let Some(pane) = self.pane.as_mut() else { return };
        pane.look_at_queue();
        let since = *self.input_stuck.get_or_insert(now);
        if now.duration_since(since) > INPUT_PATIENCE {
            self.input_stuck = None;
            self.input.fail(&input::full());
        }
    }

    // ---- the pane -------------------------------------------------------------------------

    async fn from_pane(&mut self, event: PaneEvent) -> Then {
        match event {
            PaneEvent::Output => {
                let data = self.buffer.split().freeze();
                self.take_output(&data).await;
            }
            PaneEvent::Ended(exit) => {
                self.pane = None;
                self.end_by = None;
                self.input.fail(&self.no_program());
                self.terminal.exited(exit);
                self.report(Command::Exited(exit)).await;
                self.save_screen();
                self.count_diff();
                self.publish();
                self.advance_trash();
            }
            PaneEvent::TapLost => {
                if let Some(pane) = self.pane.take() {
                    let panes = self.shared.panes.clone();
                    self.work.spawn(async move { Done::Retapped(panes.retap(pane).await) });
                }
            }
        }
        Then::Continue
    }

    async fn take_output(&mut self, data: &Bytes) {
        self.reserve(data.len() as u64).await;
        self.terminal.output(data);
        for event in self.terminal.screen_mut().take_events() {
            if let qd_screen::Event::Title(_) = event
                && self.title_due.is_none()
            {
                // Spinners change the title many times a second; one view a second is enough.
                self.title_due = Some(Instant::now() + Duration::from_secs(1));
            }
        }
        if self.state.place.as_ref().is_some_and(|p| p.base.is_some()) && self.stat_due.is_none() {
            let now = Instant::now();
            let earliest = self.stat_read.map_or(now, |read| read + STAT_EVERY);
            self.stat_due = Some((now + STAT_AFTER).max(earliest));
        }
    }

    /// Makes sure that the numbers of the next bytes are ours, over restarts too.
    async fn reserve(&mut self, bytes: u64) {
        let need = self.terminal.ring().end() + bytes;
        if need <= self.reserved {
            return;
        }
        match self.shared.store.reserve(self.id.as_str(), need + RESERVE).await {
            Ok(upto) => self.reserved = upto,
            Err(error) => {
                // The stream goes on: after a crash a viewer may get a snapshot that it did not
                // need, never a wrong byte, because the ring starts anew then.
                tracing::warn!(session = %self.id, %error, "sequence numbers were not reserved");
                self.reserved = need;
            }
        }
    }

    /// Brings the terminal to the size that the rule asks for.
    fn settle_size(&mut self) {
        if self.resizing || self.pane.is_none() {
            return;
        }
        if let Some((viewer, size)) = self.terminal.wanted_size() {
            self.begin_resize(size, Some(viewer));
        }
    }

    fn begin_resize(&mut self, size: Size, by: Option<ViewerId>) {
        let Some(pane) = &self.pane else { return };
        self.resizing = true;
        let (panes, target) = (self.shared.panes.clone(), pane.target());
        self.work.spawn(async move {
            let result = panes.resize(&target, size).await;
            Done::Resized(size, by, result)
        });
    }

    // ---- work that is done ----------------------------------------------------------------

    async fn progressed(&mut self, progress: Progress) -> Then {
        match progress {
            Progress::Step(step) => self.report(Command::BeginStep(step)).await,
            Progress::Place(place) => self.report(Command::PlaceReady(place)).await,
        }
        Then::Continue
    }

    async fn finished(&mut self, done: Done) -> Then {
        match done {
            Done::Created(result) => self.created(result).await,
            Done::Rejoined(result) => self.rejoined(result).await,
            Done::Retapped(result) => self.retapped(result).await,
            Done::Parked(Ok(parked)) => {
                self.release_claims().await;
                self.report(Command::TrashDone(Box::new(parked))).await;
            }
            Done::Parked(Err(problem)) => self.report(Command::TrashFailed(problem)).await,
            Done::Restored(Ok(place)) => self.report(Command::RestoreDone(place)).await,
            Done::Restored(Err(problem)) => self.report(Command::RestoreFailed(problem)).await,
            Done::Purged(Ok(())) => {
                self.report(Command::PurgeDone).await;
                self.terminal.dismiss(None, ViewerGone::NoSession);
                self.forget_files();
                return Then::End;
            }
            Done::Purged(Err(problem)) => self.report(Command::PurgeFailed(problem)).await,
            Done::Resized(size, by, result) => {
                self.resizing = false;
                match result {
                    Ok(()) => {
                        self.terminal.resized(size, by);
                        self.publish();
                        self.settle_size();
                    }
                    Err(problem) => {
                        tracing::warn!(session = %self.id, %problem, "the terminal kept its size");
                    }
                }
            }
            Done::Counted(stat) => {
                self.counting = false;
                self.counted(stat);
            }
            Done::Closed => {}
        }
        Then::Continue
    }

    fn counted(&mut self, stat: Option<DiffStat>) {
        if stat.is_some() && stat != self.stat {
            self.stat = stat;
            self.publish();
        }
    }

    /// Counts the diff beside the turns; one count at a time.
    fn count_diff(&mut self) {
        let Some(place) = self.state.place.clone() else { return };
        if place.base.is_none() || self.counting || self.state.lifecycle == Lifecycle::Trashed {
            return;
        }
        self.counting = true;
        self.stat_read = Some(Instant::now());
        let git = self.shared.git.clone();
        self.work.spawn(async move { Done::Counted(crate::diffs::stat(&git, &place).await.ok()) });
    }

    // ---- what is kept ---------------------------------------------------------------------

    fn screen_file(&self) -> PathBuf {
        self.shared.home.session(&self.id).join("screen")
    }

    /// Keeps the screen and its history, with the number of the next byte before it.
    fn save_screen(&self) {
        let folder = self.shared.home.session(&self.id);
        let size = self.terminal.size();
        let mut bytes = format!("qd-screen 1 {} {} {}\n", self.terminal.ring().end(), size.cols, size.rows)
            .into_bytes();
        bytes.extend_from_slice(&self.terminal.screen().snapshot(usize::MAX));
        let saved = crate::home::make_folder(&folder)
            .and_then(|()| crate::home::write_private(&self.screen_file(), &bytes));
        if let Err(error) = saved {
            tracing::warn!(session = %self.id, %error, "the last screen was not kept");
        }
    }

    /// The kept screen: the number of the next byte, the size, and what draws it.
    fn saved_screen(&self) -> Option<(u64, Size, Vec<u8>)> {
        let bytes = std::fs::read(self.screen_file()).ok()?;
        let end = bytes.iter().position(|b| *b == b'\n')?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let mut words = head.split(' ');
        if (words.next(), words.next()) != (Some("qd-screen"), Some("1")) {
            return None;
        }
        let mut number = || words.next()?.parse::<u64>().ok();
        let (seq, cols, rows) = (number()?, number()?, number()?);
        let size = Size::clamped(u32::try_from(cols).ok()?, u32::try_from(rows).ok()?);
        Some((seq, size, bytes[end + 1..].to_vec()))
    }

    fn forget_files(&self) {
        if let Err(error) = std::fs::remove_dir_all(self.shared.home.session(&self.id))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(session = %self.id, %error, "the files of a purged session stayed");
        }
    }
}

/// What a session shows.
fn show(state: &Session, terminal: &Terminal, pane: Option<&Pane>, stat: Option<DiffStat>) -> Shown {
    let mut view = SessionView::new(state, &state.attention());
    let size = terminal.size();
    view.pane =
        pane.map(|pane| PaneView { id: pane.name().to_owned(), cols: size.cols, rows: size.rows });
    view.diff_stat = stat;
    let title = terminal.screen().title();
    view.terminal_title = (!title.is_empty()).then(|| title.to_owned());
    Shown {
        view: Arc::new(view),
        init: pane.map(Pane::init),
        common_dir: state
            .place
            .as_ref()
            .and_then(|place| place.common_dir.as_ref())
            .map(PathBuf::from),
        parked_at: state.parked.as_ref().and_then(|parked| parked.path.clone()),
        created_at: state.created_at,
    }
}

/// The operation that a pending change is, or the state that it ended in.
fn operation(state: &Session, word: &'static str) -> Operation {
    Operation {
        id: format!("{}-{word}", state.id),
        session: state.id.to_string(),
        step: word.to_owned(),
        of: 1,
        state: if state.pending.is_some() { "running" } else { "done" }.to_owned(),
    }
}

fn description(change: qd_api::Change) -> Result<Description, Problem> {
    let title = change.title.as_deref().map(Title::parse).transpose();
    let tags = change
        .tags
        .map(|tags| tags.iter().map(|tag| Tag::parse(tag)).collect::<Result<Vec<_>, _>>())
        .transpose();
    if change.notes.as_ref().is_some_and(|notes| notes.chars().count() > 10_000) {
        return Err(Problem::new(
            Code::FieldInvalid,
            "The notes have more than 10,000 characters.",
            "Shorten them, or keep them in a file of the worktree.",
        )
        .on("notes"));
    }
    Ok(Description {
        title: title.map_err(|error| crate::launch::title_problem(&error))?,
        tags: tags.map_err(|error| crate::launch::tag_problem(&error))?,
        pinned: change.pinned,
        notes: change.notes,
    })
}

fn answer_full((done, problem): (Option<Reply<()>>, Problem)) {
    if let Some(done) = done {
        let _ = done.send(Err(problem));
    }
}

async fn next_event(pane: &mut Option<Pane>, buffer: &mut BytesMut) -> PaneEvent {
    match pane {
        Some(pane) => pane.next(buffer, READ).await,
        None => std::future::pending().await,
    }
}

async fn writable(pane: Option<&Pane>) -> std::io::Result<()> {
    match pane {
        Some(pane) => pane.writable().await,
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
