//! What is taken out of a session as a whole.

use bytes::Bytes;
use qd_core::{Problem, SessionId};

use super::DaemonHandle;
use crate::diffs;

impl DaemonHandle {
    /// All that a session changed as one patch that `git apply` takes at its base, and how many
    /// files are too large to be in it. Of one that is paused or in the trash, too.
    ///
    /// # Errors
    /// As [`DaemonHandle::diff`], and when the patch is too large.
    pub async fn patch(&self, id: &SessionId) -> Result<(Bytes, usize), Problem> {
        let place = self.place(id)?;
        let (bytes, left_out) = diffs::whole(&self.shared.git, &place).await?;
        Ok((bytes.into(), left_out))
    }
}
