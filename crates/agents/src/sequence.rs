//! The escape sequence with which programs state what they do: OSC 7501, fields `name=value`
//! between colons.

use base64::Engine as _;
use qd_core::AttentionState;

/// The number of the sequence.
pub const STATUS_SEQUENCE: u16 = 7501;
/// Longest message that is read, in characters of its base64.
const MOST: usize = 4096;

/// Reads what stands behind the number: the state, and what the program says to it. None for what
/// states nothing, such as the question whether anybody listens.
#[must_use]
pub fn status_sequence(data: &str) -> Option<(AttentionState, String)> {
    let field =
        |name: &str| data.split(':').find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    let state = match (field("state")?, field("kind")) {
        ("idle", _) => AttentionState::Idle,
        ("working", _) => AttentionState::Working,
        ("blocked", Some("permission")) => AttentionState::Permission,
        ("blocked", _) => AttentionState::Question,
        ("done", _) => AttentionState::Done,
        ("error", _) => AttentionState::Error,
        _ => return None,
    };
    let message = field("msg").filter(|text| text.len() <= MOST).and_then(|text| {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
        String::from_utf8(bytes).ok()
    });
    Some((state, message.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use AttentionState::{Done, Error, Idle, Permission, Question, Working};

    #[test]
    fn the_words_of_the_sequence_are_read() {
        for (data, says) in [
            ("state=idle:app=codex", Some((Idle, ""))),
            ("state=working", Some((Working, ""))),
            ("state=blocked:app=codex:kind=permission", Some((Permission, ""))),
            ("state=blocked:kind=question:msg=V2hpY2g/", Some((Question, "Which?"))),
            ("state=blocked", Some((Question, ""))),
            ("state=done:msg=not base64", Some((Done, ""))),
            ("app=x:state=error:msg=bm8=", Some((Error, "no"))),
            ("?", None),
            ("state=", None),
            ("state=asleep", None),
            ("", None),
        ] {
            let read = status_sequence(data);
            assert_eq!(read.as_ref().map(|(state, text)| (*state, text.as_str())), says, "{data}");
        }
    }
}
