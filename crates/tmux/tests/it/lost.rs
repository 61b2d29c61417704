//! tmux that does not answer, connections that are lost, panes that cannot be reached.

use std::time::Duration;

use qd_tmux::Error;
use qd_tmux::pane::{PaneHost, Reconnect};
use qd_tmux::server::{ServerState, TmuxServer};
use qd_tmux::wire::ProgramState;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Daemon, Home, exit, patient, read_until, state, until};

/// A tmux server that is stopped; dropped, it goes on.
struct Stopped(Pid);

impl Stopped {
    fn stop(pid: u32) -> Self {
        let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

/// A daemon that soon gives up a server that says nothing.
async fn impatient(home: &Home) -> Daemon {
    let mut config = home.config();
    config.patience = Duration::from_millis(1500);
    let server = TmuxServer::new(config).unwrap();
    server.handle().ensure().await.unwrap();
    let host = PaneHost::new(home.host_config(), server.handle()).unwrap();
    Daemon { server, host }
}

fn control_client(home: &Home) -> Option<i32> {
    let clients = home.tmux(&["list-clients", "-F", "#{client_control_mode} #{client_pid}"]);
    clients.lines().find_map(|line| line.strip_prefix("1 ")?.parse().ok())
}

#[tokio::test]
async fn a_lost_connection_is_made_again() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, _tap) = daemon.create(home.sh("again", "sleep 1000")).await.unwrap();
    let client = control_client(&home).unwrap();
    kill_process(Pid::from_raw(client).unwrap(), Signal::KILL).unwrap();
    // By itself: notices are to be heard again, asked or not.
    until("a new client", || control_client(&home).is_some_and(|new| new != client)).await;
    until("the connection", || {
        matches!(*daemon.tmux().state().borrow(), ServerState::Connected(_))
    })
    .await;
    daemon.panes().resize(pane.address, (61, 17)).await.unwrap();
    assert_eq!(daemon.panes().list().await.unwrap()[0].size, (61, 17));
    let pid = pane.init_pid;
    pane.kill().await.unwrap();
    until("its end", || state(pid).is_none()).await;
}

#[tokio::test]
async fn a_command_joins_a_server_that_is_there_and_starts_none() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap) = daemon.create(home.sh("join", "sleep 1000")).await.unwrap();
    let address = pane.address;
    drop((tap, pane));
    daemon.host.close().await;
    daemon.server.close().await;
    let server = TmuxServer::new(home.config()).unwrap();
    let host = PaneHost::new(home.host_config(), server.handle()).unwrap();
    assert_eq!(host.panes().list().await.unwrap().len(), 1, "nobody asked for it before");
    host.panes().resize(address, (50, 10)).await.unwrap();
    server.handle().kill_server().await.unwrap();
    assert!(matches!(host.panes().resize(address, (51, 10)).await, Err(Error::ServerAbsent)));
    assert_eq!(server.handle().join().await.unwrap(), None);
    assert!(host.panes().list().await.unwrap().is_empty());
    assert!(std::os::unix::net::UnixStream::connect(home.path().join("tmux")).is_err());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let home = Home::new();
    let daemon = impatient(&home).await;
    let (pane, _tap) = daemon.create(home.sh("mute", "sleep 1000")).await.unwrap();
    let stopped = Stopped::stop(pane.address.generation.pid);
    let answer = patient("a refusal", daemon.panes().resize(pane.address, (61, 17))).await;
    assert!(matches!(answer, Err(Error::ConnectionLost)), "{answer:?}");
    drop(stopped);
    until("the connection", || {
        matches!(*daemon.tmux().state().borrow(), ServerState::Connected(_))
    })
    .await;
    daemon.panes().resize(pane.address, (61, 17)).await.unwrap();
}

#[tokio::test]
async fn a_creation_that_cannot_be_taken_back_is_not_forgotten() {
    let home = Home::new();
    let daemon = impatient(&home).await;
    let pid = daemon.tmux().ensure().await.unwrap().generation.pid;
    let stopped = Stopped::stop(pid);
    let made = patient("a refusal", daemon.create(home.sh("half", "sleep 1000"))).await;
    assert!(made.is_err());
    // It waits for what is to be taken back.
    let panes = daemon.panes();
    patient("the end", daemon.host.close()).await;
    assert_eq!(panes.known().unwrap().len(), 1, "the files say that there may be a pane");
    drop(stopped);
    let host = PaneHost::new(home.host_config(), daemon.server.handle()).unwrap();
    for pane in host.panes().list().await.unwrap() {
        host.panes().kill_listed(&pane).await.unwrap();
    }
}

#[tokio::test]
async fn a_pane_whose_socket_is_gone_is_not_gone() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap) = daemon.create(home.sh("deaf", "sleep 1000")).await.unwrap();
    let (key, pid) = (pane.key.clone(), pane.init_pid);
    drop((tap, pane));
    std::fs::remove_file(home.path().join("p-deaf")).unwrap();
    let found = daemon.panes().reconnect(&key).await.unwrap();
    let Reconnect::Unreachable(listed) = found else { panic!("{found:?}") };
    assert_eq!(state(pid).map(|s| s != 'Z'), Some(true));
    daemon.panes().kill_listed(&listed).await.unwrap();
    until("its end", || state(pid).is_none()).await;
    assert!(matches!(daemon.panes().reconnect(&key).await.unwrap(), Reconnect::Gone(_)));
}

#[tokio::test]
async fn a_pane_that_is_ending_is_waited_for() {
    let home = Home::new();
    let daemon = home.daemon().await;
    // Hears nothing but KILL, which comes two seconds later.
    let script = "trap '' HUP TERM; echo READY; while :; do sleep 0.1; done";
    let (pane, mut tap) = daemon.create(home.sh("slow", script)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    let (key, pid) = (pane.key.clone(), pane.init_pid);
    drop((tap, pane));
    home.tmux(&["kill-session", "-t", "=qd-slow"]);
    let found = daemon.panes().reconnect(&key).await.unwrap();
    let Reconnect::Gone(gone) = found else { panic!("{found:?}") };
    assert!(
        matches!(gone.state, Some(ProgramState::Exited(exit)) if exit.signal == Some(9)),
        "{gone:?}"
    );
    until("its end", || state(pid).is_none()).await;
}

#[tokio::test]
async fn a_folder_with_signs_of_a_format_is_captured_into() {
    let home = Home::new();
    let mut config = home.host_config();
    config.pane_dir = home.path().join("odd #{pid} ## #[x] #D #(touch no)");
    let daemon = home.daemon_with(config).await;
    let (mut pane, mut tap) =
        daemon.create(home.sh("odd", "printf SHOWN; read x; exit 3")).await.unwrap();
    read_until(&mut tap, b"SHOWN").await;
    drop(tap);
    let (tap, snapshot) = pane.retap(10).await.unwrap();
    assert!(String::from_utf8_lossy(&snapshot.lines).contains("SHOWN"));
    tap.writer.write(b"\n").await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(3));
}

#[tokio::test]
async fn a_pane_whose_init_was_killed_is_gone() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap) = daemon.create(home.sh("shot", "exec sleep 1000")).await.unwrap();
    let (key, pid) = (pane.key.clone(), pane.init_pid);
    drop((tap, pane));
    let init = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(init, Signal::KILL).unwrap();
    until("its end", || state(pid).is_none()).await;
    let found = patient("an answer", daemon.panes().reconnect(&key)).await.unwrap();
    assert!(matches!(found, Reconnect::Gone(_)), "{found:?}");
    assert!(daemon.panes().list().await.unwrap().is_empty());
}
