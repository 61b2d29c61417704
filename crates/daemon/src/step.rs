//! Places where a test can hold a daemon up, to have something else happen just there. Builds for
//! people have none.

use crate::shared::Shared;

impl Shared {
    /// A step is about to be taken. When the daemon's environment names a folder in `QUARTERDECK_HOLD` and
    /// a file of the step's name is in it, that is said by a file `NAME.reached`, and the step
    /// waits until the first is gone.
    #[cfg(debug_assertions)]
    pub(crate) async fn step(&self, name: &str) {
        let Some(folder) = self.env.get("QUARTERDECK_HOLD").map(std::path::PathBuf::from) else {
            return;
        };
        let hold = folder.join(name);
        if !hold.exists() {
            return;
        }
        if let Err(error) = std::fs::write(folder.join(format!("{name}.reached")), "") {
            tracing::warn!(%error, name, "nobody will know that this step was reached");
        }
        while hold.exists() && self.pause(std::time::Duration::from_millis(2)).await {}
    }

    /// Nothing.
    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub(crate) async fn step(&self, _name: &str) {}
}
