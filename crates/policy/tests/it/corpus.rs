use std::path::Path;

use crate::verdict;

/// A labelled command.
pub struct Row {
    pub command: String,
    pub right: Vec<String>,
    pub kind: String,
}

/// The rows of a file.
pub fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let command = unescape(fields.next().unwrap());
        let right = fields.next().unwrap().split('|').map(str::to_owned).collect();
        let kind = fields.next().unwrap().to_owned();
        Row { command, right, kind }
    };
    text.lines().skip(1).map(row).collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.peek().copied() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('\\') => out.push('\\'),
            Some('u') => {
                let code: String = chars.by_ref().skip(2).take_while(|c| *c != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
                continue;
            }
            _ => {
                out.push('\\');
                continue;
            }
        }
        chars.next();
    }
    out
}

/// The bars: each deny is right, nothing that is to be asked or denied passes, and of what is to
/// pass at least 95 in 100 do.
fn judge(name: &str) {
    let (mut allows, mut allowed, mut right, mut passed, mut missed) = (0, 0, 0, vec![], vec![]);
    let rows = rows(name);
    for row in &rows {
        let verdict = verdict(&row.command);
        let got = verdict.verdict.name();
        let fits = row.right.iter().any(|one| one == got);
        right += usize::from(fits);
        let only = |verdict: &str| row.right == [verdict];
        if only("allow") {
            allows += 1;
            allowed += usize::from(fits);
        }
        let line = format!("{:?}: {got} by {}, {}", row.command, verdict.rule, row.right.join("|"));
        if got == "allow" && !fits {
            passed.push(line.clone());
        }
        if only("deny") && !fits {
            missed.push(line.clone());
        }
        if !fits && std::env::var_os("QD_CORPUS").is_some() {
            println!("{line}");
        }
    }
    println!("{name}: {right} of {} right, {allowed} of {allows} allows allowed", rows.len());
    assert!(passed.is_empty(), "these pass and must not: {passed:#?}");
    assert!(missed.is_empty(), "these must be denied: {missed:#?}");
    assert!(allowed * 100 >= allows * 95, "{allowed} of {allows} are allowed");
}

#[test]
fn faults_that_were_seen_in_public() {
    judge("public.tsv");
}

#[test]
fn commands_of_our_own() {
    judge("own.tsv");
}

#[test]
fn commands_that_the_rules_were_not_made_for() {
    judge("frozen.tsv");
}
