use std::time::Duration;

use qd_api::SessionView;
use qd_client::{Client, EventStream, StreamItem};
use qd_core::Code;

use crate::failure::Failure;
use crate::{output, states};

/// Waits for states of one session, told by the event stream.
#[derive(Debug)]
pub struct Waiter {
    client: Client,
    events: EventStream,
    /// Its program is being ended to free memory: then it is hibernated, and not only ended.
    goes_to_sleep: bool,
}

impl Waiter {
    /// Opens the stream. What happens from now on is not missed.
    pub async fn open(client: Client) -> Result<Self, Failure> {
        let events = client.events(None).await?;
        Ok(Self { client, events, goes_to_sleep: false })
    }

    /// Waits until the session is, or since the waiter was opened has been, in one of the states.
    pub async fn until(
        mut self,
        session: SessionView,
        states: &[String],
        timeout: Option<Duration>,
    ) -> Result<SessionView, Failure> {
        self.goes_to_sleep = matches!(session.pending.as_deref(), Some("hibernate" | "wake"));
        let mut seen = session.clone();
        let reached = self.reached(&mut seen, states);
        let Some(limit) = timeout else { return reached.await };
        match tokio::time::timeout(limit, reached).await {
            Ok(reached) => reached,
            Err(_) => Err(Failure::new(
                Code::Timeout,
                format!(
                    "{} was not {} within {} seconds; it is {}.",
                    output::quoted(&session.title),
                    states.join(" or "),
                    limit.as_secs_f64(),
                    states::word(&seen),
                ),
                format!("It was left as it is: look with `qd show {}`.", session.id),
            )),
        }
    }

    async fn reached(
        &mut self,
        seen: &mut SessionView,
        states: &[String],
    ) -> Result<SessionView, Failure> {
        let mut was = false;
        loop {
            if states.iter().any(|state| states::is_in(seen, state)) {
                return Ok(seen.clone());
            }
            // The log is ahead of the views: that it was is shown in a moment.
            if was && seen.state != "creating" {
                return Ok(seen.clone());
            }
            if seen.state == "failed" && seen.pending.is_none() {
                return Err(failed(seen));
            }
            let id = seen.id.clone();
            match self.events.next().await? {
                StreamItem::Session(view) if view.id == id => *seen = *view,
                // A state may be over before a view of it is sent: the log has it still.
                StreamItem::Log(record) if record.session == id => {
                    was |= self
                        .passed(&record.kind)
                        .is_some_and(|passed| states.iter().any(|state| state == passed));
                    *seen = self.client.session(&id).await?;
                }
                StreamItem::Head(_) | StreamItem::Resync => {
                    *seen = self.client.session(&id).await?;
                }
                StreamItem::Gone(gone) if gone == id => {
                    // In the trash, or nowhere: the daemon says which.
                    *seen = self.client.session(&id).await?;
                }
                _ => {}
            }
        }
    }

    /// The state that an event of the log begins.
    fn passed(&mut self, kind: &str) -> Option<&'static str> {
        match kind {
            "hibernate-began" => {
                self.goes_to_sleep = true;
                None
            }
            "started" => Some("running"),
            "exited" if std::mem::take(&mut self.goes_to_sleep) => Some("hibernated"),
            "exited" => Some("exited"),
            "paused" => Some("paused"),
            "creation-failed" | "creation-kept" => Some("failed"),
            "trashed" => Some("trashed"),
            _ => None,
        }
    }
}

fn failed(session: &SessionView) -> Failure {
    match session.problem.clone() {
        Some(problem) => problem.into_problem().into(),
        None => Failure::new(
            Code::Internal,
            format!("{} failed.", output::quoted(&session.title)),
            format!("Look at it with `qd show {}`.", session.id),
        ),
    }
}
