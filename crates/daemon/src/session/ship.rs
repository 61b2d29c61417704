//! Shipping the session's work, one step at a time, beside its turns.

use std::sync::Arc;
use std::time::Duration;

use qd_api::{Operation, ProblemBody, ShippingView, rfc3339};
use qd_core::{Code, Command, Problem, Shipped};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Done, Owner, Progress};
use crate::ships::{self, Outcome, ShipWork};

/// How often at most a line of progress is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(250);

/// The last step, or the one under way.
pub(super) struct Shipping {
    pub(super) view: ShippingView,
    work: ShipWork,
    stop: CancellationToken,
}

impl Shipping {
    fn runs(&self) -> bool {
        self.view.state == "running"
    }
}

impl Owner {
    /// Begins a step, or finds that it is under way.
    pub(super) async fn ship(&mut self, work: ShipWork) -> Result<Operation, Problem> {
        self.refuse_unsaved().await?;
        let word = work.word().as_str();
        if let Some(shipping) = self.shipping.as_ref().filter(|shipping| shipping.runs()) {
            if shipping.work == work {
                return Ok(self.ship_operation(word, "running"));
            }
            return Err(Problem::new(
                Code::StateConflict,
                format!(
                    "\u{201c}{}\u{201d} is being shipped: {} is under way.",
                    self.state.launch.title, shipping.view.what
                ),
                "Wait until that is done, or stop it.",
            ));
        }
        let in_place = self.state.parked.is_none() && self.files.is_none();
        let place = self.state.place.clone().filter(|_| in_place && self.state.pending.is_none());
        let Some(place) = place else {
            return Err(Problem::new(
                Code::StateConflict,
                format!("\u{201c}{}\u{201d} has no files in place.", self.state.launch.title),
                "Nothing was changed. Wait until it runs, or bring its files back with `qd resume` \
                 or `qd restore`.",
            ));
        };
        let stop = CancellationToken::new();
        let view = ShippingView {
            what: word.to_owned(),
            state: "running".to_owned(),
            said: None,
            commit: None,
            since: rfc3339(self.shared.clock.now()),
            problem: None,
        };
        self.shipping = Some(Shipping { view, work: work.clone(), stop: stop.clone() });
        self.publish();
        let (shared, id, told) =
            (Arc::clone(&self.shared), self.id.clone(), self.progress_to.clone());
        self.work.spawn(async move {
            let what = work.word();
            let mut last: Option<Instant> = None;
            let tell = |line: &str| {
                let now = Instant::now();
                if last.is_none_or(|last| now - last >= SHOWN_EVERY) {
                    last = Some(now);
                    // What does not fit is soon overtaken by the next line.
                    let _ = told.try_send(Progress::Said(line.to_owned()));
                }
            };
            let result = ships::run(&shared, &id, &place, work, tell, stop).await;
            Done::Shipped(what, result)
        });
        Ok(self.ship_operation(word, "running"))
    }

    /// Ends the step that is under way.
    pub(super) fn stop_shipping(&mut self) -> Result<(), Problem> {
        match self.shipping.as_ref().filter(|shipping| shipping.runs()) {
            Some(shipping) => {
                shipping.stop.cancel();
                Ok(())
            }
            None => Err(Problem::new(
                Code::StateConflict,
                "Nothing is being shipped.",
                "There is nothing to stop.",
            )),
        }
    }

    /// Whether a step is under way; it is told to end then. Its files stay until it has.
    pub(super) fn ends_shipping(&self) -> bool {
        let under_way = self.shipping.as_ref().filter(|shipping| shipping.runs());
        if let Some(shipping) = under_way {
            shipping.stop.cancel();
        }
        under_way.is_some()
    }

    pub(super) fn shipping_said(&mut self, line: String) {
        if let Some(shipping) = self.shipping.as_mut().filter(|shipping| shipping.runs()) {
            shipping.view.said = Some(line);
            self.publish();
        }
    }

    /// The step is done, or failed.
    pub(super) async fn shipped(
        &mut self,
        what: qd_core::Shipping,
        result: Result<Outcome, Problem>,
    ) {
        let (shipped, said) = match result {
            Ok(outcome) => (outcome.shipped, Some(outcome.said)),
            Err(problem) => {
                let (commit, remote, base) = (None, None, None);
                (Shipped { what, commit, remote, base, problem: Some(problem) }, None)
            }
        };
        if let Some(shipping) = &mut self.shipping {
            let problem = shipped.problem.as_ref();
            let state = if problem.is_some() { "failed" } else { "done" };
            state.clone_into(&mut shipping.view.state);
            shipping.view.said = said;
            shipping.view.commit.clone_from(&shipped.commit);
            shipping.view.problem = problem.map(|problem| ProblemBody::new(problem, 0));
        }
        self.report(Command::Shipped(Box::new(shipped))).await;
        self.publish();
        self.count_diff_soon();
        // What waited for it.
        if !self.shared.stop.is_cancelled() {
            self.advance().await;
        }
    }

    fn ship_operation(&self, word: &str, state: &str) -> Operation {
        Operation {
            id: format!("{}-{word}", self.id),
            session: self.id.to_string(),
            step: word.to_owned(),
            of: 1,
            state: state.to_owned(),
        }
    }
}
