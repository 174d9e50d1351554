#![doc = include_str!("../README.md")]

extern crate self as bundle;
use pocketgraph_base::{compact, json};
use pocketgraph_kernels::vector;

mod bounds;
mod chunk;
mod codec;
mod error;
mod fields;
mod document_order;
mod function_words;
mod layout;
mod manifest;
mod pages;
mod reader;
mod runs;
mod sketch;
mod source;
mod terms;
mod times;
mod translations;
mod vectors;
mod weights;

pub use bounds::{LONGEST_FILE, LONGEST_MANIFEST, MOST_CHUNKS, MOST_SHARED, Part};
pub use chunk::{
    CHUNKS_PER_PAGE, Chunk, ChunkIndex, ChunkPage, Document, TITLED_FROM, decode_chunks, decode_documents,
    encode_chunks, encode_documents, encode_titled_chunks, format_place,
};
pub use codec::{
    Bytes, FORMAT, Kind, PACKED_FORMAT, begin_section, open_section, put_matrix, put_text, put_texts,
    put_varint, put_varints, take_matrix, take_text, take_texts, take_varints, take_vectors,
};
pub use document_order::{decode_document_order, encode_document_order};
pub use error::BundleError;
pub use fields::{Fields, decode_fields, encode_fields};
pub use function_words::{decode_function_words, encode_function_words};
pub use layout::{BETWEEN_PIECES, Form, LAYOUTS_PER_PAGE, Layout, Piece, decode_layouts, encode_layouts};
pub use manifest::{Ahead, Counts, EmbedderInfo, Encoding, MANIFEST, Manifest, PackInfo, SectionInfo};
pub use pages::{PAGE_HASH, PageRef, PagedIndex, format_hex, page_file, section_file};
pub use reader::{Bundle, Pages, Stats, content_hash};
pub use runs::{PAGES_PER_LIST, Runs, decode_list, encode_list};
pub use sketch::{Against, SKETCH_DIM, SketchIndex, decode_sketches, encode_sketches};
#[cfg(not(target_arch = "wasm32"))]
pub use source::inflate_gzip;
pub use source::{MemorySource, Source, SourceBytes, SourceError};
pub use terms::{RangeParts, TermIndex, TermPostings, Terms, decode_range, decode_run, encode_range};
pub use times::{ENDED, Times, decode_times, encode_times};
pub use translations::{Translated, Translations};
pub use vectors::{VectorIndex, decode_vectors, encode_vectors};
pub use weights::{WeightGroup, decode_weights, encode_weights};
