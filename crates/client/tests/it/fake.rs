//! A stand-in for the daemon: it answers HTTP on a Unix socket with what a test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Such as `POST /api/v1/stop`.
    pub line: String,
    /// The idempotency key.
    pub key: Option<String>,
    /// The body.
    pub body: String,
}

/// What to answer.
pub enum Answer {
    /// A JSON body with a status.
    Json(u16, serde_json::Value),
    /// Bytes that begin at a number.
    Log(u64, Vec<u8>),
    /// Close without an answer.
    Hang,
    /// An event stream of these texts that then ends.
    Events(String),
    /// An event stream of this text that stays open until the client leaves.
    Open(String),
}

/// The stand-in, until it is dropped.
pub struct Fake {
    pub socket: PathBuf,
    seen: Arc<Mutex<Vec<Seen>>>,
    ends: Arc<AtomicBool>,
    accepts: Option<JoinHandle<()>>,
}

impl Fake {
    /// Listens on `qd.sock` in a home. The handler gets each request and how many came before.
    pub fn start(
        home: &Path,
        handler: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let socket = home.join("qd.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let seen = Arc::new(Mutex::new(vec![]));
        let ends = Arc::new(AtomicBool::new(false));
        let handler = Arc::new(handler);
        let accepts = std::thread::spawn({
            let (seen, ends) = (Arc::clone(&seen), Arc::clone(&ends));
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    if ends.load(Ordering::SeqCst) {
                        return;
                    }
                    let (seen, handler) = (Arc::clone(&seen), Arc::clone(&handler));
                    std::thread::spawn(move || {
                        let _ = serve(stream, &seen, handler.as_ref());
                    });
                }
            }
        });
        Self { socket, seen, ends, accepts: Some(accepts) }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let _ = UnixStream::connect(&self.socket);
        let _ = std::fs::remove_file(&self.socket);
        if let Some(accepts) = self.accepts.take() {
            let _ = accepts.join();
        }
    }
}

fn serve(
    stream: UnixStream,
    seen: &Mutex<Vec<Seen>>,
    handler: &(impl Fn(&Seen, usize) -> Answer + ?Sized),
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let request = read(&mut reader)?;
    let count = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let mut stream = stream;
    match handler(&request, count) {
        Answer::Json(status, body) => {
            let body = body.to_string();
            let kind = if status < 400 { "application/json" } else { "application/problem+json" };
            write!(
                stream,
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        }
        Answer::Log(seq, bytes) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nqd-seq: {seq}\r\ncontent-length: {}\r\n\r\n",
                bytes.len()
            )?;
            stream.write_all(&bytes)
        }
        Answer::Hang => Ok(()),
        Answer::Events(text) => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{text}")
        }
        Answer::Open(text) => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{text}")?;
            // Ends when the client closes its side.
            let _ = reader.read(&mut [0]);
            Ok(())
        }
    }
}

fn read(reader: &mut BufReader<UnixStream>) -> std::io::Result<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let (mut key, mut length) = (None, 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "idempotency-key" => key = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    Ok(Seen { line, key, body: String::from_utf8(body).unwrap() })
}
