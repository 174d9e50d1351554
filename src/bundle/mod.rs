//! The bundle: a folder of immutable files that holds everything a reader's browser needs.
//!
//! `manifest.json` names the sections; a section is one file, and a paged section's file names its pages. Every file but the manifest
//! carries its SHA-256 in the name of whoever names it, so a whole bundle is checked by what has been read. docs/bundle-format.md has the bytes.

mod chunk;
mod codec;
mod error;
mod layout;
mod manifest;
mod pages;
mod reader;
mod runs;
mod sketch;
mod source;
mod terms;
mod vectors;

pub use chunk::{
    CHUNKS_PER_PAGE, Chunk, ChunkIndex, ChunkPage, Document, TITLED_FROM, decode_chunks, decode_documents, encode_chunks, encode_documents,
    encode_titled_chunks,
};
pub use codec::{
    Bytes, FORMAT, Kind, begin, open_section, put_matrix, put_text, put_texts, put_varint, take_matrix, take_text, take_texts, take_vectors,
};
pub use error::BundleError;
pub use layout::{BETWEEN_PIECES, Form, LAYOUTS_PER_PAGE, Layout, Piece, decode_layouts, encode_layouts};
pub use manifest::{Counts, EmbedderInfo, Encoding, MANIFEST, Manifest, SectionInfo};
pub use pages::{PAGE_HASH, PageRef, PagedIndex, page_file, section_file};
pub use reader::{Bundle, Pages, Stats, content_hash};
pub use runs::{PAGES_PER_LIST, Runs, decode_list, encode_list};
pub use sketch::{Against, SKETCH_DIM, SketchIndex, decode_sketches, encode_sketches};
#[cfg(not(target_arch = "wasm32"))]
pub use source::inflate_gzip;
pub use source::{MemorySource, Source, SourceError};
pub use terms::{RangeParts, TermIndex, TermPostings, Terms, decode_range, encode_range};
pub use vectors::{VectorIndex, decode_vectors, encode_vectors};
