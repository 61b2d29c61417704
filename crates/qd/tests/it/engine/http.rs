//! Requests, byte by byte: a client that can also do what no good client does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// An answer, read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {} {}", self.head, String::from_utf8_lossy(&self.body))
        })
    }

    /// The code of a problem, after a look that it is whole: a sentence and a hint.
    #[track_caller]
    pub fn problem(&self) -> (u16, String) {
        let json = self.json();
        for field in ["title", "hint"] {
            let text = json[field].as_str().unwrap_or_default();
            assert!(text.len() > 5, "no {field}: {json}");
        }
        assert_eq!(json["status"], self.status, "{json}");
        assert!(self.head.contains("application/problem+json"), "{}", self.head);
        (self.status, json["code"].as_str().unwrap_or_default().to_owned())
    }

    #[track_caller]
    pub fn well(self) -> Self {
        assert!(
            (200..300).contains(&self.status),
            "{} {}",
            self.head,
            String::from_utf8_lossy(&self.body)
        );
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// A request line with headers and a body. `Host` and `Connection` are the caller's.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    text += "\r\n";
    [text.as_bytes(), body].concat()
}

pub fn over_tcp(address: &str, bytes: &[u8]) -> Answer {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    exchange(stream, bytes)
}

/// None when the server hung up on a request that it did not want to read.
pub fn try_over_tcp(address: &str, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).unwrap();
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    (!all.is_empty()).then(|| read(&all))
}

pub fn over_unix(socket: &Path, bytes: &[u8]) -> Answer {
    let stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    exchange(stream, bytes)
}

/// The status of an answer; none when the server is gone, or went before it had answered.
pub fn try_over_socket(socket: &Path, bytes: &[u8]) -> Option<u16> {
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    all.windows(4).any(|four| four == b"\r\n\r\n").then(|| read(&all).status)
}

fn exchange(mut stream: impl Read + Write, bytes: &[u8]) -> Answer {
    // A server that refuses early may close before it has read all.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    read(&all)
}

#[track_caller]
fn read(all: &[u8]) -> Answer {
    let end = all.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(all)));
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: all[end + 4..].to_vec() }
}
