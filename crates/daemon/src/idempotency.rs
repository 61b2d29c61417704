//! One answer for one idempotency key, also when it is used many times at once.

use std::collections::HashMap;

use qd_core::{Code, Problem};
use qd_store::{Remember, StoreHandle};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::Clock;
use crate::message::Reply;

/// What a request with an idempotency key is to do.
#[derive(Debug)]
pub enum Turn {
    /// Do the work, then give the answer to the ticket.
    First(Ticket),
    /// It was done: the answer, as the first comer gave it.
    Answered(Value),
}

/// The right to answer for an idempotency key. Dropped unanswered, the next comer has the turn.
#[derive(Debug)]
pub struct Ticket {
    answer: Option<oneshot::Sender<Value>>,
}

impl Ticket {
    /// Keeps the answer for a day and gives it to all who wait.
    pub fn answer(mut self, answer: Value) {
        if let Some(sender) = self.answer.take() {
            // The owner is gone only when the daemon stops.
            let _ = sender.send(answer);
        }
    }
}

/// Somebody who wants a turn.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) key: String,
    pub(crate) fingerprint: String,
    pub(crate) reply: Reply<Turn>,
}

struct Waiting {
    fingerprint: String,
    queue: Vec<Reply<Turn>>,
}

/// Runs the owner of the keys until the daemon stops.
pub(crate) async fn run(
    mut asked: mpsc::Receiver<Asked>,
    store: StoreHandle,
    clock: Clock,
    stop: CancellationToken,
) {
    let mut open: HashMap<String, Waiting> = HashMap::new();
    let mut work = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            Some(Asked { key, fingerprint, reply }) = asked.recv() => {
                if let Some(waiting) = open.get_mut(&key) {
                    if waiting.fingerprint == fingerprint {
                        waiting.queue.push(reply);
                    } else {
                        let _ = reply.send(Err(reused()));
                    }
                    continue;
                }
                match store.recall(&key, &fingerprint, clock.now().0).await {
                    Ok(Some(answer)) => { let _ = reply.send(Ok(Turn::Answered(answer))); }
                    Ok(None) => {
                        open.insert(key.clone(), Waiting { fingerprint, queue: vec![] });
                        give(&mut work, key, reply);
                    }
                    Err(qd_store::StoreError::IdempotencyConflict { .. }) => {
                        let _ = reply.send(Err(reused()));
                    }
                    Err(error) => { let _ = reply.send(Err(crate::problems::store(&error))); }
                }
            }
            Some(done) = work.join_next() => {
                let Ok((key, answer)) = done else { continue };
                let Some(mut waiting) = open.remove(&key) else { continue };
                match answer {
                    Some(answer) => {
                        let kept = store.remember(Remember {
                            key,
                            fingerprint: waiting.fingerprint,
                            response: answer.clone(),
                            at_ms: clock.now().0,
                        }).await;
                        if let Err(error) = kept {
                            tracing::warn!(%error, "an answer to an idempotency key was not kept");
                        }
                        for reply in waiting.queue {
                            let _ = reply.send(Ok(Turn::Answered(answer.clone())));
                        }
                    }
                    None if waiting.queue.is_empty() => {}
                    None => {
                        let next = waiting.queue.remove(0);
                        open.insert(key.clone(), waiting);
                        give(&mut work, key, next);
                    }
                }
            }
        }
    }
}

/// Gives a turn away and waits for its answer, or for the ticket to be dropped.
fn give(work: &mut tokio::task::JoinSet<(String, Option<Value>)>, key: String, reply: Reply<Turn>) {
    let (sender, receiver) = oneshot::channel();
    let _ = reply.send(Ok(Turn::First(Ticket { answer: Some(sender) })));
    work.spawn(async move { (key, receiver.await.ok()) });
}

fn reused() -> Problem {
    Problem::new(
        Code::KeyReused,
        "The idempotency key was used for another request.",
        "Use a new key for a new request, or send the same request again.",
    )
}
