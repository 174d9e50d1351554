//! The typed knowledge graph: entities with labels, aliases and types; literals; directed triples with provenance; and linking of
//! mentions to entities.
//!
//! [`KgBuilder`] makes a graph, [`KnowledgeGraph`] answers questions about it, [`encode`] and [`load`] are its sections in a bundle,
//! and a [`Linker`] finds the entities that a text names.

mod ids;
mod date;
mod literal;
mod notation;
mod strings;
mod vocabulary;
mod graph;
mod build;
mod section;
mod edits;
mod names;
mod link;

pub use build::{BuildNode, KgBuilder, KgError};
pub use date::{Date, DateError, date};
pub use graph::{Direction, Edge, KnowledgeGraph, Provenance, Triple};
pub use ids::{NodeId, RelationId, TripleId, TypeId};
pub use link::{Candidate, Linker, Match, Mention};
pub use literal::{Literal, LiteralKind, Value, measure, number, value_of};
pub use names::key as name_key;
pub use section::{
    LABELS, RELATION_LABELS, SECTIONS, decode, encode, encode_labels, encode_relation_labels, is_in, load, load_labels,
    load_relation_labels,
};
pub use vocabulary::{Class, EntityType, Relation, SchemaEdge, Vocabulary, label_of_name};

/// A small graph for tests: two films, their director, an actor, years.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) fn example() -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let rows = [
        ("Heat", "directed_by", "Michael Mann"),
        ("Heat", "starred_actors", "Al Pacino"),
        ("Heat", "starred_actors", "Val Kilmer"),
        ("Ali", "directed_by", "Michael Mann"),
        ("Ali", "starred_actors", "Will Smith"),
        ("Serpico", "starred_actors", "Al Pacino"),
    ];
    let (film, person) = (b.entity_type("film").unwrap(), b.entity_type("person").unwrap());
    for (i, (h, r, t)) in rows.iter().enumerate() {
        let (head, tail) = (b.entity(h).unwrap(), b.entity(t).unwrap());
        let relation = b.relation(r).unwrap();
        b.entity_has_type(head, film).unwrap();
        b.entity_has_type(tail, person).unwrap();
        b.triple(head, relation, tail, Provenance::Line { file: "films.tsv", line: i as u32 + 1 }).unwrap();
    }
    let year = b.relation("release_year").unwrap();
    for (film, y) in [("Heat", "1995"), ("Ali", "2001")] {
        let (film, y) = (b.entity(film).unwrap(), b.literal(y, LiteralKind::Date, "xsd:gYear", "").unwrap());
        b.triple(film, year, y, Provenance::Cited("the poster")).unwrap();
    }
    let mann = b.entity("Michael Mann").unwrap();
    b.alias(mann, "Michael Kenneth Mann").unwrap();
    b.finish().unwrap()
}
