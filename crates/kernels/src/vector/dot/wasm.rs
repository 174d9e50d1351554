//! Dot products with WebAssembly's 128-bit instructions.

use super::dot_plain;
use core::arch::wasm32::{
    i16x8_load_extend_i8x8, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128,
};

/// Number of rows at a time, which share the loads of the query. Four are as fast if the rows are cached, but
/// take half as long again if they come from memory.
pub(super) const ROWS: usize = 3;

/// Sets `out[i]` to the dot product of `q` with the first numbers of row `i`, for each of `out`.
#[inline(always)]
pub(super) fn dot_group<const N: usize>(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32; N]) {
    assert!(q.len() <= dim && rows.len() == N * dim);
    let whole = q.len() / 8 * 8;
    let mut sums = [i32x4_splat(0); N];
    for at in (0..whole).step_by(8) {
        // SAFETY: at + 8 <= q.len() <= dim, and `rows` has N rows of `dim` numbers.
        unsafe {
            let query = i16x8_load_extend_i8x8(q.as_ptr().add(at));
            for (r, s) in sums.iter_mut().enumerate() {
                let row = i16x8_load_extend_i8x8(rows.as_ptr().add(r * dim + at));
                *s = i32x4_add(*s, i32x4_dot_i16x8(row, query));
            }
        }
    }
    for (r, (o, s)) in out.iter_mut().zip(sums).enumerate() {
        *o = add_lanes(s).wrapping_add(dot_plain(&rows[r * dim + whole..], &q[whole..]));
    }
}

fn add_lanes(v: v128) -> i32 {
    i32x4_extract_lane::<0>(v)
        .wrapping_add(i32x4_extract_lane::<1>(v))
        .wrapping_add(i32x4_extract_lane::<2>(v))
        .wrapping_add(i32x4_extract_lane::<3>(v))
}
