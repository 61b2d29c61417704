//! Some hundred rows together, with the styles and links they use.

use std::{borrow::Cow, sync::Arc};

use super::pack::{self, Reader};
use crate::{
    pool::Pool,
    row::Row,
    style::{Link, Style},
};

/// A block takes no more rows once it has this many, or this many bytes.
const MAX_ROWS: usize = 256;
const MAX_BYTES: usize = 24 * 1024;

/// Rows one after another, each headed by its length.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The rows; empty in a sealed block.
    data: Vec<u8>,
    /// The rows of a sealed block, compressed: LZ4, headed by the length before.
    sealed: Vec<u8>,
    rows: usize,
    /// Where each row starts; only as long as rows come and go.
    starts: Vec<u32>,
    /// Styles by number; the link of a style is a number in `links`. Number 0 is the default one.
    styles: Vec<Style>,
    links: Vec<Arc<Link>>,
    /// Number of the style of each handle of the pool, `u32::MAX` if it has none.
    numbers: Vec<u32>,
}

impl Block {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.data.len() >= MAX_BYTES
    }

    pub fn push(&mut self, row: &Row, pool: &Pool) {
        self.starts.push(self.data.len() as u32);
        self.rows += 1;
        let mut data = std::mem::take(&mut self.data);
        pack::write(&mut data, row, pool, |handle| self.number(handle, pool));
        self.data = data;
    }

    /// Removes the last row.
    pub fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.data.truncate(start as usize);
            self.rows -= 1;
        }
    }

    /// The last row.
    pub fn last(&self, pool: &mut Pool) -> Option<Row> {
        let mut row = None;
        let start = *self.starts.last()? as usize;
        self.read(&self.data, start, pool, &mut |last, _| {
            row = Some(last);
            true
        });
        row
    }

    pub fn end_last_line(&mut self) {
        if let Some(&start) = self.starts.last() {
            pack::end_line(&mut self.data[start as usize..]);
        }
    }

    /// Compresses the rows, and frees what only a block that changes needs.
    pub fn seal(&mut self) {
        self.sealed = lz4_flex::compress_prepend_size(&self.data);
        self.sealed.shrink_to_fit();
        self.data = Vec::new();
        self.starts = Vec::new();
        self.numbers = Vec::new();
        self.styles.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    /// Makes a sealed block take and give rows again.
    pub fn reopen(&mut self) {
        self.data = self.rows().into_owned();
        self.sealed = Vec::new();
        let mut reader = Reader::new(&self.data);
        while let Some(start) = reader.skip_row() {
            self.starts.push(start as u32);
        }
    }

    pub fn forget_handles(&mut self) {
        self.numbers.clear();
    }

    /// Gives the rows from the `skip`th on to `each` until it returns false; says whether it never
    /// did.
    pub fn for_each(
        &self,
        skip: usize,
        pool: &mut Pool,
        each: &mut impl FnMut(Row, &mut Pool) -> bool,
    ) -> bool {
        let rows = self.rows();
        let mut reader = Reader::new(&rows);
        for _ in 0..skip {
            reader.skip_row();
        }
        self.read(&rows, reader.position(), pool, each)
    }

    pub fn memory(&self) -> usize {
        let links: usize = self.links.iter().map(|l| l.uri.len() + l.id.len() + 64).sum();
        size_of::<Self>()
            + self.data.capacity()
            + self.sealed.capacity()
            + (self.starts.capacity() + self.numbers.capacity()) * size_of::<u32>()
            + self.styles.capacity() * size_of::<Style>()
            + self.links.capacity() * size_of::<Arc<Link>>()
            + links
    }

    /// The rows as they were before they were sealed.
    fn rows(&self) -> Cow<'_, [u8]> {
        if self.sealed.is_empty() {
            return Cow::Borrowed(&self.data);
        }
        // We compressed it ourselves, so it can be read.
        Cow::Owned(lz4_flex::decompress_size_prepended(&self.sealed).unwrap_or_default())
    }

    fn read(
        &self,
        rows: &[u8],
        start: usize,
        pool: &mut Pool,
        each: &mut impl FnMut(Row, &mut Pool) -> bool,
    ) -> bool {
        let mut handles = vec![u32::MAX; self.styles.len().max(1)];
        handles[0] = 0;
        let mut reader = Reader::new(rows);
        reader.seek(start);
        while let Some(row) =
            reader.row(pool, |number, pool| self.handle(number, &mut handles, pool))
        {
            if !each(row, pool) {
                return false;
            }
        }
        true
    }

    /// The pool's handle of a style, by its number here.
    fn handle(&self, number: usize, handles: &mut [u32], pool: &mut Pool) -> u32 {
        let Some(handle) = handles.get_mut(number) else { return 0 };
        if *handle == u32::MAX {
            let style = self.styles[number];
            let link = usize::from(style.link).checked_sub(1).and_then(|at| self.links.get(at));
            let link = link.map_or(0, |link| pool.adopt_link(link));
            *handle = pool.style_handle(Style { link, ..style });
        }
        *handle
    }

    /// The number here of a style of the pool.
    fn number(&mut self, handle: u32, pool: &Pool) -> usize {
        let at = handle as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, u32::MAX);
        }
        if self.styles.is_empty() {
            self.styles.push(Style::default());
        }
        if handle == 0 {
            return 0;
        }
        if self.numbers[at] == u32::MAX {
            let style = pool.style(handle);
            let link = pool.link(style.link).map_or(0, |link| self.link_number(link));
            self.numbers[at] = self.styles.len() as u32;
            self.styles.push(Style { link, ..style });
        }
        self.numbers[at] as usize
    }

    fn link_number(&mut self, link: &Arc<Link>) -> u16 {
        let at = self.links.iter().rposition(|known| known == link).unwrap_or_else(|| {
            self.links.push(Arc::clone(link));
            self.links.len() - 1
        });
        u16::try_from(at + 1).unwrap_or(0)
    }
}
