use qd_api::{DiffFile, DiffReply};
use unicode_width::UnicodeWidthStr as _;

use crate::output;

/// How much changed in which file, as `git diff --stat` says it.
pub fn text(diff: &DiffReply, width: usize, colours: bool) -> String {
    let names: Vec<String> = diff.files.iter().map(name).collect();
    let counts: Vec<String> = diff.files.iter().map(count).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let (name_width, count_width) = (widest(&names), widest(&counts));
    let room = width.saturating_sub(name_width + count_width + 5).clamp(10, 60) as u64;
    let most = diff.files.iter().map(|f| changed(f).0 + changed(f).1).max().unwrap_or(0);
    let scale = |lines: u64| match lines {
        0 => 0,
        _ if most <= room => lines,
        _ => (lines * room / most).max(1),
    };
    let mut text = String::new();
    for ((file, name), count) in diff.files.iter().zip(&names).zip(&counts) {
        let (added, removed) = changed(file);
        let bar = |sign: &str, lines: u64, colour: &str| {
            let signs = sign.repeat(usize::try_from(scale(lines)).unwrap_or(0));
            if colours && !signs.is_empty() {
                format!("\u{1b}[{colour}m{signs}\u{1b}[0m")
            } else {
                signs
            }
        };
        let bars = format!("{}{}", bar("+", added, "32"), bar("-", removed, "31"));
        let pad = " ".repeat(name_width - name.width());
        let line = format!(" {name}{pad} | {count:>count_width$} {bars}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let totals = diff.totals;
    let files = if totals.files == 1 { "file" } else { "files" };
    let (added, removed) = (totals.additions, totals.deletions);
    let base = output::plain(&diff.base.name);
    text.push_str(&format!(
        " {} {files} changed against {base}, +{added} -{removed}\n",
        totals.files
    ));
    text
}

fn changed(file: &DiffFile) -> (u64, u64) {
    (file.additions.unwrap_or(0), file.deletions.unwrap_or(0))
}

fn count(file: &DiffFile) -> String {
    match (file.binary, file.additions, file.deletions) {
        (true, ..) => "Bin".to_owned(),
        (false, None, None) => "?".to_owned(),
        _ => (changed(file).0 + changed(file).1).to_string(),
    }
}

fn name(file: &DiffFile) -> String {
    let path = output::plain(&file.path).replace('\n', "\\n");
    match &file.old_path {
        Some(old) => format!("{} => {path}", output::plain(old).replace('\n', "\\n")),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::diff::unified::tests::file;

    #[test]
    fn files_line_up_and_the_sum_stands_below() {
        let mut binary = file("b.png");
        (binary.binary, binary.additions, binary.deletions) = (true, None, None);
        let mut moved = file("new");
        moved.old_path = Some("old".into());
        (moved.additions, moved.deletions) = (Some(400), Some(200));
        let diff = DiffReply {
            base: qd_api::DiffBase { name: "origin/main".into(), merge_base: "c".into() },
            files: vec![file("a"), binary, moved],
            totals: qd_api::DiffTotals { files: 3, additions: 402, deletions: 201 },
            read_at: String::new(),
            truncated: false,
        };
        let expected = [
            " a          |   3 +-",
            " b.png      | Bin",
            " old => new | 600 ++++++++----",
            " 3 files changed against origin/main, +402 -201",
        ];
        assert_eq!(text(&diff, 30, false).lines().collect::<Vec<_>>(), expected);
        assert!(text(&diff, 30, true).contains("\u{1b}[32m+\u{1b}[0m"));
    }
}
