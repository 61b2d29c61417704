//! One file per command. Each has the arguments that it takes and a `run`.

pub mod adopt;
pub mod attach;
pub mod backup;
pub mod completions;
pub mod config;
pub mod devices;
pub mod diff;
pub mod doctor;
pub mod edit;
pub mod events;
pub mod export;
pub mod fork;
pub mod hibernate;
pub mod keys;
pub mod login;
pub mod logs;
pub mod ls;
pub mod man;
pub mod new;
pub mod pair;
pub mod pause;
pub mod purge;
pub mod rename;
pub mod resize;
pub mod restart;
pub mod restore;
pub mod restore_backup;
pub mod resume;
pub mod rm;
pub mod rules;
pub mod run;
pub mod screen;
pub mod send;
pub mod serve;
pub mod service;
pub mod shell;
pub mod ship;
pub mod show;
pub mod stop;
pub mod trash;
pub mod version;
pub mod wait;
pub mod wake;

use std::future::Future;

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::failure::Failure;
use crate::home;

/// Runs what the command line asks for.
pub fn run(cli: Cli) -> Result<(), Failure> {
    match &cli.command {
        Some(Command::Version(_)) => return version::run(cli.json),
        Some(Command::Completions(arguments)) => return completions::run(arguments),
        Some(Command::Man(arguments)) => return man::run(arguments, cli.json),
        _ => {}
    }
    let context = Context { home: home::find(cli.home.as_deref())?, json: cli.json };
    if let Some(Command::Serve(arguments)) = cli.command {
        return serve::run(arguments, &context);
    }
    block_on(answer(cli.command, &context))
}

/// Runs a future to its end. Commands do one thing after another: one thread is enough.
pub fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}

async fn answer(command: Option<Command>, context: &Context) -> Result<(), Failure> {
    let Some(command) = command else { return login::run(context).await };
    match command {
        Command::Stop(arguments) => stop::run(arguments, context).await,
        Command::New(arguments) => new::run(*arguments, context).await,
        Command::Run(arguments) => run::run(arguments, context).await,
        Command::Adopt(arguments) => adopt::run(arguments, context).await,
        Command::Ls(arguments) => ls::run(arguments, context).await,
        Command::Show(arguments) => show::run(arguments, context).await,
        Command::Screen(arguments) => screen::run(arguments, context).await,
        Command::Send(arguments) => send::run(arguments, context).await,
        Command::Keys(arguments) => keys::run(arguments, context).await,
        Command::Wait(arguments) => wait::run(arguments, context).await,
        Command::Attach(arguments) => attach::run(arguments, context).await,
        Command::Logs(arguments) => logs::run(arguments, context).await,
        Command::Resize(arguments) => resize::run(arguments, context).await,
        Command::Rename(arguments) => rename::run(arguments, context).await,
        Command::Edit(arguments) => edit::run(arguments, context).await,
        Command::Pause(arguments) => pause::run(arguments, context).await,
        Command::Resume(arguments) => resume::run(arguments, context).await,
        Command::Hibernate(arguments) => hibernate::run(arguments, context).await,
        Command::Wake(arguments) => wake::run(arguments, context).await,
        Command::Restart(arguments) => restart::run(arguments, context).await,
        Command::Rm(arguments) => rm::run(arguments, context).await,
        Command::Trash(arguments) => trash::run(arguments, context).await,
        Command::Restore(arguments) => restore::run(arguments, context).await,
        Command::Purge(arguments) => purge::run(arguments, context).await,
        Command::Shell(arguments) => shell::run(arguments, context).await,
        Command::Fork(arguments) => fork::run(arguments, context).await,
        Command::Diff(arguments) => diff::run(arguments, context).await,
        Command::Ship(arguments) => ship::run(arguments, context).await,
        Command::Events(arguments) => events::run(arguments, context).await,
        Command::Pair(arguments) => pair::run(arguments, context).await,
        Command::Devices(arguments) => devices::run(arguments, context).await,
        Command::Service(arguments) => service::run(arguments, context),
        Command::Rules(arguments) => rules::run(arguments, context),
        Command::Export(arguments) => export::run(arguments, context).await,
        Command::Backup(arguments) => backup::run(arguments, context).await,
        Command::RestoreBackup(arguments) => restore_backup::run(&arguments, context),
        Command::Config(arguments) => config::run(arguments, context).await,
        Command::Doctor(arguments) => doctor::run(arguments, context).await,
        Command::Serve(_) | Command::Completions(_) | Command::Man(_) | Command::Version(_) => {
            Ok(())
        }
    }
}
