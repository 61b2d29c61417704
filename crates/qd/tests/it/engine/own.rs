//! Agents that a person describes in a file.

use serde_json::json;

use super::stage::Stage;

/// A program that says how it was called, and stays.
const MINE: &str = "#!/bin/sh\necho \"called with: $*\"\nexec sleep 1000\n";

#[test]
fn an_agent_of_the_persons_own_is_started_and_goes_on() {
    let stage = Stage::start();
    let program = stage.dir().join("mine");
    std::fs::write(&program, MINE).unwrap();
    stage.shell("chmod +x mine; mkdir -p qd/agents");
    let text = format!(
        "program = \"{}\"\nargs = [\"--tui\"]\nprompt = \"last\"\nbegin = [\"--begin={{id}}\"]\n\
         resume = [\"--go-on={{id}}\"]\nfork = [\"--copy={{id}}\", \"--begin={{new}}\"]\n",
        program.display()
    );
    std::fs::write(stage.root().join("agents/mine.toml"), text).unwrap();
    let repo = stage.repo("r");
    let made = stage.new_session(json!({"repo": repo, "agent": "mine", "prompt": "do it"}));
    assert!(made["problem"].is_null(), "{made}");
    let id = made["id"].as_str().unwrap();
    let conversation = made["conversation"].as_str().unwrap();
    let called = format!("called with: --tui --begin={conversation} -- do it");
    stage.until_line(id, |line| line == called);
    stage.qd(&["restart", id]).well();
    let called = format!("called with: --tui --go-on={conversation}");
    stage.until_line(id, |line| line == called);
    let fork = stage.qd(&["fork", id, "--json"]).well().json();
    let new = fork["conversation"].as_str().unwrap();
    assert_ne!(new, conversation);
    let called = format!("called with: --tui --copy={conversation} --begin={new}");
    stage.until_line(fork["id"].as_str().unwrap(), |line| line == called);
}

#[test]
fn a_file_that_is_wrong_is_told_where_it_is_asked_for() {
    let stage = Stage::start();
    stage.shell("mkdir -p qd/agents; printf 'program = \"x\"\\nresum = 1\\n' > qd/agents/bad.toml");
    let said = stage.qd(&["new", "--agent", "bad", "--json"]);
    assert_eq!(said.error(), "field_invalid");
    assert!(said.out.contains("bad.toml, line 2, column 1"), "{said:?}");
    let listed = stage.get("/api/v1/agents").well().json();
    let bad = listed.as_array().unwrap().iter().find(|agent| agent["name"] == "bad").unwrap();
    assert!(bad["problem"].as_str().unwrap().contains("line 2"), "{bad}");
    let checks = stage.qd(&["doctor", "--json"]).json();
    let told = checks["checks"].as_array().unwrap().iter().find(|c| c["name"] == "bad").unwrap();
    assert_eq!(told["state"], "warning");
}
