//! The store on real files.

mod concurrency;
mod crash;
mod follow;
mod lifecycle;
mod log;
mod refusal;
mod small_tables;
mod support;
