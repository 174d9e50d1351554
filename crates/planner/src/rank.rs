//! Where chains start, and what their sets are ranked by.

use crate::kg::{Direction, NodeId, RelationId, TypeId};
use crate::plan::Extreme;

/// Where a chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// At an entity.
    Node(NodeId),
    /// At all entities of a type.
    All(TypeId),
}

/// What members of a set are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranking {
    /// The value that a relation leads to.
    Value(RelationId),
    /// How many things a relation leads to.
    Number(RelationId, Direction),
}

/// A superlative: only the members at one end go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rank {
    /// After so many steps.
    pub at: usize,
    /// By what.
    pub by: Ranking,
    /// Which end.
    pub end: Extreme,
}
