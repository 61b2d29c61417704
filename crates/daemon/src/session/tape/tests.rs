use std::os::unix::fs::FileExt as _;

use bytes::Bytes;

use super::*;

const SIZE: Size = Size { cols: 20, rows: 4 };

/// A terminal with its tape, as a session's owner drives them.
struct Scene {
    dir: tempfile::TempDir,
    terminal: Terminal,
    tape: Tape,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::new(SIZE, 100);
        let mut tape = Tape::new(dir.path().join("s"));
        terminal.output(&Bytes::from_static(b"before\r\n"));
        tape.begin(&terminal, Some(1));
        Self { dir, terminal, tape }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("s/tape")
    }

    /// The program prints; the daemon may be killed before it is settled.
    fn write(&mut self, data: &[u8]) {
        self.tape.output(self.terminal.ring().end(), data);
        self.terminal.output(&Bytes::copy_from_slice(data));
    }

    fn print(&mut self, data: &[u8]) {
        self.write(data);
        self.tape.settle();
        self.tape.turn(&self.terminal, Instant::now());
    }

    fn resize(&mut self, size: Size) {
        self.tape.resized(self.terminal.ring().end(), size);
        self.terminal.resized(size, None);
    }

    fn load(&self) -> Option<Played> {
        load(&self.dir.path().join("s"))
    }

    /// Goes on as the next daemon does.
    fn restart(&mut self) {
        let played = self.load().unwrap();
        self.tape = Tape::new(self.dir.path().join("s"));
        self.tape.go_on(played.reel, played.run, &played.left);
        self.terminal = played.terminal;
    }

    #[track_caller]
    fn same(&self) -> Played {
        let played = self.load().unwrap();
        same(&played.terminal, &self.terminal);
        played
    }
}

fn bytes(terminal: &Terminal) -> Vec<u8> {
    let (first, second) = terminal.ring().read(terminal.ring().start(), usize::MAX).unwrap();
    [first, second].concat()
}

#[track_caller]
fn same(a: &Terminal, b: &Terminal) {
    assert_eq!((a.size(), a.redrawn()), (b.size(), b.redrawn()));
    assert_eq!((a.ring().start(), a.ring().end()), (b.ring().start(), b.ring().end()));
    assert!(bytes(a) == bytes(b), "another output");
    assert!(a.screen().snapshot(usize::MAX) == b.screen().snapshot(usize::MAX), "another screen");
}

fn line(n: u32) -> Vec<u8> {
    format!("\x1b[3{}mline {n} of a program\x1b[m\r\n", n % 8).into_bytes()
}

#[test]
fn what_is_played_is_what_was() {
    let mut scene = Scene::new();
    scene.same();
    for n in 0..300 {
        scene.print(&line(n));
        if n % 100 == 50 {
            scene.resize(Size { cols: 30, rows: 5 });
            // In the midst of a sequence.
            scene.print(b"\x1b[?2004h\x1b]0;title\x07\x1b[3");
            scene.same();
            scene.print(b"2m");
            scene.resize(SIZE);
        }
        if n % 70 == 0 {
            scene.restart();
        }
    }
    let played = scene.same();
    assert_eq!(played.run, Some(1));
    assert!(played.left.unsure.is_empty() && played.left.spool.is_none());
}

#[test]
fn it_is_bounded_and_begins_anew() {
    let mut scene = Scene::new();
    let mut text = Vec::new();
    let mut longest = 0;
    for n in 0..120_000 {
        text.extend_from_slice(&line(n));
        if text.len() > 30_000 {
            scene.print(&std::mem::take(&mut text));
            longest = longest.max(std::fs::metadata(scene.path()).unwrap().len());
        }
    }
    let played = scene.same();
    assert_eq!(bytes(&played.terminal).len(), RING_BYTES);
    assert!(longest < 6 << 20, "{longest} bytes");
    assert_eq!(played.terminal.screen().history_len(), 10_000);
    assert!(!scene.path().with_file_name("tape.half").exists());
}

/// However it is cut short in its last record, the rest is right; cut shorter than it was said to
/// be, it is none.
#[test]
fn cut_anywhere_it_is_right_or_refused() {
    let mut scene = Scene::new();
    scene.print(&line(1));
    let settled = std::fs::metadata(scene.path()).unwrap().len();
    let end = scene.terminal.ring().end();
    scene.write(&line(2));
    let whole = std::fs::read(scene.path()).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(scene.path(), &whole[..cut]).unwrap();
        let played = scene.load();
        if (cut as u64) < settled {
            assert!(played.is_none(), "cut at {cut}");
            continue;
        }
        let played = played.unwrap();
        let unsure = if cut == whole.len() { line(2) } else { vec![] };
        assert_eq!(played.left.unsure, unsure, "cut at {cut}");
        assert_eq!(played.terminal.ring().end(), end + unsure.len() as u64);
    }
}

#[test]
fn a_bit_that_changed_is_seen() {
    let mut scene = Scene::new();
    scene.print(&line(1));
    scene.tape.spool(scene.terminal.ring().end(), "7-9", 2);
    scene.write(&line(2));
    let whole = std::fs::read(scene.path()).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(scene.path(), &changed).unwrap();
        if let Some(played) = scene.load() {
            // The length of the last record: it looks as if it were cut short.
            assert_eq!(played.left.unsure, &b""[..], "byte {at}");
        }
    }
}

#[test]
fn a_record_too_many_or_another_order_is_refused() {
    let mut scene = Scene::new();
    let end = scene.terminal.ring().end();
    scene.write(b"one");
    scene.write(b"two");
    assert!(scene.load().is_none(), "two that were not settled");
    scene.tape.settle();
    scene.same();
    scene.tape.output(end, b"a number that was had");
    scene.tape.settle();
    assert!(scene.load().is_none());
}

#[test]
fn what_is_from_a_spool_is_counted() {
    let mut scene = Scene::new();
    let end = scene.terminal.ring().end();
    scene.tape.spool(end, "7-9", 10);
    for part in [&b"abc"[..], b"de"] {
        scene.tape.printed(scene.terminal.ring().end(), part);
        scene.terminal.output(&Bytes::copy_from_slice(part));
    }
    assert_eq!(scene.same().left.spool, Some(("7-9".to_owned(), 15)));
    scene.print(b"from the stream");
    assert_eq!(scene.same().left.spool, Some(("7-9".to_owned(), 15)));
    // Over a restart, and when a new tape begins in the midst of it.
    scene.restart();
    scene.tape.begin(&scene.terminal, Some(1));
    assert_eq!(scene.same().left.spool, Some(("7-9".to_owned(), 15)));
    scene.tape.printed(scene.terminal.ring().end(), b"f");
    scene.terminal.output(&Bytes::from_static(b"f"));
    scene.tape.begin(&scene.terminal, Some(1));
    assert_eq!(scene.same().left.spool, Some(("7-9".to_owned(), 16)));
}

#[test]
fn one_that_cannot_be_written_is_dropped_and_tried_again_later() {
    let mut scene = Scene::new();
    // Its folder cannot be made: there is a file.
    let folder = scene.dir.path().join("s");
    scene.tape.drop_it();
    assert!(scene.load().is_none());
    std::fs::remove_dir(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    scene.tape.begin(&scene.terminal, Some(2));
    assert!(!scene.tape.is_there());
    scene.print(b"nobody minds");
    std::fs::remove_file(&folder).unwrap();
    scene.print(b"too soon");
    assert!(!scene.tape.is_there() && scene.load().is_none());
    scene.tape.turn(&scene.terminal, Instant::now() + AGAIN);
    assert!(scene.tape.is_there());
    scene.print(b"again");
    assert_eq!(scene.same().run, Some(2));
}

#[test]
fn a_write_that_fails_leaves_no_tape() {
    let mut scene = Scene::new();
    let (path, end) = (scene.path(), scene.terminal.ring().end());
    // What cannot be written to stands for a full disk.
    let reel = Reel { file: File::open(&path).unwrap(), end: 0, most: u64::MAX };
    scene.tape.reel = Some(reel);
    scene.tape.output(end, b"lost");
    assert!(!path.exists() && !scene.tape.is_there() && scene.tape.again.is_some());
}

#[test]
fn what_is_no_tape_is_none() {
    let scene = Scene::new();
    let whole = std::fs::read(scene.path()).unwrap();
    for other in [&b""[..], b"short", &[0; 4096], b"qd-output 2 0 -\nsome output of a program"] {
        std::fs::write(scene.path(), other).unwrap();
        assert!(scene.load().is_none());
    }
    std::fs::write(scene.path(), &whole).unwrap();
    scene.same();
    // Something after its end that was not written by us.
    let file = OpenOptions::new().write(true).open(scene.path()).unwrap();
    file.write_all_at(&[0; 100], whole.len() as u64).unwrap();
    assert!(scene.load().is_none());
}
