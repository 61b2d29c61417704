//! Panes are born whole, or not at all.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use qd_tmux::pane::PaneEvent;
use qd_tmux::{Error, SessionKey};

use crate::support::{Home, exit, patient, read_all, until};

#[tokio::test]
async fn the_first_byte_is_there_and_the_code_is_told() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, mut tap) = daemon.create(home.sh("a1", "printf first; exit 7")).await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(7));
    assert_eq!(read_all(&mut tap).await, b"first");
    drop(tap);
    pane.leave().await.unwrap();
    assert!(daemon.panes().list().await.unwrap().is_empty());
    assert!(!home.path().join("panes/a1.json").exists());
    assert!(!home.path().join("p-a1").exists());
}

#[tokio::test]
async fn much_output_and_an_end_at_once_loses_nothing() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let rounds = std::env::var("QD_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    for round in 0..rounds {
        let script = "stty raw; head -c 185000 /dev/zero | tr '\\0' x; printf END; exit 3";
        let (mut pane, mut tap) =
            daemon.create(home.sh(&format!("r{round}"), script)).await.unwrap();
        let got = read_all(&mut tap).await;
        assert_eq!(got.len(), 185_003, "round {round}");
        assert!(got.ends_with(b"xEND"), "round {round}");
        assert_eq!(exit(&mut pane).await.code, Some(3), "round {round}");
        drop(tap);
        pane.leave().await.unwrap();
    }
}

#[tokio::test]
async fn a_signal_is_told_as_a_signal() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, _tap) = daemon.create(home.sh("s", "kill -KILL $$")).await.unwrap();
    let exit = exit(&mut pane).await;
    assert_eq!((exit.code, exit.signal), (None, Some(9)));
}

#[tokio::test]
async fn what_cannot_be_run_says_why_and_leaves_nothing() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let plain = home.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    let mut nowhere = home.sh("n3", "true");
    nowhere.cwd = home.path().join("no such directory");
    let cases = [
        (home.pane("n1", ["/no/such program"]), 2, "/no/such program"),
        (home.pane("n2", [plain.to_str().unwrap()]), 13, "plain"),
        (nowhere, 2, "no such directory"),
    ];
    for (create, want, words) in cases {
        let key = create.key.clone();
        match daemon.create(create).await {
            Err(Error::SpawnFailed { errno, message, .. }) => {
                assert_eq!(errno, want, "{message}");
                assert!(message.contains(words), "{message}");
            }
            other => panic!("{other:?}"),
        }
        let spec = home.path().join(format!("panes/{key}.json"));
        until("the files are gone", || !spec.exists()).await;
    }
    let panes = daemon.panes();
    patient("the panes are gone", async {
        while !panes.list().await.unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn two_of_one_key_are_one() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (_pane, _tap) = daemon.create(home.sh("twin", "sleep 1000")).await.unwrap();
    assert!(daemon.create(home.sh("twin", "true")).await.is_err());
    // The same, without the spec file that stands in the way first.
    std::fs::rename(home.path().join("panes/twin.json"), home.path().join("kept")).unwrap();
    match daemon.create(home.sh("twin", "true")).await {
        Err(Error::Refused { message, .. }) => assert!(message.contains("duplicate"), "{message}"),
        other => panic!("{other:?}"),
    }
    until("the second's files are gone", || !home.path().join("panes/twin.json").exists()).await;
    // The first lives.
    assert_eq!(daemon.panes().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_creation_given_up_at_any_moment_leaves_nothing() {
    let home = Home::new();
    let daemon = home.daemon().await;
    for step in 0..25_u64 {
        let create = home.sh(&format!("c{step}"), "sleep 1000");
        let panes = daemon.panes();
        let limit = std::time::Duration::from_micros(step * step * 100);
        let made = tokio::time::timeout(limit, panes.create(create)).await;
        // One that was quick enough is a pane, and is killed by its owner.
        if let Ok(made) = made {
            let (pane, tap) = made.unwrap();
            drop(tap);
            pane.kill().await.unwrap();
        }
    }
    let panes = daemon.panes();
    let deadline = std::time::Instant::now() + crate::support::PATIENCE;
    loop {
        let files: Vec<_> = std::fs::read_dir(home.path().join("panes"))
            .unwrap()
            .flatten()
            .map(|e| e.file_name())
            .collect();
        let left = panes.list().await.unwrap();
        if files.is_empty() && left.is_empty() {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "left: {files:?} {left:?}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn every_odd_byte_arrives_in_arguments_environment_and_directory() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let odd = b" '\"\\$HOME `x` ;{}~ #{pid} #[fg=red] ## %H%% \t\n\r\x1b\xff\xc3\xa9 -x ".to_vec();
    let odd = OsString::from_vec(odd);
    let dir = home.path().join(&odd);
    std::fs::create_dir(&dir).unwrap();
    let all = OsString::from_vec((1..=255).collect());
    let out = home.path().join("out");
    let script = r#"stty raw; printf '%s\0' "$1" "$2" "$ODD" "$ALL" "$(pwd; echo .)" > "$0""#;
    let mut create = home.sh("odd", script);
    create.argv.push(out.clone().into());
    create.argv.extend([odd.clone(), OsString::from("-n")]);
    create.env = vec![("ODD".into(), odd.clone()), ("ALL".into(), all.clone())];
    create.cwd = dir.clone();
    create.title = "a #{pid} #[x] ## %H 'q' \"d\" ; $HOME ~ é".into();
    let (mut pane, _tap) = daemon.create(create).await.unwrap();
    assert_eq!(exit(&mut pane).await.code, Some(0));
    let got = std::fs::read(&out).unwrap();
    let words: Vec<&[u8]> = got.split(|b| *b == 0).collect();
    let bytes = |s: &OsString| s.clone().into_vec();
    assert_eq!(words[0], bytes(&odd));
    assert_eq!(words[1], b"-n");
    assert_eq!(words[2], bytes(&odd));
    assert_eq!(words[3], bytes(&all));
    assert_eq!(words[4], [bytes(&dir.into()), b"\n.".to_vec()].concat());
    let shown = home.tmux(&["list-windows", "-t", "=qd-odd", "-F", "#{window_name}"]);
    // 3.4 alone shows a `$` before a name as `\$`.
    let shown = shown.replace("\\$HOME", "$HOME");
    assert_eq!(shown, "a #{pid} #[x] ## %H 'q' \"d\" ; $HOME ~ é\n");
}

#[tokio::test]
async fn the_environment_is_what_was_asked_for() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let mut create = home.pane("env", ["env"]);
    create.inherit_env = false;
    create.env = vec![("A".into(), "1".into()), ("PATH".into(), "/usr/bin:/bin".into())];
    create.env_remove = vec!["TMUX_PANE".into()];
    let (_pane, mut tap) = daemon.create(create).await.unwrap();
    let got = String::from_utf8(read_all(&mut tap).await).unwrap();
    let mut names: Vec<_> = got.lines().filter_map(|l| l.split_once('=').map(|(n, _)| n)).collect();
    names.sort_unstable();
    let want = ["A", "PATH", "PWD", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX"];
    assert_eq!(names, want, "{got}");
}

#[tokio::test]
async fn no_signal_is_blocked_or_ignored_by_us() {
    let home = Home::new();
    // As under `nohup`, or a shell without job control.
    let mut config = home.config();
    config.launcher = ["sh", "-c", "trap '' HUP INT QUIT TSTP TTIN TTOU USR1; exec \"$@\"", "x"]
        .map(Into::into)
        .to_vec();
    let server = qd_tmux::server::TmuxServer::new(config).unwrap();
    server.handle().ensure().await.unwrap();
    let daemon = home.daemon().await;
    let create = home.pane("sig", ["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]);
    let (_pane, mut tap) = daemon.create(create).await.unwrap();
    let got = String::from_utf8(read_all(&mut tap).await).unwrap();
    let sets: Vec<u64> = got
        .lines()
        .map(|line| u64::from_str_radix(line.split_once('\t').unwrap().1.trim(), 16).unwrap())
        // Those above belong to the C library.
        .map(|set| set & 0x7fff_ffff)
        .collect();
    assert_eq!(sets, [0, 0], "{got}");
}

#[tokio::test]
async fn an_init_that_does_not_come_is_an_error_soon() {
    let home = Home::new();
    let server = home.daemon().await;
    std::fs::create_dir(home.path().join("other")).unwrap();
    let mut config = home.host_config();
    config.runtime_dir = home.path().join("other");
    config.qd = "/bin/false".into();
    let host = qd_tmux::pane::PaneHost::new(config, server.tmux()).unwrap();
    match patient("an error", host.panes().create(home.sh("x", "true"))).await {
        Err(Error::InitFailed { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_ends_at_once_is_a_pane_all_the_same() {
    let home = Home::new();
    let daemon = home.daemon().await;
    let (mut pane, _tap) = daemon.create(home.pane("t", ["true"])).await.unwrap();
    assert_eq!(pane.key, SessionKey::new("t").unwrap());
    // `create` may have taken the word of its end for its start; it is told again.
    let event = patient("an event", pane.next_event()).await;
    assert!(matches!(event, Some(PaneEvent::Exited(_))), "{event:?}");
}
