//! Names: what documents are called, and where a text mentions them.
//!
//! In an encyclopaedia, a glossary or an API reference a document is about the thing that its title names. A
//! question that names it asks for that document; a document that names another one leads to it. Nothing here
//! needs a model or a tagger: names are titles and what follows from them, and a mention is the longest run
//! of words that is a name.

mod mentions;
mod name_word;
mod section;
mod spans;
mod table;
mod title;

pub use mentions::{ChunkMentions, MENTION_CHUNKS_PER_PAGE, decode_mentions, encode_mentions};
pub use name_word::{NAME_LIKE_WORDS, NameWord, is_caseless, name_words};
pub use section::{
    ChunkDocuments, NOT_HOPPED, decode_links, documents_by_chunks, encode_links, name_of_term,
    numbered_by_chunks, order_by_chunks, term_of_name,
};
pub use spans::capital_spans;
pub use table::{
    Mention, NameEntry, NameLookup, NameTable, find_inside, in_question, mentions, most_rare, scan_words,
};
pub use title::{is_name_like, lead_name, names_of_title, opens_with_title};
