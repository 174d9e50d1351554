//! Linear layers in the layout that the kernels read.

use super::four_bits::{self, Form, FourBits};
use super::kernel::{Finish, Kernel, Numbers, TILE_ROWS, Tile};
use super::layout::PANEL;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::relaxed::{self, Levels};

/// Reason why arrays are not a layer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Lengths disagree, or the kernels do not support a size.
    #[error("{0}: wrong shape")]
    Shape(&'static str),
    /// A number is infinite, not a number or, as a scale, negative.
    #[error("{0}: not a finite number")]
    Number(&'static str),
}

/// Linear layer y = W x + b with W in int8 and a scale per output and per input: `W[o][i] = scales[o] *
/// columns[i] * weights[o][i]`.
///
/// BERT's feed-forward layers have a few inputs whose weights are fifty times the others'. With a scale per
/// output alone, these cost the rest of the row its precision; a scale per input too avoids that. Inputs are
/// multiplied by theirs before rounding.
///
/// W is kept in panels of [`PANEL`] outputs; in a panel, inputs go by twos: `panel[pair][output][2]`. A
/// kernel reads it from start to end.
///
/// Inputs are rounded as finely as 32-bit sums allow, or to eight bits for weights in four ([`FourBits`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    inputs: usize,
    outputs: usize,
    weights: Weights,
    scales: Vec<f32>,
    columns: Vec<f32>,
    bias: Vec<f32>,
    limit: i16,
}

/// W in the form that kernels read.
#[derive(Debug, Clone, PartialEq)]
enum Weights {
    Panels(Vec<i8>),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Levels(Levels),
}

/// Buffer for rounded inputs in the form that the weights need.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    relaxed: relaxed::Buffer,
}

/// The floating-point numbers of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// Factor of the weights of each output.
    pub scales: Vec<f32>,
    /// Factor of the weights of each input.
    pub columns: Vec<f32>,
    /// Addend of each output.
    pub bias: Vec<f32>,
}

/// Returns the position of the weight (output, input) in panels of `inputs` inputs.
pub(super) fn panel_index(inputs: usize, output: usize, input: usize) -> usize {
    (output / PANEL) * PANEL * inputs + (input / 2) * PANEL * 2 + (output % PANEL) * 2 + input % 2
}

/// Returns the largest magnitude of inputs with which no output's sum of products exceeds 31 bits.
fn input_limit(inputs: usize, panels: &[i8]) -> i16 {
    let mut largest = 1u32;
    for panel in panels.chunks_exact(inputs * PANEL) {
        // At most 8192 inputs of magnitude at most 128. In plain order: it runs once a layer, and vector code
        // for a faster order takes 3 kB.
        for output in 0..PANEL {
            let sum = |s: u32, pair: &[i8; 2]| {
                s.wrapping_add(pair.iter().fold(0, |s, w| s + u32::from(w.unsigned_abs())))
            };
            largest = largest.max(panel.as_chunks::<2>().0.iter().skip(output).step_by(PANEL).fold(0, sum));
        }
    }
    (i32::MAX as u32 / largest).min(i16::MAX as u32) as i16
}

/// Returns true if kernels support layers of this size.
fn has_valid_size(inputs: usize, outputs: usize) -> bool {
    (2..=8192).contains(&inputs)
        && inputs.is_multiple_of(2)
        && outputs.is_multiple_of(PANEL)
        && outputs <= 1 << 16
}

impl Linear {
    /// Makes a layer of weights that are already in panels.
    ///
    /// # Errors
    /// [`ShapeError`] if lengths disagree, `inputs` is odd or not in 2..=8192, `outputs` is no multiple of
    /// [`PANEL`], or a number is not finite.
    pub fn from_panels(
        inputs: usize,
        outputs: usize,
        panels: Vec<i8>,
        factors: Factors,
    ) -> Result<Linear, ShapeError> {
        if !has_valid_size(inputs, outputs) || panels.len() != inputs * outputs {
            return Err(ShapeError::Shape("linear layer"));
        }
        // A browser reads layers from bundles, which store weights in four bits where these suffice.
        let coarse = cfg!(not(target_arch = "wasm32")) && four_bits::fit_four_bits(inputs, &panels);
        let limit = if coarse { four_bits::LIMIT } else { input_limit(inputs, &panels) };
        Linear::new(inputs, outputs, Weights::Panels(panels), limit, factors)
    }

    /// Builds a layer from weights in four bits. Fails as [`Linear::from_panels`] does.
    pub fn from_four_bits(outputs: usize, weights: FourBits, factors: Factors) -> Result<Linear, ShapeError> {
        let inputs = weights.inputs();
        if !has_valid_size(inputs, outputs) || weights.panels() * PANEL != outputs {
            return Err(ShapeError::Shape("linear layer"));
        }
        let weights = match weights.form {
            Form::Bytes(panels) => Weights::Panels(panels),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Form::Levels(levels) => Weights::Levels(levels),
        };
        Linear::new(inputs, outputs, weights, four_bits::LIMIT, factors)
    }

    /// Makes a layer, if its numbers are as many as its size requires, and finite.
    fn new(
        inputs: usize,
        outputs: usize,
        weights: Weights,
        limit: i16,
        factors: Factors,
    ) -> Result<Linear, ShapeError> {
        let Factors { scales, columns, bias } = factors;
        if scales.len() != outputs || columns.len() != inputs || bias.len() != outputs {
            return Err(ShapeError::Shape("linear layer"));
        }
        if scales.iter().chain(&columns).any(|s| !(s.is_finite() && *s >= 0.0))
            || bias.iter().any(|b| !b.is_finite())
        {
            return Err(ShapeError::Number("linear layer"));
        }
        Ok(Linear { inputs, outputs, weights, scales, columns, bias, limit })
    }

    /// Builds a layer from rows of weights: `rows[output][input]`. Fails as [`Linear::from_panels`] does.
    pub fn from_rows(
        inputs: usize,
        outputs: usize,
        rows: &[i8],
        factors: Factors,
    ) -> Result<Linear, ShapeError> {
        if inputs.checked_mul(outputs) != Some(rows.len())
            || !inputs.is_multiple_of(2)
            || !outputs.is_multiple_of(PANEL)
        {
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

    /// Returns the weights in panels; empty if a browser keeps them in four bits.
    pub fn panels(&self) -> &[i8] {
        match &self.weights {
            Weights::Panels(panels) => panels,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Weights::Levels(_) => &[],
        }
    }

    /// Returns the weights as [`FourBits`] reads them, panel by panel; `None` if four bits do not suffice.
    pub fn four_bits(&self) -> Option<Vec<u8>> {
        four_bits::encode(self.inputs, self.panels())
    }

    /// Returns the scale of each output.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Returns the scale of each input.
    pub fn columns(&self) -> &[f32] {
        &self.columns
    }

    /// Returns the addend of each output.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Largest magnitude that inputs may be rounded to, so that no sum exceeds 32 bits.
    pub(super) fn limit(&self) -> i16 {
        self.limit
    }

    /// Computes `out[row] = finish(W x[row] + b)` for quantised rows `x` with scales `x_scales`.
    #[inline(always)]
    #[cfg_attr(not(all(target_arch = "wasm32", target_feature = "simd128")), allow(unused_variables))]
    pub(super) fn apply<K: Kernel>(
        &self,
        x: &[i16],
        x_scales: &[f32],
        out: &mut [f32],
        finish: Finish,
        buffer: &mut Buffer,
    ) {
        match &self.weights {
            Weights::Panels(panels) => {
                let rhs = Panels {
                    data: Numbers::Narrow(panels),
                    inputs: self.inputs,
                    scales: &self.scales,
                    bias: &self.bias,
                };
                multiply::<K>(x, self.inputs, x_scales, &rhs, out, self.outputs, finish);
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Weights::Levels(levels) => {
                levels.multiply(x, x_scales, (&self.scales, &self.bias), out, finish, &mut buffer.relaxed)
            }
        }
    }
}

/// Right-hand side in panels: weights, or keys and values of attention.
pub(super) struct Panels<'a> {
    pub(super) data: Numbers<'a>,
    /// Length of a row of the left-hand side; even.
    pub(super) inputs: usize,
    /// Scale of each output; a multiple of [`PANEL`] of them.
    pub(super) scales: &'a [f32],
    /// Addend of each output.
    pub(super) bias: &'a [f32],
}

/// Computes `out[r][o] = finish(sum_i x[r][i] w[o][i] * x_scales[r] * scales[o] + bias[o])`. Rows of `x` are
/// `stride` apart, rows of `out` `out_stride`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn multiply<K: Kernel>(
    x: &[i16],
    stride: usize,
    x_scales: &[f32],
    rhs: &Panels<'_>,
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
        let weights = rhs.data.part(panel * panel_len..(panel + count) * panel_len);
        let mut row = 0;
        while row < rows {
            // Even shares: 13 rows are 7 and 6, not 12 and 1.
            let left = rows - row;
            let n = left.div_ceil(left.div_ceil(K::ROWS));
            K::tile(&x[row * stride..], stride, n, rhs.inputs / 2, weights, count, &mut tile);
            for c in 0..count {
                let at = (panel + c) * PANEL;
                let (scales, bias) = (&rhs.scales[at..at + PANEL], &rhs.bias[at..at + PANEL]);
                let (sums, x_scales) = (&tile[c * n..(c + 1) * n], &x_scales[row..row + n]);
                finish.write_rows(
                    sums,
                    x_scales,
                    scales,
                    bias,
                    &mut out[row * out_stride + at..],
                    out_stride,
                );
            }
            row += n;
        }
        panel += count;
    }
}
