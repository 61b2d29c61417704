//! Bytes to the program, exactly.

use sha2::{Digest as _, Sha256};

use crate::support::{Home, exit, patient, read_all, read_until, write_all};

#[tokio::test]
async fn a_million_random_bytes_arrive() {
    use std::io::Read as _;
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "stty raw -echo; printf READY; head -c 1000000 | sha256sum";
    let (mut pane, mut tap) = daemon.create(home.sh("in", script)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    let mut bytes = vec![0; 1_000_000];
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    write_all(&pane, &tap, &bytes).await;
    let want: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
    let got = read_all(&mut tap).await;
    assert!(got.starts_with(want.as_bytes()), "{}", String::from_utf8_lossy(&got));
    assert_eq!(exit(&mut pane).await.code, Some(0));
}

#[tokio::test]
async fn what_is_not_read_is_seen_in_the_queue() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let script = "stty raw -echo; printf READY; exec sleep 1000";
    let (pane, mut tap) = daemon.create(home.sh("q", script)).await.unwrap();
    read_until(&mut tap, b"READY").await;
    assert_eq!(pane.input_queue().await.unwrap(), 0);
    let bytes = vec![b'x'; 60_000];
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let n = tap.writer.write(rest).await.unwrap();
        rest = &rest[n..];
    }
    patient("a full queue", async {
        while pane.input_queue().await.unwrap() < 2048 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn typing_into_ending_panes_does_the_server_no_harm() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let rounds = std::env::var("QD_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let generation = daemon.tmux().ensure().await.unwrap().generation;
    for round in 0..rounds {
        let create = home.sh(&format!("t{round}"), "read x");
        let (pane, tap) = daemon.create(create).await.unwrap();
        let writer = tap.writer.clone();
        let typing = async {
            // Ends the program with the first line, and types on until the pane
            // is gone.
            while writer.write(b"typed while it ends\n").await.is_ok() {
                tokio::time::sleep(std::time::Duration::from_micros(200)).await;
            }
        };
        let leaving = async {
            let mut pane = pane;
            exit(&mut pane).await;
            drop(tap);
            pane.leave().await.unwrap();
        };
        patient("the end of a pane", async { tokio::join!(typing, leaving) }).await;
    }
    assert_eq!(daemon.tmux().ensure().await.unwrap().generation, generation);
    assert!(daemon.panes().list().await.unwrap().is_empty());
}
