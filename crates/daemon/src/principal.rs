use qd_core::SessionId;

/// Who asks. What the server may do for whom is decided there, by its extractors; the daemon
/// trusts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// The person whose daemon it is, by token or by a Unix socket of their own.
    Owner {
        /// The device that the token belongs to; none for the owner's own token and the socket.
        device: Option<String>,
        /// What other devices see: `browser on laptop`, `command line`.
        name: String,
    },
    /// A process beneath a session: it may read that session and post its hooks, no more.
    Session(SessionId),
}

/// Why a token was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// There was none.
    Missing,
    /// It is not valid, or was revoked.
    Wrong,
    /// It could not be looked up; it may be good.
    Unavailable,
}

impl Principal {
    /// Whether this is the owner.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        matches!(self, Self::Owner { .. })
    }

    /// A key that tells one device from another, for the lease of the input.
    #[must_use]
    pub fn device_key(&self) -> String {
        match self {
            Self::Owner { device: Some(device), .. } => device.clone(),
            Self::Owner { device: None, name } => name.clone(),
            Self::Session(id) => format!("session {id}"),
        }
    }
}
