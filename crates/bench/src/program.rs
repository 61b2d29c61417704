//! What runs in the terminals that are measured.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::fault::{Result, fault};
use crate::text;
use crate::waiting::monotonic;

/// Ends a flood; no program output of ours holds it elsewhere.
pub const MARKER: &[u8] = b"=-=-end-=-=\r\n";

/// Exit code of `burst`: one that nothing else ends with.
pub const BURST_CODE: u8 = 7;

/// Runs one.
///
/// # Errors
/// When the terminal does not do as told.
pub fn run(name: &str, args: &[&str]) -> Result<ExitCode> {
    match (name, args) {
        ("echo", []) => echo()?,
        ("text", [bytes]) => print(&text::coloured(bytes.parse()?))?,
        ("flood", [text, times]) => flood(Path::new(text), Path::new(times))?,
        ("history", [lines]) => {
            print(&text::history(lines.parse()?))?;
            print(b"settled")?;
            wait_for_the_end()?;
        }
        ("steady", [stop, pause]) => steady(Path::new(stop), pause.parse()?)?,
        ("burst", [bytes]) => {
            raw()?;
            print(text::numbered(bytes.parse()?).join("\r\n").as_bytes())?;
            return Ok(ExitCode::from(BURST_CODE));
        }
        _ => return fault(format!("there is no program {name} with {} arguments", args.len())),
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line of a program.
///
/// # Errors
/// When our own path is not known.
pub fn argv(words: &[&str]) -> Result<Vec<String>> {
    let us = std::env::current_exe()?;
    let mut argv = vec![us.to_string_lossy().into_owned(), "program".to_owned()];
    argv.extend(words.iter().map(|word| (*word).to_owned()));
    Ok(argv)
}

/// Gives each byte back at once, and begins a new line every 60.
fn echo() -> Result<()> {
    raw()?;
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    out.write_all(b"ready\r\n")?;
    out.flush()?;
    let (mut buffer, mut count) = ([0; 64], 0);
    loop {
        let read = input.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        out.write_all(&buffer[..read])?;
        count += read;
        if count >= 60 {
            out.write_all(b"\r\n")?;
            count = 0;
        }
        out.flush()?;
    }
}

/// Prints a file and the marker for each byte that is typed, and writes down the nanoseconds of
/// the shared clock when it began and when it was done.
fn flood(text: &Path, times: &Path) -> Result<()> {
    raw()?;
    let text = std::fs::read(text)?;
    let mut input = std::io::stdin().lock();
    print(b"ready\r\n")?;
    let mut byte = [0];
    while input.read(&mut byte)? == 1 {
        let start = monotonic();
        print(&text)?;
        print(MARKER)?;
        let end = monotonic();
        let half = times.with_extension("half");
        write!(File::create(&half)?, "{start} {end}")?;
        std::fs::rename(half, times)?;
    }
    Ok(())
}

/// Prints numbered lines until a file is there, then which was the last, and ends.
fn steady(stop: &Path, pause: u64) -> Result<()> {
    let mut number = 0;
    while !stop.exists() {
        number += 1;
        print(format!("line {number}\n").as_bytes())?;
        std::thread::sleep(Duration::from_millis(pause));
    }
    print(format!("last {number}\n").as_bytes())
}

fn print(bytes: &[u8]) -> Result<()> {
    // Not through `stdout()`, whose buffer looks for line ends.
    let mut out = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    Ok(out.write_all(bytes)?)
}

fn wait_for_the_end() -> Result<()> {
    let mut input = std::io::stdin().lock();
    let mut buffer = [0; 64];
    while input.read(&mut buffer)? > 0 {}
    Ok(())
}

fn raw() -> Result<()> {
    let input = std::io::stdin();
    let mut modes = tcgetattr(&input)?;
    modes.make_raw();
    Ok(tcsetattr(&input, OptionalActions::Now, &modes)?)
}
