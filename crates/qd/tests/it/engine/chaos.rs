//! Ten sessions, and everything that can befall them: commands at random, and the daemon, tmux or
//! a program killed at random moments, and a full disk now and then. After each round every byte
//! of work is where it should be, nothing is left over, and the log says what is.
//!
//! `QD_CHAOS` is the number of rounds, `QD_CHAOS_SEED` the seed; `make chaos` runs many.

mod blow;
mod check;
mod dice;
mod ledger;
mod world;

use self::dice::Dice;
use self::world::World;

/// Rounds of a usual run of the tests.
const ROUNDS: usize = 6;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn whatever_befalls_ten_sessions_no_byte_of_work_is_lost() {
    let rounds = number("QD_CHAOS").map_or(ROUNDS, |n| usize::try_from(n).unwrap());
    let seed = number("QD_CHAOS_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("chaos: {rounds} rounds, seed {seed}");
    let mut world = World::new(Dice::new(seed));
    for round in 1..=rounds {
        world.round(round);
        if round % 25 == 0 {
            println!("chaos: round {round}: {}", world.tally());
        }
    }
    world.end();
    println!("chaos: {rounds} rounds passed: {}", world.tally());
}
