//! Builds AutoKG's keyword graph from chunks and their vectors (Chen and Bertozzi, arXiv 2311.14740).

mod copies;
mod keywords;
mod options;
mod report;
mod sample;

pub use crate::extract::ChunkView;
pub use copies::{renumber_chunks, without_copies};
pub use keywords::cluster_count;
pub use options::AutoKgOptions;
pub use report::{AutoKgReport, AutoKgWarning, SetSizes, Stage};
pub use sample::{attach_chunks, sample_of};

use crate::extract::{Embed, ExtractError, Extractor, LocalExtractor};
use keywords::{clusters_of, extract_keywords};
use pocketgraph_base::csr::Csr;
use pocketgraph_cluster::Panels;
use pocketgraph_cluster::laplace::{
    Association, AssociationOptions, approximate_neighbours, associate_chunks, chunk_graph,
    nearest_neighbours, shared_chunks,
};
use pocketgraph_kernels::vector::QuantizedMatrix;
use pocketgraph_search::keyword::KeywordGraph;
use report::warn_of_sizes;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Maximum number of ranked chunks of each keyword, by u and by angle.
const RANKED: usize = 64;

/// Maximum number of chunks whose neighbours are searched exactly; above it the search is approximate.
const EXACT: usize = 110_000;

/// Reasons for which no keyword graph can be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AutoKgError {
    /// Chunks and vectors must come in pairs.
    #[error("{chunks} chunks came with {vectors} vectors")]
    Count {
        /// Number of chunks.
        chunks: usize,
        /// Number of vectors.
        vectors: usize,
    },
    /// All vectors must have one dimension.
    #[error("vector {row} has {found} components where the first has {expected}")]
    Dimension {
        /// The first vector that differs.
        row: usize,
        /// Its dimension.
        found: usize,
        /// The dimension of the first vector.
        expected: usize,
    },
    /// Chunks are numbered in 32 bits.
    #[error("{0} chunks are more than a keyword graph can number")]
    TooMany(usize),
    /// The embedder must return one vector for each phrase, in the space of the chunks.
    #[error("the embedder answered {phrases} phrases with {vectors} vectors that fit the chunks' dimension")]
    Embedder {
        /// Number of phrases given.
        phrases: usize,
        /// Number of returned vectors with the right dimension.
        vectors: usize,
    },
    /// The extractor failed.
    #[error(transparent)]
    Extract(#[from] ExtractError),
}

/// Builds the keyword graph with the local extractor. `vectors` are the chunks' unit vectors, `embed` returns
/// unit vectors of phrases in the same space, and `progress` gets a stage with its finished and total work.
///
/// The same chunks, vectors, options and embedder give the same graph for any number of threads. Without
/// words in the chunks, the graph has no keywords.
///
/// # Errors
/// [`AutoKgError`] if the vectors do not fit the chunks or each other, or the embedder fails.
pub fn build_keyword_graph(
    chunks: &[ChunkView<'_>],
    vectors: &[Vec<f32>],
    embed: &Embed<'_>,
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Result<(KeywordGraph, AutoKgReport), AutoKgError> {
    // Keywords were candidates before, so the extractor has embedded most of them.
    let known: Mutex<HashMap<String, Vec<f32>>> = Mutex::new(HashMap::new());
    let once = |phrases: &[String]| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<String> = phrases.iter().filter(|p| !known.contains_key(*p)).cloned().collect();
        if !missing.is_empty() {
            let vectors = embed(&missing);
            known.extend(missing.into_iter().zip(vectors));
        }
        phrases.iter().filter_map(|p| known.get(p).cloned()).collect()
    };
    let mut extractor = LocalExtractor::new(chunks, options.l2, &once);
    build_with(&mut extractor, chunks.len(), vectors, &once, options, progress)
}

/// Builds the keyword graph of `chunks` chunks with any extractor; see [`build_keyword_graph`].
///
/// # Errors
/// As [`build_keyword_graph`], and if the extractor fails.
pub fn build_with(
    extractor: &mut dyn Extractor,
    chunks: usize,
    vectors: &[Vec<f32>],
    embed: &Embed<'_>,
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Result<(KeywordGraph, AutoKgReport), AutoKgError> {
    let dim = checked_dimension(chunks, vectors)?;
    let rows = Panels::pack(dim, vectors.iter().map(Vec::as_slice));
    let mut times = Vec::new();
    let mut clock = Instant::now();
    let mut lap = |stage: Stage, clock: &mut Instant| {
        times.push((stage, std::mem::replace(clock, Instant::now()).elapsed()))
    };

    progress(Stage::Neighbours, 0, chunks);
    let neighbours = if chunks <= EXACT {
        nearest_neighbours(&rows, options.neighbours)
    } else {
        approximate_neighbours(&rows, options.neighbours, options.seed)
    };
    let graph = chunk_graph(&rows, &neighbours, options.kernel);
    drop(neighbours);
    progress(Stage::Neighbours, chunks, chunks);
    lap(Stage::Neighbours, &mut clock);

    progress(Stage::Clusters, 0, 2);
    let clusters = clusters_of(&rows, &graph.weights, options, progress);
    lap(Stage::Clusters, &mut clock);

    let (found, extracted) = extract_keywords(extractor, &rows, &clusters, options, progress)?;
    lap(Stage::Keywords, &mut clock);

    progress(Stage::Laplace, 0, found.len());
    let (labels, keyword_vectors) = embed_keywords(found, dim, embed)?;
    let packed = Panels::pack(dim, keyword_vectors.iter().map(Vec::as_slice));
    let associations = associate_chunks(&graph.weights, &rows, &packed, &association_options(options));
    let weights = shared_chunks(&associations);
    progress(Stage::Laplace, labels.len(), labels.len());
    lap(Stage::Laplace, &mut clock);

    let associated: Vec<u32> = associations.iter().map(|a| a.size).collect();
    let set_sizes = SetSizes::of(&associated, chunks);
    let report = AutoKgReport {
        chunks,
        keywords: labels.len(),
        edges: weights.stored() / 2,
        clusters: clusters.len(),
        extracted,
        chunk_edges: graph.weights.stored() / 2,
        components: graph.components,
        set_sizes,
        warning: warn_of_sizes(set_sizes, chunks, options.n1),
        times,
    };
    Ok((to_graph(labels, &keyword_vectors, dim, weights, associations), report))
}

fn to_graph(
    labels: Vec<String>,
    vectors: &[Vec<f32>],
    dim: usize,
    weights: Csr<u32>,
    associations: Vec<Association>,
) -> KeywordGraph {
    let mut graph = KeywordGraph {
        labels,
        vectors: QuantizedMatrix::from_rows(dim, vectors.iter().map(Vec::as_slice)),
        weights,
        associated: Vec::with_capacity(associations.len()),
        chunks_by_u: Vec::with_capacity(associations.len()),
        chunks_by_angle: Vec::with_capacity(associations.len()),
    };
    for a in associations {
        graph.associated.push(a.size);
        graph.chunks_by_u.push(a.by_u);
        graph.chunks_by_angle.push(a.by_angle);
    }
    graph
}

fn association_options(options: &AutoKgOptions) -> AssociationOptions {
    AssociationOptions {
        n1: options.n1,
        n2: options.n2,
        learning: options.learning,
        threshold: options.threshold,
        cap: options.cap,
        tolerance: options.tolerance,
        ranked: RANKED,
    }
}

fn checked_dimension(chunks: usize, vectors: &[Vec<f32>]) -> Result<usize, AutoKgError> {
    if chunks != vectors.len() {
        return Err(AutoKgError::Count { chunks, vectors: vectors.len() });
    }
    if u32::try_from(chunks).is_err() {
        return Err(AutoKgError::TooMany(chunks));
    }
    let expected = vectors.first().map_or(0, Vec::len);
    let wrong = vectors.iter().position(|v| v.len() != expected);
    wrong.map_or(Ok(expected), |row| Err(AutoKgError::Dimension { row, found: vectors[row].len(), expected }))
}

fn embed_keywords(
    keywords: Vec<String>,
    dim: usize,
    embed: &Embed<'_>,
) -> Result<(Vec<String>, Vec<Vec<f32>>), AutoKgError> {
    if keywords.is_empty() {
        return Ok((keywords, Vec::new()));
    }
    let vectors = embed(&keywords);
    let fitting = vectors.iter().filter(|v| v.len() == dim).count();
    if fitting != keywords.len() || vectors.len() != keywords.len() {
        return Err(AutoKgError::Embedder { phrases: keywords.len(), vectors: fitting });
    }
    Ok((keywords, vectors))
}

#[cfg(test)]
#[path = "autokg_tests.rs"]
mod tests;
