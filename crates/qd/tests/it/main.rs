//! The program from outside.

// `cfg(test)` tells clippy that helpers are tests, too.
mod alone;
#[cfg(test)]
#[path = "../../../client/tests/it/fake.rs"]
mod fake;
#[cfg(test)]
mod program;
mod told;
mod whole;
