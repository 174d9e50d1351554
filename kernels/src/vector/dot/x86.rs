//! Dot products with x86-64's AVX2 and AVX-512 VNNI.

use super::rest;
use core::arch::x86_64::{
    _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_setzero_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32,
    _mm512_set1_epi8, _mm512_setzero_si512, _mm512_xor_si512,
};

/// Rows at a time, which share the reading of the query.
const ROWS: usize = 4;

/// See [`super::dots`].
///
/// # Safety
/// `q` is at most `dim` long, and `rows` holds `out.len()` rows of `dim` numbers.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn dots_avx2(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    let whole = q.len() / 16 * 16;
    let mut i = 0;
    while i < out.len() {
        let n = ROWS.min(out.len() - i);
        let base = rows.as_ptr().wrapping_add(i * dim);
        // Fewer than four are left at the end: the last row stands in for those that are not there.
        let row = [0, 1.min(n - 1), 2.min(n - 1), 3.min(n - 1)].map(|r| base.wrapping_add(r * dim));
        let mut sums = [_mm256_setzero_si256(); ROWS];
        let mut at = 0;
        while at < whole {
            // SAFETY: at + 16 <= q.len() <= dim, and `row` points at rows of `rows`.
            unsafe {
                let query = _mm256_cvtepi8_epi16(_mm_loadu_si128(q.as_ptr().wrapping_add(at).cast()));
                for (s, row) in sums.iter_mut().zip(row) {
                    let row = _mm256_cvtepi8_epi16(_mm_loadu_si128(row.wrapping_add(at).cast()));
                    *s = _mm256_add_epi32(*s, _mm256_madd_epi16(row, query));
                }
            }
            at += 16;
        }
        for (r, s) in sums.iter().enumerate().take(n) {
            let half = _mm_add_epi32(_mm256_castsi256_si128(*s), _mm256_extracti128_si256::<1>(*s));
            let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
            let sum = _mm_cvtsi128_si32(_mm_add_epi32(quarter, _mm_shuffle_epi32::<0b10_11_00_01>(quarter)));
            out[i + r] = sum.wrapping_add(rest(&rows[(i + r) * dim + whole..], &q[whole..]));
        }
        i += n;
    }
}

/// See [`super::dots`]. The instruction multiplies unsigned by signed bytes: rows are read as x + 128, and 128 times the query's sum is taken off.
///
/// # Safety
/// `q` is at most `dim` long, and `rows` holds `out.len()` rows of `dim` numbers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn dots_vnni(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    let whole = q.len() / 64 * 64;
    let excess = q[..whole].iter().fold(0i32, |s, &v| s.wrapping_add(i32::from(v))).wrapping_mul(128);
    let flip = _mm512_set1_epi8(-128);
    let mut i = 0;
    while i < out.len() {
        let n = ROWS.min(out.len() - i);
        let base = rows.as_ptr().wrapping_add(i * dim);
        let row = [0, 1.min(n - 1), 2.min(n - 1), 3.min(n - 1)].map(|r| base.wrapping_add(r * dim));
        let mut sums = [_mm512_setzero_si512(); ROWS];
        let mut at = 0;
        while at < whole {
            // SAFETY: at + 64 <= q.len() <= dim, and `row` points at rows of `rows`.
            unsafe {
                let query = _mm512_loadu_si512(q.as_ptr().wrapping_add(at).cast());
                for (s, row) in sums.iter_mut().zip(row) {
                    let row = _mm512_xor_si512(_mm512_loadu_si512(row.wrapping_add(at).cast()), flip);
                    *s = _mm512_dpbusd_epi32(*s, row, query);
                }
            }
            at += 64;
        }
        for (r, s) in sums.iter().enumerate().take(n) {
            let sum = _mm512_reduce_add_epi32(*s).wrapping_sub(excess);
            out[i + r] = sum.wrapping_add(rest(&rows[(i + r) * dim + whole..], &q[whole..]));
        }
        i += n;
    }
}
