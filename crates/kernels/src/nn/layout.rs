//! Layout of weights in layers, kernels and bundles.

/// Number of outputs of a panel. Sixteen 32-bit sums fill one AVX-512 register, two of AVX2, four of SSE2.
pub const PANEL: usize = 16;

/// Number of inputs whose weights to one output share a step.
pub(super) const RUN: usize = 64;
