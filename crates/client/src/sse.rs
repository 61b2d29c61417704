/// Bytes of the longest event that is kept.
const LONGEST: usize = 32 << 20;

/// Cuts a byte stream into server-sent events (HTML standard, 9.2.6). Sans I/O.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    event: String,
    data: String,
    /// The last byte was a carriage return: a line feed after it ends no line of its own.
    after_return: bool,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) event: String,
    pub(crate) data: String,
}

/// An event is longer than any that the daemon sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Parser {
    /// Takes in bytes and adds the events that they complete to `out`.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        out: &mut impl Extend<Message>,
    ) -> Result<(), TooLong> {
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(out),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.len() > LONGEST {
                return Err(TooLong);
            }
        }
        Ok(())
    }

    fn end_line(&mut self, out: &mut impl Extend<Message>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            let mut data = std::mem::take(&mut self.data);
            if data.pop().is_some() {
                out.extend([Message { event, data }]);
            }
            return;
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            // A comment, or the id, which stands in the data too.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(parts: &[&str]) -> Vec<(String, String)> {
        let mut parser = Parser::default();
        let mut out = vec![];
        for part in parts {
            parser.feed(part.as_bytes(), &mut out).unwrap();
        }
        out.into_iter().map(|m: Message| (m.event, m.data)).collect()
    }

    fn message(event: &str, data: &str) -> (String, String) {
        (event.to_owned(), data.to_owned())
    }

    #[test]
    fn events_come_whole_wherever_the_bytes_are_cut() {
        let text =
            ": hello\n\nevent: log\nid: 7\ndata: {\"a\":\ndata: 1}\n\nevent:gone\rdata:x\r\n\r\n";
        let whole = vec![message("log", "{\"a\":\n1}"), message("gone", "x")];
        assert_eq!(parse(&[text]), whole);
        for cut in 0..text.len() {
            assert_eq!(parse(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_without_data_is_none() {
        assert_eq!(parse(&["event: head\n\ndata:\n\n"]), vec![message("", "")]);
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut parser = Parser::default();
        let mut out: Vec<Message> = vec![];
        let chunk = vec![b'x'; 1 << 20];
        let refused = (0..64).any(|_| parser.feed(&chunk, &mut out).is_err());
        assert!(refused);
    }
}
