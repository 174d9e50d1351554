//! From token ids to the vectors that the first layer reads.

use super::cpu::normalise;
use pocketgraph::embed::{MiniLm, WordRows};

/// The word and position vectors of a text, summed, a token after the other. Ids without a word vector give
/// nothing.
pub fn sums(model: &MiniLm, words: &dyn WordRows, ids: impl IntoIterator<Item = u32>) -> Vec<f32> {
    let hidden = model.dim();
    let (rows, scales) = model.positions().parts();
    let mut x = Vec::new();
    for ((id, position), scale) in ids.into_iter().zip(rows.chunks_exact(hidden)).zip(scales) {
        let (word, size) = words.row(id).unwrap_or((&[], 0.0));
        x.extend(position.iter().zip(word).map(|(&p, &w)| f32::from(p) * scale + f32::from(w) * size));
    }
    x
}

/// A text's token vectors, normalised as the first layer reads them.
pub fn vectors(model: &MiniLm, words: &dyn WordRows, ids: impl IntoIterator<Item = u32>) -> Vec<f32> {
    let mut x = sums(model, words, ids);
    let norm = model.encoder().input_norm();
    normalise(&mut x, &norm.weight, &norm.bias);
    x
}
