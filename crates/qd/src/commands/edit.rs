use std::ffi::OsString;

use clap::{ArgGroup, Args};
use qd_api::{Change, SessionView};
use qd_core::{Code, Tag};

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output, words};

/// How often a change is tried again that somebody else's change came before.
const TRIES: u32 = 5;

/// Change a session's title, tags, pin or note; nothing else changes
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("what").required(true).multiple(true)
        .args(["title", "note", "pin", "unpin", "on", "untag"])),
    after_help = "+TAG puts a tag on, -TAG takes it off; the other tags stay. Each works in every \
    state, and stops nothing.\n\n\
    Example: qd edit kabc +review -draft --pin\n\
    Example: qd edit kabc --title 'Fix the login' --note 'waits for the API'"
)]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// The new title: 1 to 200 characters
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    title: Option<String>,
    /// The new note, in place of the old one: up to 10,000 characters; '' takes it away
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// Keep it at the top of the list
    #[arg(long, conflicts_with = "unpin")]
    pin: bool,
    /// Let it take its place in the list again
    #[arg(long)]
    unpin: bool,
    /// Take a tag off: the same as -TAG
    #[arg(long, value_name = "TAG", value_parser = tag)]
    untag: Vec<String>,
    /// Tags to put on, and with a - to take off
    #[arg(value_name = "+TAG|-TAG", value_parser = plus)]
    on: Vec<String>,
}

/// Options that take the next word as it is.
const TAKES: [&str; 4] = ["--title", "--note", "--untag", "--home"];

/// The arguments with each `-TAG` of `qd edit` spelled as an option, as it would be taken for
/// several of one letter.
pub fn spelled(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(edit) = args.iter().position(|arg| arg == "edit").filter(|at| is_word(&args, *at))
    else {
        return args;
    };
    for at in edit + 1..args.len() {
        if args[at] == "--" {
            break;
        }
        let before = args[at - 1].to_str().unwrap_or_default();
        let Some(name) = args[at].to_str().and_then(|arg| arg.strip_prefix('-')) else { continue };
        // A lone `-h` asks for help; `--untag h` takes that tag off.
        if !TAKES.contains(&before) && !name.is_empty() && !name.starts_with('-') && name != "h" {
            args[at] = format!("--untag={name}").into();
        }
    }
    args
}

/// Whether the command's own word stands there: only options of all commands come before it.
fn is_word(args: &[OsString], at: usize) -> bool {
    let mut words = args[1..at].iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        if text == "--home" {
            words.next();
        } else if !text.starts_with("--") {
            return false;
        }
    }
    args[at - 1] != "--home"
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let mut id = arguments.id.clone();
    let mut tries = 0;
    let (before, after) = loop {
        let before = client.session(&id).await?;
        id.clone_from(&before.id);
        let change = change(&arguments, &before);
        // What tags there were is part of what is sent: what comes between is not to be undone.
        let seen = change.tags.is_some().then_some(before.version);
        match client.change(&id, &change, seen).await {
            Ok(after) => break (before, after),
            Err(problem) if problem.code == Code::VersionConflict && tries < TRIES => tries += 1,
            Err(problem) => return Err(problem.into()),
        }
    };
    if context.json {
        return output::json(&after);
    }
    output::line(&told(&before, &after))
}

/// What is asked of the daemon, for the session as it is.
fn change(arguments: &Arguments, before: &SessionView) -> Change {
    let pinned = (arguments.pin || arguments.unpin).then_some(arguments.pin);
    let any = !arguments.on.is_empty() || !arguments.untag.is_empty();
    let tags = any.then(|| tags(&before.tags, &arguments.on, &arguments.untag));
    Change {
        title: arguments.title.clone(),
        notes: arguments.note.clone(),
        pinned,
        tags,
        ..Change::default()
    }
}

/// The tags with some put on and some taken off.
fn tags(before: &[String], on: &[String], off: &[String]) -> Vec<String> {
    let mut tags = before.to_vec();
    tags.extend(on.iter().filter(|tag| !before.contains(tag)).cloned());
    tags.retain(|tag| !off.contains(tag));
    tags
}

/// One line: what is another now, and how to undo it.
fn told(before: &SessionView, after: &SessionView) -> String {
    let mut said = vec![];
    let mut undo = vec![];
    let quote = |text: &str| words::quote_value(&output::plain(text));
    if before.title != after.title {
        said.push(format!("its title was {}", output::quoted(&before.title)));
        undo.push(format!("--title={}", quote(&before.title)));
    }
    let only = |of: &SessionView, not: &SessionView| -> Vec<String> {
        of.tags.iter().filter(|tag| !not.tags.contains(tag)).map(|t| output::one_line(t)).collect()
    };
    let (on, off) = (only(after, before), only(before, after));
    for tag in &on {
        said.push(format!("tag {tag} is on"));
    }
    for tag in &off {
        said.push(format!("tag {tag} is off"));
    }
    if before.pinned != after.pinned {
        said.push(if after.pinned { "it is pinned" } else { "it is not pinned any more" }.into());
        undo.push(if before.pinned { "--pin" } else { "--unpin" }.to_owned());
    }
    if before.notes != after.notes {
        let gone = after.notes.is_empty();
        said.push(if gone { "its note is gone" } else { "its note is another" }.to_owned());
        undo.push(format!("--note={}", quote(&before.notes)));
    }
    undo.extend(on.iter().map(|tag| format!("--untag={}", quote(tag))));
    undo.extend(off.iter().map(|tag| quote(&format!("+{tag}"))));
    let title = output::quoted(&after.title);
    if said.is_empty() {
        return format!("{title} was so already; nothing was changed.");
    }
    format!(
        "{title} was changed: {}. Undo with `qd edit {} {}`.",
        said.join(", "),
        after.id,
        undo.join(" ")
    )
}

fn plus(text: &str) -> Result<String, String> {
    let name = text.strip_prefix('+');
    tag(name.ok_or("a tag has + or - before it, such as +review or -draft")?)
}

fn tag(text: &str) -> Result<String, String> {
    Tag::parse(text).map(|tag| tag.as_str().to_owned()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::table::tests::session;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        let cli = Cli::try_parse_from(spelled(line.split(' ').map(OsString::from).collect()))?;
        let Some(Command::Edit(arguments)) = cli.command else { panic!("not edit") };
        Ok(arguments)
    }

    #[test]
    fn tags_and_options_stand_in_any_order() {
        for line in [
            "qd edit k +a -bug --pin --json",
            "qd edit k --pin +a --json -bug",
            "qd edit --pin --json k +a -bug",
        ] {
            let arguments = parsed(line).unwrap();
            assert!(arguments.pin, "{line}");
            assert_eq!(
                (&arguments.on[..], &arguments.untag[..]),
                (&["a".to_owned()][..], &["bug".to_owned()][..]),
                "{line}"
            );
        }
        let arguments = parsed("qd edit k --title -x --note --y").unwrap();
        assert_eq!(arguments.title.as_deref(), Some("-x"));
        assert_eq!(arguments.note.as_deref(), Some("--y"));
    }

    #[test]
    fn only_tags_of_this_command_are_spelled_out() {
        for line in
            ["qd send edit -x", "qd --home edit ls -x", "qd edit k --title -x", "qd edit k -- -x"]
        {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(spelled(args.clone()), args, "{line}");
        }
        assert!(
            spelled(["qd", "--home", "h", "edit", "k", "-x"].map(OsString::from).to_vec())
                .contains(&"--untag=x".into())
        );
    }

    #[test]
    fn nothing_to_do_and_what_is_no_tag_are_refused() {
        for line in
            ["qd edit k", "qd edit k a", "qd edit k +", "qd edit k +a,b", "qd edit k --nope"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
        assert!(parsed("qd edit k --pin --unpin").is_err());
    }

    #[test]
    fn what_is_told_undoes_what_was_done() {
        let mut before = session("kabc2345wxyz", "-x it's");
        before.tags = vec!["a".into(), "b".into()];
        let mut after = before.clone();
        after.title = "New".into();
        after.tags = vec!["b".into(), "c".into()];
        after.pinned = true;
        let line = told(&before, &after);
        let undo = line.split('`').nth(1).unwrap();
        let args = words::split(undo).unwrap().0;
        let Some(Command::Edit(arguments)) = Cli::try_parse_from(args).unwrap().command else {
            panic!("not edit: {line}")
        };
        let change = change(&arguments, &after);
        assert_eq!(change.title.as_deref(), Some("-x it's"));
        assert_eq!(change.pinned, Some(false));
        assert_eq!(change.tags, Some(vec!["b".to_owned(), "a".to_owned()]));
        assert!(told(&before, &before).contains("nothing was changed"));
    }
}
