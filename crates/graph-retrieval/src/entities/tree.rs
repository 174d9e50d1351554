//! The section `tree`: RAPTOR's tree of summaries over the chunks (arXiv 2401.18059). The section `summaries`
//! has texts by a language model.

use super::communities::{SentencePlace, put_places, take_places};
use crate::bundle::{BundleError, Kind, begin_section, open_section, put_matrix, put_varint, take_vectors};
use crate::vector::QuantizedMatrix;

/// Summary of chunks or other summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Layer: 1 over the chunks, 2 over layer 1, and so on.
    pub layer: u32,
    /// Chunks and summaries that it summarises, ascending: a chunk's number, or an earlier summary's position
    /// plus the number of chunks.
    pub children: Vec<u32>,
    /// Sentences that it consists of, or that a model's summary is based on.
    pub sentences: Vec<SentencePlace>,
}

/// Summaries, those of lower layers first.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Nodes of the tree.
    pub nodes: Vec<Summary>,
    /// Vector of each summary.
    pub vectors: QuantizedMatrix,
}

/// Encodes the section.
pub fn encode_tree(tree: &Tree) -> Vec<u8> {
    let mut out = begin_section(Kind::Tree);
    put_varint(&mut out, tree.nodes.len() as u32);
    for node in &tree.nodes {
        put_varint(&mut out, node.layer);
        put_varint(&mut out, node.children.len() as u32);
        node.children.iter().for_each(|&c| put_varint(&mut out, c));
        put_places(&mut out, &node.sentences);
    }
    put_matrix(&mut out, &tree.vectors);
    out
}

/// Reads the section of a bundle of `chunks` chunks with vectors of dimension `dim`. Fails if the bytes are
/// not such a section.
pub fn decode_tree(file: &str, bytes: &[u8], chunks: u64, dim: u64) -> Result<Tree, BundleError> {
    let mut b = open_section(file, bytes, Kind::Tree)?;
    let n = b.count(3)?;
    let mut nodes: Vec<Summary> = Vec::with_capacity(n);
    for i in 0..n as u64 {
        let layer = b.varint()?;
        let count = b.count(1)?;
        let children = (0..count).map(|_| b.varint()).collect::<Result<Vec<u32>, _>>()?;
        // Only earlier nodes are children, so there are no cycles.
        if children.iter().any(|&c| u64::from(c) >= chunks + i) {
            return Err(b.corrupt("a summary of what does not exist yet"));
        }
        nodes.push(Summary { layer, children, sentences: take_places(&mut b, chunks)? });
    }
    let vectors = take_vectors(&mut b, n, dim)?;
    b.end()?;
    Ok(Tree { nodes, vectors })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            nodes in prop::collection::vec(
                (prop::collection::vec(0u32..4, 0..4), prop::collection::vec((0u32..4, 0u32..9), 0..3)),
                0..5,
            ),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let nodes: Vec<Summary> = nodes
                .into_iter()
                .map(|(children, sentences)| Summary { layer: 1, children, sentences })
                .collect();
            let rows: Vec<Vec<f32>> = nodes.iter().map(|n| vec![1.0, n.children.len() as f32]).collect();
            let tree = Tree { vectors: QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice)), nodes };
            let mut bytes = encode_tree(&tree);
            prop_assert_eq!(&decode_tree("t", &bytes, 4, 2).unwrap().nodes, &tree.nodes);
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_tree("t", &bytes, 4, 2);
            bytes.truncate(at);
            prop_assert!(decode_tree("t", &bytes, 4, 2).is_err());
        }
    }

    #[test]
    fn a_summary_of_itself_is_refused() {
        let circle = Tree {
            nodes: vec![Summary { layer: 1, children: vec![2], sentences: Vec::new() }],
            vectors: QuantizedMatrix::from_rows(1, [[1.0f32]].iter().map(|r| &r[..])),
        };
        assert!(decode_tree("t", &encode_tree(&circle), 2, 1).is_err());
    }
}
