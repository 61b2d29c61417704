//! What would be delivered, for people.

use qd_api::{MergeView, RebuildView, ShipCommit, ShipView};

use crate::output;

/// All of it as text.
pub fn text(
    ship: &ShipView,
    rebuild: Option<&RebuildView>,
    merge: Option<&MergeView>,
    id: &str,
    colours: bool,
) -> String {
    let mut text = String::new();
    let mut line = |said: String| {
        text.push_str(said.trim_end());
        text.push('\n');
    };
    let bold = |said: &str| if colours { format!("\u{1b}[1m{said}\u{1b}[0m") } else { said.into() };
    let branch = ship.branch.as_deref().unwrap_or("(detached HEAD)");
    let (branch, base) = (output::one_line(branch), output::one_line(&ship.base.name));
    line(bold(&format!("{branch} onto {base}")));
    line(format!("  {}", output::one_line(&ship.base.note)));
    if ship.base.behind > 0 {
        line(format!("  It has {} that the branch does not.", commits(ship.base.behind)));
    }
    if ship.base.rewritten {
        line("  It was rewritten: commits that it had are gone.".into());
    }
    if ship.base.merge_base.is_none() {
        let why = if ship.base.shallow { "the history ends early here" } else { "unrelated" };
        line(format!("  The two have no commit in common: {why}."));
    }
    if let Some(word) = &ship.under_way {
        line(format!("  Git is half-way through a {word} here."));
    }
    let (own, foreign): (Vec<_>, Vec<_>) =
        ship.commits.iter().partition(|commit| commit.whose == "own");
    line(String::new());
    line(bold(&format!("{} of this session", commits(own.len() as u64))));
    own.iter().for_each(|commit| line(row(commit)));
    if !foreign.is_empty() {
        line(String::new());
        line(bold(&format!("{} not of this session", commits(foreign.len() as u64))));
        foreign.iter().for_each(|commit| line(row(commit)));
    }
    if ship.truncated {
        line("  and more.".into());
    }
    line(String::new());
    let files = ship.uncommitted;
    let counts = [
        (files.staged, "staged"),
        (files.unstaged, "changed"),
        (files.untracked, "untracked"),
        (files.conflicted, "in conflict"),
    ];
    let open: Vec<_> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    line(match open.as_slice() {
        [] => "All is committed.".into(),
        open => format!("Not committed: {}.", open.join(", ")),
    });
    if let Some(remote) = &ship.remote {
        let name =
            format!("{}/{}", output::one_line(&remote.name), output::one_line(&remote.branch));
        line(match (&remote.commit, remote.ahead, remote.behind) {
            (None, ..) => format!("Not pushed: there is no {name}."),
            (Some(_), 0, 0) => format!("{name} is up to date."),
            (Some(_), ahead, 0) => format!("{name} lacks {}.", commits(ahead)),
            (Some(_), _, behind) if remote.others => {
                format!("{name} has {} of somebody else: a push is refused.", commits(behind))
            }
            (Some(_), ahead, behind) => {
                format!("{name} lacks {} and has {} of before.", commits(ahead), commits(behind))
            }
        });
    }
    if let Some(rebuild) = rebuild {
        line(String::new());
        plan(rebuild, &mut line);
    } else if !foreign.is_empty() {
        line(format!("Keep the others out with `qd ship {id} --keep-out`."));
    }
    if let Some(merge) = merge {
        line(String::new());
        line(merging(merge));
    }
    if ship.undo.is_some() {
        line(format!("The last rebuild can be taken back with `qd ship {id} --undo`."));
    }
    text
}

fn plan(rebuild: &RebuildView, line: &mut impl FnMut(String)) {
    if rebuild.needless {
        line("A rebuild would change nothing.".into());
        return;
    }
    line(format!("A rebuild onto {} would:", output::one_line(&rebuild.onto)));
    for commit in &rebuild.own {
        let what = match commit.outcome.as_str() {
            "same" => "leave".to_owned(),
            "anew" => "keep".to_owned(),
            "in-base" => "drop, as the base has it,".to_owned(),
            "plain-merge" => "drop the merge".to_owned(),
            "conflict" => format!("stop, as {} conflicts, at", commit.paths.join(", ")),
            _ => "not come to".to_owned(),
        };
        line(format!("  {} {}", output::one_line(&what), output::one_line(&commit.subject)));
    }
    for commit in &rebuild.left_out {
        line(format!("  leave out {}", output::one_line(&commit.subject)));
    }
    for path in &rebuild.in_the_way {
        line(format!("  be refused, as {} is not committed", output::one_line(path)));
    }
}

fn merging(merge: &MergeView) -> String {
    let onto = output::one_line(&merge.onto);
    if merge.needless {
        return format!("A merge would change nothing: {onto} has all of it.");
    }
    if !merge.conflicts.is_empty() {
        let paths = output::one_line(&merge.conflicts.join(", "));
        return format!("A merge into {onto} would be refused: {paths} conflicts.");
    }
    let how = match merge.way.as_str() {
        "squash" => "as one commit",
        "rebase" => "made anew on it",
        _ => "by a merge commit",
    };
    let sent = if merge.remote { ", and push that" } else { "" };
    let foreign = match merge.foreign {
        0 => String::new(),
        n => format!(" {} of them not of this session: refused without `--with-foreign`.", n),
    };
    format!(
        "A merge would bring {} into {onto}, {how}{sent}.{foreign}",
        commits(u64::from(merge.commits))
    )
}

fn row(commit: &ShipCommit) -> String {
    let whose = match (&commit.session, &commit.on) {
        (Some(session), _) => format!("  of {} ({})", output::quoted(&session.title), session.id),
        (None, Some(on)) => format!("  on {}", output::one_line(on)),
        (None, None) => String::new(),
    };
    let short: String = commit.id.chars().take(10).collect();
    format!("  {short} {}{whose}", output::one_line(&commit.subject))
}

fn commits(count: u64) -> String {
    if count == 1 { "1 commit".into() } else { format!("{count} commits") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(subject: &str, whose: &str, on: Option<&str>) -> ShipCommit {
        ShipCommit {
            id: "a".repeat(40),
            subject: subject.into(),
            author: "Ann".into(),
            at: "2026-01-01T00:00:00Z".into(),
            whose: whose.into(),
            session: None,
            on: on.map(str::to_owned),
            merge: false,
        }
    }

    #[test]
    fn a_person_sees_whose_each_commit_is_and_what_to_do() {
        let mut ship: ShipView = serde_json::from_value(serde_json::json!({
            "branch": "qd/fix", "tip": "b", "foreign": 1, "truncated": false, "commits": [],
            "base": {"name": "origin/main", "commit": "c", "fetched": true, "merge_base": "d",
                     "note": "From origin/main, fetched just now.", "behind": 1,
                     "rewritten": false, "shallow": false},
            "uncommitted": {"staged": 1, "unstaged": 0, "untracked": 2, "conflicted": 0},
            "remote": {"name": "origin", "branch": "qd/fix", "commit": null, "ahead": 0,
                       "behind": 0, "others": false},
            "under_way": null, "undo": null, "read_at": "2026-01-01T00:00:00Z"
        }))
        .unwrap();
        ship.commits =
            vec![commit("mine\u{202e}", "own", None), commit("private", "nobody", Some("main"))];
        let told = text(&ship, None, None, "kabc", false);
        let wanted = "\
qd/fix onto origin/main
  From origin/main, fetched just now.
  It has 1 commit that the branch does not.

1 commit of this session
  aaaaaaaaaa mine\u{fffd}

1 commit not of this session
  aaaaaaaaaa private  on main

Not committed: 1 staged, 2 untracked.
Not pushed: there is no origin/qd/fix.
Keep the others out with `qd ship kabc --keep-out`.
";
        assert_eq!(told, wanted);
    }
}
