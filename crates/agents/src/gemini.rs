use crate::agent::{Agent, Prompt, words};

/// Gemini CLI.
#[derive(Debug)]
pub(crate) struct Gemini;

impl Agent for Gemini {
    fn name(&self) -> &str {
        "gemini"
    }

    fn title(&self) -> &str {
        "Gemini CLI"
    }

    fn program(&self) -> &str {
        "gemini"
    }

    fn install(&self) -> Option<&str> {
        Some("npm install -g @google/gemini-cli")
    }

    fn prompt(&self) -> Prompt {
        Prompt::Option("--prompt-interactive".to_owned())
    }

    fn begin(&self, id: &str) -> Option<Vec<String>> {
        words(["--session-id", id])
    }
}
