use std::time::{Duration, Instant};

use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use proptest::{prelude::*, test_runner::RngSeed};
use qd_policy::{Limits, secrets};

use crate::verdict;

/// Pieces of which commands are made.
const PIECES: &[&str] = &[
    "ls", "cat", "echo", "git", "status", "rm", "-rf", "/", "~", "x.txt", "npm", "test", "$(", ")",
    "`", "\"", "'", "\\", "$", "${a:-", "}", "{", "(", "((", "))", "[[", "]]", "[", "]", "if",
    "then", "else", "fi", "for", "in", "do", "done", "while", "case", "esac", ";;", ";", "&", "&&",
    "|", "||", "\n", " ", "\t", "<", ">", ">>", "<<EOF\n", "EOF\n", "<<<", "<(", ">(", "2>&1",
    "&>", "#", "!", "a=1", "a[0]=", "+=", "$a", "$@", "$'\\x41'", "*", "?", "{a,b}", "{1..3}",
    "~/", "../", "sh", "-c", "env", "xargs", "find", ".", "-exec", "{}", "\\;", "+", "sudo",
    "eval", "base64", "-d", "cd", "curl", "é", "\u{200b}", "function", "f", "()", "time", "coproc",
    "$((", "1", "-", "--", "=", "a", "\\\n", ":", "%",
];

/// As many cases that are the same in every run, or other ones with `PROPTEST_CASES`: a run must
/// not fail by the luck of the draw; looking for more is a run of its own.
pub fn config(cases: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), ..config }
}

/// Commands that are made of pieces, and some that are nearly right.
pub fn script() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 1..24);
    let glued = (pieces.clone(), any::<bool>())
        .prop_map(|(pieces, blanks)| pieces.join(if blanks { " " } else { "" }));
    let command = prop::sample::select(vec![
        "ls -la",
        "cat a | wc -l",
        "echo \"$(git status)\"",
        "npm test",
        "for f in a b; do cat $f; done",
        "if [ -f a ]; then echo b; fi",
        "cat <<EOF\n$(date)\nEOF\n",
        "(cd web && npm test)",
        "echo ${x:-`id`}",
        "diff <(ls a) <(ls b)",
        "case $x in a) ls;; *) pwd;; esac",
        "x=$(date) echo $x",
        "[[ -n $(id) ]] && ls",
        "f() { ls; }; f",
        "while read -r l; do echo $l; done < a",
        "echo {a,$(id)}",
        "git log | head > out.txt",
    ]);
    let joined = (
        prop::collection::vec(command, 1..4),
        prop::sample::select(vec![" && ", "; ", " | ", "\n", " || ", " & "]),
    )
        .prop_map(|(commands, join)| commands.join(join));
    prop_oneof![
        glued,
        joined.clone(),
        (joined, pieces).prop_map(|(a, b)| format!("{a} {}", b.join(" ")))
    ]
}

fn bounded(text: &str) {
    let verdict = verdict(text);
    assert!(verdict.steps <= Limits::default().steps, "{text:?}");
    assert!(!verdict.parts.is_empty() || verdict.verdict != qd_policy::Decision::Allow, "{text:?}");
    let _ = secrets::redact(text);
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn made_up_commands_are_bounded(text in script()) {
        bounded(&text);
    }

    #[test]
    fn any_text_is_bounded(text in any::<String>()) {
        bounded(&text);
    }
}

/// `QD_FUZZ_SECONDS=600` for the long run.
#[test]
fn made_up_commands_are_bounded_for_a_while() {
    let seconds =
        std::env::var("QD_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut runner = TestRunner::default();
    let strategy = script();
    let mut count = 0_u64;
    while Instant::now() < until {
        let text = strategy.new_tree(&mut runner).unwrap().current();
        bounded(&text);
        count += 1;
    }
    println!("{count} commands in {seconds} s");
    assert!(count > 0);
}
