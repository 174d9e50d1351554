//! The inner loop of inference, a tile of 32-bit sums, for each instruction set.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use scalar::Scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use wasm::Simd128;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512Vnni};

use super::PANEL;
use super::float::gelu;
use std::ops::Range;

/// Makes `$kernel` a kernel of up to four rows and one panel, by its file's `rows_of::<ROWS, NARROW>`.
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
macro_rules! kernel_of_four_rows {
    ($kernel:ident) => {
        impl super::Kernel for $kernel {
            const ROWS: usize = 4;
            const PANELS: usize = 1;

            #[inline(always)]
            fn tile(
                x: &[i16],
                stride: usize,
                rows: usize,
                pairs: usize,
                panels: super::Numbers<'_>,
                count: usize,
                tile: &mut super::Tile,
            ) {
                let (w, narrow) = super::check_bounds(x, stride, rows, pairs, panels, count);
                let (x, t) = (x.as_ptr(), tile.as_mut_ptr());
                // SAFETY: `check` keeps the reads of `rows` rows and of one panel, and the writes of `rows`
                // rows, inside their slices.
                unsafe {
                    match (rows, narrow) {
                        (1, true) => rows_of::<1, true>(x, stride, pairs, w, t),
                        (2, true) => rows_of::<2, true>(x, stride, pairs, w, t),
                        (3, true) => rows_of::<3, true>(x, stride, pairs, w, t),
                        (_, true) => rows_of::<4, true>(x, stride, pairs, w, t),
                        (1, false) => rows_of::<1, false>(x, stride, pairs, w, t),
                        (2, false) => rows_of::<2, false>(x, stride, pairs, w, t),
                        (3, false) => rows_of::<3, false>(x, stride, pairs, w, t),
                        (_, false) => rows_of::<4, false>(x, stride, pairs, w, t),
                    }
                }
            }
        }
    };
}
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use kernel_of_four_rows;

/// Maximum number of rows in a tile, over all kernels and their panels.
pub(super) const TILE_ROWS: usize = 24;

/// Sums of one tile: row r of panel c of n rows is `tile[c * n + r]`.
pub(super) type Tile = [[i32; PANEL]; TILE_ROWS];

/// Numbers of panels: weights in a byte each, or keys and values of attention in 16 bits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numbers<'a> {
    Narrow(&'a [i8]),
    Wide(&'a [i16]),
}

impl<'a> Numbers<'a> {
    #[inline(always)]
    pub(super) fn part(self, range: Range<usize>) -> Numbers<'a> {
        match self {
            Numbers::Narrow(n) => Numbers::Narrow(&n[range]),
            Numbers::Wide(n) => Numbers::Wide(&n[range]),
        }
    }

    /// Returns their number, their address, and true if they are bytes. Plain code does not use it.
    #[inline(always)]
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
        allow(dead_code)
    )]
    fn raw_parts(self) -> (usize, *const u8, bool) {
        match self {
            Numbers::Narrow(n) => (n.len(), n.as_ptr().cast(), true),
            Numbers::Wide(n) => (n.len(), n.as_ptr().cast(), false),
        }
    }
}

/// Computes a tile of the product of quantised rows and panels.
pub(super) trait Kernel {
    /// Maximum number of rows of a tile.
    const ROWS: usize;
    /// Maximum number of panels of a tile.
    const PANELS: usize;

    /// Computes `tile[c * rows + r][o] = sum over i < 2 * pairs of x[r * stride + i] * panels[c][o][i]`,
    /// wrapping. `rows` is 1..=ROWS, `count` 1..=PANELS; `panels` has `count` panels of `pairs` pairs. Panics
    /// if `x` is too short, as indexing does.
    fn tile(
        x: &[i16],
        stride: usize,
        rows: usize,
        pairs: usize,
        panels: Numbers<'_>,
        count: usize,
        tile: &mut Tile,
    );
}

/// Checks that raw reads of vector kernels stay inside `x` and `panels`, and writes inside a tile. Returns
/// the address of the panels, and true if they are bytes.
#[inline(always)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code)
)]
fn check_bounds(
    x: &[i16],
    stride: usize,
    rows: usize,
    pairs: usize,
    panels: Numbers<'_>,
    count: usize,
) -> (*const u8, bool) {
    let (len, at, narrow) = panels.raw_parts();
    assert!(
        rows > 0
            && rows * count <= TILE_ROWS
            && (rows - 1) * stride + 2 * pairs <= x.len()
            && len == count * pairs * 2 * PANEL
    );
    (at, narrow)
}

/// Last operation on a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// Stores the scaled sum plus bias.
    Store,
    /// Stores it after GELU.
    Gelu,
    /// Adds it to the stored number.
    Add,
}

impl Finish {
    /// Finishes rows of sums, `stride` numbers apart in `out`. Not inlined in WebAssembly: kernels share it.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(super) fn write_rows(
        self,
        sums: &[[i32; PANEL]],
        x_scales: &[f32],
        scales: &[f32],
        bias: &[f32],
        out: &mut [f32],
        stride: usize,
    ) {
        for ((sums, &scale), out) in sums.iter().zip(x_scales).zip(out.chunks_mut(stride)) {
            self.write_row(sums, scale, scales, bias, &mut out[..PANEL]);
        }
    }

    #[inline(always)]
    fn write_row(self, sums: &[i32; PANEL], scale: f32, scales: &[f32], bias: &[f32], out: &mut [f32]) {
        let (scales, bias, out) = (&scales[..PANEL], &bias[..PANEL], &mut out[..PANEL]);
        let mut values = [0.0f32; PANEL];
        for j in 0..PANEL {
            values[j] = sums[j] as f32 * (scale * scales[j]) + bias[j];
        }
        match self {
            Finish::Store => out.copy_from_slice(&values),
            Finish::Gelu => {
                for j in 0..PANEL {
                    out[j] = gelu(values[j]);
                }
            }
            Finish::Add => {
                for j in 0..PANEL {
                    out[j] += values[j];
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::linear::panel_index;
    use super::*;
    use crate::vector::{Set, Simd};
    use proptest::prelude::*;

    /// The definition: row-major weights, three loops.
    fn naive(x: &[i16], rows: usize, inputs: usize, w: &[i32], outputs: usize) -> Vec<i32> {
        let mut out = vec![0i32; rows * outputs];
        for r in 0..rows {
            for o in 0..outputs {
                for i in 0..inputs {
                    out[r * outputs + o] = out[r * outputs + o]
                        .wrapping_add(i32::from(x[r * inputs + i]).wrapping_mul(w[o * inputs + i]));
                }
            }
        }
        out
    }

    fn check_kernel<K: Kernel>(x: &[i16], rows: usize, inputs: usize, w: &[i16], narrow: bool) {
        for count in 1..=K::PANELS {
            let outputs = count * PANEL;
            let w = &w[..outputs * inputs];
            let mut panels = vec![0i16; w.len()];
            for (i, &v) in w.iter().enumerate() {
                panels[panel_index(inputs, i / inputs, i % inputs)] = v;
            }
            let bytes: Vec<i8> = panels.iter().map(|&v| v as i8).collect();
            let numbers = if narrow { Numbers::Narrow(&bytes) } else { Numbers::Wide(&panels) };
            let wide: Vec<i32> = w.iter().map(|&v| i32::from(v)).collect();
            for rows in 1..=rows.min(K::ROWS) {
                let expected = naive(x, rows, inputs, &wide, outputs);
                let mut tile: Tile = [[-1; PANEL]; TILE_ROWS];
                K::tile(x, inputs, rows, inputs / 2, numbers, count, &mut tile);
                for r in 0..rows {
                    for o in 0..outputs {
                        assert_eq!(
                            tile[(o / PANEL) * rows + r][o % PANEL],
                            expected[r * outputs + o],
                            "row {r} output {o}"
                        );
                    }
                }
            }
        }
    }

    fn check_all(x: &[i16], rows: usize, inputs: usize, w: &[i16], narrow: bool) {
        for simd in Simd::available() {
            match simd.0 {
                #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
                Set::Scalar => check_kernel::<Scalar>(x, rows, inputs, w, narrow),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Set::Simd128 => check_kernel::<Simd128>(x, rows, inputs, w, narrow),
                #[cfg(target_arch = "aarch64")]
                Set::Neon => check_kernel::<Neon>(x, rows, inputs, w, narrow),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => check_kernel::<Avx2>(x, rows, inputs, w, narrow),
                #[cfg(target_arch = "x86_64")]
                Set::Avx512Vnni => check_kernel::<Avx512Vnni>(x, rows, inputs, w, narrow),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn every_kernel_equals_the_naive_loops(
            pairs in 1usize..9,
            x in prop::collection::vec(any::<i16>(), 12 * 16),
            w in prop::collection::vec(any::<i8>(), 32 * 16),
        ) {
            let narrow: Vec<i16> = w.iter().map(|&v| i16::from(v)).collect();
            check_all(&x, 12, pairs * 2, &narrow, true);
            let wide: Vec<i16> = narrow.iter().map(|v| v * 200).collect();
            check_all(&x, 12, pairs * 2, &wide, false);
        }
    }

    #[test]
    fn extreme_activations_and_weights_do_not_overflow_at_the_limit() {
        for inputs in [384usize, 1536] {
            let limit = (i32::MAX as usize / (128 * inputs)).min(32767) as i16;
            let x = vec![-limit; inputs];
            let w = vec![i16::from(i8::MIN); 32 * inputs];
            check_all(&x, 1, inputs, &w, true);
            assert!(i64::from(limit) * 128 * inputs as i64 <= i64::from(i32::MAX));
        }
    }
}
