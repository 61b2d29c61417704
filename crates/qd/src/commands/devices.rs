use clap::{Args, Subcommand};
use qd_api::Device;
use qd_core::Millis;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::{clock, output};

/// List the devices that may come in, or take one's right away
#[derive(Debug, Args)]
#[command(after_help = "A login link makes a device. `qd devices revoke ID` closes its terminals \
    and event streams at once; it needs a new login link then. The owner's token in HOME/token \
    and the Unix socket are no devices.\n\n\
    Example: qd devices\n\
    Example: qd devices revoke 3f9a0c51b2de")]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Take a device's right to come in away
    #[command(after_help = "Example: qd devices revoke 3f9a0c51b2de")]
    Revoke {
        /// The device's id, as `qd devices` lists it
        #[arg(value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        id: String,
    },
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    if let Some(Command::Revoke { id }) = arguments.command {
        client.revoke(&id).await?;
        if context.json {
            return output::json(&json!({ "revoked": id }));
        }
        return output::line(&format!("{} may not come in any more.", output::plain(&id)));
    }
    let devices = client.devices().await?;
    if context.json {
        return output::json(&devices);
    }
    if devices.is_empty() {
        output::note("No devices. `qd` prints a login link for one.");
        return Ok(());
    }
    output::raw(table(&devices, clock::now()).as_bytes())
}

fn table(devices: &[Device], now: Millis) -> String {
    let mut text = format!("{:<12}  {:<8}  {:<8}  NAME\n", "ID", "SEEN", "SINCE");
    for device in devices {
        let seen = device.last_seen.as_deref().map(|seen| clock::ago(seen, now));
        text.push_str(&format!(
            "{:<12}  {:<8}  {:<8}  {}\n",
            output::plain(&device.id),
            seen.as_deref().unwrap_or("never"),
            clock::ago(&device.created_at, now),
            output::plain(&device.name),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_shown_without_what_a_terminal_obeys() {
        let now = Millis(1_000_000_000_000);
        let at = |seconds: i64| qd_api::rfc3339(Millis(now.0 - seconds * 1000));
        let device = |name: &str, last_seen| Device {
            id: "3f9a0c51b2de".into(),
            name: name.into(),
            created_at: at(86_400),
            last_seen,
            current: false,
        };
        let text = table(&[device("phone", Some(at(120))), device("a\u{1b}[2Jb", None)], now);
        assert_eq!(
            text,
            "ID            SEEN      SINCE     NAME\n\
             3f9a0c51b2de  2m        1d        phone\n\
             3f9a0c51b2de  never     1d        a\u{fffd}[2Jb\n"
        );
    }
}
