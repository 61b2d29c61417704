//! The daemon goes and comes; the stream does not notice.

use qd_tmux::pane::{Reconnect, Reconnected, TapRead};
use qd_tmux::wire::ProgramState;
use sha2::{Digest as _, Sha256};

use crate::support::{Daemon, Home, PATIENCE, exit, lossy, patient, read_all, read_until, until};

async fn stop(daemon: Daemon) {
    daemon.host.close().await;
    daemon.server.close().await;
}

async fn back(daemon: &Daemon, key: &str) -> Reconnected {
    let key = qd_tmux::SessionKey::new(key).unwrap();
    match patient("a welcome", daemon.panes().reconnect(&key)).await.unwrap() {
        Reconnect::Here(here) => *here,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stream_is_exact_over_two_daemons_that_went() {
    let home = Home::new();
    let daemon = home.daemon().await;
    // 5 MB that nobody can guess, in three parts; a line of input between.
    let script = "stty raw -echo; exec 3< /dev/urandom
        part() { head -c $1 <&3 | tee -a all; }
        part 1000000; dd bs=1 count=1 >/dev/null 2>&1; part 2000000; touch done2
        dd bs=1 count=1 >/dev/null 2>&1; part 2000000; touch done3; exit 9";
    let (pane, mut tap) = daemon.create(home.sh("ex", script)).await.unwrap();
    let mut got = Vec::new();
    while got.len() < 1_000_000 {
        match tokio::time::timeout(PATIENCE, tap.reader.read()).await.unwrap() {
            TapRead::Bytes(b) => {
                tap.reader.taken(b.len());
                got.extend_from_slice(&b);
            }
            other => panic!("{other:?}"),
        }
    }
    tap.writer.write(b"x").await.unwrap();
    // It goes in the midst of the second part.
    drop(tap);
    drop(pane);
    stop(daemon).await;
    until("the second part is printed", || home.path().join("done2").exists()).await;

    let daemon = home.daemon().await;
    let mut here = back(&daemon, "ex").await;
    assert!(matches!(here.state, ProgramState::Running { .. }));
    assert_eq!(here.dropped_bytes, 0);
    got.extend_from_slice(&here.spool);
    here.pane.spool_taken().await.unwrap();
    let mut tap = here.tap.take().unwrap();
    while got.len() < 3_000_000 {
        match tokio::time::timeout(PATIENCE, tap.reader.read()).await.unwrap() {
            TapRead::Bytes(b) => {
                tap.reader.taken(b.len());
                got.extend_from_slice(&b);
            }
            other => panic!("{other:?}"),
        }
    }
    tap.writer.write(b"x").await.unwrap();
    drop(tap);
    drop(here);
    stop(daemon).await;
    until("the third part is printed", || home.path().join("done3").exists()).await;

    let daemon = home.daemon().await;
    let mut here = back(&daemon, "ex").await;
    got.extend_from_slice(&here.spool);
    let mut tap = here.tap.take().unwrap();
    if matches!(here.state, ProgramState::Running { .. }) {
        assert_eq!(exit(&mut here.pane).await.code, Some(9));
    } else {
        assert!(matches!(here.state, ProgramState::Exited(e) if e.code == Some(9)));
    }
    got.extend(read_all(&mut tap).await);
    let want = std::fs::read(home.path().join("all")).unwrap();
    assert_eq!(got.len(), want.len());
    assert_eq!(Sha256::digest(&got), Sha256::digest(&want));
    drop(tap);
    here.pane.leave().await.unwrap();
}

#[tokio::test]
async fn a_spool_that_was_not_taken_is_given_again() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "printf ONE; read x; printf TWO; touch two; read x";
    let (pane, mut tap) = daemon.create(home.sh("sp", script)).await.unwrap();
    read_until(&mut tap, b"ONE").await;
    tap.writer.write(b"\n").await.unwrap();
    drop((tap, pane));
    stop(daemon).await;
    until("it goes on", || home.path().join("two").exists()).await;
    let spool = home.path().join("panes/sp.spool");
    until("it is spooled", || {
        std::fs::read(&spool).is_ok_and(|s| s.windows(3).any(|w| w == b"TWO"))
    })
    .await;
    for round in 0..3 {
        let daemon = home.daemon().await;
        let here = back(&daemon, "sp").await;
        let text = lossy(&here.spool);
        assert!(text.ends_with("TWO"), "round {round}: {text:?}");
        if round == 2 {
            here.pane.spool_taken().await.unwrap();
            until("the spool is gone", || !spool.exists()).await;
        }
        drop(here);
        stop(daemon).await;
    }
}

#[tokio::test]
async fn silent_strangers_do_not_keep_the_daemon_out() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap) = daemon.create(home.sh("str", "sleep 1000")).await.unwrap();
    let sock = home.path().join("p-str");
    let knock = || std::os::unix::net::UnixStream::connect(&sock).unwrap();
    let silent: Vec<_> = (0..40).map(|_| knock()).collect();
    // And some that talk nonsense, or prove nothing.
    for words in [
        "nonsense\n",
        "{\"type\":\"leave\"}\n",
        "{\"type\":\"hello\",\"version\":1,\"nonce\":\"x\"}\n",
    ] {
        use std::io::Write as _;
        knock().write_all(words.as_bytes()).unwrap();
    }
    drop((tap, pane));
    stop(daemon).await;
    let daemon = home.daemon().await;
    let here = back(&daemon, "str").await;
    assert!(matches!(here.state, ProgramState::Running { .. }));
    drop(silent);
}

#[tokio::test]
async fn a_spool_is_bounded_and_says_what_it_let_go() {
    let home = Home::new();
    let mut config = home.host_config();
    config.spool_cap = 100_000;
    let daemon = home.daemon_with(config.clone()).await;
    let script = "read x; stty raw; head -c 1000000 /dev/zero | tr '\\0' y; printf END; touch done; sleep 1000";
    let (pane, tap) = daemon.create(home.sh("bd", script)).await.unwrap();
    tap.writer.write(b"\n").await.unwrap();
    drop((tap, pane));
    stop(daemon).await;
    until("all is printed", || home.path().join("done").exists()).await;
    let daemon = home.daemon_with(config).await;
    let mut here = back(&daemon, "bd").await;
    let mut tap = here.tap.take().unwrap();
    let mut got = here.spool.clone();
    if !got.ends_with(b"END") {
        got.extend(read_until(&mut tap, b"END").await);
    }
    assert!(here.spool.len() <= 100_000);
    // The echo of the line that was typed comes first.
    let all = here.dropped_bytes + got.len() as u64;
    assert_eq!(all - 1_000_003, 2, "{all}");
}

#[tokio::test]
async fn an_end_without_a_daemon_is_told_to_the_next() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap) = daemon.create(home.sh("off", "read x; printf BYE; exit 6")).await.unwrap();
    let pid = pane.init_pid;
    tap.writer.write(b"\n").await.unwrap();
    drop((tap, pane));
    stop(daemon).await;
    let status = home.path().join("panes/off.status");
    until("it has ended", || status.exists()).await;
    for _ in 0..2 {
        let daemon = home.daemon().await;
        let mut here = back(&daemon, "off").await;
        assert!(matches!(here.state, ProgramState::Exited(e) if e.code == Some(6)));
        assert_eq!(here.pane.init_pid, pid);
        let mut tap = here.tap.take().unwrap();
        let mut got = here.spool.clone();
        got.extend(read_all(&mut tap).await);
        // No mark of ours is in it, this time or the next.
        assert!(lossy(&got).ends_with("BYE") || got.is_empty(), "{:?}", lossy(&got));
        assert!(!got.windows(6).any(|w| w == b"\x1b]7507"), "{:?}", lossy(&got));
        drop((tap, here));
        stop(daemon).await;
    }
    // And when the pane is gone too, its last words are still there.
    home.tmux(&["kill-session", "-t", "=qd-off"]);
    until("the init is gone", || crate::support::state(pid).is_none()).await;
    let daemon = home.daemon().await;
    let key = qd_tmux::SessionKey::new("off").unwrap();
    match daemon.panes().reconnect(&key).await.unwrap() {
        Reconnect::Gone(gone) => {
            assert!(matches!(gone.state, Some(ProgramState::Exited(e)) if e.code == Some(6)));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(daemon.panes().known().unwrap(), std::slice::from_ref(&key));
    daemon.panes().forget(&key);
    assert!(daemon.panes().known().unwrap().is_empty());
}

#[tokio::test]
async fn somebody_elses_pipe_is_noticed_and_the_stream_taken_again() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); echo $i; done; printf END; read x";
    let (mut pane, mut tap) = daemon.create(home.sh("cut", script)).await.unwrap();
    read_until(&mut tap, b"\n100\r\n").await;
    let target = pane.address.pane.to_string();
    home.tmux(&["pipe-pane", "-t", &target, "cat > /dev/null"]);
    let cut = async {
        while let TapRead::Bytes(bytes) = tap.reader.read().await {
            tap.reader.taken(bytes.len());
        }
    };
    patient("the cut", cut).await;
    let (mut tap, snapshot) = pane.retap(100).await.unwrap();
    assert_eq!(snapshot.size, (80, 24));
    // The last number of the snapshot, and the first of the stream after it.
    let screen = String::from_utf8(snapshot.lines.clone()).unwrap();
    let last: Vec<&str> = screen.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let mut rest = read_until(&mut tap, b"END").await;
    // Continuous, even inside a line: the cursor's line and what follows it.
    let mut all = last.join("\r\n").into_bytes();
    if snapshot.cursor.0 == 0 {
        all.extend_from_slice(b"\r\n");
    }
    all.append(&mut rest);
    let text = String::from_utf8(all).unwrap();
    let numbers: Vec<u32> = text
        .trim_end_matches("END")
        .lines()
        .filter(|l| !l.is_empty())
        .map(|l| l.parse().unwrap_or_else(|_| panic!("{l:?}")))
        .collect();
    assert!(numbers.len() > 100);
    for pair in numbers.windows(2) {
        assert_eq!(pair[1], pair[0] + 1, "snapshot ended {:?}", last.last());
    }
    assert_eq!(numbers.last(), Some(&300_000));
}

#[tokio::test]
async fn the_alternate_screen_and_the_primary_are_both_captured() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "printf 'before\\n%%exit\\n'; printf '\\033[?1049h\\033[H%%end 1 2 1\\033]2;a %%exit b\\033\\\\READY'; sleep 1000";
    let (pane, mut tap) = daemon.create(home.sh("alt", script)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    let mut snapshot = pane.capture(100).await.unwrap();
    let primary = String::from_utf8(snapshot.primary.take().unwrap()).unwrap();
    assert!(primary.starts_with("before\n%exit\n"), "{primary:?}");
    let lines = String::from_utf8(snapshot.lines).unwrap();
    assert!(lines.contains("%end 1 2 1"), "{lines:?}");
    assert!(snapshot.alternate && snapshot.cursor_visible && snapshot.wrap);
    assert_eq!(snapshot.title, "a %exit b");
    assert_eq!(snapshot.cursor, (15, 0));
    assert!(!home.path().join("panes/alt.capture").exists());
    assert_eq!(home.tmux(&["list-buffers"]), "");
}
