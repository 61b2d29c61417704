mod pager;
mod stat;
mod unified;

use clap::Args;
use qd_api::{DiffFile, DiffReply, FilePatch};
use qd_client::Client;
use qd_core::Code;
use serde_json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output};

/// Show what a session changed against its base, untracked files included
#[derive(Debug, Args)]
#[command(
    after_help = "At a terminal it is coloured, unless NO_COLOR is set, and shown by $PAGER \
    or less.\n\nExample: qd diff kabc --stat"
)]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Only how much changed in which file
    #[arg(long)]
    stat: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let mut diff = client.diff(&arguments.id).await?;
    let colours = output::colours();
    if arguments.stat {
        if context.json {
            return output::json(&diff);
        }
        return output::raw(stat::text(&diff, output::width().unwrap_or(80), colours).as_bytes());
    }
    if context.json {
        let mut patches = vec![];
        let mut files = vec![];
        for file in std::mem::take(&mut diff.files) {
            if let Some(patch) = patch(&client, &arguments.id, &file).await? {
                patches.push(patch);
                files.push(file);
            }
        }
        diff.files = files;
        return output::json(&with_patches(&diff, &patches)?);
    }
    // Each as soon as it is there: there may be thousands, and the person may need a few.
    let mut shown = pager::Shown::open();
    for file in &diff.files {
        let Some(patch) = patch(&client, &arguments.id, file).await? else { continue };
        let mut text = String::new();
        unified::write(&mut text, file, &patch, output::at_terminal(), colours);
        if !shown.add(&text)? {
            break;
        }
    }
    shown.close()?;
    if diff.truncated {
        output::note("qd: The list of files was cut.");
    }
    Ok(())
}

/// What changed in one file; none when it is as it was in the base again, or gone.
async fn patch(client: &Client, id: &str, file: &DiffFile) -> Result<Option<FilePatch>, Failure> {
    // A person sees all that is not binary; a page would ask before it shows large ones.
    match client.file_patch(id, &file.path, file.old_path.as_deref(), true).await {
        Ok(patch) => Ok(Some(patch)),
        // The program works on.
        Err(problem) if problem.code == Code::PathMissing => {
            let path = output::plain(&file.path);
            output::note(&format!("qd: {path} changed while it was read, and is left out."));
            Ok(None)
        }
        Err(problem) => Err(problem.into()),
    }
}

/// The reply with each file's patch in it.
fn with_patches(diff: &DiffReply, patches: &[FilePatch]) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(diff)?;
    let files = value.get_mut("files").and_then(Value::as_array_mut);
    for (file, patch) in files.into_iter().flatten().zip(patches) {
        if let Some(file) = file.as_object_mut() {
            file.insert("patch".to_owned(), patch.patch.clone().into());
            file.insert("patch_truncated".to_owned(), patch.truncated.into());
        }
    }
    Ok(value)
}
