//! Styles, links and clusters, each kept once and named by a small handle.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hash, Hasher},
    sync::Arc,
};

use crate::{
    cell::{Cell, Glyph},
    style::{Link, Style},
};

/// Entries of one kind before a sweep is tried.
const SWEEP_AT: usize = 1024;
/// Most links at a time, and the longest URI and id kept, in bytes: a longer link is dropped, as
/// browsers would.
const MAX_LINKS: usize = 1024;
const MAX_URI: usize = 2083;
const MAX_ID: usize = 250;

/// The tables that cells refer to. Handles stay valid until the owner sweeps.
#[derive(Debug)]
pub(crate) struct Pool {
    styles: Interner<Style>,
    clusters: Interner<Box<str>>,
    links: Interner<Arc<Link>>,
    /// Sizes at which the next sweep is worth its work.
    sweep_at: (usize, usize),
    links_full: bool,
}

impl Pool {
    pub fn new() -> Self {
        let mut styles = Interner::default();
        styles.intern(&Style::default());
        Self {
            styles,
            clusters: Interner::default(),
            links: Interner::default(),
            sweep_at: (SWEEP_AT, SWEEP_AT),
            links_full: false,
        }
    }

    /// The handle of a style.
    pub fn style_handle(&mut self, style: Style) -> u32 {
        if style == Style::default() { 0 } else { self.styles.intern(&style) }
    }

    /// The style of a handle.
    pub fn style(&self, handle: u32) -> Style {
        self.styles.get(handle).copied().unwrap_or_default()
    }

    /// The handle of a cluster.
    pub fn cluster_handle(&mut self, text: &str) -> u32 {
        match self.clusters.map.get(text) {
            Some(&handle) => handle,
            None => self.clusters.intern(&text.into()),
        }
    }

    /// The text of a cluster.
    pub fn cluster(&self, handle: u32) -> &str {
        self.clusters.get(handle).map_or(" ", |text| text)
    }

    /// The handle of a link; 0, which is no link, if it is too long or there are too many.
    pub fn link_handle(&mut self, id: &str, uri: &str) -> u16 {
        if uri.is_empty() || uri.len() > MAX_URI || id.len() > MAX_ID {
            return 0;
        }
        self.adopt_link(&Arc::new(Link { id: id.into(), uri: uri.into() }))
    }

    /// The handle of a link that is shared with the history or another pool.
    pub fn adopt_link(&mut self, link: &Arc<Link>) -> u16 {
        if self.links.len() >= MAX_LINKS && !self.links.map.contains_key(link) {
            self.links_full = true;
            return 0;
        }
        self.links.intern(link) as u16 + 1
    }

    /// The link of a handle.
    pub fn link(&self, handle: u16) -> Option<&Arc<Link>> {
        self.links.get(u32::from(handle).checked_sub(1)?)
    }

    /// Whether so much has gathered that the owner should sweep.
    pub fn wants_sweep(&self) -> bool {
        self.styles.len() > self.sweep_at.0
            || self.clusters.len() > self.sweep_at.1
            || self.links_full
            || self.links.len() > MAX_LINKS * 3 / 4
    }

    /// Approximate bytes of memory.
    pub fn memory(&self) -> usize {
        let links: usize = self.links.values.iter().map(|l| l.uri.len() + l.id.len() + 64).sum();
        self.styles.memory() + self.clusters.memory() + self.clusters.len() * 32 + links
    }
}

/// A sweep under way: what is still in use moves from the old pool into a new one.
pub(crate) struct Sweep {
    old: Pool,
    new: Pool,
    /// New handles of the old styles; `u32::MAX` where none has been asked for.
    styles: Vec<u32>,
}

impl Sweep {
    pub fn new(old: Pool) -> Self {
        let styles = vec![u32::MAX; old.styles.len()];
        Self { old, new: Pool::new(), styles }
    }

    /// The cell with its handles in the new pool.
    pub fn cell(&mut self, cell: Cell) -> Cell {
        let style = self.handle(cell.style);
        match cell.glyph() {
            Glyph::Cluster(handle) => {
                let handle = self.new.cluster_handle(self.old.cluster(handle));
                Cell::cluster(handle, cell.is_wide(), style)
            }
            _ => cell.with_style(style),
        }
    }

    /// The style with its link in the new pool.
    pub fn style(&mut self, style: Style) -> Style {
        let link = match self.old.link(style.link) {
            Some(link) => self.new.adopt_link(link),
            None => 0,
        };
        Style { link, ..style }
    }

    /// The new pool.
    pub fn finish(mut self) -> Pool {
        let new = &mut self.new;
        new.sweep_at = (SWEEP_AT.max(new.styles.len() * 2), SWEEP_AT.max(new.clusters.len() * 2));
        self.new
    }

    fn handle(&mut self, handle: u32) -> u32 {
        if handle == 0 {
            return 0;
        }
        let known = self.styles.get(handle as usize).copied().unwrap_or(0);
        if known != u32::MAX {
            return known;
        }
        let style = self.style(self.old.style(handle));
        let new = self.new.style_handle(style);
        self.styles[handle as usize] = new;
        new
    }
}

/// Values by handle and handles by value.
#[derive(Debug)]
struct Interner<T> {
    values: Vec<T>,
    map: HashMap<T, u32, BuildHasherDefault<Fold>>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), map: HashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn intern(&mut self, value: &T) -> u32 {
        if let Some(&handle) = self.map.get(value) {
            return handle;
        }
        let handle = self.values.len() as u32;
        self.values.push(value.clone());
        self.map.insert(value.clone(), handle);
        handle
    }

    fn get(&self, handle: u32) -> Option<&T> {
        self.values.get(handle as usize)
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn memory(&self) -> usize {
        let entry = size_of::<T>();
        self.values.capacity() * entry + self.map.capacity() * (entry + 5)
    }
}

/// A quick hash for small keys. A program that makes keys collide slows down its own screen only
/// by the length of the tables, which sweeps keep short.
#[derive(Default)]
struct Fold(u64);

impl Fold {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(byte.into());
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.mix(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.mix(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.mix(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
