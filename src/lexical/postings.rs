//! The lexical sections' bytes.

use crate::bundle::{BundleError, Bytes, Kind, PagedIndex, begin, open_section, put_varint};

/// The root of the lexical index: how long each chunk is, and which range file holds which terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexicon {
    /// Length of each chunk in terms, the title's counted as often as [`super::TITLE_WEIGHT`] says.
    pub lengths: Vec<u32>,
    /// Mean of `lengths`.
    pub mean_length: f32,
    /// First term of each range, ascending.
    pub first_terms: Vec<String>,
    /// The range files; items are terms.
    pub ranges: PagedIndex,
}

impl Lexicon {
    /// The range that would hold `term`, if any could.
    pub fn range_of(&self, term: &str) -> Option<usize> {
        self.first_terms.partition_point(|t| t.as_str() <= term).checked_sub(1)
    }

    /// The ranges that can hold terms starting with `prefix`: the one where it would stand and those that begin with it.
    pub fn ranges_of_prefix(&self, prefix: &str) -> std::ops::Range<usize> {
        let start = self.range_of(prefix).unwrap_or(0);
        let end = self.first_terms[start..].iter().skip(1).take_while(|t| t.starts_with(prefix)).count();
        start..(start + 1 + end).min(self.first_terms.len())
    }

    /// The section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin(Kind::LexicalIndex);
        put_varint(&mut out, self.lengths.len() as u32);
        for &l in &self.lengths {
            put_varint(&mut out, l);
        }
        self.ranges.put(&mut out);
        for t in &self.first_terms {
            put_varint(&mut out, t.len() as u32);
            out.extend_from_slice(t.as_bytes());
        }
        out
    }
}

fn text<'a>(b: &mut Bytes<'a>, length: usize) -> Result<&'a str, BundleError> {
    let bytes = b.take(length)?;
    std::str::from_utf8(bytes).map_err(|_| b.corrupt("a term is not UTF-8"))
}

/// Reads the lexical root; it must describe exactly `chunks` chunks.
///
/// # Errors
/// [`BundleError`] when the bytes are no such section.
pub fn decode_lexicon(file: &str, bytes: &[u8], chunks: u64) -> Result<Lexicon, BundleError> {
    let mut b = open_section(file, bytes, Kind::LexicalIndex)?;
    let n = b.count(1)?;
    if n as u64 != chunks {
        return Err(b.corrupt("it counts other chunks than the manifest"));
    }
    let lengths = (0..n).map(|_| b.varint()).collect::<Result<Vec<_>, _>>()?;
    let total: u64 = lengths.iter().map(|&l| u64::from(l)).sum();
    let ranges = PagedIndex::take(&mut b)?;
    let mut first_terms: Vec<String> = Vec::with_capacity(ranges.pages.len());
    for _ in 0..ranges.pages.len() {
        let length = b.count(1)?;
        let term = text(&mut b, length)?;
        if first_terms.last().is_some_and(|l| l.as_str() >= term) {
            return Err(b.corrupt("ranges are not in order"));
        }
        first_terms.push(term.to_owned());
    }
    b.end()?;
    Ok(Lexicon { lengths, mean_length: if n == 0 { 0.0 } else { total as f32 / n as f32 }, first_terms, ranges })
}

/// A term and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermPostings {
    /// The term, as [`crate::text::terms`] makes them.
    pub term: String,
    /// (chunk, how often), chunks ascending.
    pub postings: Vec<(u32, u32)>,
}

/// A range file: terms front-coded (shared prefix, rest), postings as gaps and frequencies.
pub(super) fn encode_postings(terms: &[TermPostings]) -> Vec<u8> {
    let mut out = begin(Kind::Postings);
    put_varint(&mut out, terms.len() as u32);
    let mut previous = "";
    for t in terms {
        let shared = previous.bytes().zip(t.term.bytes()).take_while(|(a, b)| a == b).count();
        put_varint(&mut out, shared as u32);
        put_varint(&mut out, (t.term.len() - shared) as u32);
        out.extend_from_slice(&t.term.as_bytes()[shared..]);
        put_varint(&mut out, t.postings.len() as u32);
        let mut last = 0;
        for &(chunk, frequency) in &t.postings {
            put_varint(&mut out, chunk - last);
            put_varint(&mut out, frequency);
            last = chunk;
        }
        previous = &t.term;
    }
    out
}

/// Reads a range file of a bundle of `chunks` chunks.
///
/// # Errors
/// [`BundleError`] when the bytes are no such file: terms out of order, chunks out of order or beyond the bundle.
pub fn decode_postings(file: &str, bytes: &[u8], chunks: u32) -> Result<Vec<TermPostings>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Postings)?;
    let n = b.count(3)?;
    let mut out: Vec<TermPostings> = Vec::with_capacity(n);
    let mut previous: Vec<u8> = Vec::new();
    for i in 0..n {
        let shared = b.varint()? as usize;
        if shared > previous.len() {
            return Err(b.corrupt("a term shares more than there is"));
        }
        let length = b.count(1)?;
        // Terms are at most a few hundred bytes; the bound keeps front coding from growing a file into gigabytes.
        if shared + length > 4096 {
            return Err(b.corrupt("a term is too long"));
        }
        let mut term = previous[..shared].to_vec();
        term.extend_from_slice(b.take(length)?);
        if i > 0 && term <= previous {
            return Err(b.corrupt("terms are not in order"));
        }
        let count = b.count(2)?;
        let mut postings = Vec::with_capacity(count);
        let mut chunk = 0u32;
        for j in 0..count {
            let gap = b.varint()?;
            chunk = chunk
                .checked_add(gap)
                .filter(|&c| c < chunks && (j == 0 || gap > 0))
                .ok_or_else(|| b.corrupt("chunks are not in order"))?;
            postings.push((chunk, b.varint()?));
        }
        let text = String::from_utf8(term.clone()).map_err(|_| b.corrupt("a term is not UTF-8"))?;
        out.push(TermPostings { term: text, postings });
        previous = term;
    }
    b.end()?;
    Ok(out)
}
