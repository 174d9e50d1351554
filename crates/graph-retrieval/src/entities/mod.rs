//! Entities for the retrievers that walk a graph: which names each sentence of the corpus mentions, the names' vectors, and what follows from them.
//!
//! An entity is an entry of the table of names: a document's name, or a phrase with capitals that stands in two chunks or more, both without regard to
//! case. Mentions were found at build time; the sentences' own vectors are in the section `mentions`, of which a query loads what it needs.
//!
//! Where a language model read the chunks for relations, entities are what it named there, and its statements take the place of sentences.

mod communities;
mod facts;
mod index;
mod relations;
mod section;
mod synonyms;
mod texts;
mod tree;

pub use communities::{Communities, Community, SentencePlace, decode_communities, encode_communities};
pub use facts::{Facts, StatedFact, decode_facts, encode_facts};
pub use index::{EntityIndex, Titles};
pub use relations::{HIGHEST_SCORE, Relations, decode_relations, encode_relations};
pub use section::{decode_entities, encode_entities};
pub use synonyms::{Synonyms, decode_synonyms, encode_synonyms};
pub use texts::{decode_texts, encode_texts};
pub use tree::{Summary, Tree, decode_tree, encode_tree};
