//! What the graph allows: steps, and which step may follow which.

use super::weights;
use crate::compact::{Map, sort_unique};
use crate::kg::{
    Class, Direction, EntityType, KnowledgeGraph, LiteralKind, NodeId, RelationId, TypeId, Vocabulary,
};
use crate::text::fold;

/// A directed step to a class of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Step {
    /// The relation.
    pub relation: RelationId,
    /// Along it or against it.
    pub direction: Direction,
    /// The class to which the step leads.
    pub to: Class,
}

impl Step {
    /// Returns true if the step takes back the one before it.
    pub fn returns(self, before: Step) -> bool {
        self.relation == before.relation && self.direction == before.direction.reversed()
    }
}

/// Beyond so many directed relations, which relations meet at nodes is not counted: the table would be too
/// large for a page.
const SLOTS: usize = 1200;
/// At so many nodes the relations that meet are counted.
const SAMPLED: usize = 50_000;

/// Steps by the class that they start from, and which relations meet at nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Schema {
    from: Map<Class, Vec<Step>>,
    /// The types of years and dates: what a graph may keep as things.
    times: Vec<TypeId>,
    slots: usize,
    /// For each pair of directed relations: whether a node is reached by the first and left by the second.
    /// Empty if it was not counted.
    meets: Vec<bool>,
}

fn slot(relation: RelationId, direction: Direction) -> usize {
    relation.index() * 2 + usize::from(direction == Direction::Backward)
}

impl Schema {
    /// The schema of a graph.
    pub fn new(graph: &KnowledgeGraph) -> Schema {
        let mut from: Map<Class, Vec<Step>> = Map::new();
        let mut largest: Map<RelationId, u32> = Map::new();
        for edge in graph.vocabulary().schema() {
            let most = largest.get_or_insert_with(edge.relation, || 0);
            *most = edge.triples.max(*most);
        }
        for edge in graph.vocabulary().schema() {
            let all = graph.vocabulary().relation(edge.relation).map_or(0, |r| r.triples) as f32;
            // One node can be a year and a film, "1984": what it joins as a film is no part of what the
            // relation is for.
            let ruled = largest.get(&edge.relation).is_some_and(|most| *most as f32 >= weights::rule() * all);
            if ruled && (edge.triples as f32) < weights::accident() * all {
                continue;
            }
            let forward = Step { relation: edge.relation, direction: Direction::Forward, to: edge.tail };
            let backward = Step { relation: edge.relation, direction: Direction::Backward, to: edge.head };
            from.get_or_insert_with(edge.head, Vec::new).push(forward);
            from.get_or_insert_with(edge.tail, Vec::new).push(backward);
        }
        let sorted = |(class, mut steps): (Class, Vec<Step>)| {
            sort_unique(&mut steps);
            (class, steps)
        };
        let from = from.into_iter().map(sorted).collect();
        let slots = graph.vocabulary().relations().len() * 2;
        let meets = if slots <= SLOTS { find_meeting_slots(graph, slots) } else { Vec::new() };
        let times = times(graph.vocabulary());
        Schema { from, times, slots, meets }
    }

    /// The steps that start at a class of nodes, ascending.
    pub fn from(&self, class: Class) -> &[Step] {
        self.from.get(&class).map_or(&[], Vec::as_slice)
    }

    /// All steps, by the class that they start from.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.from.values().flatten()
    }

    /// The types that any step starts from, ascending.
    pub fn types(&self) -> impl Iterator<Item = TypeId> {
        self.from.keys().filter_map(|class| if let Class::Type(of) = class { Some(*of) } else { None })
    }

    /// The classes of nodes that a relation leads from in a direction, ascending.
    pub fn holders(&self, relation: RelationId, direction: Direction) -> Vec<Class> {
        let leads = |steps: &[Step]| steps.iter().any(|s| (s.relation, s.direction) == (relation, direction));
        self.from.iter().filter(|(_, steps)| leads(steps)).map(|(class, _)| *class).collect()
    }

    /// Returns true if the first step reaches a node from which the next one leads on.
    pub fn meet(&self, step: Step, next: Step) -> bool {
        let arrived = slot(step.relation, step.direction);
        self.meets.get(arrived * self.slots + slot(next.relation, next.direction)) != Some(&false)
    }

    /// Returns true if things of a class are numbers or dates.
    pub fn is_value(&self, class: Class) -> bool {
        is_value(class, &self.times)
    }

    /// Returns the number of directed relations.
    pub fn directed_relations(&self) -> usize {
        self.slots
    }
}

/// The types that are called years or dates.
pub(super) fn times(vocabulary: &Vocabulary) -> Vec<TypeId> {
    let called = |of: &EntityType| matches!(fold(&of.label).as_str(), "year" | "date");
    (0..).map(TypeId).zip(vocabulary.types()).filter(|(_, of)| called(of)).map(|(id, _)| id).collect()
}

/// Returns true if things of a class are numbers or dates, given the types `times` of dates.
pub(super) fn is_value(class: Class, times: &[TypeId]) -> bool {
    match class {
        Class::Literal(kind) => matches!(kind, LiteralKind::Number | LiteralKind::Date),
        Class::Type(of) => times.contains(&of),
        Class::Untyped => false,
    }
}

fn find_meeting_slots(graph: &KnowledgeGraph, slots: usize) -> Vec<bool> {
    let mut meets = vec![false; slots * slots];
    let stride = graph.nodes().div_ceil(SAMPLED).max(1);
    for node in (0..graph.nodes()).step_by(stride) {
        let node = NodeId(u32::try_from(node).unwrap_or(u32::MAX));
        let mut leaving = Vec::new();
        for direction in [Direction::Forward, Direction::Backward] {
            leaving.extend(
                graph.relations_at(node, direction).into_iter().map(|(relation, _)| (relation, direction)),
            );
        }
        for &(relation, direction) in &leaving {
            let arriving = slot(relation, direction.reversed());
            for &(next, along) in &leaving {
                meets[arriving * slots + slot(next, along)] = true;
            }
        }
    }
    meets
}
