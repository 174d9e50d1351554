//! The floating-point steps between matrix products.
//!
//! Sums run in sixteen lanes that are folded in one order, rounding is to nearest even, and nothing is fused,
//! so results do not depend on the width of registers. All functions are inlined into functions compiled for
//! each instruction set, and vectorise there. WebAssembly has one set per module; there, larger functions are
//! not inlined, which halves the code.

/// Number of lanes of every sum and maximum.
pub(super) const LANES: usize = 16;

/// Addend that rounds a number of magnitude below 2^22 to an integer in the low bits.
const ROUND: f32 = 12_582_912.0;

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    // f32::max costs a call in WebAssembly.
    if a > b { a } else { b }
}

/// Returns the sum of `term` over `x`, whose length is a multiple of [`LANES`].
#[inline(always)]
fn sum(x: &[f32], mut term: impl FnMut(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    for c in x.chunks_exact(LANES) {
        for j in 0..LANES {
            lanes[j] += term(c[j]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for j in 0..width {
            lanes[j] += lanes[j + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// Returns the maximum of `floor` and `term` over `x`, without NaN. It has more lanes: order does not matter.
#[inline(always)]
fn maximum(x: &[f32], floor: f32, mut term: impl FnMut(f32) -> f32) -> f32 {
    let mut lanes = [floor; 2 * LANES];
    let chunks = x.chunks_exact(2 * LANES);
    let rest = chunks.remainder();
    for c in chunks {
        for j in 0..2 * LANES {
            lanes[j] = larger(term(c[j]), lanes[j]);
        }
    }
    for (l, &v) in lanes.iter_mut().zip(rest) {
        *l = larger(term(v), *l);
    }
    let mut width = LANES;
    while width > 0 {
        for j in 0..width {
            lanes[j] = larger(lanes[j + width], lanes[j]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Returns e^x for x <= 0; relative error below 3e-7, and 1.6e-38 for anything below -87.
#[inline(always)]
pub fn exp_negative(x: f32) -> f32 {
    let x = larger(x, -87.0);
    let t = x * std::f32::consts::LOG2_E + ROUND;
    let n = t - ROUND;
    // ln 2 as a sum, so that n times the first part is exact.
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    // e^r on |r| <= ln(2)/2 by Taylor's series, whose rest is below 2e-8 there.
    let p = 1.0
        + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0))))));
    // The low bits of t are n; shifted into the exponent they give 2^n.
    p * f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// Returns GELU with the error function (Hendrycks and Gimpel 2016), x * Phi(x), to about 2e-7 * |x|.
///
/// Phi's tail is by Abramowitz and Stegun 7.1.26.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let p =
        t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152_1 + t * 1.061_405_4))));
    let tail = x * (0.5 * p * exp_negative(-(z * z)));
    if x > 0.0 { x - tail } else { tail }
}

/// Computes `out[i] = x[i] * factors[i]`.
#[inline(always)]
pub(super) fn multiply_into(x: &[f32], factors: &[f32], out: &mut [f32]) {
    for ((o, &v), &f) in out.iter_mut().zip(x).zip(factors) {
        *o = v * f;
    }
}

/// Rounds `x` to multiples of magnitude at most `limit` of the returned unit. All zeros with unit 0 if the
/// largest magnitude is not between 1e-30 and 1e30.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn quantise(x: &[f32], limit: i16, out: &mut [i16]) -> f32 {
    let max = maximum(x, 0.0, f32::abs);
    if !(1e-30..=1e30).contains(&max) {
        out.fill(0);
        return 0.0;
    }
    let inverse = f32::from(limit) / max;
    for (o, &v) in out.iter_mut().zip(x) {
        *o = round(v * inverse);
    }
    max / f32::from(limit)
}

/// Returns the nearest integer, ties to even, of a number between -2^15 and 2^15.
#[inline(always)]
pub(super) fn round(x: f32) -> i16 {
    (x + ROUND).to_bits() as i16
}

/// Normalises a layer (Ba et al. 2016) in place: (x - mean) / sqrt(variance + epsilon) * weight + bias.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn layer_norm(x: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let n = x.len() as f32;
    let mean = sum(x, |v| v) / n;
    let variance = sum(x, |v| (v - mean) * (v - mean)) / n;
    let inverse = 1.0 / (variance + epsilon).sqrt();
    for ((v, &w), &b) in x.iter_mut().zip(weight).zip(bias) {
        *v = (*v - mean) * inverse * w + b;
    }
}

/// Computes the softmax of the first `n` scores as integers that add up to about 32767, the rest 0.
/// Overwrites `scores`, whose length is a multiple of [`LANES`]. The sum stays below 32767 + length/2.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn softmax(scores: &mut [f32], n: usize, out: &mut [i16]) {
    let (live, dead) = scores.split_at_mut(n);
    dead.fill(-1e30);
    let max = maximum(live, -1e30, |v| v);
    for s in scores.iter_mut() {
        *s = exp_negative(*s - max);
    }
    scores[n..].fill(0.0);
    let unit = 32767.0 / sum(scores, |v| v);
    for (o, &e) in out.iter_mut().zip(scores.iter()) {
        *o = round(e * unit);
    }
}

/// Scales `x` to length 1; returns false if that is impossible.
#[inline(always)]
pub(super) fn normalise(x: &mut [f32]) -> bool {
    let norm = sum(x, |v| v * v).sqrt();
    if !(norm.is_finite() && norm > 1e-12) {
        return false;
    }
    for v in x.iter_mut() {
        *v /= norm;
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes the error function by its Taylor series in 64 bits, exact to 1e-12 for |x| below 5.
    fn erf(x: f64) -> f64 {
        let (mut term, mut total) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            total += term / f64::from(2 * n + 1);
        }
        total * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn exp_is_close_to_the_true_one_everywhere() {
        let mut x = 0.0f32;
        while x > -87.0 {
            let truth = f64::from(x).exp();
            assert!(((f64::from(exp_negative(x)) - truth) / truth).abs() < 3e-7, "{x}");
            x -= 0.0137;
        }
        assert!(exp_negative(-1e30) < 1e-37 && exp_negative(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_is_close_to_the_true_one_everywhere() {
        let mut x = -6.9f32;
        while x < 6.9 {
            let truth = 0.5 * f64::from(x) * (1.0 + erf(f64::from(x) / std::f64::consts::SQRT_2));
            assert!((f64::from(gelu(x)) - truth).abs() < 2e-6, "{x}: {} {truth}", gelu(x));
            x += 0.0037;
        }
        assert_eq!(gelu(0.0), 0.0);
        assert_eq!(gelu(50.0), 50.0);
        assert!(gelu(-50.0).abs() < 1e-30);
    }

    proptest! {
        #[test]
        fn softmax_equals_the_naive_one(mut scores in prop::collection::vec(-30.0f32..30.0, 1..200)) {
            let n = scores.len();
            let max = scores.iter().fold(f32::MIN, |m, &s| m.max(s));
            let total: f64 = scores.iter().map(|&s| f64::from(s - max).exp()).sum();
            let naive: Vec<f64> = scores.iter().map(|&s| f64::from(s - max).exp() / total).collect();
            scores.resize(n.next_multiple_of(LANES), 99.0);
            let mut out = vec![0; scores.len()];
            softmax(&mut scores, n, &mut out);
            for (j, &o) in out.iter().enumerate() {
                prop_assert!((f64::from(o) / 32767.0 - naive.get(j).copied().unwrap_or(0.0)).abs() < 2e-5);
            }
            prop_assert!(out.iter().map(|&o| i32::from(o)).sum::<i32>() <= 32767 + out.len() as i32 / 2);
        }

        #[test]
        fn layer_norm_equals_the_naive_one(
            x in prop::collection::vec(-5.0f32..5.0, 48),
            w in -2.0f32..2.0,
            b in -2.0f32..2.0,
        ) {
            let mean = x.iter().map(|&v| f64::from(v)).sum::<f64>() / 48.0;
            let variance = x.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / 48.0;
            let mut y = x.clone();
            layer_norm(&mut y, &[w; 48], &[b; 48], 1e-12);
            for (got, v) in y.iter().zip(&x) {
                let truth = (f64::from(*v) - mean) / (variance + 1e-12).sqrt() * f64::from(w) + f64::from(b);
                prop_assert!((f64::from(*got) - truth).abs() < 1e-4, "{} {}", got, truth);
            }
        }

        #[test]
        fn quantised_numbers_are_within_half_a_step(
            x in prop::collection::vec(-1e3f32..1e3, 1..70),
            limit in 100i16..=32767,
        ) {
            let mut q = vec![0; x.len()];
            let scale = quantise(&x, limit, &mut q);
            for (&i, &v) in q.iter().zip(&x) {
                prop_assert!(i.abs() <= limit);
                prop_assert!((f32::from(i) * scale - v).abs() <= scale * 0.51, "{} {}", i, v);
            }
        }
    }

    #[test]
    fn what_is_not_a_number_quantises_to_nothing() {
        let mut q = [7; 3];
        assert_eq!(quantise(&[0.0; 3], 100, &mut q), 0.0);
        assert_eq!(quantise(&[f32::INFINITY, 1.0, f32::NAN], 100, &mut q), 0.0);
        assert_eq!(q, [0; 3]);
    }
}
