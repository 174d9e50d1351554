//! AutoKG, assembled: chunks and their vectors in, the keyword graph out (Chen and Bertozzi, arXiv 2311.14740, Algorithms 1 and 2).

use crate::cluster::{KMeansOptions, LaplacianKind, Panels, Random, centre, kmeans, spectral_clusters};
pub use crate::extract::ChunkView;
use crate::extract::{Embed, ExtractError, Extractor, LocalExtractor, Request, normalised};
use crate::laplace::{
    Association, AssociationOptions, Kernel, Learning, Threshold, approximate_neighbours, associate, chunk_graph, nearest_neighbours,
    shared_chunks,
};
use pocketgraph::keyword::KeywordGraph;
use pocketgraph::sparse::Csr;
use pocketgraph::vector::{QuantizedMatrix, Scored, top_k};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The numbers of Algorithms 1 and 2, with the paper's names.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoKgOptions {
    /// n: clusters a clustering; none for a number that grows with the root of the corpus, 15 for 1,500 chunks.
    pub clusters: Option<usize>,
    /// c: how many chunks nearest to a cluster's centre are shown, and how many others.
    pub c: usize,
    /// l1: keywords a cluster, at most.
    pub l1: usize,
    /// l2: words a keyword, at most.
    pub l2: usize,
    /// m: how many of the keywords found so far are shown to be avoided.
    pub m: usize,
    /// n1: chunks labelled as belonging to a keyword, the nearest by angle.
    pub n1: usize,
    /// n2: chunks labelled as foreign to a keyword, the farthest by angle.
    pub n2: usize,
    /// K: neighbours of a chunk, itself included.
    pub neighbours: usize,
    /// How angles become weights.
    pub kernel: Kernel,
    /// Which Laplacian spectral clustering uses.
    pub laplacian: LaplacianKind,
    /// How labels spread.
    pub learning: Learning,
    /// Which chunks belong to a keyword.
    pub threshold: Threshold,
    /// The largest fraction of all chunks that may belong to one keyword; 1 for no cap. Where labels flood the graph, the cap is what is left of them.
    pub cap: f32,
    /// When the Laplace solver stops.
    pub tolerance: f32,
    /// The seed of every random choice.
    pub seed: u64,
}

impl Default for AutoKgOptions {
    fn default() -> Self {
        AutoKgOptions {
            clusters: None,
            c: 15,
            l1: 10,
            l2: 3,
            m: 300,
            n1: 5,
            n2: 35,
            neighbours: 30,
            kernel: Kernel::Paper,
            laplacian: LaplacianKind::SymmetricNormalised,
            learning: Learning::Laplace,
            threshold: Threshold::MeanPlusTwoSd,
            cap: 0.25,
            tolerance: 1e-5,
            seed: 1,
        }
    }
}

impl AutoKgOptions {
    /// The options that are not the defaults, by the names of the command line's arguments; the seed is not among them.
    pub fn unusual(&self) -> Vec<(String, String)> {
        let all = |o: &AutoKgOptions| {
            [
                ("clusters", o.clusters.map_or("auto".to_owned(), |n| n.to_string())),
                ("chunks-per-cluster", o.c.to_string()),
                ("keywords-per-cluster", o.l1.to_string()),
                ("words-per-keyword", o.l2.to_string()),
                ("avoid", o.m.to_string()),
                ("neighbours", o.neighbours.to_string()),
                ("n1", o.n1.to_string()),
                ("n2", o.n2.to_string()),
                ("kernel", format!("{:?}", o.kernel).to_lowercase()),
                ("laplacian", format!("{:?}", o.laplacian).to_lowercase()),
                ("learning", format!("{:?}", o.learning).to_lowercase()),
                ("threshold", format!("{:?}", o.threshold).to_lowercase()),
                ("cap", o.cap.to_string()),
            ]
        };
        let usual = all(&AutoKgOptions::default());
        all(self).into_iter().zip(usual).filter(|(mine, usual)| mine != usual).map(|((name, value), _)| (name.to_owned(), value)).collect()
    }
}

/// Chunks ranked for each keyword, by u and by angle.
const RANKED: usize = 64;

/// The largest corpus whose neighbours are searched exactly; beyond it an approximate search does.
const EXACT: usize = 110_000;

/// What a build is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The neighbour graph of the chunks.
    Neighbours,
    /// Both clusterings.
    Clusters,
    /// Keywords, cluster by cluster, and their refinement.
    Keywords,
    /// Labels spread over the chunks.
    Laplace,
}

/// The sizes |X_k| of the keywords' sets of chunks, as fractions of all chunks.
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
    /// The distribution of some set sizes among `chunks` chunks.
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

/// What a reader of the build's summary should be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AutoKgWarning {
    /// Labels did not spread.
    #[error(
        "half of the keywords have no chunks but the {0} nearest: labels did not spread over the graph; try threshold = mean+2sd or a quantile"
    )]
    Collapsed(usize),
    /// Labels spread everywhere.
    #[error("half of the keywords have more than half of all chunks: labels flooded the graph; set a cap, or raise K")]
    Flooded,
}

/// What a build did.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoKgReport {
    /// N.
    pub chunks: usize,
    /// M.
    pub keywords: usize,
    /// Pairs of keywords that share a chunk.
    pub edges: usize,
    /// Clusters over both clusterings.
    pub clusters: usize,
    /// Keywords before refinement.
    pub extracted: usize,
    /// Edges of the chunk graph.
    pub chunk_edges: usize,
    /// Components of the neighbour graph before they were joined.
    pub components: usize,
    /// The distribution of |X_k|/N.
    pub set_sizes: SetSizes,
    /// What looks wrong, if anything.
    pub warning: Option<AutoKgWarning>,
    /// How long each stage took. Never written to a bundle.
    pub times: Vec<(Stage, Duration)>,
}

/// Why no keyword graph could be built.
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
    /// The embedder must answer with one vector a phrase, in the space of the chunks.
    #[error("the embedder answered {phrases} phrases with {vectors} vectors that fit the chunks' dimension")]
    Embedder {
        /// Phrases asked for.
        phrases: usize,
        /// Vectors of the right dimension that came back.
        vectors: usize,
    },
    /// The extractor gave up.
    #[error(transparent)]
    Extract(#[from] ExtractError),
}

/// Builds the keyword graph with the local extractor. `vectors` are the chunks' unit vectors, `embed` yields unit vectors of phrases in the same space,
/// `progress` hears of a stage, how much of it is done and how much there is.
///
/// The same chunks, vectors, options and embedder give the same graph, whatever the number of threads. No chunks, or chunks without words, give a
/// graph without keywords.
///
/// # Errors
/// [`AutoKgError`] when vectors do not fit chunks or each other, or the embedder does not answer as agreed.
pub fn build(
    chunks: &[ChunkView<'_>],
    vectors: &[Vec<f32>],
    embed: &Embed<'_>,
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Result<(KeywordGraph, AutoKgReport), AutoKgError> {
    // Keywords were candidates before: what the extractor had embedded is not embedded again.
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

/// Builds the keyword graph of `chunks` chunks with any extractor; see [`build`].
///
/// # Errors
/// As for [`build`], and when the extractor gives up.
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
    let mut lap = |stage: Stage, clock: &mut Instant| times.push((stage, std::mem::replace(clock, Instant::now()).elapsed()));

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

    let (found, extracted) = keywords(extractor, &rows, &clusters, options, progress)?;
    lap(Stage::Keywords, &mut clock);

    progress(Stage::Laplace, 0, found.len());
    let (labels, keyword_vectors) = embedded(found, dim, embed)?;
    let packed = Panels::pack(dim, keyword_vectors.iter().map(Vec::as_slice));
    let associations = associate(&graph.weights, &rows, &packed, &association_options(options));
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
        warning: warning(set_sizes, chunks, options.n1),
        times,
    };
    Ok((assembled(labels, &keyword_vectors, dim, weights, associations), report))
}

fn assembled(labels: Vec<String>, vectors: &[Vec<f32>], dim: usize, weights: Csr<u32>, associations: Vec<Association>) -> KeywordGraph {
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
    match vectors.iter().position(|v| v.len() != expected) {
        Some(row) => Err(AutoKgError::Dimension { row, found: vectors[row].len(), expected }),
        None => Ok(expected),
    }
}

/// A median at either extreme. Where the labelled chunks alone are a fair share of all (one in a hundred), their sets are as large as
/// spreading would make them, and say nothing.
fn warning(sizes: SetSizes, chunks: usize, n1: usize) -> Option<AutoKgWarning> {
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

/// How many clusters suit a corpus: 15 for 1,500 chunks, growing with the root of their number.
fn cluster_count(chunks: usize, asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| (15.0 * (chunks as f64 / 1500.0).sqrt()).round() as usize).clamp(1, chunks.max(1))
}

/// The clusters of both clusterings, as ascending lists of chunks; empty ones and repetitions are left out.
fn clusters_of(rows: &Panels, weights: &Csr<f32>, options: &AutoKgOptions, progress: &dyn Fn(Stage, usize, usize)) -> Vec<Vec<u32>> {
    if rows.rows() == 0 {
        return Vec::new();
    }
    let count = cluster_count(rows.rows(), options.clusters);
    let settings = KMeansOptions { clusters: count, restarts: 5, rounds: 50, seed: options.seed };
    let mut clusters = kmeans(rows, &settings).members();
    progress(Stage::Clusters, 1, 2);
    let assignment = spectral_clusters(weights, options.laplacian, &settings);
    let mut spectral: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (chunk, &c) in assignment.iter().enumerate() {
        if let Some(list) = spectral.get_mut(c as usize) {
            list.push(chunk as u32);
        }
    }
    progress(Stage::Clusters, 2, 2);
    clusters.extend(spectral);
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    clusters.retain(|c| !c.is_empty() && (clusters_are_few(count) || seen.insert(c.clone())));
    clusters
}

/// With one or two clusters both clusterings often agree; asking twice then brings the next best keywords instead of none.
fn clusters_are_few(count: usize) -> bool {
    count <= 2
}

/// Algorithm 1: the refined keywords, and how many there were before.
fn keywords(
    extractor: &mut dyn Extractor,
    rows: &Panels,
    clusters: &[Vec<u32>],
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Result<(Vec<String>, usize), AutoKgError> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut random = Random::new(options.seed, 0x6b65_7977);
    progress(Stage::Keywords, 0, clusters.len());
    for (done, members) in clusters.iter().enumerate() {
        let centre = centre(rows, members);
        let shown = shown(rows, members, &centre, options.c, &mut random);
        let avoid: Vec<String> = random.sample(found.len(), options.m).into_iter().filter_map(|i| found.get(i).cloned()).collect();
        let request = Request { shown: &shown, members, centre: &centre, avoid: &avoid, keywords: options.l1, words: options.l2 };
        for keyword in extractor.extract(&request)?.into_iter().take(options.l1) {
            let keyword = keyword.trim().to_owned();
            let key = normalised(&keyword);
            if !key.is_empty() && seen.insert(key) {
                found.push(keyword);
            }
        }
        progress(Stage::Keywords, done + 1, clusters.len());
    }
    let extracted = found.len();
    let mut seen = HashSet::new();
    let mut refined = extractor.refine(found)?;
    refined.retain(|k| {
        let key = normalised(k);
        !key.is_empty() && seen.insert(key)
    });
    Ok((refined, extracted))
}

/// The c chunks nearest to the centre and c drawn from the rest of the cluster.
fn shown(rows: &Panels, members: &[u32], centre: &[f32], c: usize, random: &mut Random) -> Vec<u32> {
    let scored = members.iter().map(|&chunk| {
        let score = rows.row(chunk as usize).iter().zip(centre).fold(0.0, |sum, (x, y)| sum + x * y);
        Scored { index: chunk, score }
    });
    let mut shown: Vec<u32> = top_k(scored, c).into_iter().map(|s| s.index).collect();
    let nearest: HashSet<u32> = shown.iter().copied().collect();
    let rest: Vec<u32> = members.iter().copied().filter(|m| !nearest.contains(m)).collect();
    shown.extend(random.sample(rest.len(), c).into_iter().filter_map(|i| rest.get(i).copied()));
    shown
}

/// Keywords with their vectors.
fn embedded(keywords: Vec<String>, dim: usize, embed: &Embed<'_>) -> Result<(Vec<String>, Vec<Vec<f32>>), AutoKgError> {
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
