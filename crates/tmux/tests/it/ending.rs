//! Programs that do not want to end, each asked to.

use std::time::Duration;

use qd_tmux::pane::{Pane, PaneEvent, Tap};

use crate::support::{Daemon, Home, exit, lossy, patient, processes, read_until, state, until};

/// A grace that no test lives to see: what ends within it was not ended by KILL.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

async fn told_ended(pane: &mut Pane) {
    loop {
        match patient("word of the end", pane.next_event()).await {
            Some(PaneEvent::Ended { left }) => break assert_eq!(left, 0),
            Some(_) => {}
            None => panic!("no word of the end"),
        }
    }
}

/// Starts a script that prints `READY`, and a letter and its id and `.` for each process to be
/// looked for; gives their ids in the order of the letters.
async fn start(home: &Home, daemon: &Daemon, script: &str) -> (Pane, Tap, Vec<u32>) {
    let (pane, mut tap) = daemon.create(home.sh("end", script)).await.unwrap();
    let text = lossy(&read_until(&mut tap, b"READY").await);
    let mut lines: Vec<_> = text.lines().map(str::trim).filter(|l| l.ends_with('.')).collect();
    lines.sort_unstable();
    let ids = lines.iter().filter_map(|l| l.strip_suffix('.')?.get(1..)?.parse().ok()).collect();
    (pane, tap, ids)
}

#[tokio::test]
async fn an_interactive_shell_ends_without_force() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let mut create = home.pane("shell", ["bash", "--norc", "-i"]);
    create.env = vec![("PS1".into(), "ready> ".into())];
    let (mut pane, mut tap) = daemon.create(create).await.unwrap();
    read_until(&mut tap, b"ready> ").await;
    pane.end(FOREVER).await.unwrap();
    assert_eq!(exit(&mut pane).await.signal, Some(1));
    told_ended(&mut pane).await;
}

#[tokio::test]
async fn a_program_that_puts_its_things_in_order_is_not_hung_up_by_its_shell() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let mut create = home.pane("order", ["bash", "--norc", "-i"]);
    create.env = vec![("PS1".into(), "ready> ".into())];
    let (mut pane, mut tap) = daemon.create(create).await.unwrap();
    read_until(&mut tap, b"ready> ").await;
    // The words that are waited for are not those that are typed.
    let program = "sh -c 'trap \"sleep 1; echo order=\\$((6*7)); exit\" TERM; echo ready=$((1+1)); \
        while :; do sleep 0.1; done'\n";
    tap.writer.write(program.as_bytes()).await.unwrap();
    read_until(&mut tap, b"ready=2").await;
    pane.end(FOREVER).await.unwrap();
    read_until(&mut tap, b"order=42").await;
    assert_eq!(exit(&mut pane).await.signal, Some(1));
}

#[tokio::test]
async fn a_stopped_child_and_those_that_left_are_asked_too() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "setsid sh -c 'echo A$$.; exec sleep 1000' &
        (setsid sh -c '(echo B$BASHPID.; exec sleep 1000) & ' &)
        sleep 1000 & echo C$!.; kill -STOP $!
        sleep 0.3; echo READY; wait";
    let script = format!("exec bash -c '{}'", script.replace('\'', r"'\''"));
    let (mut pane, _tap, ids) = start(&home, &daemon, &script).await;
    let stopped = *ids.last().unwrap();
    until("it is stopped", || state(stopped) == Some('T')).await;
    pane.end(FOREVER).await.unwrap();
    exit(&mut pane).await;
    told_ended(&mut pane).await;
    until("all are gone", || ids.iter().all(|id| state(*id).is_none())).await;
}

#[tokio::test]
async fn who_ignores_all_and_holds_the_terminal_is_killed() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "trap '' HUP TERM INT
        sh -c 'echo A$$.; while :; do sleep 1; done' </dev/tty >/dev/tty &
        sleep 0.3; echo READY; while :; do sleep 1; done";
    let (mut pane, tap, ids) = start(&home, &daemon, script).await;
    assert_eq!(ids.len(), 1);
    pane.end(Duration::from_millis(500)).await.unwrap();
    assert_eq!(exit(&mut pane).await.signal, Some(9));
    told_ended(&mut pane).await;
    until("it is gone", || state(ids[0]).is_none()).await;
    drop(tap);
    pane.leave().await.unwrap();
}

/// Each makes others as fast as it can and ends itself, so that no look at the tree is right for
/// long. They give up by themselves after a while, whatever becomes of the test.
async fn bomb(name: &str, each: &str) {
    let home = Home::new();
    let daemon = home.daemon().await;
    let program = format!(
        "$SIG{{$_}} = 'IGNORE' for qw(TERM HUP INT); $| = 1; $until = time + 30;
         for (1..4) {{ if (!fork) {{ while (time < $until) {{ exit if fork; {each} }} exit }} }}
         print 'READY'; sleep 1 while 1"
    );
    let mark = format!("{name}-{}", std::process::id());
    let argv = ["perl", "-MPOSIX", "-e", &program, &mark];
    let (mut pane, mut tap) = daemon.create(home.pane(name, argv)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    pane.end(Duration::from_millis(200)).await.unwrap();
    assert_eq!(exit(&mut pane).await.signal, Some(9));
    told_ended(&mut pane).await;
    let left = processes().filter(|pid| {
        std::fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.windows(mark.len()).any(|w| w == mark.as_bytes()))
    });
    assert_eq!(left.count(), 0);
    drop(tap);
    pane.leave().await.unwrap();
}

#[tokio::test]
async fn processes_that_make_others_and_end_are_caught() {
    bomb("hop", "").await;
}

#[tokio::test]
async fn processes_that_leave_their_group_with_each_are_caught() {
    bomb("leap", "setpgid(0, 0);").await;
    bomb("sail", "setsid();").await;
}
