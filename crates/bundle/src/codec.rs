//! Reads and writes section bytes: a checked cursor, variable-length integers, matrices, the common header.

use super::error::BundleError;
use crate::vector::QuantizedMatrix;

/// Format version that this crate writes and reads, in sections and in bundles with one file per section.
pub const FORMAT: u16 = 5;

/// Format version of bundles with packs. Only their manifests differ from those of [`FORMAT`].
pub const PACKED_FORMAT: u16 = 6;

const MAGIC: [u8; 4] = *b"PGRF";

/// Kind of a section or page, in its header, so that a file under the wrong name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// Titles, URLs and paths of all documents.
    Documents = 1,
    /// The list of chunk pages.
    ChunkIndex = 2,
    /// A run of chunks.
    Chunks = 3,
    /// The list of vector cells and their centroids.
    VectorIndex = 4,
    /// The vectors of a run of chunks.
    Vectors = 5,
    /// The list of a section's ranges of terms.
    TermIndex = 6,
    /// Range of terms with their postings.
    Terms = 7,
    /// Keywords and their vectors.
    Keywords = 8,
    /// The keyword graph's edges and each keyword's chunks.
    KeywordGraph = 9,
    /// The most frequent pieces of the tokenizer's vocabulary, and the list of the ranges of the others.
    Vocabulary = 10,
    /// The list of word-embedding pages.
    WordIndex = 11,
    /// A run of word embeddings.
    Words = 12,
    /// The query model's layers.
    Layers = 13,
    /// The knowledge graph's relations, types and schema.
    KgVocabulary = 14,
    /// The knowledge graph's entities and literals.
    KgNodes = 15,
    /// The knowledge graph's triples.
    KgTriples = 16,
    /// Sources of the knowledge graph's triples.
    KgSources = 17,
    /// The vectors of the labels of the knowledge graph's entities.
    KgLabels = 18,
    /// The vectors of the labels of the knowledge graph's relations.
    KgRelationLabels = 19,
    /// The list of sketch pages, and the coordinates of sketches.
    SketchIndex = 20,
    /// The sketches of a run of chunks.
    Sketches = 21,
    /// A run of a section's list of pages.
    PageList = 22,
    /// A run of chunks with their documents.
    TitledChunks = 23,
    /// The list of pages of the token table, and the initial value of its sums.
    TableIndex = 24,
    /// A run of the token table's rows.
    TableRows = 25,
    /// The trained planner.
    Planner = 26,
    /// A range of the pieces of the tokenizer's vocabulary.
    Pieces = 27,
    /// The list of pages of a knowledge graph's phrases.
    KgPhraseIndex = 28,
    /// Phrases for relations, and their vectors.
    KgPhrases = 29,
    /// The document of each chunk.
    ChunkDocuments = 30,
    /// The list of mention pages.
    MentionIndex = 31,
    /// The sentences of a run of chunks: names mentioned, and vectors.
    Mentions = 32,
    /// Number of other documents that mention each document.
    Links = 33,
    /// The pieces of a unigram tokenizer with their scores.
    Unigram = 34,
    /// Layouts of the texts of a run of chunks.
    Layouts = 35,
    /// Factors of the scores of some chunks.
    Weights = 36,
    /// The function words of the documents' languages.
    FunctionWords = 37,
    /// Numbers of documents in the order of chunks.
    DocumentOrder = 38,
    /// Documents that are translations of each other.
    Translations = 39,
    /// The vectors of names, and the names that each sentence of the corpus mentions.
    Entities = 40,
    /// Names that are nearly the same.
    Synonyms = 41,
    /// The co-occurrence graph of names and its communities with their reports.
    Communities = 42,
    /// Summaries of summaries of chunks.
    Tree = 43,
    /// Triples that passages state, with their phrases and vectors.
    Facts = 44,
    /// Texts that a language model wrote: reports on communities, or summaries.
    Texts = 45,
    /// Entities and relations that a language model read in the chunks.
    Relations = 46,
    /// The vectors of the statements of these relations.
    Statements = 47,
    /// Statements that differ in a value, with the time from which each holds.
    Times = 48,
    /// Own fields of documents.
    Fields = 49,
}

/// Returns a new section's bytes: the header, ready for its payload.
pub fn begin_section(kind: Kind) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&(kind as u16).to_le_bytes());
    out
}

/// Checks a section's header and returns a cursor on its payload.
///
/// # Errors
/// [`BundleError::Corrupt`] for another magic or kind, [`BundleError::Version`] for another format.
pub fn open_section<'a>(file: &'a str, bytes: &'a [u8], kind: Kind) -> Result<Bytes<'a>, BundleError> {
    let mut b = Bytes { file, bytes, at: 0 };
    if b.take(4)? != MAGIC {
        return Err(b.corrupt("it does not start as a PocketGraph section does"));
    }
    let version = b.u16()?;
    if version != FORMAT {
        return Err(BundleError::Version {
            file: file.to_owned(),
            built_by: String::new(),
            found: version.into(),
            supported: FORMAT.into(),
        });
    }
    let found = b.u16()?;
    if found != kind as u16 {
        return Err(b.corrupt(&format!("it holds kind {found} where kind {} belongs", kind as u16)));
    }
    Ok(b)
}

/// Cursor that never reads past the end: it checks every length before use.
#[derive(Debug, Clone)]
pub struct Bytes<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    /// Returns a cursor on bytes without a header. Errors name `file`.
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Bytes { file, bytes, at: 0 }
    }

    /// Returns the error for bytes that do not fit, with the file's name. Pages leave out what does not fit,
    /// whose sentences they would load in vain: `verify` says it of the bundle's files.
    #[inline(always)]
    pub fn corrupt(&self, what: &str) -> BundleError {
        self.describe_damage(if cfg!(target_arch = "wasm32") { "damaged" } else { what })
    }

    fn describe_damage(&self, what: &str) -> BundleError {
        BundleError::Corrupt { file: self.file.to_owned(), what: format!("{what} (at byte {})", self.at) }
    }

    /// Number of bytes not yet read.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Reads the next `n` bytes.
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] if fewer are left. The same holds for the readers below.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], BundleError> {
        if n > self.left() {
            return Err(self.corrupt("it ends early"));
        }
        let out = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(out)
    }

    /// Reads all that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let out = &self.bytes[self.at..];
        self.at = self.bytes.len();
        out
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], BundleError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    /// Reads the next little-endian u16. Fails as [`Bytes::take`] does.
    pub fn u16(&mut self) -> Result<u16, BundleError> {
        self.take_array().map(u16::from_le_bytes)
    }

    /// Reads the next little-endian u32. Fails as [`Bytes::take`] does.
    pub fn u32(&mut self) -> Result<u32, BundleError> {
        self.take_array().map(u32::from_le_bytes)
    }

    /// Reads the next little-endian f32, which must be finite. Fails as [`Bytes::take`] does.
    pub fn f32(&mut self) -> Result<f32, BundleError> {
        let x = self.take_array().map(f32::from_le_bytes)?;
        if x.is_finite() { Ok(x) } else { Err(self.corrupt("a number is not finite")) }
    }

    /// Reads a variable-length unsigned integer (7 bits a byte, low bits first, at most 5 bytes).
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] also if it does not fit 32 bits.
    pub fn varint(&mut self) -> Result<u32, BundleError> {
        let mut out = 0u64;
        for i in 0..5 {
            let byte = self.take_array::<1>()?[0];
            out |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                return u32::try_from(out).map_err(|_| self.corrupt("an integer is too large"));
            }
        }
        Err(self.corrupt("an integer is too long"))
    }

    /// Reads a count of items of at least `least` bytes each. The rest of the file bounds it, and so memory.
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] if the rest of the file could not hold them.
    pub fn count(&mut self, least: usize) -> Result<usize, BundleError> {
        let n = self.varint()? as usize;
        if n.checked_mul(least.max(1)).is_none_or(|bytes| bytes > self.left()) {
            return Err(self.corrupt("a count is larger than the file"));
        }
        Ok(n)
    }

    /// Reads the rest as a postcard value, which must use all of it.
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] if it does not decode or bytes are left over.
    pub fn postcard<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, BundleError> {
        match postcard::take_from_bytes::<T>(&self.bytes[self.at..]) {
            Ok((value, [])) => Ok(value),
            Ok(_) => Err(self.corrupt("bytes are left over")),
            Err(_) => Err(self.corrupt("its values do not decode")),
        }
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// [`BundleError::Corrupt`] if bytes are left over.
    pub fn end(&self) -> Result<(), BundleError> {
        if self.left() == 0 { Ok(()) } else { Err(self.corrupt("bytes are left over")) }
    }
}

/// Appends a variable-length unsigned integer.
pub fn put_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends an int8 matrix: rows u32, dimension u32, scales f32 x rows, components i8 x rows x dimension.
pub fn put_matrix(out: &mut Vec<u8>, m: &QuantizedMatrix) {
    let (data, scales) = m.parts();
    out.extend_from_slice(&(m.rows() as u32).to_le_bytes());
    out.extend_from_slice(&(m.dim() as u32).to_le_bytes());
    for s in scales {
        out.extend_from_slice(&s.to_le_bytes());
    }
    out.extend_from_slice(bytemuck::cast_slice(data));
}

/// Reads the output of [`put_matrix`].
///
/// # Errors
/// [`BundleError::Corrupt`] if lengths, scales or components (-128 is never written) do not fit.
pub fn take_matrix(b: &mut Bytes<'_>) -> Result<QuantizedMatrix, BundleError> {
    let (rows, dim) = (b.u32()? as usize, b.u32()? as usize);
    let cells = rows
        .checked_mul(dim)
        .filter(|&c| c <= b.left())
        .ok_or_else(|| b.corrupt("a matrix is larger than the file"))?;
    if rows.checked_mul(4).is_none_or(|n| n > b.left()) {
        return Err(b.corrupt("a matrix is larger than the file"));
    }
    let scales = (0..rows).map(|_| b.f32()).collect::<Result<Vec<_>, _>>()?;
    let data: Vec<i8> = bytemuck::cast_slice(b.take(cells)?).to_vec();
    if data.contains(&i8::MIN) {
        return Err(b.corrupt("a component is out of range"));
    }
    QuantizedMatrix::new(dim, data, scales).map_err(|e| b.corrupt(&e.to_string()))
}

/// Reads the output of [`put_matrix`], which must be `rows` vectors of dimension `dim`, if there are any.
///
/// # Errors
/// As [`take_matrix`], and [`BundleError::Corrupt`] for another number or dimension.
pub fn take_vectors(b: &mut Bytes<'_>, rows: usize, dim: u64) -> Result<QuantizedMatrix, BundleError> {
    let m = take_matrix(b)?;
    if m.rows() == rows && (rows == 0 || m.dim() as u64 == dim) {
        Ok(m)
    } else {
        Err(b.corrupt("its vectors are others than they should be"))
    }
}

/// Appends numbers: their count, then each, as varints.
pub fn put_varints(out: &mut Vec<u8>, all: &[u32]) {
    put_varint(out, all.len() as u32);
    all.iter().for_each(|&n| put_varint(out, n));
}

/// Reads the output of [`put_varints`].
///
/// # Errors
/// [`BundleError::Corrupt`] if it ends early or an integer is too large.
pub fn take_varints(b: &mut Bytes<'_>) -> Result<Vec<u32>, BundleError> {
    let n = b.count(1)?;
    (0..n).map(|_| b.varint()).collect()
}

/// Appends a text: varint length in bytes, then UTF-8.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// Reads the output of [`put_text`].
///
/// # Errors
/// [`BundleError::Corrupt`] if it ends early or is not UTF-8.
pub fn take_text(b: &mut Bytes<'_>) -> Result<String, BundleError> {
    let length = b.count(1)?;
    std::str::from_utf8(b.take(length)?).map(str::to_owned).map_err(|_| b.corrupt("a text is not UTF-8"))
}

/// Appends texts: their count as varint, then each as [`put_text`] does.
pub fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_varint(out, texts.len() as u32);
    texts.iter().for_each(|t| put_text(out, t));
}

/// Reads the output of [`put_texts`]. Fails as [`take_text`] does.
pub fn take_texts(b: &mut Bytes<'_>) -> Result<Vec<String>, BundleError> {
    let n = b.count(1)?;
    (0..n).map(|_| take_text(b)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_read_back(n in any::<u32>()) {
            let mut out = Vec::new();
            put_varint(&mut out, n);
            let mut b = Bytes::new("t", &out);
            prop_assert_eq!(b.varint().unwrap(), n);
            prop_assert!(b.end().is_ok());
        }

        #[test]
        fn hostile_bytes_are_an_error_or_a_matrix_never_a_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let _ = take_matrix(&mut Bytes::new("t", &bytes));
            let _ = open_section("t", &bytes, Kind::Chunks);
            let _ = Bytes::new("t", &bytes).postcard::<Vec<(String, Vec<u32>)>>();
        }

        #[test]
        fn texts_read_back_and_what_is_no_utf_8_is_refused(
            texts in prop::collection::vec("[a-zé日]{0,6}", 0..5),
            hostile in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut out = Vec::new();
            put_texts(&mut out, &texts);
            let mut b = Bytes::new("t", &out);
            prop_assert_eq!(take_texts(&mut b).unwrap(), texts);
            prop_assert!(b.end().is_ok());
            let _ = take_texts(&mut Bytes::new("t", &hostile));
            prop_assert!(take_text(&mut Bytes::new("t", &[1, 0xff])).is_err());
        }

        #[test]
        fn matrices_read_back(rows in prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 5), 0..6)) {
            let m = QuantizedMatrix::from_rows(5, rows.iter().map(Vec::as_slice));
            let mut out = begin_section(Kind::Vectors);
            put_matrix(&mut out, &m);
            let mut b = open_section("t", &out, Kind::Vectors).unwrap();
            prop_assert_eq!(&take_matrix(&mut b).unwrap(), &m);
            let again =
                |rows, dim| take_vectors(&mut open_section("t", &out, Kind::Vectors).unwrap(), rows, dim);
            prop_assert_eq!(again(m.rows(), 5).unwrap(), m.clone());
            prop_assert!(again(m.rows() + 1, 5).is_err());
            prop_assert_eq!(again(m.rows(), 6).is_ok(), m.rows() == 0);
        }
    }

    #[test]
    fn a_matrix_larger_than_its_file_asks_for_no_memory() {
        let mut bytes = vec![0xff; 8];
        bytes.extend_from_slice(&[0; 16]);
        assert_eq!(take_matrix(&mut Bytes::new("t", &bytes)).unwrap_err().code(), "corrupt");
    }

    #[test]
    fn another_kind_and_another_version_are_refused_by_name() {
        let bytes = begin_section(Kind::Chunks);
        assert!(
            open_section("chunks/x", &bytes, Kind::Words)
                .unwrap_err()
                .to_string()
                .starts_with("chunks/x is damaged")
        );
        for version in [0, 1, 9] {
            let mut other = bytes.clone();
            other[4] = version;
            assert_eq!(
                open_section("chunks/x", &other, Kind::Chunks).unwrap_err().code(),
                "unsupported-version"
            );
        }
    }
}
