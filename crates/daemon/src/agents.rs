//! The programs that can be started by name: where they are and how they take a first prompt.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use qd_api::AgentInfo;
use qd_core::{Code, Problem};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long a program may take to tell its version.
const VERSION_WITHIN: Duration = Duration::from_secs(5);

/// How long a version that was told is not asked for again.
const VERSION_HOLDS: Duration = Duration::from_secs(60);

/// One program that is known by name.
#[derive(Debug)]
pub(crate) struct Agent {
    /// Its name in requests.
    pub(crate) name: &'static str,
    title: &'static str,
    program: &'static str,
    install: &'static str,
    prompt: PromptForm,
}

/// How a program takes its first prompt as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptForm {
    /// As its last argument, after `--`.
    Last,
    /// As the value of an option, in one word with it, so that a leading dash is no option.
    Option(&'static str),
    /// Not at all: its prompt option ends the program afterwards, or it has none.
    None,
}

const KNOWN: [Agent; 5] = [
    Agent {
        name: "claude",
        title: "Claude Code",
        program: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        prompt: PromptForm::Last,
    },
    Agent {
        name: "codex",
        title: "Codex",
        program: "codex",
        install: "npm install -g @openai/codex",
        prompt: PromptForm::Last,
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        install: "npm install -g @google/gemini-cli",
        prompt: PromptForm::Option("--prompt-interactive"),
    },
    Agent {
        name: "opencode",
        title: "opencode",
        program: "opencode",
        install: "npm install -g opencode-ai",
        prompt: PromptForm::Option("--prompt"),
    },
    Agent {
        name: "aider",
        title: "Aider",
        program: "aider",
        install: "python3 -m pip install aider-chat",
        prompt: PromptForm::None,
    },
];

/// The name of a plain shell.
pub(crate) const SHELL: &str = "shell";
/// The name of any other program.
pub(crate) const COMMAND: &str = "command";

/// What to run for a request: the agent's name and the argument vector.
///
/// # Errors
/// An unknown agent, one that is not installed, an empty command, or a prompt for a program
/// that takes none.
pub(crate) fn argv(
    agent: Option<&str>,
    command: Option<Vec<String>>,
    prompt: Option<&str>,
    path: &str,
    shell: Option<&str>,
) -> Result<(String, Vec<String>), Problem> {
    let prompt = prompt.filter(|p| !p.trim().is_empty());
    if let Some(argv) = command {
        let name = agent.unwrap_or(COMMAND).to_owned();
        if argv.first().is_none_or(String::is_empty) {
            return Err(Problem::new(
                Code::FieldInvalid,
                "The command is empty.",
                "Name a program and its arguments, or leave the command out for a shell.",
            )
            .on("command"));
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(Problem::new(
                Code::FieldInvalid,
                "The command has a NUL character.",
                "No program can be given one as an argument.",
            )
            .on("command"));
        }
        refuse_prompt(&name, prompt)?;
        return Ok((name, argv));
    }
    let name = agent.unwrap_or(SHELL);
    if name == SHELL {
        refuse_prompt(name, prompt)?;
        let shell = shell.filter(|s| is_program(Path::new(s))).unwrap_or("/bin/sh");
        return Ok((name.to_owned(), vec![shell.to_owned()]));
    }
    let Some(agent) = KNOWN.iter().find(|a| a.name == name) else {
        let names: Vec<_> = KNOWN.iter().map(|a| a.name).collect();
        return Err(Problem::new(
            Code::AgentUnknown,
            "No agent of that name is known.",
            format!(
                "Known are {} and {SHELL}; any other program runs with `--command`.",
                names.join(", ")
            ),
        )
        .on("agent"));
    };
    let Some(program) = find(agent.program, path) else {
        return Err(Problem::new(
            Code::AgentMissing,
            format!(
                "{} is not installed: no program `{}` is on the PATH.",
                agent.title, agent.program
            ),
            format!("Get it with `{}`, then try again.", agent.install),
        )
        .on("agent"));
    };
    let mut argv = vec![program.to_string_lossy().into_owned()];
    match (prompt, agent.prompt) {
        (None, _) => {}
        (Some(prompt), PromptForm::Last) => argv.extend(["--".to_owned(), prompt.to_owned()]),
        (Some(prompt), PromptForm::Option(option)) => argv.push(format!("{option}={prompt}")),
        (Some(_), PromptForm::None) => refuse_prompt(agent.title, prompt)?,
    }
    Ok((agent.name.to_owned(), argv))
}

/// What is known of the agents, so that nobody waits again for what was asked just now.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    known: watch::Sender<Known>,
}

/// The versions that programs told, each with when.
type Known = HashMap<PathBuf, (Instant, Option<String>)>;

impl Agents {
    /// All agents, with where they are now, and the version that each told within a minute.
    pub(crate) async fn list(&self, path: &str, shell: Option<&str>) -> Vec<AgentInfo> {
        let now = Instant::now();
        let fresh: Known = self.known.borrow().clone();
        let fresh =
            fresh.into_iter().filter(|(_, (at, _))| now.duration_since(*at) < VERSION_HOLDS);
        let (agents, known) = look(path, shell, fresh.collect()).await;
        self.known.send_replace(known);
        agents
    }
}

/// All agents, as they are now.
pub(crate) async fn list(path: &str, shell: Option<&str>) -> Vec<AgentInfo> {
    look(path, shell, Known::new()).await.0
}

/// All agents. Programs whose version is not known are asked, all at the same time.
async fn look(path: &str, shell: Option<&str>, mut known: Known) -> (Vec<AgentInfo>, Known) {
    let found: Vec<Option<PathBuf>> = KNOWN.iter().map(|agent| find(agent.program, path)).collect();
    let mut asked = JoinSet::new();
    for program in found.iter().flatten().filter(|program| !known.contains_key(*program)) {
        let (program, path) = (program.clone(), path.to_owned());
        asked.spawn(async move {
            let version = version(&program, &path).await;
            (program, version)
        });
    }
    while let Some(told) = asked.join_next().await {
        let Ok((program, version)) = told else { continue };
        known.insert(program, (Instant::now(), version));
    }
    let version = |program: &PathBuf| known.get(program).and_then(|(_, version)| version.clone());
    let mut agents: Vec<AgentInfo> = KNOWN
        .iter()
        .zip(&found)
        .map(|(agent, found)| AgentInfo {
            name: agent.name.to_owned(),
            title: agent.title.to_owned(),
            found: found.as_ref().map(|program| program.to_string_lossy().into_owned()),
            version: found.as_ref().and_then(version),
            install: Some(agent.install.to_owned()),
            takes_prompt: agent.prompt != PromptForm::None,
        })
        .collect();
    agents.push(AgentInfo {
        name: SHELL.to_owned(),
        title: "Plain shell".to_owned(),
        found: Some(shell.filter(|s| is_program(Path::new(s))).unwrap_or("/bin/sh").to_owned()),
        version: None,
        install: None,
        takes_prompt: false,
    });
    (agents, known)
}

/// The first program of that name on a PATH.
pub(crate) fn find(program: &str, path: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
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

/// What a program says to `--version`: its first word that begins with a digit.
async fn version(program: &Path, path: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks a program its version")]
    let output = tokio::process::Command::new(program)
        .arg("--version")
        .env("PATH", path)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(VERSION_WITHIN, output).await.ok()?.ok()?;
    let text =
        String::from_utf8_lossy(output.stdout.get(..4096).unwrap_or(&output.stdout)).into_owned();
    text.split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| word.chars().take(40).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str) -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join(name);
        std::fs::write(&program, "#!/bin/sh\necho tool v1.2.3\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = dir.path().to_string_lossy().into_owned();
        (dir, path)
    }

    #[test]
    fn a_prompt_is_never_read_as_an_option() {
        let (_dir, path) = with("claude");
        let (_, argv) = argv(Some("claude"), None, Some("--help"), &path, None).unwrap();
        assert_eq!(argv[1..], ["--", "--help"]);
        let (_dir, path) = with("gemini");
        let (_, argv) = super::argv(Some("gemini"), None, Some("-x y"), &path, None).unwrap();
        assert_eq!(argv[1..], ["--prompt-interactive=-x y"]);
    }

    #[test]
    fn what_is_missing_says_how_to_get_it() {
        let problem = argv(Some("claude"), None, None, "/nowhere", None).unwrap_err();
        assert_eq!(problem.code, Code::AgentMissing);
        assert!(problem.hint.contains("npm install"), "{problem}");
        let problem = argv(Some("nobody"), None, None, "/nowhere", None).unwrap_err();
        assert_eq!(problem.code, Code::AgentUnknown);
    }

    #[test]
    fn a_shell_takes_no_prompt_and_a_command_is_not_empty() {
        assert_eq!(argv(None, None, None, "", None).unwrap().1, ["/bin/sh"]);
        assert!(argv(None, None, Some("hi"), "", None).is_err());
        assert!(argv(None, Some(vec![]), None, "", None).is_err());
        assert!(argv(None, Some(vec!["a\0b".into()]), None, "", None).is_err());
    }

    #[tokio::test]
    async fn the_version_is_the_first_number() {
        let (dir, path) = with("codex");
        let agents = list(&path, None).await;
        let codex = agents.iter().find(|a| a.name == "codex").unwrap();
        assert_eq!(codex.version.as_deref(), Some("1.2.3"));
        assert!(codex.found.as_deref().unwrap().starts_with(&*dir.path().to_string_lossy()));
        assert!(agents.iter().any(|a| a.name == "claude" && a.found.is_none()));
    }

    #[tokio::test]
    async fn programs_are_asked_at_the_same_time_and_once_in_a_minute() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().display();
        for (name, other) in [("claude", "codex"), ("codex", "claude")] {
            let program = dir.path().join(name);
            // Each answers once the other was asked.
            let script = format!(
                "#!/bin/sh\necho x >> {place}/{name}.asked\n\
                 while [ ! -e {place}/{other}.asked ]; do sleep 0.01; done\necho 1.2.3\n"
            );
            std::fs::write(&program, script).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{place}:/usr/bin:/bin");
        let agents = Agents::default();
        for _ in 0..2 {
            let list = agents.list(&path, None).await;
            for name in ["claude", "codex"] {
                let agent = list.iter().find(|agent| agent.name == name).unwrap();
                assert_eq!(agent.version.as_deref(), Some("1.2.3"), "{name}");
            }
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("claude.asked")).unwrap(), "x\n");
    }
}
