//! `qd`, the command of Quarterdeck.

mod act;
mod browser;
mod cli;
mod clock;
mod commands;
mod config;
mod context;
mod exit;
mod failure;
mod filter;
mod home;
mod internal;
mod loss;
mod operation;
mod outcome;
mod output;
mod process;
mod progress;
mod reference;
mod serve;
mod size;
mod start;
mod states;
mod table;
mod teller;
mod usage;
mod waiting;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let args: Vec<OsString> = commands::edit::spelled(std::env::args_os().collect());
    // What runs inside panes comes first: it starts often, and must not depend on the rest.
    if args.get(1).is_some_and(|word| word == "internal") {
        return internal::run(args.get(2..).unwrap_or_default());
    }
    let cli = match cli::Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage::tell(&error, usage::wants_json(&args)),
    };
    let json = cli.json;
    match commands::run(cli) {
        Ok(()) => exit::Exit::Done.into(),
        Err(failure) => failure.tell(json),
    }
}
