#![doc = include_str!("../README.md")]

extern crate self as kg;
use pocketgraph_base::{compact, json};
use pocketgraph_bundle as bundle;
use pocketgraph_kernels::vector;
use pocketgraph_text as text;
#[cfg(test)]
extern crate self as pocketgraph_kg;
#[cfg(test)]
#[path = "../../testing/src/films.rs"]
mod films;

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
pub use date::{Date, DateError, EARLIEST, PRESENT, date, read_interval, show_interval, write_interval};
pub use graph::{Direction, Edge, KnowledgeGraph, Provenance, Triple};
pub use ids::{NodeId, RelationId, TripleId, TypeId};
pub use link::{Candidate, Linker, Match, Mention};
pub use literal::{Literal, LiteralKind, Value, is_unit, number, value_of, year_date};
pub use names::key as name_key;
pub use section::{
    LABELS, RELATION_LABELS, SECTIONS, decode_graph, encode_graph, encode_labels, encode_relation_labels,
    is_in, load_graph, load_labels, load_relation_labels,
};
pub use vocabulary::{
    Class, EntityType, INFERRED, Relation, SHARES_PASSAGES, SchemaEdge, Vocabulary, label_of_name,
};
