//! Pages: the slices of a section that are loaded when needed.

use super::codec::Bytes;
use super::error::BundleError;
use crate::compact::Set;

/// Number of bytes of its SHA-256 that name a page. 128 bits suffice against forgery and make lists of pages,
/// much of what a first question loads, a third shorter.
pub const PAGE_HASH: usize = 16;

/// A page as its section names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRef {
    /// The first bytes of the SHA-256 of the page's file.
    pub sha256: [u8; PAGE_HASH],
    /// Length of the file in bytes.
    pub bytes: u32,
    /// Length after inflating; equal to `bytes` if the page is not compressed.
    pub raw: u32,
}

/// Pages of a section of `first.last()` items: page p holds items `first[p]..first[p + 1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagedIndex {
    /// The pages in order.
    pub pages: Vec<PageRef>,
    /// First item of each page, then the number of items: one longer than `pages`, ascending from 0.
    pub first: Vec<u32>,
}

impl PagedIndex {
    /// Returns an index without pages.
    pub fn empty() -> Self {
        PagedIndex { pages: Vec::new(), first: vec![0] }
    }

    /// Adds the next page, which holds `items` items.
    pub fn push(&mut self, page: PageRef, items: u32) {
        self.pages.push(page);
        self.first.push(self.items() + items);
    }

    /// Number of items.
    pub fn items(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// Returns the items of a page; none if there is no such page.
    pub fn run(&self, page: usize) -> std::ops::Range<u32> {
        match (self.first.get(page), self.first.get(page + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        }
    }

    /// Returns the page that holds `item`, and the item's place on it.
    pub fn locate(&self, item: u32) -> Option<(usize, usize)> {
        if item >= self.items() {
            return None;
        }
        let page = self.first.partition_point(|&f| f <= item) - 1;
        Some((page, (item - self.first[page]) as usize))
    }

    /// Returns the pages that hold `items`. Items that the index does not have are on none.
    pub fn pages_of(&self, items: &[u32]) -> Set<usize> {
        items.iter().filter_map(|&i| self.locate(i)).map(|(page, _)| page).collect()
    }

    /// Appends the index: number of pages, then for each its number of items, file length, inflated length
    /// (varints) and hash ([`PAGE_HASH`] bytes).
    pub fn put(&self, out: &mut Vec<u8>) {
        super::codec::put_varint(out, self.pages.len() as u32);
        for (page, run) in self.pages.iter().zip(self.first.windows(2)) {
            super::codec::put_varint(out, run[1] - run[0]);
            super::codec::put_varint(out, page.bytes);
            super::codec::put_varint(out, page.raw);
            out.extend_from_slice(&page.sha256);
        }
    }

    /// Reads the output of [`PagedIndex::put`].
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] if the counts do not fit.
    pub fn take(b: &mut Bytes<'_>) -> Result<Self, BundleError> {
        let n = b.count(3 + PAGE_HASH)?;
        let (mut pages, mut first) = (Vec::with_capacity(n), vec![0u32]);
        let mut total = 0u32;
        for _ in 0..n {
            let items = b.varint()?;
            total = total.checked_add(items).ok_or_else(|| b.corrupt("too many items"))?;
            let (bytes, raw) = (b.varint()?, b.varint()?);
            let mut sha256 = [0; PAGE_HASH];
            sha256.copy_from_slice(b.take(PAGE_HASH)?);
            pages.push(PageRef { sha256, bytes, raw });
            first.push(total);
        }
        Ok(PagedIndex { pages, first })
    }
}

/// Returns bytes as hexadecimal digits, lower case.
pub fn format_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

/// Returns the name of a section's file: the section's name and the first 20 hexadecimal digits of its hash.
pub fn section_file(section: &str, sha256: &[u8; 32]) -> String {
    format!("{section}-{}.pgs", format_hex(&sha256[..10]))
}

/// Returns the name of a page's file: its section as a folder, and 20 hexadecimal digits of its hash.
pub fn page_file(section: &str, page: &PageRef) -> String {
    format!("{section}/{}.pgs", format_hex(&page.sha256[..10]))
}
