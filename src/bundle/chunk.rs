//! What a bundle's text is made of, and its sections.

use super::codec::{Kind, begin, open_section};
use super::error::BundleError;
use super::pages::PagedIndex;
use serde::{Deserialize, Serialize};

/// How many chunks share a page: small enough that ten scattered hits cost about 50 kB, large enough to compress.
pub const CHUNKS_PER_PAGE: usize = 16;

/// A document: one page, file or record of the corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its title, never empty: front matter, else the first heading, else the file's name.
    pub title: String,
    /// Where a reader opens it: relative to the site, or absolute; without a fragment.
    pub url: String,
    /// Its path in the source folder, with forward slashes.
    pub path: String,
}

/// A passage of a document, at most T tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Index of its document.
    pub document: u32,
    /// The headings above it, outermost first, without the document's title.
    pub heading_path: Vec<String>,
    /// The URL fragment of the nearest heading, without `#`; empty at the top of a page.
    pub fragment: String,
    /// The passage as plain text: Markdown and HTML marks removed, code and tables kept as text.
    pub text: String,
    /// Start of its source in the document's file, in characters.
    pub start: u32,
    /// End of its source in the document's file, in characters (exclusive).
    pub end: u32,
}

impl Chunk {
    /// What is embedded for this chunk: title, heading path and text. Titles carry the words that a passage takes for granted.
    pub fn context(&self, title: &str) -> String {
        let mut out = String::from(title);
        for h in &self.heading_path {
            out.push_str(" > ");
            out.push_str(h);
        }
        out.push('\n');
        out.push_str(&self.text);
        out
    }
}

/// The list of chunk pages.
pub type ChunkIndex = PagedIndex;

fn encode<T: Serialize + ?Sized>(kind: Kind, value: &T) -> Result<Vec<u8>, BundleError> {
    let mut out = begin(kind);
    let body = postcard::to_stdvec(value).map_err(|e| BundleError::Corrupt { file: format!("{kind:?}"), what: e.to_string() })?;
    out.extend_from_slice(&body);
    Ok(out)
}

/// The documents section.
///
/// # Errors
/// Only where a text is too long to encode.
pub fn encode_documents(documents: &[Document]) -> Result<Vec<u8>, BundleError> {
    encode(Kind::Documents, documents)
}

/// Reads the documents section.
///
/// # Errors
/// [`BundleError`] when the bytes are no documents section.
pub fn decode_documents(file: &str, bytes: &[u8]) -> Result<Vec<Document>, BundleError> {
    open_section(file, bytes, Kind::Documents)?.postcard()
}

/// A page of chunks.
///
/// # Errors
/// Only where a text is too long to encode.
pub fn encode_chunks(chunks: &[Chunk]) -> Result<Vec<u8>, BundleError> {
    encode(Kind::Chunks, chunks)
}

/// Reads a page of chunks; their documents must exist among `documents`.
///
/// # Errors
/// [`BundleError`] when the bytes are no such page.
pub fn decode_chunks(file: &str, bytes: &[u8], documents: u32) -> Result<Vec<Chunk>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Chunks)?;
    let chunks: Vec<Chunk> = b.postcard()?;
    if chunks.iter().any(|c| c.document >= documents || c.start > c.end) {
        return Err(b.corrupt("a chunk points outside its bundle"));
    }
    Ok(chunks)
}
