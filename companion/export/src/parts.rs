//! Connected parts of a graph.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::UnGraph;

/// Returns the parts between which no edge leads, each with the numbers of its nodes, the largest first.
pub fn connected_parts(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<usize>> {
    let mut graph = UnGraph::<(), ()>::with_capacity(nodes, 0);
    (0..nodes).for_each(|_| _ = graph.add_node(()));
    graph.extend_with_edges(edges);
    let nodes_of = |part: Vec<_>| -> Vec<usize> {
        let mut nodes: Vec<usize> = part.into_iter().map(petgraph::graph::NodeIndex::index).collect();
        nodes.sort_unstable();
        nodes
    };
    let mut parts: Vec<Vec<usize>> = kosaraju_scc(&graph).into_iter().map(nodes_of).collect();
    parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), part.first().copied()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_edges_join_in_either_direction() {
        let edges = [(4, 1), (1, 2), (0, 3)];
        assert_eq!(connected_parts(6, edges.into_iter()), [vec![1, 2, 4], vec![0, 3], vec![5]]);
        assert!(connected_parts(0, std::iter::empty()).is_empty());
    }
}
