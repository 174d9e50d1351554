//! Rounding a weight matrix so that its outputs change little, rather than its weights: GPTQ (Frantar et al., "GPTQ", 2022).
//!
//! Inputs are rounded one after the other; the error that one leaves in the outputs is made up for by the inputs not yet rounded, as far as they
//! tend to go together, which the second moments of the layer's inputs tell.

use super::calibrate::Moments;
use miette::miette;
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// What is added to the moments' diagonal, as a share of its mean: trust in the calibration's texts.
const DAMPING: f64 = 0.01;

/// Rounds the rows of `weights` (`n` inputs each) to integers of magnitude at most 127 times a scale per row. Gives both.
///
/// # Errors
/// When the moments are not those of any inputs, so that the damped matrix has no Cholesky factor.
pub fn round(weights: &[f32], moments: &Moments) -> miette::Result<(Vec<i32>, Vec<f32>)> {
    let n = moments.n;
    // The inputs that matter most go first, while all the others can still make up for them.
    let mut order: Vec<usize> = (0..n).collect();
    let power = |i: usize| moments.sum[i * n + i];
    order.sort_by(|&a, &b| power(b).total_cmp(&power(a)).then(a.cmp(&b)));
    let damping = DAMPING * (0..n).map(power).sum::<f64>() / n as f64;
    let h = DMatrix::from_fn(n, n, |i, j| moments.sum[order[i] * n + order[j]] + if i == j { damping.max(f64::MIN_POSITIVE) } else { 0.0 });
    let inverse = h.cholesky().ok_or_else(|| miette!("the calibration's moments are degenerate"))?.inverse();
    // Upper factor U of the inverse = UT U: its row i says how the error of input i spreads over those after it.
    let lower = inverse.cholesky().ok_or_else(|| miette!("the calibration's moments are degenerate"))?.l();
    let spread: Vec<DVector<f64>> = (0..n).map(|i| lower.column(i).into_owned()).collect();
    let rows: Vec<(Vec<i32>, f32)> = weights
        .par_chunks_exact(n)
        .map(|row| {
            let scale = row.iter().fold(0.0f32, |m, w| m.max(w.abs())) / 127.0;
            let mut out = vec![0; n];
            if scale > 0.0 {
                let mut w: Vec<f64> = order.iter().map(|&i| f64::from(row[i])).collect();
                for (i, spread) in spread.iter().enumerate() {
                    let q = (w[i] / f64::from(scale)).round().clamp(-127.0, 127.0);
                    out[order[i]] = q as i32;
                    let error = (w[i] - q * f64::from(scale)) / spread[i];
                    w[i..].iter_mut().zip(&spread.as_slice()[i..]).for_each(|(w, s)| *w -= error * s);
                }
            }
            (out, scale)
        })
        .collect();
    Ok((rows.iter().flat_map(|r| r.0.iter().copied()).collect(), rows.iter().map(|r| r.1).collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn outputs_change_less_than_with_plain_rounding_where_inputs_go_together() {
        // Inputs that are mostly one shared number each time.
        let mut state = 1u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 24) - 0.5
        };
        let n = 24;
        let xs: Vec<Vec<f64>> = (0..200)
            .map(|_| {
                let shared = 4.0 * noise();
                (0..n).map(|_| shared + 0.2 * noise()).collect()
            })
            .collect();
        let mut sum = vec![0.0; n * n];
        for x in &xs {
            for i in 0..n * n {
                sum[i] += x[i / n] * x[i % n];
            }
        }
        let weights: Vec<f32> = (0..8 * n).map(|_| noise() as f32).collect();
        let (q, scales) = round(&weights, &Moments { n, sum }).unwrap();
        let error = |q: &dyn Fn(usize) -> f64| -> f64 {
            xs.iter()
                .map(|x| {
                    (0..8).map(|r| (0..n).map(|i| (q(r * n + i) - f64::from(weights[r * n + i])) * x[i]).sum::<f64>().powi(2)).sum::<f64>()
                })
                .sum()
        };
        let ours = error(&|i| f64::from(q[i]) * f64::from(scales[i / n]));
        let plain = error(&|i| f64::from((weights[i] / scales[i / n]).round()) * f64::from(scales[i / n]));
        assert!(ours < plain / 4.0, "{ours} {plain}");
        assert!(q.iter().all(|v| v.abs() <= 127));
    }
}
