//! `qd attach` in a terminal of its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::sharing::{real_size, until_size};
use super::socket::Viewer;
use super::stage::{PATIENCE, Stage, until};
use super::terminal::PLAYER;

/// A person's terminal with a program in it.
pub struct Person {
    master: File,
    child: Child,
    read: Receiver<Vec<u8>>,
    screen: qd_screen::Screen,
}

fn winsize(cols: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Person {
    pub fn attach(stage: &Stage, args: &[&str], cols: u16, rows: u16) -> Self {
        Self::attach_in(stage, args, cols, rows, stage.dir())
    }

    /// The same, in a folder.
    pub fn attach_in(
        stage: &Stage,
        args: &[&str],
        cols: u16,
        rows: u16,
        folder: &std::path::Path,
    ) -> Self {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, winsize(cols, rows)).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = name.to_str().unwrap().to_owned();
        let slave = || File::options().read(true).write(true).open(&path).unwrap();
        let (first, second, third) = (slave(), slave(), slave());
        let mut attach = stage.command(args);
        // A terminal is the controlling one only of a session of its own.
        let program = attach.get_program().to_owned();
        let args: Vec<_> = attach.get_args().map(ToOwned::to_owned).collect();
        attach = stage.home.setsid(&program, &args);
        attach
            .current_dir(folder)
            .env("QD_HOME", stage.root())
            .env("LANG", "C.UTF-8")
            .envs(stage.vars());
        attach.stdin(Stdio::from(first)).stdout(Stdio::from(second)).stderr(Stdio::from(third));
        let child = attach.spawn().unwrap();
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, read) = sync_channel(1024);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // EIO is the end: nobody holds the other side any more.
            while let Ok(bytes @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..bytes].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = qd_screen::Screen::new(qd_screen::Size::new(cols, rows), 0);
        Self { master, child, read, screen }
    }

    pub fn types(&mut self, bytes: &[u8]) {
        self.master.write_all(bytes).unwrap();
    }

    #[track_caller]
    pub fn until_shown(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.screen.lines().iter().any(|line| line.contains(text)) {
            assert!(Instant::now() < deadline, "no {text}: {:#?}", self.screen.lines());
            if let Ok(bytes) = self.read.recv_timeout(Duration::from_millis(50)) {
                self.screen.feed(&bytes);
            }
        }
    }

    /// Waits until the program has ended, and gives its code.
    #[track_caller]
    pub fn ends(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(ended) = self.child.try_wait().unwrap() {
                return ended.code();
            }
            assert!(Instant::now() < deadline, "it stays: {:#?}", self.screen.lines());
            if let Ok(bytes) = self.read.recv_timeout(Duration::from_millis(15)) {
                self.screen.feed(&bytes);
            }
        }
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_person_attaches_types_and_comes_back() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    stage.until_line(&id, |line| line.contains("ready"));
    let mut person = Person::attach(&stage, &["attach", &id[..6]], 90, 30);
    person.until_shown("ready");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    // Ctrl-B is an ordinary key: no prefix of tmux eats it.
    person.types(b"\x02echo typed-by-hand | tr -d '\\002'\n");
    viewer.until("Ctrl-B", |viewer| !viewer.bytes.is_empty());
    person.types(b"echo typed-by-hand\n");
    person.until_shown("typed-by-hand");
    viewer.until_shown("typed-by-hand");
    viewer.agrees(&stage, &id);
    viewer.input(b"echo typed-in-browser\n");
    person.until_shown("typed-in-browser");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
    assert_eq!(stage.show(&id)["state"], "running");
    viewer.input(b"echo still-here\n");
    viewer.until_shown("still-here");
}

#[test]
fn a_person_attaches_without_a_daemon() {
    let mut stage = Stage::start();
    let (id, other) = (stage.run(PLAYER), stage.run(PLAYER));
    stage.until_line(&id, |line| line.contains("ready"));
    stage.stop();
    let mut person = Person::attach(&stage, &["attach", &id], 80, 24);
    person.until_shown("ready");
    person.types(b"echo without-daemon\n");
    person.until_shown("without-daemon");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
    // The key works in each of them, not in the first alone.
    let mut person = Person::attach(&stage, &["attach", &other], 80, 24);
    person.until_shown("ready");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
    stage.serve();
    assert_eq!(stage.until_state(&id, "running")["state"], "running");
    stage.until_line(&id, |line| line.contains("without-daemon"));
}

#[test]
fn who_attaches_to_look_cannot_type() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut person = Person::attach(&stage, &["attach", &id, "--read-only"], 80, 24);
    person.until_shown("ready");
    person.types(b"echo never\n");
    stage.qd(&["send", &id, "echo seen", "--enter"]).well();
    person.until_shown("seen");
    assert!(!person.screen.lines().join("").contains("never"));
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn a_native_window_counts_for_the_size() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("ready");
    until_size(&stage, &id, "24 80");
    let mut person = Person::attach(&stage, &["attach", &id], 100, 30);
    person.until_shown("ready");
    let clients = || stage.tmux(&["list-clients", "-F", "#{client_width}"]).out;
    until("the native client", || clients().contains("100").then_some(()));
    assert_eq!(real_size(&stage, &id), "24 80", "attaching alone changes nothing");
    // tmux tells when a client was last used in whole seconds.
    std::thread::sleep(Duration::from_millis(1100));
    person.types(b"echo by-hand\n");
    viewer.until_told("size", |frame| frame["cols"] == 100 && frame["by"] == "native");
    until_size(&stage, &id, "30 100");
    tcsetwinsize(&person.master, winsize(110, 33)).unwrap();
    until_size(&stage, &id, "33 110");
    viewer.input(b"echo by-web\n");
    until_size(&stage, &id, "24 80");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
    assert_eq!(real_size(&stage, &id), "24 80");
    // When the browser leaves and a person is there, it is the person's.
    let mut person = Person::attach(&stage, &["attach", &id], 100, 30);
    person.until_shown("by-web");
    until("the native client", || clients().contains("100").then_some(()));
    viewer.leave();
    until_size(&stage, &id, "30 100");
    person.types(b"\x11");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn what_cannot_be_attached_says_why() {
    let stage = Stage::start();
    let id = stage.run("exit 0");
    stage.until_state(&id, "exited");
    let said = stage.qd(&["attach", &id, "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("not_allowed", 4), "no terminal");
    let mut person = Person::attach(&stage, &["attach", &id], 80, 24);
    person.until_shown("has no terminal");
    assert_eq!(person.ends(), Some(4));
    let mut person = Person::attach(&stage, &["attach", "nobody"], 80, 24);
    person.until_shown("No session fits");
    assert_eq!(person.ends(), Some(3));
}
