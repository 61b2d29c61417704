//! From what a person asks for to what a session is to be: checked as far as it can be before
//! anything is made.

mod program;

use std::path::{Path, PathBuf};

use qd_agents::{Catalog, Started, Wanted};
use qd_api::NewSession;
use qd_core::{Code, Kind, Launch, NameError, OnLoss, Problem, Size, Tag, Title};
use qd_git::{Git, GitError, Repo};

use crate::{agents, problems};

/// Characters of a prompt or a command that make a title.
const TITLE_FROM: usize = 60;
/// Tags of one session.
const MOST_TAGS: usize = 50;

/// Reads a request; gives the repository that was found, too.
///
/// # Errors
/// The first field that cannot be, or what the repository says to it.
pub(crate) async fn read(
    request: NewSession,
    env: &std::collections::BTreeMap<String, String>,
    git: &Git,
    catalog: &Catalog,
) -> Result<(Launch, Option<Repo>), Problem> {
    let path = request.env.get("PATH").or_else(|| env.get("PATH")).map_or("", String::as_str);
    let shell = env.get("SHELL").map(String::as_str);
    let by_command = request.command.is_some();
    let id = agents::new_conversation()?;
    let wanted = Wanted {
        agent: request.agent.as_deref(),
        command: request.command,
        prompt: request.prompt.as_deref(),
        path,
        shell,
        id: &id,
    };
    let Started { agent, argv, conversation } = qd_agents::start(catalog, wanted)?;
    let title = match request.title.as_deref() {
        Some(title) => Title::parse(title).map_err(|error| title_problem(&error))?,
        None => title_from(request.prompt.as_deref(), &agent, &argv),
    };
    let tags = tags(&request.tags)?;
    check_env(&request.env)?;
    let kind = kind(
        request.in_place,
        request.worktree.as_deref(),
        request.branch.as_deref(),
        request.base.as_deref(),
    )?;
    let repo = request.worktree.unwrap_or(request.repo);
    let folder = folder(&repo)?;
    program::check(&argv[0], path, &folder, kind)?;
    let branch = request.branch.as_deref();
    let found = find_repository(git, &folder, kind, branch, request.base.as_deref()).await?;
    let launch = Launch {
        title,
        agent,
        argv,
        repo: folder.to_string_lossy().into_owned(),
        kind,
        branch: request.branch,
        base: request.base,
        tags,
        env: request.env,
        size: size(request.cols, request.rows)?,
        on_loss: on_loss(request.on_loss.as_deref(), by_command)?,
        conversation,
        parent: None,
        adopted: None,
    };
    Ok((launch, found))
}

/// Why a text is no title.
pub(crate) fn title_problem(error: &NameError) -> Problem {
    Problem::new(
        Code::TitleInvalid,
        format!("The title cannot be used: {error}."),
        "Give 1 to 200 characters without control characters; any other character is welcome.",
    )
    .on("title")
}

/// The tags of a session, each once. Every list of sessions carries them, so there are bounds.
///
/// # Errors
/// [`Code::TagInvalid`] when a text is no tag, or there are too many.
pub(crate) fn tags(texts: &[String]) -> Result<Vec<Tag>, Problem> {
    let mut tags: Vec<Tag> = vec![];
    for text in texts {
        let tag = Tag::parse(text).map_err(|error| tag_problem(&error))?;
        if tags.contains(&tag) {
            continue;
        }
        if tags.len() == MOST_TAGS {
            return Err(Problem::new(
                Code::TagInvalid,
                format!("A session has {MOST_TAGS} tags at most."),
                "Leave some out.",
            )
            .on("tags"));
        }
        tags.push(tag);
    }
    Ok(tags)
}

/// Why a text is no tag.
fn tag_problem(error: &NameError) -> Problem {
    Problem::new(
        Code::TagInvalid,
        format!("A tag cannot be used: {error}."),
        "Give one word of at most 50 characters.",
    )
    .on("tags")
}

fn title_from(prompt: Option<&str>, agent: &str, argv: &[String]) -> Title {
    let words = match prompt.map(str::trim).filter(|p| !p.is_empty()) {
        Some(prompt) => prompt.lines().next().unwrap_or_default().to_owned(),
        None if agent == qd_agents::COMMAND => {
            let name = Path::new(&argv[0]).file_name().map(|n| n.to_string_lossy().into_owned());
            std::iter::once(name.unwrap_or_default())
                .chain(argv[1..].iter().cloned())
                .collect::<Vec<_>>()
                .join(" ")
        }
        None => agent.to_owned(),
    };
    let clean: String =
        words.chars().map(|c| if c.is_control() { ' ' } else { c }).take(TITLE_FROM).collect();
    Title::parse(&clean)
        .or_else(|_| Title::parse(agent))
        .or_else(|_| Title::parse("session"))
        // The last is a constant that parses.
        .unwrap_or_else(|_| unreachable_title())
}

/// A title made from what there is, cut to what a title takes.
pub(crate) fn derived(words: &str) -> Title {
    title_from(Some(words), "pane", &[])
}

#[expect(clippy::unreachable, reason = "a constant that a test parses")]
fn unreachable_title() -> Title {
    unreachable!("`session` is a title")
}

fn kind(
    in_place: bool,
    worktree: Option<&str>,
    branch: Option<&str>,
    base: Option<&str>,
) -> Result<Kind, Problem> {
    let kind = match (in_place, worktree) {
        (true, Some(_)) => {
            return Err(Problem::new(
                Code::FieldInvalid,
                "A session works in place or in another worktree, not in both.",
                "Leave one of the two out.",
            )
            .on("worktree"));
        }
        (true, None) => Kind::InPlace,
        (false, Some(_)) => Kind::ExistingWorktree,
        (false, None) => return Ok(Kind::Worktree),
    };
    if branch.is_some() || base.is_some() {
        return Err(Problem::new(
            Code::FieldInvalid,
            "A session in a folder that is there takes the branch that it finds.",
            "Leave the branch and the base out, or let it have a worktree of its own.",
        )
        .on(if branch.is_some() { "branch" } else { "base" }));
    }
    Ok(kind)
}

fn folder(repo: &str) -> Result<PathBuf, Problem> {
    let missing = |text: &str| {
        Problem::new(
            Code::PathMissing,
            format!("There is no folder {text}."),
            "Give the path of a folder in a git repository.",
        )
        .on("repo")
    };
    if repo.is_empty() || repo.contains('\0') {
        return Err(missing("of that name"));
    }
    let path = Path::new(repo);
    if !path.is_absolute() {
        return Err(Problem::new(
            Code::FieldInvalid,
            format!("The path {repo} is relative; the daemon has no folder to take it from."),
            "Give an absolute path.",
        )
        .on("repo"));
    }
    match path.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        _ => Err(missing(repo)),
    }
}

/// What git alone can say is asked once here, so that a wrong name is an answer and not a failed
/// session. Git decides again when the worktree is made.
async fn find_repository(
    git: &Git,
    folder: &Path,
    kind: Kind,
    branch: Option<&str>,
    base: Option<&str>,
) -> Result<Option<Repo>, Problem> {
    let repo = match git.discover(folder).await {
        Ok(repo) => repo,
        Err(GitError::NotARepository { .. }) if kind == Kind::InPlace => return Ok(None),
        Err(error) => return Err(problems::git(&error)),
    };
    let known = async |name: &str| -> Result<bool, Problem> {
        Ok(repo.commit(name).await.map_err(|error| problems::git(&error))?.is_some())
    };
    if let Some(branch) = branch {
        if !qd_git::is_valid_branch_name(branch) {
            return Err(problems::git(&GitError::BranchInvalid { name: branch.to_owned() }));
        }
        if repo.branch_exists(branch).await.map_err(|error| problems::git(&error))?
            && let Some(path) = repo.checked_out_at(branch).await.map_err(|e| problems::git(&e))?
        {
            return Err(problems::git(&GitError::BranchCheckedOut {
                branch: branch.to_owned(),
                path,
            }));
        }
    }
    let never = |base: &str| base.is_empty() || base.starts_with('-') || base.contains('\0');
    if let Some(base) = base
        && (never(base) || !known(base).await?)
    {
        // A base that only the remote has is found by the fetch; a local name would be here.
        let remote = repo.default_remote().is_some();
        if !remote || never(base) {
            return Err(problems::git(&GitError::BaseMissing { name: base.to_owned() }));
        }
    }
    Ok(Some(repo))
}

fn check_env(env: &std::collections::BTreeMap<String, String>) -> Result<(), Problem> {
    let bad = env.iter().find(|(name, value)| {
        name.is_empty()
            || name.contains(['=', '\0'])
            || value.contains('\0')
            || name.starts_with("QD_")
    });
    match bad {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(
            Code::FieldInvalid,
            format!("The variable {:?} cannot be set.", name.chars().take(40).collect::<String>()),
            "A name has no `=` and no NUL and does not begin with QD_; a value has no NUL.",
        )
        .on("env")),
    }
}

fn size(cols: Option<u32>, rows: Option<u32>) -> Result<Size, Problem> {
    let (cols, rows) =
        (cols.unwrap_or(u32::from(Size::BORN.cols)), rows.unwrap_or(u32::from(Size::BORN.rows)));
    let clamped = Size::clamped(cols, rows);
    if u32::from(clamped.cols) == cols && u32::from(clamped.rows) == rows {
        return Ok(clamped);
    }
    Err(Problem::new(
        Code::FieldInvalid,
        format!("A terminal cannot have {cols} columns and {rows} rows."),
        "Give 2 to 1,000 columns and 1 to 500 rows, such as 120x40.",
    )
    .on("cols"))
}

fn on_loss(word: Option<&str>, by_command: bool) -> Result<OnLoss, Problem> {
    match word {
        None => Ok(if by_command { OnLoss::Stop } else { OnLoss::Resume }),
        Some("resume") => Ok(OnLoss::Resume),
        Some("rerun") => Ok(OnLoss::Rerun),
        Some("stop") => Ok(OnLoss::Stop),
        Some(_) => Err(Problem::new(
            Code::FieldInvalid,
            "What to do on a loss is `resume`, `rerun` or `stop`.",
            "Leave it out for what fits the program.",
        )
        .on("on_loss")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_made_from_what_there_is() {
        let argv = vec!["/usr/bin/make".to_owned(), "test".to_owned()];
        assert_eq!(title_from(None, "command", &argv).as_str(), "make test");
        assert_eq!(title_from(Some("Fix it\nnow"), "claude", &argv).as_str(), "Fix it");
        assert_eq!(title_from(Some("\u{1b}"), "claude", &argv).as_str(), "claude");
        assert_eq!(title_from(None, "shell", &argv).as_str(), "shell");
        assert!(Title::parse("session").is_ok());
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        assert!(kind(true, Some("/w"), None, None).is_err());
        assert!(kind(true, None, Some("b"), None).is_err());
        assert_eq!(kind(false, None, Some("b"), Some("c")), Ok(Kind::Worktree));
        assert!(size(Some(1), None).is_err());
        assert!(size(Some(u32::MAX), None).is_err());
        assert!(on_loss(Some("burn"), true).is_err());
    }

    #[test]
    fn a_tag_is_there_once_and_there_are_not_too_many() {
        let named = |names: &[String]| {
            tags(names).map(|tags| tags.iter().map(|tag| tag.as_str().to_owned()).collect())
        };
        let some = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(named(&some), Ok(vec!["b".to_owned(), "a".to_owned()]));
        let many: Vec<String> = (0..=MOST_TAGS).map(|n| format!("t{n}")).collect();
        assert_eq!(named(&many[1..]).map(|tags: Vec<String>| tags.len()), Ok(MOST_TAGS));
        assert_eq!(named(&many).unwrap_err().code, Code::TagInvalid);
        assert_eq!(named(&vec!["same".to_owned(); 1000]).map(|tags| tags.len()), Ok(1));
    }

    #[test]
    fn our_own_variables_cannot_be_forged() {
        let env =
            |name: &str| std::collections::BTreeMap::from([(name.to_owned(), "x".to_owned())]);
        assert!(check_env(&env("QD_SESSION")).is_err());
        assert!(check_env(&env("A=B")).is_err());
        assert!(check_env(&env("FOO")).is_ok());
    }
}
