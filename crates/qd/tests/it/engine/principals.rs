//! Who may do what, and the same thing asked for many times at once.

use serde_json::{Value, json};

use super::http::{over_tcp, over_unix, request};
use super::stage::{Stage, until};

/// Asks over the Unix socket from within a session; gives the status and the body.
fn ask_within(stage: &Stage, id: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let (asked, answer) = (stage.dir().join("asked"), stage.dir().join("answer"));
    let _ = std::fs::remove_file(&answer);
    let bytes = request(
        method,
        path,
        &[("Host", "qd"), ("Content-Type", "application/json")],
        body.as_bytes(),
    );
    std::fs::write(&asked, bytes).unwrap();
    stage.qd(&["send", id, "--enter", "ask"]).well();
    let got = until("an answer", || {
        let text = std::fs::read_to_string(&answer).ok()?;
        text.contains("DONE").then_some(text)
    });
    let got = got.trim_end().trim_end_matches("DONE");
    let (head, body) = got.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{got:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body.trim()).unwrap_or(Value::Null))
}

/// A session that sends what is in the file `asked` to the daemon for each line that it reads,
/// from a process that has left its group and its parent behind.
fn asker(stage: &Stage) -> String {
    let dir = stage.dir().display().to_string();
    let socket = stage.socket().display().to_string();
    let client = format!(
        "import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect('{socket}')\n\
         s.sendall(open('{dir}/asked','rb').read())\nd=b''\n\
         while True:\n b=s.recv(65536)\n if not b: break\n d+=b\n\
         open('{dir}/answer.half','wb').write(d+b'DONE')\n\
         import os\nos.rename('{dir}/answer.half','{dir}/answer')\n"
    );
    std::fs::write(stage.dir().join("ask.py"), client).unwrap();
    stage.run(&format!("echo ready; while read x; do (setsid python3 {dir}/ask.py &) ; done"))
}

#[test]
fn a_process_in_a_session_is_that_session_and_not_the_owner() {
    let stage = Stage::start();
    if stage.home.shell("command -v python3").code != 0 {
        return;
    }
    let (id, other) = (asker(&stage), stage.run("echo secret; sleep 1000"));
    stage.until_line(&other, |line| line == "secret");
    let own = format!("/api/v1/sessions/{id}");
    let theirs = format!("/api/v1/sessions/{other}");
    let (status, view) = ask_within(&stage, &id, "GET", &own, "");
    assert_eq!((status, view["id"].as_str()), (200, Some(id.as_str())));
    assert_eq!(ask_within(&stage, &id, "GET", &format!("{own}/screen"), "").0, 200);
    for (method, path, body) in [
        ("GET", theirs.clone(), ""),
        ("GET", format!("{theirs}/screen"), ""),
        ("GET", format!("{theirs}/logs"), ""),
        ("GET", format!("{theirs}/scrollback"), ""),
        ("GET", format!("{theirs}/diff"), ""),
        ("GET", "/api/v1/sessions/kaaaaaaaaaaa".to_owned(), ""),
        ("GET", "/api/v1/sessions".to_owned(), ""),
        ("GET", "/api/v1/trash".to_owned(), ""),
        ("GET", "/api/v1/events".to_owned(), ""),
        ("GET", "/api/v1/devices".to_owned(), ""),
        ("POST", "/api/v1/login-codes".to_owned(), "{}"),
        ("POST", "/api/v1/stop".to_owned(), "{}"),
        (
            "POST",
            "/api/v1/sessions".to_owned(),
            r#"{"repo":"/tmp","command":["id"],"in_place":true}"#,
        ),
        ("POST", format!("{own}/send"), r#"{"text":"y"}"#),
        ("POST", format!("{own}/keys"), r#"{"keys":["Enter"]}"#),
        ("POST", format!("{own}/resize"), r#"{"cols":50,"rows":20}"#),
        ("POST", format!("{theirs}/send"), r#"{"text":"y"}"#),
        ("DELETE", own.clone(), ""),
        ("DELETE", theirs.clone(), ""),
    ] {
        let (status, problem) = ask_within(&stage, &id, method, &path, body);
        assert_eq!(
            (status, problem["code"].as_str()),
            (403, Some("not_allowed")),
            "{method} {path}"
        );
        assert!(!problem.to_string().contains("secret"));
    }
    assert_eq!(stage.show(&other)["state"], "running");
    // The owner's own shell on the same socket is the owner.
    let list =
        over_unix(&stage.socket(), &request("GET", "/api/v1/sessions", &[("Host", "qd")], b""));
    assert_eq!(list.well().json().as_array().unwrap().len(), 2);
}

#[test]
fn requests_without_the_right_words_are_refused() {
    let stage = Stage::start();
    let address = stage.address();
    let good = format!("Bearer {}", stage.token());
    let origin = format!("http://{address}");
    type Case<'a> = (Vec<(&'a str, &'a str)>, u16, &'static str);
    let cases: Vec<Case<'_>> = vec![
        (vec![("Host", &address)], 401, "token_missing"),
        (vec![("Host", &address), ("Authorization", "Bearer wrong")], 401, "token_wrong"),
        (vec![("Host", &address), ("Authorization", "Basic eDp5")], 401, "token_missing"),
        (vec![("Host", "evil.example"), ("Authorization", &good)], 403, "host_refused"),
        (vec![("Host", "127.0.0.1.evil.example"), ("Authorization", &good)], 403, "host_refused"),
        (vec![("Authorization", &good)], 403, "host_refused"),
        (
            vec![("Host", &address), ("Origin", "null"), ("Authorization", &good)],
            403,
            "origin_refused",
        ),
        (
            vec![("Host", &address), ("Origin", "http://127.0.0.1:1"), ("Authorization", &good)],
            403,
            "origin_refused",
        ),
        (vec![("Host", &address), ("Origin", "https://evil.example")], 403, "origin_refused"),
    ];
    for (headers, status, code) in cases {
        for (method, path) in
            [("GET", "/api/v1/sessions"), ("POST", "/api/v1/sessions"), ("POST", "/api/v1/stop")]
        {
            let answer = over_tcp(&address, &request(method, path, &headers, b""));
            assert_eq!(answer.problem(), (status, code.to_owned()), "{method} {path} {headers:?}");
            assert!(answer.header("access-control-allow-origin").is_none());
            assert!(answer.header("set-cookie").is_none());
        }
    }
    let fine =
        [("Host", address.as_str()), ("Origin", origin.as_str()), ("Authorization", good.as_str())];
    over_tcp(&address, &request("GET", "/api/v1/sessions", &fine, b"")).well();
    over_tcp(&address, &request("GET", "/healthz", &fine[..1], b"")).well();
}

#[test]
fn one_key_makes_one_session_however_often_it_is_asked_for() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let body = json!({"repo": repo, "command": ["cat"], "title": "Once"}).to_string();
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asks: Vec<_> = (0..50)
            .map(|_| {
                scope.spawn(|| {
                    let key = [("Idempotency-Key", "the-same")];
                    stage.ask("POST", "/api/v1/sessions", &key, body.as_bytes())
                })
            })
            .collect();
        asks.into_iter().map(|ask| ask.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (201, &answers[0].body));
    }
    let id = answers[0].json()["id"].as_str().unwrap().to_owned();
    until("it runs", || (stage.show(&id)["state"] == "running").then_some(()));
    assert_eq!(stage.get("/api/v1/sessions").json().as_array().unwrap().len(), 1);
    assert_eq!(stage.traces(&repo).matches("refs/heads/").count(), 2);
    let other = stage.ask("POST", "/api/v1/sessions", &[("Idempotency-Key", "the-same")], b"{}");
    assert_eq!(other.problem(), (409, "idempotency_key_reused".to_owned()));

    // And many deletions are one.
    let path = format!("/api/v1/sessions/{id}");
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asks: Vec<_> =
            (0..50).map(|_| scope.spawn(|| stage.ask("DELETE", &path, &[], b""))).collect();
        asks.into_iter().map(|ask| ask.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(answer.status, 202, "{}", String::from_utf8_lossy(&answer.body));
        assert_eq!(answer.json()["id"], answers[0].json()["id"]);
    }
    stage.until_state(&id, "trashed");
    let log = stage.qd(&["events", "--json"]).well().out;
    assert_eq!(log.matches("\"trashed\"").count(), 1, "{log}");
    assert_eq!(log.matches("\"trash-began\"").count(), 1, "{log}");
    assert_eq!(std::fs::read_dir(stage.root().join("trash")).unwrap().count(), 1);
}
