use crate::agent::{Agent, Prompt};

/// Aider. Its `--message` ends it after the answer, so that it takes no first prompt.
#[derive(Debug)]
pub(crate) struct Aider;

impl Agent for Aider {
    fn name(&self) -> &str {
        "aider"
    }

    fn title(&self) -> &str {
        "Aider"
    }

    fn program(&self) -> &str {
        "aider"
    }

    fn install(&self) -> Option<&str> {
        Some("python3 -m pip install aider-chat")
    }

    fn prompt(&self) -> Prompt {
        Prompt::None
    }
}
