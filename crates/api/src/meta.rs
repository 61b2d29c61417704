use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `/healthz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`: a daemon that is not well does not answer.
    pub status: String,
    /// The daemon's version.
    pub version: String,
}

/// What `qd serve --json` prints once it serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Serving {
    /// Where the page is.
    pub url: String,
    /// The page with a login code; good for ten minutes, once.
    pub login_url: String,
    /// The Unix socket of the same API.
    pub socket: String,
    /// The daemon's process id.
    pub pid: u32,
    /// The daemon's home.
    pub home: String,
    /// The daemon's version.
    pub version: String,
}

/// A login by the code of a login link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginRequest {
    /// The code after the `#` of the link.
    pub code: String,
    /// What the device calls itself, for the list of devices.
    #[serde(default)]
    pub device: Option<String>,
}

/// The token that a login gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginReply {
    /// The token; it is not shown again.
    pub token: String,
    /// The device that it belongs to.
    pub device: String,
}

/// A code for a login link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginCode {
    /// What follows the `#` of `URL/login#CODE`; good for ten minutes, once.
    pub code: String,
}

/// Asks the daemon to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StopRequest {
    /// End the sessions, too; without it they run on.
    pub sessions: bool,
}

/// A device that logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Device {
    /// Its id.
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// When it logged in, RFC 3339.
    pub created_at: String,
    /// When it was last seen, RFC 3339.
    pub last_seen: Option<String>,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// The devices that may log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeviceList {
    /// Devices that are not revoked.
    pub devices: Vec<Device>,
}

/// What `qd doctor` found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Check by check.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// `ok`, `warning` or `wrong`.
    pub state: String,
    /// What was found.
    pub found: String,
    /// What to do, when something is wrong.
    pub mend: Option<String>,
}
