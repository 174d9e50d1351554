//! Following steps on the graph, to see what a candidate plan would find.

use super::chain::{Chain, Rank, Ranking, Start};
use super::rank::Holders;
use super::schema::Step;
use crate::compact::sort_unique;
use crate::kg::{Class, Direction, KnowledgeGraph, NodeId, RelationId, TypeId, Value};
use crate::plan::Extreme;
use std::cmp::Ordering;

/// Sets larger than this are cut: a candidate is only being tried, not answered.
const WIDEST: usize = 20_000;

/// Returns the nodes that a chain finds, ascending; after two steps and more without the node that it starts
/// from.
pub(super) fn follow(graph: &KnowledgeGraph, chain: &Chain) -> Vec<NodeId> {
    let mut set = match chain.start {
        Start::Node(node) => {
            let mut set = vec![node];
            set.extend(&chain.namesakes);
            sort_unique(&mut set);
            set
        }
        Start::All(of) => list_entities(graph, of),
        Start::Having(holders) => list_holders(graph, holders),
    };
    for at in 0..=chain.steps.len() {
        if let Some(of) = chain.negated.filter(|_| at == chain.steps.len()) {
            let mut rest = list_entities(graph, of);
            rest.retain(|node| set.binary_search(node).is_err());
            set = rest;
        }
        for rank in chain.ranks.iter().filter(|r| r.at == at) {
            set = select_ranked(graph, &set, *rank);
        }
        if let Some(step) = chain.steps.get(at) {
            set = advance(graph, &set, *step);
        }
    }
    if chain.steps.len() > 1 {
        set.retain(|node| chain.start != Start::Node(*node));
    }
    set
}

/// All entities of a type, ascending.
pub(super) fn list_entities(graph: &KnowledgeGraph, of: TypeId) -> Vec<NodeId> {
    let nodes = (0..u32::try_from(graph.entities()).unwrap_or(u32::MAX)).map(NodeId);
    nodes.filter(|&n| graph.is_of(n, of)).collect()
}

/// All entities that have a relation, ascending.
pub(super) fn list_holders(graph: &KnowledgeGraph, holders: Holders) -> Vec<NodeId> {
    let nodes = (0..u32::try_from(graph.entities()).unwrap_or(u32::MAX)).map(NodeId);
    let is = |n: NodeId| holders.of.is_none_or(|of| graph.is_of(n, of));
    nodes.filter(|&n| is(n) && graph.follow(n, holders.relation, holders.direction).len() > 0).collect()
}

/// The members at which a relation leads to the largest or smallest value, or to most or fewest things.
pub(super) fn select_extreme(
    graph: &KnowledgeGraph,
    set: &[NodeId],
    relation: RelationId,
    number: bool,
    end: Extreme,
) -> Vec<NodeId> {
    let by = if number { Ranking::Number(relation, Direction::Forward) } else { Ranking::Value(relation) };
    select_ranked(graph, set, Rank { at: 0, by, end })
}

/// The members at one end of an order.
fn select_ranked(graph: &KnowledgeGraph, set: &[NodeId], rank: Rank) -> Vec<NodeId> {
    let wanted = if rank.end == Extreme::Min { Ordering::Less } else { Ordering::Greater };
    let mut best: Option<Value> = None;
    let mut found = Vec::new();
    for &node in set {
        let mut values = Vec::new();
        match rank.by {
            Ranking::Value(relation) => {
                values.extend(
                    graph.follow(node, relation, Direction::Forward).filter_map(|e| value(graph, e.other)),
                );
            }
            Ranking::Number(relation, direction) => {
                let mut others: Vec<NodeId> =
                    graph.follow(node, relation, direction).map(|e| e.other).collect();
                sort_unique(&mut others);
                values.push(Value::number(others.len() as f64));
            }
        }
        for value in values {
            match best.as_ref().map_or(Some(wanted), |b| value.compare(b)) {
                Some(order) if order == wanted => {
                    best = Some(value);
                    found = vec![node];
                }
                Some(Ordering::Equal) => found.push(node),
                _ => {}
            }
        }
    }
    found.dedup();
    found
}

/// The number or date that a node is, or that its label denotes: a graph may keep years as entities.
pub(super) fn value(graph: &KnowledgeGraph, node: NodeId) -> Option<Value> {
    let value = match graph.literal(node) {
        Some(literal) => literal.value(),
        None => crate::kg::value_of(graph.label(node)),
    };
    (!matches!(value, Value::Text(_))).then_some(value)
}

/// Returns the nodes that a step finds from a set, ascending, of the step's class.
pub(super) fn advance(graph: &KnowledgeGraph, set: &[NodeId], step: Step) -> Vec<NodeId> {
    reached(graph, set, step.relation, step.direction, &|node| is_of(graph, node, step.to))
}

/// Returns the nodes for which `fits` holds and to which a relation leads from a set, ascending.
pub(super) fn reached(
    graph: &KnowledgeGraph,
    set: &[NodeId],
    relation: RelationId,
    direction: Direction,
    fits: &dyn Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let mut found = Vec::new();
    for &node in set {
        found.extend(graph.follow(node, relation, direction).map(|e| e.other).filter(|&n| fits(n)));
        if found.len() > WIDEST {
            break;
        }
    }
    sort_unique(&mut found);
    found
}

/// Returns true if a plan's step to a class finds a node. Plans declare only types ([`super::compose`]): a
/// step to things without one finds those of all.
fn is_of(graph: &KnowledgeGraph, node: NodeId, class: Class) -> bool {
    match class {
        Class::Type(of) => graph.is_of(node, of),
        Class::Untyped | Class::Literal(_) => true,
    }
}
