use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use qd_client::Client;
use qd_core::{Code, Problem};
use qd_daemon::backup::kept_screen;

use crate::failure::Failure;

/// Writes the screens of sessions that run into a folder, since a home holds only those of others.
/// None when no daemon runs.
pub async fn fetch(client: &Client, folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let sessions = match client.sessions().await {
        Ok(sessions) => sessions,
        Err(problem) if problem.code == Code::NoDaemon => return Ok(None),
        Err(problem) => return Err(problem.into()),
    };
    for session in sessions.iter().filter(|session| session.state == "running") {
        match one(client, &session.id).await {
            Ok((screen, output)) => {
                let place = folder.join(&session.id);
                DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
                std::fs::write(place.join("screen"), screen)?;
                std::fs::write(place.join("output"), output)?;
            }
            // It ended or went meanwhile; then the home has its last screen.
            Err(problem) if matches!(problem.code, Code::UnknownSession | Code::StateConflict) => {}
            Err(problem) => return Err(problem.into()),
        }
    }
    Ok(Some(folder.to_path_buf()))
}

async fn one(client: &Client, id: &str) -> Result<(Vec<u8>, Vec<u8>), Problem> {
    // The output first: all of it that the screen does not show yet is cut off.
    let output = client.logs(id, None).await?;
    let screen = client.screen(id, true, true).await?;
    Ok(kept_screen(&screen, output.seq, &output.bytes))
}
