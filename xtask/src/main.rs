//! The chores of this tree: rules that no compiler checks, the feature registry, benchmarks.

mod bench;
mod process;
mod registry;
mod results;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask tidy                    check the rules of the tree
cargo xtask registry [--ran DIR]    check features.toml against code, tests, routes and commands;
                                    with --ran, against the recorded results in DIR too
cargo xtask registry --write        put the counts into README.md
cargo xtask results DIR             print the totals of the recorded results in DIR
cargo xtask bench [--out DIR]       run bench/run; results go to bench/results unless said
cargo xtask report BASE HEAD        compare two folders of bench results, as Markdown";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    let done = match words.as_slice() {
        ["tidy"] => tidy::run(&root),
        ["registry"] => registry::run(&root, None),
        ["registry", "--ran", dir] => registry::run(&root, Some(Path::new(dir))),
        ["registry", "--write"] => registry::write(&root),
        ["results", dir] => results::print(Path::new(dir)),
        ["bench"] => bench::run(&root, &root.join("bench/results")),
        ["bench", "--out", dir] => bench::run(&root, Path::new(dir)),
        ["report", base, head] => bench::report(&root, Path::new(base), Path::new(head)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The top of the tree that this was built in.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
