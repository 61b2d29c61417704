//! The benchmarks of Quarterdeck: each bar is a ratio against something measured in the same run.
//!
//! `qd-bench run` measures a `qd` program from outside, in a home and with a tmux server of its
//! own, and leaves nothing behind. `qd-bench program` is what runs in the terminals.

mod args;
mod bar;
mod benches;
mod compare;
mod daemon;
mod document;
mod ending;
mod fault;
mod fixture;
mod http;
mod measure;
mod plain;
mod process;
mod procfs;
mod program;
mod pty;
mod statistics;
mod text;
mod viewer;
mod waiting;

use std::path::Path;
use std::process::ExitCode;

use crate::fault::Result;

const USAGE: &str = "\
qd-bench run [--quick] [--qd PATH] [--out DIR] [--commit C] [NAME...]
                              measure; DIR/latest.json gets the results (bench/results unless said)
qd-bench describe [--quick] [--commit C]
                              the words that a run is recorded with
qd-bench list                 the names of the benches
qd-bench table DIR            print the results in DIR
qd-bench document DIR FILE    put the results in DIR between the markers of FILE
qd-bench compare BASE HEAD    two result files, side by side, as Markdown
qd-bench fixture HOME COUNT   put COUNT ended sessions on record in a home without a daemon
qd-bench program NAME ARG...  what runs in a terminal that is measured";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["run", rest @ ..] => return benches::run(&args::Run::parse(rest)?),
        ["describe", rest @ ..] => println!("{}", benches::describe(&args::Run::parse(rest)?)),
        ["list"] => println!("{}", benches::names().join("\n")),
        ["table", dir] => print!("{}", document::plain(&measure::read_all(Path::new(dir))?)),
        ["document", dir, file] => {
            document::write(&measure::read_all(Path::new(dir))?, Path::new(file))?;
        }
        ["compare", base, head] => {
            let (base, head) = (Path::new(base), Path::new(head));
            println!("{}", compare::table(&measure::read(base)?, &measure::read(head)?));
        }
        ["fixture", home, count] => fixture::write(Path::new(home), count.parse()?)?,
        ["program", name, rest @ ..] => return program::run(name, rest),
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}
