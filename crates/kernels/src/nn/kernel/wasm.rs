//! The tile with WebAssembly's 128-bit instructions: `i32x4.dot_i16x8` multiplies and adds eight pairs.

use super::kernel_of_four_rows;
use crate::nn::PANEL;
use core::arch::wasm32::{
    i16x8_load_extend_i8x8, i32x4_add, i32x4_dot_i16x8, i32x4_splat, v128, v128_load, v128_load32_splat,
    v128_store,
};

/// Kernel with WebAssembly's fixed-width SIMD. With two vectors of outputs, the sums of four rows, weights
/// and broadcasts fit the sixteen registers of an x86 machine.
pub(in crate::nn) struct Simd128;

kernel_of_four_rows!(Simd128);

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
    let number = if NARROW { 1 } else { 2 };
    // Eight outputs at a time: two vectors.
    for half in 0..2 {
        let mut sums = [[i32x4_splat(0); 2]; R];
        let mut x = x;
        let mut w = w.wrapping_add(half * 16 * number);
        // SAFETY: as the function's; the pointers move over `pairs` pairs.
        unsafe {
            // Two pairs a turn halve the address computations.
            for _ in 0..pairs / 2 {
                add_pairs::<R, 2, NARROW>(x, stride, w, &mut sums);
                x = x.wrapping_add(4);
                w = w.wrapping_add(4 * PANEL * number);
            }
            if pairs % 2 == 1 {
                add_pairs::<R, 1, NARROW>(x, stride, w, &mut sums);
            }
        }
        for (r, s) in sums.iter().enumerate() {
            // SAFETY: as the function's; eight numbers from `half * 8` are inside a row of sixteen.
            unsafe {
                let out = tile.add(r).cast::<i32>().add(half * 8).cast::<v128>();
                v128_store(out, s[0]);
                v128_store(out.add(1), s[1]);
            }
        }
    }
}

/// Adds the products of `U` pairs of `R` rows and eight outputs.
///
/// # Safety
/// `x` has `R` rows of `2 * U` numbers `stride` apart, `w` `U` pairs of eight outputs, [`PANEL`] apart.
#[inline(always)]
unsafe fn add_pairs<const R: usize, const U: usize, const NARROW: bool>(
    x: *const i16,
    stride: usize,
    w: *const u8,
    sums: &mut [[v128; 2]; R],
) {
    let mut weights = [[i32x4_splat(0); 2]; U];
    for (u, weights) in weights.iter_mut().enumerate() {
        // SAFETY: as the function's.
        *weights = unsafe {
            if NARROW {
                let at = w.wrapping_add(u * 2 * PANEL).cast::<i8>();
                [i16x8_load_extend_i8x8(at), i16x8_load_extend_i8x8(at.wrapping_add(8))]
            } else {
                let at = w.wrapping_add(u * 4 * PANEL).cast::<v128>();
                [v128_load(at), v128_load(at.wrapping_add(1))]
            }
        };
    }
    let mut row = x;
    for s in sums.iter_mut() {
        for (u, weights) in weights.iter().enumerate() {
            // SAFETY: as the function's.
            let pair = unsafe { v128_load32_splat(row.wrapping_add(2 * u).cast()) };
            s[0] = i32x4_add(s[0], i32x4_dot_i16x8(pair, weights[0]));
            s[1] = i32x4_add(s[1], i32x4_dot_i16x8(pair, weights[1]));
        }
        row = row.wrapping_add(stride);
    }
}
