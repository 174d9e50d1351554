//! Linear layers in the layout that the kernels read.

use super::kernel::{Finish, Kernel, TILE_ROWS, Tile, Weight};

/// Outputs a panel. Sixteen 32-bit sums fill one AVX-512 register, two of AVX2, four of SSE2 or WebAssembly.
pub const PANEL: usize = 16;

/// Why arrays are not a layer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Lengths disagree, or a size that the kernels cannot take.
    #[error("{0}: wrong shape")]
    Shape(&'static str),
    /// A number is infinite, not a number or, as a scale, negative.
    #[error("{0}: not a finite number")]
    Number(&'static str),
}

/// y = W x + b, with W in int8, one scale per output and one per input: `W[o][i] = scales[o] * columns[i] * weights[o][i]`.
///
/// BERT's feed-forward layers hold a few inputs with weights fifty times the others'. With a scale per output alone, these cost the others of the
/// same row their precision; with one per input too, they do not. Inputs are multiplied by theirs before they are rounded.
///
/// W is kept in panels of [`PANEL`] outputs; in a panel, inputs go by twos: `panel[pair][output][2]`. A kernel reads it from start to end.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    panels: Vec<i8>,
    scales: Vec<f32>,
    columns: Vec<f32>,
    bias: Vec<f32>,
    limit: i16,
}

/// The floating-point numbers of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// One an output: what its weights are multiplied by.
    pub scales: Vec<f32>,
    /// One an input: what its weights are multiplied by.
    pub columns: Vec<f32>,
    /// One an output: added last.
    pub bias: Vec<f32>,
}

/// Where weight (output, input) lies in panels of `inputs` inputs.
pub(super) fn panel_index(inputs: usize, output: usize, input: usize) -> usize {
    (output / PANEL) * PANEL * inputs + (input / 2) * PANEL * 2 + (output % PANEL) * 2 + input % 2
}

/// The largest magnitude by which the weights of any one output can be multiplied and added up within 31 bits.
fn limit(inputs: usize, panels: &[i8]) -> i16 {
    let mut largest = 1u32;
    for panel in panels.chunks_exact(inputs * PANEL) {
        // At most 8192 inputs of magnitude at most 128.
        let mut sums = [0u32; PANEL];
        for pairs in panel.chunks_exact(2 * PANEL) {
            for (s, w) in sums.iter_mut().zip(pairs.chunks_exact(2)) {
                *s = s.wrapping_add(u32::from(w[0].unsigned_abs())).wrapping_add(u32::from(w[1].unsigned_abs()));
            }
        }
        largest = sums.iter().fold(largest, |l, &s| l.max(s));
    }
    (i32::MAX as u32 / largest).min(i16::MAX as u32) as i16
}

impl Linear {
    /// A layer whose weights are already in panels.
    ///
    /// # Errors
    /// [`ShapeError`] when lengths disagree, `inputs` is odd or not in 2..=8192, `outputs` is no multiple of [`PANEL`], or a number is not finite.
    pub fn from_panels(inputs: usize, outputs: usize, panels: Vec<i8>, factors: Factors) -> Result<Linear, ShapeError> {
        let Factors { scales, columns, bias } = factors;
        let sizes = (2..=8192).contains(&inputs) && inputs.is_multiple_of(2) && outputs.is_multiple_of(PANEL) && outputs <= 1 << 16;
        if !sizes || panels.len() != inputs * outputs || scales.len() != outputs || columns.len() != inputs || bias.len() != outputs {
            return Err(ShapeError::Shape("linear layer"));
        }
        if scales.iter().chain(&columns).any(|s| !(s.is_finite() && *s >= 0.0)) || bias.iter().any(|b| !b.is_finite()) {
            return Err(ShapeError::Number("linear layer"));
        }
        let limit = limit(inputs, &panels);
        Ok(Linear { inputs, outputs, panels, scales, columns, bias, limit })
    }

    /// A layer from weights row by row: `rows[output][input]`.
    ///
    /// # Errors
    /// As [`Linear::from_panels`].
    pub fn from_rows(inputs: usize, outputs: usize, rows: &[i8], factors: Factors) -> Result<Linear, ShapeError> {
        if inputs.checked_mul(outputs) != Some(rows.len()) || !inputs.is_multiple_of(2) || !outputs.is_multiple_of(PANEL) {
            return Err(ShapeError::Shape("linear layer"));
        }
        let mut panels = vec![0; rows.len()];
        for (i, &w) in rows.iter().enumerate() {
            panels[panel_index(inputs, i / inputs, i % inputs)] = w;
        }
        Linear::from_panels(inputs, outputs, panels, factors)
    }

    /// Length of x.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Length of y.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The weights in panels.
    pub fn panels(&self) -> &[i8] {
        &self.panels
    }

    /// One scale an output.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// One scale an input.
    pub fn columns(&self) -> &[f32] {
        &self.columns
    }

    /// One addend an output.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Largest magnitude that inputs may be rounded to, so that no sum leaves 32 bits.
    pub(super) fn limit(&self) -> i16 {
        self.limit
    }

    /// `out[row] = finish(W x[row] + b)` for quantised rows `x` with scales `x_scales`.
    #[inline(always)]
    pub(super) fn apply<K: Kernel>(&self, x: &[i16], x_scales: &[f32], out: &mut [f32], finish: Finish) {
        let rhs = Panels { data: &self.panels, inputs: self.inputs, scales: &self.scales, bias: &self.bias };
        multiply::<K, i8>(x, self.inputs, x_scales, &rhs, out, self.outputs, finish);
    }
}

/// A right-hand side in panels: weights, or keys and values of attention.
pub(super) struct Panels<'a, W> {
    pub(super) data: &'a [W],
    /// Length of a row of the left-hand side; even.
    pub(super) inputs: usize,
    /// One scale an output; a multiple of [`PANEL`] of them.
    pub(super) scales: &'a [f32],
    /// One addend an output.
    pub(super) bias: &'a [f32],
}

/// `out[r][o] = finish(sum_i x[r][i] w[o][i] * x_scales[r] * scales[o] + bias[o])`, `x` rows apart by `stride`, `out` rows by `out_stride`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn multiply<K: Kernel, W: Weight>(
    x: &[i16],
    stride: usize,
    x_scales: &[f32],
    rhs: &Panels<'_, W>,
    out: &mut [f32],
    out_stride: usize,
    finish: Finish,
) {
    let rows = x_scales.len();
    let panel_len = rhs.inputs * PANEL;
    let panels = rhs.scales.len() / PANEL;
    let mut tile: Tile = [[0; PANEL]; TILE_ROWS];
    let mut panel = 0;
    while panel < panels {
        let count = K::PANELS.min(panels - panel);
        let weights = &rhs.data[panel * panel_len..(panel + count) * panel_len];
        let mut row = 0;
        while row < rows {
            // Even shares: 13 rows are 7 and 6, not 12 and 1.
            let left = rows - row;
            let n = left.div_ceil(left.div_ceil(K::ROWS));
            K::tile(&x[row * stride..], stride, n, rhs.inputs / 2, weights, count, &mut tile);
            for c in 0..count {
                let at = (panel + c) * PANEL;
                let (scales, bias) = (&rhs.scales[at..at + PANEL], &rhs.bias[at..at + PANEL]);
                for r in 0..n {
                    let start = (row + r) * out_stride + at;
                    finish.write(&tile[c * n + r], x_scales[row + r], scales, bias, &mut out[start..start + PANEL]);
                }
            }
            row += n;
        }
        panel += count;
    }
}
