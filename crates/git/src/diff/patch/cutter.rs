//! Takes patch text as it comes, and keeps what may be shown. Its memory is bounded by its limits.

use std::ops::ControlFlow;

use super::{Cut, PatchLimits};

pub(super) struct Cutter {
    text: Vec<u8>,
    cut: Cut,
    max_bytes: usize,
    max_lines: usize,
    max_line: usize,
    lines: usize,
    /// Where the current line begins in `text`.
    line_start: usize,
    /// Bytes of the current line that were left out.
    left_out: usize,
    /// The first line: further files, as when a folder took a file's place, are not asked for.
    first_line: Option<Vec<u8>>,
    done: bool,
}

const SECTION: &[u8] = b"diff --git ";

impl Cutter {
    pub(super) fn new(limits: &PatchLimits) -> Self {
        Self {
            text: Vec::new(),
            cut: Cut::default(),
            max_bytes: limits.bytes,
            max_lines: limits.lines,
            max_line: limits.line_bytes,
            lines: 0,
            line_start: 0,
            left_out: 0,
            first_line: None,
            done: false,
        }
    }

    pub(super) fn limit_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Takes the next bytes; breaks when nothing more is wanted.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> ControlFlow<()> {
        for piece in chunk.split_inclusive(|&b| b == b'\n') {
            if self.done {
                return ControlFlow::Break(());
            }
            let (body, ended) = match piece.strip_suffix(b"\n") {
                Some(body) => (body, true),
                None => (piece, false),
            };
            self.add(body);
            if ended && !self.done {
                self.end_line();
            }
        }
        if self.done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn add(&mut self, body: &[u8]) {
        let in_line = self.text.len() - self.line_start;
        let room = self.max_line.saturating_sub(in_line);
        let fits = body.len().min(room);
        if self.text.len() + fits > self.max_bytes {
            self.cut.bytes = true;
            self.done = true;
            self.text.truncate(self.line_start);
            self.left_out = 0;
            return;
        }
        self.text.extend_from_slice(&body[..fits]);
        self.left_out += body.len() - fits;
    }

    fn end_line(&mut self) {
        self.mark_long_line();
        let line = &self.text[self.line_start..];
        if line.starts_with(SECTION) {
            match &self.first_line {
                None => self.first_line = Some(line.to_vec()),
                Some(first) if first != line => {
                    self.text.truncate(self.line_start);
                    self.done = true;
                    return;
                }
                Some(_) => {}
            }
        }
        self.text.push(b'\n');
        self.line_start = self.text.len();
        self.lines += 1;
        if self.lines >= self.max_lines {
            self.cut.lines = true;
            self.done = true;
        }
    }

    fn mark_long_line(&mut self) {
        if self.left_out == 0 {
            return;
        }
        let line = &self.text[self.line_start..];
        if let Err(e) = std::str::from_utf8(line)
            && e.error_len().is_none()
        {
            let dropped = line.len() - e.valid_up_to();
            self.left_out += dropped;
            self.text.truncate(self.line_start + e.valid_up_to());
        }
        let note = format!(" … [{} bytes cut]", self.left_out);
        self.text.extend_from_slice(note.as_bytes());
        self.cut.long_lines += 1;
        self.left_out = 0;
    }

    /// The text, whether it is lossy, and what is missing.
    pub(super) fn finish(mut self) -> (String, bool, Cut) {
        self.mark_long_line();
        match String::from_utf8(self.text) {
            Ok(text) => (text, false, self.cut),
            Err(e) => (String::from_utf8_lossy(e.as_bytes()).into_owned(), true, self.cut),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(limits: PatchLimits, chunks: &[&[u8]]) -> (String, bool, Cut) {
        let mut cutter = Cutter::new(&limits);
        for chunk in chunks {
            if cutter.feed(chunk).is_break() {
                break;
            }
        }
        cutter.finish()
    }

    #[test]
    fn a_short_text_is_kept_as_it_is() {
        let (text, lossy, cut) = cut(PatchLimits::default(), &[b"+a\n-", b"b\n\\ No newline"]);
        assert_eq!((text.as_str(), lossy, cut), ("+a\n-b\n\\ No newline", false, Cut::default()));
    }

    #[test]
    fn each_limit_is_told() {
        let limits = PatchLimits { lines: 2, line_bytes: 6, bytes: 100, ..PatchLimits::default() };
        let (text, _, what) = cut(limits, &["+abcdeé".as_bytes(), b"fgh\n+b\n+c\n"]);
        assert_eq!(text, "+abcde … [5 bytes cut]\n+b\n");
        assert_eq!(what, Cut { lines: true, long_lines: 1, ..Cut::default() });
        let limits = PatchLimits { bytes: 5, ..PatchLimits::default() };
        let (text, _, what) = cut(limits, &[b"+ab\n+cd\n"]);
        assert_eq!((text.as_str(), what.bytes), ("+ab\n", true));
    }

    #[test]
    fn other_files_are_left_out() {
        let halves =
            b"diff --git a/f b/f\n-x\ndiff --git a/f b/f\n+y\ndiff --git a/f/g b/f/g\n+z\n";
        let (text, _, _) = cut(PatchLimits::default(), &[halves]);
        assert_eq!(text, "diff --git a/f b/f\n-x\ndiff --git a/f b/f\n+y\n");
    }
}
