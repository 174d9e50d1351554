//! Text to unit vector: WordPiece ids to all-MiniLM-L6-v2's sentence embedding.

mod layers;
pub(crate) mod minilm;
mod question;
mod table;
mod vocabulary;

pub use layers::{LayersDecoder, encode_layers};
pub use minilm::{EmbedError, EmbedScratch, MiniLm, Positions, WordRows};
pub use question::{QuestionEncoder, QuestionRows, WordPages};
pub use table::{TableEncoder, TableIndex, encode_rows};
pub use vocabulary::{Piece, Vocabulary, VocabularyIndex, decode_pieces, encode_pieces};
