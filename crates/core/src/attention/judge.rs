use super::evidence::{Evidence, Piece};
use super::{Attention, AttentionSource, AttentionState};
use crate::Millis;

/// How long work may be silent before nobody knows any more whether it goes on, in milliseconds:
/// nothing printed and nothing said. Agents draw while they think.
pub const SILENCE: u64 = 10 * 60 * 1000;
/// What sureness is left, as a share, when a later and lower source speaks against the word that
/// counts.
const DOUBT: f32 = 0.8;

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The session's own life says it: it has ended, is paused, is being made.
    Process,
    /// Nothing says anything.
    NoEvidence,
    /// The best source that said anything counts.
    Best,
    /// The agent's own status file is newer than its last hook, and tells what no hook tells: a
    /// question was answered, or a turn was interrupted.
    NewerFile,
    /// What was said is too old to be relied on.
    Silence,
}

/// What the evidence adds up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The state with all that is told of it.
    pub attention: Attention,
    /// The rule that decided.
    pub rule: Rule,
    /// When silence alone will change it.
    pub until: Option<Millis>,
}

impl Rule {
    /// The rule in one sentence.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "How its program stands outranks all that was said.",
            Self::NoEvidence => "Without evidence the state is unknown.",
            Self::Best => {
                "The best source counts: hook, status sequence, status file, title, screen."
            }
            Self::NewerFile => {
                "The agent's own status file counts over its hooks when it is newer and tells that \
                 a question was answered, a turn has ended, or one has begun."
            }
            Self::Silence => "Silence makes work unknown, and never idle.",
        }
    }
}

impl Evidence {
    /// Judges a session. `process` is what its life alone says, which counts unless the program
    /// `runs`.
    #[must_use]
    pub fn judge(&self, process: Attention, runs: bool, now: Millis) -> Verdict {
        if !runs {
            return Verdict { attention: process, rule: Rule::Process, until: None };
        }
        let Some((piece, rule)) = self.counts() else {
            return Verdict { attention: process, rule: Rule::NoEvidence, until: None };
        };
        let until = self.silent_at(piece);
        if until.is_some_and(|until| until <= now) {
            let attention = Attention {
                state: AttentionState::Unknown,
                since: until.unwrap_or(now),
                source: piece.source,
                confidence: 0.0,
                why: format!("Nothing was heard or seen of it for long. Before: {}", piece.says),
            };
            return Verdict { attention, rule: Rule::Silence, until: None };
        }
        let against = self.against(piece);
        let attention = Attention {
            state: piece.state,
            since: piece.since,
            source: piece.source,
            confidence: piece.confidence * if against.is_some() { DOUBT } else { 1.0 },
            why: match against {
                Some(other) => format!(
                    "{} The {} says otherwise: {}",
                    piece.says,
                    name(other.source),
                    other.says
                ),
                None => piece.says.clone(),
            },
        };
        Verdict { attention, rule, until }
    }

    /// The piece that counts, and why that one.
    fn counts(&self) -> Option<(&Piece, Rule)> {
        let hook = self.latest.get(&AttentionSource::Hook);
        let file = self.latest.get(&AttentionSource::StatusFile);
        if let (Some(hook), Some(file)) = (hook, file)
            && file.since > hook.at
            && tells_more(file.state, hook.state)
        {
            return Some((file, Rule::NewerFile));
        }
        self.latest.values().next().map(|piece| (piece, Rule::Best))
    }

    /// A lower source that speaks against a piece, and did so later.
    fn against(&self, piece: &Piece) -> Option<&Piece> {
        self.latest.values().find(|other| {
            other.source > piece.source
                && other.since > piece.at
                && kind(other.state) != kind(piece.state)
        })
    }

    /// When nobody knows any more whether work goes on; never for what ends only by an event.
    fn silent_at(&self, piece: &Piece) -> Option<Millis> {
        let by_hook = piece.source == AttentionSource::Hook;
        // What was begun and has not ended goes on: a build may be silent for an hour.
        if piece.state != AttentionState::Working || by_hook && self.hooks.has_open_tool() {
            return None;
        }
        let sign = self.printed.map_or(piece.at, |printed| printed.max(piece.at));
        Some(Millis(sign.0.saturating_add(i64::try_from(SILENCE).unwrap_or(i64::MAX))))
    }
}

/// Whether a newer status file tells what the hooks before it do not.
fn tells_more(file: AttentionState, hook: AttentionState) -> bool {
    use AttentionState::{Done, Error, Idle};
    // That it is idle is known better by the hook that said how the turn ended.
    kind(file) != kind(hook) && !(file == Idle && matches!(hook, Done | Error))
}

/// States that speak for the same thing: it is at work, it asks, it rests.
fn kind(state: AttentionState) -> u8 {
    match state {
        AttentionState::Unknown => 0,
        AttentionState::Working => 1,
        AttentionState::Permission | AttentionState::Question => 2,
        AttentionState::Idle | AttentionState::Done | AttentionState::Error => 3,
    }
}

fn name(source: AttentionSource) -> &'static str {
    match source {
        AttentionSource::Hook => "hook",
        AttentionSource::StatusSequence => "status sequence",
        AttentionSource::StatusFile => "status file",
        AttentionSource::AgentApi => "agent",
        AttentionSource::Transcript => "transcript",
        AttentionSource::Title => "title",
        AttentionSource::Screen => "screen",
        AttentionSource::Process => "process",
        AttentionSource::None => "nothing",
    }
}
