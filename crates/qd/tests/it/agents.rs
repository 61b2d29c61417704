//! The real agents, each in a home of its own, against a scripted model on loopback.
//!
//! They are left out of the usual run: `make test-agents` fetches the agents and runs these.

mod lab;

use std::path::Path;

use serde_json::json;

use self::lab::{Dialog, Lab, Seed};

/// What Claude Code is to find in its home, so that it begins with its prompt.
fn claude(lab: &Seed<'_>) -> Vec<(&'static str, String)> {
    let known = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": ["test-key"], "rejected": []},
        "projects": {lab.folder.to_str().unwrap(): {"hasTrustDialogAccepted": true}},
    });
    lab.write(".claude.json", &known.to_string());
    let settings = json!({"permissions": {"defaultMode": "default"}});
    lab.write("w/.claude/settings.local.json", &settings.to_string());
    vec![
        ("ANTHROPIC_BASE_URL", lab.model.to_owned()),
        ("ANTHROPIC_API_KEY", "test-key".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("IS_SANDBOX", "1".to_owned()),
    ]
}

const CLAUDE: Dialog = Dialog { asks: "Do you want to proceed?", allow: "1", refuse: "Escape" };

/// What Codex is to find.
fn codex(lab: &Seed<'_>) -> Vec<(&'static str, String)> {
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"local\"\napproval_policy = \"on-request\"\n\
         sandbox_mode = \"workspace-write\"\ncheck_for_update_on_startup = false\n\
         [model_providers.local]\nname = \"local\"\nbase_url = \"{}/v1\"\n\
         env_key = \"LOCAL_KEY\"\nwire_api = \"responses\"\n[analytics]\nenabled = false\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        lab.model,
        lab.folder.display()
    );
    lab.write(".codex/config.toml", &config);
    vec![("LOCAL_KEY", "test-key".to_owned())]
}

const CODEX: Dialog =
    Dialog { asks: "Would you like to run the following command?", allow: "y", refuse: "Escape" };

/// It works, asks, is answered, is refused, finishes, goes on with its own conversation after each
/// way of being started again, and leaves nothing behind.
fn lives(agent: &str, seed: fn(&Seed<'_>) -> Vec<(&'static str, String)>, dialog: &Dialog) {
    let lab = Lab::new(agent, seed);
    let id = lab.begin("run: echo one > first.txt; cat first.txt");
    lab.until_on_screen(&id, dialog.asks);
    assert!(!lab.folder.join("first.txt").exists(), "it did not ask");
    lab.answer(&id, dialog.asks, dialog.allow);
    lab.until_on_screen(&id, "done: ");
    assert_eq!(std::fs::read_to_string(lab.folder.join("first.txt")).unwrap(), "one\n");

    lab.say(&id, "run: echo two > second.txt");
    lab.until_on_screen(&id, dialog.asks);
    lab.answer(&id, dialog.asks, dialog.refuse);
    assert!(!lab.folder.join("second.txt").exists(), "it ran though it was refused");

    lab.say(&id, "say: the green door");
    lab.until_on_screen(&id, "said: the green door");
    let conversation = lab.conversation(&id);

    for (end, begin) in [(None, "restart"), (Some("hibernate"), "wake")] {
        if let Some(end) = end {
            lab.stage.qd(&[end, &id]).well();
        }
        lab.stage.qd(&[begin, &id]).well();
        let view = lab.stage.until_state(&id, "running");
        assert!(view["problem"].is_null(), "{view}");
        lab.until_on_screen(&id, "said: the green door");
        lab.say(&id, &format!("say: back by {begin}"));
        lab.until_on_screen(&id, &format!("said: back by {begin}"));
        assert!(lab.last_request(&format!("say: back by {begin}")) > 4, "it began anew");
        assert_eq!(lab.conversation(&id), conversation);
    }

    lab.stage.qd(&["rm", &id]).well();
    lab.until_nothing_runs();
}

/// A copy goes on from what was said, and the other one does not hear of it.
fn forks(agent: &str, seed: fn(&Seed<'_>) -> Vec<(&'static str, String)>) {
    let lab = Lab::new(agent, seed);
    let id = lab.begin("say: the blue gate");
    lab.until_on_screen(&id, "said: the blue gate");
    let other = lab.fork(&id);
    lab.answer_trust(&other, "said: the blue gate");
    lab.say(&other, "say: in the copy");
    lab.until_on_screen(&other, "said: in the copy");
    assert!(lab.last_request("say: in the copy") > 2, "it began anew");
    assert_ne!(lab.conversation(&id), lab.conversation(&other));
}

#[test]
#[ignore = "needs the real agent: make test-agents"]
fn claude_lives() {
    lives("claude", claude, &CLAUDE);
}

#[test]
#[ignore = "needs the real agent: make test-agents"]
fn claude_forks() {
    forks("claude", claude);
}

#[test]
#[ignore = "needs the real agent: make test-agents"]
fn codex_lives() {
    lives("codex", codex, &CODEX);
}

#[test]
#[ignore = "needs the real agent: make test-agents"]
fn codex_forks() {
    forks("codex", codex);
}

#[test]
#[ignore = "needs the real agents: make test-agents"]
fn each_is_found_with_its_version() {
    for (agent, pinned) in lab::pinned() {
        let lab = Lab::new(&agent, |_| vec![]);
        let all = lab.stage.get("/api/v1/agents").well().json();
        let found = all.as_array().unwrap().iter().find(|found| found["name"] == *agent).unwrap();
        assert_eq!(found["version"], *pinned, "{found}");
        assert!(Path::new(found["found"].as_str().unwrap()).is_file(), "{found}");
    }
}
