//! `qd rules`, which needs no daemon.

use std::io::Write as _;
use std::process::Stdio;

use crate::program::{Home, Said};

fn fed(home: &Home, args: &[&str], input: &[u8]) -> Said {
    let mut command = home.command(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_verdict_says_why_to_people_and_programs() {
    let home = Home::new();
    let said = home.qd(&["rules", "test", "ls && git push --force origin main"]).well();
    assert!(said.out.starts_with("deny: "), "{said:?}");
    for word in [
        "instead",
        "4, destroys",
        "force-pushes in shared-branch, main",
        "> deny   qd.force-push-shared",
    ] {
        assert!(said.out.contains(word), "{word}: {said:?}");
    }
    let told = home
        .qd(&["rules", "test", "--cwd", "/w/a", "--json", "--", "rm", "-rf", "src"])
        .well()
        .json();
    assert_eq!(
        (told["verdict"].as_str(), told["rule"].as_str()),
        (Some("ask"), Some("qd.delete-tree"))
    );
    assert_eq!(told["effects"][0]["kind"], "deletes-tree");
    assert_eq!(told["trace"][0]["decides"], true);
    assert_eq!(told["risk"], 4);
    let input = r#"{"file_path": ".env", "content": "A=1"}"#;
    let told = home
        .qd(&["rules", "test", "--cwd", "/w/a", "--tool", "Write", "--input", input, "--json"])
        .well()
        .json();
    assert_eq!(told["rule"], "qd.write-secrets");
}

#[test]
fn many_commands_are_judged_at_once() {
    let home = Home::new();
    let said = fed(&home, &["rules", "test"], b"ls\n\nrm -rf /\nbad \xff\nfrob\n").well();
    let words: Vec<&str> = said.out.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(words, ["allow", "deny", "ask", "ask"], "{said:?}");
    let lines =
        b"{\"command\": \"ls\"}\n{\"tool\": \"Read\", \"input\": {\"file_path\": \".env\"}}\n{}\n";
    let said =
        fed(&home, &["rules", "test", "--cwd", "/w/a", "--input", "-", "--json"], lines).well();
    let verdicts: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<&str> =
        verdicts.iter().map(|told| told["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["allow", "ask", "ask"]);
    assert_eq!(fed(&home, &["rules", "test", "--input", "-"], b"no\n").code, 2);
}

#[test]
fn a_file_of_rules_is_used_and_its_faults_are_said() {
    let home = Home::new();
    let file = home.path().join("mine.toml");
    std::fs::write(&file, "[[rule]]\nid = \"frob\"\nverdict = \"allow\"\nprogram = \"frob\"\n")
        .unwrap();
    let told =
        home.qd(&["rules", "test", "--rules", "mine.toml", "frob x", "--json"]).well().json();
    assert_eq!((told["verdict"].as_str(), told["rule"].as_str()), (Some("allow"), Some("frob")));
    std::fs::write(&file, "[[rule]]\nid = \"frob\"\nverdict = \"allow\"\nprogramm = \"frob\"\n")
        .unwrap();
    let said = home.qd(&["rules", "test", "--rules", "mine.toml", "frob x"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("line 4, column 1") && said.err.contains("programm"), "{said:?}");
    assert_eq!(home.qd(&["rules", "test", "--rules", "none.toml", "ls"]).code, 3);
}

#[test]
fn rules_are_listed_and_shown() {
    let home = Home::new();
    let listed = home.qd(&["rules", "ls", "--json"]).well().json();
    let leak = listed.as_array().unwrap().iter().find(|rule| rule["id"] == "qd.leak").unwrap();
    assert_eq!(
        (leak["verdict"].as_str(), leak["scope"].as_str()),
        (Some("deny"), Some("built-in"))
    );
    assert!(home.qd(&["rules", "list"]).well().out.contains("qd.leak"));
    assert!(home.qd(&["rules", "show", "qd.leak"]).well().out.contains("A secret would leave"));
    let said = home.qd(&["rules", "show", "qd.none"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""));
}

#[test]
fn lists_of_claude_code_become_rules() {
    let home = Home::new();
    let settings =
        r#"{"permissions": {"allow": ["Bash(frob run:*)", "Odd(("], "deny": ["Bash(ls)"]}}"#;
    std::fs::write(home.path().join("settings.json"), settings).unwrap();
    let said = home.qd(&["rules", "import", "settings.json"]).well();
    assert!(said.err.contains("Odd"), "{said:?}");
    std::fs::write(home.path().join("mine.toml"), &said.out).unwrap();
    for (command, verdict) in [("frob run a", "allow"), ("frob go", "ask"), ("ls", "deny")] {
        let told =
            home.qd(&["rules", "test", "--rules", "mine.toml", "--json", command]).well().json();
        assert_eq!(told["verdict"], verdict, "{command}");
    }
    assert_eq!(home.qd(&["rules", "import", "mine.toml"]).code, 2);
}
