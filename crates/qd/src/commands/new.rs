use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use qd_api::{NewSession, SessionView};
use qd_core::Code;

use crate::context::Context;
use crate::failure::Failure;
use crate::size::{self, Size};
use crate::waiting::Waiter;
use crate::words::{self, Words};
use crate::{cli, output, start, states};

/// Make a session: a terminal with an agent or a command, in a worktree of its own
#[derive(Debug, Args)]
#[command(after_help = "Without --agent and a command it runs your shell. A branch that is \
    missing is made from the base.\n\n\
    Example: qd new --title 'Fix login' --agent claude --prompt 'fix the login' --tag sprint-12\n\
    Example: qd new --command \"make 'all tests'\" --wait exited --timeout 600\n\
    Example: qd new --title Tests -- make 'all tests'")]
pub struct Arguments {
    /// The repository [default: the current folder]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
    /// What to call it, 1 to 200 characters
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// The agent to run, such as claude
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The command to run; split into words as a shell does, and run without one
    #[arg(long, value_name = "CMD", value_parser = words::split, allow_hyphen_values = true)]
    command: Option<Words>,
    /// The first prompt for the agent
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// Where a new branch begins [default: the remote's default branch, freshly fetched]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The branch to work on [default: made from the title]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Work in a worktree that is there already
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    worktree: Option<PathBuf>,
    /// Work in the folder itself, without a worktree
    #[arg(long)]
    in_place: bool,
    /// Allow a folder that another session works in
    #[arg(long)]
    shared: bool,
    /// A label; may be given several times
    #[arg(long = "tag", value_name = "T")]
    tags: Vec<String>,
    /// A variable for the program; may be given several times
    #[arg(long = "env", value_name = "K=V", value_parser = variable)]
    env: Vec<(String, String)>,
    /// The size of its terminal at birth
    #[arg(long, value_name = "COLSxROWS", value_parser = size::parse)]
    size: Option<Size>,
    /// What to do after a lost tmux or a reboot [default: agents resume, commands stop]
    #[arg(long, value_name = "WHAT")]
    on_loss: Option<OnLoss>,
    /// Wait until it is in one of these states
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = states::parse)]
    wait: Vec<String>,
    /// Give up waiting after so many seconds, with exit code 5
    #[arg(long, value_name = "S", value_parser = cli::seconds, requires = "wait")]
    timeout: Option<Duration>,
    /// The command to run, word by word as it stands here
    #[arg(last = true, value_name = "WORD", conflicts_with_all = ["command", "agent"])]
    words: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnLoss {
    Resume,
    Rerun,
    Stop,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let request = request(&arguments)?;
    let (client, _) = start::ensure(context).await?;
    let session = if arguments.wait.is_empty() {
        client.create(&request).await?
    } else {
        // Opened first, so that a state which is over at once is not missed.
        let waiter = Waiter::open(client.clone()).await?;
        let made = client.create(&request).await?;
        waiter.until(made, &arguments.wait, arguments.timeout).await?
    };
    if context.json { output::json(&session) } else { tell(&session) }
}

/// Says what was made.
pub fn tell(session: &SessionView) -> Result<(), Failure> {
    let id = &session.id;
    let on = match &session.branch {
        Some(branch) => format!(" on {}", output::plain(branch)),
        None => String::new(),
    };
    output::line(&format!("{id}  {}{on}", output::quoted(&session.title)))?;
    for message in &session.messages {
        output::note(&output::plain(message));
    }
    output::note(&match &session.adopted {
        Some(_) => format!("It is where it was. `qd rm {id}` lets go of it, and ends nothing."),
        None => format!("Go there with `qd attach {id}`."),
    });
    Ok(())
}

/// Where the command was typed.
pub fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::new(
            Code::PathMissing,
            format!("The current folder is not there any more: {error}."),
            "Go to a folder that is, or name one with `--repo DIR`.",
        )
    })
}

fn request(arguments: &Arguments) -> Result<NewSession, Failure> {
    let repo = match &arguments.repo {
        Some(repo) => whole(repo, "--repo")?,
        None => whole(&current_folder()?, "The current folder")?,
    };
    let command = match (&arguments.command, arguments.words.as_slice()) {
        (Some(words), _) => Some(words.0.clone()),
        (None, []) => None,
        (None, words) => Some(words.to_vec()),
    };
    let worktree = match &arguments.worktree {
        Some(worktree) => Some(whole(worktree, "--worktree")?),
        None => None,
    };
    Ok(NewSession {
        repo,
        title: arguments.title.clone(),
        agent: arguments.agent.clone(),
        command,
        prompt: arguments.prompt.clone(),
        base: arguments.base.clone(),
        branch: arguments.branch.clone(),
        worktree,
        in_place: arguments.in_place,
        shared: arguments.shared,
        tags: arguments.tags.clone(),
        env: arguments.env.iter().cloned().collect::<BTreeMap<_, _>>(),
        cols: arguments.size.map(|size| size.cols),
        rows: arguments.size.map(|size| size.rows),
        on_loss: arguments.on_loss.map(|on_loss| {
            match on_loss {
                OnLoss::Resume => "resume",
                OnLoss::Rerun => "rerun",
                OnLoss::Stop => "stop",
            }
            .to_owned()
        }),
    })
}

/// The whole path: the daemon has another current folder.
pub(super) fn whole(path: &std::path::Path, what: &str) -> Result<String, Failure> {
    let whole = std::path::absolute(path)?;
    whole.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(
            Code::FieldInvalid,
            format!("{what} has a name that is not UTF-8: {}.", whole.display()),
            "Name a folder whose path is UTF-8.",
        )
    })
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a variable is NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parsed(args: &[&str]) -> NewSession {
        let all = ["qd", "new"].iter().chain(args);
        let Some(Command::New(arguments)) = Cli::try_parse_from(all).unwrap().command else {
            panic!("not new");
        };
        request(&arguments).unwrap()
    }

    #[test]
    fn every_option_becomes_its_field() {
        let request = parsed(&[
            "--repo",
            "/r",
            "--title",
            "t",
            "--agent",
            "claude",
            "--command",
            "a 'b c'",
            "--prompt",
            "-p",
            "--base",
            "main",
            "--branch",
            "b",
            "--worktree",
            "/w",
            "--in-place",
            "--shared",
            "--tag",
            "x",
            "--tag",
            "y",
            "--env",
            "K=V=W",
            "--env",
            "E=",
            "--size",
            "90x30",
            "--on-loss",
            "rerun",
        ]);
        let expected = NewSession {
            repo: "/r".into(),
            title: Some("t".into()),
            agent: Some("claude".into()),
            command: Some(vec!["a".into(), "b c".into()]),
            prompt: Some("-p".into()),
            base: Some("main".into()),
            branch: Some("b".into()),
            worktree: Some("/w".into()),
            in_place: true,
            shared: true,
            tags: vec!["x".into(), "y".into()],
            env: BTreeMap::from([("K".into(), "V=W".into()), ("E".into(), String::new())]),
            cols: Some(90),
            rows: Some(30),
            on_loss: Some("rerun".into()),
        };
        assert_eq!(request, expected);
    }

    #[test]
    fn the_words_after_two_dashes_are_the_command() {
        let words = |args: &[&str]| parsed(args).command;
        assert_eq!(
            words(&["--title", "x", "--", "cat", "-n", "", "a b", "--agent"]),
            Some(["cat", "-n", "", "a b", "--agent"].map(str::to_owned).to_vec())
        );
        assert_eq!(words(&["--title", "x", "--"]), None);
        for other in [["--command", "a"], ["--agent", "claude"]] {
            let all = ["qd", "new"].iter().chain(&other).chain(&["--", "cat"]);
            assert!(Cli::try_parse_from(all).is_err(), "{other:?}");
        }
        assert!(Cli::try_parse_from(["qd", "new", "cat"]).is_err());
    }

    #[test]
    fn the_repository_is_a_whole_path() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(parsed(&[]).repo, here.to_str().unwrap());
        assert_eq!(parsed(&["--repo", "x"]).repo, here.join("x").to_str().unwrap());
    }

    #[test]
    fn what_has_not_the_form_is_a_usage_error() {
        for args in [
            ["--env", "K"],
            ["--env", "=v"],
            ["--size", "1x1"],
            ["--on-loss", "x"],
            ["--wait", "ready"],
            ["--timeout", "1"],
        ] {
            let all = ["qd", "new"].iter().chain(&args);
            assert!(Cli::try_parse_from(all).is_err(), "{args:?}");
        }
    }
}
