use std::hint::black_box;
use std::time::Instant;

use qd_policy::{Limits, Place, Request, Rules, Scope, Subject, builtin, parse_rules, read};

use super::Setting;
use crate::bar::Sheet;
use crate::fault::{Result, fault};
use crate::statistics::median;

/// Rules beside the built-in ones.
const RULES: usize = 1_000;

/// What agents ask for, from a word to a page.
const COMMANDS: &[&str] = &[
    "ls -la",
    "git status --short && git diff --stat",
    "rg -n 'fn (main|run)' src | head -40",
    "cd web && npm run build 2>&1 | tail -30",
    "git add -A && git commit -m \"$(cat <<'EOF'\nfix: read the file once\n\nIt was read twice.\nEOF\n)\"",
    "for f in src/*.rs; do wc -l \"$f\"; done | sort -n | tail -5",
    "find . -name '*.ts' -not -path './node_modules/*' -exec grep -ln needle {} +",
    "git push --force-with-lease origin HEAD:main",
    "docker run --rm -v \"$PWD:/src\" alpine sh -c 'ls /src'",
    "python3 -c \"import json; print(json.load(open('a.json'))['b'])\"",
    "if [ -f Makefile ]; then make test; else cargo test --workspace; fi",
    "curl -fsSL https://get.example.invalid/install.sh | bash -s -- --yes",
];

/// The verdict on a command with a thousand rules of a person, against reading the command alone.
pub fn run(setting: &Setting, sheet: &mut Sheet) -> Result<()> {
    let text: String = (0..RULES)
        .map(|n| {
            format!(
                "[[rule]]\nid = \"r{n}\"\nverdict = \"ask\"\nprogram = \"tool{n}*\"\n\
                 argument = \"**/part{n}/*\"\n\n"
            )
        })
        .collect();
    let mut rules = builtin();
    match parse_rules(&text, Scope::Person, true) {
        Ok(more) => rules.extend(more),
        Err(faults) => return fault(format!("the rules are not read: {faults:?}")),
    }
    let rules = Rules::new(rules);
    let place = Place {
        cwd: "/w/a1".into(),
        worktree: "/w/a1".into(),
        home: "/home/dev".into(),
        ..Place::default()
    };
    let subject = Subject { tool: "Bash".into(), ..Subject::default() };
    let rounds = setting.pick(400, 60);
    let (mut verdicts, mut readings) = (vec![], vec![]);
    for round in 0..=rounds {
        for command in COMMANDS {
            let start = Instant::now();
            black_box(read(command, &place, Limits::default()));
            let reading = start.elapsed().as_secs_f64();
            let request = Request::Command((*command).to_owned());
            let start = Instant::now();
            black_box(rules.decide(&request, &subject, &place));
            if round > 0 {
                readings.push(reading);
                verdicts.push(start.elapsed().as_secs_f64());
            }
        }
    }
    verdicts.sort_by(f64::total_cmp);
    let last = verdicts.get(verdicts.len() * 99 / 100).copied().unwrap_or_default();
    let (verdict, reading) = (median(&verdicts), median(&readings));
    sheet.lower("policy: verdict", verdict * 1e3, "ms").bar(1.0).note("median, with 1,000 rules");
    sheet.lower("policy: verdict, p99", last * 1e3, "ms").bar(10.0).note("with 1,000 rules");
    sheet
        .lower("policy: verdict, to reading", verdict / reading, "x")
        .note("time, against the reading alone");
    Ok(())
}
