use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The first program of that name on a PATH, or the one of that absolute path.
#[must_use]
pub fn find(program: &str, path: &str) -> Option<PathBuf> {
    if Path::new(program).is_absolute() {
        return Some(PathBuf::from(program)).filter(|program| is_program(program));
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| is_program(candidate))
}

/// Whether a file is there and may be executed.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
