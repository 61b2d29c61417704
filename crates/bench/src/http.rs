//! HTTP/1.1 over the Unix socket, on one connection that stays open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::fault::{Result, fault};

/// One connection.
#[derive(Debug)]
pub struct Http {
    stream: BufReader<UnixStream>,
    posts: u64,
}

impl Http {
    /// Opens a connection.
    ///
    /// # Errors
    /// When nobody listens.
    pub fn open(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(180)))?;
        Ok(Self { stream: BufReader::with_capacity(1 << 16, stream), posts: 0 })
    }

    /// Asks for something beneath `/api/v1`, and gives the body of the answer.
    ///
    /// # Errors
    /// When the answer is an error, or none comes.
    pub fn get(&mut self, path: &str) -> Result<Vec<u8>> {
        self.call("GET", path, None)
    }

    /// As [`Self::get`], read as JSON.
    ///
    /// # Errors
    /// As [`Self::get`], and when it is no JSON.
    pub fn json(&mut self, path: &str) -> Result<Value> {
        Ok(serde_json::from_slice(&self.get(path)?)?)
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn post(&mut self, path: &str, body: &Value) -> Result<Value> {
        let answer = self.call("POST", path, Some(&body.to_string()))?;
        Ok(if answer.is_empty() { Value::Null } else { serde_json::from_slice(&answer)? })
    }

    /// Moves to the trash, and so on.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn delete(&mut self, path: &str) -> Result<()> {
        self.call("DELETE", path, None).map(|_| ())
    }

    /// Begins to follow the event stream; [`Self::line`] gives what comes.
    ///
    /// # Errors
    /// When the answer is an error, or none comes.
    pub fn follow(mut self) -> Result<Events> {
        self.send("GET", "/events", None)?;
        let head = self.head()?;
        if head.status != 200 {
            return fault(format!("the event stream answers {}", head.status));
        }
        Ok(Events { stream: self.stream })
    }

    fn call(&mut self, method: &str, path: &str, body: Option<&str>) -> Result<Vec<u8>> {
        self.send(method, path, body)?;
        let head = self.head()?;
        let mut answer = vec![0; head.length];
        self.stream.read_exact(&mut answer)?;
        if head.status >= 400 {
            let words = String::from_utf8_lossy(&answer);
            return fault(format!("{method} {path}: {} {words}", head.status));
        }
        Ok(answer)
    }

    fn send(&mut self, method: &str, path: &str, body: Option<&str>) -> Result<()> {
        let mut text = format!("{method} /api/v1{path} HTTP/1.1\r\nhost: localhost\r\n");
        if let Some(body) = body {
            self.posts += 1;
            let (key, length) = (crate::waiting::monotonic(), body.len());
            text += &format!("idempotency-key: bench-{}-{key}\r\n", self.posts);
            text += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        text += "\r\n";
        text += body.unwrap_or_default();
        self.stream.get_mut().write_all(text.as_bytes())?;
        Ok(())
    }

    fn head(&mut self) -> Result<Head> {
        let mut head = Head { status: 0, length: 0 };
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return fault("the connection ended before the answer");
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(head);
            }
            if head.status == 0 {
                head.status = line.split(' ').nth(1).unwrap_or("0").parse()?;
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                head.length = value.trim().parse()?;
            }
        }
    }
}

#[derive(Debug)]
struct Head {
    status: u16,
    length: usize,
}

/// The event stream.
#[derive(Debug)]
pub struct Events {
    stream: BufReader<UnixStream>,
}

impl Events {
    /// Waits until a session has the state.
    ///
    /// # Errors
    /// When the stream ends, or the session fails.
    pub fn until(&mut self, id: &str, state: &str) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return fault("the event stream ended");
            }
            // Chunk sizes and the names of events are lines of their own.
            let Some(data) = line.strip_prefix("data:") else { continue };
            let Ok(value) = serde_json::from_str::<Value>(data) else { continue };
            if value["id"] != id {
                continue;
            }
            if value["state"] == state {
                return Ok(());
            }
            if value["state"] == "failed" {
                return fault(format!("the session failed: {}", value["problem"]));
            }
        }
    }
}
