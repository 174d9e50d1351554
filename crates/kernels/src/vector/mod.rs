//! Quantised vectors: int8 matrices with a scale per row, dot products, and the best k of many scores.

mod dot;
mod matrix;
mod simd;
mod topk;

pub use dot::{dot_f32, dot_i8};
pub use matrix::{MatrixError, QuantizedMatrix, QuantizedVector};
pub(crate) use simd::Set;
pub use simd::Simd;
pub use topk::{Scored, top_k};
