//! The last bytes of a stream, addressed by sequence number.

/// Smallest allocation, in bytes, once something has been pushed.
const FIRST_ALLOCATION: usize = 4096;

/// Keeps the last `capacity` bytes of a stream. Each byte has a number; numbers never repeat.
///
/// Nothing is allocated until the first push; the buffer doubles until it has the full capacity
/// and then stays, so a push seldom allocates and an idle stream costs nothing.
#[derive(Debug)]
pub struct Ring {
    capacity: usize,
    buffer: Vec<u8>,
    /// Index in `buffer` of the oldest byte; 0 as long as the buffer still grows.
    head: usize,
    /// Bytes held.
    len: usize,
    /// Number of the byte after the newest.
    end: u64,
}

/// Why a [`Ring`] cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// The bytes asked for have been overwritten.
    #[error("byte {from} is gone, the oldest held is {start}")]
    TooOld {
        /// The number asked for.
        from: u64,
        /// The oldest number held.
        start: u64,
    },
    /// The bytes asked for have not been written yet.
    #[error("byte {from} has not been written, the next one is {end}")]
    Future {
        /// The number asked for.
        from: u64,
        /// The number that the next pushed byte gets.
        end: u64,
    },
}

impl Ring {
    /// An empty ring of `capacity` bytes (at least 1) whose first byte will have number
    /// `first_seq`.
    pub fn new(capacity: usize, first_seq: u64) -> Self {
        Self { capacity: capacity.max(1), buffer: Vec::new(), head: 0, len: 0, end: first_seq }
    }

    /// Number of the oldest byte held; equal to [`Ring::end`] if none is.
    pub fn start(&self) -> u64 {
        self.end - self.len as u64
    }

    /// Number that the next pushed byte gets.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Most bytes held.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes of memory allocated now.
    pub fn allocated(&self) -> usize {
        self.buffer.capacity()
    }

    /// Appends bytes; the oldest make room.
    pub fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.end += bytes.len() as u64;
        if bytes.len() >= self.capacity {
            self.grow(self.capacity);
            let tail = &bytes[bytes.len() - self.capacity..];
            self.buffer.copy_from_slice(tail);
            (self.head, self.len) = (0, self.capacity);
            return;
        }
        self.grow(self.len + bytes.len());
        let size = self.buffer.len();
        let at = (self.head + self.len) % size;
        let first = bytes.len().min(size - at);
        self.buffer[at..at + first].copy_from_slice(&bytes[..first]);
        self.buffer[..bytes.len() - first].copy_from_slice(&bytes[first..]);
        let over = (self.len + bytes.len()).saturating_sub(self.capacity);
        self.head = (self.head + over) % size;
        self.len = self.len + bytes.len() - over;
    }

    /// Passes over one number: each byte that is held has the next one now, and so has the next
    /// to come.
    pub fn pass_over_one(&mut self) {
        self.end += 1;
    }

    /// Up to `max` bytes from number `from` on, as two slices to be read one after the other.
    /// Both are empty at the end of the stream.
    ///
    /// # Errors
    /// [`RingError`] when `from` is before [`Ring::start`] or after [`Ring::end`].
    pub fn read(&self, from: u64, max: usize) -> Result<(&[u8], &[u8]), RingError> {
        let start = self.start();
        if from < start {
            return Err(RingError::TooOld { from, start });
        }
        if from > self.end {
            return Err(RingError::Future { from, end: self.end });
        }
        let skip = usize::try_from(from - start).unwrap_or(self.len);
        let count = max.min(self.len - skip);
        if count == 0 {
            return Ok((&[], &[]));
        }
        let at = (self.head + skip) % self.buffer.len();
        let first = count.min(self.buffer.len() - at);
        Ok((&self.buffer[at..at + first], &self.buffer[..count - first]))
    }

    /// Makes the buffer hold at least `need` bytes, within the capacity.
    fn grow(&mut self, need: usize) {
        let need = need.min(self.capacity);
        if need <= self.buffer.len() {
            return;
        }
        let size = need.next_power_of_two().max(FIRST_ALLOCATION).min(self.capacity);
        self.buffer.reserve_exact(size - self.buffer.len());
        // The buffer grows only before it is full, so the bytes lie from 0 on, unwrapped.
        self.buffer.resize(size, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ring: &Ring, from: u64) -> Vec<u8> {
        let (a, b) = ring.read(from, usize::MAX).unwrap();
        [a, b].concat()
    }

    #[test]
    fn an_idle_ring_costs_nothing() {
        let ring = Ring::new(1 << 20, 7);
        assert_eq!((ring.allocated(), ring.start(), ring.end()), (0, 7, 7));
        assert_eq!(ring.read(7, 10), Ok((&[][..], &[][..])));
    }

    #[test]
    fn the_capacity_is_a_limit_also_when_it_is_odd() {
        let mut ring = Ring::new(5000, 0);
        for _ in 0..100 {
            ring.push(&[b'x'; 777]);
        }
        assert_eq!(ring.allocated(), 5000);
        assert_eq!(ring.end() - ring.start(), 5000);
    }

    #[test]
    fn one_push_larger_than_the_ring_keeps_its_tail() {
        let mut ring = Ring::new(4, 10);
        ring.push(b"ab");
        ring.push(b"cdefgh");
        assert_eq!((ring.start(), ring.end()), (14, 18));
        assert_eq!(all(&ring, 14), b"efgh");
        assert_eq!(ring.read(13, 1), Err(RingError::TooOld { from: 13, start: 14 }));
        assert_eq!(ring.read(19, 1), Err(RingError::Future { from: 19, end: 18 }));
    }

    #[test]
    fn a_number_that_is_passed_over_moves_those_that_are_held() {
        let mut ring = Ring::new(4, 10);
        ring.push(b"ab");
        ring.pass_over_one();
        assert_eq!((ring.start(), ring.end()), (11, 13));
        ring.push(b"c");
        assert_eq!(all(&ring, 11), b"abc");
        assert_eq!(ring.read(10, 1), Err(RingError::TooOld { from: 10, start: 11 }));
    }
}
