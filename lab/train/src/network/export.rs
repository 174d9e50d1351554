//! Rounds trained floats to the engine's layers, int8 or four bits, as `pocketgraph-lab train minilm` does.

use super::parameters::{DenseAt, LayerAt, Layout, norm_of};
use crate::calibrate::{Block, Dense, Moments, Norm, walk_layers};
use crate::rounding::{Bits, ByColumns, by_columns, restore_weights};
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::embed::{MiniLm, Positions};
use pocketgraph::nn::{Encoder, Factors, Layer, Linear};
use pocketgraph_models::minilm::EPSILON;

/// Returns the engine's model of these parameters, without heads. The layers came from `encoder`; its input
/// normalisation and first `max_tokens` positions are the model's. `texts` are sums of word and position
/// vectors, for the rounding. Fails if a number is not finite, or the sizes are not the encoder's.
pub fn rounded_layers(
    layout: &Layout,
    parameters: &[f32],
    encoder: &MiniLm,
    texts: Vec<Vec<f32>>,
    bits: Bits,
    max_tokens: usize,
) -> Result<MiniLm> {
    let sizes = layout.sizes;
    let mut blocks: Vec<Block> = layout.layers.iter().map(|at| export_block(at, parameters)).collect();
    let input_norm = encoder.encoder().input_norm();
    let norm = Norm(input_norm.weight.clone(), input_norm.bias.clone());
    let mut dense: Vec<Linear> = Vec::new();
    let mut each = |_: usize, _: usize, of: &Dense, moments: Moments| {
        let ByColumns { rows, scales, columns } = by_columns(of, moments, bits)?;
        let rounded = (bits == Bits::Four).then(|| restore_weights(&rows, &scales, &columns));
        let rows: Vec<i8> = rows.iter().map(|v| (*v).clamp(-128, 127) as i8).collect();
        let factors = Factors { scales, columns, bias: of.bias.clone() };
        dense.push(Linear::from_rows(of.inputs, of.bias.len(), &rows, factors).into_diagnostic()?);
        Ok(rounded)
    };
    walk_layers(texts, &norm, &mut blocks, sizes.hidden, sizes.heads, &mut each)?;
    let mut dense = dense.into_iter();
    let mut next = || dense.next().ok_or_else(|| miette!("a layer is lacking"));
    let mut layers = Vec::new();
    for at in &layout.layers {
        let (qkv, attended, up, down) = (next()?, next()?, next()?, next()?);
        let (attention_norm, output_norm) =
            (norm_of(&at.attention_norm, parameters), norm_of(&at.output_norm, parameters));
        layers.push(Layer { qkv, attended, attention_norm, up, down, output_norm });
    }
    let (rows, scales) = encoder.positions().parts();
    let n = max_tokens.min(scales.len());
    let positions = Positions::new(sizes.hidden, rows[..n * sizes.hidden].to_vec(), scales[..n].to_vec())
        .into_diagnostic()?;
    let layers =
        Encoder::new(sizes.hidden, sizes.heads, EPSILON, input_norm.clone(), layers).into_diagnostic()?;
    MiniLm::new(layers, positions).into_diagnostic()
}

fn export_block(at: &LayerAt, parameters: &[f32]) -> Block {
    let norm = |at| {
        let norm = norm_of(at, parameters);
        Norm(norm.weight, norm.bias)
    };
    let dense = |at: &DenseAt| Dense {
        weight: parameters[at.weight.clone()].to_vec(),
        bias: parameters[at.bias.clone()].to_vec(),
        inputs: at.inputs,
    };
    Block { dense: at.dense().map(dense), norms: [norm(&at.attention_norm), norm(&at.output_norm)] }
}
