use qd_core::AttentionState;

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

    fn title_says(&self, title: &str) -> Option<AttentionState> {
        match title.chars().next() {
            Some('\u{25c7}') => Some(AttentionState::Idle),
            Some('\u{2726}') => Some(AttentionState::Working),
            Some('\u{270b}') => Some(AttentionState::Permission),
            _ => None,
        }
    }
}
