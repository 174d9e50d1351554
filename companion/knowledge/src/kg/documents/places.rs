//! From a place in a document's blocks to the chunk that carries it, and the bytes there.

use pocketgraph_bundle::Chunk;
use pocketgraph_ingest::SourceDocument;
use pocketgraph_native::single_line::cut;
use std::ops::Range;

/// Bytes of a chunk. An empty range stands for the page itself: its title or its front matter, which no
/// chunk carries as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::kg) struct Place {
    pub chunk: u32,
    pub start: u32,
    pub end: u32,
}

/// So much of a chunk is looked through, in bytes.
const SEARCHED: usize = 32 << 10;
/// So much of a piece is looked for where the whole of it was cut apart.
const BEGINNING: usize = 48;
/// A place that stands for a whole block is not longer, in bytes.
const LONGEST: usize = 400;

/// The chunks of one document.
pub(super) struct Places<'a> {
    doc: &'a SourceDocument,
    chunks: &'a [Chunk],
    /// The number of the first.
    first: u32,
}

impl<'a> Places<'a> {
    pub fn new(doc: &'a SourceDocument, chunks: &'a [Chunk], first: u32) -> Self {
        Places { doc, chunks, first }
    }

    /// The page itself.
    pub fn page(&self) -> Place {
        Place { chunk: self.first, start: 0, end: 0 }
    }

    /// Where a block begins, with as much of it as its chunk holds; at a heading, where what follows it begins.
    pub fn block(&self, block: usize) -> Place {
        let length = self.doc.blocks.get(block).map_or(0, |b| b.text.floor_char_boundary(LONGEST));
        self.bytes(block, 0..length)
    }

    /// Where bytes of a block stand. What is not found there, because its text was cut apart or is a
    /// heading's, is the chunk with an empty range.
    pub fn bytes(&self, block: usize, range: Range<usize>) -> Place {
        let Some(b) = self.doc.blocks.get(block) else { return self.page() };
        let at = b.source_span(range.clone()).start;
        let i = self.chunks.partition_point(|c| c.start <= at).saturating_sub(1);
        let chunk = self.first + i as u32;
        let nothing = Place { chunk, start: 0, end: 0 };
        let (Some(c), Some(piece)) = (self.chunks.get(i), b.text.get(range.clone())) else { return nothing };
        if piece.is_empty() {
            return nothing;
        }
        // To look for a long text takes as long as it is, and many places may be asked for in one block: no
        // more is looked through than a chunk usually has.
        let near = cut(&c.text, SEARCHED);
        let find = |text: &str| if text.len() <= near.len() { near.find(text) } else { None };
        // Where the chunk holds the whole block, the place is exact even if the piece stands there twice.
        let whole = find(&b.text).map(|p| p + range.start);
        let start = whole.or_else(|| find(piece)).or_else(|| find(cut(piece, BEGINNING)));
        let Some(start) = start else { return nothing };
        let found = near.get(start..).unwrap_or("");
        let common: usize = found.chars().zip(piece.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        Place { chunk, start: start as u32, end: (start + common) as u32 }
    }
}
