use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One entry of the numbered event log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EventRecord {
    /// Its number; without gaps, from 1.
    pub number: u64,
    /// When, RFC 3339.
    pub at: String,
    /// The session it concerns.
    pub session: String,
    /// What happened, such as `started`.
    pub kind: String,
    /// What belongs to it.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// Sent once as the event `head` when a stream begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StreamHead {
    /// The number of the newest event when the stream began.
    pub latest: u64,
    /// The daemon's version: a page of another version reloads.
    pub version: String,
}

/// Sent as the event `gone` when a session is in no list any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GoneEvent {
    /// The session that is gone.
    pub id: String,
}
