//! Rows that have left the screen, packed.

mod block;
mod pack;

use std::collections::VecDeque;

use self::block::Block;
use crate::{pool::Pool, row::Row};

/// Bytes of memory that a row may take on average before the oldest rows go early. Usual rows
/// take a third of it; it bounds what a program can make us keep.
const BYTES_PER_ROW: usize = 256;
/// Memory that is allowed however small the limit of rows is.
const LEAST_BYTES: usize = 64 * 1024;

/// The last rows that left the screen, at most `limit`, and at most [`BYTES_PER_ROW`] each on
/// average. The oldest is number 0.
#[derive(Debug)]
pub(crate) struct History {
    limit: usize,
    blocks: VecDeque<Block>,
    /// Rows in all blocks that have not been dropped.
    len: usize,
    /// Rows at the start of the first block that have been dropped.
    skipped: usize,
    /// Memory of all blocks but the last.
    sealed_bytes: usize,
}

impl History {
    pub fn new(limit: usize) -> Self {
        Self { limit, blocks: VecDeque::new(), len: 0, skipped: 0, sealed_bytes: 0 }
    }

    /// An empty history with the same limit.
    pub fn empty(&self) -> Self {
        Self::new(self.limit)
    }

    /// Most rows kept.
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: &Row, pool: &Pool) {
        if self.limit == 0 {
            return;
        }
        if self.blocks.back().is_none_or(Block::is_full) {
            if let Some(full) = self.blocks.back_mut() {
                full.seal();
                self.sealed_bytes += full.memory();
            }
            self.blocks.push_back(Block::default());
        }
        if let Some(block) = self.blocks.back_mut() {
            block.push(row, pool);
        }
        self.len += 1;
        self.trim();
    }

    /// Takes the newest row back.
    pub fn pop(&mut self, pool: &mut Pool) -> Option<Row> {
        let row = self.blocks.back_mut().filter(|_| self.len > 0)?.last(pool);
        self.drop_newest(1);
        row
    }

    /// Drops the newest rows.
    pub fn drop_newest(&mut self, count: usize) {
        for _ in 0..count.min(self.len) {
            let Some(block) = self.blocks.back_mut() else { return };
            block.pop();
            self.len -= 1;
            let empty = self.len == 0 || block.len() == 0;
            if empty {
                self.blocks.pop_back();
                if let Some(block) = self.blocks.back_mut() {
                    self.sealed_bytes -= block.memory();
                    block.reopen();
                }
            }
            if self.len == 0 {
                self.blocks.clear();
                (self.skipped, self.sealed_bytes) = (0, 0);
            }
        }
    }

    /// The newest row does not go on in the row after it any more.
    pub fn end_last_line(&mut self) {
        if let Some(block) = self.blocks.back_mut() {
            block.end_last_line();
        }
    }

    /// The pool has been swept: handles mean something else now.
    pub fn forget_handles(&mut self) {
        if let Some(block) = self.blocks.back_mut() {
            block.forget_handles();
        }
    }

    /// Gives the rows from number `from` on to `each`, with handles in `pool`, until it returns
    /// false.
    pub fn for_each(
        &self,
        from: usize,
        pool: &mut Pool,
        mut each: impl FnMut(Row, &mut Pool) -> bool,
    ) {
        let mut skip = from + self.skipped;
        for block in &self.blocks {
            if skip >= block.len() {
                skip -= block.len();
                continue;
            }
            if !block.for_each(skip, pool, &mut each) {
                return;
            }
            skip = 0;
        }
    }

    /// Gives all rows to `each` and frees them on the way.
    pub fn drain(&mut self, pool: &mut Pool, mut each: impl FnMut(Row, &mut Pool)) {
        let mut skip = self.skipped;
        while let Some(block) = self.blocks.pop_front() {
            block.for_each(skip, pool, &mut |row, pool| {
                each(row, pool);
                true
            });
            skip = 0;
        }
        *self = self.empty();
    }

    /// Bytes of memory.
    pub fn memory(&self) -> usize {
        self.sealed_bytes
            + self.blocks.back().map_or(0, Block::memory)
            + self.blocks.capacity() * size_of::<Block>()
    }

    fn trim(&mut self) {
        while self.len > self.limit {
            self.len -= 1;
            self.skipped += 1;
            self.drop_dead_block();
        }
        let most = self.limit * BYTES_PER_ROW + LEAST_BYTES;
        while self.sealed_bytes > most && self.blocks.len() > 1 {
            let rows = self.blocks.front().map_or(0, Block::len) - self.skipped;
            self.len -= rows;
            self.skipped += rows;
            self.drop_dead_block();
        }
    }

    fn drop_dead_block(&mut self) {
        if let Some(first) = self.blocks.front()
            && first.len() == self.skipped
            && self.blocks.len() > 1
        {
            self.sealed_bytes -= first.memory();
            self.blocks.pop_front();
            self.skipped = 0;
        }
    }
}
