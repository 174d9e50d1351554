//! Progress and report of a build of the keyword graph.

use std::time::Duration;

/// Stage of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The neighbour graph of the chunks.
    Neighbours,
    /// The two clusterings.
    Clusters,
    /// Keywords of each cluster, and their refinement.
    Keywords,
    /// Labels spreading over the chunks.
    Laplace,
}

/// Sizes |X_k| of the keywords' sets of chunks, as shares of all chunks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SetSizes {
    /// The smallest.
    pub min: f32,
    /// A quarter of the keywords have less.
    pub lower_quartile: f32,
    /// Half of the keywords have less.
    pub median: f32,
    /// Three quarters of the keywords have less.
    pub upper_quartile: f32,
    /// The largest.
    pub max: f32,
}

impl SetSizes {
    /// Returns the distribution of set sizes among `chunks` chunks.
    pub fn of(associated: &[u32], chunks: usize) -> Self {
        let mut sorted = associated.to_vec();
        sorted.sort_unstable();
        let at = |q: usize| {
            let index = (sorted.len().saturating_sub(1) * q + 2) / 4;
            sorted.get(index).map_or(0.0, |&s| s as f32 / chunks.max(1) as f32)
        };
        SetSizes { min: at(0), lower_quartile: at(1), median: at(2), upper_quartile: at(3), max: at(4) }
    }
}

/// Warning in the build's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AutoKgWarning {
    /// Labels did not spread.
    #[error(
        "half of the keywords have no chunks but the {0} nearest: labels did not spread over the \
         graph; try threshold = mean+2sd or a quantile"
    )]
    Collapsed(usize),
    /// Labels spread everywhere.
    #[error(
        "half of the keywords have more than half of all chunks: labels flooded the graph; set a \
         cap, or raise K"
    )]
    Flooded,
}

/// Report of a build.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoKgReport {
    /// N: number of chunks.
    pub chunks: usize,
    /// M: number of keywords.
    pub keywords: usize,
    /// Number of pairs of keywords that share a chunk.
    pub edges: usize,
    /// Number of clusters of both clusterings.
    pub clusters: usize,
    /// Number of keywords before refinement.
    pub extracted: usize,
    /// Number of edges of the chunk graph.
    pub chunk_edges: usize,
    /// Number of components of the neighbour graph before they were joined.
    pub components: usize,
    /// Distribution of |X_k|/N.
    pub set_sizes: SetSizes,
    /// Warning, if something looks wrong.
    pub warning: Option<AutoKgWarning>,
    /// Duration of each stage. Never written to a bundle.
    pub times: Vec<(Stage, Duration)>,
}

/// Returns a warning if the median is extreme. If the labelled chunks alone are 1 % of all, set sizes mean
/// nothing.
pub(super) fn warn_of_sizes(sizes: SetSizes, chunks: usize, n1: usize) -> Option<AutoKgWarning> {
    if chunks < 100 * n1 || sizes.max == 0.0 {
        None
    } else if sizes.median > 0.5 {
        Some(AutoKgWarning::Flooded)
    } else if sizes.median * chunks as f32 <= n1 as f32 + 0.5 {
        Some(AutoKgWarning::Collapsed(n1))
    } else {
        None
    }
}
