//! The functions that the engine calls.

use crate::arrange::{ARRANGED, PACKED, PANEL, RUN, arrange, prepare};
use core::arch::wasm32::{
    i16x8_add, i16x8_extend_low_u8x16, i16x8_relaxed_dot_i8x16_i7x16, i16x8_shuffle, i16x8_splat, i32x4_add,
    i32x4_dot_i16x8, i32x4_splat, u8x16_splat, u16x8_shr, v128, v128_and, v128_load, v128_load32_splat,
    v128_load64_zero, v128_store,
};

/// Rows at a time: with two vectors of outputs, the sums, weights and broadcasts fit the sixteen registers of
/// an x86 machine.
const ROWS: usize = 4;

/// Arranges `runs` runs of panels, [`PACKED`] bytes each at `packed`, as [`multiply`] takes them,
/// [`ARRANGED`] bytes each at `out`.
///
/// # Safety
/// So many bytes lie there, and may be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arrange_panels(packed: *const [u8; PACKED], runs: usize, out: *mut [u8; ARRANGED]) {
    for run in 0..runs {
        // SAFETY: as the function's.
        unsafe { arrange(&*packed.wrapping_add(run), &mut *out.wrapping_add(run)) };
    }
}

/// `sums[p][r][o]` = the product of row r with the weights of output o of panel p, for `rows` rows of `64 *
/// runs` integers from -127 to 127 and `panels` arranged panels.
///
/// # Safety
/// All that lies in the memory at these addresses; at `bytes` there is room for a byte for each number of the
/// rows, at `corrections` for a word for each 64 of them, and at `sums` for `panels * rows` rows of 16
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multiply(
    x: *const [i16; RUN],
    rows: usize,
    runs: usize,
    weights: *const [u8; ARRANGED],
    panels: usize,
    bytes: *mut [i8; RUN],
    corrections: *mut u32,
    sums: *mut [i32; PANEL],
) {
    for run in 0..rows.wrapping_mul(runs) {
        // SAFETY: as the function's.
        unsafe {
            *corrections.wrapping_add(run) = prepare(&*x.wrapping_add(run), &mut *bytes.wrapping_add(run))
        };
    }
    let mut sums = sums;
    for panel in 0..panels {
        let weights = weights.wrapping_add(panel.wrapping_mul(runs));
        let mut row = 0;
        while row < rows {
            // Even shares: five rows are three and two, not four and one.
            let left = rows.wrapping_sub(row);
            let n = left.div_ceil(left.div_ceil(ROWS));
            let at = row.wrapping_mul(runs);
            let (x, c) = (bytes.wrapping_add(at), corrections.wrapping_add(at));
            // SAFETY: as the function's, for `n` of the rows and one panel.
            unsafe {
                match n {
                    1 => some::<1>(x, c, weights, runs, sums),
                    2 => some::<2>(x, c, weights, runs, sums),
                    3 => some::<3>(x, c, weights, runs, sums),
                    _ => some::<ROWS>(x, c, weights, runs, sums),
                }
            }
            (row, sums) = (row.wrapping_add(n), sums.wrapping_add(n));
        }
    }
}

/// The same for `R` rows of bytes with their corrections, and one panel.
///
/// # Safety
/// As [`multiply`]'s.
#[inline(never)]
unsafe fn some<const R: usize>(
    x: *const [i8; RUN],
    corrections: *const u32,
    weights: *const [u8; ARRANGED],
    runs: usize,
    sums: *mut [i32; PANEL],
) {
    let stride = runs.wrapping_mul(RUN);
    // Eight outputs at a time: two vectors.
    for half in 0..2 {
        let mut totals = [[i32x4_splat(0); 2]; R];
        for run in 0..runs {
            let steps = weights.wrapping_add(run).cast::<u8>();
            let mut levels = steps.wrapping_add(PANEL + half * RUN * PANEL / 4);
            let mut x = x.wrapping_add(run).cast::<i8>();
            let mut lanes = [[i16x8_splat(0); 2]; R];
            // SAFETY: as the function's; all addresses lie in the rows, the panel and the corrections.
            unsafe {
                let mut c = corrections.wrapping_add(run);
                for lanes in &mut lanes {
                    *lanes = [v128_load32_splat(c); 2];
                    c = c.wrapping_add(runs);
                }
                // Eight inputs a turn halve the addresses to work out.
                for _ in 0..RUN / 8 {
                    eight_inputs::<R>(x, stride, levels, &mut lanes);
                    x = x.wrapping_add(8);
                    levels = levels.wrapping_add(2 * PANEL);
                }
                let steps = i16x8_extend_low_u8x16(v128_load64_zero(steps.wrapping_add(half * 8).cast()));
                let steps = [
                    i16x8_shuffle::<0, 0, 1, 1, 2, 2, 3, 3>(steps, steps),
                    i16x8_shuffle::<4, 4, 5, 5, 6, 6, 7, 7>(steps, steps),
                ];
                for (total, lanes) in totals.iter_mut().zip(&lanes) {
                    total[0] = i32x4_add(total[0], i32x4_dot_i16x8(lanes[0], steps[0]));
                    total[1] = i32x4_add(total[1], i32x4_dot_i16x8(lanes[1], steps[1]));
                }
            }
        }
        for (r, total) in totals.iter().enumerate() {
            let out = sums.wrapping_add(r).cast::<i32>().wrapping_add(half * 8).cast::<v128>();
            // SAFETY: as the function's; eight numbers from `half * 8` lie inside a row of sixteen.
            unsafe {
                v128_store(out, total[0]);
                v128_store(out.wrapping_add(1), total[1]);
            }
        }
    }
}

/// Adds the products of eight inputs of `R` rows with their levels for eight outputs.
///
/// # Safety
/// `x` holds `R` rows of eight bytes `stride` apart, `levels` 32 bytes.
#[inline(always)]
unsafe fn eight_inputs<const R: usize>(
    x: *const i8,
    stride: usize,
    levels: *const u8,
    lanes: &mut [[v128; 2]; R],
) {
    let low = u8x16_splat(15);
    for u in 0..2 {
        // SAFETY: as the function's.
        let both = unsafe { v128_load(levels.wrapping_add(u * PANEL).cast()) };
        let levels = [v128_and(both, low), v128_and(u16x8_shr(both, 4), low)];
        let mut row = x.wrapping_add(4 * u);
        for lanes in lanes.iter_mut() {
            // SAFETY: as the function's.
            let inputs = unsafe { v128_load32_splat(row.cast()) };
            lanes[0] = i16x8_add(lanes[0], i16x8_relaxed_dot_i8x16_i7x16(inputs, levels[0]));
            lanes[1] = i16x8_add(lanes[1], i16x8_relaxed_dot_i8x16_i7x16(inputs, levels[1]));
            row = row.wrapping_add(stride);
        }
    }
}
