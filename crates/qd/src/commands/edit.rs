use clap::{ArgAction, ArgGroup, Args};
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
        .args(["title", "note", "pin", "unpin", "tags"])),
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
    /// Tags to put on and to take off
    // Given one by one, so that options may stand among them and after them.
    #[arg(value_name = "+TAG|-TAG", num_args = 1, action = ArgAction::Append)]
    #[arg(allow_hyphen_values = true, value_parser = tag)]
    tags: Vec<TagChange>,
}

/// A tag that is put on or taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TagChange {
    On(String),
    Off(String),
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
    let tags = (!arguments.tags.is_empty()).then(|| tags(&before.tags, &arguments.tags));
    Change {
        title: arguments.title.clone(),
        notes: arguments.note.clone(),
        pinned,
        tags,
        ..Change::default()
    }
}

/// The tags after the changes, one after another.
fn tags(before: &[String], changes: &[TagChange]) -> Vec<String> {
    let mut tags = before.to_vec();
    for change in changes {
        match change {
            TagChange::On(tag) if !tags.contains(tag) => tags.push(tag.clone()),
            TagChange::On(_) => {}
            TagChange::Off(tag) => tags.retain(|known| known != tag),
        }
    }
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
    undo.extend(on.iter().map(|tag| quote(&format!("-{tag}"))));
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

fn tag(text: &str) -> Result<TagChange, String> {
    let (kind, name): (fn(String) -> TagChange, &str) =
        match (text.strip_prefix('+'), text.strip_prefix('-')) {
            (Some(name), _) => (TagChange::On, name),
            (_, Some(name)) => (TagChange::Off, name),
            _ => return Err("a tag has + or - before it, such as +review or -draft".to_owned()),
        };
    let name = Tag::parse(name).map_err(|error| error.to_string())?;
    Ok(kind(name.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::table::tests::session;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        let cli = Cli::try_parse_from(line.split(' '))?;
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
            let (on, off) = (TagChange::On("a".into()), TagChange::Off("bug".into()));
            assert_eq!(arguments.tags, [on, off], "{line}");
        }
        let arguments = parsed("qd edit k --title -x --note --y").unwrap();
        assert_eq!(arguments.title.as_deref(), Some("-x"));
        assert_eq!(arguments.note.as_deref(), Some("--y"));
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
