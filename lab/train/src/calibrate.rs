//! Computes second moments of the inputs of a BERT's linear layers over made-up texts, in floats.
//!
//! Texts are drawn from the vocabulary by rank, many of them short, like questions. Nothing is downloaded and
//! the draw is fixed, so that the moments, and the weights rounded by them, are the same on every run.

use miette::Result;
use rayon::prelude::*;

/// A linear layer in floating point: `weight[output][input]`.
pub struct Dense {
    /// Row-major weights.
    pub weight: Vec<f32>,
    /// One an output.
    pub bias: Vec<f32>,
    /// Length of an input.
    pub inputs: usize,
}

/// Weight and bias of a layer normalisation.
pub struct Norm(pub Vec<f32>, pub Vec<f32>);

/// One layer: queries, keys and values together; what attention gathered; up; down; and the two
/// normalisations.
pub struct Block {
    /// Its four linear layers, in the order of their use.
    pub dense: [Dense; 4],
    /// After attention and after the feed-forward part.
    pub norms: [Norm; 2],
}

/// The symmetric matrix of second moments of a layer's inputs: the sum of x xT, row-major.
pub struct Moments {
    /// Length of x.
    pub n: usize,
    /// n * n numbers.
    pub sum: Vec<f64>,
}

/// Lengths of the made-up texts, without `[CLS]` and `[SEP]`; used in turn.
const LENGTHS: [usize; 15] = [0, 1, 2, 3, 5, 7, 9, 12, 4, 16, 6, 32, 8, 80, 250];
const TEXTS: usize = 225;
const CLS: u32 = 101;
const SEP: u32 = 102;
/// Tokens up to `LETTERS` are marks and single letters of many scripts; the words follow by frequency.
const MARKS: u32 = 999;
const LETTERS: u32 = 1996;

/// The token ids of the made-up texts, over a vocabulary of `words` tokens.
pub fn make_texts(words: u32) -> Vec<Vec<u32>> {
    let mut state = 20u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut token = move || {
        if draw() < 0.2 {
            MARKS + (draw() * f64::from(LETTERS - MARKS)) as u32
        } else {
            // Log-uniform ranks: Zipf's law.
            let rank = f64::from(words - LETTERS).powf(draw()) - 1.0;
            (LETTERS + rank as u32).min(words - 1)
        }
    };
    let length = |i: usize| LENGTHS[i % LENGTHS.len()];
    (0..TEXTS)
        .map(|i| [CLS].into_iter().chain((0..length(i)).map(|_| token())).chain([SEP]).collect())
        .collect()
}

/// Callback for every linear layer in turn (its block, its index, itself, the moments of its inputs). It may
/// return other weights to continue with.
pub type Each<'a> = dyn FnMut(usize, usize, &Dense, Moments) -> Result<Option<Vec<f32>>> + 'a;

/// Runs texts, given as sums of embeddings with `hidden` numbers per token, through the layers, and passes
/// the moments of every linear layer's inputs to `each`.
///
/// # Errors
/// Those of `each`.
pub fn walk_layers(
    mut texts: Vec<Vec<f32>>,
    input_norm: &Norm,
    blocks: &mut [Block],
    hidden: usize,
    heads: usize,
    each: &mut Each<'_>,
) -> Result<()> {
    texts.par_iter_mut().for_each(|x| normalise(x, input_norm));
    for (number, block) in blocks.iter_mut().enumerate() {
        let mut met = |place: usize, dense: &mut Dense, inputs: &[Vec<f32>]| -> Result<()> {
            let moments = second_moments(inputs.iter().map(Vec::as_slice), dense.inputs);
            if let Some(weight) = each(number, place, dense, moments)? {
                dense.weight = weight;
            }
            Ok(())
        };
        let [qkv, attended, up, down] = &mut block.dense;
        met(0, qkv, &texts)?;
        let context: Vec<Vec<f32>> =
            texts.par_iter().map(|x| attend_heads(&apply_dense(qkv, x), hidden, heads)).collect();
        met(1, attended, &context)?;
        texts.par_iter_mut().zip(&context).for_each(|(x, context)| {
            add(x, &apply_dense(attended, context));
            normalise(x, &block.norms[0]);
        });
        met(2, up, &texts)?;
        let gelus = |x: &Vec<f32>| apply_dense(up, x).into_iter().map(gelu).collect();
        let wide: Vec<Vec<f32>> = texts.par_iter().map(gelus).collect();
        met(3, down, &wide)?;
        texts.par_iter_mut().zip(&wide).for_each(|(x, wide)| {
            add(x, &apply_dense(down, wide));
            normalise(x, &block.norms[1]);
        });
    }
    Ok(())
}

fn apply_dense(dense: &Dense, x: &[f32]) -> Vec<f32> {
    let rows = || dense.weight.chunks_exact(dense.inputs).zip(&dense.bias);
    x.chunks_exact(dense.inputs).flat_map(|x| rows().map(move |(w, b)| dot(w, x) + b)).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for j in 0..16 {
            lanes[j] += a[j] * b[j];
        }
    }
    lanes.iter().sum()
}

fn attend_heads(qkv: &[f32], hidden: usize, heads: usize) -> Vec<f32> {
    let (n, size) = (qkv.len() / (3 * hidden), hidden / heads);
    let part = |t: usize, which: usize, head: usize| &qkv[(t * 3 + which) * hidden + head * size..][..size];
    let mut out = vec![0.0; n * hidden];
    for head in 0..heads {
        for t in 0..n {
            let scores: Vec<f32> =
                (0..n).map(|u| dot(part(t, 0, head), part(u, 1, head)) / (size as f32).sqrt()).collect();
            let max = scores.iter().fold(f32::MIN, |m, &s| m.max(s));
            let shares: Vec<f32> = scores.iter().map(|s| (s - max).exp()).collect();
            let total: f32 = shares.iter().sum();
            let to = &mut out[t * hidden + head * size..][..size];
            for (u, share) in shares.iter().enumerate() {
                to.iter_mut().zip(part(u, 2, head)).for_each(|(o, v)| *o += v * share / total);
            }
        }
    }
    out
}

fn add(x: &mut [f32], y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}

fn normalise(x: &mut [f32], norm: &Norm) {
    for row in x.chunks_exact_mut(norm.0.len()) {
        let n = row.len() as f32;
        let mean = row.iter().sum::<f32>() / n;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
        let root = (variance + 1e-12).sqrt();
        for ((v, w), b) in row.iter_mut().zip(&norm.0).zip(&norm.1) {
            *v = (*v - mean) / root * w + b;
        }
    }
}

/// x * Phi(x), with Abramowitz and Stegun's 7.1.26.
fn gelu(x: f32) -> f32 {
    let z = f64::from(x).abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let p = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * p * (-z * z).exp();
    (f64::from(x) * if x > 0.0 { 1.0 - tail } else { tail }) as f32
}

fn second_moments<'a>(texts: impl Iterator<Item = &'a [f32]>, n: usize) -> Moments {
    let rows: Vec<&[f32]> = texts.flat_map(|t| t.chunks_exact(n)).collect();
    let mut sum = vec![0.0f64; n * n];
    sum.par_chunks_exact_mut(n).enumerate().for_each(|(i, sums)| {
        for row in &rows {
            let factor = f64::from(row[i]);
            // The other half is its mirror image.
            sums[i..].iter_mut().zip(&row[i..]).for_each(|(s, &v)| *s += factor * f64::from(v));
        }
    });
    for i in 0..n {
        for j in 0..i {
            sum[i * n + j] = sum[j * n + i];
        }
    }
    Moments { n, sum }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_on_every_run_and_inside_the_vocabulary() {
        let a = make_texts(30_522);
        assert_eq!(a, make_texts(30_522));
        assert!(
            a.iter().all(|t| t.first() == Some(&CLS)
                && t.last() == Some(&SEP)
                && t.iter().all(|&id| id < 30_522))
        );
        assert!(a.iter().flatten().max() > Some(&20_000));
    }

    #[test]
    fn second_moments_are_the_sum_of_outer_products() {
        let m = second_moments([[1.0f32, 2.0, 3.0, -1.0].as_slice(), &[0.5, 0.0]].into_iter(), 2);
        assert_eq!(m.sum, [1.0 + 9.0 + 0.25, 2.0 - 3.0, 2.0 - 3.0, 4.0 + 1.0]);
    }
}
