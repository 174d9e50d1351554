//! Parameters of AutoKG and their defaults.

use pocketgraph_cluster::LaplacianKind;
use pocketgraph_cluster::laplace::{Kernel, Learning, Threshold};

/// Parameters of Algorithms 1 and 2, with the paper's names.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoKgOptions {
    /// n: number of clusters of each clustering; `None` for the square-root rule, 15 for 1,500 chunks.
    pub clusters: Option<usize>,
    /// c: number of chunks shown near a cluster's centre, and of others.
    pub c: usize,
    /// l1: maximum number of keywords of a cluster.
    pub l1: usize,
    /// l2: maximum number of words of a keyword.
    pub l2: usize,
    /// m: maximum number of earlier keywords shown, to be avoided.
    pub m: usize,
    /// n1: number of chunks labelled as belonging to a keyword, the nearest by angle.
    pub n1: usize,
    /// n2: number of chunks labelled as foreign to a keyword, the farthest by angle.
    pub n2: usize,
    /// K: number of neighbours of a chunk, itself included.
    pub neighbours: usize,
    /// Kernel that turns angles into weights.
    pub kernel: Kernel,
    /// Laplacian of spectral clustering.
    pub laplacian: LaplacianKind,
    /// Method by which labels spread.
    pub learning: Learning,
    /// Rule that selects the chunks of a keyword.
    pub threshold: Threshold,
    /// Maximum share of all chunks for one keyword; 1 for no cap. It bounds labels that flood the graph.
    pub cap: f32,
    /// Maximum number of chunks in the graph; of a larger corpus, a sample, to which the others are attached.
    pub sample: usize,
    /// Tolerance of the Laplace solver.
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
            threshold: Threshold::MeanPlusTwoSdOfBoth,
            cap: 0.25,
            sample: 50_000,
            tolerance: 1e-5,
            seed: 1,
        }
    }
}

impl AutoKgOptions {
    /// Returns the options that differ from the defaults, by their names on the command line, without the
    /// seed.
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
                ("threshold", o.threshold.to_string()),
                ("cap", o.cap.to_string()),
                ("keyword-sample", o.sample.to_string()),
            ]
        };
        let usual = all(&AutoKgOptions::default());
        all(self)
            .into_iter()
            .zip(usual)
            .filter(|(mine, usual)| mine != usual)
            .map(|((name, value), _)| (name.to_owned(), value))
            .collect()
    }
}
