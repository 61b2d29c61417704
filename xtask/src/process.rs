use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// What a program prints, when it ends well.
pub fn output(folder: &Path, program: &str, args: &[&str]) -> Result<String> {
    let done = command(folder, program, args)
        .output()
        .with_context(|| format!("{program} could not be started"))?;
    if !done.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Runs a program to its end, with what it prints passed on.
pub fn run(folder: &Path, program: &str, args: &[&str]) -> Result<()> {
    let status = command(folder, program, args)
        .status()
        .with_context(|| format!("{program} could not be started"))?;
    if !status.success() {
        bail!("{program} failed: {status}");
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the one home of processes in this crate")]
fn command(folder: &Path, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args);
    command
}
