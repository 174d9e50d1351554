//! The tile with ARM's NEON, which every 64-bit ARM processor has: an input times four outputs at a time.

use super::kernel_of_four_rows;
use crate::nn::PANEL;
use core::arch::aarch64::{
    int16x4_t, int16x8_t, int32x4_t, vdupq_n_s32, vget_low_s8, vget_low_s16, vld1_dup_s32, vld2q_s8,
    vld2q_s16, vmlal_high_lane_s16, vmlal_lane_s16, vmovl_high_s8, vmovl_s8, vreinterpret_s16_s32, vst1q_s32,
};

/// Kernel with NEON. The sums of four rows fill sixteen of the thirty-two registers.
pub(in crate::nn) struct Neon;

kernel_of_four_rows!(Neon);

/// # Safety
/// `x` has `R` rows of `2 * pairs` numbers `stride` apart, `w` one panel of `pairs` pairs (bytes if `NARROW`,
/// else 16-bit), `tile` R rows.
#[inline(never)]
unsafe fn rows_of<const R: usize, const NARROW: bool>(
    x: *const i16,
    stride: usize,
    pairs: usize,
    w: *const u8,
    tile: *mut [i32; PANEL],
) {
    // SAFETY: NEON is part of this target; the rest as the function's.
    unsafe {
        let mut sums = [[vdupq_n_s32(0); 4]; R];
        for p in 0..pairs {
            let [first, second] = load_weights::<NARROW>(w, p);
            let mut row = x.wrapping_add(p.wrapping_mul(2));
            for s in &mut sums {
                let pair = vreinterpret_s16_s32(vld1_dup_s32(row.cast()));
                add_product::<0>(s, first, pair);
                add_product::<1>(s, second, pair);
                row = row.wrapping_add(stride);
            }
        }
        for (r, s) in sums.iter().enumerate() {
            for (i, &s) in s.iter().enumerate() {
                vst1q_s32(tile.wrapping_add(r).cast::<i32>().wrapping_add(4 * i), s);
            }
        }
    }
}

/// Loads the weights of the first and of the second input of pair `p`, for sixteen outputs.
///
/// # Safety
/// `w` has a panel of more than `p` pairs, of bytes if `NARROW`.
#[inline(always)]
unsafe fn load_weights<const NARROW: bool>(w: *const u8, p: usize) -> [[int16x8_t; 2]; 2] {
    // SAFETY: as the function's.
    unsafe {
        if NARROW {
            let both = vld2q_s8(w.wrapping_add(p.wrapping_mul(2 * PANEL)).cast());
            [both.0, both.1].map(|v| [vmovl_s8(vget_low_s8(v)), vmovl_high_s8(v)])
        } else {
            let at = w.wrapping_add(p.wrapping_mul(4 * PANEL)).cast::<i16>();
            let (low, high) = (vld2q_s16(at), vld2q_s16(at.wrapping_add(PANEL)));
            [[low.0, high.0], [low.1, high.1]]
        }
    }
}

/// Adds input `LANE` of `pair` times its weights.
///
/// # Safety
/// None is needed but NEON, which this target has.
#[inline(always)]
unsafe fn add_product<const LANE: i32>(s: &mut [int32x4_t; 4], weights: [int16x8_t; 2], pair: int16x4_t) {
    // SAFETY: as the function's.
    unsafe {
        for (i, w) in weights.into_iter().enumerate() {
            s[2 * i] = vmlal_lane_s16::<LANE>(s[2 * i], vget_low_s16(w), pair);
            s[2 * i + 1] = vmlal_high_lane_s16::<LANE>(s[2 * i + 1], w, pair);
        }
    }
}
