//! Dot products with ARM's NEON, which every 64-bit ARM processor has.

use super::dot_plain;
use core::arch::aarch64::{
    vaddvq_s32, vdupq_n_s32, vget_low_s8, vld1q_s8, vmull_high_s8, vmull_s8, vpadalq_s16,
};

/// Number of rows at a time, which share the loads of the query.
pub(super) const ROWS: usize = 4;

/// Sets `out[i]` to the dot product of `q` with the first numbers of row `i`, for each of `out`.
#[inline(always)]
pub(super) fn dot_group<const N: usize>(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32; N]) {
    assert!(q.len() <= dim && rows.len() == N * dim);
    let whole = q.len() / 16 * 16;
    // SAFETY: NEON is part of this target; `at + 16` is at most q.len() <= dim; `rows` has N rows of `dim`.
    unsafe {
        let mut sums = [vdupq_n_s32(0); N];
        for at in (0..whole).step_by(16) {
            let query = vld1q_s8(q.as_ptr().add(at));
            for (r, s) in sums.iter_mut().enumerate() {
                let row = vld1q_s8(rows.as_ptr().add(r * dim + at));
                // The largest product, 128 * 128, fits 16 bits; two of them are added up in 32.
                *s = vpadalq_s16(*s, vmull_s8(vget_low_s8(row), vget_low_s8(query)));
                *s = vpadalq_s16(*s, vmull_high_s8(row, query));
            }
        }
        for (r, (o, s)) in out.iter_mut().zip(sums).enumerate() {
            *o = vaddvq_s32(s).wrapping_add(dot_plain(&rows[r * dim + whole..], &q[whole..]));
        }
    }
}
