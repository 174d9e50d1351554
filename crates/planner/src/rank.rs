//! Where chains start, and what their sets are ranked by.

use crate::kg::{Class, Direction, KnowledgeGraph, NodeId, Relation, RelationId, TypeId};
use crate::plan::Extreme;

/// The start of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// At an entity.
    Node(NodeId),
    /// At all entities of a type.
    All(TypeId),
    /// At everything that has a relation.
    Having(Holders),
}

/// Everything that has a relation: who has a salary, what is managed by somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holders {
    /// The relation.
    pub relation: RelationId,
    /// The side at which it stands: at its heads, where the relation leads on from it.
    pub direction: Direction,
    /// Their type, if not all of them are meant.
    pub of: Option<TypeId>,
}

impl Holders {
    /// The classes that they are of.
    pub fn classes(self, graph: &KnowledgeGraph) -> Vec<Class> {
        let near =
            |r: &Relation| r.far_end(self.direction.reversed()).iter().map(|(class, _)| *class).collect();
        match self.of {
            Some(of) => vec![Class::Type(of)],
            None => graph.vocabulary().relation(self.relation).map_or_else(Vec::new, near),
        }
    }
}

/// The measure by which members of a set are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranking {
    /// The value that a relation leads to.
    Value(RelationId),
    /// The number of things to which a relation leads.
    Number(RelationId, Direction),
}

/// A superlative: only the members at one end go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rank {
    /// After so many steps.
    pub at: usize,
    /// By what.
    pub by: Ranking,
    /// The wanted end.
    pub end: Extreme,
}
