//! Documents and chunks, and their sections.

use super::bounds::MOST_CHUNKS;
use super::codec::{Kind, begin_section, open_section};
use super::error::BundleError;
use super::pages::PagedIndex;
use serde::{Deserialize, Serialize};

/// Number of chunks of a page. Ten scattered hits cost about 50 kB, and a page is large enough to compress.
pub const CHUNKS_PER_PAGE: usize = 16;

/// A document: one page, file or record of the corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its title, never empty: front matter, else the first heading, else the file's name.
    pub title: String,
    /// Address: relative to the site, or absolute; without a fragment.
    pub url: String,
    /// Its path in the source folder, with forward slashes.
    pub path: String,
    /// Language: the primary tag of BCP 47 in lower case, as `de`; empty if it is unknown.
    pub language: String,
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

/// Returns a place as readers see it: the title of a document and the headings down to a passage, outermost
/// first.
pub fn format_place(title: &str, headings: &[String]) -> String {
    headings.iter().fold(title.to_owned(), |place, heading| [&place, " > ", heading].concat())
}

impl Chunk {
    /// Returns the text to embed: title, heading path and text. Titles have the words that a passage omits.
    pub fn context(&self, title: &str) -> String {
        [&format_place(title, &self.heading_path), "\n", &self.text].concat()
    }

    /// Returns its address: that of its `page`, with its fragment if it has one.
    pub fn address_on(&self, page: &str) -> String {
        let mut out = String::from(page);
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&self.fragment);
        }
        out
    }
}

/// List of the pages of chunks.
pub type ChunkIndex = PagedIndex;

fn encode_postcard<T: Serialize + ?Sized>(kind: Kind, value: &T) -> Result<Vec<u8>, BundleError> {
    let mut out = begin_section(kind);
    let body = postcard::to_stdvec(value)
        .map_err(|e| BundleError::Corrupt { file: format!("{kind:?}"), what: e.to_string() })?;
    out.extend_from_slice(&body);
    Ok(out)
}

/// Encodes the documents section.
///
/// # Errors
/// [`BundleError::Corrupt`] if a text is too long to encode.
pub fn encode_documents(documents: &[Document]) -> Result<Vec<u8>, BundleError> {
    encode_postcard(Kind::Documents, documents)
}

/// Reads the documents section. Fails if the bytes are not a documents section.
pub fn decode_documents(file: &str, bytes: &[u8]) -> Result<Vec<Document>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Documents)?;
    // A document of three empty texts takes three bytes here and twenty times as many in memory.
    if u64::from(b.clone().varint()?) > MOST_CHUNKS {
        return Err(b.corrupt("it has more documents than a bundle can hold"));
    }
    b.postcard()
}

/// Number of documents from which pages of chunks also hold the chunks' documents, because the section of all
/// documents would cost more than a first answer may.
pub const TITLED_FROM: usize = 512;

/// Page of chunks, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPage {
    /// The chunks, in their order.
    pub chunks: Vec<Chunk>,
    /// Documents of the chunks, by number, ascending; `None` if the page has none: see their own section.
    pub documents: Option<Vec<(u32, Document)>>,
}

impl ChunkPage {
    /// Returns the document of this number, if the page has it.
    pub fn document(&self, number: u32) -> Option<&Document> {
        let documents = self.documents.as_ref()?;
        documents.binary_search_by_key(&number, |d| d.0).ok().and_then(|i| documents.get(i)).map(|d| &d.1)
    }
}

/// Encodes a page of chunks.
///
/// # Errors
/// [`BundleError::Corrupt`] if a text is too long to encode.
pub fn encode_chunks(chunks: &[Chunk]) -> Result<Vec<u8>, BundleError> {
    encode_postcard(Kind::Chunks, chunks)
}

/// Encodes a page of chunks with their documents, by number, ascending. Fails as [`encode_chunks`] does.
pub fn encode_titled_chunks(
    chunks: &[Chunk],
    documents: &[(u32, &Document)],
) -> Result<Vec<u8>, BundleError> {
    encode_postcard(Kind::TitledChunks, &(chunks, documents))
}

/// Reads a page of chunks, with or without documents. Fails if the bytes are not such a page, or a document's
/// number is not below `documents`.
pub fn decode_chunks(file: &str, bytes: &[u8], documents: u32) -> Result<ChunkPage, BundleError> {
    let titled = bytes.get(6..8) == Some(&(Kind::TitledChunks as u16).to_le_bytes());
    let mut b = open_section(file, bytes, if titled { Kind::TitledChunks } else { Kind::Chunks })?;
    let page = if titled {
        let (chunks, documents): (Vec<Chunk>, Vec<(u32, Document)>) = b.postcard()?;
        ChunkPage { chunks, documents: Some(documents) }
    } else {
        ChunkPage { chunks: b.postcard()?, documents: None }
    };
    if page.chunks.iter().any(|c| c.document >= documents || c.start > c.end) {
        return Err(b.corrupt("a chunk points outside its bundle"));
    }
    if titled && page.chunks.iter().any(|c| page.document(c.document).is_none()) {
        return Err(b.corrupt("it lacks a document of its chunks"));
    }
    Ok(page)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn chunk(document: u32) -> Chunk {
        Chunk {
            document,
            heading_path: vec!["Part".into()],
            fragment: "part".into(),
            text: "Text.".into(),
            start: 0,
            end: 5,
        }
    }

    #[test]
    fn a_page_reads_back_with_and_without_its_documents() {
        let chunks = [chunk(3), chunk(8), chunk(3)];
        let plain = decode_chunks("t", &encode_chunks(&chunks).unwrap(), 9).unwrap();
        assert_eq!(plain, ChunkPage { chunks: chunks.to_vec(), documents: None });
        let document = |title: &str| Document {
            title: title.into(),
            url: "u".into(),
            path: "p".into(),
            language: String::new(),
        };
        let (a, b) = (document("a"), document("b"));
        let titled =
            decode_chunks("t", &encode_titled_chunks(&chunks, &[(3, &a), (8, &b)]).unwrap(), 9).unwrap();
        assert_eq!((titled.document(8), titled.document(4)), (Some(&b), None));
        assert_eq!(titled.chunks, chunks);
        let lacking = encode_titled_chunks(&chunks, &[(3, &a)]).unwrap();
        assert!(decode_chunks("t", &lacking, 9).unwrap_err().to_string().contains("lacks a document"));
        assert!(decode_chunks("t", &encode_chunks(&chunks).unwrap(), 8).is_err());
    }
}
