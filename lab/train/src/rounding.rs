//! Rounding a linear layer's weights: columns first made alike in size, then each row to a scale of its own.

use super::calibrate::{Dense, Moments};
use super::gptq;

/// Number of bits of rounded weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// The whole model to int8, as tensors: what embeds documents.
    Eight,
    /// The layers to four bits, as a bundle holds them: what embeds questions.
    Four,
}

impl Bits {
    /// Returns the number of this kind in a weight.
    pub fn count(self) -> usize {
        match self {
            Bits::Eight => 8,
            Bits::Four => 4,
        }
    }
}

/// A linear layer's weights as `row scale * column factor * integer`.
pub struct ByColumns {
    /// Integers, a row an output.
    pub rows: Vec<i32>,
    /// One an output.
    pub scales: Vec<f32>,
    /// One an input.
    pub columns: Vec<f32>,
}

/// Rounds a linear layer, with a factor for each column besides the scale of each row.
///
/// # Errors
/// As [`gptq::round_rows`].
pub fn by_columns(dense: &Dense, mut moments: Moments, bits: Bits) -> miette::Result<ByColumns> {
    let inputs = dense.inputs;
    let columns = column_factors(&dense.weight, inputs);
    let weight: Vec<f32> = dense.weight.iter().zip(columns.iter().cycle()).map(|(w, c)| w / c).collect();
    // The inputs are multiplied by their factors, and so are their moments.
    for (row, a) in moments.sum.chunks_exact_mut(inputs).zip(&columns) {
        row.iter_mut().zip(&columns).for_each(|(m, b)| *m *= f64::from(*a) * f64::from(*b));
    }
    let round = match bits {
        Bits::Eight => gptq::round_rows,
        Bits::Four => gptq::round_to_four_bits,
    };
    let (rows, scales) = round(&weight, &moments)?;
    Ok(ByColumns { rows, scales, columns })
}

/// Returns the weights that rounded ones represent, by which later layers are rounded.
pub fn restore_weights(rows: &[i32], scales: &[f32], columns: &[f32]) -> Vec<f32> {
    let rows = rows.chunks_exact(columns.len().max(1)).zip(scales);
    rows.flat_map(|(row, scale)| row.iter().zip(columns).map(move |(&q, c)| q as f32 * scale * c)).collect()
}

/// Returns a factor for each column: the root mean square of its weights over the median column's, or 1.
fn column_factors(values: &[f32], n: usize) -> Vec<f32> {
    let mut squares = vec![0.0f64; n];
    for row in values.chunks_exact(n) {
        squares.iter_mut().zip(row).for_each(|(s, &v)| *s += f64::from(v) * f64::from(v));
    }
    let mut sorted = squares.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[n / 2];
    squares.iter().map(|&s| if s > 0.0 && median > 0.0 { (s / median).sqrt() as f32 } else { 1.0 }).collect()
}
