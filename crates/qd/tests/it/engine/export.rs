//! All that there is of a session, in files.

use serde_json::{Value, json};

use super::stage::Stage;

const GIT: &str = "git -c user.name=n -c user.email=e";

/// Whether the patch of an export makes the same files of the base as the worktree has.
fn applies(stage: &Stage, export: &str, id: &str, like: &str) {
    stage.shell(&format!(
        "rm -rf again && git clone -q repo again && cd again && git checkout -q main && \
         tar -xf ../{export} --strip-components=1 -C .. {id}/changes.patch && \
         git apply --index ../changes.patch && rm ../changes.patch && \
         diff -r --no-dereference -x .git -x 'ignored*' . '{like}'"
    ));
}

#[test]
fn an_export_has_history_changes_and_events_also_from_the_trash() {
    let stage = Stage::start();
    let repo = stage.repo("repo");
    let script = "printf '\\033[31mred\\033[m\\n'; seq 1 500; exec cat";
    let view = stage
        .new_session(json!({"repo": repo, "command": ["sh", "-c", script], "title": "Work / ☃"}));
    let id = view["id"].as_str().unwrap().to_owned();
    let at = view["worktree"].as_str().unwrap();
    stage.until_line(&id, |line| line == "500");
    stage.shell(&format!(
        "cd '{at}' && echo committed > c && git add c && {GIT} commit -q -m work && \
         echo staged > s && git add s && echo unstaged >> a && mkdir -p new/deep && \
         printf 'no newline' > new/deep/u && head -c 70000 /dev/urandom > binary && \
         ln -s nowhere link && echo run > tool && chmod 755 tool && : > nothing && \
         printf 'caf\\351\\n' > latin1 && echo x > 'with \"quotes\" and space' && echo x > ignored.log"
    ));
    let said = stage.qd(&["export", &id, "--json"]).well().json();
    let name = format!("{id}.tar");
    assert_eq!(said["file"], name.as_str());
    assert_eq!(said["notes"], json!([]), "{said}");
    let listed = stage.shell(&format!("tar -tf {name}"));
    for file in ["session.json", "history.txt", "history.ansi", "output.raw", "events.jsonl"] {
        assert!(listed.lines().any(|line| line == format!("{id}/{file}")), "{file}: {listed}");
    }
    applies(&stage, &name, &id, at);
    let history = stage.shell(&format!("tar -xOf {name} {id}/history.txt"));
    let wanted: String = (1..=500).map(|n| format!("{n}\n")).collect();
    assert_eq!(history, format!("red\n{wanted}"));
    let coloured = stage.shell(&format!("tar -xOf {name} {id}/history.ansi"));
    assert!(coloured.contains("\x1b[31mred"), "{:?}", &coloured[..200.min(coloured.len())]);
    let events = stage.shell(&format!("tar -xOf {name} {id}/events.jsonl"));
    let events: Vec<Value> = events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(events.len() > 3 && events.iter().all(|event| event["session"] == id.as_str()));
    let session = stage.shell(&format!("tar -xOf {name} {id}/session.json"));
    assert_eq!(serde_json::from_str::<Value>(&session).unwrap()["title"], "Work / ☃");

    // Not over what is there, unless asked to.
    assert_eq!(stage.qd(&["export", &id, "--json"]).error(), "path_taken");
    stage.qd(&["export", &id, "--force"]).well();
    // Into a folder, and through a pipe.
    stage.qd(&["export", &id, "out/"]).well();
    assert_eq!(std::fs::read_to_string(stage.dir().join("out/history.txt")).unwrap(), history);
    let program = stage.command(&[]).get_program().to_str().unwrap().to_owned();
    let home = stage.root();
    let piped = format!("'{program}' --home '{}' export {id} - | tar -tf -", home.display());
    assert_eq!(stage.shell(&piped), listed);

    stage.shell(&format!("cp -a '{at}' before"));
    stage.post(&format!("/api/v1/sessions/{id}/pause"), &json!({}));
    stage.until_state(&id, "paused");
    stage.qd(&["export", &id, "paused.tar"]).well();
    applies(&stage, "paused.tar", &id, &format!("{}/before", stage.dir().display()));
    stage.qd(&["rm", &id]).well();
    stage.until_state(&id, "trashed");
    stage.qd(&["export", &id, "trashed.tar"]).well();
    applies(&stage, "trashed.tar", &id, &format!("{}/before", stage.dir().display()));
    assert_eq!(stage.shell(&format!("tar -xOf trashed.tar {id}/history.txt")), history);
}

#[test]
fn a_session_in_a_plain_folder_has_no_changes_to_export() {
    let stage = Stage::start();
    let id = stage.run("echo hello; sleep 1000");
    stage.until_line(&id, |line| line == "hello");
    let said = stage.qd(&["export", &id, "x.tar", "--json"]).well().json();
    assert!(said["notes"][0].as_str().unwrap().contains("changes.patch"), "{said}");
    assert_eq!(stage.shell(&format!("tar -xOf x.tar {id}/history.txt")), "hello\n");
    assert_eq!(stage.qd(&["export", "nobody", "y.tar", "--json"]).error(), "unknown_session");
    assert_eq!(stage.qd(&["export", &id, "no/such/x.tar", "--json"]).error(), "path_missing");
    assert!(!stage.dir().join("y.tar").exists());
}
