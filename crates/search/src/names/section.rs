//! The sections that hold the names: `names` and `titles`, which are sections of terms, `chunk-documents` and
//! `links`.
//!
//! Documents are numbered here by their first chunks, not as the section `documents` numbers them: so the
//! document of most chunks is the next one, or the last one again, which takes no space.

use super::table::{NameEntry, NameTable};
use crate::bundle::{
    BundleError, Kind, TermPostings, begin_section, open_section, put_varint, put_varints, take_varints,
};

/// A name as a term: its documents, each with twice how surely it is called so in hundredths; one more where
/// the name is a common word. What is common and names nothing has one document with no certainty.
pub fn term_of_name(name: &NameEntry) -> TermPostings {
    let common = u32::from(name.common);
    let mut postings: Vec<(u32, u32)> =
        name.of.iter().map(|&(d, strength)| (d, 2 * u32::from(strength) + common)).collect();
    if postings.is_empty() && name.common {
        postings.push((0, common));
    }
    TermPostings { term: name.key.clone(), postings }
}

/// Returns the name of which [`term_of_name`] made the term.
pub fn name_of_term(term: &TermPostings) -> NameEntry {
    let of = |&(document, value): &(u32, u32)| (value > 1).then_some((document, (value / 2).min(100) as u8));
    NameEntry {
        key: term.term.clone(),
        common: term.postings.iter().any(|p| p.1 % 2 == 1),
        of: term.postings.iter().filter_map(of).collect(),
    }
}

/// The document of each chunk, and the chunks of each document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChunkDocuments {
    /// The document of each chunk.
    pub of: Vec<u32>,
    /// All chunks, by document and then ascending.
    chunks: Vec<u32>,
    /// First chunk of each document, and at the end the number of chunks.
    starts: Vec<u32>,
}

impl ChunkDocuments {
    /// From the document of each chunk, of which there are no more than chunks; numbers beyond that have no
    /// chunks.
    pub fn new(of: Vec<u32>) -> ChunkDocuments {
        let documents = of.iter().map(|&d| d as usize + 1).max().unwrap_or(0).min(of.len());
        let mut starts = vec![0u32; documents + 1];
        for &d in &of {
            if let Some(n) = starts.get_mut(d as usize + 1) {
                *n += 1;
            }
        }
        for d in 1..starts.len() {
            starts[d] += starts[d - 1];
        }
        let (mut at, mut chunks) = (starts.clone(), vec![0; of.len()]);
        for (chunk, &d) in of.iter().enumerate() {
            if let Some(place) = at.get_mut(d as usize).filter(|_| (d as usize) < documents) {
                chunks[*place as usize] = chunk as u32;
                *place += 1;
            }
        }
        ChunkDocuments { of, chunks, starts }
    }

    /// Returns the number of documents with chunks.
    pub fn documents(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The chunks of a document, ascending.
    pub fn chunks_of(&self, document: u32) -> &[u32] {
        let bounds = self.starts.get(document as usize..).and_then(<[u32]>::first_chunk::<2>);
        bounds.and_then(|&[from, to]| self.chunks.get(from as usize..to as usize)).unwrap_or_default()
    }

    /// The section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::ChunkDocuments);
        put_varint(&mut out, self.of.len() as u32);
        let mut next = 0;
        for &d in &self.of {
            put_varint(&mut out, next - d);
            next = next.max(d + 1);
        }
        out
    }

    /// Reads the section of a bundle of `chunks` chunks. Fails if the bytes are no such section.
    pub fn decode(file: &str, bytes: &[u8], chunks: u64) -> Result<ChunkDocuments, BundleError> {
        let mut b = open_section(file, bytes, Kind::ChunkDocuments)?;
        let n = b.count(1)?;
        let (mut of, mut next) = (Vec::with_capacity(n), 0u32);
        for _ in 0..n {
            let document = next
                .checked_sub(b.varint()?)
                .ok_or_else(|| b.corrupt("a chunk's document comes before the first"))?;
            next = next.max(document + 1);
            of.push(document);
        }
        b.end()?;
        if n as u64 == chunks {
            Ok(ChunkDocuments::new(of))
        } else {
            Err(b.corrupt("its chunks are not the bundle's"))
        }
    }
}

/// In place of how many documents mention one: mentions are followed neither from it nor to it.
pub const NOT_HOPPED: u32 = u32::MAX;

/// The section `links`: how many other documents mention each, or [`NOT_HOPPED`].
pub fn encode_links(links: &[u32]) -> Vec<u8> {
    let mut out = begin_section(Kind::Links);
    put_varints(&mut out, links);
    out
}

/// Reads what [`encode_links`] wrote. Fails if the bytes are no such section.
pub fn decode_links(file: &str, bytes: &[u8]) -> Result<Vec<u32>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Links)?;
    let out = take_varints(&mut b)?;
    b.end().map(|()| out)
}

/// Orders documents by their first chunks, which `document_of` names; those without chunks come last.
pub fn order_by_chunks(document_of: &[u32], documents: usize) -> Vec<u32> {
    let mut known = vec![false; documents];
    let every = 0..documents as u32;
    let is_new = |d: &u32| known.get_mut(*d as usize).is_some_and(|known| !std::mem::replace(known, true));
    document_of.iter().copied().chain(every).filter(is_new).collect()
}

/// The document of each chunk, numbered by their `order`.
pub fn documents_by_chunks(document_of: &[u32], order: &[u32]) -> Vec<u32> {
    let number = number_documents(order);
    document_of.iter().filter_map(|&d| number.get(d as usize).copied()).collect()
}

/// The place of each number in a list of all of them.
fn number_documents(order: &[u32]) -> Vec<u32> {
    let mut out = vec![0; order.len()];
    for (&d, at) in order.iter().zip(0..) {
        if let Some(number) = out.get_mut(d as usize) {
            *number = at;
        }
    }
    out
}

/// Returns the table with documents numbered by their first chunks ([`order_by_chunks`]).
pub fn numbered_by_chunks(table: &NameTable, document_of: &[u32]) -> NameTable {
    let order = order_by_chunks(document_of, table.title_weight.len());
    let number = number_documents(&order);
    let entry = |e: &NameEntry| {
        let known = |&(d, strength): &(u32, u8)| Some((*number.get(d as usize)?, strength));
        let mut of: Vec<(u32, u8)> = e.of.iter().filter_map(known).collect();
        of.sort_unstable();
        NameEntry { key: e.key.clone(), common: e.common, of }
    };
    let at = |all: &[u32]| order.iter().map(|&d| all.get(d as usize).copied().unwrap_or(0)).collect();
    NameTable {
        entries: table.entries.iter().map(entry).collect(),
        document_of: documents_by_chunks(document_of, &order),
        title_weight: at(&table.title_weight),
        links_in: at(&table.links_in),
        hop: table.hop,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_documents_of_chunks_read_back_and_hostile_bytes_are_errors(
            steps in prop::collection::vec(0u32..9, 0..60),
            flip in 0usize..80,
            by in 1u8..=255,
        ) {
            // Documents are numbered by their first chunks: each is the next one, or one that was there.
            let mut of: Vec<u32> = Vec::new();
            for s in steps {
                let next = of.iter().max().map_or(0, |m| m + 1);
                of.push(next.saturating_sub(s));
            }
            let whole = ChunkDocuments::new(of.clone());
            for d in 0..whole.documents() as u32 + 2 {
                let naive: Vec<u32> = (0..of.len() as u32).filter(|&c| of[c as usize] == d).collect();
                prop_assert_eq!(whole.chunks_of(d), &naive[..]);
            }
            let mut bytes = whole.encode();
            prop_assert_eq!(&ChunkDocuments::decode("t", &bytes, of.len() as u64).unwrap(), &whole);
            prop_assert!(ChunkDocuments::decode("t", &bytes, of.len() as u64 + 1).is_err());
            let at = flip % bytes.len();
            bytes[at] = bytes[at].wrapping_add(by);
            if let Ok(read) = ChunkDocuments::decode("t", &bytes, of.len() as u64) {
                prop_assert!((0..200).all(|d| read.chunks_of(d).iter().all(|&c| read.of[c as usize] == d)));
            }
            let _ = decode_links("t", &bytes);
            bytes.truncate(at);
            prop_assert!(ChunkDocuments::decode("t", &bytes, of.len() as u64).is_err());
        }

        #[test]
        fn a_name_reads_back_from_its_term(
            key in "[a-z ]{1,8}",
            common in any::<bool>(),
            of in prop::collection::btree_map(0u32..9, 1u8..=100, 0..4),
        ) {
            let name = NameEntry { key, common, of: of.into_iter().collect() };
            prop_assert_eq!(name_of_term(&term_of_name(&name)), name);
        }

        #[test]
        fn links_read_back(links in prop::collection::vec(any::<u32>(), 0..20)) {
            let bytes = encode_links(&links);
            prop_assert_eq!(decode_links("t", &bytes).unwrap(), links);
            prop_assert!(decode_links("t", &bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn documents_are_numbered_by_their_first_chunks() {
        let entries = vec![NameEntry { key: "a".into(), common: false, of: vec![(0, 9), (2, 70), (3, 100)] }];
        let table = NameTable {
            entries,
            document_of: Vec::new(),
            title_weight: vec![10, 11, 12, 13],
            links_in: vec![0, 1, 2, 3],
            hop: true,
        };
        let by_chunks = numbered_by_chunks(&table, &[3, 3, 0, 2, 3]);
        assert_eq!(by_chunks.document_of, [0, 0, 1, 2, 0]);
        assert_eq!(by_chunks.title_weight, [13, 10, 12, 11]);
        assert_eq!(by_chunks.links_in, [3, 0, 2, 1]);
        assert_eq!(by_chunks.entries[0].of, [(0, 100), (1, 9), (2, 70)]);
    }
}
