//! Which names each sentence of a chunk mentions, and the sentences' vectors: what a hop from one document to
//! another needs. Loaded by pages, for the few chunks that a hop starts from.

use crate::bundle::{BundleError, Kind, begin_section, open_section, put_matrix, put_varint, take_vectors};
use crate::vector::QuantizedMatrix;

/// Number of chunks that share a page of mentions.
pub const MENTION_CHUNKS_PER_PAGE: usize = 8;

/// One chunk's sentences: for each the entries that it mentions, in order; and their unit vectors, one row a
/// sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkMentions {
    /// Places in the table of names of each sentence's mentions, with sentences as [`crate::text::sentences`]
    /// cuts them.
    pub sentences: Vec<Vec<u32>>,
    /// One vector a sentence.
    pub vectors: QuantizedMatrix,
}

/// A page of mentions, one item a chunk.
pub fn encode_mentions(chunks: &[ChunkMentions]) -> Vec<u8> {
    let mut out = begin_section(Kind::Mentions);
    put_varint(&mut out, chunks.len() as u32);
    for chunk in chunks {
        put_varint(&mut out, chunk.sentences.len() as u32);
        for mentions in &chunk.sentences {
            put_varint(&mut out, mentions.len() as u32);
            mentions.iter().for_each(|&m| put_varint(&mut out, m));
        }
        put_matrix(&mut out, &chunk.vectors);
    }
    out
}

/// Reads a page of mentions of `entries` names in `items` chunks; vectors must have `dim` components.
///
/// # Errors
/// [`BundleError`] when the bytes are no such page.
pub fn decode_mentions(
    file: &str,
    bytes: &[u8],
    items: u32,
    entries: u32,
    dim: u64,
) -> Result<Vec<ChunkMentions>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Mentions)?;
    let n = b.count(9)?;
    if n != items as usize {
        return Err(b.corrupt("it holds another number of chunks"));
    }
    let mut out = Vec::with_capacity(n);
    for _ in 0..n {
        let count = b.count(1)?;
        let mut sentences = Vec::with_capacity(count);
        for _ in 0..count {
            let m = b.count(1)?;
            let mentions = (0..m).map(|_| b.varint()).collect::<Result<Vec<_>, _>>()?;
            if mentions.iter().any(|&m| m >= entries) {
                return Err(b.corrupt("a sentence mentions a name that does not exist"));
            }
            sentences.push(mentions);
        }
        let vectors = take_vectors(&mut b, count, dim)?;
        out.push(ChunkMentions { sentences, vectors });
    }
    b.end()?;
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pages_read_back_and_hostile_bytes_are_errors(
            sentences in prop::collection::vec(prop::collection::vec(0u32..50, 0..4), 0..5),
            flip in 0usize..400,
            bit in 0u8..8,
        ) {
            let rows: Vec<Vec<f32>> =
                sentences.iter().map(|s| vec![s.len() as f32 + 0.1, 1.0, -0.5]).collect();
            let vectors = QuantizedMatrix::from_rows(3, rows.iter().map(Vec::as_slice));
            let page = vec![ChunkMentions { sentences, vectors }];
            let mut bytes = encode_mentions(&page);
            prop_assert_eq!(&decode_mentions("t", &bytes, 1, 50, 3).unwrap(), &page);
            let at = flip % bytes.len();
            bytes[at] ^= 1 << bit;
            let _ = decode_mentions("t", &bytes, 1, 50, 3);
            bytes.truncate(at);
            prop_assert!(decode_mentions("t", &bytes, 1, 50, 3).is_err());
        }
    }
}
