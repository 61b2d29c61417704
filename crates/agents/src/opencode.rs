use crate::agent::{Agent, Prompt};

/// opencode.
#[derive(Debug)]
pub(crate) struct Opencode;

impl Agent for Opencode {
    fn name(&self) -> &str {
        "opencode"
    }

    fn title(&self) -> &str {
        "opencode"
    }

    fn program(&self) -> &str {
        "opencode"
    }

    fn install(&self) -> Option<&str> {
        Some("npm install -g opencode-ai")
    }

    fn prompt(&self) -> Prompt {
        Prompt::Option("--prompt".to_owned())
    }
}
