//! AutoKG's keyword graph (Chen and Bertozzi, arXiv 2311.14740): keywords, their shared chunks, the chunks of
//! each.

mod section;

pub use section::{decode_keywords, encode_keywords, load_keywords};

use crate::sparse::Csr;
use crate::vector::QuantizedMatrix;

/// AutoKG's G^k: keywords, integer edge weights, and for each keyword its ranked chunks.
#[derive(Debug, Clone)]
pub struct KeywordGraph {
    /// The keywords as they are shown, M of them, unique after case folding.
    pub labels: Vec<String>,
    /// One unit vector a keyword, M x d.
    pub vectors: QuantizedMatrix,
    /// W^k, M x M, symmetric, no diagonal: W^k_ij = |X^k_i ∩ X^k_j|.
    pub weights: Csr<u32>,
    /// |X^k_i|: how many chunks are associated with keyword i.
    pub associated: Vec<u32>,
    /// For each keyword its best chunks by u (graph Laplace learning), best first, at most 64.
    pub chunks_by_u: Vec<Vec<u32>>,
    /// For each keyword its best chunks by angle, best first, at most 64.
    pub chunks_by_angle: Vec<Vec<u32>>,
}

impl KeywordGraph {
    /// Returns how many passages a keyword shares with others, a passage once for each of these.
    pub fn shared(&self, keyword: usize) -> u32 {
        self.weights.row(keyword).1.iter().sum()
    }
}
