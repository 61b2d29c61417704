use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long a program may take to tell its version.
const VERSION_WITHIN: Duration = Duration::from_secs(5);
/// How long a version that was told is not asked for again.
const VERSION_HOLDS: Duration = Duration::from_secs(60);

/// The versions that programs told, so that nobody waits again for what was asked just now.
#[derive(Debug, Default)]
pub struct Versions {
    told: watch::Sender<Told>,
}

/// Each with when.
type Told = HashMap<PathBuf, (Instant, Option<String>)>;

impl Versions {
    /// The versions of programs. Those that did not tell within a minute are asked, all at the
    /// same time.
    pub async fn of(
        &self,
        programs: impl IntoIterator<Item = PathBuf>,
        path: &str,
    ) -> HashMap<PathBuf, String> {
        let now = Instant::now();
        let mut told: Told = self.told.borrow().clone();
        told.retain(|_, (at, _)| now.duration_since(*at) < VERSION_HOLDS);
        let mut asked = JoinSet::new();
        for program in programs {
            if told.contains_key(&program) {
                continue;
            }
            let path = path.to_owned();
            asked.spawn(async move {
                let version = ask(&program, &path).await;
                (program, version)
            });
        }
        while let Some(answer) = asked.join_next().await {
            let Ok((program, version)) = answer else { continue };
            told.insert(program, (Instant::now(), version));
        }
        self.told.send_replace(told.clone());
        told.into_iter().filter_map(|(program, (_, version))| Some((program, version?))).collect()
    }
}

/// What a program says to `--version`: its first word that begins with a digit.
async fn ask(program: &Path, path: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks a program its version")]
    let output = tokio::process::Command::new(program)
        .arg("--version")
        .env("PATH", path)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(VERSION_WITHIN, output).await.ok()?.ok()?;
    let text =
        String::from_utf8_lossy(output.stdout.get(..4096).unwrap_or(&output.stdout)).into_owned();
    text.split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| word.chars().take(40).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(at: &Path, script: &str) -> PathBuf {
        std::fs::write(at, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755)).unwrap();
        at.to_path_buf()
    }

    #[tokio::test]
    async fn the_version_is_the_first_number() {
        let dir = tempfile::tempdir().unwrap();
        let tells = program(&dir.path().join("tells"), "echo tool v1.2.3 4");
        let silent = program(&dir.path().join("silent"), "echo none; exit 1");
        let versions = Versions::default().of([tells.clone(), silent.clone()], "/bin").await;
        assert_eq!(versions.get(&tells).map(String::as_str), Some("1.2.3"));
        assert_eq!(versions.get(&silent), None);
    }

    #[tokio::test]
    async fn programs_are_asked_at_the_same_time_and_once_in_a_minute() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().display();
        let both = [("a", "b"), ("b", "a")].map(|(name, other)| {
            // Each answers once the other was asked.
            let script = format!(
                "echo x >> {place}/{name}.asked\n\
                 while [ ! -e {place}/{other}.asked ]; do sleep 0.01; done\necho 1.2.3"
            );
            program(&dir.path().join(name), &script)
        });
        let versions = Versions::default();
        for _ in 0..2 {
            assert_eq!(versions.of(both.clone(), "/usr/bin:/bin").await.len(), 2);
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("a.asked")).unwrap(), "x\n");
    }
}
