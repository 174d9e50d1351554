//! What relaxed SIMD would bring to the scan of vectors in a browser: the engine's kernel beside one with the
//! relaxed dot product of bytes, one whose sums have 16 bits, one over signs alone, and a loop that only
//! reads the vectors. `benches/relaxed_simd.mjs` compiles this file alone and times it in a Chromium; it is
//! no part of the engine.

#![no_std]
#![crate_type = "cdylib"]

use core::arch::wasm32::*;

const DIM: usize = 384;
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unreachable()
}

fn total(v: v128) -> i32 {
    i32x4_extract_lane::<0>(v) + i32x4_extract_lane::<1>(v) + i32x4_extract_lane::<2>(v) + i32x4_extract_lane::<3>(v)
}

/// For every `ROWS` of `n` rows, `step(sum, row, query)` over runs of `RUN` numbers.
#[inline(always)]
unsafe fn scan<const ROWS: usize, const RUN: usize>(
    rows: *const i8,
    n: usize,
    q: *const i8,
    out: *mut i32,
    step: impl Fn(v128, *const i8, *const i8) -> v128,
) {
    for group in 0..n / ROWS {
        let mut sums = [i32x4_splat(0); ROWS];
        // SAFETY: the caller gives n rows of DIM numbers and as long a query.
        let first = unsafe { rows.add(group * ROWS * DIM) };
        for at in (0..DIM).step_by(RUN) {
            for (r, s) in sums.iter_mut().enumerate() {
                // SAFETY: the same.
                *s = unsafe { step(*s, first.add(r * DIM + at), q.add(at)) };
            }
        }
        for (r, s) in sums.iter().enumerate() {
            // SAFETY: the caller gives room for n results.
            unsafe { *out.add(group * ROWS + r) = total(*s) };
        }
    }
}

/// As the engine scans.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extend(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    // SAFETY: as the caller's.
    unsafe { scan::<3, 8>(rows, n, q, out, |s, row, q| i32x4_add(s, i32x4_dot_i16x8(i16x8_load_extend_i8x8(row), i16x8_load_extend_i8x8(q)))) }
}

/// With the relaxed dot product, for which the query must be of seven bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relaxed(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    // SAFETY: as the caller's.
    unsafe { scan::<3, 16>(rows, n, q, out, |s, row, q| i32x4_relaxed_dot_i8x16_i7x16_add(v128_load(row.cast()), v128_load(q.cast()), s)) }
}

/// The sums of one row: products are added up in 16 bits, six pairs at a time, which holds questions of
/// numbers up to 21, and then in 32. It would rank candidates for exact sums.
#[inline(always)]
unsafe fn coarse(row: *const i8, q: *const i8) -> v128 {
    let one = i16x8_splat(1);
    let mut out = i32x4_splat(0);
    for at in (0..DIM).step_by(96) {
        let mut s = i16x8_splat(0);
        for k in (0..96).step_by(16) {
            // SAFETY: the caller gives a row and a query of DIM numbers.
            let (x, y) = unsafe { (v128_load(row.add(at + k).cast()), v128_load(q.add(at + k).cast())) };
            s = i16x8_add(s, i16x8_relaxed_dot_i8x16_i7x16(x, y));
        }
        out = i32x4_add(out, i32x4_dot_i16x8(s, one));
    }
    out
}

/// Four rows, one after the other, whose sums are folded together: reading goes straight on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sums16(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    for group in 0..n / 4 {
        // SAFETY: the caller gives n rows and room for n results.
        unsafe {
            let first = rows.add(group * 4 * DIM);
            let [a, b, c, d] = [0, 1, 2, 3].map(|r| coarse(first.add(r * DIM), q));
            let ab = i32x4_add(i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
            let cd = i32x4_add(i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
            v128_store(out.add(group * 4).cast(), i32x4_add(i64x2_shuffle::<0, 2>(ab, cd), i64x2_shuffle::<1, 3>(ab, cd)));
        }
    }
}

/// Counts the signs that differ, 48 bytes a row: the cost of sketches of one bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signs(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    const WORDS: usize = DIM / 64;
    let (rows, q) = (rows.cast::<u64>(), q.cast::<u64>());
    for i in 0..n {
        // SAFETY: the caller gives more than n rows of so many words, and as long a query.
        let differ: u32 = (0..WORDS).map(|j| unsafe { (*rows.add(i * WORDS + j) ^ *q.add(j)).count_ones() }).sum();
        // SAFETY: the caller gives room for n results.
        unsafe { *out.add(i) = differ as i32 };
    }
}

/// Reads the rows and does next to nothing; one row at a time is fastest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    // SAFETY: as the caller's.
    unsafe { scan::<1, 16>(rows, n, q, out, |s, row, _| v128_xor(s, v128_load(row.cast()))) }
}
