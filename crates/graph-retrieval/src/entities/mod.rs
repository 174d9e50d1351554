//! Entities for the graph retrievers: the names that each sentence of the corpus mentions, the names'
//! vectors, and data derived from them.
//!
//! An entity is an entry of the table of names: a document's name, or a phrase with capitals that occurs in
//! two chunks or more, in any letter case. The build finds mentions; the section `mentions` has the
//! sentences' vectors, of which a query loads a part.
//!
//! If a language model read relations in the chunks, entities are those that it named, and its statements
//! replace sentences.

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
