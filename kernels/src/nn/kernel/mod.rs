//! The one inner loop of inference, a tile of 32-bit sums, for each instruction set.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use scalar::Scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use wasm::Simd128;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512Vnni};

use super::PANEL;
use super::float::gelu;

/// Most rows in a tile, over all kernels and their panels.
pub(super) const TILE_ROWS: usize = 24;

/// Sums of one tile: row r of panel c of n rows is `tile[c * n + r]`.
pub(super) type Tile = [[i32; PANEL]; TILE_ROWS];

/// A right-hand side's number type.
pub(super) trait Weight: Copy {
    /// Whether it is one byte wide. Plain code need not know.
    #[cfg_attr(not(any(target_arch = "x86_64", target_feature = "simd128")), allow(dead_code))]
    const NARROW: bool;
    #[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
    fn widen(self) -> i32;
}

impl Weight for i8 {
    const NARROW: bool = true;
    fn widen(self) -> i32 {
        i32::from(self)
    }
}

impl Weight for i16 {
    const NARROW: bool = false;
    fn widen(self) -> i32 {
        i32::from(self)
    }
}

/// A tile of the product of quantised rows and panels.
pub(super) trait Kernel {
    /// Most rows a tile.
    const ROWS: usize;
    /// Most panels a tile.
    const PANELS: usize;

    /// `tile[c * rows + r][o] = sum over i < 2 * pairs of x[r * stride + i] * panels[c][o][i]`, wrapping. `rows` is 1..=ROWS, `count` 1..=PANELS;
    /// `panels` holds `count` panels of `pairs` pairs. Panics where `x` is too short, as indexing does.
    fn tile<W: Weight>(x: &[i16], stride: usize, rows: usize, pairs: usize, panels: &[W], count: usize, tile: &mut Tile);
}

/// What tells vector kernels that their raw reads stay inside `x` and `panels`, and their writes inside a tile.
#[inline(always)]
#[cfg_attr(not(any(target_arch = "x86_64", target_feature = "simd128")), allow(dead_code))]
fn check<W>(x: &[i16], stride: usize, rows: usize, pairs: usize, panels: &[W], count: usize) {
    assert!(
        rows > 0 && rows * count <= TILE_ROWS && (rows - 1) * stride + 2 * pairs <= x.len() && panels.len() == count * pairs * 2 * PANEL
    );
}

/// What becomes of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// Scaled, plus bias: written.
    Store,
    /// The same through GELU.
    Gelu,
    /// The same, added to what is there.
    Add,
}

impl Finish {
    #[inline(always)]
    pub(super) fn write(self, sums: &[i32; PANEL], scale: f32, scales: &[f32], bias: &[f32], out: &mut [f32]) {
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
                    out[r * outputs + o] = out[r * outputs + o].wrapping_add(i32::from(x[r * inputs + i]).wrapping_mul(w[o * inputs + i]));
                }
            }
        }
        out
    }

    fn check_kernel<K: Kernel, W: Weight + Default>(x: &[i16], rows: usize, inputs: usize, w: &[W]) {
        for count in 1..=K::PANELS {
            let outputs = count * PANEL;
            let w = &w[..outputs * inputs];
            let mut panels = vec![W::default(); w.len()];
            for (i, &v) in w.iter().enumerate() {
                panels[panel_index(inputs, i / inputs, i % inputs)] = v;
            }
            let wide: Vec<i32> = w.iter().map(|v| v.widen()).collect();
            for rows in 1..=rows.min(K::ROWS) {
                let expected = naive(x, rows, inputs, &wide, outputs);
                let mut tile: Tile = [[-1; PANEL]; TILE_ROWS];
                K::tile(x, inputs, rows, inputs / 2, &panels, count, &mut tile);
                for r in 0..rows {
                    for o in 0..outputs {
                        assert_eq!(tile[(o / PANEL) * rows + r][o % PANEL], expected[r * outputs + o], "row {r} output {o}");
                    }
                }
            }
        }
    }

    fn check_all<W: Weight + Default>(x: &[i16], rows: usize, inputs: usize, w: &[W]) {
        for simd in Simd::available() {
            match simd.0 {
                #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
                Set::Scalar => check_kernel::<Scalar, W>(x, rows, inputs, w),
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Set::Simd128 => check_kernel::<Simd128, W>(x, rows, inputs, w),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => check_kernel::<Avx2, W>(x, rows, inputs, w),
                #[cfg(target_arch = "x86_64")]
                Set::Avx512Vnni => check_kernel::<Avx512Vnni, W>(x, rows, inputs, w),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn every_kernel_equals_the_naive_loops(pairs in 1usize..9, x in prop::collection::vec(any::<i16>(), 12 * 16), w in prop::collection::vec(any::<i8>(), 32 * 16)) {
            check_all(&x, 12, pairs * 2, &w);
            let wide: Vec<i16> = w.iter().map(|&v| i16::from(v) * 200).collect();
            check_all(&x, 12, pairs * 2, &wide);
        }
    }

    #[test]
    fn extreme_activations_and_weights_do_not_overflow_at_the_limit() {
        for inputs in [384usize, 1536] {
            let limit = (i32::MAX as usize / (128 * inputs)).min(32767) as i16;
            let x = vec![-limit; inputs];
            let w = vec![i8::MIN; 32 * inputs];
            check_all(&x, 1, inputs, &w);
            assert!(i64::from(limit) * 128 * inputs as i64 <= i64::from(i32::MAX));
        }
    }
}
