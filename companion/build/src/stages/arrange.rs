//! Arranging: into which cells the vectors are cut, and which chunks weigh more.

use super::{Corpus, Stage};
use crate::outcome::BuildError;
use pocketgraph_cluster::divide_cells;
use pocketgraph_ingest::rank::{self, RankRule, Weighed};
use pocketgraph_native::progress::Progress;

/// Maximum number of chunks whose vectors are one cell.
const ONE_CELL_AT_MOST: usize = 512;
/// Maximum number of chunks that a reader scans all, where cells are there to be files of some 100 kB; above,
/// there are about as many cells as the square root.
const ALL_SCANNED_AT_MOST: usize = 4096;
/// Chunks of a cell where all are scanned.
const CHUNKS_PER_CELL: usize = 256;

/// Cuts the vectors into cells and weighs the chunks.
pub struct Arrange<'a> {
    /// The rules by which documents are weighed.
    pub rules: &'a [RankRule],
    /// The seed of all random choices.
    pub seed: u64,
}

/// The order and the weights of the chunks.
pub struct Arrangement {
    /// The cell of each chunk.
    pub cells: Vec<u32>,
    /// Weights of chunks.
    pub weights: Vec<Weighed>,
}

impl Stage<Corpus<'_>> for Arrange<'_> {
    type Out = Arrangement;
    const NAME: &'static str = "cells";

    fn run(&self, corpus: Corpus<'_>, progress: &dyn Progress) -> Result<Arrangement, BuildError> {
        progress.stage("writing the bundle", None);
        Ok(Arrangement {
            cells: divide_cells(corpus.vectors, cell_count(corpus.chunks.len()), self.seed),
            weights: rank::weights(corpus.documents, corpus.chunks, self.rules),
        })
    }
}

/// Into how many cells the vectors of so many chunks are cut.
fn cell_count(chunks: usize) -> usize {
    if chunks <= ONE_CELL_AT_MOST {
        1
    } else if chunks <= ALL_SCANNED_AT_MOST {
        chunks.div_ceil(CHUNKS_PER_CELL)
    } else {
        (chunks as f64).sqrt().round() as usize
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{RecordedWarnings, corpus_of};

    #[test]
    fn a_small_corpus_is_one_cell_and_a_large_one_has_the_square_root() {
        assert_eq!([1, 512, 513, 4096, 10_000].map(cell_count), [1, 1, 3, 16, 100]);
    }

    #[test]
    fn every_chunk_has_a_cell_and_a_rule_weighs_its_documents_chunks() {
        let corpus = corpus_of(6);
        let rules = ["note-2*=2".parse().unwrap()];
        let made =
            Arrange { rules: &rules, seed: 0 }.run(corpus.corpus(), &RecordedWarnings::default()).unwrap();
        assert_eq!(made.cells, [0; 6]);
        assert_eq!(made.weights.iter().flat_map(|w| w.chunks.clone()).collect::<Vec<_>>(), [2]);
    }
}
