//! Breadth first through all states, and back again to see which of them can be left.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::cell::{Cell, State};
use super::checks::{Wrong, is_settled};
use super::log::{Log, Logs};
use super::moves::{By, Move, Scene, World};

/// What was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub states: usize,
    pub steps: usize,
    /// Steps of the longest of the shortest ways.
    pub depth: usize,
    /// States of one session's log.
    pub logs: usize,
}

/// What is wrong, and the shortest way there.
pub struct Trace {
    pub wrong: Wrong,
    pub text: String,
}

struct Node {
    parent: u32,
    /// Which of the parent's moves led here.
    by: u16,
}

/// All states that were met, by number.
struct Search {
    world: World,
    numbers: HashMap<u128, u32, BuildHasherDefault<Halved>>,
    nodes: Vec<Node>,
    /// Steps on which what is under way goes on, and those that a person makes.
    work: Vec<(u32, u32)>,
    asks: Vec<(u32, u32)>,
    /// By number: nothing is under way; all that was made is purged.
    settled: Vec<bool>,
    gone: Vec<bool>,
}

/// Walks all of a scene.
///
/// # Errors
/// The first thing that is wrong, with the shortest way to it.
pub fn walk(scene: Scene) -> Result<Seen, Trace> {
    let mut search = Search {
        world: World::new(scene),
        numbers: HashMap::default(),
        nodes: vec![],
        work: vec![],
        asks: vec![],
        settled: vec![],
        gone: vec![],
    };
    let first = search.world.first();
    search.meet(first, 0, 0);
    let (mut open, mut depth, mut steps) = (vec![(0, first)], 0, 0);
    let mut moves = vec![];
    while !open.is_empty() {
        let mut next = vec![];
        for (number, state) in open {
            search.world.moves(&state, &mut moves);
            steps += moves.len();
            for (index, step) in moves.iter().enumerate() {
                if let Some(wrong) = step.wrong {
                    return Err(search.trace(wrong, number, Some(index)));
                }
                if step.to == state {
                    continue;
                }
                let (to, _) = sorted(step.to, scene);
                let (reached, is_new) = search.meet(to, number, index);
                if is_new {
                    next.push((reached, to));
                }
                match step.by {
                    _ if reached == number => {}
                    By::Work => search.work.push((number, reached)),
                    By::Person => search.asks.push((number, reached)),
                    By::Fault | By::Program => {}
                }
            }
        }
        depth += usize::from(!next.is_empty());
        open = next;
    }
    search.see_that_all_is_left()?;
    Ok(Seen { states: search.nodes.len(), steps, depth, logs: search.world.logs.len() })
}

impl Search {
    fn meet(&mut self, state: State, parent: u32, by: usize) -> (u32, bool) {
        let number = u32::try_from(self.nodes.len()).unwrap();
        let known = *self.numbers.entry(digest(&state)).or_insert(number);
        if known != number {
            return (known, false);
        }
        self.nodes.push(Node { parent, by: u16::try_from(by).unwrap() });
        let logs = &self.world.logs;
        self.settled.push(state.cells.iter().all(|cell| is_settled(logs, cell)));
        let gone = |cell: &Cell| cell.log == Log::NEVER || cell.log == Log::PURGED;
        self.gone.push(state.cells.iter().all(gone));
        (number, true)
    }

    /// From everywhere there is a way to where nothing is under way, on which nobody does
    /// anything but what is under way; and, where a person may ask without a bound, a way out.
    fn see_that_all_is_left(&self) -> Result<(), Trace> {
        let stuck = |ways: &[&[(u32, u32)]], ends: &[bool]| {
            let reached = reach_back(self.nodes.len(), ways, ends);
            reached.iter().position(|reached| !reached)
        };
        let trace = |wrong, at| self.trace(wrong, u32::try_from(at).unwrap(), None);
        if let Some(at) = stuck(&[&self.work], &self.settled) {
            return Err(trace(Wrong::NeverSettles, at));
        }
        if self.world.scene.asks.is_none()
            && let Some(at) = stuck(&[&self.work, &self.asks], &self.gone)
        {
            return Err(trace(Wrong::CannotBeLeft, at));
        }
        Ok(())
    }

    /// The way to a state, and one move on from there.
    fn trace(&self, wrong: Wrong, mut at: u32, last: Option<usize>) -> Trace {
        let mut way: Vec<usize> = last.into_iter().collect();
        while at != 0 {
            let node = &self.nodes[at as usize];
            way.push(usize::from(node.by));
            at = node.parent;
        }
        let scene = self.world.scene;
        let mut world = World::new(scene);
        let (mut state, mut swapped, mut moves) = (world.first(), false, vec![]);
        let mut text = format!("{wrong}, after:\n");
        for index in way.into_iter().rev() {
            world.moves(&state, &mut moves);
            let step = &moves[index];
            tell(&mut text, &world.logs, scene, step, swapped);
            let turned;
            (state, turned) = sorted(step.to, scene);
            swapped ^= turned;
        }
        Trace { wrong, text }
    }
}

fn reach_back(count: usize, ways: &[&[(u32, u32)]], ends: &[bool]) -> Vec<bool> {
    let mut first = vec![0_u32; count + 1];
    for (_, to) in ways.iter().copied().flatten() {
        first[*to as usize + 1] += 1;
    }
    for at in 0..count {
        first[at + 1] += first[at];
    }
    let mut from = vec![0_u32; first[count] as usize];
    let mut filled = first.clone();
    for (source, to) in ways.iter().copied().flatten() {
        from[filled[*to as usize] as usize] = *source;
        filled[*to as usize] += 1;
    }
    let mut reached = ends.to_vec();
    let mut open: Vec<usize> = (0..count).filter(|at| ends[*at]).collect();
    while let Some(at) = open.pop() {
        for source in &from[first[at] as usize..first[at + 1] as usize] {
            if !std::mem::replace(&mut reached[*source as usize], true) {
                open.push(*source as usize);
            }
        }
    }
    reached
}

/// Two sessions are alike: of two states that differ in their order only one is kept.
fn sorted(state: State, scene: Scene) -> (State, bool) {
    let [a, b] = state.cells;
    let [on_a, on_b] = state.branches;
    if scene.sessions < 2 || (a, on_a) <= (b, on_b) {
        return (state, false);
    }
    let branches = if scene.same_branch { state.branches } else { [on_b, on_a] };
    (State { cells: [b, a], branches, ..state }, true)
}

fn tell(text: &mut String, logs: &Logs, scene: Scene, step: &Move, swapped: bool) {
    let name = |who: usize| if (who == 0) == swapped { "B" } else { "A" };
    let who = step.who.map_or("", name);
    let _ = writeln!(text, "  {who:1} {}{}", step.what, step.more);
    for at in 0..scene.sessions {
        if step.who.is_none_or(|who| who == at) {
            let _ = writeln!(text, "      {}: {}", name(at), show(logs, &step.to.cells[at]));
        }
    }
}

fn show(logs: &Logs, cell: &Cell) -> String {
    let log = match (cell.log, logs.session(cell.log)) {
        (Log::NEVER, _) => "not there".to_owned(),
        (_, None) => "purged".to_owned(),
        (_, Some(session)) => {
            let pending = session.pending.map_or(String::new(), |p| format!(" + {p:?}"));
            let place = if session.place.is_some() { ", placed" } else { "" };
            let parked = if session.parked.is_some() { ", parked" } else { "" };
            format!("{:?}{pending}{place}{parked}", session.lifecycle)
        }
    };
    let waits: Vec<_> =
        cell.unsaved.iter().take_while(|s| **s != super::log::Said::Nothing).collect();
    let dirty = if cell.dirty { " with work" } else { "" };
    format!(
        "{log} | hands: {:?}, {:?}, files {:?}, unsaved {waits:?} | pane {:?}, tree {:?}{dirty}",
        cell.hold, cell.job, cell.files, cell.pane, cell.tree
    )
}

/// 128 bits of a state: among ten million of them two are taken for one with a chance of less
/// than one in 10^24.
fn digest(state: &State) -> u128 {
    let mut wide = Wide { mixed: 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, word: 0, bytes: 0 };
    state.hash(&mut wide);
    wide.mix();
    wide.mixed ^ (wide.mixed >> 67)
}

/// Takes one byte for each field, as that is what fits into a field here, and mixes eight at once.
struct Wide {
    mixed: u128,
    word: u64,
    bytes: u32,
}

impl Wide {
    fn mix(&mut self) {
        let mixed = self.mixed ^ u128::from(self.word);
        let mixed = mixed.wrapping_mul(0xda94_2042_e4dd_58b5_2360_ed05_1fc6_5da5);
        (self.mixed, self.word, self.bytes) = (mixed ^ (mixed >> 61), 0, 0);
    }
}

impl Hasher for Wide {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u8(*byte);
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.word = (self.word << 8) | u64::from(byte);
        self.bytes += 1;
        if self.bytes == 8 {
            self.mix();
        }
    }

    /// Which variant an enum is.
    fn write_isize(&mut self, variant: isize) {
        self.write_u8(u8::try_from(variant).unwrap());
    }

    /// The length of an array.
    fn write_usize(&mut self, length: usize) {
        self.write_u8(u8::try_from(length).unwrap());
    }

    fn finish(&self) -> u64 {
        unreachable!("the digest is wider")
    }
}

/// What is a digest already is its own hash.
#[derive(Default)]
struct Halved(u64);

impl Hasher for Halved {
    fn write(&mut self, bytes: &[u8]) {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[..8]);
        self.0 = u64::from_le_bytes(word);
    }

    fn write_u128(&mut self, word: u128) {
        self.0 = word as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
