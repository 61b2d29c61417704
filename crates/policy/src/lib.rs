//! What a command would do, and whether it may: a parser of shell commands, the effects of known
//! programs, rules over both, and a verdict that says why.
//!
//! Nothing here does I/O or reads a clock: paths are resolved as text against a [`Place`]. What is
//! not understood is asked about; no text is ever split at blanks instead.

mod shell;

mod effect;
mod expand;
mod hidden;
mod place;
mod programs;
mod requests;
mod rules;
mod verdict;
mod walk;

pub mod secrets;

pub use effect::{Effect, Kind as EffectKind, Origin};
pub use hidden::{Hidden, hidden};
pub use place::{Place, Zone};
pub use rules::{
    BadPattern, Decision, Fault, Imported, Ready, Rule, Scope, Subject, Words, builtin, import,
    parse as parse_rules, reference, to_toml,
};
pub use shell::Limits;
pub use verdict::{Judged, Look, Request, Rules, Verdict};
pub use walk::{Part, Reading, read};
