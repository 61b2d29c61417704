//! Which session a text means.

use std::sync::Arc;

use qd_api::SessionView;
use qd_core::{Code, Problem};

/// The session whose id is `text` or begins with it, or whose title is what follows `title:`.
///
/// # Errors
/// [`Code::UnknownSession`], or [`Code::AmbiguousId`] with the ids that fit.
pub(crate) fn one(sessions: &[Arc<SessionView>], text: &str) -> Result<Arc<SessionView>, Problem> {
    let fits: Vec<_> = match text.strip_prefix("title:") {
        Some(title) => sessions.iter().filter(|s| s.title == title).collect(),
        None if text.is_empty() => vec![],
        None => sessions.iter().filter(|s| s.id.starts_with(text)).collect(),
    };
    match fits.as_slice() {
        [] => Err(Problem::new(
            Code::UnknownSession,
            "No session fits that id.",
            "List them with `qd ls`, and those in the trash with `qd trash`.",
        )),
        [one] => Ok(Arc::clone(one)),
        several => {
            let ids: Vec<_> = several.iter().map(|s| s.id.as_str()).collect();
            Err(Problem::new(
                Code::AmbiguousId,
                format!("{} sessions fit that id.", ids.len()),
                format!("Say which: {}.", ids.join(", ")),
            ))
        }
    }
}
