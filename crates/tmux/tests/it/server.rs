//! The server: whose it is, whether it is there, how it ends.

use qd_tmux::Error;
use qd_tmux::control::{Command, CommandList};
use qd_tmux::server::{ServerState, TmuxServer};

use crate::script::program;
use crate::support::{Home, patient, state, until};

#[tokio::test]
async fn every_byte_arrives_as_an_argument() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let tmux = daemon.tmux();
    let all: Vec<u8> = (1..=255).collect();
    let texts: [&[u8]; 8] = [
        b"plain",
        b"a;b ; c",
        b"~/x $HOME ${HOME}",
        b"#{pid} # comment",
        b"\"quo'te\\",
        b"{ } %if %end 1 2 1",
        b"-x",
        &all,
    ];
    for text in texts {
        // By way of an option: it is not expanded, and another process reads it.
        let set = Command::new("set-option").args(["-s", "--", "@qd-test"]).bytes(text);
        tmux.command(set).await.unwrap();
        let file = home.path().join("buffer");
        let buffer =
            CommandList::new(Command::new("set-buffer").args(["-b", "t", "--"]).bytes(text))
                .then(Command::new("save-buffer").args(["-b", "t"]).arg(&file));
        tmux.command(buffer).await.unwrap();
        // Its client writes the file, after the answer.
        until("the text in the file", || std::fs::read(&file).is_ok_and(|read| read == text)).await;
    }
}

#[tokio::test]
async fn answers_keep_their_order_and_errors_their_place() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let tmux = daemon.tmux();
    let plain = |text: &str| Command::new("display-message").args(["-p", text]);
    let list = CommandList::new(plain("one")).then(plain("two"));
    assert_eq!(tmux.command(list).await.unwrap(), [b"one\n".to_vec(), b"two\n".to_vec()]);
    let bad = CommandList::new(plain("one"))
        .then(Command::new("set-option").args(["-g", "no-such-option", "1"]))
        .then(plain("never"));
    match tmux.command(bad).await {
        Err(Error::Refused { command, message }) => {
            assert_eq!(command, "set-option");
            assert!(message.contains("no-such-option"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    match tmux.command(Command::new("no-such-command")).await {
        Err(Error::Refused { message, .. }) => assert!(message.contains("unknown command")),
        other => panic!("{other:?}"),
    }
    let asked: Vec<_> = (0..200)
        .map(|i| {
            let tmux = tmux.clone();
            let command = plain(&format!("n{i}"));
            async move { (i, tmux.command(command).await.unwrap()) }
        })
        .collect();
    for answer in asked {
        let (i, output) = answer.await;
        assert_eq!(output, [format!("n{i}\n").into_bytes()]);
    }
}

#[tokio::test]
async fn the_configuration_is_taken_without_a_word() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let ask = |args: &[&str]| home.tmux(args).trim_end().to_owned();
    for (args, want) in [
        (&["show", "-gv", "prefix"][..], "None"),
        (&["show", "-gwv", "remain-on-exit"], "off"),
        (&["show", "-sv", "exit-empty"], "off"),
        (&["show", "-sv", "escape-time"], "10"),
        (&["show", "-gv", "status"], "off"),
        (&["show", "-gv", "history-limit"], "10000"),
        (&["show", "-sv", "set-clipboard"], "off"),
        (&["show", "-sv", "@qd-owner"], &home.owner()),
        // A wrong line of a configuration shows as a mode of the first pane.
        (&["list-panes", "-a", "-F", "#{pane_in_mode}"], "0"),
    ] {
        assert_eq!(ask(args).split_whitespace().collect::<Vec<_>>().join(" "), want, "{args:?}");
    }
    let keys = ask(&["list-keys"]);
    let keys = keys.split_whitespace().collect::<Vec<_>>().join(" ");
    // From 3.7 on it lists nothing where there is no prefix; what the key does is tried elsewhere.
    assert!(keys.is_empty() || keys == "bind-key -T root C-q detach-client", "{keys}");
    drop(daemon);
}

#[tokio::test]
async fn a_server_of_ours_is_joined_and_a_lost_one_is_told() {
    let home = Home::new();
    let first = TmuxServer::new(home.config()).unwrap();
    let info = first.handle().ensure().await.unwrap();
    assert!(info.started);
    first.close().await;
    let second = TmuxServer::new(home.config()).unwrap();
    let tmux = second.handle();
    let again = tmux.ensure().await.unwrap();
    assert!(!again.started);
    assert_eq!(again.generation, info.generation);
    assert!(state(info.generation.pid).is_some());

    let mut changes = tmux.state();
    home.tmux(&["kill-server"]);
    patient("word of the loss", changes.wait_for(|s| matches!(s, ServerState::Lost { .. })))
        .await
        .unwrap();
    assert!(matches!(tmux.command(Command::new("list-sessions")).await, Err(Error::ServerAbsent)));
    let third = tmux.ensure().await.unwrap();
    assert!(third.started);
    assert_ne!(third.generation, info.generation);
    assert!(matches!(
        tmux.command_in(info.generation, Command::new("list-sessions")).await,
        Err(Error::StaleGeneration)
    ));
    tmux.kill_server().await.unwrap();
    assert_eq!(state(third.generation.pid), None);
    until("nothing is left", || home.leftovers().is_empty()).await;
    // And once more, with nothing there.
    tmux.kill_server().await.unwrap();
}

#[tokio::test]
async fn a_stuck_server_is_ended_all_the_same() {
    let home = Home::new();
    let server = TmuxServer::new(home.config()).unwrap();
    let info = server.handle().ensure().await.unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(info.generation.pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    patient("its end", server.handle().kill_server()).await.unwrap();
    assert_eq!(state(info.generation.pid), None);
}

#[tokio::test]
async fn a_server_that_is_being_joined_is_ended_too() {
    let home = Home::new();
    let server = TmuxServer::new(home.config()).unwrap();
    let tmux = server.handle();
    let (info, killed) = tokio::join!(tmux.ensure(), tmux.kill_server());
    killed.unwrap();
    assert_eq!(state(info.unwrap().generation.pid), None);
    until("nothing is left", || home.leftovers().is_empty()).await;
}

#[tokio::test]
async fn a_foreign_server_is_left_alone() {
    let home = Home::new();
    let socket = home.path().join("tmux");
    let mut config = home.config();
    // Somebody else's, by plain tmux.
    let status = std::process::Command::new("tmux")
        .arg("-S")
        .arg(&socket)
        .args(["-f", "/dev/null", "new-session", "-d", "sleep", "1000"])
        .env("QD_TEST_HOME", home.path())
        .status()
        .unwrap();
    assert!(status.success());
    let server = TmuxServer::new(config.clone()).unwrap();
    match server.handle().ensure().await {
        Err(e @ Error::ForeignServer { .. }) => assert!(e.hint().is_some()),
        other => panic!("{other:?}"),
    }
    assert!(matches!(server.handle().kill_server().await, Err(Error::ForeignServer { .. })));
    assert_eq!(home.tmux(&["list-sessions"]).lines().count(), 1);
    home.tmux(&["kill-server"]);
    until("it is gone", || home.leftovers().is_empty()).await;
    // And one of another home of ours.
    let ours = TmuxServer::new(config.clone()).unwrap();
    ours.handle().ensure().await.unwrap();
    config.owner = "another".into();
    let other = TmuxServer::new(config).unwrap();
    match other.handle().ensure().await {
        Err(Error::ForeignServer { owner, .. }) => assert_eq!(owner, Some(home.owner())),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_of_ours_without_its_mark_is_joined_and_marked() {
    let home = Home::new();
    let config = home.config();
    // Started by a daemon that was killed, when the configuration was gone.
    let status = std::process::Command::new("tmux")
        .arg("-S")
        .arg(home.path().join("tmux"))
        .args(["-f", "/nowhere/tmux.conf", "new-session", "-d", "-s", "qd-hold", "sleep", "1000"])
        .env("QD_TEST_HOME", home.path())
        .status()
        .unwrap();
    assert!(status.success());
    let server = TmuxServer::new(config).unwrap();
    assert!(!server.handle().ensure().await.unwrap().started);
    assert_eq!(home.tmux(&["show-options", "-sv", "@qd-owner"]).trim(), home.owner());
    assert_eq!(home.tmux(&["show-options", "-gwv", "remain-on-exit"]).trim(), "off");
    server.handle().kill_server().await.unwrap();
    until("it is gone", || home.leftovers().is_empty()).await;
}

#[tokio::test]
async fn a_launcher_starts_the_server() {
    let home = Home::new();
    let mut config = home.config();
    config.launcher = vec!["env".into(), "LAUNCHED=yes".into()];
    let server = TmuxServer::new(config).unwrap();
    let pid = server.handle().ensure().await.unwrap().generation.pid;
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    assert!(environ.split(|b| *b == 0).any(|v| v == b"LAUNCHED=yes"));
}

#[tokio::test]
async fn two_homes_do_not_touch() {
    let (one, two) = (Home::new(), Home::new());
    let (a, b) = (one.daemon().await, two.daemon().await);
    let (_p, _t) = a.create(one.sh("same", "sleep 1000")).await.unwrap();
    let (_q, _u) = b.create(two.sh("same", "sleep 1000")).await.unwrap();
    b.tmux().kill_server().await.unwrap();
    assert_eq!(a.panes().list().await.unwrap().len(), 1);
    assert!(a.tmux().command(Command::new("list-sessions")).await.is_ok());
}

async fn ensure(config: &qd_tmux::server::ServerConfig) -> qd_tmux::Result<()> {
    let server = TmuxServer::new(config.clone()).unwrap();
    server.handle().ensure().await.map(drop)
}

#[tokio::test]
async fn without_a_fit_tmux_it_says_so() {
    let home = Home::new();
    let script = |name: &str, text: &str| {
        let path = home.path().join(name);
        program(&path, text);
        path
    };
    let mut config = home.config();
    for (k, v) in &mut config.env {
        if k == "PATH" {
            *v = "/nonexistent".into();
        }
    }
    let missing = ensure(&config).await;
    assert!(matches!(missing, Err(Error::TmuxMissing { .. })), "{missing:?}");
    config.tmux = script("old", "#!/bin/sh\necho tmux 3.1c\n");
    let old = ensure(&config).await;
    match old {
        Err(e @ Error::VersionTooOld { .. }) => {
            assert!(e.to_string().contains("3.1c") && e.hint().is_some(), "{e}");
        }
        other => panic!("{other:?}"),
    }
    config.tmux = script("odd", "#!/bin/sh\necho hello\n");
    let odd = ensure(&config).await;
    assert!(matches!(odd, Err(Error::VersionUnreadable { .. })), "{odd:?}");
    assert!(!home.path().join("tmux").exists());
}

#[tokio::test]
async fn a_socket_that_does_not_answer_is_unknown_and_nothing_is_started() {
    let home = Home::new();
    // Somebody listens and says nothing sensible.
    let _listener = std::os::unix::net::UnixListener::bind(home.path().join("tmux")).unwrap();
    let server = TmuxServer::new(home.config()).unwrap();
    let answer = patient("an answer", server.handle().ensure()).await;
    assert!(matches!(answer, Err(Error::ServerUnknown { .. })), "{answer:?}");
    // Its own question included.
    until("nothing runs", || home.leftovers().is_empty()).await;
    // Else the guard's own tmux would wait for it as well.
    drop(_listener);
}
