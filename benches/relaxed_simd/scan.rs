//! What relaxed SIMD would bring to the scan of vectors in a browser: the engine's kernel beside one with the relaxed dot product of bytes, and a loop
//! that only reads them. `benches/relaxed_simd.mjs` compiles this file alone and times it in a Chromium; it is no part of the engine.

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

/// Reads the rows and does next to nothing; one row at a time is fastest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(rows: *const i8, n: usize, q: *const i8, out: *mut i32) {
    // SAFETY: as the caller's.
    unsafe { scan::<1, 16>(rows, n, q, out, |s, row, _| v128_xor(s, v128_load(row.cast()))) }
}
