//! Transformer inference kernels: int8 weights, exact enough to replace the original (cosine above 0.999).
//!
//! Weights are int8 with a scale per output row. Activations are rounded per token to up to 15 bits, or to 8
//! if four bits represent the weights, so that every product is summed exactly in 32-bit integers. The
//! floating-point rest has one source with a fixed order and without fused multiply-add: **every kernel gives
//! the same bits**, in a browser and at build time.

mod encoder;
mod float;
mod four_bits;
mod kernel;
mod layout;
mod linear;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod relaxed;

pub use encoder::{Encoder, Layer, LayerNorm, MAX_SEQUENCE, Scratch};
pub use float::exp_negative;
pub use four_bits::FourBits;
pub use layout::PANEL;
pub use linear::{Factors, Linear, ShapeError};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use relaxed::Relaxed;

pub use crate::vector::Simd;
