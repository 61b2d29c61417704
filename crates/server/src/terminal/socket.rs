use std::future::poll_fn;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use qd_core::{Code, Problem, Size};
use qd_daemon::{AttachRequest, Viewer};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::callers::{Owner, id_of};
use crate::policy::{HeldToken, still_welcome};
use crate::terminal::MESSAGE_MOST;
use crate::terminal::frame::{Asked, Close, error, malformed, read_text, write};

/// How long a viewer has for its first frame.
const ATTACH_WITHIN: Duration = Duration::from_secs(10);

/// How often the other end is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(20);

/// After so long without any frame, a pong included, the other end is taken for dead.
const SILENCE_MOST: Duration = Duration::from_secs(65);

/// How long the last words may take.
const GOODBYE_WITHIN: Duration = Duration::from_secs(2);

/// Lines of history in a snapshot, unless the viewer asks for another number.
const SCROLLBACK: usize = 1000;

/// Lines of history that a snapshot may have; more come by `scrollback`.
const SCROLLBACK_MOST: usize = 10_000;

/// Who wants to sit at which session.
pub(crate) struct Seat {
    pub(crate) app: App,
    pub(crate) owner: Owner,
    /// As the path names it.
    pub(crate) id: String,
    /// What the owner came in with.
    pub(crate) token: Option<HeldToken>,
}

impl Seat {
    /// Asks again whether the owner may stay: the token may have been revoked since.
    async fn still_welcome(&self) -> Result<(), End> {
        still_welcome(&self.app, self.token.as_ref()).await.map_err(End::problem)
    }
}

type Outgoing = SplitSink<WebSocket, Message>;
type Incoming = SplitStream<WebSocket>;

/// Closes a WebSocket that nobody may sit at.
pub(crate) async fn refuse(socket: WebSocket, problem: &Problem, close: Close) {
    let (mut outgoing, mut incoming) = socket.split();
    goodbye(&mut outgoing, &mut incoming, Some(error(problem)), close).await;
}

/// Serves one viewer until one side ends it.
pub(crate) async fn drive(socket: WebSocket, seat: Seat, stopping: CancellationToken) {
    let (mut outgoing, mut incoming) = socket.split();
    let end = match sit(&mut incoming, &seat, &stopping).await {
        Ok(viewer) => Talk::new(&mut outgoing, &mut incoming, viewer, &seat).run(&stopping).await,
        Err(end) => end,
    };
    let (word, close) = match end {
        End::PeerLeft => return,
        End::Close(close) => (None, close),
        End::Refused(problem, close) => (Some(error(&problem)), close),
    };
    goodbye(&mut outgoing, &mut incoming, word, close).await;
}

/// How a viewer's time ends.
enum End {
    /// The other side closed or vanished.
    PeerLeft,
    /// We close.
    Close(Close),
    /// We say why, and close.
    Refused(Problem, Close),
}

impl End {
    fn malformed(problem: Problem) -> Self {
        Self::Refused(problem, Close::Malformed)
    }

    fn problem(problem: Problem) -> Self {
        let close = Close::of(problem.code);
        Self::Refused(problem, close)
    }
}

/// Reads the first frame and takes the place it asks for.
async fn sit(
    incoming: &mut Incoming,
    seat: &Seat,
    stopping: &CancellationToken,
) -> Result<Viewer, End> {
    let daemon = seat.owner.daemon();
    let view = daemon.find(&seat.id).map_err(End::problem)?;
    let id = id_of(&view).map_err(End::problem)?;
    let deadline = Instant::now() + ATTACH_WITHIN;
    let first = tokio::select! {
        () = stopping.cancelled() => return Err(End::Close(Close::Stopping)),
        first = timeout_at(deadline, first_frame(incoming)) => first,
    };
    let asked = first.map_err(|_| {
        let message = "No attach frame came within 10 seconds.".to_owned();
        End::Refused(malformed(message), Close::TooSlow)
    })??;
    let Asked::Attach { from, cols, rows, scrollback, read_only } = asked else {
        return Err(End::malformed(malformed("The first frame is not attach.".to_owned())));
    };
    let lines = scrollback.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(SCROLLBACK);
    let request = AttachRequest {
        principal: seat.owner.principal().clone(),
        from,
        size: Size::clamped(cols, rows),
        scrollback: lines.min(SCROLLBACK_MOST),
        read_only,
    };
    seat.still_welcome().await?;
    let viewer = daemon.attach(&id, request).await.map_err(End::problem)?;
    // And once it is seated: a device that is revoked later than this is dismissed from its seat.
    seat.still_welcome().await?;
    Ok(viewer)
}

async fn first_frame(incoming: &mut Incoming) -> Result<Asked, End> {
    loop {
        if let Some(asked) = understand(incoming.next().await)? {
            return Ok(asked);
        }
    }
}

/// What a message asks; none for pings and pongs.
fn understand(message: Option<Result<Message, axum::Error>>) -> Result<Option<Asked>, End> {
    match message {
        Some(Ok(message)) if message_len(&message) > MESSAGE_MOST => Err(too_large()),
        Some(Ok(Message::Text(text))) => read_text(text.as_str()).map(Some).map_err(End::malformed),
        Some(Ok(Message::Binary(data))) => Ok(Some(Asked::Input(data))),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Close(_))) | None => Err(End::PeerLeft),
        Some(Err(error)) => Err(read_error(&error)),
    }
}

fn message_len(message: &Message) -> usize {
    match message {
        Message::Text(text) => text.len(),
        Message::Binary(data) => data.len(),
        _ => 0,
    }
}

fn too_large() -> End {
    End::Refused(malformed("A message is larger than 1 MiB.".to_owned()), Close::TooLarge)
}

fn read_error(error: &axum::Error) -> End {
    // The web framework hides the kind of the error; its text is all there is to go by.
    let said = error.to_string();
    if said.contains("too long") {
        too_large()
    } else {
        tracing::debug!(%said, "a terminal WebSocket broke");
        End::PeerLeft
    }
}

/// One viewer at work. Input is read also while output waits for a slow reader, so that Ctrl-C
/// gets through a flood; and no event is taken from the session before the last was sent, so
/// that nothing piles up here.
struct Talk<'a> {
    outgoing: &'a mut Outgoing,
    incoming: &'a mut Incoming,
    viewer: Viewer,
    seat: &'a Seat,
    /// The message that waits for room.
    waiting: Option<Message>,
    /// Whether something was written that is not flushed.
    unflushed: bool,
    heard: Instant,
    /// When something could last be written, or nothing had to be.
    moved: Instant,
}

impl<'a> Talk<'a> {
    fn new(
        outgoing: &'a mut Outgoing,
        incoming: &'a mut Incoming,
        viewer: Viewer,
        seat: &'a Seat,
    ) -> Self {
        let now = Instant::now();
        let (waiting, unflushed) = (None, false);
        Self { outgoing, incoming, viewer, seat, waiting, unflushed, heard: now, moved: now }
    }

    async fn run(mut self, stopping: &CancellationToken) -> End {
        match self.talk(stopping).await {
            Err(end) => end,
            Ok(never) => match never {},
        }
    }

    async fn talk(
        &mut self,
        stopping: &CancellationToken,
    ) -> Result<std::convert::Infallible, End> {
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if self.waiting.is_none() && !self.unflushed {
                self.moved = Instant::now();
            }
            tokio::select! {
                () = stopping.cancelled() => return Err(End::Close(Close::Stopping)),
                message = self.incoming.next() => {
                    self.heard = Instant::now();
                    if let Some(asked) = understand(message)? {
                        self.ask(asked).await?;
                    }
                }
                room = poll_fn(|cx| match self.waiting {
                    Some(_) => self.outgoing.poll_ready_unpin(cx),
                    None => self.outgoing.poll_flush_unpin(cx),
                }), if self.waiting.is_some() || self.unflushed => {
                    room.map_err(|_| End::PeerLeft)?;
                    self.moved = Instant::now();
                    self.unflushed = false;
                    if let Some(message) = self.waiting.take() {
                        self.outgoing.start_send_unpin(message).map_err(|_| End::PeerLeft)?;
                        self.unflushed = true;
                    }
                }
                event = self.viewer.next(), if self.waiting.is_none() => match event {
                    Some(event) => self.waiting = Some(write(event).map_err(End::Close)?),
                    None => return Err(End::Close(Close::OurFault)),
                },
                _ = pings.tick() => {
                    self.seat.still_welcome().await?;
                    self.ping()?;
                }
            }
        }
    }

    fn ping(&mut self) -> Result<(), End> {
        let stuck = self.moved.elapsed() > SILENCE_MOST;
        if stuck || self.heard.elapsed() > SILENCE_MOST {
            return Err(End::Close(Close::TooSlow));
        }
        // With something waiting, the other end's silence says enough.
        if self.waiting.is_none() {
            self.waiting = Some(Message::Ping(Bytes::new()));
        }
        Ok(())
    }

    async fn ask(&mut self, asked: Asked) -> Result<(), End> {
        let viewer = &self.viewer;
        match asked {
            Asked::Attach { .. } => {
                return Err(End::malformed(malformed("The viewer is attached.".to_owned())));
            }
            Asked::Input(data) => viewer.input(data).await,
            Asked::Paste(text) => viewer.paste(text).await,
            Asked::Resize { cols, rows } => viewer.resize(Size::clamped(cols, rows)).await,
            Asked::Ack(seq) => viewer.ack(seq).await,
            Asked::Lease { take } => viewer.lease(take).await,
        }
        // The session's owner is gone. Why is the last thing that `next` tells; it says so itself
        // unless it fell over.
        .or_else(|problem| match problem.code {
            Code::UnknownSession => Ok(()),
            _ => Err(End::problem(problem)),
        })
    }
}

async fn goodbye(
    outgoing: &mut Outgoing,
    incoming: &mut Incoming,
    word: Option<Message>,
    close: Close,
) {
    let say = async {
        if let Some(word) = word {
            outgoing.feed(word).await?;
        }
        outgoing.send(close.message()).await?;
        // A socket that is closed with something unread is reset, and the other end may lose the
        // close code: read on until it has answered.
        while let Some(Ok(_)) = incoming.next().await {}
        Ok::<(), axum::Error>(())
    };
    // The other end may be gone or not reading; it has had its chance.
    if let Err(error) = timeout(GOODBYE_WITHIN, say).await {
        tracing::debug!(%error, "a terminal WebSocket was not closed in time");
    }
}
