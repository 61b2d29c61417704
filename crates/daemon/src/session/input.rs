//! Bytes on their way to the program, and who waits for them to arrive.

use std::collections::{BTreeSet, VecDeque};

use bytes::{Buf as _, Bytes};
use qd_core::{Code, Problem};

use crate::message::{Reply, ViewerId};

/// Most bytes that wait; a sender of more is refused.
pub(crate) const MOST: usize = 1024 * 1024;

/// The queue of one terminal's input.
#[derive(Debug, Default)]
pub(crate) struct InputQueue {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// Looks at the terminal while the first entry waits to come apart: all, and those in a row
    /// that found nothing in it.
    looks: u32,
    empty: u32,
}

#[derive(Debug)]
struct Entry {
    data: Bytes,
    done: Option<Reply<()>>,
    viewer: Option<ViewerId>,
    /// Written once the program has read what came before.
    apart: bool,
}

/// Looks in a row that must find the terminal empty: a single one may come before tmux has
/// handed over what was written.
const EMPTY_LOOKS: u32 = 2;
/// Looks after which a key is written though what comes before it was not read.
const MOST_LOOKS: u32 = 100;

impl InputQueue {
    /// Takes bytes in; `done` is answered when the last of them was written.
    ///
    /// # Errors
    /// [`Code::InputFull`] with the reply given back, when too much waits already.
    pub(crate) fn push(&mut self, data: Bytes, done: Option<Reply<()>>) -> Result<(), Refused> {
        if self.is_too_much(&data) {
            return Err(Refused { done });
        }
        self.take(Entry { data, done, viewer: None, apart: false });
        Ok(())
    }

    /// Takes in a text and the key that follows it, both or none of them. The key is written when
    /// the program has read the text, or does not for a while, so that no program takes it for a
    /// part of the text.
    ///
    /// # Errors
    /// As [`InputQueue::push`].
    pub(crate) fn push_with_key(
        &mut self,
        text: Bytes,
        key: &'static [u8],
        done: Option<Reply<()>>,
    ) -> Result<(), Refused> {
        if self.is_too_much(&text) {
            return Err(Refused { done });
        }
        let apart = !text.is_empty();
        self.take(Entry { data: text, done: None, viewer: None, apart: false });
        self.take(Entry { data: Bytes::from_static(key), done, viewer: None, apart });
        Ok(())
    }

    /// The terminal was looked at and held so many bytes that the program has not read.
    pub(crate) fn looked(&mut self, unread: u64) {
        if let Some(entry) = self.entries.front_mut().filter(|entry| entry.apart) {
            self.looks += 1;
            self.empty = if unread == 0 { self.empty + 1 } else { 0 };
            if self.empty >= EMPTY_LOOKS || self.looks >= MOST_LOOKS {
                entry.apart = false;
                (self.looks, self.empty) = (0, 0);
            }
        }
    }

    /// Takes bytes of a viewer in, who does not wait for them.
    ///
    /// # Errors
    /// [`Code::InputFull`], when too much waits already.
    pub(crate) fn push_typed(&mut self, data: Bytes, viewer: ViewerId) -> Result<(), Problem> {
        if self.is_too_much(&data) {
            return Err(full());
        }
        self.take(Entry { data, done: None, viewer: Some(viewer), apart: false });
        Ok(())
    }

    // One entry of any size is taken when nothing waits: its sender waits for it.
    fn is_too_much(&self, data: &Bytes) -> bool {
        !self.entries.is_empty() && self.bytes + data.len() > MOST
    }

    fn take(&mut self, entry: Entry) {
        self.bytes += entry.data.len();
        self.entries.push_back(entry);
        self.settle();
    }

    /// The next bytes to write, at most `most`; none when nothing waits, or what waits is to come
    /// apart from what was written.
    pub(crate) fn next(&self, most: usize) -> Option<&[u8]> {
        self.entries.front().filter(|e| !e.apart).map(|e| &e.data[..e.data.len().min(most)])
    }

    /// So many bytes were written.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        if let Some(entry) = self.entries.front_mut() {
            let bytes = bytes.min(entry.data.len());
            entry.data.advance(bytes);
            self.bytes -= bytes;
        }
        self.settle();
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Drops all that waits and tells the senders why; gives the viewers that are to be told.
    pub(crate) fn fail(&mut self, problem: &Problem) -> BTreeSet<ViewerId> {
        let mut viewers = BTreeSet::new();
        for entry in self.entries.drain(..) {
            viewers.extend(entry.viewer);
            if let Some(done) = entry.done {
                let _ = done.send(Err(problem.clone()));
            }
        }
        self.bytes = 0;
        (self.looks, self.empty) = (0, 0);
        viewers
    }

    fn settle(&mut self) {
        while self.entries.front().is_some_and(|e| e.data.is_empty()) {
            if let Some(Entry { done: Some(done), .. }) = self.entries.pop_front() {
                // The sender may be gone; the bytes arrived all the same.
                let _ = done.send(Ok(()));
            }
        }
    }
}

/// Bytes that were not taken in.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Who is to be told.
    pub(crate) done: Option<Reply<()>>,
}

/// What a sender is told when the program does not read.
pub(crate) fn full() -> Problem {
    Problem::new(
        Code::InputFull,
        "The program does not read its input, and too much waits for it already.",
        "Wait until it reads, interrupt it with `qd keys ID C-c`, or delete the session.",
    )
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn a_sender_is_answered_when_the_last_byte_is_written() {
        let mut queue = InputQueue::default();
        let (done, mut answer) = oneshot::channel();
        queue.push(Bytes::from_static(b"hello"), Some(done)).unwrap();
        assert_eq!(queue.next(3), Some(&b"hel"[..]));
        queue.wrote(3);
        assert!(answer.try_recv().is_err());
        queue.wrote(2);
        assert_eq!(answer.try_recv().unwrap(), Ok(()));
        assert!(queue.is_empty());
    }

    #[test]
    fn what_waits_is_bounded_and_nobody_is_forgotten() {
        let mut queue = InputQueue::default();
        queue.push(Bytes::from(vec![0; MOST]), None).unwrap();
        let refused = queue.push(Bytes::from_static(b"x"), None);
        assert!(refused.is_err());
        let (done, mut answer) = oneshot::channel();
        queue.wrote(10);
        queue.push(Bytes::from_static(b"y"), Some(done)).unwrap();
        queue.push_typed(Bytes::from_static(b"z"), 7).unwrap();
        assert_eq!(queue.fail(&full()), BTreeSet::from([7]));
        assert_eq!(answer.try_recv().unwrap().unwrap_err().code, Code::InputFull);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_key_comes_apart_from_its_text() {
        let mut queue = InputQueue::default();
        let (done, mut answer) = oneshot::channel();
        queue.push_with_key(Bytes::from_static(b"text"), b"\r", Some(done)).unwrap();
        assert_eq!(queue.next(10), Some(&b"text"[..]));
        queue.wrote(4);
        for unread in [0, 4, 0] {
            assert_eq!(queue.next(10), None);
            queue.looked(unread);
        }
        assert_eq!(queue.next(10), None, "a single look may have come too early");
        queue.looked(0);
        assert_eq!(queue.next(10), Some(&b"\r"[..]));
        queue.wrote(1);
        assert_eq!(answer.try_recv().unwrap(), Ok(()));
        // A program that does not read gets it all the same.
        queue.push_with_key(Bytes::from_static(b"text"), b"\r", None).unwrap();
        queue.wrote(4);
        (0..MOST_LOOKS).for_each(|_| queue.looked(4));
        assert_eq!(queue.next(10), Some(&b"\r"[..]));
        // With no text there is nothing to wait for.
        queue.wrote(1);
        queue.push_with_key(Bytes::new(), b"\r", None).unwrap();
        assert_eq!(queue.next(10), Some(&b"\r"[..]));
    }

    #[test]
    fn a_text_and_its_key_are_refused_together() {
        let mut queue = InputQueue::default();
        queue.push(Bytes::from(vec![0; MOST]), None).unwrap();
        assert!(queue.push_with_key(Bytes::from_static(b"x"), b"\r", None).is_err());
        queue.wrote(MOST);
        assert!(queue.is_empty(), "nothing of it was taken in");
    }

    #[test]
    fn nothing_is_written_at_once() {
        let mut queue = InputQueue::default();
        let (done, mut answer) = oneshot::channel();
        queue.push(Bytes::new(), Some(done)).unwrap();
        assert_eq!(answer.try_recv().unwrap(), Ok(()));
    }
}
