use super::Git;
use crate::effect::{Effect, Kind};
use crate::expand::Arg;
use crate::place::Zone;
use crate::programs::Done;

pub fn run(git: &mut Git<'_, '_, '_>) -> Done {
    match git.verb.clone().as_str() {
        "branch" => branch(git),
        "tag" => tag(git),
        "config" => config(git),
        "checkout" | "switch" => checkout(git),
        "reset" => reset(git),
        "fetch" | "ls-remote" | "pull" | "clone" => network(git),
        "worktree" => worktree(git),
        "rebase" => {
            let options = git.options("-x --exec --onto -s -X --strategy");
            if options.has("-x --exec") {
                git.call.does(Kind::RunsCode, "it runs a command for each commit")?;
            }
            own(git, "")
        }
        "symbolic-ref" => {
            let writes = git.options("-m").rest.len() > 1 || git.options("").has("-d --delete");
            if writes { git.does(Kind::Rewrites, "") } else { git.does(Kind::Reads, "") }
        }
        "update-ref" => git.does(Kind::Rewrites, ""),
        "submodule" => submodule(git),
        "bisect" => match git.args.first().map(|arg| arg.text.as_str()) {
            Some("run" | "visualize" | "view") => {
                git.call.does(Kind::RunsCode, "it runs a program for each step")
            }
            Some("log" | "terms") => git.does(Kind::Reads, ""),
            _ => git.does(Kind::SharesGit, ""),
        },
        _ => listed(git),
    }
}

/// Commands whose first word says whether they look or change.
fn listed(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-n -m");
    let word = options.word(0).to_owned();
    let kind = match (git.verb.as_str(), word.as_str()) {
        ("stash", "list" | "show") | ("reflog", "" | "show" | "exists" | "list") => Kind::Reads,
        ("remote", "" | "get-url") | ("notes", "" | "list" | "show") => Kind::Reads,
        ("remote", "show") => return git.call.at(Kind::Fetches, Zone::Forge, "git remote show"),
        ("stash", "drop" | "clear") => Kind::Discards,
        ("reflog", "expire" | "delete" | "drop") => Kind::Rewrites,
        ("reflog", _) => Kind::Reads,
        _ => Kind::SharesGit,
    };
    git.does(kind, "")
}

/// A change of commits of the session's own branch.
fn own(git: &mut Git<'_, '_, '_>, note: &str) -> Done {
    if git.zone != Zone::Worktree {
        return git.does(Kind::Rewrites, note);
    }
    git.call
        .effects
        .push(Effect::new(Kind::Rewrites).at(Zone::OwnBranch, format!("git {}", git.verb)));
    Ok(())
}

fn branch(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-u --sort --format --contains --no-contains --merged --no-merged --points-at --set-upstream-to");
    if options.has("-D -f -M -C --force") {
        return git.does(Kind::Rewrites, "");
    }
    let changes = options.has(
        "-d --delete -m --move -c --copy -u --set-upstream-to --unset-upstream --edit-description",
    );
    let lists = options.has("-l --list -a -r --all --remotes --contains --merged --no-merged --no-contains --points-at --show-current");
    if changes || (!options.rest.is_empty() && !lists) {
        return git.does(Kind::SharesGit, "");
    }
    git.does(Kind::Reads, "")
}

fn tag(git: &mut Git<'_, '_, '_>) -> Done {
    let options =
        git.options("-m -F -u -n --sort --format --contains --points-at --message --file");
    if options.has("-d --delete -f --force") {
        return git.does(Kind::Rewrites, "");
    }
    let lists = options.rest.is_empty()
        || options.has("-l --list -n --contains --points-at --merged -v --verify");
    git.does(if lists { Kind::Reads } else { Kind::SharesGit }, "")
}

fn config(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-f --file --type --default --blob");
    if options
        .has("--get --get-all --get-regexp --list -l --show-origin --get-urlmatch --name-only")
        || matches!(options.word(0), "get" | "list")
        || (options.rest.len() == 1
            && !options.has("--unset --unset-all --remove-section -e --edit"))
    {
        for path in options.all("-f --file").flatten() {
            git.call.path(Kind::Reads, path);
        }
        return git.does(Kind::Reads, "");
    }
    for path in options.all("-f --file").flatten() {
        git.call.path(Kind::Writes, path);
    }
    if options.has("--global --system") {
        git.call.at(
            Kind::Writes,
            Zone::StartUp,
            "git's configuration of the person or the machine",
        )?;
    }
    git.does(Kind::SharesGit, "configuration")
}

fn checkout(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-b -B -c -C --orphan --create --force-create --conflict -t");
    if options.has("-f --force -B -C --force-create --discard-changes --merge -m") {
        return git.does(Kind::Discards, "");
    }
    if options.has("-b -c --create --orphan") {
        return git.does(Kind::SharesGit, "a new branch");
    }
    if git.verb == "switch" {
        return git.does(Kind::SharesGit, "another branch");
    }
    // A word may be a branch or a file; a file loses its changes.
    git.does(Kind::Discards, "")
}

fn reset(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("--pathspec-from-file");
    if options.has("--hard --merge --keep") {
        return git.does(Kind::Discards, "");
    }
    let to = options.word(0);
    if to.is_empty() || to == "HEAD" || options.rest.len() > 1 {
        return git.does(Kind::Commits, "");
    }
    own(git, "")
}

fn network(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-u -o -b -c -j --depth --branch --upload-pack --config --origin --reference --jobs --shallow-since --filter --refmap --separate-git-dir --template");
    if options.rest.iter().any(|arg| arg.text.starts_with("ext::")) {
        git.call.does(Kind::RunsCode, "the remote is a command")?;
    }
    if git.verb == "clone" {
        if options.has("-u -c --config --upload-pack") {
            git.call.does(Kind::RunsCode, "an option may make git run a program")?;
        }
        let folder = options.rest.get(1).cloned().unwrap_or_else(|| Arg::known("clone"));
        git.call.path(Kind::Writes, &folder);
        return git.call.at(Kind::Fetches, Zone::Internet, options.word(0));
    }
    let url = options
        .rest
        .first()
        .is_some_and(|arg| arg.text.contains([':', '/']) || arg.fixed().is_none());
    let zone = if url { Zone::Internet } else { Zone::Forge };
    git.call.at(Kind::Fetches, zone, &format!("git {}", git.verb))?;
    if options.rest.iter().skip(1).any(|arg| arg.text.contains(':'))
        || (git.verb == "fetch" && options.has("-f --force -p --prune"))
    {
        git.does(Kind::SharesGit, "refs are set")?;
    }
    if git.verb == "pull" {
        if options.has("-r --rebase") {
            return own(git, "");
        }
        return git.does(Kind::Commits, "");
    }
    Ok(())
}

fn worktree(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-b -B --reason --orphan");
    match options.word(0) {
        "list" => return git.does(Kind::Reads, ""),
        "add" | "move" => {
            for path in options.rest.iter().skip(1).take(1) {
                git.call.path(Kind::Writes, path);
            }
        }
        "remove" if options.has("-f --force") => {
            for path in options.rest.iter().skip(1) {
                git.call.path(Kind::DeletesTree, path);
            }
        }
        _ => {}
    }
    git.does(Kind::SharesGit, "worktrees")
}

fn submodule(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("--depth --reference -j");
    match options.word(0) {
        "" | "status" | "summary" => git.does(Kind::Reads, ""),
        "foreach" => {
            let words: Vec<&str> =
                options.rest.iter().skip(1).map(|arg| arg.text.as_str()).collect();
            let script = Arg::known(words.join(" "));
            git.does(Kind::Reads, "")?;
            git.call.script(&script, &crate::walk::Stream::default())
        }
        _ => git.call.does(Kind::Installs, "submodules are code of others"),
    }
}
