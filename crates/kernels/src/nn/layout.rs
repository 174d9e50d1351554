//! The layout of weights that layers, kernels and bundles share.

/// Outputs a panel. Sixteen 32-bit sums fill one AVX-512 register, two of AVX2, four of SSE2 or WebAssembly.
pub const PANEL: usize = 16;

/// Inputs whose weights to one output share a step.
pub(super) const RUN: usize = 64;
