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
    /// What is told of its certificate, where it speaks TLS itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsView>,
}

/// What is told of a certificate. Fingerprints are SHA-256, as browsers show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TlsView {
    /// The fingerprint of the certificate.
    pub sha256: String,
    /// Until when it is valid, RFC 3339. One of our own is made anew before.
    pub expires_at: String,
    /// The names and addresses in it; none are told of one that was given.
    pub names: Vec<String>,
    /// The file of our own authority's certificate, for other devices to install.
    pub ca_file: Option<String>,
    /// The fingerprint of the authority's certificate.
    pub ca_sha256: Option<String>,
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

/// Login links for another device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pairing {
    /// One for each address by which other devices reach the page, the best first. All have the
    /// same code, which is good for ten minutes, once.
    pub links: Vec<PairLink>,
    /// What is told of the daemon's certificate, where it speaks TLS itself.
    pub tls: Option<TlsView>,
}

/// A login link for another device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PairLink {
    /// The address of the page.
    pub address: String,
    /// The page with the code.
    pub link: String,
    /// The link as a QR code: rows from the top, `1` for dark; a margin of four is to be added.
    pub qr: Vec<String>,
}

/// What is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfigView {
    /// Setting by setting, those of a group together.
    pub values: Vec<ConfigValue>,
}

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfigValue {
    /// What it belongs to.
    pub group: String,
    /// Its name: as on the command line, or in the file.
    pub name: String,
    /// What it is for, in a few words.
    pub about: String,
    /// Its value; none when it is not set.
    pub value: Option<String>,
    /// `flag`, `environment`, `file` or `default`.
    pub source: String,
    /// What changes it: the line to type, or the file and the line to write there.
    pub change: String,
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
