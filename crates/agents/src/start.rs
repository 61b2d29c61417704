//! The words that start a program: for the first time, again, and as a copy.

use qd_core::{Code, Launch, Problem};

use crate::agent::{Agent, Place, Prompt};
use crate::catalog::Catalog;
use crate::{COMMAND, SHELL, command, find, shell_of};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The agent's name. None: a shell, or any program when there is a command.
    pub agent: Option<&'a str>,
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// The first prompt.
    pub prompt: Option<&'a str>,
    /// Where programs are looked for.
    pub path: &'a str,
    /// The shell that the environment names.
    pub shell: Option<&'a str>,
    /// The id of its conversation, a UUID, for an agent that takes one.
    pub id: &'a str,
}

/// How a program is started for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The agent's name.
    pub agent: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The id of its conversation, when that is known before it begins.
    pub conversation: Option<String>,
}

/// How a program is started again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The conversation that it goes on with; none when it begins anew.
    pub conversation: Option<String>,
}

/// What to run for a request.
///
/// # Errors
/// An unknown agent, one that is not installed, an empty command, or a prompt for a program
/// that takes none.
pub fn start(catalog: &Catalog, wanted: Wanted<'_>) -> Result<Started, Problem> {
    let prompt = wanted.prompt.filter(|prompt| !prompt.trim().is_empty());
    if let Some(argv) = wanted.command {
        let agent = wanted.agent.unwrap_or(COMMAND).to_owned();
        command::check(&argv)?;
        refuse_prompt(&agent, prompt)?;
        return Ok(Started { agent, argv, conversation: None });
    }
    let name = wanted.agent.unwrap_or(SHELL);
    if name == SHELL {
        refuse_prompt(name, prompt)?;
        let argv = vec![shell_of(wanted.shell).to_owned()];
        return Ok(Started { agent: name.to_owned(), argv, conversation: None });
    }
    let agent = catalog.agent(name)?;
    let mut argv = program(agent, wanted.path)?;
    let begin = agent.begin(wanted.id);
    let conversation = begin.is_some().then(|| wanted.id.to_owned());
    argv.extend(begin.unwrap_or_default());
    add_prompt(agent, prompt, &mut argv)?;
    Ok(Started { agent: name.to_owned(), argv, conversation })
}

/// What to run for a program that ran before, so that it goes on with its own conversation where
/// it can. `taken` says which conversations belong to others in the same folder.
#[must_use]
pub fn again(
    catalog: &Catalog,
    launch: &Launch,
    place: &Place<'_>,
    taken: impl Fn(&str) -> bool,
) -> Again {
    let anew = || Again { argv: launch.argv.clone(), conversation: launch.conversation.clone() };
    let Ok(agent) = catalog.agent(&launch.agent) else { return anew() };
    let Some(id) = conversation(catalog, launch, place, taken) else { return anew() };
    let (Some(resume), Some(program)) = (agent.resume(&id), launch.argv.first()) else {
        return anew();
    };
    let mut argv = vec![program.clone()];
    argv.extend(agent.always());
    argv.extend(resume);
    Again { argv, conversation: Some(id) }
}

/// The conversation of a session, by the files of its agent; none before there is one to go on
/// with. `taken` as in [`again`].
#[must_use]
pub fn conversation(
    catalog: &Catalog,
    launch: &Launch,
    place: &Place<'_>,
    taken: impl Fn(&str) -> bool,
) -> Option<String> {
    let agent = catalog.agent(&launch.agent).ok()?;
    let known = launch.conversation.clone().filter(|id| agent.has(place, id));
    known.or_else(|| agent.began(place).into_iter().find(|id| !taken(id)))
}

/// What to run for a copy of a session. With the conversation of the other one, when its agent
/// can copy it, and with a prompt of its own; `id` is that of the new conversation, a UUID.
///
/// # Errors
/// A prompt for a program that takes none.
pub fn fork(
    catalog: &Catalog,
    like: &Launch,
    place: &Place<'_>,
    taken: impl Fn(&str) -> bool,
    prompt: Option<&str>,
    id: &str,
) -> Result<Started, Problem> {
    let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
    let known = catalog.agent(&like.agent).ok().zip(like.argv.first());
    let Some((agent, program)) = known else {
        refuse_prompt(&like.agent, prompt)?;
        let (agent, argv) = (like.agent.clone(), like.argv.clone());
        return Ok(Started { agent, argv, conversation: None });
    };
    let mut argv = vec![program.clone()];
    argv.extend(agent.always());
    let copied = conversation(catalog, like, place, taken);
    if let Some(copy) = copied.and_then(|old| agent.fork(&old, id)) {
        argv.extend(copy);
    } else if prompt.is_none() {
        // Nothing of it can be copied: it begins as the other one did.
        argv = like.argv.clone();
        if let Some(old) = &like.conversation {
            argv.iter_mut().for_each(|word| *word = word.replace(old.as_str(), id));
        }
    } else {
        argv.extend(agent.begin(id).unwrap_or_default());
    }
    add_prompt(agent, prompt, &mut argv)?;
    let conversation = argv.iter().any(|word| word.contains(id)).then(|| id.to_owned());
    Ok(Started { agent: like.agent.clone(), argv, conversation })
}

fn program(agent: &dyn Agent, path: &str) -> Result<Vec<String>, Problem> {
    let Some(program) = find(agent.program(), path) else {
        let hint = match agent.install() {
            Some(install) => format!("Get it with `{install}`, then try again."),
            None => "Install it, then try again.".to_owned(),
        };
        return Err(Problem::new(
            Code::AgentMissing,
            format!(
                "{} is not installed: no program `{}` is on the PATH.",
                agent.title(),
                agent.program()
            ),
            hint,
        )
        .on("agent"));
    };
    let mut argv = vec![program.to_string_lossy().into_owned()];
    argv.extend(agent.always());
    Ok(argv)
}

fn add_prompt(
    agent: &dyn Agent,
    prompt: Option<&str>,
    argv: &mut Vec<String>,
) -> Result<(), Problem> {
    match (prompt, agent.prompt()) {
        (None, _) => {}
        (Some(prompt), Prompt::Last) => argv.extend(["--".to_owned(), prompt.to_owned()]),
        (Some(prompt), Prompt::Option(option)) => argv.push(format!("{option}={prompt}")),
        (Some(_), Prompt::None) => refuse_prompt(agent.title(), prompt)?,
    }
    Ok(())
}

fn refuse_prompt(name: &str, prompt: Option<&str>) -> Result<(), Problem> {
    if prompt.is_none() {
        return Ok(());
    }
    Err(Problem::new(
        Code::FieldInvalid,
        format!("\u{201c}{name}\u{201d} takes no first prompt as an argument."),
        "Leave the prompt out, and type it once the program is ready.",
    )
    .on("prompt"))
}

#[cfg(test)]
mod tests;
