//! Personalised PageRank on undirected weighted graphs (Haveliwala, 2002): the share of time at each node of
//! a walk that goes on with probability alpha and otherwise returns to a reset distribution, as it does from
//! nodes without edges.

use super::Graph;
use std::collections::VecDeque;

/// Options of the computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageRank {
    /// alpha: the probability that the walk goes on.
    pub damping: f64,
    /// Change of the ranks in sum below which iteration ends.
    pub tolerance: f64,
    /// Maximum number of rounds.
    pub rounds: usize,
}

impl Default for PageRank {
    fn default() -> Self {
        PageRank { damping: 0.5, tolerance: 1e-8, rounds: 100 }
    }
}

/// Returns the reset distribution: weights that are not positive and finite count 0, the rest is divided by
/// its sum. `None` if nothing is left.
fn normalise_reset(weights: &[f64], nodes: usize) -> Option<Vec<f64>> {
    let positive = |&w: &f64| if w > 0.0 && w.is_finite() { w } else { 0.0 };
    let mut out: Vec<f64> = weights.iter().take(nodes).map(positive).collect();
    out.resize(nodes, 0.0);
    let sum: f64 = out.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return None;
    }
    out.iter_mut().for_each(|w| *w /= sum);
    Some(out)
}

/// Computes the ranks of all nodes by power iteration, in double precision; they sum to 1. `reset` has a
/// weight for each node. `None` if no weight is positive: the caller must then rank otherwise.
pub fn page_rank(graph: &Graph, reset: &[f64], options: &PageRank) -> Option<Vec<f64>> {
    let n = graph.nodes();
    let reset = normalise_reset(reset, n)?;
    let alpha = options.damping;
    let mut ranks = reset.clone();
    let mut spread = vec![0f64; n];
    for _ in 0..options.rounds {
        let mut lost = 0.0;
        for (i, (s, &x)) in spread.iter_mut().zip(&ranks).enumerate() {
            let degree = graph.degree(i);
            *s = if degree > 0.0 { x / degree } else { 0.0 };
            if degree <= 0.0 {
                lost += x;
            }
        }
        let back = alpha * lost + 1.0 - alpha;
        let mut change = 0.0;
        for (i, rank) in ranks.iter_mut().enumerate() {
            let (neighbours, weights) = graph.neighbours(i);
            let arriving: f64 =
                neighbours.iter().zip(weights).map(|(&j, &w)| f64::from(w) * spread[j as usize]).sum();
            let next = alpha * arriving + back * reset[i];
            change += (next - *rank).abs();
            *rank = next;
        }
        if change < options.tolerance {
            break;
        }
    }
    Some(ranks)
}

/// Computes the ranks near the seeds by forward push (Andersen, Chung and Lang, 2006): pushes residuals while
/// one exceeds `epsilon` times its node's degree, so that only the seeds' surroundings are visited. `seeds`
/// are (node, weight). Returns (node, rank), by node; ranks sum to 1. `None` if no weight is positive.
pub fn push_page_rank(
    graph: &Graph,
    seeds: &[(u32, f64)],
    epsilon: f64,
    options: &PageRank,
) -> Option<Vec<(u32, f64)>> {
    let n = graph.nodes();
    let mut residual = vec![0f64; n];
    for &(node, weight) in seeds.iter().filter(|(node, w)| (*node as usize) < n && *w > 0.0 && w.is_finite())
    {
        residual[node as usize] += weight;
    }
    let sum: f64 = residual.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return None;
    }
    residual.iter_mut().for_each(|r| *r /= sum);
    let mut ranks = vec![0f64; n];
    let mut waiting = vec![false; n];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for i in 0..n {
        if residual[i] > 0.0 {
            waiting[i] = true;
            queue.push_back(i as u32);
        }
    }
    // The return from nodes without edges to the reset distribution is omitted; dividing by the sum makes up
    // for it, because it only multiplies the ranks by a constant.
    let mut pushes = (2.0 / (epsilon.max(1e-12) * (1.0 - options.damping).max(1e-3))) as usize;
    while let Some(node) = queue.pop_front() {
        let i = node as usize;
        waiting[i] = false;
        let r = std::mem::take(&mut residual[i]);
        ranks[i] += (1.0 - options.damping) * r;
        let degree = graph.degree(i);
        let (neighbours, weights) = graph.neighbours(i);
        for (&j, &w) in neighbours.iter().zip(weights) {
            let j = j as usize;
            residual[j] += options.damping * r * f64::from(w) / degree;
            if !waiting[j] && residual[j] > epsilon * graph.degree(j) {
                waiting[j] = true;
                queue.push_back(j as u32);
            }
        }
        pushes = pushes.saturating_sub(1);
        if pushes == 0 {
            break;
        }
    }
    let total: f64 = ranks.iter().sum();
    Some(ranks.iter().enumerate().filter(|(_, r)| **r > 0.0).map(|(i, &r)| (i as u32, r / total)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::needless_range_loop)]
mod tests {
    use super::*;
    use crate::sparse::Edges;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    /// The fixed point: x of (I - alpha (W' D^-1 + r 1'[degree 0])) x = (1 - alpha) r.
    fn solved(n: usize, edges: &[(u32, u32, f32)], reset: &[f64], alpha: f64) -> Vec<f64> {
        let mut w = DMatrix::<f64>::zeros(n, n);
        for &(a, b, x) in edges.iter().filter(|(a, b, _)| a != b) {
            w[(a as usize, b as usize)] += f64::from(x);
            w[(b as usize, a as usize)] += f64::from(x);
        }
        let r = DVector::from_column_slice(reset) / reset.iter().sum::<f64>();
        let degree = w.column_sum();
        let step = DMatrix::from_fn(n, n, |i, j| if degree[j] > 0.0 { w[(j, i)] / degree[j] } else { r[i] });
        let x = (DMatrix::identity(n, n) - step * alpha).lu().solve(&(r * (1.0 - alpha)));
        x.unwrap().as_slice().to_vec()
    }

    fn graph(n: usize, edges: &[(u32, u32, f32)]) -> Graph {
        let mut all = Edges::default();
        edges.iter().for_each(|&(a, b, w)| all.add(a, b, w));
        all.graph(n)
    }

    proptest! {
        #[test]
        fn both_forms_agree_with_a_dense_solve(
            // Few edges on 50 nodes leave some isolated; repeated pairs are parallel edges.
            edges in prop::collection::vec((0u32..50, 0u32..50, 1u32..40), 0..90),
            seeds in prop::collection::vec((0usize..50, 1u32..9), 1..6),
            damping in 0.2f64..0.9,
        ) {
            let edges: Vec<(u32, u32, f32)> =
                edges.into_iter().map(|(a, b, w)| (a, b, w as f32 / 8.0)).collect();
            let mut reset = vec![0f64; 50];
            seeds.iter().for_each(|&(i, w)| reset[i] += f64::from(w));
            let wanted = solved(50, &edges, &reset, damping);
            let g = graph(50, &edges);
            let options = PageRank { damping, tolerance: 1e-12, rounds: 1000 };
            let got = page_rank(&g, &reset, &options).unwrap();
            prop_assert!((got.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for i in 0..50 {
                prop_assert!((got[i] - wanted[i]).abs() < 1e-9, "node {i}: {} {}", got[i], wanted[i]);
            }
            let seeds: Vec<(u32, f64)> = reset.iter().enumerate().map(|(i, &w)| (i as u32, w)).collect();
            let mut pushed = vec![0f64; 50];
            for (i, r) in push_page_rank(&g, &seeds, 1e-9, &options).unwrap() {
                pushed[i as usize] = r;
            }
            for i in 0..50 {
                prop_assert!(
                    (pushed[i] - wanted[i]).abs() < 1e-4,
                    "pushed, node {i}: {} {}",
                    pushed[i],
                    wanted[i]
                );
            }
        }
    }

    #[test]
    fn a_reset_without_mass_has_no_ranks() {
        let g = graph(3, &[(0, 1, 1.0)]);
        for reset in [&[0.0, 0.0, 0.0][..], &[f64::NAN, -1.0, f64::INFINITY], &[]] {
            assert_eq!(page_rank(&g, reset, &PageRank::default()), None);
            let seeds: Vec<(u32, f64)> = reset.iter().enumerate().map(|(i, &w)| (i as u32, w)).collect();
            assert_eq!(push_page_rank(&g, &seeds, 1e-6, &PageRank::default()), None);
        }
        assert_eq!(page_rank(&graph(0, &[]), &[], &PageRank::default()), None);
    }

    #[test]
    fn a_node_alone_keeps_all_its_mass() {
        let g = graph(2, &[]);
        assert_eq!(page_rank(&g, &[1.0, 0.0], &PageRank::default()).unwrap(), [1.0, 0.0]);
        assert_eq!(push_page_rank(&g, &[(0, 3.0)], 1e-6, &PageRank::default()).unwrap(), [(0, 1.0)]);
    }
}
