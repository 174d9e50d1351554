//! The tile in plain code: the fallback, and the baseline for the others' speed.

use super::{Kernel, Numbers, Tile};
use crate::nn::PANEL;

/// Kernel in plain code.
pub(in crate::nn) struct Scalar;

impl Kernel for Scalar {
    const ROWS: usize = 8;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(
        x: &[i16],
        stride: usize,
        rows: usize,
        pairs: usize,
        panels: Numbers<'_>,
        _count: usize,
        tile: &mut Tile,
    ) {
        match panels {
            Numbers::Narrow(panel) => tile_of(x, stride, rows, pairs, panel, tile),
            Numbers::Wide(panel) => tile_of(x, stride, rows, pairs, panel, tile),
        }
    }
}

#[inline(always)]
fn tile_of<W: Copy + Into<i32>>(
    x: &[i16],
    stride: usize,
    rows: usize,
    pairs: usize,
    panel: &[W],
    tile: &mut Tile,
) {
    for (r, sums) in tile.iter_mut().enumerate().take(rows) {
        let row = &x[r * stride..r * stride + 2 * pairs];
        *sums = [0; PANEL];
        for (pair, weights) in row.chunks_exact(2).zip(panel.chunks_exact(2 * PANEL)) {
            let (a, b) = (i32::from(pair[0]), i32::from(pair[1]));
            for (s, w) in sums.iter_mut().zip(weights.chunks_exact(2)) {
                *s = s.wrapping_add(a.wrapping_mul(w[0].into())).wrapping_add(b.wrapping_mul(w[1].into()));
            }
        }
    }
}
