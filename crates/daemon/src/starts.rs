//! The order in which programs are started again: a few at a time, the most wanted first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use qd_core::Millis;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Programs that are started again at the same time: a machine that starts fifty agents at once
/// answers nobody.
const AT_ONCE: usize = 4;
/// Requests that may wait for the gate's attention.
const QUEUE: usize = 64;
/// How long the first of those that were lost waits for others, so that the order among them is
/// not that in which their loss was noticed.
const GATHER: Duration = Duration::from_millis(200);

/// How much a start is wanted; the least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Somebody asked for it just now.
    Asked,
    /// It was lost. First those that needed a person, then those kept at the top, then those
    /// whose program was active last.
    Lost { needless: bool, loose: bool, active: Reverse<Millis> },
}

/// The address of the gate.
#[derive(Clone, Debug)]
pub(crate) struct Starts(mpsc::Sender<Asked>);

/// A turn. Dropped, the next has it.
#[derive(Debug)]
pub(crate) struct Turn {
    _place: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct Asked {
    rank: Rank,
    turn: oneshot::Sender<Turn>,
}

impl Starts {
    /// The gate's address, and the task that is it.
    pub(crate) fn open(stop: CancellationToken) -> (Self, impl Future<Output = ()> + Send) {
        let (address, asked) = mpsc::channel(QUEUE);
        (Self(address), gate(asked, stop))
    }

    /// Waits for a turn. Dropping the future gives the place in the queue up.
    pub(crate) async fn turn(&self, rank: Rank) -> Turn {
        let (turn, granted) = oneshot::channel();
        // Without a gate, which is so only while the daemon stops, nobody waits.
        if self.0.send(Asked { rank, turn }).await.is_err() {
            return Turn { _place: None };
        }
        granted.await.unwrap_or(Turn { _place: None })
    }
}

async fn gate(mut asked: mpsc::Receiver<Asked>, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut queue: BTreeMap<(Rank, u64), oneshot::Sender<Turn>> = BTreeMap::new();
    let mut count = 0;
    let mut gathers_until: Option<Instant> = None;
    loop {
        let first = queue.first_key_value().map(|((rank, _), _)| *rank);
        let waits = match first {
            Some(Rank::Lost { .. }) => gathers_until,
            _ => None,
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            Some(Asked { rank, turn }) = asked.recv() => {
                if queue.is_empty() && rank != Rank::Asked && places.available_permits() == AT_ONCE {
                    gathers_until = Some(Instant::now() + GATHER);
                }
                count += 1;
                queue.insert((rank, count), turn);
            }
            () = tokio::time::sleep_until(waits.unwrap_or_else(Instant::now)), if waits.is_some() => {
                gathers_until = None;
            }
            place = Arc::clone(&places).acquire_owned(), if first.is_some() && waits.is_none() => {
                if let (Ok(place), Some((_, turn))) = (place, queue.pop_first()) {
                    // Whoever does not wait any more gives the place back by not taking it.
                    drop(turn.send(Turn { _place: Some(place) }));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;

    fn lost(needs_person: bool, pinned: bool, active: i64) -> Rank {
        Rank::Lost { needless: !needs_person, loose: !pinned, active: Reverse(Millis(active)) }
    }

    #[test]
    fn the_ranks_are_in_order() {
        let order = [
            Rank::Asked,
            lost(true, true, 1),
            lost(true, false, 9),
            lost(true, false, 8),
            lost(false, true, 1),
            lost(false, false, 9),
            lost(false, false, 8),
        ];
        assert!(order.is_sorted());
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_at_a_time_and_the_most_wanted_first() {
        let stop = CancellationToken::new();
        let (starts, gate) = Starts::open(stop.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(gate);
        let (told, mut granted) = mpsc::channel(64);
        // The least wanted comes first.
        for active in 0..10 {
            let (starts, told) = (starts.clone(), told.clone());
            tasks.spawn(async move {
                let turn = starts.turn(lost(active == 3, active == 4, active)).await;
                told.send((active, turn)).await.unwrap();
            });
            tokio::task::yield_now().await;
        }
        let mut turns = std::collections::VecDeque::new();
        for expected in [3, 4, 9, 8] {
            let (active, turn) = granted.recv().await.unwrap();
            assert_eq!(active, expected);
            turns.push_back(turn);
        }
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(granted.try_recv().is_err(), "four at a time");
        // Who is asked for now does not stand at the end.
        let (asker, tell) = (starts.clone(), told.clone());
        tasks.spawn(async move { tell.send((99, asker.turn(Rank::Asked).await)).await.unwrap() });
        tokio::time::advance(Duration::from_millis(1)).await;
        for expected in [99, 7, 6, 5, 2, 1, 0] {
            drop(turns.pop_front());
            let (active, turn) = granted.recv().await.unwrap();
            assert_eq!(active, expected);
            turns.push_back(turn);
        }
        stop.cancel();
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_asked_for_waits_for_nobody_and_who_gave_up_holds_no_place() {
        let stop = CancellationToken::new();
        let (starts, gate) = Starts::open(stop.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(gate);
        let before = Instant::now();
        let turn = starts.turn(Rank::Asked).await;
        assert_eq!(Instant::now(), before);
        let mut turns = vec![turn];
        for _ in 0..3 {
            turns.push(starts.turn(Rank::Asked).await);
        }
        for _ in 0..10 {
            let given_up = starts.turn(lost(false, false, 1));
            assert!(tokio::time::timeout(Duration::from_secs(1), given_up).await.is_err());
        }
        turns.clear();
        for _ in 0..4 {
            turns.push(starts.turn(lost(false, false, 1)).await);
        }
        stop.cancel();
        // A daemon that stops lets nobody wait.
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
        turns.push(starts.turn(Rank::Asked).await);
    }
}
