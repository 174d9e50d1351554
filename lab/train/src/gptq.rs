//! Rounds a weight matrix so that its outputs change little: GPTQ (Frantar et al., "GPTQ", 2022).
//!
//! Inputs are rounded one after the other. Those not yet rounded compensate for the error in the outputs, as
//! far as the second moments of the layer's inputs show that they vary together.

use super::calibrate::Moments;
use miette::{Result, miette};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// Damping added to the moments' diagonal, as a share of its mean.
const DAMPING: f64 = 0.01;

/// Inputs that share a step on the grid of four bits.
pub const GROUP: usize = 64;
/// Levels of four bits, in steps.
const LEVELS: (f64, f64) = (-8.0, 7.0);
/// Maximum step, in multiples of the row's scale: every level of every step fits eight bits.
const LARGEST_STEP: u8 = 16;

/// Rounds the rows of `weights` (`n` inputs each) to integers of at most 127 scales of the row. Returns both.
///
/// # Errors
/// When the moments are not those of any inputs, so that the damped matrix has no Cholesky factor.
pub fn round_rows(weights: &[f32], moments: &Moments) -> Result<(Vec<i32>, Vec<f32>)> {
    let spread = Spread::of(moments)?;
    let rows = weights.par_chunks_exact(moments.n).map(|row| {
        let scale = row.iter().fold(0.0f32, |m, w| m.max(w.abs())) / 127.0;
        let out = if scale > 0.0 {
            spread.round(row, |_| f64::from(scale), (-127.0, 127.0))
        } else {
            vec![0; row.len()]
        };
        (out, scale)
    });
    let (rows, scales): (Vec<Vec<i32>>, Vec<f32>) = rows.unzip();
    Ok((rows.concat(), scales))
}

/// Rounds as [`round_rows`], to four bits: each run of [`GROUP`] inputs of a row has an integer step of 1 to 16,
/// and its integers are -8 to 7 steps.
///
/// # Errors
/// As [`round_rows`].
pub fn round_to_four_bits(weights: &[f32], moments: &Moments) -> Result<(Vec<i32>, Vec<f32>)> {
    let spread = Spread::of(moments)?;
    let importance = spread.importance();
    let rows = weights.par_chunks_exact(moments.n).map(|row| {
        let (scale, steps) = fit_grid(row, &importance);
        if scale == 0.0 {
            return (vec![0; row.len()], scale);
        }
        let step = |i: usize| f64::from(steps[i / GROUP]);
        let levels = spread.round(row, |i| step(i) * f64::from(scale), LEVELS);
        (levels.iter().enumerate().map(|(i, q)| q * i32::from(steps[i / GROUP])).collect(), scale)
    });
    let (rows, scales): (Vec<Vec<i32>>, Vec<f32>) = rows.unzip();
    Ok((rows.concat(), scales))
}

/// Factors that spread the error of rounding one input over those not yet rounded.
struct Spread {
    /// The inputs in the order of rounding.
    order: Vec<usize>,
    /// For each input of the order, its row of the upper factor U of the inverse moments = UT U.
    rows: Vec<DVector<f64>>,
}

impl Spread {
    fn of(moments: &Moments) -> Result<Spread> {
        let n = moments.n;
        // The inputs that matter most go first, while all the others can still make up for them.
        let mut order: Vec<usize> = (0..n).collect();
        let power = |i: usize| moments.sum[i * n + i];
        order.sort_by(|&a, &b| power(b).total_cmp(&power(a)).then(a.cmp(&b)));
        let damping = DAMPING * (0..n).map(power).sum::<f64>() / n as f64;
        let h = DMatrix::from_fn(n, n, |i, j| {
            moments.sum[order[i] * n + order[j]] + if i == j { damping.max(f64::MIN_POSITIVE) } else { 0.0 }
        });
        let degenerate = || miette!("the calibration's moments are degenerate");
        let inverse = h.cholesky().ok_or_else(degenerate)?.inverse();
        let lower = inverse.cholesky().ok_or_else(degenerate)?.l();
        let rows = (0..n).map(|i| lower.column(i).into_owned()).collect();
        Ok(Spread { order, rows })
    }

    /// Returns the cost of the squared error of each input after the later ones have compensated for it.
    fn importance(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.order.len()];
        for (i, (&input, row)) in self.order.iter().zip(&self.rows).enumerate() {
            out[input] = 1.0 / (row[i] * row[i]);
        }
        out
    }

    /// A row as levels within `limits` of the steps that its inputs have.
    fn round(&self, row: &[f32], step: impl Fn(usize) -> f64, limits: (f64, f64)) -> Vec<i32> {
        let mut out = vec![0; row.len()];
        let mut w: Vec<f64> = self.order.iter().map(|&i| f64::from(row[i])).collect();
        for (i, spread) in self.rows.iter().enumerate() {
            let step = step(self.order[i]);
            let q = (w[i] / step).round().clamp(limits.0, limits.1);
            out[self.order[i]] = q as i32;
            let error = (w[i] - q * step) / spread[i];
            w[i..].iter_mut().zip(&spread.as_slice()[i..]).for_each(|(w, s)| *w -= error * s);
        }
        out
    }
}

/// The scale of a row, and the step of each of its groups, with which rounding to the nearest level costs
/// least.
fn fit_grid(row: &[f32], importance: &[f64]) -> (f32, Vec<u8>) {
    let largest = row.iter().fold(0.0f32, |m, w| m.max(w.abs()));
    let mut best = (f64::INFINITY, 0.0, vec![1; row.len().div_ceil(GROUP)]);
    // The first scale maps the largest weight to the largest level; smaller ones cut off the largest weights.
    for share in (10..=20).rev().map(|s| s as f32 / 20.0) {
        let scale = share * largest / (f32::from(LARGEST_STEP) * 7.5);
        if scale == 0.0 {
            break;
        }
        let groups = row.chunks(GROUP).zip(importance.chunks(GROUP)).map(|(row, importance)| {
            let cost = |step: u8| {
                let step = f64::from(scale) * f64::from(step);
                let error = |w: f64| w - (w / step).round().clamp(LEVELS.0, LEVELS.1) * step;
                row.iter().zip(importance).map(|(&w, i)| i * error(f64::from(w)).powi(2)).sum::<f64>()
            };
            let costs = (1..=LARGEST_STEP).map(|step| (cost(step), step));
            costs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 1))
        });
        let groups: Vec<(f64, u8)> = groups.collect();
        let cost = groups.iter().map(|g| g.0).sum();
        if cost < best.0 {
            best = (cost, scale, groups.iter().map(|g| g.1).collect());
        }
    }
    (best.1, best.2)
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
        let (q, scales) = round_rows(&weights, &Moments { n, sum }).unwrap();
        let error = |q: &dyn Fn(usize) -> f64| -> f64 {
            xs.iter()
                .map(|x| {
                    (0..8)
                        .map(|r| {
                            (0..n)
                                .map(|i| (q(r * n + i) - f64::from(weights[r * n + i])) * x[i])
                                .sum::<f64>()
                                .powi(2)
                        })
                        .sum::<f64>()
                })
                .sum()
        };
        let ours = error(&|i| f64::from(q[i]) * f64::from(scales[i / n]));
        let plain = error(&|i| f64::from((weights[i] / scales[i / n]).round()) * f64::from(scales[i / n]));
        assert!(ours < plain / 4.0, "{ours} {plain}");
        assert!(q.iter().all(|v| v.abs() <= 127));
    }

    #[test]
    fn four_bits_are_levels_times_the_step_of_each_group_and_near_the_weights() {
        let mut state = 7u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 24) - 0.5
        };
        // The second group's weights are a third of the first's in size, those of the third row are zero.
        let n = GROUP + 32;
        let weights: Vec<f32> = (0..3 * n)
            .map(|i| if i >= 2 * n { 0.0 } else { noise() as f32 / if i % n < GROUP { 1.0 } else { 3.0 } })
            .collect();
        let sum = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
        let (q, scales) = round_to_four_bits(&weights, &Moments { n, sum }).unwrap();
        for (row, (q, weights)) in q.chunks_exact(n).zip(weights.chunks_exact(n)).enumerate() {
            for (q, weights) in q.chunks(GROUP).zip(weights.chunks(GROUP)) {
                let step = (1..=16)
                    .find(|step| q.iter().all(|q| q % step == 0 && (-8..=7).contains(&(q / step))))
                    .unwrap();
                let (step, largest) =
                    (step as f32 * scales[row], weights.iter().fold(0.0f32, |m, w| m.max(w.abs())));
                assert!(step <= largest / 5.0, "{step} {largest}");
                // Levels a seventh of the largest weight apart leave less than a hundredth of the squares.
                let error: f32 =
                    q.iter().zip(weights).map(|(&q, w)| (q as f32 * scales[row] - w).powi(2)).sum();
                assert!(error <= 0.01 * weights.iter().map(|w| w * w).sum::<f32>(), "{error}");
            }
        }
        assert_eq!(scales[2], 0.0);
    }
}
