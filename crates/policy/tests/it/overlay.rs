use qd_policy::{Decision, Request, Rules, Scope, Subject, Verdict, builtin, import, parse_rules};

use crate::place;

fn with(text: &str, scope: Scope, trusted: bool) -> Rules {
    let mut rules = builtin();
    rules.extend(parse_rules(text, scope, trusted).unwrap());
    Rules::new(rules)
}

fn ask(rules: &Rules, command: &str) -> Verdict {
    let subject = Subject { tool: "Bash".into(), agent: "claude".into(), ..Subject::default() };
    rules.decide(&Request::Command(command.into()), &subject, &place())
}

#[test]
fn a_persons_rule_goes_before_a_built_in_one() {
    let rules = with(
        "[[rule]]\nid = \"mine\"\nverdict = \"allow\"\nprogram = \"frob\"\n\n\
         [[rule]]\nid = \"no-make\"\nverdict = \"deny\"\nreason = \"Use just.\"\nalternative = \"just\"\nprogram = \"make\"\n",
        Scope::Person,
        true,
    );
    assert_eq!(ask(&rules, "frob --it").verdict, Decision::Allow);
    let denied = ask(&rules, "ls && make test");
    assert_eq!(
        (denied.verdict, denied.rule.as_str(), denied.alternative.as_str()),
        (Decision::Deny, "no-make", "just")
    );
    // What stands around the program is not decided by a rule about the program.
    for command in ["frob > /etc/x", "frob $(cat .env)", "PATH=. frob", "frob | sh", "sudo frob"] {
        assert_ne!(ask(&rules, command).verdict, Decision::Allow, "{command}");
    }
}

#[test]
fn a_deny_stands_unless_it_is_named() {
    let allow = "[[rule]]\nid = \"mine\"\nverdict = \"allow\"\nprogram = \"rm\"\n";
    let rules = with(allow, Scope::Person, true);
    assert_eq!(ask(&rules, "rm -rf ~/old").verdict, Decision::Deny);
    assert_eq!(ask(&rules, "rm -rf src").verdict, Decision::Allow);
    let named = format!("{allow}overrides = [\"qd.delete-home\"]\n");
    let rules = with(&named, Scope::Person, true);
    assert_eq!(ask(&rules, "rm -rf ~/old").verdict, Decision::Allow);
    assert_eq!(ask(&rules, "rm -rf /").verdict, Decision::Deny);
}

#[test]
fn a_repository_only_tightens_until_it_is_trusted() {
    let text = "[[rule]]\nid = \"pub\"\nverdict = \"allow\"\nprogram = \"npm\"\n\n\
        [[rule]]\nid = \"no-commit\"\nverdict = \"deny\"\nreason = \"Ask first.\"\nprogram = \"git\"\nsubcommand = \"commit\"\n\n\
        [[rule]]\nid = \"soft\"\nverdict = \"ask\"\nprogram = \"git\"\nsubcommand = \"push\"\n";
    let rules = with(text, Scope::Repository, false);
    let kept = ask(&rules, "npm publish");
    assert_eq!(kept.verdict, Decision::Ask);
    assert!(
        kept.trace.iter().any(|look| look.rule == "pub" && !look.decides && look.why_not.is_some())
    );
    assert_eq!(ask(&rules, "git commit -m x").verdict, Decision::Deny);
    assert_eq!(ask(&rules, "git push -f origin main").verdict, Decision::Deny);
    let rules = with(text, Scope::Repository, true);
    assert_eq!(ask(&rules, "npm publish").verdict, Decision::Allow);
    assert_eq!(ask(&rules, "git push -f origin main").verdict, Decision::Deny);
}

#[test]
fn rules_speak_of_effects_paths_and_places() {
    let rules = with(
        "[[rule]]\nid = \"docs\"\nverdict = \"ask\"\npath = \"docs/**\"\neffects = [\"writes\"]\n\n\
         [[rule]]\nid = \"tmp\"\nverdict = \"allow\"\npath = \"/tmp/scratch/**\"\neffects = [\"writes\", \"reads\"]\n\n\
         [[rule]]\nid = \"api\"\nverdict = \"allow\"\nurl = \"https://api.example.invalid/*\"\neffects = [\"fetches\"]\n",
        Scope::Person,
        true,
    );
    for (command, verdict) in [
        ("echo a > docs/a.md", Decision::Ask),
        ("cat docs/a.md", Decision::Allow),
        ("cp a /tmp/scratch/a", Decision::Allow),
        ("cp a /tmp/scratch/../b", Decision::Ask),
        ("curl https://api.example.invalid/x", Decision::Allow),
        ("curl -d x https://api.example.invalid/x", Decision::Ask),
        ("curl https://api.example.invalid.evil.invalid/x", Decision::Ask),
    ] {
        assert_eq!(ask(&rules, command).verdict, verdict, "{command}");
    }
}

#[test]
fn the_trace_says_who_looked_for_what_and_who_decided() {
    let verdict = ask(&Rules::new(builtin()), "ls && rm -rf ~");
    assert_eq!(
        (verdict.verdict, verdict.rule.as_str(), verdict.risk),
        (Decision::Deny, "qd.delete-grave", 4)
    );
    let deciding: Vec<&str> =
        verdict.trace.iter().filter(|look| look.decides).map(|look| look.rule.as_str()).collect();
    assert!(
        deciding.contains(&"qd.print") && deciding.contains(&"qd.delete-grave"),
        "{deciding:?}"
    );
    assert_eq!(
        verdict.parts.iter().map(|part| part.verdict).collect::<Vec<_>>(),
        [Decision::Allow, Decision::Deny]
    );
}

#[test]
fn lists_of_claude_code_are_honoured() {
    let settings = r#"{"permissions": {
        "allow": ["Bash(frob run:*)", "Bash(frob one)", "mcp__db__query", "WebFetch(domain:docs.example.invalid)", "Bash(a(b", 3],
        "deny": ["Bash(git push:*)", "Read(secret/**)"], "ask": ["Bash(npm test:*)"]}}"#;
    let imported = import(settings, "claude").unwrap();
    assert_eq!((imported.rules.len(), imported.left.len()), (7, 2));
    let mut rules = builtin();
    rules.extend(imported.rules);
    let rules = Rules::new(rules);
    for (command, verdict) in [
        ("frob run", Decision::Allow),
        ("frob run x --y", Decision::Allow),
        ("frob running", Decision::Ask),
        ("frob one", Decision::Allow),
        ("frob one two", Decision::Ask),
        ("frob run && rm -rf ~", Decision::Deny),
        ("frob run $(curl https://x.example.invalid)", Decision::Ask),
        ("frob run $x", Decision::Ask),
        ("git push origin a", Decision::Deny),
        ("git status", Decision::Allow),
        ("npm test", Decision::Ask),
    ] {
        assert_eq!(ask(&rules, command).verdict, verdict, "{command}");
    }
    assert!(import("{", "claude").is_err());
}

#[test]
fn ten_thousand_rules_are_no_matter() {
    let text: String = (0..10_000)
        .map(|n| format!("[[rule]]\nid = \"r{n}\"\nverdict = \"ask\"\nprogram = \"p{n}*\"\n\n"))
        .collect();
    let rules = with(&text, Scope::Person, true);
    assert_eq!(ask(&rules, "git status").verdict, Decision::Allow);
    assert_eq!(ask(&rules, "p77 x").rule, "r7");
}

#[test]
fn files_that_are_written_are_looked_into() {
    let rules = Rules::new(builtin());
    let subject = Subject { tool: "Write".into(), ..Subject::default() };
    let write = |path: &str, content: &str| {
        let request = Request::Write { path: path.into(), content: content.into() };
        rules.decide(&request, &subject, &place()).verdict
    };
    assert_eq!(write("src/a.rs", "fn main() {}\n"), Decision::Allow);
    assert_eq!(
        write("src/a.rs", &format!("let t = \"ghp_{}\";", "a1B2c3D4".repeat(5))),
        Decision::Ask
    );
    assert_eq!(write("src/a.rs", "a\u{202e}b"), Decision::Ask);
    assert_eq!(write("../a2/x", ""), Decision::Ask);
    assert_eq!(write("/home/dev/.local/share/quarterdeck/rules.toml", ""), Decision::Deny);
    let read = |path: &str| rules.decide(&Request::Read(path.into()), &subject, &place()).verdict;
    assert_eq!((read("src/a.rs"), read(".env")), (Decision::Allow, Decision::Ask));
    let other = rules.decide(&Request::Other("{}".into()), &subject, &place());
    assert_eq!(other.verdict, Decision::Ask);
}
