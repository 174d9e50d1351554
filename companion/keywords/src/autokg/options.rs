//! The numbers of AutoKG and their defaults.

use pocketgraph_cluster::LaplacianKind;
use pocketgraph_cluster::laplace::{Kernel, Learning, Threshold};

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
    /// Kernel that turns angles into weights.
    pub kernel: Kernel,
    /// Laplacian of spectral clustering.
    pub laplacian: LaplacianKind,
    /// Learning by which labels spread.
    pub learning: Learning,
    /// Rule for the chunks of a keyword.
    pub threshold: Threshold,
    /// The largest fraction of all chunks that may belong to one keyword; 1 for no cap. Where labels flood the graph, the cap is what is left of them.
    pub cap: f32,
    /// Number of chunks that the graph is drawn of, at most: of a larger corpus a sample, to which the others are attached.
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
                ("threshold", o.threshold.to_string()),
                ("cap", o.cap.to_string()),
                ("keyword-sample", o.sample.to_string()),
            ]
        };
        let usual = all(&AutoKgOptions::default());
        all(self).into_iter().zip(usual).filter(|(mine, usual)| mine != usual).map(|((name, value), _)| (name.to_owned(), value)).collect()
    }
}
