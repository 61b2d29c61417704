use std::fs::File;
use std::path::PathBuf;

use clap::Args;
use qd_core::Code;
use qd_daemon::backup::{Restored, restore};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::teller::Teller;
use crate::{output, start};

/// Bring a backup back into an empty home
#[derive(Debug, Args)]
#[command(
    after_help = "Every sum in the file is checked before anything is written, and the home \
    appears whole or not at all. Worktrees come back by themselves only in a home at the same \
    path, beside the same repositories; of others it says where their files are.\n\n\
    Example: qd restore-backup ~/qd-backup.tar\n\
    Example: qd --home /tmp/look restore-backup ~/qd-backup.tar"
)]
pub struct Arguments {
    /// The file that `qd backup` wrote
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    start::by_the_owner(&context.home)?;
    let file = File::open(&arguments.file).map_err(|error| {
        Failure::new(
            Code::PathMissing,
            format!("{} cannot be read: {error}.", arguments.file.display()),
            "Name the file that `qd backup` wrote.",
        )
    })?;
    let mut teller = Teller::new("read");
    let restored = restore(file, &context.home, &mut |progress| {
        teller.tell(progress.entries, progress.bytes);
    })?;
    drop(teller);
    if context.json {
        return output::json(&json!({
            "home": context.home,
            "made_at": restored.manifest.head.made_at,
            "version": restored.manifest.head.version,
            "sessions": restored.sessions,
            "trashed": restored.trashed,
            "paused": restored.paused,
            "running": restored.running,
            "missing": restored.missing,
            "notes": restored.manifest.notes,
        }));
    }
    output::raw(text(&restored, context).as_bytes())
}

fn text(restored: &Restored, context: &Context) -> String {
    let mut text = format!(
        "{}: as it was at {}.\n{} sessions: {} in the trash, {} paused, {} had a program then.\n",
        output::plain(&context.home.display().to_string()),
        output::plain(&restored.manifest.head.made_at),
        restored.sessions,
        restored.trashed,
        restored.paused,
        restored.running,
    );
    for missing in restored.missing.iter().chain(&restored.manifest.notes) {
        text.push_str(&format!("- {}\n", output::plain(missing)));
    }
    text.push_str(
        "Start the daemon with `qd`. Programs that ran then start again where the session was \
         made with --on-loss resume or rerun; the others are there as ended.\n",
    );
    text
}
