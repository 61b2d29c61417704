//! The client against a stand-in for the daemon.

mod calls;
mod events;
// `cfg(test)` tells clippy that helpers are tests, too.
#[cfg(test)]
mod fake;
