mod screens;

use std::fs::Permissions;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use qd_core::Code;
use qd_daemon::backup::{Manifest, Options, pack};
use serde_json::json;

use super::export::target::{not_written, taken};
use crate::context::Context;
use crate::failure::Failure;
use crate::teller::Teller;
use crate::{clock, output, serve, start};

/// Write the home into one file, while the daemon runs or not
#[derive(Debug, Args)]
#[command(
    after_help = "In it are the sessions with their history, the devices and the owner's token, \
    the worktrees of paused sessions and of those in the trash, and last screens. Whoever has the \
    file can come in: keep it as you keep a key. Repositories are not in it; commits are safe \
    there.\n\nExample: qd backup ~/qd-backup.tar"
)]
pub struct Arguments {
    /// The file to write, a tar; it appears whole or not at all
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// The worktrees that sessions work in now, too; what changes meanwhile may be mixed
    #[arg(long)]
    worktrees: bool,
    /// Leave out the worktrees of paused sessions and of those in the trash, too
    #[arg(long, conflicts_with = "worktrees")]
    no_worktrees: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    start::by_the_owner(&context.home)?;
    let file = std::path::absolute(&arguments.file)?;
    if !arguments.force && file.symlink_metadata().is_ok() {
        return Err(taken(&file));
    }
    if !context.home.join("quarterdeck.db").is_file() {
        return Err(Failure::new(
            Code::PathMissing,
            format!("{} is no home of Quarterdeck: nothing to back up.", context.home.display()),
            "Name the home with `--home DIR` or QD_HOME.",
        ));
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    let failed = |error: &std::io::Error| not_written(&file, error);
    // Beside the file: what is copied first is as large as what comes of it.
    let private = Permissions::from_mode(0o700);
    let scratch = tempfile::Builder::new()
        .prefix(".qd-backup-")
        .permissions(private)
        .tempdir_in(folder)
        .map_err(|error| failed(&error))?;
    let screens = screens::fetch(&context.client(), &scratch.path().join("screens")).await?;
    let options = Options {
        home: context.home.canonicalize()?,
        parked: !arguments.no_worktrees,
        worktrees: arguments.worktrees,
        screens,
        version: serve::VERSION.to_owned(),
        made_at: qd_api::rfc3339(clock::now()),
    };
    // Mode 0600 from the first byte on.
    let mut half = tempfile::Builder::new()
        .prefix(".qd-backup-")
        .tempfile_in(folder)
        .map_err(|error| failed(&error))?;
    let mut teller = Teller::new("written");
    let out = BufWriter::with_capacity(1 << 20, half.as_file_mut());
    let manifest = pack(&options, scratch.path(), out, &mut |progress| {
        teller.tell(progress.entries, progress.bytes);
    })?;
    half.flush().and_then(|()| half.as_file().sync_all()).map_err(|error| failed(&error))?;
    let size = half.as_file().metadata().map_err(|error| failed(&error))?.len();
    let kept = if arguments.force { half.persist(&file) } else { half.persist_noclobber(&file) };
    kept.map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => taken(&file),
        _ => failed(&error.error),
    })?;
    tell(&manifest, &file, size, context.json)
}

fn tell(manifest: &Manifest, file: &Path, size: u64, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(&json!({
            "file": file, "bytes": size, "parts": manifest.parts, "notes": manifest.notes,
        }));
    }
    for note in &manifest.notes {
        output::note(&format!("qd: {}", output::plain(note)));
    }
    let worktrees = manifest.parts.iter().filter(|part| part.name.starts_with("trash/")).count();
    output::line(&format!(
        "{}: {}, with {worktrees} put-away worktrees. Keep it as you keep a key.",
        output::plain(&file.display().to_string()),
        crate::teller::bytes(size),
    ))
}
