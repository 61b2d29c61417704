use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::Args;
use qd_core::Code;
use qd_policy::{Place, Request, Rules, Subject, Verdict};
use serde_json::Value;

use super::{Files, folder, told};
use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// Bytes of one line from standard input.
const LONGEST: u64 = 4 << 20;

/// Say what the rules say of a command, and why
#[derive(Debug, Args)]
#[command(
    after_help = "With no COMMAND and no --input, commands are read from standard input, one \
    a line, and each is answered in one line. With --input - each line is a JSON object: the \
    tool's input, or {\"tool\", \"input\", \"cwd\"}. Exit code 0 whatever the verdicts are.\n\n\
    Example: qd rules test 'cargo test && git push'\n\
    Example: qd rules test --json -- rm -rf build\n\
    Example: qd rules test --tool Write --input '{\"file_path\": \".env\"}'"
)]
pub struct Arguments {
    /// The command; several words are put together with blanks
    #[arg(value_name = "COMMAND", conflicts_with = "input")]
    command: Vec<String>,
    /// The tool of the agent that the input is for
    #[arg(long, value_name = "TOOL", default_value = "Bash")]
    tool: String,
    /// The tool's input as a JSON object, or - for one a line on standard input
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// The folder that it runs in [default: this one]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    cwd: Option<PathBuf>,
    /// The session's worktree [default: that of the folder]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    worktree: Option<PathBuf>,
    /// The agent that asks
    #[arg(long, value_name = "NAME", default_value = "")]
    agent: String,
    #[command(flatten)]
    files: Files,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    let rules = Rules::new(arguments.files.read()?);
    let place = place(arguments, context)?;
    if !arguments.command.is_empty() {
        let request = Request::Command(arguments.command.join(" "));
        return one(&decide(&rules, arguments, &arguments.tool, &request, &place), context);
    }
    match arguments.input.as_deref() {
        Some("-") => lines(|line| {
            let value: Value = serde_json::from_str(line).map_err(|error| not_json(&error))?;
            let (tool, input) = called(&value, &arguments.tool);
            let mut place = place.clone();
            if let Some(cwd) = value["cwd"].as_str().filter(|_| !std::ptr::eq(input, &value)) {
                place.cwd = cwd.to_owned();
            }
            let request = Request::of(tool, input);
            each(&decide(&rules, arguments, tool, &request, &place), line, context)
        }),
        Some(text) => {
            let value: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
            let (tool, input) = called(&value, &arguments.tool);
            one(&decide(&rules, arguments, tool, &Request::of(tool, input), &place), context)
        }
        None if std::io::stdin().is_terminal() => Err(Failure::new(
            Code::FieldInvalid,
            "There is no command to test.",
            "Name one, or pipe commands in, one a line: see `qd rules test --help`.",
        )),
        None => lines(|line| {
            let request = Request::Command(line.to_owned());
            each(&decide(&rules, arguments, &arguments.tool, &request, &place), line, context)
        }),
    }
}

fn decide(
    rules: &Rules,
    arguments: &Arguments,
    tool: &str,
    request: &Request,
    place: &Place,
) -> Verdict {
    let mcp = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    let subject = Subject {
        tool: tool.to_owned(),
        agent: arguments.agent.clone(),
        tags: vec![],
        repository: place.checkout.clone().unwrap_or_else(|| place.worktree.clone()),
        mcp: mcp.map(|(server, tool)| (server.to_owned(), tool.to_owned())),
    };
    rules.decide(request, &subject, place)
}

/// The tool and its input: the object may be the input itself, or name both as hooks do.
fn called<'v>(value: &'v Value, tool: &'v str) -> (&'v str, &'v Value) {
    for (name, input) in [("tool", "input"), ("tool_name", "tool_input")] {
        if let (Some(tool), Some(input)) = (value[name].as_str(), value.get(input)) {
            return (tool, input);
        }
    }
    (tool, value)
}

fn one(verdict: &Verdict, context: &Context) -> Result<(), Failure> {
    if context.json {
        output::json(verdict)
    } else {
        output::raw(told::verdict(verdict).as_bytes())
    }
}

fn each(verdict: &Verdict, line: &str, context: &Context) -> Result<(), Failure> {
    if context.json { output::json(verdict) } else { output::line(&told::line(verdict, line)) }
}

fn not_json(error: &serde_json::Error) -> Failure {
    Failure::new(
        Code::FieldInvalid,
        format!("The input is no JSON object: {error}."),
        "Give the tool's input, such as {\"command\": \"ls\"}.",
    )
}

/// Each line of standard input. What is no UTF-8 keeps a mark in its place, which is asked about.
fn lines(mut work: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut input = std::io::stdin().lock();
    let mut line = vec![];
    loop {
        line.clear();
        let read = std::io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        while line.last().is_some_and(|byte| *byte == b'\n') {
            line.pop();
        }
        if line.is_empty() {
            continue;
        }
        // A NUL is never understood.
        let text = match std::str::from_utf8(&line) {
            Ok(text) => text.to_owned(),
            Err(_) => format!("{}\0", String::from_utf8_lossy(&line)),
        };
        work(&text)?;
    }
}

fn place(arguments: &Arguments, context: &Context) -> Result<Place, Failure> {
    let cwd = match &arguments.cwd {
        Some(cwd) => std::path::absolute(cwd)?,
        None => std::env::current_dir()?,
    };
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_else(|| PathBuf::from("/"));
    let mut place = folder::place(&cwd, &home, &context.home);
    if let Some(worktree) = &arguments.worktree {
        place.worktree = absolute(worktree)?;
        place.others.retain(|other| *other != place.worktree);
        place.checkout = place.checkout.filter(|checkout| *checkout != place.worktree);
    }
    Ok(place)
}

fn absolute(path: &Path) -> Result<String, Failure> {
    Ok(std::path::absolute(path)?.to_string_lossy().into_owned())
}
