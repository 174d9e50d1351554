//! Dot products with WebAssembly's 128-bit instructions.

use super::rest;
use core::arch::wasm32::{i16x8_load_extend_i8x8, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128};

/// Rows at a time, which share the reading of the query. Where the rows are in the cache four are as fast; where they come from memory, four take half
/// as long again (`docs/performance-and-budgets.md`).
pub(super) const ROWS: usize = 3;

/// `out[i]` = the dot product of `q` with the first numbers of row `i`, for as many rows as there is room for.
#[inline(always)]
pub(super) fn group<const N: usize>(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32; N]) {
    assert!(q.len() <= dim && rows.len() == N * dim);
    let whole = q.len() / 8 * 8;
    let mut sums = [i32x4_splat(0); N];
    for at in (0..whole).step_by(8) {
        // SAFETY: at + 8 <= q.len() <= dim, and `rows` holds N rows of `dim` numbers.
        unsafe {
            let query = i16x8_load_extend_i8x8(q.as_ptr().add(at));
            for (r, s) in sums.iter_mut().enumerate() {
                let row = i16x8_load_extend_i8x8(rows.as_ptr().add(r * dim + at));
                *s = i32x4_add(*s, i32x4_dot_i16x8(row, query));
            }
        }
    }
    for (r, (o, s)) in out.iter_mut().zip(sums).enumerate() {
        *o = total(s).wrapping_add(rest(&rows[r * dim + whole..], &q[whole..]));
    }
}

fn total(v: v128) -> i32 {
    i32x4_extract_lane::<0>(v)
        .wrapping_add(i32x4_extract_lane::<1>(v))
        .wrapping_add(i32x4_extract_lane::<2>(v))
        .wrapping_add(i32x4_extract_lane::<3>(v))
}
