//! The sizes of all-MiniLM-L6-v2.

/// Tokens of the vocabulary.
pub const WORDS: usize = 30_522;
/// Positions.
pub const POSITIONS: usize = 512;
/// Numbers in a vector.
pub const HIDDEN: usize = 384;
/// Numbers between the two halves of a feed-forward part.
pub const INTERMEDIATE: usize = 1536;
/// Attention heads.
pub const HEADS: usize = 12;
/// Layers.
pub const LAYERS: usize = 6;
/// Under the root of every normalisation.
pub const EPSILON: f32 = 1e-12;
