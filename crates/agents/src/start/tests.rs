use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use qd_core::{Kind, Millis, OnLoss, Size, Title};

use super::*;

const ID: &str = "00000000-0000-4000-8000-000000000001";

/// A home with programs of these names, whose folder is a PATH.
fn home(names: &[&str]) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let program = dir.path().join(name);
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = dir.path().to_string_lossy().into_owned();
    (dir, path)
}

fn wanted<'a>(agent: Option<&'a str>, prompt: Option<&'a str>, path: &'a str) -> Wanted<'a> {
    Wanted { agent, command: None, prompt, path, shell: None, id: ID }
}

fn begin(agent: &str, prompt: Option<&str>) -> Started {
    let (_dir, path) = home(&[agent]);
    start(&Catalog::default(), wanted(Some(agent), prompt, &path)).unwrap()
}

fn launch(agent: &str, argv: &[&str], conversation: Option<&str>) -> Launch {
    Launch {
        title: Title::parse("x").unwrap(),
        agent: agent.to_owned(),
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        repo: "/w".to_owned(),
        kind: Kind::InPlace,
        branch: None,
        base: None,
        tags: vec![],
        env: BTreeMap::new(),
        size: Size::BORN,
        on_loss: OnLoss::Resume,
        conversation: conversation.map(str::to_owned),
        parent: None,
        adopted: None,
    }
}

fn env(home: &tempfile::TempDir) -> BTreeMap<String, String> {
    BTreeMap::from([("HOME".to_owned(), home.path().to_string_lossy().into_owned())])
}

fn place(env: &BTreeMap<String, String>) -> Place<'_> {
    Place { folder: Path::new("/w"), env, since: Millis(0) }
}

#[test]
fn a_prompt_is_never_read_as_an_option() {
    assert_eq!(begin("claude", Some("--help")).argv[1..], ["--session-id", ID, "--", "--help"]);
    assert_eq!(begin("codex", Some("-x")).argv[1..], ["--", "-x"]);
    let argv = begin("gemini", Some("-x y")).argv;
    assert_eq!(argv.last().unwrap(), "--prompt-interactive=-x y");
}

#[test]
fn an_agent_that_takes_an_id_gets_one() {
    assert_eq!(begin("claude", None).conversation.as_deref(), Some(ID));
    assert_eq!(begin("codex", None).conversation, None);
}

#[test]
fn what_is_missing_says_how_to_get_it() {
    let missing = |name| start(&Catalog::default(), wanted(Some(name), None, "/nowhere"));
    let problem = missing("claude").unwrap_err();
    assert_eq!(problem.code, Code::AgentMissing);
    assert!(problem.hint.contains("npm install"), "{problem}");
    assert_eq!(missing("nobody").unwrap_err().code, Code::AgentUnknown);
}

#[test]
fn a_shell_takes_no_prompt_and_a_command_is_not_empty() {
    let catalog = Catalog::default();
    assert_eq!(start(&catalog, wanted(None, None, "")).unwrap().argv, ["/bin/sh"]);
    assert!(start(&catalog, wanted(None, Some("hi"), "")).is_err());
    let command = |argv: &[&str]| {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        start(&catalog, Wanted { command: Some(argv), ..wanted(None, None, "") })
    };
    assert!(command(&[]).is_err());
    assert!(command(&["a\0b"]).is_err());
    assert_eq!(command(&["a", "b"]).unwrap().agent, COMMAND);
}

#[test]
fn claude_goes_on_with_its_own_conversation_once_there_is_one() {
    let (dir, _) = home(&[]);
    let env = env(&dir);
    let first = ["/bin/claude", "--session-id", "c1", "--", "do it"];
    let launch = launch("claude", &first, Some("c1"));
    let run = || again(&Catalog::default(), &launch, &place(&env), |_| false);
    assert_eq!(run().argv, first, "nothing was begun: it begins as it did");
    let project = dir.path().join(".claude/projects/-w");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("c1.jsonl"), "").unwrap();
    assert_eq!(run().argv, ["/bin/claude", "--resume", "c1"]);
}

#[test]
fn codex_goes_on_with_the_conversation_of_its_folder_that_nobody_else_has() {
    let (dir, _) = home(&[]);
    let env = env(&dir);
    let day = dir.path().join(".codex/sessions/2026/01/02");
    std::fs::create_dir_all(&day).unwrap();
    let write = |id: &str, cwd: &str, source: &str| {
        let head = format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",\"cwd\":\"{cwd}\",\"source\":{source}}}}}\n"
        );
        std::fs::write(day.join(format!("rollout-t-{id}.jsonl")), head).unwrap();
    };
    write("elsewhere", "/v", "\"cli\"");
    write("titles", "/w", "{\"subagent\":\"x\"}");
    let launch = launch("codex", &["/bin/codex", "--", "do it"], None);
    let run = |taken: &str| again(&Catalog::default(), &launch, &place(&env), |id| id == taken);
    assert_eq!(run("").argv, launch.argv);
    write("mine", "/w", "\"cli\"");
    assert_eq!(run("").argv, ["/bin/codex", "resume", "mine"]);
    assert_eq!(run("").conversation.as_deref(), Some("mine"));
    assert_eq!(run("mine").argv, launch.argv);
    let later = Place { since: Millis(i64::MAX / 2), ..place(&env) };
    assert_eq!(again(&Catalog::default(), &launch, &later, |_| false).argv, launch.argv);
}

#[test]
fn a_fork_has_a_copy_of_the_conversation_and_an_id_of_its_own() {
    let (dir, _) = home(&[]);
    let env = env(&dir);
    let like = launch("claude", &["/bin/claude", "--session-id", "c1", "--", "do it"], Some("c1"));
    let run =
        |prompt| fork(&Catalog::default(), &like, &place(&env), |_| false, prompt, ID).unwrap();
    // Nothing is there to copy: it begins as the other did, not in the other's conversation.
    assert_eq!(run(None).argv, ["/bin/claude", "--session-id", ID, "--", "do it"]);
    assert_eq!(run(Some("go")).argv, ["/bin/claude", "--session-id", ID, "--", "go"]);
    let project = dir.path().join(".claude/projects/-w");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("c1.jsonl"), "").unwrap();
    let forked = run(Some("go"));
    let copy = ["--resume", "c1", "--fork-session", "--session-id", ID, "--", "go"];
    assert_eq!(forked.argv[1..], copy);
    assert_eq!(forked.conversation.as_deref(), Some(ID));
    let command = launch("command", &["make"], None);
    let forked = |prompt| fork(&Catalog::default(), &command, &place(&env), |_| false, prompt, ID);
    assert_eq!(forked(None).unwrap().argv, ["make"]);
    assert!(forked(Some("go")).is_err());
}
