//! Stops, ends, and what is left.

use std::time::Duration;

use qd_tmux::pane::{PaneEvent, TapRead};

use crate::support::{Home, exit, lossy, patient, read_all, read_until, state, until};

#[tokio::test]
async fn a_program_that_stops_itself_goes_on() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "for i in 1 2 3; do kill -STOP $$; printf on$i; done";
    let (mut pane, mut tap) = daemon.create(home.sh("st", script)).await.unwrap();
    assert_eq!(read_all(&mut tap).await, b"on1on2on3");
    assert_eq!(exit(&mut pane).await.code, Some(0));
}

#[tokio::test]
async fn ctrl_z_is_survived_and_ctrl_c_ends() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, mut tap) = daemon.create(home.pane("cz", ["cat"])).await.unwrap();
    for i in 0..5 {
        tap.writer.write(b"\x1a").await.unwrap();
        read_until(&mut tap, b"^Z").await;
        let text = format!("hello{i}\n");
        tap.writer.write(text.as_bytes()).await.unwrap();
        // Its echo by the terminal, and by cat.
        let twice = format!("hello{i}\r\nhello{i}\r\n");
        read_until(&mut tap, twice.as_bytes()).await;
    }
    tap.writer.write(b"\x03").await.unwrap();
    assert_eq!(exit(&mut pane).await.signal, Some(2));
}

#[tokio::test]
async fn a_shell_has_its_job_control() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let mut create = home.pane("job", ["bash", "--norc", "-i"]);
    create.env = vec![("PS1".into(), "ready> ".into())];
    let (mut pane, mut tap) = daemon.create(create).await.unwrap();
    read_until(&mut tap, b"ready> ").await;
    tap.writer.write(b"sleep 1000\n").await.unwrap();
    read_until(&mut tap, b"sleep 1000").await;
    let target = pane.address.pane.to_string();
    until("sleep is in the foreground", || {
        home.tmux(&["display-message", "-p", "-t", &target, "#{pane_current_command}"]) == "sleep\n"
    })
    .await;
    tap.writer.write(b"\x1a").await.unwrap();
    let got = read_until(&mut tap, b"ready> ").await;
    assert!(lossy(&got).contains("Stopped"), "{}", lossy(&got));
    // Twice: the first may be answered that there are stopped jobs.
    tap.writer.write(b"kill -9 %1\nexit 5\nexit 5\n").await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(5));
}

/// Starts children of the worst kind and prints their ids.
const STUBBORN: &str = "trap '' HUP TERM INT
    setsid sh -c \"trap '' HUP TERM; echo A\\$\\$.; while :; do sleep 1; done\" &
    (setsid sh -c \"trap '' HUP TERM; (echo B\\$\\$.; exec sleep 1000) & \" &)
    sleep 0.3
    echo READY
    while :; do sleep 1; done";

async fn stubborn(
    home: &Home,
    daemon: &crate::support::Daemon,
) -> (qd_tmux::pane::Pane, qd_tmux::pane::Tap, Vec<u32>) {
    let (pane, mut tap) = daemon.create(home.sh("tree", STUBBORN)).await.unwrap();
    let text = lossy(&read_until(&mut tap, b"READY").await);
    let mut ids: Vec<u32> =
        text.lines().filter_map(|l| l.trim().strip_suffix('.')?.get(1..)?.parse().ok()).collect();
    assert_eq!(ids.len(), 2, "{text}");
    ids.push(pane.init_pid);
    (pane, tap, ids)
}

async fn all_gone(home: &Home, ids: &[u32]) {
    until("the tree is gone", || ids.iter().all(|id| state(*id).is_none())).await;
    until("no process of a pane is left", || {
        home.leftovers()
            .iter()
            .all(|(_, cmd)| cmd.contains("tmux") || cmd.contains("internal hold"))
    })
    .await;
}

#[tokio::test]
async fn asked_to_end_the_whole_tree_ends() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, tap, ids) = stubborn(&home, &daemon).await;
    pane.end(Duration::from_millis(200)).await.unwrap();
    assert_eq!(exit(&mut pane).await.signal, Some(9));
    loop {
        match patient("word of the end", pane.next_event()).await {
            Some(PaneEvent::Ended { left }) => break assert_eq!(left, 0),
            Some(_) => {}
            None => panic!("no word of the end"),
        }
    }
    // The pane stays until its tail is read.
    assert!(state(pane.init_pid).is_some());
    drop(tap);
    pane.leave().await.unwrap();
    all_gone(&home, &ids).await;
}

#[tokio::test]
async fn an_init_told_to_terminate_ends_the_whole_tree() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, tap, ids) = stubborn(&home, &daemon).await;
    drop((tap, pane));
    daemon.host.close().await;
    daemon.server.close().await;
    let init = rustix::process::Pid::from_raw(i32::try_from(ids[2]).unwrap()).unwrap();
    // Once it has noticed that it is alone; before that it waits for its daemon.
    until("it is gone", || {
        let _ = rustix::process::kill_process(init, rustix::process::Signal::TERM);
        state(ids[2]).is_none()
    })
    .await;
    all_gone(&home, &ids).await;
}

#[tokio::test]
async fn a_program_whose_child_took_the_foreground_with_it_goes_on() {
    let home = Home::new();
    let daemon = home.daemon().await;
    // The child makes itself the foreground and dies: reading then stops the
    // program, again and again, unless the foreground is given back.
    let program = "$SIG{TTOU} = 'IGNORE'; if (!($p = fork)) { setpgid(0, 0); tcsetpgrp(0, $$);
        POSIX::_exit(0) } waitpid $p, 0; $| = 1; print 'READY'; $x = <STDIN>; print \"got $x $!\"";
    let argv = ["perl", "-MPOSIX", "-e", program];
    let (mut pane, mut tap) = daemon.create(home.pane("fg", argv)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    tap.writer.write(b"it\n").await.unwrap();
    let got = read_all(&mut tap).await;
    let exit = exit(&mut pane).await;
    assert_eq!(exit.code, Some(0), "{exit:?} {}", lossy(&got));
    assert!(lossy(&got).contains("got it"), "{}", lossy(&got));
}

#[tokio::test]
async fn a_killed_pane_takes_the_whole_tree_with_it() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (_pane, _tap, ids) = stubborn(&home, &daemon).await;
    home.tmux(&["kill-pane", "-t", "=qd-tree:"]);
    all_gone(&home, &ids).await;
}

#[tokio::test]
async fn a_killed_server_takes_the_whole_tree_with_it_daemon_or_not() {
    let home = Home::new();
    for with_daemon in [true, false] {
        let daemon = home.daemon().await;
        let pid = daemon.tmux().ensure().await.unwrap().generation.pid;
        let (pane, tap, ids) = stubborn(&home, &daemon).await;
        let held = if with_daemon {
            Some((daemon, pane, tap))
        } else {
            drop(tap);
            drop(pane);
            daemon.host.close().await;
            daemon.server.close().await;
            None
        };
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        all_gone(&home, &ids).await;
        drop(held);
        let _ = std::fs::remove_file(home.path().join("panes/tree.json"));
    }
}

#[tokio::test]
async fn orphans_are_reaped_and_outlive_nothing() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "i=0; while [ $i -lt 50 ]; do (sh -c 'exit 0' &); i=$((i+1)); done
        (setsid sleep 1000 &) ; printf DONE; read x; exit 0";
    let (mut pane, mut tap) = daemon.create(home.sh("orph", script)).await.unwrap();
    read_until(&mut tap, b"DONE").await;
    let init = pane.init_pid;
    let zombies = || {
        crate::support::processes()
            .filter(|pid| {
                std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| {
                    let rest: Vec<&str> =
                        s[s.rfind(')').unwrap() + 1..].split_whitespace().collect();
                    rest[0] == "Z" && rest[1] == init.to_string()
                })
            })
            .count()
    };
    until("no zombie below the init", || zombies() == 0).await;
    tap.writer.write(b"\n").await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(0));
    drop(tap);
    // The sleeper left its session; it goes with the pane.
    pane.leave().await.unwrap();
    all_gone(&home, &[init]).await;
}

#[tokio::test]
async fn the_tail_is_complete_while_children_print_on() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "(while sleep 0.01; do printf c; done) & printf start; sleep 0.1; printf LAST";
    let (mut pane, mut tap) = daemon.create(home.sh("bg", script)).await.unwrap();
    let got = read_all(&mut tap).await;
    assert!(got.windows(4).any(|w| w == b"LAST"), "{}", lossy(&got));
    // And what comes after is not lost either.
    let more = patient("more", tap.reader.read()).await;
    assert!(matches!(&more, TapRead::Bytes(b) if b.iter().all(|b| *b == b'c')), "{more:?}");
    exit(&mut pane).await;
}

#[tokio::test]
async fn a_held_terminal_still_gets_its_mark() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, mut tap) = daemon.create(home.sh("xoff", "read x; exit 4")).await.unwrap();
    // Enter, then Ctrl-S: output of the terminal is held.
    tap.writer.write(b"\n\x13").await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(4));
    read_all(&mut tap).await;
}

#[tokio::test]
async fn a_pane_has_the_size_it_was_given() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "trap 'stty size' WINCH; stty size; printf READY; while :; do sleep 0.02; done";
    let mut create = home.sh("size", script);
    create.size = (101, 33);
    let (pane, mut tap) = daemon.create(create).await.unwrap();
    let got = read_until(&mut tap, b"READY").await;
    assert!(lossy(&got).contains("33 101"), "{}", lossy(&got));
    daemon.panes().resize(pane.address, (61, 17)).await.unwrap();
    read_until(&mut tap, b"17 61").await;
    assert_eq!(daemon.panes().list().await.unwrap()[0].size, (61, 17));
}
