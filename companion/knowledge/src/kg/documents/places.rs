//! Maps a place in a document's blocks to its chunk and the bytes there.

use pocketgraph_bundle::Chunk;
use pocketgraph_ingest::SourceDocument;
use pocketgraph_native::single_line::cut_text;
use std::ops::Range;

/// Bytes of a chunk. An empty range means the page itself: its title or front matter, which no chunk has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::kg) struct Place {
    pub chunk: u32,
    pub start: u32,
    pub end: u32,
}

/// Maximum number of bytes of a chunk that are searched.
const SEARCHED: usize = 32 << 10;
/// Number of bytes of a piece that are searched for if the whole piece is not in one chunk.
const BEGINNING: usize = 48;
/// Maximum length of a place that represents a whole block, in bytes.
const LONGEST: usize = 400;

pub(super) struct Places<'a> {
    doc: &'a SourceDocument,
    chunks: &'a [Chunk],
    first: u32,
}

impl<'a> Places<'a> {
    pub fn new(doc: &'a SourceDocument, chunks: &'a [Chunk], first: u32) -> Self {
        Places { doc, chunks, first }
    }

    /// Returns the place of the page itself.
    pub fn page(&self) -> Place {
        Place { chunk: self.first, start: 0, end: 0 }
    }

    /// Returns the start of a block, with as much of it as its chunk holds; at a heading, of what follows.
    pub fn block(&self, block: usize) -> Place {
        let length = self.doc.blocks.get(block).map_or(0, |b| b.text.floor_char_boundary(LONGEST));
        self.bytes(block, 0..length)
    }

    /// Returns the place of bytes of a block. If the chunk lacks them, because a text was split or is a
    /// heading's, the range is empty.
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
        // Searching takes as long as the text is, and one block may have many places, so the search covers
        // only as much as a chunk usually holds.
        let near = cut_text(&c.text, SEARCHED);
        let find = |text: &str| if text.len() <= near.len() { near.find(text) } else { None };
        // If the chunk holds the whole block, the place is exact even if the piece occurs twice.
        let whole = find(&b.text).map(|p| p + range.start);
        let start = whole.or_else(|| find(piece)).or_else(|| find(cut_text(piece, BEGINNING)));
        let Some(start) = start else { return nothing };
        let found = near.get(start..).unwrap_or("");
        let common: usize =
            found.chars().zip(piece.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        Place { chunk, start: start as u32, end: (start + common) as u32 }
    }
}
