//! AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019) over one run of numbers.

use super::parameters::Layout;
use rayon::prelude::*;
use std::ops::Range;

/// Decay of the running means at a step.
pub const BETAS: (f32, f32) = (0.9, 0.98);
/// Number added to roots of squares.
pub const EPSILON: f32 = 1e-6;
/// Numbers that one core takes at a time.
const PIECE: usize = 1 << 15;

/// Learning rates of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Rate of the heads; each layer has `share` of the rate above it.
    pub rate: f32,
    /// Share of the heads' rate that the last layer has.
    pub encoder: f32,
    /// Share of a layer's rate that the layer below it has.
    pub share: f32,
    /// Decay of matrices a step, as a share of the rate.
    pub decay: f32,
    /// Gradients longer than this are shortened to it.
    pub clip: f32,
}

impl Default for Rates {
    fn default() -> Self {
        Rates { rate: 1e-3, encoder: 0.3, share: 0.7, decay: 0.01, clip: 1.0 }
    }
}

impl Rates {
    /// Returns the factor that clips a gradient of this length.
    pub fn shorten(&self, length: f32) -> f32 {
        if length > self.clip { self.clip / length } else { 1.0 }
    }
}

/// The optimiser's memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moments {
    /// Running mean of the gradient.
    pub mean: Vec<f32>,
    /// Running mean of its squares.
    pub square: Vec<f32>,
    /// Steps taken.
    pub steps: u64,
}

impl Moments {
    /// Returns empty moments of `numbers` numbers.
    pub fn new(numbers: usize) -> Moments {
        Moments { mean: vec![0.0; numbers], square: vec![0.0; numbers], steps: 0 }
    }
}

/// The optimiser of a network's numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Adam {
    /// Moments of the optimiser.
    pub moments: Moments,
    /// Pieces of the numbers: their share of the rate, and whether they decay.
    pieces: Vec<(Range<usize>, f32, bool)>,
}

impl Adam {
    /// Creates the optimiser with these moments; with another number of them it starts empty.
    pub fn new(layout: &Layout, rates: &Rates, moments: Moments) -> Adam {
        let matrices = layout.matrices();
        let mut pieces = Vec::new();
        let n = layout.layers.len();
        let groups = (0..n)
            .map(|i| (layout.layer(i), rates.encoder * rates.share.powi((n - 1 - i) as i32)))
            .chain([(layout.heads(), 1.0)]);
        for (group, share) in groups {
            let mut at = group.start;
            for m in matrices.iter().filter(|m| group.contains(&m.start)) {
                pieces.push((at..m.start, share, false));
                pieces.push((m.clone(), share, true));
                at = m.end;
            }
            pieces.push((at..group.end, share, false));
        }
        let fits = moments.mean.len() == layout.len && moments.square.len() == layout.len;
        Adam { moments: if fits { moments } else { Moments::new(layout.len) }, pieces }
    }

    /// Each number's share of the rate, and the same of those that decay, with zero for the others.
    pub fn shares(&self) -> (Vec<f32>, Vec<f32>) {
        let (mut shares, mut decays) =
            (vec![0.0; self.moments.mean.len()], vec![0.0; self.moments.mean.len()]);
        for (range, share, decaying) in &self.pieces {
            shares[range.clone()].fill(*share);
            decays[range.clone()].fill(if *decaying { *share } else { 0.0 });
        }
        (shares, decays)
    }

    /// Returns the divisors that correct the running means after this number of steps, because they began at
    /// zero.
    pub fn unbias(steps: u64) -> (f32, f32) {
        let steps = steps.min(100_000) as i32;
        (1.0 - BETAS.0.powi(steps), 1.0 - BETAS.1.powi(steps))
    }

    /// Steps against the gradient, with `factor` of the rates. Returns the gradient's length before clipping.
    /// A gradient with NaN or infinity is skipped.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rates: &Rates, factor: f32) -> f32 {
        // In pieces that do not depend on the number of cores.
        let squares: Vec<f64> = gradient
            .par_chunks(PIECE)
            .map(|g| g.iter().map(|&g| f64::from(g) * f64::from(g)).sum())
            .collect();
        let length = squares.iter().sum::<f64>().sqrt() as f32;
        if !length.is_finite() {
            return length;
        }
        let Moments { mean, square, steps } = &mut self.moments;
        *steps += 1;
        let shorten = rates.shorten(length);
        let (one, two) = Adam::unbias(*steps);
        for (range, share, decays) in &self.pieces {
            let rate = rates.rate * factor * share;
            let keep = if *decays { 1.0 - rate * rates.decay } else { 1.0 };
            let moving = parameters[range.clone()].par_iter_mut().zip(&gradient[range.clone()]);
            let memory = mean[range.clone()].par_iter_mut().zip(&mut square[range.clone()]);
            moving.zip(memory).with_min_len(PIECE).for_each(|((p, &g), (m, s))| {
                let g = g * shorten;
                *m = BETAS.0 * *m + (1.0 - BETAS.0) * g;
                *s = BETAS.1 * *s + (1.0 - BETAS.1) * g * g;
                *p = *p * keep - rate * (*m / one) / ((*s / two).sqrt() + EPSILON);
            });
        }
        length
    }
}
