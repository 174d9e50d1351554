//! Spectral clustering: k-means on the first eigenvectors of a graph's Laplacian.

use super::eigen::largest_eigenpairs;
use super::kmeans::{KMeansOptions, kmeans_points};
use pocketgraph_base::csr::Csr;
use rayon::prelude::*;

/// Laplacian of a graph with weights W and degrees D.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LaplacianKind {
    /// D - W.
    Combinatorial,
    /// I - D^-1 W (Shi and Malik, 2000).
    RandomWalk,
    /// I - D^-1/2 W D^-1/2, rows of the eigenvectors normalised (Ng, Jordan and Weiss, 2002).
    #[default]
    SymmetricNormalised,
}

/// Largest residual of the eigensolver; smaller ones do not change clusters.
const TOLERANCE: f64 = 1e-4;

/// Returns the cluster of each node of a connected graph with symmetric positive weights: k-means on the rows
/// of the `clusters` + 5 eigenvectors of smallest eigenvalue, whatever the number of threads.
pub fn spectral_clusters(weights: &Csr<f32>, kind: LaplacianKind, options: &KMeansOptions) -> Vec<u32> {
    let points = spectral_embedding(weights, kind, options.clusters + 5, options.seed);
    kmeans_points(&points, options)
}

/// For each node its components in the `count` eigenvectors of smallest eigenvalue.
pub fn spectral_embedding(weights: &Csr<f32>, kind: LaplacianKind, count: usize, seed: u64) -> Vec<Vec<f32>> {
    let n = weights.rows();
    let degree: Vec<f64> = (0..n).map(|i| weights.row(i).1.iter().map(|&w| f64::from(w)).sum()).collect();
    let root: Vec<f64> = degree.iter().map(|&d| if d > 0.0 { d.sqrt().recip() } else { 0.0 }).collect();
    // The smallest eigenvalues of a Laplacian are the largest of 2 max D (combinatorial) or the identity
    // minus it.
    let bound = 2.0 * degree.iter().fold(0.0f64, |m, &d| m.max(d));
    let sum = |i: usize, x: &dyn Fn(usize) -> f64| {
        let (columns, values) = weights.row(i);
        columns.iter().zip(values).map(|(&j, &w)| f64::from(w) * x(j as usize)).sum::<f64>()
    };
    let pairs = largest_eigenpairs(
        n,
        count,
        TOLERANCE * if kind == LaplacianKind::Combinatorial { bound / 2.0 } else { 1.0 },
        60,
        seed,
        |x, y| {
            y.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, y)| {
                *y = match kind {
                    LaplacianKind::Combinatorial => (bound - degree[i]) * x[i] + sum(i, &|j| x[j]),
                    _ => root[i] * sum(i, &|j| root[j] * x[j]),
                };
            });
        },
    );
    (0..n)
        .map(|i| {
            let mut row: Vec<f64> = pairs.vectors.iter().map(|v| v[i]).collect();
            match kind {
                LaplacianKind::Combinatorial => {}
                LaplacianKind::RandomWalk => row.iter_mut().for_each(|x| *x *= root[i]),
                LaplacianKind::SymmetricNormalised => {
                    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                    if norm > 0.0 {
                        row.iter_mut().for_each(|x| *x /= norm);
                    }
                }
            }
            row.into_iter().map(|x| x as f32).collect()
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ALL: [LaplacianKind; 3] =
        [LaplacianKind::Combinatorial, LaplacianKind::RandomWalk, LaplacianKind::SymmetricNormalised];

    /// Rings of ten with chords, joined into a larger ring by weak edges.
    fn rings(count: u32) -> Csr<f32> {
        let n = 10 * count;
        let mut rows = vec![Vec::new(); n as usize];
        let mut add = |i: u32, j: u32, w: f32| {
            rows[i as usize].push((j, w));
            rows[j as usize].push((i, w));
        };
        for ring in 0..count {
            for i in 0..10 {
                for step in 1..=3 {
                    add(10 * ring + i, 10 * ring + (i + step) % 10, 1.0);
                }
            }
            add(10 * ring, (10 * ring + 15) % n, 0.05);
        }
        Csr::from_rows(n as usize, rows)
    }

    fn options(clusters: usize) -> KMeansOptions {
        KMeansOptions { clusters, restarts: 5, rounds: 50, seed: 2 }
    }

    #[test]
    fn communities_are_found_by_every_laplacian() {
        for kind in ALL {
            // The four eigenvectors that tell; the five more that spectral_clusters adds are for graphs that
            // are less clear.
            let found = kmeans_points(&spectral_embedding(&rings(4), kind, 4, 2), &options(4));
            for ring in found.chunks(10) {
                assert!(ring.iter().all(|c| c == &ring[0]), "{kind:?} {found:?}");
            }
            let mut heads: Vec<u32> = found.chunks(10).map(|r| r[0]).collect();
            heads.sort_unstable();
            assert_eq!(heads, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn threads_do_not_change_the_clusters() {
        for kind in ALL {
            let graph = rings(30);
            let with = |n| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(n)
                    .build()
                    .unwrap()
                    .install(|| spectral_clusters(&graph, kind, &options(6)))
            };
            assert_eq!(with(1), with(2));
        }
    }

    #[test]
    fn graphs_of_no_node_and_one_node_are_clustered() {
        for kind in ALL {
            assert!(spectral_clusters(&Csr::from_rows(0, vec![]), kind, &options(3)).is_empty());
            assert_eq!(spectral_clusters(&Csr::from_rows(1, vec![vec![]]), kind, &options(3)), [0]);
        }
    }
}
