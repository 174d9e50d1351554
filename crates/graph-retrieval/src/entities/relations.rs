//! The section `relations`: entities and relations that a language model read in the chunks. A relation is a
//! statement that joins two entities or more (HyperGraphRAG, arXiv 2503.21322); GraphRAG (arXiv 2404.16130)
//! has only those of two.

use super::section::{put_index, take_index};
use super::{EntityIndex, Titles};
use crate::bundle::{BundleError, Kind, begin_section, open_section, put_texts, take_texts};
use crate::vector::QuantizedMatrix;

/// Relations that a language model read. In the index statements replace sentences: a statement mentions the
/// entities that it joins, the most important first. A statement of one entity is its description, if no
/// relation of the chunk has it.
#[derive(Debug, Clone)]
pub struct Relations {
    /// Labels of the entities.
    pub labels: Vec<String>,
    /// Statements of each chunk with their entities, and the entities' vectors.
    pub index: EntityIndex,
    /// Importance of each statement, from 0 to 10, as the model rated it.
    pub scores: Vec<u8>,
}

/// Highest score of a statement.
pub const HIGHEST_SCORE: u8 = 10;

/// Encodes the section. `vectors` has a row for each of `labels`, `chunks` the statements of each chunk with
/// their entities, `scores` the score of each statement.
pub fn encode_relations(
    labels: &[String],
    vectors: &QuantizedMatrix,
    chunks: &[&[Vec<u32>]],
    scores: &[u8],
) -> Vec<u8> {
    let mut out = begin_section(Kind::Relations);
    put_texts(&mut out, labels);
    put_index(&mut out, vectors, chunks);
    out.extend_from_slice(scores);
    out
}

/// Reads the section of a bundle of `chunks` chunks with vectors of dimension `dim`. Fails if the bytes are
/// not such a section.
pub fn decode_relations(file: &str, bytes: &[u8], chunks: u64, dim: u64) -> Result<Relations, BundleError> {
    let mut b = open_section(file, bytes, Kind::Relations)?;
    let labels = take_texts(&mut b)?;
    let index = take_index(&mut b, labels.len(), chunks, &Titles::default(), dim)?;
    let scores = b.rest().to_vec();
    if index.entities() != labels.len()
        || scores.len() != index.sentences()
        || scores.iter().any(|&s| s > HIGHEST_SCORE)
    {
        return Err(b.corrupt("entities, statements and scores differ"));
    }
    Ok(Relations { labels, index, scores })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            chunks in prop::collection::vec(
                prop::collection::vec((prop::collection::vec(0u32..3, 1..4), 0u8..11), 0..3),
                0..5,
            ),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let labels = ["Ada", "Charles", "日本"].map(str::to_owned);
            let vectors =
                QuantizedMatrix::from_rows(2, [[1.0f32, 0.5], [0.0, 1.0], [0.3, 0.1]].iter().map(|r| &r[..]));
            let joined: Vec<Vec<Vec<u32>>> =
                chunks.iter().map(|c| c.iter().map(|s| s.0.clone()).collect()).collect();
            let scores: Vec<u8> = chunks.iter().flatten().map(|s| s.1).collect();
            let lists: Vec<&[Vec<u32>]> = joined.iter().map(Vec::as_slice).collect();
            let mut bytes = encode_relations(&labels, &vectors, &lists, &scores);
            let n = chunks.len() as u64;
            let read = decode_relations("t", &bytes, n, 2).unwrap();
            prop_assert_eq!(
                (&read.labels[..], &read.index.vectors, &read.scores),
                (&labels[..], &vectors, &scores)
            );
            for (c, statements) in joined.iter().enumerate() {
                let got: Vec<Vec<u32>> =
                    read.index.sentences_in(c as u32).map(|s| read.index.mentioned(s).to_vec()).collect();
                prop_assert_eq!(&got, statements);
            }
            prop_assert!(decode_relations("t", &bytes, n + 1, 2).is_err());
            prop_assert!(decode_relations("t", &bytes, n, 3).is_err());
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_relations("t", &bytes, n, 2);
            bytes.truncate(at);
            prop_assert!(decode_relations("t", &bytes, n, 2).is_err());
            let other = encode_relations(&labels[..2], &vectors, &lists, &scores);
            prop_assert!(decode_relations("t", &other, n, 2).is_err(), "an entity without a name");
        }
    }
}
