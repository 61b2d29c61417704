use std::io::{IsTerminal as _, Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use qd_api::Input;
use qd_client::Client;
use qd_core::{Code, Problem};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::{cli, output};

/// Bytes of stdin that are sent in one request.
const CHUNK: usize = 48 << 10;
/// Bytes of the largest paste from stdin: markers are around the whole, so it is one request, of
/// 1 MiB at most, in which it is a third longer.
const LARGEST_PASTE: usize = 720 << 10;

/// Type text into a session, exactly as it is
#[derive(Debug, Args)]
#[command(after_help = "Several words are sent with a space between them. `-` sends what comes \
    from stdin, any bytes.\n\n\
    Example: qd send kabc 'fix the tests, please' --enter\n\
    Example: qd send kabc - < notes.txt")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// The text, or - for stdin
    #[arg(value_name = "TEXT", required = true)]
    pub text: Vec<String>,
    /// Press Enter after it
    #[arg(long)]
    pub enter: bool,
    /// Send it as a paste, so that the program takes it as one piece
    #[arg(long)]
    paste: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    let sent = if arguments.text == ["-"] {
        if arguments.paste {
            pasted(&client, &arguments).await?
        } else {
            streamed(&client, &arguments).await?
        }
    } else {
        let text = arguments.text.join(" ");
        let sent = text.len();
        let (enter, paste) = (arguments.enter, arguments.paste);
        client.send(&arguments.id, &Input { text: Some(text), data: None, enter, paste }).await?;
        sent
    };
    if context.json { output::json(&json!({ "sent": sent })) } else { Ok(()) }
}

/// Sends stdin piece by piece; the daemon answers for each when the program's terminal has it.
async fn streamed(client: &Client, arguments: &Arguments) -> Result<usize, Failure> {
    // What an id stands for must not change half-way, and a session that is not there should be
    // told before stdin is read.
    let id = client.session(&arguments.id).await?.id;
    let mut stdin = std::io::stdin().lock();
    let mut sent = 0;
    let mut piece = read(&mut stdin, CHUNK)?;
    loop {
        // One ahead, so that Enter goes with the last.
        let next = if piece.len() < CHUNK { vec![] } else { read(&mut stdin, CHUNK)? };
        let last = next.is_empty();
        let enter = arguments.enter && last;
        if !piece.is_empty() || enter {
            let input = bytes(&piece, enter, false);
            client.send(&id, &input).await.map_err(|problem| after(problem, sent))?;
        }
        sent += piece.len();
        if last {
            progress(sent, true);
            return Ok(sent);
        }
        progress(sent, false);
        piece = next;
    }
}

/// Sends stdin as one paste.
async fn pasted(client: &Client, arguments: &Arguments) -> Result<usize, Failure> {
    let whole = read(&mut std::io::stdin().lock(), LARGEST_PASTE + 1)?;
    if whole.len() > LARGEST_PASTE {
        return Err(Failure::new(
            Code::BodyTooLarge,
            format!("A paste has at most {LARGEST_PASTE} bytes; nothing was sent."),
            "Send it without `--paste`, or in parts.",
        ));
    }
    client.send(&arguments.id, &bytes(&whole, arguments.enter, true)).await?;
    Ok(whole.len())
}

fn bytes(data: &[u8], enter: bool, paste: bool) -> Input {
    Input { text: None, data: Some(STANDARD.encode(data)), enter, paste }
}

/// Reads up to so many bytes; fewer only at the end.
fn read(from: &mut impl std::io::Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    from.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The problem, with what had been sent before it came.
fn after(mut problem: Problem, sent: usize) -> Problem {
    if sent > 0 {
        problem.message = format!("{} {sent} bytes had been sent before.", problem.message);
    }
    problem
}

/// Shows a person how far it is, when it takes long enough to be of interest.
fn progress(sent: usize, end: bool) {
    let mut err = std::io::stderr().lock();
    if !err.is_terminal() || sent < 8 * CHUNK {
        return;
    }
    // Nobody is left to tell when this fails.
    let _ = write!(err, "\r{} KiB sent{}", sent >> 10, if end { "\n" } else { "" });
    let _ = err.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_paste_fits_into_a_request() {
        let body = serde_json::to_vec(&bytes(&[0xff; LARGEST_PASTE], true, true)).unwrap();
        assert!(body.len() <= 1 << 20, "{}", body.len());
    }

    #[test]
    fn reading_gives_fewer_bytes_only_at_the_end() {
        let mut from = &[7u8; 10][..];
        assert_eq!(read(&mut from, 6).unwrap().len(), 6);
        assert_eq!(read(&mut from, 6).unwrap().len(), 4);
        assert_eq!(read(&mut from, 6).unwrap().len(), 0);
    }
}
