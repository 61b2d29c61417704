use clap::Args;
use qd_api::ConfigView;

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// Show what is in force in the daemon, and where each value came from
#[derive(Debug, Args)]
#[command(after_help = "A value comes from a flag of `qd serve`, from the environment, from \
    HOME/config.toml, or is the default. Secrets are not shown.\n\nExample: qd config")]
pub struct Arguments {}

/// Runs the command.
pub async fn run(_: Arguments, context: &Context) -> Result<(), Failure> {
    let config = context.client().config().await?;
    if context.json {
        return output::json(&config);
    }
    output::raw(text(&config).as_bytes())
}

fn text(config: &ConfigView) -> String {
    let mut text = String::new();
    let mut group = "";
    for value in &config.values {
        if value.group != group {
            let gap = if group.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{}\n", output::one_line(&value.group)));
            group = &value.group;
        }
        let shown = value.value.as_deref().unwrap_or("not set");
        text.push_str(&format!(
            "  {:<22}  {}  ({})\n  {:<22}  {}\n",
            output::one_line(&value.name),
            output::one_line(shown),
            output::one_line(&value.source),
            "",
            output::one_line(&value.change),
        ));
    }
    text
}
