//! From a student in floats to the engine's layers, and how near these come to the model.

use crate::network::{Layout, rounded_layers, sums};
use crate::query_table::DistillationTargets;
use crate::rounding::Bits;
use miette::Result;
use pocketgraph::embed::MiniLm;
use pocketgraph_cluster::Random;
use pocketgraph_models::embed_bulk::{MAX_TOKENS, NativeEmbedder, frame_tokens};
use pocketgraph_models::token_table::{TokenTable, dot};
use rayon::prelude::*;

/// Texts whose inputs say what rounding must keep.
const TEXTS: usize = 1000;

/// The engine's layers of these parameters, quantised for texts like those of the targets.
///
/// # Errors
/// When a number is not finite.
pub fn round_model(
    layout: &Layout,
    parameters: &[f32],
    embedder: &NativeEmbedder,
    lessons: &DistillationTargets,
    bits: Bits,
    seed: u64,
) -> Result<MiniLm> {
    let chosen = Random::new(seed, 31).sample(lessons.tokens.len(), TEXTS.min(lessons.tokens.len()));
    let texts = chosen
        .iter()
        .map(|&i| sums(embedder.model(), embedder.words(), frame_tokens(&lessons.tokens[i])))
        .collect();
    rounded_layers(layout, parameters, embedder.model(), texts, bits, MAX_TOKENS)
}

/// Returns the mean cosine to the targets of the engine's vectors with these layers and perhaps a token
/// table.
pub fn cosine_of(
    model: &MiniLm,
    added: Option<&TokenTable>,
    embedder: &NativeEmbedder,
    lessons: &DistillationTargets,
) -> f64 {
    let of = |(i, content): (usize, &Vec<u32>)| {
        let ids: Vec<u32> = frame_tokens(content).collect();
        let Ok(mut v) = model.embed(&ids, embedder.words()) else { return 0.0 };
        added.iter().for_each(|table| table.add_to(&mut v, content));
        f64::from(dot(&v, &lessons.targets.row_f32(i)))
    };
    let cosines: Vec<f64> = lessons.tokens.par_iter().enumerate().map(|(i, t)| of((i, t))).collect();
    cosines.iter().sum::<f64>() / cosines.len().max(1) as f64
}
