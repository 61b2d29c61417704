//! A new daemon takes over from an old one; sessions, viewers and data notice as little as can be.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::restart::{numbers, steady};
use super::socket::Viewer;
use super::stage::{PATIENCE, Stage, until};

/// The program at another path, as after an upgrade.
fn copy(stage: &Stage, name: &str) -> PathBuf {
    let path = stage.dir().join(name);
    let program = stage.command(&[]).get_program().to_owned();
    // By a process of its own: see `script::program`.
    stage.shell(&format!("cp '{}' '{}'", program.display(), path.display()));
    path
}

/// Takes the database back to the schema before the last, as an older version would have left it.
/// The daemon that runs does not notice: it reads the schema's version at its start only.
fn age(stage: &Stage) -> Connection {
    let conn = Connection::open(stage.root().join("quarterdeck.db")).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE; DROP TABLE programs; PRAGMA user_version = 1; COMMIT;")
        .unwrap();
    conn
}

fn schema(stage: &Stage) -> i64 {
    let conn = Connection::open(stage.root().join("quarterdeck.db")).unwrap();
    conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// Has another program take over, and gives what it says.
#[track_caller]
fn replace(stage: &Stage, program: &Path) -> Value {
    let (program, root) = (program.display(), stage.root());
    let line = format!("'{program}' --home '{}' serve --replace --detach --json", root.display());
    serde_json::from_str(&stage.shell(&line)).unwrap()
}

/// A process and when it was started.
fn process(stage: &Stage, mark: &str) -> (String, String) {
    let path = stage.dir().join(mark);
    let pid = until("the program", || {
        std::fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n'))
    });
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap();
    let start = stat.rsplit(')').next().unwrap().split(' ').nth(20).unwrap().to_owned();
    (pid.trim().to_owned(), start)
}

#[test]
fn a_new_daemon_takes_over_twice_across_a_migration_and_nobody_misses_a_byte() {
    let mut stage = Stage::start();
    let script = format!("echo $$ > {}/one; {}", stage.dir().display(), steady(&stage));
    let id = stage.run(&script);
    stage.run(&format!("trap '' HUP TERM; echo $$ > {}/two; sleep 1000; :", stage.dir().display()));
    let before = (process(&stage, "one"), process(&stage, "two"));
    let (address, pid) = (stage.address(), stage.pid());

    let mut viewer = Viewer::open(&stage, &id);
    viewer.until("a start", |viewer| viewer.resyncs == ["resized"] && viewer.snapshots == 2);
    viewer.bytes.clear();
    let start = viewer.next;
    let mut bytes = vec![];
    let mut pids = vec![u64::from(pid)];
    for round in 1..=2 {
        viewer.until("some lines", |viewer| viewer.bytes.len() > 10_000);
        drop(age(&stage));
        let program = copy(&stage, &format!("qd-{round}"));
        let serving = replace(&stage, &program);
        pids.push(serving["pid"].as_u64().unwrap());
        let exe = std::fs::read_link(format!("/proc/{}/exe", serving["pid"])).unwrap();
        assert_eq!(exe, program);
        // Where it was before, so that pages find it.
        assert_eq!(serving["url"], format!("http://{address}"), "{serving}");
        assert_eq!(schema(&stage), 2);
        let copies = std::fs::read_dir(stage.root().join("backups")).unwrap().count();
        assert_eq!(copies, round, "the database was copied before it was migrated");
        viewer.until("a close", |viewer| viewer.closed.is_some());
        assert_eq!(viewer.closed, Some(1001));
        bytes.extend_from_slice(&viewer.bytes);
        let how = json!({"from": viewer.next, "cols": 80, "rows": 24});
        viewer = Viewer::attach(&stage, &stage.token(), &id, how);
        viewer.until("more", |viewer| viewer.bytes.len() > 10_000 || viewer.snapshots > 0);
        assert_eq!((viewer.resumes, viewer.snapshots), (1, 0), "resumed, and not drawn anew");
    }
    stage.ended(PATIENCE);
    std::fs::remove_file(stage.dir().join("go")).unwrap();
    viewer.until("the end", |viewer| viewer.bytes.ends_with(b"the-end\n"));
    bytes.extend_from_slice(&viewer.bytes);
    assert_eq!(bytes.len() as u64, viewer.next - start);
    numbers(&bytes);
    let after = (process(&stage, "one"), process(&stage, "two"));
    assert_eq!(before, after, "the programs are the same processes");
    pids.dedup();
    assert_eq!(pids.len(), 3, "three daemons: {pids:?}");
    // A link that the person asks for now leads to the last one.
    let said = stage.qd(&["--json"]).well().json();
    assert_eq!(said["pid"], *pids.last().unwrap());
    stage.qd(&["stop", "--sessions"]).well();
}

#[test]
fn a_daemon_is_not_given_up_for_one_that_cannot_read_its_database() {
    let stage = Stage::start();
    let id = stage.run("echo here; sleep 1000");
    let conn = Connection::open(stage.root().join("quarterdeck.db")).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    let said = stage.qd(&["serve", "--replace", "--detach", "--json"]);
    assert_eq!(said.error(), "store_newer");
    let message = said.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(env!("CARGO_PKG_VERSION")), "it names the version: {message}");
    assert_eq!(stage.show(&id)["state"], "running", "the old one answers");
    conn.pragma_update(None, "user_version", 2).unwrap();
}

#[test]
fn without_a_word_a_daemon_is_not_replaced_and_without_a_daemon_one_is_started() {
    let mut stage = Stage::start();
    let said = stage.qd(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!(said.error(), "home_in_use");
    stage.stop();
    let args = ["serve", "--replace", "--detach", "--listen", "127.0.0.1:0", "--json"];
    let serving = stage.qd(&args).well().json();
    assert!(serving["pid"].is_u64(), "{serving}");
    stage.qd(&["stop"]).well();
}
