use std::io::IsTerminal as _;
use std::process::Stdio;
use std::time::Duration;

use clap::Args;
use qd_api::{NewSession, SessionView};
use qd_client::Client;
use qd_core::Code;

use super::attach;
use crate::context::Context;
use crate::failure::Failure;
use crate::size::Size;
use crate::waiting::Waiter;
use crate::{output, start};

/// How long the end of a program may be known later than that its terminal is gone.
const NEWS: Duration = Duration::from_secs(15);

/// Run a command in this folder and this terminal, as a session that outlives the terminal
#[derive(Debug, Args)]
#[command(
    after_help = "It ends with the command's own exit code, 128 and the signal when one ended \
    it.\nCtrl-Q leaves the command running; `qd attach` comes back. The command has the daemon's\n\
    environment with the PATH of this terminal.\n\n\
    Example: qd run -- make test\n\
    Example: qd run --title Server -- npm run dev"
)]
pub struct Arguments {
    /// What to call it, 1 to 200 characters [default: the command]
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// The command, word by word; run without a shell
    #[arg(last = true, required = true, value_name = "CMD")]
    words: Vec<String>,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() || !output::at_terminal() {
        return Err(Failure::new(
            Code::NotAllowed,
            "Running in this terminal needs one, and this is none.",
            "Make a session with `qd new --in-place`, and wait for it with `qd wait`.",
        ));
    }
    let request = request(arguments)?;
    let (client, _) = start::ensure(context).await?;
    // Opened first, so that an end which comes at once is not missed.
    let waiter = Waiter::open(client.clone()).await?;
    let made = client.create(&request).await?;
    let session = waiter.until(made, &words(&["running", "exited"]), None).await?;
    let complaint = if session.state == "running" { stay(&session, context)? } else { None };
    let session = client.session(&session.id).await?;
    if session.state == "running" && attach::is_there(context, &session.id) {
        return left(&session, complaint, context);
    }
    ended(&client, session, context).await
}

/// Attaches until the person leaves or the program ends; gives what tmux complains of.
fn stay(session: &SessionView, context: &Context) -> Result<Option<String>, Failure> {
    let mut attached = attach::attaching(context, &session.id, false)?;
    // That the session is gone already is no error here.
    attached.stderr(Stdio::piped());
    let told = attached.spawn().map_err(|error| attach::no_tmux(&error))?.wait_with_output()?;
    let complaint = String::from_utf8_lossy(&told.stderr).trim().to_owned();
    Ok((!told.status.success()).then_some(complaint))
}

/// The program goes on without the terminal.
fn left(
    session: &SessionView,
    complaint: Option<String>,
    context: &Context,
) -> Result<(), Failure> {
    if let Some(complaint) = complaint {
        return Err(Failure::new(
            Code::Internal,
            format!("tmux could not attach to {}: {complaint}.", output::quoted(&session.title)),
            format!("It runs: try `qd attach {}`.", session.id),
        ));
    }
    if context.json {
        return output::json(session);
    }
    let title = output::quoted(&session.title);
    output::note(&format!("{title} goes on. Come back with `qd attach {}`.", session.id));
    Ok(())
}

/// The program has ended: what it printed stays on this terminal, and its code is ours.
async fn ended(client: &Client, session: SessionView, context: &Context) -> Result<(), Failure> {
    let waiter = Waiter::open(client.clone()).await?;
    let over = words(&["exited", "failed", "paused", "hibernated", "trashed"]);
    let session = waiter.until(session, &over, Some(NEWS)).await?;
    if context.json {
        output::json(&session)?;
    } else if let Ok(screen) = client.screen(&session.id, true, true).await {
        let end = screen.lines.iter().rposition(|line| !line.trim().is_empty());
        for line in &screen.lines[..end.map_or(0, |end| end + 1)] {
            output::line(line)?;
        }
    }
    let exit = session.exit.as_ref();
    let code = exit.and_then(|exit| exit.code.or(exit.signal.map(|signal| 128 + signal)));
    match code.map(|code| u8::try_from(code).unwrap_or(1)) {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Ended(code)),
        None => Err(Failure::new(
            Code::StateConflict,
            format!("{} is {}.", output::quoted(&session.title), session.state),
            format!("Look at it with `qd show {}`.", session.id),
        )),
    }
}

fn request(arguments: Arguments) -> Result<NewSession, Failure> {
    let folder = super::new::current_folder()?;
    let repo = folder.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(
            Code::FieldInvalid,
            format!("The current folder has a name that is not UTF-8: {}.", folder.display()),
            "Go to a folder whose path is UTF-8.",
        )
    })?;
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let size = size.filter(|size| size.ws_col > 1 && size.ws_row > 0);
    let size = size.map(|s| Size { cols: u32::from(s.ws_col), rows: u32::from(s.ws_row) });
    let path = std::env::var("PATH").ok();
    Ok(NewSession {
        repo,
        title: arguments.title,
        agent: None,
        command: Some(arguments.words),
        prompt: None,
        base: None,
        branch: None,
        worktree: None,
        in_place: true,
        // A person who runs a command where another runs means it.
        shared: true,
        tags: vec![],
        env: path.into_iter().map(|path| ("PATH".to_owned(), path)).collect(),
        cols: size.map(|size| size.cols.min(1000)),
        rows: size.map(|size| size.rows.min(500)),
        on_loss: None,
    })
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
