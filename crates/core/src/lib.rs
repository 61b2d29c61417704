//! The pure heart of Quarterdeck: names, the session machine, attention, and problems.
//!
//! Nothing here does I/O, reads a clock or makes a random number; time and ids are
//! arguments. The machine is three functions: [`decide`] turns a command into events or a
//! refusal, [`evolve`] turns an event into the next state, and [`next`] says what is to be done
//! for a state.

mod action;
mod attention;
mod decide;
mod event;
mod evolve;
mod id;
mod name;
mod next;
mod problem;
mod session;
mod time;

pub use action::Action;
pub use attention::{
    Attention, AttentionSource, AttentionState, Evidence, Heard, Hook, HookEvent, Piece, Rule,
    SILENCE, Verdict,
};
pub use decide::{Command, decide};
pub use event::{Description, Event, Shipped, Shipping};
pub use evolve::evolve;
pub use id::{IdError, SessionId};
pub use name::{NameError, Tag, Title};
pub use next::{Effect, Found, Program, Work, found, is_older, may_run, next};
pub use problem::{Code, Problem};
pub use session::{
    AdoptedPane, Base, BaseSource, Exit, Kind, Launch, Lifecycle, OnLoss, Parked, Pending, Place,
    Session, Size, Step,
};
pub use time::{Millis, TRASH_KEEPS};
