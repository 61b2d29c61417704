//! Panes of a server that is somebody else's: looked at, tapped, let go of, and nothing more.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use qd_tmux::foreign::{Adopted, AdoptedEvent, Foreign, FoundPane, Look};
use qd_tmux::pane::Snapshot;
use qd_tmux::wire::Exit;
use qd_tmux::{Error, SessionKey};

use crate::support::{Daemon, Home, PATIENCE, lossy, patient, until};

/// A person's own server. Dropped, it ends.
struct Theirs {
    socket: PathBuf,
    mark: String,
}

impl Theirs {
    fn start(home: &Home, config: &str) -> Self {
        let file = home.path().join("theirs.conf");
        std::fs::write(&file, config).unwrap();
        let mark = format!("QD_TEST_HOME={}", home.path().display());
        let theirs = Self { socket: home.path().join("theirs"), mark };
        let file = file.to_str().unwrap();
        theirs.tmux(&["-f", file, "new-session", "-d", "-s", "work", "-x", "80", "-y", "24", "sh"]);
        theirs
    }

    fn tmux(&self, args: &[&str]) -> String {
        let (name, value) = self.mark.split_once('=').unwrap();
        let mut command = Command::new("tmux");
        command.args(["-u", "-S"]).arg(&self.socket).args(args).stdin(Stdio::null());
        command.env_remove("TMUX").env("PS1", "$ ").env(name, value);
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr)
    }

    /// All that could have been changed: options, hooks, keys, names, sizes, clients, buffers.
    fn all(&self) -> String {
        let mut all = String::new();
        for args in [
            &["show-options", "-g"][..],
            &["show-options", "-s"],
            &["show-options", "-gw"],
            &["show-options", "-t", "work"],
            &["show-options", "-w", "-t", "work"],
            &["show-options", "-p", "-t", "work"],
            &["show-hooks", "-g"],
            &["show-environment", "-g"],
            &["show-environment", "-t", "work"],
            &["list-keys"],
            &["list-buffers"],
            &["list-clients"],
            &[
                "list-panes",
                "-a",
                "-F",
                "#{session_name} #{window_name} #{pane_id} #{pane_pid} #{pane_width} \
                 #{pane_height} #{pane_pipe} #{session_attached} #{window_layout}",
            ],
        ] {
            all += &format!("{args:?}\n{}", self.tmux(args));
        }
        all
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn foreign(home: &Home, daemon: &Daemon) -> Foreign {
    Foreign::new(&home.config(), daemon.panes())
}

fn key() -> SessionKey {
    SessionKey::new("adopted").unwrap()
}

async fn take(foreign: &Foreign, socket: &Path, target: &str) -> (FoundPane, Adopted, Snapshot) {
    let found = foreign.find(socket, target).await.unwrap();
    let (adopted, snapshot) = foreign.take(&key(), &found.pane, 1000).await.unwrap();
    (found, adopted, snapshot)
}

/// Types all of it, and gives what was printed until this came.
async fn type_until(pane: &mut Adopted, mut input: &[u8], text: &[u8]) -> Vec<u8> {
    let mut got = Vec::new();
    while !input.is_empty() || !got.windows(text.len()).any(|w| w == text) {
        let give = &input[..input.len().min(pane.allowance())];
        let looks = !input.is_empty() && give.is_empty();
        match tokio::time::timeout(PATIENCE, pane.next(Some(give), looks)).await {
            Ok(AdoptedEvent::Output(bytes)) => {
                pane.taken(bytes.len());
                got.extend_from_slice(&bytes);
            }
            Ok(AdoptedEvent::Wrote(wrote)) => input = &input[wrote.unwrap()..],
            Ok(AdoptedEvent::Looked(_)) => {}
            other => panic!("{other:?} before {:?}; so far {:?}", lossy(text), lossy(&got)),
        }
    }
    got
}

async fn event(pane: &mut Adopted) -> AdoptedEvent {
    event_while_typing(pane, None).await
}

/// What happens next but for output. That is taken, or it is told again and again.
async fn event_while_typing(pane: &mut Adopted, input: Option<&[u8]>) -> AdoptedEvent {
    let next = async {
        loop {
            match pane.next(input, false).await {
                AdoptedEvent::Output(bytes) => pane.taken(bytes.len()),
                event => return event,
            }
        }
    };
    patient("an event", next).await
}

#[tokio::test]
async fn a_pane_is_tapped_and_let_go_of_and_nothing_else_is_touched() {
    let home = Home::new();
    let daemon = home.daemon().await;
    // A window that is named after what runs in it would change while all is compared.
    let config = "set -g status-left odd\nset -g history-limit 500\nset -gw automatic-rename off\n";
    let theirs = Theirs::start(&home, config);
    theirs.tmux(&["send-keys", "-t", "work", "seq 1 100; stty -echo", "Enter"]);
    until("it printed", || theirs.tmux(&["capture-pane", "-p", "-t", "work"]).contains("\n100\n"))
        .await;
    let before = theirs.all();
    let foreign = foreign(&home, &daemon);
    let (found, mut pane, shot) = take(&foreign, &theirs.socket, "work").await;
    assert_eq!((found.name.as_str(), found.size), ("work:0.0", (80, 24)));
    assert_eq!((found.command.as_str(), found.folder.is_some()), ("sh", true));
    assert!(lossy(&shot.lines).contains("\n3\n"), "{}", lossy(&shot.lines));
    let got = type_until(&mut pane, b"echo $((6 * 7))'-ok'\n", b"42-ok").await;
    assert!(!lossy(&got).contains("$(("), "{}", lossy(&got));
    // Any bytes arrive as they are.
    let bytes: Vec<u8> = (0..60_000u32).map(|n| (n * 7 + n / 251) as u8).collect();
    let ready = type_until(
        &mut pane,
        b"stty raw; echo rea''dy; head -c 60000 | cksum; stty sane -echo\n",
        b"ready",
    )
    .await;
    drop(ready);
    let sum = type_until(&mut pane, &bytes, b" 60000").await;
    assert!(lossy(&sum).contains(&cksum(&home, &bytes)), "{}", lossy(&sum));
    drop(pane);
    until("it is let go of", || theirs.all() == before).await;
    theirs.tmux(&["send-keys", "-t", "work", "echo go''es on", "Enter"]);
    until("it goes on", || theirs.tmux(&["capture-pane", "-p", "-t", "work"]).contains("goes on"))
        .await;
    assert_eq!(std::fs::read_dir(home.path().join("panes")).unwrap().count(), 0);
}

fn cksum(home: &Home, bytes: &[u8]) -> String {
    let file = home.path().join("bytes");
    std::fs::write(&file, bytes).unwrap();
    let output = Command::new("cksum").stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn no_stream_of_anybody_is_cut() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let theirs = Theirs::start(&home, "");
    let foreign = foreign(&home, &daemon);
    let found = foreign.find(&theirs.socket, "work").await.unwrap();
    let (mut pane, _) = foreign.take(&key(), &found.pane, 0).await.unwrap();
    let again = foreign.take(&key(), &found.pane, 0).await;
    assert!(matches!(again, Err(Error::PanePiped { .. })), "{again:?}");
    assert!(matches!(foreign.find(&theirs.socket, "%0").await, Err(Error::PanePiped { .. })));
    type_until(&mut pane, b"echo st''ill\n", b"still").await;
    // The person takes it for something of theirs.
    theirs.tmux(&["pipe-pane", "-t", "work", "cat >/dev/null"]);
    assert!(matches!(event(&mut pane).await, AdoptedEvent::Cut));
    let again = foreign.take(&key(), &found.pane, 0).await;
    assert!(matches!(again, Err(Error::PanePiped { .. })), "{again:?}");
    assert_eq!(theirs.tmux(&["display-message", "-p", "-t", "%0", "#{pane_pipe}"]).trim(), "1");
    theirs.tmux(&["pipe-pane", "-t", "work"]);
    let (mut pane, _) = foreign.take(&key(), &found.pane, 0).await.unwrap();
    type_until(&mut pane, b"echo ag''ain\n", b"again").await;
}

#[tokio::test]
async fn its_size_and_its_end_are_noticed() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let theirs = Theirs::start(&home, "");
    let foreign = foreign(&home, &daemon);
    let (found, mut pane, _) = take(&foreign, &theirs.socket, "work").await;
    theirs.tmux(&["resize-window", "-t", "work", "-x", "100", "-y", "30"]);
    assert!(matches!(event(&mut pane).await, AdoptedEvent::Resized));
    drop(pane);
    until("it is let go of", || {
        theirs.tmux(&["display-message", "-p", "-t", "%0", "#{pane_pipe}"]).trim() == "0"
    })
    .await;
    let (mut pane, shot) = foreign.take(&key(), &found.pane, 0).await.unwrap();
    assert_eq!(shot.size, (100, 30));
    theirs.tmux(&["new-window", "-t", "work", "sh"]);
    // Its last words come before its end. They are waited for: of a program that prints and ends at
    // once tmux itself may lose the last (under load 9 of 120 with a plain `pipe-pane`, 3.3a).
    type_until(&mut pane, b"stty -echo; seq 1 3000\n", b"\n3000").await;
    let mut end = event_while_typing(&mut pane, Some(b"exit 3\n")).await;
    while matches!(end, AdoptedEvent::Wrote(_)) {
        end = event(&mut pane).await;
    }
    assert!(matches!(end, AdoptedEvent::Ended(None) | AdoptedEvent::Cut), "{end:?}");
    assert_eq!(foreign.look(&found.pane).await.unwrap(), Look::Gone);
    let (found, mut pane, _) = take(&foreign, &theirs.socket, "work").await;
    theirs.tmux(&["kill-server"]);
    // Its socket goes before its process does.
    let end = event(&mut pane).await;
    assert!(matches!(end, AdoptedEvent::Ended(None) | AdoptedEvent::Lost(_)), "{end:?}");
    let deadline = std::time::Instant::now() + PATIENCE;
    while !matches!(foreign.look(&found.pane).await, Ok(Look::Gone)) {
        assert!(std::time::Instant::now() < deadline, "never gone");
    }
    // Another life of it has such a pane, too.
    let again = Theirs::start(&home, "");
    again.tmux(&["new-window", "-t", "work", "sh"]);
    let taken = foreign.take(&key(), &found.pane, 0).await;
    assert!(matches!(taken, Err(Error::PaneGone { .. })), "{taken:?}");
}

#[tokio::test]
async fn a_server_that_keeps_dead_panes_lives() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let theirs = Theirs::start(&home, "set -g remain-on-exit on\n");
    theirs.tmux(&["new-window", "-d", "-t", "work", "sh"]);
    let foreign = foreign(&home, &daemon);
    let (found, mut pane, _) = take(&foreign, &theirs.socket, "work:0").await;
    type_until(&mut pane, b"echo ty''ped\n", b"typed").await;
    event_while_typing(&mut pane, Some(b"exit 3\n")).await;
    let mut ended = None;
    while ended.is_none() {
        // Somebody types on, into what is ending and into what has ended.
        if let AdoptedEvent::Ended(exit) = event_while_typing(&mut pane, Some(b"x")).await {
            ended = Some(exit);
        }
    }
    // When the terminal's end is seen before the program's, tmux never says how that ended.
    let told = theirs.tmux(&["display-message", "-p", "-t", "%0", "#{pane_dead_status}"]);
    let code = told.trim().parse().ok();
    assert!(matches!(code, None | Some(3)), "{told}");
    assert_eq!(ended, Some(Some(Exit { code, signal: None, lost: false })));
    // It is set while a pane is held that was taken without it.
    theirs.tmux(&["set", "-w", "-t", "work:1", "remain-on-exit", "off"]);
    let (_, mut other, _) = take(&foreign, &theirs.socket, "work:1").await;
    type_until(&mut other, b"echo ty''ped\n", b"typed").await;
    theirs.tmux(&["set", "-w", "-t", "work:1", "remain-on-exit", "on"]);
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let mut typed = event_while_typing(&mut other, Some(b"exit 4\n")).await;
    while !matches!(typed, AdoptedEvent::Ended(_)) {
        typed = event_while_typing(&mut other, Some(b"x")).await;
    }
    assert_eq!(theirs.tmux(&["display-message", "-p", "-t", "%1", "#{pane_dead}"]).trim(), "1");
    assert!(matches!(foreign.find(&theirs.socket, "work:1").await, Err(Error::PaneDead { .. })));
    assert!(matches!(foreign.look(&found.pane).await, Ok(Look::Dead(_))));
}

#[tokio::test]
async fn what_cannot_be_found_is_told() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let theirs = Theirs::start(&home, "");
    theirs.tmux(&["new-session", "-d", "-s", "world", "sh"]);
    let foreign = foreign(&home, &daemon);
    let error = |target: &'static str| {
        let (foreign, socket) = (foreign.clone(), theirs.socket.clone());
        async move { foreign.find(&socket, target).await.unwrap_err() }
    };
    assert!(matches!(error("nope").await, Error::PaneMissing { .. }));
    let ambiguous = error("wor").await;
    assert!(
        matches!(&ambiguous, Error::PaneAmbiguous { fits, .. } if fits == &["work", "world"]),
        "{ambiguous:?}"
    );
    let nowhere = foreign.find(&home.path().join("nowhere"), "work").await;
    assert!(matches!(nowhere, Err(Error::NoServerThere { .. })), "{nowhere:?}");
    let ours = foreign.find(&home.path().join("tmux"), "%0").await;
    assert!(matches!(ours, Err(Error::OwnedServer { .. })), "{ours:?}");
}
