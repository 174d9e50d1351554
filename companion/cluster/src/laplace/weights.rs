//! The chunk graph G^t: weights from angles to the nearest neighbours.

use super::components::join_components;
use super::neighbours::Neighbour;
use crate::Panels;
use pocketgraph_base::csr::Csr;

/// Kernel that turns an angle into a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kernel {
    /// AutoKG's exp(-angle^2 / sqrt(tau_i tau_j)), where tau is the angle to the K-th neighbour.
    #[default]
    Paper,
    /// The graphlearning library's exp(-4 angle^2 / tau_i^2).
    Gaussian,
}

/// Minimum tau, in radians. Rows with K identical neighbours have tau 0, with everything else infinitely far
/// away; single precision has no smaller angles anyway.
const MIN_TAU: f64 = 1e-3;

/// Minimum weight of an edge. No ordinary neighbour is near it (tau at most pi gives at least exp(-pi) or
/// exp(-4)). It keeps edges that the kernel would round to nothing, so that the graph stays connected.
const MIN_WEIGHT: f64 = 1e-6;

/// The chunk graph, and what was needed to connect it.
#[derive(Debug, Clone)]
pub struct ChunkGraph {
    /// W^t: N x N, symmetric, positive, no diagonal.
    pub weights: Csr<f32>,
    /// Number of components that the neighbour graph had before they were joined by their closest pairs.
    pub components: usize,
}

/// Returns W^t = (Wbar + Wbar^T) / 2, connected, from the lists of [`super::nearest_neighbours`].
///
/// The diagonal is left out: the Laplacian D - W does not feel it.
pub fn chunk_graph(rows: &Panels, neighbours: &[Vec<Neighbour>], kernel: Kernel) -> ChunkGraph {
    let n = neighbours.len();
    let tau: Vec<f64> =
        neighbours.iter().map(|list| list.last().map_or(0.0, |x| x.angle).max(MIN_TAU)).collect();
    let weight = |i: usize, j: usize, angle: f64| {
        let scaled = match kernel {
            Kernel::Paper => angle * angle / (tau[i] * tau[j]).sqrt(),
            Kernel::Gaussian => 4.0 * angle * angle / (tau[i] * tau[i]),
        };
        (-scaled).exp().max(MIN_WEIGHT)
    };
    let (extra, components) = join_components(rows, neighbours);
    let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    let mut add = |i: usize, j: usize, value: f64| {
        entries[i].push((j as u32, value / 2.0));
        entries[j].push((i as u32, value / 2.0));
    };
    for (i, list) in neighbours.iter().enumerate() {
        for x in list.iter().filter(|x| x.row as usize != i) {
            add(i, x.row as usize, weight(i, x.row as usize, x.angle));
        }
    }
    for (i, j, angle) in extra {
        let (i, j) = (i as usize, j as usize);
        add(i, j, weight(i, j, angle));
        add(j, i, weight(j, i, angle));
    }
    let rows = entries
        .into_iter()
        .map(|mut row| {
            // Mutual neighbours occur twice; their halves add up, in the order of insertion.
            row.sort_by_key(|x| x.0);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            row.into_iter().map(|(j, w)| (j, w as f32)).collect()
        })
        .collect();
    ChunkGraph { weights: Csr::from_rows(n, rows), components }
}

#[cfg(test)]
mod tests {
    use super::super::neighbours::{angle, nearest_neighbours};
    use super::*;

    fn unit(theta: f32) -> Vec<f32> {
        vec![theta.cos(), theta.sin()]
    }

    fn graph_of(vectors: &[Vec<f32>], k: usize, kernel: Kernel) -> ChunkGraph {
        let rows = Panels::pack(2, vectors.iter().map(Vec::as_slice));
        chunk_graph(&rows, &nearest_neighbours(&rows, k), kernel)
    }

    #[test]
    fn weights_follow_the_formula() {
        // Three points on a circle at 0, 0.1 and 0.3; K = 2: each knows itself and its nearest.
        let v = [unit(0.0), unit(0.1), unit(0.3)];
        let g = graph_of(&v, 2, Kernel::Paper);
        let (a01, a12) = (angle(&v[0], &v[1]), angle(&v[1], &v[2]));
        // tau: 0.1, 0.1, 0.2. 0 and 1 know each other; 2 knows 1 but not the other way round, which halves
        // the weight.
        let near = (-a01 * a01 / a01).exp();
        let far = (-a12 * a12 / (a01 * a12).sqrt()).exp() / 2.0;
        assert!((f64::from(g.weights.get(0, 1).unwrap_or(0.0)) - near).abs() < 1e-6);
        assert!((f64::from(g.weights.get(2, 1).unwrap_or(0.0)) - far).abs() < 1e-6);
        assert_eq!((g.weights.get(0, 2), g.weights.get(1, 1), g.components), (None, None, 1));
        let g = graph_of(&v, 2, Kernel::Gaussian);
        assert!((f64::from(g.weights.get(0, 1).unwrap_or(0.0)) - (-4.0f64).exp()).abs() < 1e-6);
    }

    #[test]
    fn the_graph_is_symmetric_and_connected_across_a_gap() {
        let v: Vec<Vec<f32>> = [0.0, 0.01, 0.02, 1.5, 1.51, 1.52].map(unit).to_vec();
        let g = graph_of(&v, 3, Kernel::Paper);
        assert_eq!(g.components, 2);
        assert!(g.weights.get(2, 3).is_some_and(|w| w > 0.0), "the closest pair joins the halves");
        for i in 0..6 {
            let (columns, values) = g.weights.row(i);
            for (&j, &w) in columns.iter().zip(values) {
                assert_eq!(g.weights.get(j as usize, i as u32), Some(w));
            }
        }
    }

    #[test]
    fn identical_vectors_give_numbers() {
        let mut v = vec![unit(0.3); 20];
        v.push(unit(1.0));
        let g = graph_of(&v, 4, Kernel::Paper);
        let all: Vec<f32> = (0..21).flat_map(|i| g.weights.row(i).1.to_vec()).collect();
        assert!(all.iter().all(|w| w.is_finite() && *w > 0.0 && *w <= 1.0));
        assert!(!g.weights.row(20).0.is_empty());
    }
}
