//! Why a commit or a push was not made, from how git ended.

use std::path::Path;

use super::push::RemoteBranch;
use crate::command::Output;
use crate::error::GitError;

/// The most lines of a remote that are kept.
const MAX_WORDS: usize = 20;

pub(super) fn of_commit(output: Output, hook: Option<String>, path: &Path) -> GitError {
    let said = output.tail();
    if let Some(hook) = hook {
        return GitError::HookRefused { hook, said };
    }
    let has = |words: &str| said.contains(words);
    if has("gpg failed to sign") || has("failed to write commit object") && has("sign") {
        return GitError::SigningFailed { said };
    }
    if has("Please tell me who you are") || has("empty ident name") {
        return GitError::NoIdentity { said };
    }
    if has("nothing to commit") || has("nothing added to commit") {
        return GitError::NothingToCommit;
    }
    output.into_error(path)
}

pub(super) fn of_push(output: Output, hook: Option<String>, target: &RemoteBranch) -> GitError {
    let (remote, branch) = (target.remote.clone(), target.branch.clone());
    let said = output.tail();
    if let Some(hook) = hook {
        return GitError::HookRefused { hook, said };
    }
    // `!<tab>from:to<tab>[remote rejected] (why)`
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let refused = text.lines().find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
    if let Some(refused) = refused {
        let why = refused.split_once('(').map_or(refused, |(_, why)| why.trim_end_matches(')'));
        let why = crate::command::shown(why.as_bytes());
        if !refused.starts_with("[remote") {
            return GitError::PushRejected { remote, branch, why };
        }
        let words = remote_words(&output.stderr);
        let all = format!("{why} {}", words.join(" ")).to_lowercase();
        let protected = all.contains("protected") || all.contains("gh006") || all.contains("gh013");
        return GitError::PushDeclined { remote, branch, why, said: words.join("\n"), protected };
    }
    let has = |words: &[&str]| words.iter().any(|words| said.contains(words));
    if has(&[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "terminal prompts disabled",
        "Permission denied (publickey",
        "Host key verification failed",
        "The requested URL returned error: 401",
        "The requested URL returned error: 403",
        "Invalid username or",
    ]) {
        return GitError::LoginNeeded { remote, said };
    }
    if has(&[
        "Could not resolve host",
        "unable to access",
        "unable to connect",
        "Connection refused",
        "Connection timed out",
        "Connection reset",
        "Network is unreachable",
        "No route to host",
        "does not appear to be a git repository",
        "Could not read from remote repository",
        "The remote end hung up unexpectedly",
    ]) {
        return GitError::RemoteUnreachable { remote, said };
    }
    output.into_error(Path::new("."))
}

/// What the other side said, without what git puts before it.
pub(super) fn remote_words(stderr: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    text.split(['\n', '\r'])
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(|line| crate::command::shown(line.trim().as_bytes()))
        .filter(|line| !line.is_empty())
        .take(MAX_WORDS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> RemoteBranch {
        let (remote, branch) = ("origin".to_owned(), "a1".to_owned());
        RemoteBranch { remote, branch, commit: None, ahead: 0, behind: 0, has_others: false }
    }

    fn read(stdout: &str, stderr: &str) -> GitError {
        let output = Output {
            what: "push",
            code: Some(1),
            stdout: stdout.into(),
            stderr: stderr.into(),
            cut: false,
        };
        of_push(output, None, &target())
    }

    #[test]
    fn refusals_of_many_forges_and_programs_are_told_apart() {
        let row = |why: &str| format!("To x\n!\tabc:refs/heads/a1\t{why}\nDone\n");
        for (stdout, stderr, code) in [
            (row("[rejected] (stale info)"), "", "push_rejected"),
            (row("[rejected] (fetch first)"), "", "push_rejected"),
            (row("[remote rejected] (protected branch hook declined)"), "", "branch_protected"),
            (
                row("[remote rejected] (pre-receive hook declined)"),
                "remote: GH013: rules",
                "branch_protected",
            ),
            (
                row("[remote rejected] (pre-receive hook declined)"),
                "remote: no tests",
                "push_declined",
            ),
            (
                String::new(),
                "fatal: could not read Username for 'https://x': terminal prompts disabled",
                "login_needed",
            ),
            (String::new(), "fatal: Authentication failed for 'https://x/'", "login_needed"),
            (
                String::new(),
                "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                "login_needed",
            ),
            (
                String::new(),
                "fatal: unable to access 'https://x/': The requested URL returned error: 403",
                "login_needed",
            ),
            (
                String::new(),
                "fatal: unable to access 'https://x/': Could not resolve host: x",
                "remote_unreachable",
            ),
            (
                String::new(),
                "ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.",
                "remote_unreachable",
            ),
            (
                String::new(),
                "fatal: '/x' does not appear to be a git repository",
                "remote_unreachable",
            ),
            (String::new(), "fatal: something new", "git_failed"),
        ] {
            let error = read(&stdout, stderr);
            assert_eq!(error.code(), code, "{stdout}{stderr}");
        }
    }

    #[test]
    fn the_words_of_the_remote_are_kept_without_anything_hidden() {
        let said = b"Writing objects: 100%\rremote: \nremote: Create a pull request:   \nremote:   https://x/y\x1b[K\n";
        assert_eq!(remote_words(said), ["Create a pull request:", "https://x/y\u{fffd}[K"]);
    }
}
