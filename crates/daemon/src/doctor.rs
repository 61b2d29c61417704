//! What is missing or wrong on this machine, and the mend.

use qd_api::{Check, DoctorReport};

use crate::settings::Settings;
use crate::shared::Shared;

/// Least free room of the home's disk before it is a warning, in bytes.
const ROOM: u64 = 1024 * 1024 * 1024;

/// Looks at everything that a session needs.
pub(crate) async fn look(shared: &Shared) -> DoctorReport {
    let mut checks = Vec::new();
    checks.push(match shared.panes.version().await {
        Ok(version) => ok("tmux", format!("tmux {version}")),
        Err(problem) => wrong("tmux", &problem.message, &problem.hint),
    });
    checks.push(match shared.git.version().await {
        Ok(version) => ok("git", format!("git {version}")),
        Err(error) => {
            let problem = crate::problems::git(&error);
            wrong("git", &problem.message, &problem.hint)
        }
    });
    checks.push(home(shared));
    checks.push(room(shared));
    checks.push(settings(shared));
    let path = shared.env.get("PATH").map_or("", String::as_str);
    for agent in shared.agents.list(path, None).await {
        if agent.name == qd_agents::SHELL {
            continue;
        }
        if let Some(problem) = &agent.problem {
            checks.push(Check {
                name: agent.name.clone(),
                state: "warning".to_owned(),
                found: problem.clone(),
                mend: Some(
                    "Mend the file or move it away; all other agents can be used.".to_owned(),
                ),
            });
            continue;
        }
        checks.push(match (&agent.found, &agent.version) {
            (Some(found), Some(version)) => ok(&agent.name, format!("{version} at {found}")),
            (Some(found), None) => Check {
                name: agent.name.clone(),
                state: "warning".to_owned(),
                found: format!("{found} does not tell its version"),
                mend: Some(format!("Run `{found} --version` to see why.")),
            },
            // One agent is enough, and any program will do: a missing one is not wrong.
            (None, _) => Check {
                name: agent.name.clone(),
                state: "ok".to_owned(),
                found: "not installed".to_owned(),
                mend: agent.install.clone(),
            },
        });
    }
    DoctorReport { ok: checks.iter().all(|check| check.state != "wrong"), checks }
}

fn home(shared: &Shared) -> Check {
    use std::os::unix::fs::PermissionsExt as _;
    let root = shared.home.root();
    match std::fs::metadata(root) {
        Ok(about) if about.permissions().mode() & 0o077 == 0 => {
            ok("home", root.display().to_string())
        }
        Ok(_) => Check {
            name: "home".to_owned(),
            state: "warning".to_owned(),
            found: format!("{} can be read by others", root.display()),
            mend: Some(format!("Run `chmod 700 {}`.", root.display())),
        },
        Err(error) => wrong(
            "home",
            &format!("{}: {error}", root.display()),
            "Put the folder back, or start again with another home.",
        ),
    }
}

fn settings(shared: &Shared) -> Check {
    let name = "settings";
    let now = match Settings::read(shared.home.root()) {
        Ok(now) => now,
        Err(problem) => return wrong(name, &problem.message, &problem.hint),
    };
    let warning = |found: String, mend: &str| Check {
        name: name.to_owned(),
        state: "warning".to_owned(),
        found,
        mend: Some(mend.to_owned()),
    };
    if now != shared.settings {
        let found = format!("{}, but config.toml was changed since", shared.settings.words());
        return warning(found, "Start the daemon again: `qd stop`, then `qd`. No session ends.");
    }
    let pressure = crate::doze::Pressure::default().file;
    if now.hibernate.on_pressure && !pressure.exists() {
        let found = format!("on_pressure is set, and {} is not there", pressure.display());
        return warning(found, "Set a time with `after` instead; this system tells no pressure.");
    }
    ok(name, now.words())
}

fn room(shared: &Shared) -> Check {
    let name = "disk";
    match rustix::fs::statvfs(shared.home.root()) {
        Ok(about) => {
            let free = about.f_bavail.saturating_mul(about.f_frsize);
            let found = format!("{} MiB free", free / (1024 * 1024));
            if free < ROOM {
                Check {
                    name: name.to_owned(),
                    state: "warning".to_owned(),
                    found,
                    mend: Some(
                        "Free some room: worktrees and the trash are kept in the home.".to_owned(),
                    ),
                }
            } else {
                ok(name, found)
            }
        }
        Err(error) => wrong(name, &error.to_string(), "Check the disk of the home."),
    }
}

fn ok(name: &str, found: String) -> Check {
    Check { name: name.to_owned(), state: "ok".to_owned(), found, mend: None }
}

fn wrong(name: &str, found: &str, mend: &str) -> Check {
    Check {
        name: name.to_owned(),
        state: "wrong".to_owned(),
        found: found.to_owned(),
        mend: Some(mend.to_owned()),
    }
}
