//! The ways in: who comes by the socket while nothing is settled, what a login link is opened
//! with, and where a daemon may be started.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use super::http::{over_unix, request};
use super::native::Person;
use super::stage::{Stage, until};
use crate::script;

/// Runs Python in a session; the script finds `DIR` and `SOCKET`, and `ask`, which gives the first
/// line of the answer to a request for all sessions.
fn python(stage: &Stage, script: &str) -> Option<String> {
    if stage.home.shell("command -v python3").code != 0 {
        return None;
    }
    let head = format!(
        "import os, socket, sys, time\nDIR = '{}'\nSOCKET = '{}'\n\
         def tell(name, text):\n open(f'{{DIR}}/half', 'w').write(text)\n \
         os.rename(f'{{DIR}}/half', f'{{DIR}}/{{name}}')\n\
         def wait(name):\n \
         while not os.path.exists(f'{{DIR}}/{{name}}'): time.sleep(0.02)\n\
         def ask(s):\n \
         s.sendall(b'GET /api/v1/sessions HTTP/1.1\\r\\nHost: qd\\r\\nConnection: close\\r\\n\\r\\n')\n \
         return s.makefile('rb').readline().decode()\n",
        stage.dir().display(),
        stage.socket().display()
    );
    let file = stage.dir().join("script.py");
    std::fs::write(&file, head + script).unwrap();
    Some(stage.run(&format!("echo ready; exec python3 {}", file.display())))
}

#[track_caller]
fn told(stage: &Stage, name: &str) -> String {
    until(name, || std::fs::read_to_string(stage.dir().join(name)).ok())
}

fn tell(stage: &Stage, name: &str) {
    std::fs::write(stage.dir().join(name), "").unwrap();
}

#[test]
fn a_process_of_a_session_is_not_the_owner_before_the_session_is_joined_again() {
    let mut stage = Stage::start();
    let script = "wait('go')\ns = socket.socket(socket.AF_UNIX)\ns.connect(SOCKET)\n\
                  tell('answer', ask(s))\ntime.sleep(1000)\n";
    let Some(id) = python(&stage, script) else { return };
    stage.until_line(&id, |line| line == "ready");
    let tmux = stage.tmux(&["display-message", "-p", "#{pid}"]).well().out;
    stage.kill();
    // A tmux that does not answer: no session can be joined.
    stage.shell(&format!("kill -STOP {}", tmux.trim()));
    stage.serve();
    tell(&stage, "go");
    let answer = told(&stage, "answer");
    let owner =
        over_unix(&stage.socket(), &request("GET", "/api/v1/sessions", &[("Host", "qd")], b""));
    stage.shell(&format!("kill -CONT {}", tmux.trim()));
    assert!(answer.contains(" 403 "), "{answer}");
    assert_eq!(owner.status, 200, "the owner is let in meanwhile");
}

#[test]
fn whoever_cannot_be_looked_at_any_more_is_not_the_owner() {
    let stage = Stage::start();
    // The process that connects has ended and was waited for before the daemon accepts.
    let script = "wait('go')\ns = socket.socket(socket.AF_UNIX)\nchild = os.fork()\n\
                  if child == 0:\n s.connect(SOCKET)\n os._exit(0)\n\
                  os.waitpid(child, 0)\ntell('connected', '')\ntell('answer', ask(s))\n\
                  time.sleep(1000)\n";
    let Some(id) = python(&stage, script) else { return };
    stage.until_line(&id, |line| line == "ready");
    stage.shell(&format!("kill -STOP {}", stage.pid()));
    tell(&stage, "go");
    told(&stage, "connected");
    stage.shell(&format!("kill -CONT {}", stage.pid()));
    let answer = told(&stage, "answer");
    assert!(answer.contains(" 403 "), "{answer}");
}

#[test]
fn what_a_session_leaves_behind_is_not_the_owner() {
    let stage = Stage::start();
    // A child that outlives the program: it is asked to end, and asks the daemon instead.
    let script = "import signal\ndef asked(*_):\n s = socket.socket(socket.AF_UNIX)\n \
                  s.connect(SOCKET)\n time.sleep(0.3)\n tell('answer', ask(s))\n\
                  if os.fork() == 0:\n os.setsid()\n signal.signal(signal.SIGTERM, asked)\n \
                  signal.signal(signal.SIGHUP, signal.SIG_IGN)\n tell('there', '')\n \
                  time.sleep(1000)\nwait('there')\n";
    if python(&stage, script).is_none() {
        return;
    }
    let answer = told(&stage, "answer");
    assert!(answer.contains(" 403 "), "{answer}");
}

#[test]
fn no_daemon_is_started_inside_a_session() {
    let mut stage = Stage::start();
    let qd = env!("CARGO_BIN_EXE_qd");
    let dir = stage.dir().display().to_string();
    let id = stage.run(&format!(
        "echo ready; while [ ! -e {dir}/go ]; do sleep 0.05; done\n\
         {qd} new --json --command true >{dir}/new; echo $? >>{dir}/new\n\
         env -u QD_SESSION {qd} serve --json --listen 127.0.0.1:0 >{dir}/serve; echo $? >>{dir}/serve\n\
         touch {dir}/done; sleep 1000"
    ));
    stage.until_line(&id, |line| line == "ready");
    stage.stop();
    tell(&stage, "go");
    told(&stage, "done");
    for name in ["new", "serve"] {
        let said = told(&stage, name);
        let (error, code) = said.trim_end().rsplit_once('\n').unwrap();
        let error: Value = serde_json::from_str(error).unwrap();
        assert_eq!((error["error"]["code"].as_str(), code), (Some("not_allowed"), "4"), "{said}");
    }
    stage.serve();
    stage.until_state(&id, "running");
}

#[test]
fn the_login_link_is_in_no_argument_of_the_browser() {
    let fake = tempfile::Builder::new().prefix("qd-open-").tempdir_in("/tmp").unwrap();
    let opened = fake.path().join("opened");
    let opener = fake.path().join("xdg-open");
    let script = format!(
        "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/cmdline >{0}.half\nmv {0}.half {0}\n",
        opened.display()
    );
    script::program(&opener, &script);
    let path = format!("{}:{}", fake.path().display(), std::env::var("PATH").unwrap());
    let stage = Stage::with(&[("PATH", &path), ("DISPLAY", ":77")]);
    let mut person = Person::attach(&stage, &[], 200, 30);
    assert_eq!(person.ends(), Some(0));
    let arguments = until("the browser", || std::fs::read_to_string(&opened).ok());
    let address = arguments.lines().last().unwrap();
    let file = Path::new(address.strip_prefix("file://").unwrap_or_else(|| panic!("{arguments}")));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let page = std::fs::read_to_string(file).unwrap();
    let code = page.split("/login#").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(code.len() >= 32 && !arguments.contains(&code), "{arguments}");
    // Once the code is used, nothing is left of it.
    stage.post("/api/v1/login", &json!({"code": code, "device": "browser"})).well();
    assert!(!file.exists());
}

#[test]
fn a_device_is_listed_and_its_right_taken_away() {
    let stage = Stage::start();
    assert_eq!(stage.qd(&["devices", "--json"]).well().json(), json!([]));
    let token = stage.device_token("phone");
    let list = stage.qd(&["devices", "--json"]).well().json();
    let id = list[0]["id"].as_str().unwrap().to_owned();
    assert!(stage.qd(&["devices"]).well().out.contains("phone"));
    stage.qd(&["devices", "revoke", &id]).well();
    assert_eq!(stage.qd(&["devices", "--json"]).well().json(), json!([]));
    let bearer = format!("Bearer {token}");
    let refused = super::http::over_tcp(
        &stage.address(),
        &request(
            "GET",
            "/api/v1/sessions",
            &[("Host", &stage.address()), ("Authorization", &bearer)],
            b"",
        ),
    );
    assert_eq!(refused.problem(), (401, "token_wrong".to_owned()));
    let said = stage.qd(&["devices", "revoke", &id, "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("unknown_device", 3));
}

#[test]
fn the_words_after_two_dashes_are_run_as_they_are() {
    let stage = Stage::start();
    let folder = stage.dir().join("work");
    std::fs::create_dir(&folder).unwrap();
    let args = ["new", "--json", "--in-place", "--repo", folder.to_str().unwrap(), "--wait"];
    let words = ["exited", "--timeout", "60", "--", "printf", "<%s>", "a b", "", "$HOME"];
    let made = stage.qd(&[&args[..], &words].concat()).well().json();
    let id = made["id"].as_str().unwrap();
    stage.until_line(id, |line| line == "<a b><><$HOME>");
}

#[test]
fn an_operation_of_a_session_that_never_was_is_not_done() {
    let stage = Stage::start();
    let answer = stage.get("/api/v1/operations/kaaaaaaaaaaa-purge");
    assert_eq!(answer.problem(), (404, "unknown_operation".to_owned()));
    let id = stage.run("true");
    stage.qd(&["rm", &id]).well();
    stage.qd(&["purge", &id, "--yes"]).well();
    let answer = stage.get(&format!("/api/v1/operations/{id}-purge")).well().json();
    assert_eq!(answer["state"], "done");
}

#[test]
fn a_purge_leaves_nothing_of_what_the_session_was_given() {
    let mut stage = Stage::start();
    let folder = stage.dir().join("work");
    std::fs::create_dir(&folder).unwrap();
    let body = json!({
        "repo": folder, "in_place": true, "title": "Plans of hunter2",
        "command": ["sh", "-c", "sleep 1000", "the prompt: hunter2"],
        "env": {"API_KEY": "hunter2"},
    });
    let key = [("Idempotency-Key", "one")];
    let made = stage.ask("POST", "/api/v1/sessions", &key, body.to_string().as_bytes());
    let id = made.well().json()["id"].as_str().unwrap().to_owned();
    stage.until_state(&id, "running");
    assert!(stage.qd(&["events", "--json"]).well().out.contains("hunter2"));
    stage.qd(&["rm", &id]).well();
    stage.qd(&["purge", &id, "--yes"]).well();
    let events = stage.qd(&["events", "--json"]).well().out;
    assert!(events.contains("\"purged\"") && !events.contains("hunter2"), "{events}");
    stage.stop();
    let found = stage.shell(&format!("grep -rl hunter2 '{}' || true", stage.root().display()));
    assert_eq!(found, "");
    stage.serve();
}

#[test]
fn a_port_that_is_taken_is_said_before_anything_is_opened() {
    let home = crate::program::Home::new();
    // Opening this would be told of instead.
    std::fs::write(home.path().join("quarterdeck.db"), "no database").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = home.qd(&["serve", "--listen", &address, "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("port_taken", 4));
    assert!(!home.path().join("qd.sock").exists());
}

#[test]
fn a_second_daemon_does_not_lead_clients_away_from_the_first() {
    let stage = Stage::start();
    // A home with a long name has its sockets in the runtime directory.
    let home = stage.dir().join("h".repeat(100));
    let runtime = ["one", "two"].map(|name| stage.dir().join(name));
    for folder in &runtime {
        std::fs::create_dir(folder).unwrap();
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    let qd = |runtime: &Path, args: &[&str]| -> crate::program::Said {
        let mut command = stage.command(args);
        command.env("QD_HOME", &home).env("XDG_RUNTIME_DIR", runtime).output().unwrap().into()
    };
    let serve = ["serve", "--detach", "--listen", "127.0.0.1:0", "--json"];
    let first = qd(&runtime[0], &serve).well().json();
    let second = qd(&runtime[1], &serve);
    let list = qd(&runtime[1], &["ls", "--json"]);
    // By its number: were clients led away, none could ask it to stop.
    stage.shell(&format!("kill {}", first["pid"]));
    let socket = first["socket"].as_str().unwrap();
    assert!(Path::new(socket).starts_with(&runtime[0]), "{socket}");
    assert_eq!((second.error().as_str(), second.code), ("home_in_use", 4));
    list.well();
    until("the end", || (!Path::new(socket).exists()).then_some(()));
}
