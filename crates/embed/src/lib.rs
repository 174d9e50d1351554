#![doc = include_str!("../README.md")]

use pocketgraph_base::compact;
use pocketgraph_bundle as bundle;
use pocketgraph_kernels::{nn, vector};
use pocketgraph_text as text;
#[cfg(test)]
extern crate self as pocketgraph_embed;
#[cfg(test)]
#[path = "../../testing/src/models.rs"]
mod models;

mod layers;
mod minilm;
mod question;
mod states;
mod table;
mod unigram;
mod vocabulary;

pub use layers::{LayersDecoder, decode_floats, encode_layers};
pub use minilm::{EmbedError, EmbedScratch, MiniLm, Positions, WordRows};
pub use question::{MULTILINGUAL, QuestionEncoder, QuestionRows, WordPages};
pub use states::ReadText;
pub use table::{TableEncoder, TableIndex, encode_rows};
pub use unigram::{ENDS, Pieces, UNKNOWN, UnigramVocabulary, take_mean};
pub use vocabulary::{Piece, Vocabulary, VocabularyIndex, decode_pieces, encode_pieces};
