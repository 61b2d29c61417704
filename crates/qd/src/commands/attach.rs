use std::io::IsTerminal as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use clap::Args;
use qd_api::SessionView;
use qd_core::{Action, Code, SessionId};

use crate::context::Context;
use crate::failure::Failure;
use crate::process::command;
use crate::{act, cli, internal, outcome, output};

/// Go into a session's terminal; Ctrl-Q comes back
#[derive(Debug, Args)]
#[command(
    after_help = "It works without a daemon, too; then ID is the id or a beginning of it. A session \
    that is\nhibernated is woken, unless you look only.\n\n\
    Example: qd attach kabc"
)]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Look only
    #[arg(long)]
    read_only: bool,
}

/// Runs the command. It does not return when all is well: it becomes the attached terminal.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() || !output::at_terminal() {
        return Err(Failure::new(
            Code::NotAllowed,
            "Attaching needs a terminal, and this is none.",
            "Read the screen with `qd screen`, and type with `qd send`.",
        ));
    }
    let socket = internal::tmux_socket(&context.home);
    let client = context.client();
    let id = match client.session(&arguments.id).await {
        // To open it is to want it: one that is hibernated goes on.
        Ok(session) if session.state == "hibernated" && !arguments.read_only => {
            act::one(&client, &session.id, Action::Wake).await?;
            session.id
        }
        Ok(session) if session.adopted.is_some() => return Err(elsewhere(&session)),
        Ok(session) if session.pane.is_none() && session.state != "running" => {
            return Err(no_terminal(&session));
        }
        Ok(session) => session.id,
        Err(problem) if problem.code == Code::NoDaemon => among(&socket, &arguments.id)?,
        Err(problem) => return Err(problem.into()),
    };
    let error = attaching(context, &id, arguments.read_only)?.exec();
    Err(no_tmux(&error))
}

/// The command that attaches to the session of this id.
pub(super) fn attaching(context: &Context, id: &str, read_only: bool) -> Result<Command, Failure> {
    let socket = internal::tmux_socket(&context.home);
    let key = qd_tmux::SessionKey::new(id)
        .ok_or_else(|| std::io::Error::other("the session's id is no name for tmux"))?;
    let argv = qd_tmux::native::attach_argv(Path::new("tmux"), &socket, &key, read_only);
    let (program, rest) = argv.split_first().ok_or_else(|| std::io::Error::other("no program"))?;
    let mut attached = command(program);
    // Inside another tmux it is a terminal like any other.
    attached.args(rest).env_remove("TMUX").env_remove("TMUX_PANE");
    if std::env::var_os("TERM").is_none_or(|term| term.is_empty()) {
        // Without one tmux refuses to attach.
        attached.env("TERM", "xterm-256color");
    }
    Ok(attached)
}

/// Whether tmux has the session of this id.
pub(super) fn is_there(context: &Context, id: &str) -> bool {
    let socket = internal::tmux_socket(&context.home);
    told_sessions(&socket).is_ok_and(|names| names.lines().any(|name| name == format!("qd-{id}")))
}

/// What to say of a session whose program does not run, and how to go on with it.
fn no_terminal(session: &SessionView) -> Failure {
    let (id, state) = (&session.id, session.state.as_str());
    let hint = match outcome::go_on(session) {
        Some(word) => format!("Go on with it with `qd {word} {id}`."),
        None => format!("Look at it with `qd show {id}`."),
    };
    let title = output::quoted(&session.title);
    Failure::new(Code::StateConflict, format!("{title} has no terminal: it is {state}."), hint)
}

/// How to go into a pane of the person's own tmux.
fn elsewhere(session: &SessionView) -> Failure {
    let title = output::quoted(&session.title);
    let (socket, name) = match &session.adopted {
        Some(at) => (output::plain(&at.socket), output::plain(&at.name)),
        None => (String::new(), String::new()),
    };
    Failure::new(
        Code::StateConflict,
        format!("{title} is in a tmux of your own, not in Quarterdeck's."),
        format!("Go there with `tmux -S {socket} attach`; it was the pane {name}."),
    )
}

/// The id of the session that fits, among those that tmux knows.
fn among(socket: &Path, id: &str) -> Result<String, Failure> {
    choose(&told_sessions(socket)?, id)
}

/// tmux's session names, a line each.
fn told_sessions(socket: &Path) -> Result<String, Failure> {
    let mut list = command("tmux");
    list.arg("-S").arg(socket).args(["list-sessions", "-F", "#{session_name}"]);
    list.env_remove("TMUX");
    let told = list.output().map_err(|error| no_tmux(&error))?;
    Ok(String::from_utf8_lossy(&told.stdout).into_owned())
}

/// Picks the session whose id is, or begins with, `id`, from tmux's session names.
fn choose(names: &str, id: &str) -> Result<String, Failure> {
    if id.starts_with("title:") {
        return Err(Failure::new(
            Code::NoDaemon,
            "No daemon answers, and only it knows titles.",
            "Start it with `qd serve --detach`, or attach by id.",
        ));
    }
    let known = names.lines().filter_map(|name| name.strip_prefix("qd-"));
    let ids: Vec<&str> = known.filter(|known| SessionId::parse(known).is_ok()).collect();
    let fits: Vec<&str> = ids.iter().copied().filter(|known| known.starts_with(id)).collect();
    match fits.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Failure::new(
            Code::UnknownSession,
            format!("No daemon answers, and no terminal here has an id that begins with {id}."),
            "Start the daemon with `qd serve --detach`, then look with `qd ls`.",
        )),
        several => Err(Failure::new(
            Code::AmbiguousId,
            format!("Several sessions have an id that begins with {id}."),
            format!("Name one: {}.", several.join(", ")),
        )),
    }
}

pub(super) fn no_tmux(error: &std::io::Error) -> Failure {
    Failure::new(
        Code::TmuxMissing,
        format!("tmux cannot be started: {error}."),
        "Install tmux 3.3 or later; `qd doctor` says what else is missing.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: Result<String, Failure>) -> Code {
        match result {
            Err(Failure::Problem(problem)) => problem.code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_has_no_terminal_says_how_to_go_on() {
        let mut view = crate::table::tests::session("kabc2345wxyz", "t");
        view.worktree = None;
        for (state, hint) in [
            ("hibernated", "qd wake kabc2345wxyz"),
            ("paused", "qd resume kabc2345wxyz"),
            ("exited", "qd restart kabc2345wxyz"),
            ("failed", "qd show kabc2345wxyz"),
        ] {
            view.state = state.to_owned();
            let Failure::Problem(problem) = no_terminal(&view) else { panic!() };
            assert!(problem.hint.contains(hint), "{problem:?}");
            assert!(problem.message.contains(state), "{problem:?}");
        }
    }

    #[test]
    fn without_a_daemon_ids_are_those_of_tmux() {
        let names = "qd-kabc2345wxyz\nqd-kabd2345wxyz\nmain\nqd-hold\n";
        assert_eq!(choose(names, "kabc").unwrap(), "kabc2345wxyz");
        assert_eq!(choose(names, "kabd2345wxyz").unwrap(), "kabd2345wxyz");
        assert_eq!(code(choose(names, "ka")), Code::AmbiguousId);
        assert_eq!(code(choose(names, "hold")), Code::UnknownSession);
        assert_eq!(code(choose("", "k")), Code::UnknownSession);
        assert_eq!(code(choose(names, "title:x")), Code::NoDaemon);
    }
}
