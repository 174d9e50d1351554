//! The tile in plain code: the fallback, and what the others are compared with in speed.

use super::{Kernel, Tile, Weight};
use crate::nn::PANEL;

/// Plain code.
pub(in crate::nn) struct Scalar;

impl Kernel for Scalar {
    const ROWS: usize = 8;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile<W: Weight>(x: &[i16], stride: usize, rows: usize, pairs: usize, panels: &[W], _count: usize, tile: &mut Tile) {
        for (r, sums) in tile.iter_mut().enumerate().take(rows) {
            let row = &x[r * stride..r * stride + 2 * pairs];
            *sums = [0; PANEL];
            for (pair, weights) in row.chunks_exact(2).zip(panels.chunks_exact(2 * PANEL)) {
                let (a, b) = (i32::from(pair[0]), i32::from(pair[1]));
                for (s, w) in sums.iter_mut().zip(weights.chunks_exact(2)) {
                    *s = s.wrapping_add(a.wrapping_mul(w[0].widen())).wrapping_add(b.wrapping_mul(w[1].widen()));
                }
            }
        }
    }
}
