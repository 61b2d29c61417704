use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the daemon of a home listens: what `HOME/socket.path` says, which the daemon writes when
/// the home's own path is too long for a socket address, else `HOME/qd.sock`.
#[must_use]
pub fn socket_of(home: &Path) -> PathBuf {
    let written = std::fs::read_to_string(home.join("socket.path")).unwrap_or_default();
    let written = written.trim_end_matches('\n');
    if written.is_empty() { home.join("qd.sock") } else { PathBuf::from(written) }
}

/// One segment or query value of an address: all but unreserved characters percent-encoded
/// (RFC 3986, 2.3), and dots too where they alone would walk the path.
pub(crate) fn encode(text: &str) -> String {
    let dots = text == "." || text == "..";
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'.' if dots => encoded.push_str("%2E"),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_title_ends_the_segment() {
        assert_eq!(encode("kabc2345wxyz"), "kabc2345wxyz");
        assert_eq!(encode("title:a/b?c#d%e f"), "title%3Aa%2Fb%3Fc%23d%25e%20f");
        assert_eq!(encode("é🚀"), "%C3%A9%F0%9F%9A%80");
        assert_eq!(encode(".."), "%2E%2E");
        assert_eq!(encode("a..b"), "a..b");
    }

    #[test]
    fn a_long_home_names_its_socket_in_a_file() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(socket_of(home.path()), home.path().join("qd.sock"));
        std::fs::write(home.path().join("socket.path"), "/run/qd/1a2b.sock\n").unwrap();
        assert_eq!(socket_of(home.path()), Path::new("/run/qd/1a2b.sock"));
    }
}
