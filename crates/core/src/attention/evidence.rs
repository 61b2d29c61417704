use std::collections::{BTreeMap, VecDeque};

use super::hooks::{Heard, Hook, Hooks};
use super::{AttentionSource, AttentionState};
use crate::Millis;

/// Most pieces that are kept to be told of; the oldest go first.
const TRAIL: usize = 24;
/// Most characters of what a piece says.
const WORDS: usize = 200;

/// What one source said at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where it comes from.
    pub source: AttentionSource,
    /// The state that it speaks for.
    pub state: AttentionState,
    /// Since when the source says so.
    pub since: Millis,
    /// When the source last said so.
    pub at: Millis,
    /// How sure, from 0 to 1, when nothing speaks against it.
    pub confidence: f32,
    /// One sentence for people: one line, printable, of bounded length.
    pub says: String,
}

/// All that was said of one run of a session's program: the last word of each source, and how it
/// came to that. A value without a clock: whoever owns it tells it what was said and when.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub(super) hooks: Hooks,
    pub(super) latest: BTreeMap<AttentionSource, Piece>,
    /// When the program last printed anything.
    pub(super) printed: Option<Millis>,
    trail: VecDeque<Piece>,
}

impl Piece {
    /// A piece said at one moment. What is not printable in its words becomes a blank.
    #[must_use]
    pub fn new(
        source: AttentionSource,
        state: AttentionState,
        at: Millis,
        confidence: f32,
        says: &str,
    ) -> Self {
        Self { source, state, since: at, at, confidence, says: line(says) }
    }
}

impl Evidence {
    /// Of a run that begins. Hooks count that name this conversation, where it is known; else the
    /// first one binds.
    #[must_use]
    pub fn of(conversation: Option<String>) -> Self {
        Self { hooks: Hooks::bound_to(conversation), ..Self::default() }
    }

    /// A hook was called.
    pub fn hear(&mut self, hook: Hook) -> Heard {
        let (heard, piece) = self.hooks.hear(hook);
        if let Some(piece) = piece {
            self.note(piece);
        }
        heard
    }

    /// Another source says something.
    pub fn tell(&mut self, piece: Piece) {
        self.note(piece);
    }

    /// A source says nothing any more that speaks for a state.
    pub fn untell(&mut self, source: AttentionSource) {
        self.latest.remove(&source);
    }

    /// The program printed something, whatever it was: a sign of life.
    pub fn printed(&mut self, at: Millis) {
        self.printed = Some(at);
    }

    /// Hooks of other conversations, which were not counted.
    #[must_use]
    pub fn strangers(&self) -> u32 {
        self.hooks.strangers()
    }

    /// What was said, oldest first; the last word of a source is the last one of it.
    pub fn trail(&self) -> impl Iterator<Item = &Piece> {
        self.trail.iter()
    }

    fn note(&mut self, mut piece: Piece) {
        if let Some(before) = self.latest.get(&piece.source) {
            if before.state == piece.state {
                piece.since = before.since;
            }
            if before.state == piece.state && before.says == piece.says {
                self.latest.insert(piece.source, piece);
                return;
            }
        }
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(piece.clone());
        self.latest.insert(piece.source, piece);
    }
}

/// One printable line of bounded length.
fn line(text: &str) -> String {
    let mut words = text.split(|c: char| c.is_control() || c.is_whitespace() || is_hidden(c));
    let mut line = String::new();
    let mut count = 0;
    for word in words.by_ref().filter(|word| !word.is_empty()) {
        let room = WORDS.saturating_sub(count);
        let length = word.chars().count() + usize::from(!line.is_empty());
        if !line.is_empty() && length <= room {
            line.push(' ');
        }
        if length > room {
            line.extend(word.chars().take(room.saturating_sub(1)));
            line.push('\u{2026}');
            break;
        }
        line.push_str(word);
        count += length;
    }
    line
}

/// Characters that change how others are shown, and show nothing themselves.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
