use qd_core::Code;

use crate::context::Context;
use crate::failure::Failure;
use crate::{browser, output, serve, start};

/// `qd` alone: starts the daemon if none runs, prints the login link, and opens it at a terminal.
pub async fn run(context: &Context) -> Result<(), Failure> {
    let (client, started) = start::ensure(context).await?;
    let serving = if let Some(serving) = started {
        serving
    } else {
        let mut serving = start::read_serving(&context.home).ok_or_else(|| {
            Failure::new(
                Code::Internal,
                "A daemon runs, and its home does not say where its page is.",
                "Restart it: `qd stop`, then `qd`. Sessions go on meanwhile.",
            )
        })?;
        let code = client.login_code().await?;
        serving.login_url = format!("{}/login#{}", serving.url, code.code);
        serving
    };
    if serving.version != serve::VERSION {
        output::note(&format!(
            "qd: The daemon is version {}, this program {}. `qd serve --replace --detach` takes \
             over; no session ends.",
            output::plain(&serving.version),
            serve::VERSION,
        ));
    }
    if context.json {
        return output::json(&serving);
    }
    output::line(&serving.login_url)?;
    if output::at_terminal() {
        browser::forget_old(&context.home);
        browser::open(&context.home, &serving.login_url);
    }
    Ok(())
}
