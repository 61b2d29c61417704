//! The service manager of this machine: systemd of the user, or launchd.

use std::path::PathBuf;
use std::process::Stdio;

use qd_core::Code;

use super::{Unit, launchd, systemd};
use crate::failure::Failure;
use crate::process::command;

/// Where the unit is, and for whom.
pub struct Manager {
    kind: Kind,
    pub path: PathBuf,
}

enum Kind {
    Systemd,
    Launchd,
}

impl Manager {
    /// The one of this system, whether it answers or not.
    pub fn here() -> Result<Self, Failure> {
        let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let no_home = || {
            Failure::new(
                Code::FieldInvalid,
                "HOME is not set: there is no place for a unit.",
                "Set it, or print the unit with `qd service install --print` elsewhere.",
            )
        };
        let home = || set("HOME").ok_or_else(no_home);
        if cfg!(target_os = "macos") {
            let file = format!("Library/LaunchAgents/{}.plist", launchd::LABEL);
            return Ok(Self { kind: Kind::Launchd, path: home()?.join(file) });
        }
        let config = set("XDG_CONFIG_HOME").filter(|dir| dir.is_absolute());
        let config = config.map_or_else(|| home().map(|home| home.join(".config")), Ok)?;
        Ok(Self { kind: Kind::Systemd, path: config.join("systemd/user").join(systemd::NAME) })
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Systemd => "systemd --user",
            Kind::Launchd => "launchd",
        }
    }

    /// The text of the unit.
    pub fn text(&self, unit: &Unit) -> Result<String, Failure> {
        match self.kind {
            Kind::Systemd => systemd::text(unit),
            Kind::Launchd => launchd::text(unit),
        }
    }

    /// What a person types to start it.
    pub fn by_hand(&self) -> Vec<String> {
        match self.kind {
            Kind::Systemd => vec![
                "systemctl --user daemon-reload".to_owned(),
                format!("systemctl --user enable {}", systemd::NAME),
                format!("systemctl --user restart {}", systemd::NAME),
            ],
            Kind::Launchd => vec![format!("launchctl bootstrap gui/$(id -u) '{}'", self.shown())],
        }
    }

    /// Starts it anew, now and at each login; false when the manager does not answer here.
    pub fn start(&self) -> Result<bool, Failure> {
        if !self.answers() {
            return Ok(false);
        }
        match self.kind {
            Kind::Systemd => {
                self.must(&["--user", "daemon-reload"])?;
                self.must(&["--user", "enable", systemd::NAME])?;
                self.must(&["--user", "restart", systemd::NAME])?;
            }
            Kind::Launchd => {
                // Not there the first time.
                self.try_run(&["bootout", &format!("{}/{}", domain(), launchd::LABEL)]);
                self.must(&["bootstrap", &domain(), &self.shown()])?;
            }
        }
        Ok(true)
    }

    /// Stops it, and has it not started again.
    pub fn stop(&self) -> Result<(), Failure> {
        if !self.answers() {
            return Ok(());
        }
        match self.kind {
            Kind::Systemd => self.must(&["--user", "disable", "--now", systemd::NAME]),
            Kind::Launchd => {
                self.try_run(&["bootout", &format!("{}/{}", domain(), launchd::LABEL)]);
                Ok(())
            }
        }
    }

    /// The unit is gone.
    pub fn forget(&self) {
        if matches!(self.kind, Kind::Systemd) && self.answers() {
            self.try_run(&["--user", "daemon-reload"]);
        }
    }

    /// What it says of the unit, such as `active`; none when it does not answer here.
    pub fn active(&self) -> Option<String> {
        if !self.answers() {
            return None;
        }
        let label = format!("{}/{}", domain(), launchd::LABEL);
        let (args, none) = match self.kind {
            Kind::Systemd => (vec!["--user", "is-active", systemd::NAME], "inactive"),
            Kind::Launchd => (vec!["print", label.as_str()], "inactive"),
        };
        let said = command(self.program()).args(args).stdin(Stdio::null()).output().ok()?;
        match self.kind {
            Kind::Systemd => {
                let word = String::from_utf8_lossy(&said.stdout).trim().to_owned();
                Some(if word.is_empty() { none.to_owned() } else { word })
            }
            Kind::Launchd => Some(if said.status.success() { "active" } else { none }.to_owned()),
        }
    }

    fn answers(&self) -> bool {
        match self.kind {
            Kind::Systemd => self.try_run(&["--user", "show-environment"]),
            Kind::Launchd => self.try_run(&["print", &domain()]),
        }
    }

    fn program(&self) -> &'static str {
        match self.kind {
            Kind::Systemd => "systemctl",
            Kind::Launchd => "launchctl",
        }
    }

    fn try_run(&self, args: &[&str]) -> bool {
        let mut run = command(self.program());
        run.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        run.status().is_ok_and(|status| status.success())
    }

    fn must(&self, args: &[&str]) -> Result<(), Failure> {
        let said = command(self.program()).args(args).stdin(Stdio::null()).output()?;
        if said.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&said.stderr).trim().to_owned();
        Err(Failure::new(
            Code::Unavailable,
            format!("`{} {}` failed: {why}.", self.program(), args.join(" ")),
            "The unit is written. Look at what the service manager says, then try again.",
        ))
    }

    fn shown(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}
