use std::io;
use std::process::ExitCode;

use qd_core::{Code, Problem};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output;

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// Something to tell.
    Problem(Box<Problem>),
    /// Whoever read our output has gone: nobody is left to tell.
    BrokenPipe,
    /// All is told already, and this is how to end.
    Told(Exit),
    /// A command that was run here ended so.
    Ended(u8),
}

impl Failure {
    /// A problem with its sentence and its hint.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Problem::new(code, message, hint).into()
    }

    /// How a program that ends with it ends.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Problem(problem) => Exit::of(problem.code),
            // As a program that the signal ends quietly, which pipelines expect.
            Self::BrokenPipe => Exit::Done,
            Self::Told(exit) => *exit,
            Self::Ended(0) => Exit::Done,
            Self::Ended(_) => Exit::Failed,
        }
    }

    /// The error in the form of the contract; null when there is nothing to tell.
    pub fn error(&self) -> Value {
        match self {
            Self::Problem(p) => error(p.code.as_str(), &p.message, &p.hint),
            Self::BrokenPipe | Self::Told(_) | Self::Ended(_) => Value::Null,
        }
    }

    /// Tells people of one of several things that were asked for at once.
    pub fn tell_of(&self, id: &str) {
        if let Self::Problem(problem) = self {
            let message = format!("{id}: {}", problem.message);
            tell(problem.code.as_str(), &message, &problem.hint, false);
        }
    }

    /// Tells it, to people on stderr or to a script on stdout, and gives the exit code.
    pub fn tell(self, json: bool) -> ExitCode {
        if let Self::Problem(problem) = &self {
            tell(problem.code.as_str(), &problem.message, &problem.hint, json);
        }
        match self {
            Self::Ended(code) => code.into(),
            other => other.exit().into(),
        }
    }
}

fn error(code: &str, message: &str, hint: &str) -> Value {
    json!({"code": code, "message": message, "hint": hint})
}

/// Writes an error in the form of the contract.
pub fn tell(code: &str, message: &str, hint: &str, json: bool) {
    if json {
        let error = json!({"error": error(code, message, hint)});
        // Nobody is left to tell when this fails.
        let _ = output::line(&error.to_string());
    } else {
        output::note(&format!("qd: {}\n  {}", output::plain(message), output::plain(hint)));
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::new(
                Code::Internal,
                format!("Reading or writing failed: {error}."),
                "Look at where the output goes, then try again.",
            )
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new(
            Code::Internal,
            format!("The answer cannot be written: {error}."),
            "Tell us how you came here.",
        )
    }
}
