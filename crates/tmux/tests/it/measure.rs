//! Figures, for people: `cargo test -p qd-tmux --release -- --ignored --nocapture measure`.
//! Nothing is asserted about time.

use std::time::Instant;

use qd_tmux::control::Command;
use qd_tmux::pane::TapRead;

use crate::support::{Home, read_until};

#[tokio::test]
#[ignore = "prints figures"]
async fn measure() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let tmux = daemon.tmux();

    let mut times = Vec::new();
    for i in 0..30 {
        let start = Instant::now();
        let (pane, tap) = daemon.create(home.sh(&format!("m{i}"), "sleep 1000")).await.unwrap();
        times.push(start.elapsed());
        drop(tap);
        pane.kill().await.unwrap();
    }
    show("create a pane", &mut times);

    let mut times = Vec::new();
    for i in 0..30 {
        let name = format!("plain{i}");
        let start = Instant::now();
        home.tmux(&["new-session", "-d", "-s", &name, "--", "sleep", "1000"]);
        times.push(start.elapsed());
        home.tmux(&["kill-session", "-t", &name]);
    }
    show("`tmux new-session` by a process", &mut times);

    let mut times = Vec::new();
    for _ in 0..500 {
        let start = Instant::now();
        tmux.command(Command::new("display-message").args(["-p", "x"])).await.unwrap();
        times.push(start.elapsed());
    }
    show("a command down the connection", &mut times);

    let (_pane, mut tap) =
        daemon.create(home.sh("echo", "stty raw -echo; printf READY; exec cat")).await.unwrap();
    read_until(&mut tap, b"READY").await;
    let mut times = Vec::new();
    for _ in 0..1000 {
        let start = Instant::now();
        tap.writer.write(b"k").await.unwrap();
        let TapRead::Bytes(echo) = tap.reader.read().await else { panic!("no echo") };
        tap.reader.taken(echo.len());
        times.push(start.elapsed());
    }
    show("a key to its echo by cat", &mut times);

    let text = "\x1b[31mred \x1b[0mplain words of some length, as a build prints them\r\n";
    std::fs::write(home.path().join("text"), text.repeat(20_000_000 / text.len())).unwrap();
    let script = "stty raw; read x; cat text; printf '@END'; read x";
    for round in 0..3 {
        let (_pane, mut tap) =
            daemon.create(home.sh(&format!("thru{round}"), script)).await.unwrap();
        let start = Instant::now();
        tap.writer.write(b"\n").await.unwrap();
        let mut bytes = 0;
        let mut tail = Vec::new();
        while !tail.ends_with(b"@END") {
            if let TapRead::Bytes(chunk) = tap.reader.read().await {
                tap.reader.taken(chunk.len());
                bytes += chunk.len();
                tail.extend_from_slice(&chunk);
                tail.drain(..tail.len().saturating_sub(4));
            }
        }
        let took = start.elapsed();
        println!(
            "tap: {bytes} bytes in {took:?}, {:.1} MB/s",
            bytes as f64 / 1e6 / took.as_secs_f64()
        );
    }
    for round in 0..3 {
        let name = format!("cat{round}");
        let out = home.path().join(format!("out{round}"));
        let script = format!("cd {}; {script}", home.path().display());
        home.tmux(&["new-session", "-d", "-s", &name, "--", "sh", "-c", &script]);
        let pipe = format!("exec cat > {}", out.display());
        home.tmux(&["pipe-pane", "-t", &name, &pipe]);
        let start = Instant::now();
        home.tmux(&["send-keys", "-t", &name, "C-j"]);
        crate::support::until("all is there", || {
            std::fs::metadata(&out).is_ok_and(|m| m.len() >= 20_000_000 - 100)
                && std::fs::read(&out).is_ok_and(|b| b.ends_with(b"@END"))
        })
        .await;
        let took = start.elapsed();
        println!("pipe-pane to cat: in {took:?}, {:.1} MB/s", 20.0 / took.as_secs_f64());
    }

    let init = std::fs::read_to_string(format!("/proc/{}/status", _pane.init_pid)).unwrap();
    for line in init.lines().filter(|l| l.starts_with("VmRSS") || l.starts_with("RssAnon")) {
        println!("an init: {line}");
    }
}

fn show(what: &str, times: &mut [std::time::Duration]) {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!("{what}: median {:?}, p99 {:?}", at(0.5), at(0.99));
}
