//! People who attach with tmux.

use std::process::{Command, Stdio};

use qd_tmux::control::Notice;
use qd_tmux::native::{attach_argv, list_clients};

use crate::support::{Home, patient, read_until, until};

#[tokio::test]
async fn a_native_client_is_seen_with_its_size_and_leaves_by_its_key() {
    attach(false).await;
}

#[tokio::test]
async fn one_that_may_only_look_types_nothing_and_leaves_by_the_same_key() {
    attach(true).await;
}

async fn attach(read_only: bool) {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (pane, mut tap) = daemon.create(home.sh("nat", "printf HI; exec cat")).await.unwrap();
    read_until(&mut tap, b"HI").await;
    let mut notices = daemon.tmux().notices();
    // `script` gives it a terminal.
    let argv = attach_argv("tmux".as_ref(), &home.path().join("tmux"), &pane.key, read_only);
    let words: Vec<String> = argv.iter().map(|w| format!("'{}'", w.to_str().unwrap())).collect();
    let mut child = Command::new("script")
        .args(["-qefc", &format!("stty cols 91 rows 31; exec {}", words.join(" ")), "/dev/null"])
        .env("TERM", "xterm-256color")
        .env_remove("TMUX")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let name = patient("the client is seen", async {
        loop {
            if let Ok(Notice::ClientSessionChanged { client, session }) = notices.recv().await
                && session == Some(pane.address.session)
            {
                return client;
            }
        }
    })
    .await;
    let clients = list_clients(&daemon.tmux()).await.unwrap();
    assert_eq!(clients.len(), 1, "{clients:?}");
    assert_eq!((&clients[0].name, clients[0].size), (&name, (91, 31)));
    assert_eq!(clients[0].session, pane.address.session);
    assert_eq!(clients[0].read_only, read_only);
    // Attaching alone changes no size.
    assert_eq!(daemon.panes().list().await.unwrap()[0].size, (80, 24));
    // What is typed there is typed; the old prefix is no key of tmux's.
    use std::io::Write as _;
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(b"\x02typed\n").unwrap();
    stdin.flush().unwrap();
    if read_only {
        // After what was typed there, if it had come through.
        tap.writer.write(b"tapped\n").await.unwrap();
        let got = read_until(&mut tap, b"tapped\r\ntapped\r\n").await;
        assert_eq!(got, b"tapped\r\ntapped\r\n");
    } else {
        // The terminal echoes Ctrl-B as `^B`, and cat as it is.
        read_until(&mut tap, b"\x02typed\r\n").await;
    }
    stdin.write_all(b"\x11").unwrap();
    stdin.flush().unwrap();
    patient("the client is gone", async {
        loop {
            if let Ok(Notice::ClientDetached { client }) = notices.recv().await {
                return assert_eq!(client, name);
            }
        }
    })
    .await;
    until("the client ended", || child.try_wait().unwrap().is_some()).await;
    assert!(list_clients(&daemon.tmux()).await.unwrap().is_empty());
}
