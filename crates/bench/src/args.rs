use std::path::PathBuf;

use crate::fault::{Result, fault};

/// What `qd-bench run` is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Fewer rounds and shorter waits: to see that the harness works.
    pub quick: bool,
    /// The program that is measured.
    pub qd: PathBuf,
    /// The folder of results.
    pub out: PathBuf,
    /// What is measured, for the record.
    pub commit: String,
    /// The benches asked for; all when empty.
    pub names: Vec<String>,
}

impl Run {
    /// Reads the words after `run`.
    ///
    /// # Errors
    /// An option that is not known, or without its value.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut run = Self {
            quick: false,
            qd: beside_us("qd"),
            out: "bench/results".into(),
            commit: String::new(),
            names: vec![],
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().ok_or(format!("{word} needs a value"));
            match *word {
                "--quick" => run.quick = true,
                "--qd" => run.qd = value()?.into(),
                "--out" => run.out = value()?.into(),
                "--commit" => run.commit = value()?.into(),
                option if option.starts_with('-') => {
                    return fault(format!("{option} is no option of run"));
                }
                name => run.names.push(name.to_owned()),
            }
        }
        run.qd = std::path::absolute(&run.qd)?;
        Ok(run)
    }
}

/// A program in the folder of this one.
fn beside_us(name: &str) -> PathBuf {
    let us = std::env::current_exe().unwrap_or_default();
    us.parent().map_or_else(|| name.into(), |folder| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_names_come_in_any_order() {
        let run = Run::parse(&["echo", "--quick", "--qd", "/q", "attach", "--out", "o"]).unwrap();
        assert!(run.quick);
        assert_eq!((run.qd, run.out), ("/q".into(), "o".into()));
        assert_eq!(run.names, ["echo", "attach"]);
        assert!(Run::parse(&["--fast"]).is_err());
        assert!(Run::parse(&["--qd"]).is_err());
    }
}
