//! A word of a question as the planner sees it.

use crate::kg::{RelationId, TypeId};

/// A word of the question, or an entity in its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Lower case, without accents and possessive.
    pub folded: String,
    /// Index of the entity that is here, if it is one.
    pub entity: Option<usize>,
    /// The relations that it speaks of.
    pub relations: Vec<(RelationId, f32)>,
    /// The types that it names.
    pub types: Vec<TypeId>,
}
