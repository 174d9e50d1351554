//! Following steps on the graph, to see what a candidate plan would find.

use super::schema::Step;
use crate::kg::{Class, KnowledgeGraph, NodeId};

/// Sets larger than this are cut: a candidate is only being tried, not answered.
const WIDEST: usize = 20_000;

/// What a chain of steps finds from a node, ascending; the node itself is left out after two steps and more.
pub(super) fn follow(graph: &KnowledgeGraph, start: NodeId, steps: &[Step]) -> Vec<NodeId> {
    let mut set = vec![start];
    for step in steps {
        set = advance(graph, &set, *step);
        if set.is_empty() {
            return set;
        }
    }
    if steps.len() > 1 {
        set.retain(|node| *node != start);
    }
    set
}

/// What a step finds from a set, ascending, of the step's class.
pub(super) fn advance(graph: &KnowledgeGraph, set: &[NodeId], step: Step) -> Vec<NodeId> {
    let mut found = Vec::new();
    for &node in set {
        for edge in graph.follow(node, step.relation, step.direction) {
            if is_of(graph, edge.other, step.to) {
                found.push(edge.other);
            }
        }
        if found.len() > WIDEST {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_of(graph: &KnowledgeGraph, node: NodeId, class: Class) -> bool {
    match class {
        Class::Type(of) => graph.types(node).binary_search(&of).is_ok(),
        other => graph.classes(node).any(|c| c == other),
    }
}
