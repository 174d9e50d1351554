//! petgraph's visit traits over [`Graph`], so that its algorithms read our rows in place. With the cargo
//! feature `petgraph`, for native crates: pages use none of these algorithms.

use super::Graph;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoNeighbors, IntoNodeIdentifiers, NodeCompactIndexable,
    NodeCount, NodeIndexable, VisitMap, Visitable,
};
use std::iter::Zip;
use std::slice::Iter;

/// Edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge<'a> {
    from: u32,
    to: u32,
    weight: &'a f32,
}

impl<'a> EdgeRef for Edge<'a> {
    type NodeId = u32;
    type EdgeId = (u32, u32);
    type Weight = f32;

    fn source(&self) -> u32 {
        self.from
    }

    fn target(&self) -> u32 {
        self.to
    }

    fn weight(&self) -> &'a f32 {
        self.weight
    }

    fn id(&self) -> (u32, u32) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

/// Iterator over the edges at one node.
#[derive(Debug, Clone)]
pub struct EdgesAt<'a> {
    from: u32,
    row: Zip<Iter<'a, u32>, Iter<'a, f32>>,
}

impl<'a> Iterator for EdgesAt<'a> {
    type Item = Edge<'a>;

    fn next(&mut self) -> Option<Edge<'a>> {
        self.row.next().map(|(&to, weight)| Edge { from: self.from, to, weight })
    }
}

/// Iterator over all edges, each once, by its smaller end.
#[derive(Debug, Clone)]
pub struct AllEdges<'a> {
    graph: &'a Graph,
    at: EdgesAt<'a>,
}

impl<'a> Iterator for AllEdges<'a> {
    type Item = Edge<'a>;

    fn next(&mut self) -> Option<Edge<'a>> {
        loop {
            if let Some(edge) = self.at.by_ref().find(|edge| edge.from < edge.to) {
                return Some(edge);
            }
            let next = self.at.from + 1;
            if next as usize >= self.graph.nodes() {
                return None;
            }
            self.at = edges_at(self.graph, next);
        }
    }
}

fn edges_at(graph: &Graph, node: u32) -> EdgesAt<'_> {
    let (neighbours, weights) = if (node as usize) < graph.nodes() { graph.neighbours(node as usize) } else { (&[][..], &[][..]) };
    EdgesAt { from: node, row: neighbours.iter().zip(weights) }
}

/// Set of visited nodes.
#[derive(Debug, Clone, Default)]
pub struct Visited(Vec<bool>);

impl VisitMap<u32> for Visited {
    fn visit(&mut self, node: u32) -> bool {
        self.0.get_mut(node as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    }

    fn is_visited(&self, node: &u32) -> bool {
        self.0.get(*node as usize).copied().unwrap_or(true)
    }

    fn unvisit(&mut self, node: u32) -> bool {
        self.0.get_mut(node as usize).is_some_and(std::mem::take)
    }
}

impl GraphBase for Graph {
    type NodeId = u32;
    type EdgeId = (u32, u32);
}

impl Data for Graph {
    type NodeWeight = ();
    type EdgeWeight = f32;
}

impl GraphProp for Graph {
    type EdgeType = petgraph::Undirected;
}

impl NodeCount for Graph {
    fn node_count(&self) -> usize {
        self.nodes()
    }
}

impl NodeIndexable for Graph {
    fn node_bound(&self) -> usize {
        self.nodes()
    }

    fn to_index(&self, node: u32) -> usize {
        node as usize
    }

    fn from_index(&self, index: usize) -> u32 {
        index as u32
    }
}

impl NodeCompactIndexable for Graph {}

impl Visitable for Graph {
    type Map = Visited;

    fn visit_map(&self) -> Visited {
        Visited(vec![false; self.nodes()])
    }

    fn reset_map(&self, map: &mut Visited) {
        *map = self.visit_map();
    }
}

impl IntoNodeIdentifiers for &Graph {
    type NodeIdentifiers = std::ops::Range<u32>;

    fn node_identifiers(self) -> std::ops::Range<u32> {
        0..self.nodes() as u32
    }
}

impl<'a> IntoNeighbors for &'a Graph {
    type Neighbors = std::iter::Copied<Iter<'a, u32>>;

    fn neighbors(self, node: u32) -> Self::Neighbors {
        let row = if (node as usize) < self.nodes() { self.neighbours(node as usize).0 } else { &[] };
        row.iter().copied()
    }
}

impl<'a> IntoEdgeReferences for &'a Graph {
    type EdgeRef = Edge<'a>;
    type EdgeReferences = AllEdges<'a>;

    fn edge_references(self) -> AllEdges<'a> {
        AllEdges { graph: self, at: edges_at(self, 0) }
    }
}

impl<'a> IntoEdges for &'a Graph {
    type Edges = EdgesAt<'a>;

    fn edges(self, node: u32) -> EdgesAt<'a> {
        edges_at(self, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Edges;
    use petgraph::algo::{connected_components, dijkstra};
    use petgraph::graph::UnGraph;
    use petgraph::visit::Bfs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn petgraph_finds_in_our_rows_what_it_finds_in_a_graph_of_its_own(
            pairs in prop::collection::vec((0u32..20, 0u32..20, 1u32..9), 0..40),
        ) {
            let mut edges = Edges::default();
            pairs.iter().for_each(|&(a, b, w)| edges.add(a, b, w as f32));
            let ours = edges.graph(20);
            let mut theirs = UnGraph::<(), f32>::default();
            let nodes: Vec<_> = (0..20).map(|_| theirs.add_node(())).collect();
            for edge in ours.edge_references() {
                theirs.add_edge(nodes[edge.source() as usize], nodes[edge.target() as usize], *edge.weight());
            }
            prop_assert_eq!(ours.edges(), theirs.edge_count());
            prop_assert_eq!(connected_components(&ours), connected_components(&theirs));
            let far = dijkstra(&ours, 0, None, |e| *e.weight());
            let wanted = dijkstra(&theirs, nodes[0], None, |e| *e.weight());
            prop_assert_eq!(far.len(), wanted.len());
            for (node, way) in &far {
                prop_assert_eq!(Some(way), wanted.get(&nodes[*node as usize]));
            }
            let mut walk = Bfs::new(&ours, 0);
            let mut reached = 0;
            while walk.next(&ours).is_some() {
                reached += 1;
            }
            prop_assert_eq!(reached, far.len());
        }
    }
}
