//! The program from outside.

// `cfg(test)` tells clippy that helpers are tests, too.
#[cfg(test)]
mod agents;
mod alone;
#[cfg(test)]
mod engine;
#[cfg(test)]
#[allow(dead_code, reason = "shared with the client's tests, which use the rest")]
#[path = "../../../client/tests/it/fake.rs"]
mod fake;
#[cfg(test)]
mod program;
#[cfg(test)]
mod rules;
#[cfg(test)]
#[path = "../../../git/tests/it/script.rs"]
mod script;
mod told;
#[cfg(test)]
mod whole;
