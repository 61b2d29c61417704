use super::super::flow::WINDOW;
use super::*;
use crate::Principal;

const SIZE: Size = Size { cols: 20, rows: 4 };

fn request(device: &str, from: Option<u64>) -> AttachRequest {
    AttachRequest {
        principal: Principal::Owner { device: Some(device.into()), name: device.into() },
        from,
        size: SIZE,
        scrollback: 100,
        read_only: false,
    }
}

/// A viewer as its task sees it: it draws what it is told.
struct Eye {
    id: ViewerId,
    events: mpsc::Receiver<ViewerEvent>,
    screen: Screen,
    next: u64,
    bytes: Vec<u8>,
    resyncs: usize,
}

impl Eye {
    fn open(terminal: &mut Terminal, device: &str, from: Option<u64>) -> Self {
        let (sender, events) = mpsc::channel(VIEWER_QUEUE);
        let id = terminal.attach(request(device, from), sender);
        let screen = Screen::new(screen_size(SIZE), 100);
        let mut eye = Self { id, events, screen, next: 0, bytes: vec![], resyncs: 0 };
        eye.look();
        eye
    }

    fn look(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                ViewerEvent::Snapshot { seq, size, data } => {
                    self.screen = Screen::new(screen_size(size), 100);
                    self.screen.feed(&data);
                    self.next = seq;
                }
                ViewerEvent::Resume { seq, .. } => self.next = seq,
                ViewerEvent::Output { seq, data } => {
                    assert_eq!(seq, self.next, "a gap or a repetition");
                    self.next += data.len() as u64;
                    self.screen.feed(&data);
                    self.bytes.extend_from_slice(&data);
                }
                ViewerEvent::Resync { .. } => self.resyncs += 1,
                _ => {}
            }
        }
    }
}

fn line(n: usize) -> Bytes {
    Bytes::from(format!("\x1b[3{}mline {n}\x1b[m\r\n", n % 8))
}

#[test]
fn a_viewer_sees_the_screen_and_then_every_byte() {
    let mut terminal = Terminal::new(SIZE, 1000);
    (0..10).for_each(|n| terminal.output(&line(n)));
    let mut eye = Eye::open(&mut terminal, "a", None);
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
    (10..20).for_each(|n| terminal.output(&line(n)));
    eye.look();
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
    assert_eq!(eye.next, terminal.ring().end());
    assert_eq!(eye.resyncs, 0);
}

#[test]
fn resumes_by_number_and_falls_back_to_a_snapshot() {
    let mut terminal = Terminal::new(SIZE, 0);
    terminal.output(&line(1));
    let at = terminal.ring().end();
    terminal.output(&line(2));
    let eye = Eye::open(&mut terminal, "a", Some(at));
    assert_eq!(eye.bytes, line(2));
    let eye = Eye::open(&mut terminal, "a", Some(at + 1000));
    assert_eq!(eye.screen.lines(), terminal.screen().lines(), "the future gets a snapshot");
}

#[test]
fn a_viewer_that_stops_reading_costs_a_window_and_comes_back_exact() {
    let mut terminal = Terminal::new(SIZE, 0);
    let mut slow = Eye::open(&mut terminal, "slow", None);
    let mut quick = Eye::open(&mut terminal, "quick", None);
    let block = Bytes::from(vec![b'x'; 60_000]);
    for n in 0..200 {
        terminal.output(&block);
        terminal.output(&line(n));
        quick.look();
        terminal.ack(quick.id, quick.next);
        terminal.catch_up_all();
        quick.look();
    }
    assert_eq!(quick.bytes.len() as u64, terminal.ring().end(), "the quick one missed nothing");
    assert_eq!(quick.resyncs, 0);
    let waiting = slow.events.len();
    assert!(waiting as u64 * 60_000 <= 2 * WINDOW, "{waiting} chunks are kept for it");
    slow.look();
    terminal.ack(slow.id, slow.next);
    terminal.catch_up_all();
    slow.look();
    assert_eq!(slow.resyncs, 1);
    assert_eq!(slow.screen.lines(), terminal.screen().lines());
    assert_eq!(slow.next, terminal.ring().end());
    terminal.output(&line(1));
    slow.look();
    assert_eq!(slow.screen.lines(), terminal.screen().lines());
}

#[test]
fn many_small_outputs_to_a_late_reader_are_not_lost() {
    let mut terminal = Terminal::new(SIZE, 0);
    let mut eye = Eye::open(&mut terminal, "a", None);
    for n in 0..VIEWER_QUEUE * 2 {
        terminal.output(&line(n));
    }
    assert!(terminal.anyone_waits_for_room());
    eye.look();
    terminal.catch_up_all();
    eye.look();
    assert_eq!(eye.next, terminal.ring().end());
    assert_eq!(eye.resyncs, 0, "the ring had it all");
    assert!(!terminal.anyone_waits_for_room());
}

#[test]
fn the_lease_goes_with_its_device() {
    let mut terminal = Terminal::new(SIZE, 0);
    let desk = Eye::open(&mut terminal, "desk", None);
    let phone = Eye::open(&mut terminal, "phone", None);
    assert!(terminal.may_type(desk.id) && terminal.may_type(phone.id));
    terminal.lease(phone.id, true);
    assert!(!terminal.may_type(desk.id) && terminal.may_type(phone.id));
    terminal.leave(phone.id);
    assert!(terminal.may_type(desk.id));
}

#[test]
fn a_resize_gives_everybody_a_whole_screen() {
    let mut terminal = Terminal::new(SIZE, 0);
    terminal.output(&line(1));
    let mut eye = Eye::open(&mut terminal, "a", None);
    terminal.resized(Size { cols: 10, rows: 3 }, Some(eye.id));
    eye.look();
    assert_eq!(eye.resyncs, 1);
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
}

#[test]
fn a_native_client_counts_for_the_size_like_any_viewer() {
    let native = |activity, cols| Native {
        name: "/dev/pts/1".into(),
        size: Size { cols, rows: 30 },
        activity,
        looks_only: false,
    };
    let mut terminal = Terminal::new(SIZE, 0);
    terminal.natives(&[native(1, 100)]);
    assert_eq!(terminal.wanted_size().map(|(_, size)| size.cols), Some(100), "it is alone");
    let eye = Eye::open(&mut terminal, "a", None);
    assert!(terminal.may_type(eye.id));
    assert_eq!(terminal.wanted_size(), None, "the one who typed has the size that is");
    terminal.natives(&[native(2, 100)]);
    assert_eq!(terminal.wanted_size().map(|(_, size)| size.cols), Some(100), "it typed");
    terminal.natives(&[]);
    assert_eq!(terminal.wanted_size(), None, "it goes back when it leaves");
}

#[test]
fn the_end_is_told_after_the_last_output() {
    let mut terminal = Terminal::new(SIZE, 0);
    let mut eye = Eye::open(&mut terminal, "a", None);
    for n in 0..VIEWER_QUEUE * 2 {
        terminal.output(&line(n));
    }
    terminal.exited(Some(Exit { code: Some(3), signal: None }));
    let mut told = vec![];
    for _ in 0..3 {
        while let Ok(event) = eye.events.try_recv() {
            told.push(event);
        }
        terminal.catch_up_all();
    }
    let bytes: usize = told
        .iter()
        .map(|event| if let ViewerEvent::Output { data, .. } = event { data.len() } else { 0 })
        .sum();
    assert_eq!(bytes as u64, terminal.ring().end());
    assert_eq!(told.last(), Some(&ViewerEvent::Exit { code: Some(3), signal: None }));
}

#[test]
fn who_was_away_at_a_resize_is_not_resumed() {
    let mut terminal = Terminal::new(SIZE, 0);
    terminal.output(&line(1));
    let end = terminal.ring().end();
    terminal.resized(Size { cols: 10, rows: 3 }, None);
    // What it has was drawn for another size, whether it lacked bytes or not.
    for from in [end - 3, end] {
        let eye = Eye::open(&mut terminal, "a", Some(from));
        assert_eq!(eye.screen.lines(), terminal.screen().lines(), "from {from}");
    }
    // Who saw it in this size goes on, also when nothing was printed since.
    let since = terminal.ring().end();
    terminal.output(&line(2));
    assert_eq!(Eye::open(&mut terminal, "a", Some(since)).bytes, line(2));
    // The output from before is there for those who read it as a log.
    let kept = terminal.ring().read(terminal.ring().start(), usize::MAX).unwrap();
    assert_eq!([kept.0, kept.1].concat(), [line(1), line(2)].concat());
}

#[test]
fn who_had_all_when_the_screen_was_replaced_gets_what_was_lost() {
    let mut terminal = Terminal::new(SIZE, 0);
    terminal.output(&line(1));
    let end = terminal.ring().end();
    terminal.replace(drawn(SIZE, b"what tmux shows"), SIZE, end + 1, "lost");
    let eye = Eye::open(&mut terminal, "a", Some(end));
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
    // What was kept over a restart is no such break; one before it is kept with it.
    for (redrawn, resumed) in [(None, true), (Some(end), true), (Some(end + 1), false)] {
        terminal.replace(drawn(SIZE, &line(1)), SIZE, end, "lost");
        terminal.refill(0, &line(1), redrawn);
        let eye = Eye::open(&mut terminal, "a", Some(end));
        assert_eq!(eye.screen.lines() == vec![""; 4], resumed, "{redrawn:?}");
    }
}

#[tokio::test]
async fn a_stalled_viewer_costs_nothing_until_it_reads() {
    let soon = std::time::Duration::from_millis(20);
    let mut terminal = Terminal::new(SIZE, 0);
    let mut eye = Eye::open(&mut terminal, "a", None);
    for n in 0..VIEWER_QUEUE * 2 {
        terminal.output(&line(n));
    }
    terminal.resized(Size { cols: 10, rows: 3 }, None);
    assert!(terminal.anyone_waits_for_room());
    assert!(tokio::time::timeout(soon, terminal.room()).await.is_err(), "nobody is woken");
    eye.look();
    terminal.room().await;
    terminal.catch_up_all();
    eye.look();
    assert_eq!(eye.resyncs, 1);
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
    // One that reads and does not say so waits for its own word, not for room.
    terminal.output(&Bytes::from(vec![b'x'; 2 * usize::try_from(WINDOW).unwrap()]));
    eye.look();
    assert!(!terminal.anyone_waits_for_room());
    terminal.ack(eye.id, eye.next);
    eye.look();
    assert_eq!(eye.next, terminal.ring().end());
    assert_eq!(eye.screen.lines(), terminal.screen().lines());
}

#[tokio::test]
async fn a_viewer_that_left_with_a_full_queue_is_forgotten() {
    let mut terminal = Terminal::new(SIZE, 0);
    let eye = Eye::open(&mut terminal, "a", None);
    for n in 0..VIEWER_QUEUE * 2 {
        terminal.output(&line(n));
    }
    drop(eye);
    terminal.room().await;
    terminal.catch_up_all();
    assert!(!terminal.anyone_waits_for_room());
}
