//! Dot products with x86-64's AVX2 and AVX-512 VNNI.

use super::dot_plain;
use core::arch::x86_64::{
    __m128i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32, _mm_storeu_si128,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_madd_epi16, _mm256_setzero_si256, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_dpbusd_epi32,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_set1_epi8, _mm512_setzero_si512,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};
use core::array::from_fn;

/// Number of rows at a time, which share the loads of the query.
const ROWS: usize = 4;

/// Computes [`super::dots`].
///
/// # Safety
/// `q` is at most `dim` long, and `rows` has `out.len()` rows of `dim` numbers.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn dots_avx2(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    let whole = q.len() / 16 * 16;
    let mut i = 0;
    while i < out.len() {
        let n = ROWS.min(out.len() - i);
        let base = rows.as_ptr().wrapping_add(i * dim);
        // If fewer than four are left at the end, the last row is repeated.
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
            out[i + r] = sum.wrapping_add(dot_plain(&rows[(i + r) * dim + whole..], &q[whole..]));
        }
        i += n;
    }
}

/// Computes [`super::dots`]. The instruction multiplies unsigned by signed bytes: rows are read as x + 128,
/// and 128 times the query's sum is subtracted.
///
/// # Safety
/// `q` is at most `dim` long, and `rows` has `out.len()` rows of `dim` numbers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn dots_vnni(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    // SAFETY: as the caller promises; the query has as many pieces.
    unsafe {
        match q.len() / 64 {
            // MiniLM's 384 dimensions: the query stays in registers.
            6 => dots_vnni_of::<6>(rows, dim, q, out),
            _ => dots_vnni_of::<1>(rows, dim, q, out),
        }
    }
}

/// Computes [`dots_vnni`], `PIECES` pieces of 64 numbers at a time.
///
/// # Safety
/// See [`dots_vnni`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn dots_vnni_of<const PIECES: usize>(rows: &[i8], dim: usize, q: &[i8], out: &mut [i32]) {
    let step = 64 * PIECES;
    let whole = q.len() / step * step;
    let excess = q[..whole].iter().fold(0i32, |s, &v| s.wrapping_add(i32::from(v))).wrapping_mul(128);
    let flip = _mm512_set1_epi8(-128);
    // SAFETY: at + 64 * PIECES <= whole <= q.len().
    let query_at = |at: usize| {
        from_fn::<_, PIECES, _>(|p| unsafe {
            _mm512_loadu_si512(q.as_ptr().wrapping_add(at + 64 * p).cast())
        })
    };
    let first = if whole > 0 { query_at(0) } else { [flip; PIECES] };
    let mut i = 0;
    while i < out.len() {
        let n = ROWS.min(out.len() - i);
        let base = rows.as_ptr().wrapping_add(i * dim);
        let mut sums = [_mm512_setzero_si512(); ROWS];
        // Row after row, as in memory: the processor prefetches four parallel streams worse.
        for (r, s) in sums.iter_mut().enumerate().take(n) {
            let row = base.wrapping_add(r * dim);
            let mut at = 0;
            while at < whole {
                let query = if at == 0 { first } else { query_at(at) };
                for (p, query) in query.into_iter().enumerate() {
                    // SAFETY: at + 64 * PIECES <= whole <= dim, and `row` points at a row of `rows`.
                    let piece = unsafe { _mm512_loadu_si512(row.wrapping_add(at + 64 * p).cast()) };
                    *s = _mm512_dpbusd_epi32(*s, _mm512_xor_si512(piece, flip), query);
                }
                at += step;
            }
        }
        let mut totals = [0i32; ROWS];
        // SAFETY: `totals` holds the sixteen bytes.
        unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), totals_vnni(sums)) };
        for (r, sum) in totals.iter().enumerate().take(n) {
            let sum = sum.wrapping_sub(excess);
            out[i + r] = sum.wrapping_add(dot_plain(&rows[(i + r) * dim + whole..], &q[whole..]));
        }
        i += n;
    }
}

/// Returns the totals of four vectors of sixteen numbers at once: singly they would cost as much as products.
#[target_feature(enable = "avx512f")]
fn totals_vnni([a, b, c, d]: [__m512i; ROWS]) -> __m128i {
    let pairs = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (ab, cd) = (pairs(a, b), pairs(c, d));
    let fours = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(fours), _mm512_extracti64x4_epi64::<1>(fours));
    _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}
