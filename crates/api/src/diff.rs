use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a session changed against its base, untracked files included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffReply {
    /// What was compared with.
    pub base: DiffBase,
    /// The files, in path order.
    pub files: Vec<DiffFile>,
    /// All files together.
    pub totals: DiffTotals,
    /// When it was read, RFC 3339.
    pub read_at: String,
    /// Whether the list was cut.
    pub truncated: bool,
}

/// What a diff is against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffBase {
    /// The base's name.
    pub name: String,
    /// The commit where the branch left it.
    pub merge_base: String,
}

/// All files of a diff together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffTotals {
    /// Files.
    pub files: u32,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
}

/// One file of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffFile {
    /// Its path from the top; bytes that are not UTF-8 are shown as `\xNN`.
    pub path: String,
    /// The path before, when it was renamed or copied.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: FileStatus,
    /// The mode before, such as `100644`.
    pub old_mode: Option<String>,
    /// The mode now.
    pub new_mode: Option<String>,
    /// Lines added; absent when it is binary or was not counted.
    pub additions: Option<u64>,
    /// Lines removed.
    pub deletions: Option<u64>,
    /// Whether git takes it for binary.
    pub binary: bool,
    /// Bytes now, when that was asked.
    pub size: Option<u64>,
    /// Whether it is too large to be shown unasked.
    pub large: bool,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileStatus {
    /// It is new and known to git.
    Added,
    /// Its content or mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It moved.
    Renamed,
    /// It was copied.
    Copied,
    /// It became another kind of thing, such as a link.
    TypeChanged,
    /// It is new and not known to git.
    Untracked,
    /// A merge left it in conflict.
    Conflicted,
}

/// The patch of one file, as unified text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FilePatch {
    /// Its path.
    pub path: String,
    /// The hunks; empty when it is binary, or only its mode or name changed.
    pub patch: String,
    /// Whether it was cut at the limit.
    pub truncated: bool,
    /// Whether it is binary.
    pub binary: bool,
    /// Bytes of the whole patch, when it is known.
    pub size: Option<u64>,
}
