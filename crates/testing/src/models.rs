//! Small encoders.

use pocketgraph_embed::{MiniLm, Positions};
use pocketgraph_kernels::nn::{Encoder, Factors, Layer, LayerNorm, Linear};
use pocketgraph_kernels::vector::QuantizedMatrix;

/// Numbers without pattern, from a linear congruential generator.
fn noise(seed: u32) -> impl Iterator<Item = i8> {
    let mut state = seed;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((state >> 24) as i8)
    })
}

#[allow(clippy::unwrap_used)]
fn linear(inputs: usize, outputs: usize, seed: u32) -> Linear {
    let rows: Vec<i8> = noise(seed).take(inputs * outputs).collect();
    let bias = noise(seed + 1).take(outputs).map(|b| f32::from(b) * 1e-3).collect();
    let columns = noise(seed + 2).take(inputs).map(|c| 1.0 + f32::from(c) * 5e-3).collect();
    Linear::from_rows(inputs, outputs, &rows, Factors { scales: vec![2e-3; outputs], columns, bias }).unwrap()
}

/// A small model of two layers with odd counts of panels, and the vectors of its words.
#[allow(clippy::unwrap_used)]
pub fn small() -> (MiniLm, QuantizedMatrix) {
    let norm = || LayerNorm {
        weight: noise(5).take(48).map(|w| 1.0 + f32::from(w) * 1e-3).collect(),
        bias: vec![0.01; 48],
    };
    let layer = |s| Layer {
        qkv: linear(48, 144, s),
        attended: linear(48, 48, s + 10),
        attention_norm: norm(),
        up: linear(48, 112, s + 20),
        down: linear(112, 48, s + 30),
        output_norm: norm(),
    };
    let encoder = Encoder::new(48, 3, 1e-12, norm(), vec![layer(100), layer(200)]).unwrap();
    let positions =
        Positions::new(48, noise(9).take(40 * 48).map(i16::from).collect(), vec![1e-3; 40]).unwrap();
    let words = QuantizedMatrix::new(48, noise(11).take(20 * 48).collect(), vec![1e-2; 20]).unwrap();
    (MiniLm::new(encoder, positions).unwrap(), words)
}
