//! Undirected weighted graphs over compressed rows.

use super::Csr;

/// Undirected weighted graph: node `i`'s neighbours are row `i`; every edge is stored at both of its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    weights: Csr<f32>,
    degrees: Vec<f64>,
}

/// Edges of a future [`Graph`], in any order. Parallel edges add their weights. Loops, and weights that are
/// not positive and finite, are dropped.
#[derive(Debug, Clone, Default)]
pub struct Edges {
    all: Vec<(u32, u32, f32)>,
}

impl Edges {
    /// Adds an edge between `a` and `b`.
    pub fn add(&mut self, a: u32, b: u32, weight: f32) {
        if a != b && weight > 0.0 && weight.is_finite() {
            self.all.push((a, b, weight));
        }
    }

    /// Makes the graph of `nodes` nodes; drops edges with an end beyond them.
    pub fn graph(mut self, nodes: usize) -> Graph {
        self.all.retain(|&(a, b, _)| (a.max(b) as usize) < nodes);
        // Two counting sorts, by neighbour, then by node, leave every row ascending without a comparison.
        let mut starts = vec![0u32; nodes + 1];
        for &(a, b, _) in &self.all {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for i in 0..nodes {
            starts[i + 1] += starts[i];
        }
        let directed = self.all.len() * 2;
        let mut by_neighbour = vec![(0u32, 0u32, 0f32); directed];
        let mut next = starts.clone();
        for &(a, b, w) in &self.all {
            for (node, neighbour) in [(a, b), (b, a)] {
                by_neighbour[next[neighbour as usize] as usize] = (node, neighbour, w);
                next[neighbour as usize] += 1;
            }
        }
        drop(self.all);
        let mut rows = vec![(0u32, 0f32); directed];
        next.copy_from_slice(&starts);
        for &(node, neighbour, w) in &by_neighbour {
            rows[next[node as usize] as usize] = (neighbour, w);
            next[node as usize] += 1;
        }
        let (mut offsets, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::<f32>::new());
        for i in 0..nodes {
            let from = columns.len();
            for &(neighbour, w) in &rows[starts[i] as usize..starts[i + 1] as usize] {
                if columns.len() > from && columns.last() == Some(&neighbour) {
                    if let Some(last) = values.last_mut() {
                        *last += w;
                    }
                } else {
                    columns.push(neighbour);
                    values.push(w);
                }
            }
            offsets.push(columns.len() as u32);
        }
        let degrees = offsets
            .windows(2)
            .map(|o| values[o[0] as usize..o[1] as usize].iter().map(|&w| f64::from(w)).sum())
            .collect();
        // The arrays are a matrix by construction; the fallback is an empty one.
        let weights = Csr::new(nodes, offsets, columns, values)
            .unwrap_or_else(|_| Csr::from_rows(nodes, vec![Vec::new(); nodes]));
        Graph { weights, degrees }
    }
}

impl Graph {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.weights.rows()
    }

    /// Number of edges, parallel ones counted once.
    pub fn edges(&self) -> usize {
        self.weights.stored() / 2
    }

    /// Returns the neighbours of a node, ascending, and the weights of the edges to them.
    pub fn neighbours(&self, node: usize) -> (&[u32], &[f32]) {
        self.weights.row(node)
    }

    /// Sum of the weights of a node's edges; 0 if there is no such node.
    pub fn degree(&self, node: usize) -> f64 {
        self.degrees.get(node).copied().unwrap_or(0.0)
    }

    /// Weight of the edge between two nodes; 0 if there is none.
    pub fn weight(&self, a: usize, b: u32) -> f32 {
        self.weights.get(a, b).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parallel_edges_add_up_at_both_ends(
            edges in prop::collection::vec((0u32..7, 0u32..7, 1u32..5), 0..30),
        ) {
            let mut all = Edges::default();
            let mut dense = [[0u32; 6]; 6];
            for &(a, b, w) in &edges {
                all.add(a, b, w as f32);
                if a != b && a < 6 && b < 6 {
                    dense[a as usize][b as usize] += w;
                    dense[b as usize][a as usize] += w;
                }
            }
            let graph = all.graph(6);
            for (a, row) in dense.iter().enumerate() {
                for (b, &w) in row.iter().enumerate() {
                    prop_assert_eq!(graph.weight(a, b as u32), w as f32);
                }
                prop_assert_eq!(graph.degree(a), f64::from(row.iter().sum::<u32>()));
                prop_assert!(graph.neighbours(a).0.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }

    #[test]
    fn loops_and_weights_that_are_none_are_passed_over() {
        let mut all = Edges::default();
        for (a, b, w) in [(0, 0, 1.0), (0, 1, f32::NAN), (0, 1, -1.0), (0, 1, 0.0), (0, 9, 1.0)] {
            all.add(a, b, w);
        }
        let graph = all.graph(2);
        assert_eq!((graph.edges(), graph.degree(0), graph.nodes()), (0, 0.0, 2));
    }
}
