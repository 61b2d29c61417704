//! The benches. Each makes what it needs, measures, and ends it.

mod attach;
mod binary;
mod create;
mod echo;
mod exit_tail;
mod idle;
mod large;
mod list;
mod micro;
mod policy;
mod restart;
mod stalled;
mod throughput;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::args::Run;
use crate::bar::Sheet;
use crate::fault::{Result, fault};
use crate::{document, ending, measure, procfs};

/// What a bench is given.
#[derive(Debug)]
pub struct Setting {
    /// The program that is measured.
    pub qd: PathBuf,
    /// Fewer rounds, shorter waits.
    pub quick: bool,
}

impl Setting {
    /// The first of two numbers, or the second when it has to be quick.
    #[must_use]
    pub fn pick<T>(&self, usual: T, quick: T) -> T {
        if self.quick { quick } else { usual }
    }
}

type Bench = fn(&Setting, &mut Sheet) -> Result<()>;

/// Name, group, bench; in the order in which they run.
const BENCHES: [(&str, &str, Bench); 15] = [
    ("throughput", "terminal", throughput::run),
    ("echo", "terminal", echo::run),
    ("attach", "terminal", attach::run),
    ("stalled", "terminal", stalled::run),
    ("exit-tail", "terminal", exit_tail::run),
    ("create", "daemon", create::run),
    ("binary", "daemon", binary::run),
    ("idle20", "daemon", idle::twenty),
    ("idle100", "daemon", idle::hundred),
    ("restart50", "daemon", restart::restart),
    ("tmuxloss50", "daemon", restart::tmux_loss),
    ("large50k", "daemon", large::run),
    ("list500", "api", list::run),
    ("micro", "core", micro::run),
    ("policy", "core", policy::run),
];

/// The names of all benches.
#[must_use]
pub fn names() -> Vec<&'static str> {
    BENCHES.iter().map(|(name, ..)| *name).collect()
}

/// Runs those asked for, writes their results, prints a table. A bench that fails does not keep
/// the others from running; the exit code tells of it. A bar that is missed stands in the table.
///
/// # Errors
/// When a name is not known, the program is not there, or the results cannot be written.
pub fn run(run: &Run) -> Result<ExitCode> {
    if let Some(name) = run.names.iter().find(|name| !names().contains(&name.as_str())) {
        return fault(format!("there is no bench {name}; there are {}", names().join(", ")));
    }
    if !run.qd.is_file() {
        return fault(format!("{} is not there: build it first", run.qd.display()));
    }
    ending::on_signals()?;
    let setting = Setting { qd: run.qd.clone(), quick: run.quick };
    let file = run.out.join("latest.json");
    let (mut all, mut failed) = (vec![], false);
    for (name, group, bench) in BENCHES {
        if !run.names.is_empty() && !run.names.iter().any(|asked| asked == name) {
            continue;
        }
        eprintln!("{name}");
        let mut sheet = Sheet::new(name, group, &describe(run));
        match bench(&setting, &mut sheet) {
            Ok(()) => {
                let measures = sheet.into_measures();
                measure::merge(&file, &[name], measures.clone())?;
                all.extend(measures);
            }
            Err(error) => {
                eprintln!("  failed: {error}");
                failed = true;
            }
        }
    }
    print!("{}", document::plain(&all));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Where and when: the commit, the machine, the date.
#[must_use]
pub fn describe(run: &Run) -> String {
    let commit = if run.commit.is_empty() { "an unnamed commit" } else { &run.commit };
    let quick = if run.quick { ", quick" } else { "" };
    let machine = procfs::machine();
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    format!("{commit}, {date}, {machine}{quick}")
}
