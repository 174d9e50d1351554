//! The model's vectors of many texts, by the engine's kernels or on whatever computes the network.

use super::sizes;
use crate::network::{Batch, Layout, Network, vectors};
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector};
use pocketgraph_models::embed_bulk::{NativeEmbedder, frame_tokens};
use pocketgraph_models::minilm::LAYERS;
use rayon::prelude::*;

/// Texts that the engine embeds between two reports of progress.
const AT_ONCE: usize = 8192;
/// Most tokens of a batch on a network, padding included, and most of its texts.
const BATCH_TOKENS: usize = 1 << 15;
const BATCH_TEXTS: usize = 4096;

/// Cuts texts into content tokens, at most `most` of each. Texts without one give an empty list.
pub fn cut_tokens(embedder: &NativeEmbedder, texts: &[String], most: usize) -> Vec<Vec<u32>> {
    let cut = |text: &String| {
        let mut ids = embedder.tokenizer().content(text);
        ids.truncate(most);
        ids
    };
    texts.par_iter().map(cut).collect()
}

/// Source of the model's vectors.
pub enum Teacher {
    /// The engine's kernels, in int8.
    Engine,
    /// All layers as floats, on this network of [`Teacher::layout`].
    Network(Box<dyn Network>),
}

impl Teacher {
    /// The layout of the whole model.
    pub fn layout() -> Layout {
        Layout::new(sizes(LAYERS))
    }

    /// Returns the unit vectors of texts given as content tokens, in order; `progress` gets the number done.
    pub fn vectors(
        &mut self,
        embedder: &NativeEmbedder,
        texts: &[Vec<u32>],
        progress: &(dyn Fn(usize) + Sync),
    ) -> QuantizedMatrix {
        let mut out = QuantizedMatrix::empty(embedder.dim());
        match self {
            Teacher::Engine => {
                for (chunk, part) in texts.chunks(AT_ONCE).enumerate() {
                    embedder.embed_tokens(part).iter().for_each(|v| out.push(&QuantizedVector::from_f32(v)));
                    progress((chunk * AT_ONCE + part.len()).min(texts.len()));
                }
            }
            Teacher::Network(network) => {
                let parameters = Teacher::layout().from_layers(embedder.model().encoder().layers());
                let mut order: Vec<usize> = (0..texts.len()).collect();
                order.sort_by_key(|&i| (texts[i].len(), i));
                let mut found: Vec<Option<QuantizedVector>> = vec![None; texts.len()];
                let mut rest = order.as_slice();
                while let Some(longest) =
                    rest.get(BATCH_TEXTS.min(rest.len()).wrapping_sub(1)).map(|&i| texts[i].len() + 2)
                {
                    let count =
                        (BATCH_TOKENS / longest.next_multiple_of(8)).clamp(1, BATCH_TEXTS.min(rest.len()));
                    let (now, after) = rest.split_at(count);
                    rest = after;
                    let of =
                        |&i: &usize| vectors(embedder.model(), embedder.words(), frame_tokens(&texts[i]));
                    let x = now.par_iter().map(of).collect::<Vec<_>>().concat();
                    let batch = Batch { x, lengths: now.iter().map(|&i| texts[i].len() + 2).collect() };
                    let means = network.scores(&parameters, &batch).first;
                    let unit = |mean: &[f32]| {
                        let length = mean.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-12);
                        QuantizedVector::from_f32(&mean.iter().map(|v| v / length).collect::<Vec<_>>())
                    };
                    let units: Vec<QuantizedVector> =
                        means.par_chunks_exact(embedder.dim()).map(unit).collect();
                    now.iter().zip(units).for_each(|(&i, unit)| found[i] = Some(unit));
                    progress(texts.len() - rest.len());
                }
                found.iter().flatten().for_each(|v| out.push(v));
            }
        }
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::network::Cpu;

    #[test]
    fn the_network_of_all_layers_gives_the_vectors_of_the_engine() {
        let embedder = NativeEmbedder::new().unwrap();
        let texts = [
            "what is a borrow checker",
            "Rome",
            "the capital of the country whose king was born in a village by the sea",
            "7",
        ];
        let texts = cut_tokens(&embedder, &texts.map(str::to_owned), 64);
        let native = Teacher::Engine.vectors(&embedder, &texts, &|_| {});
        let floats =
            Teacher::Network(Box::new(Cpu::new(Teacher::layout()))).vectors(&embedder, &texts, &|_| {});
        assert_eq!((native.rows(), floats.rows()), (4, 4));
        for i in 0..4 {
            let cosine: f32 = native.row_f32(i).iter().zip(floats.row_f32(i)).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.998, "{i}: {cosine}");
        }
    }
}
