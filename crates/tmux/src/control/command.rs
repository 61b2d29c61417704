//! Commands to tmux, encoded so that every byte arrives as it was meant.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::{Error, Result};

/// One tmux command: a name and its arguments, exact bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    name: &'static str,
    args: Vec<Vec<u8>>,
}

impl Command {
    /// A command with no arguments yet.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { name, args: Vec::new() }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().as_bytes().to_vec());
        self
    }

    /// Adds one argument of any bytes.
    #[must_use]
    pub fn bytes(mut self, arg: &[u8]) -> Self {
        self.args.push(arg.to_vec());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|a| a.as_ref().as_bytes().to_vec()));
        self
    }

    /// The name of the command.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(self.name.as_bytes());
        for arg in &self.args {
            out.push(b' ');
            quote(arg, out)?;
        }
        Ok(())
    }
}

/// Commands that tmux runs one after the other with nothing in between: no read
/// of a pane, no command of another client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandList(Vec<Command>);

impl From<Command> for CommandList {
    fn from(command: Command) -> Self {
        Self(vec![command])
    }
}

impl CommandList {
    /// A list that begins with this command.
    #[must_use]
    pub fn new(first: Command) -> Self {
        first.into()
    }

    /// Adds a command that runs after those before it, if they succeed.
    #[must_use]
    pub fn then(mut self, next: Command) -> Self {
        self.0.push(next);
        self
    }

    /// How many commands it holds; never 0.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The name of a command of the list.
    #[must_use]
    pub fn name(&self, index: usize) -> &'static str {
        self.0.get(index).map_or("?", Command::name)
    }

    /// The one line that carries it, with its newline.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for a NUL byte, which no argument of any program
    /// can carry.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut line = Vec::with_capacity(128);
        for (i, command) in self.0.iter().enumerate() {
            if i > 0 {
                line.extend_from_slice(b" ; ");
            }
            command.encode(&mut line)?;
        }
        line.push(b'\n');
        Ok(line)
    }
}

/// Quotes one argument for tmux's command parser.
///
/// Inside double quotes tmux knows `\ooo` (three octal digits) for any byte. So
/// what is not plainly harmless is written so, and no rule about `$`, `~`, `#`,
/// `;`, `{`, `%` or line ends has to be trusted.
fn quote(arg: &[u8], out: &mut Vec<u8>) -> Result<()> {
    out.push(b'"');
    for &byte in arg {
        match byte {
            0 => return Err(Error::BadArgument { what: "an argument", why: "it has a NUL byte" }),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte),
            b' ' | b'-' | b'_' | b'.' | b'/' | b':' | b'@' | b'+' | b',' | b'=' => out.push(byte),
            _ => out.extend_from_slice(&[
                b'\\',
                b'0' + (byte >> 6),
                b'0' + ((byte >> 3) & 7),
                b'0' + (byte & 7),
            ]),
        }
    }
    out.push(b'"');
    Ok(())
}

/// Escapes text for an argument that tmux expands as a format, so that it comes
/// out as it went in: `##` is one `#`, except before `[`, where a format keeps
/// every `#` (it is a style, drawn later).
#[must_use]
pub(crate) fn format_literal(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.iter().position(|byte| *byte == b'#') {
        let run = rest[start..].iter().take_while(|byte| **byte == b'#').count();
        let (before, after) = rest.split_at(start + run);
        out.extend_from_slice(before);
        if after.first() != Some(&b'[') {
            out.extend_from_slice(&before[start..]);
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

/// One word for `/bin/sh` inside a `pipe-pane` command, which tmux first expands
/// as a time (`%`) and as a format (`#`).
pub(crate) fn shell_word_in_format(word: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(word.len() + 8);
    out.push(b'\'');
    for &byte in word {
        match byte {
            0 => return Err(Error::BadArgument { what: "a path", why: "it has a NUL byte" }),
            b'\'' => out.extend_from_slice(b"'\\''"),
            // Quoted apart, so that no `#[` or `#{` is ever formed.
            b'#' => out.extend_from_slice(b"##''"),
            b'%' => out.extend_from_slice(b"%%"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_could_mean_something() {
        let list = CommandList::new(Command::new("display-message").arg("-p").arg("a;b\n\"$x"))
            .then(Command::new("list-panes"));
        assert_eq!(
            list.encode().unwrap(),
            b"display-message \"-p\" \"a\\073b\\012\\042\\044x\" ; list-panes\n"
        );
        assert_eq!(list.count(), 2);
    }

    #[test]
    fn refuses_nul() {
        assert!(CommandList::new(Command::new("x").bytes(b"a\0b")).encode().is_err());
    }

    #[test]
    fn every_byte_stays_on_one_line() {
        let all: Vec<u8> = (1..=255).collect();
        let line = CommandList::new(Command::new("x").bytes(&all)).encode().unwrap();
        assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
        assert!(line.iter().all(|b| b.is_ascii()));
    }

    #[test]
    fn formats_keep_their_text() {
        assert_eq!(format_literal(b"a#b##[c#{d}#"), b"a##b##[c##{d}##");
    }

    #[test]
    fn shell_words_survive_two_expansions() {
        assert_eq!(shell_word_in_format(b"a'b#[c%d").unwrap(), b"'a'\\''b##''[c%%d'");
    }
}
