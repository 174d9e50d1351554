//! Fits Gaussian mixtures with diagonal covariances by expectation and maximisation (Dempster, Laird and
//! Rubin, 1977), with the number of components by the Bayesian information criterion (Schwarz, 1978).

use crate::Random;
use rayon::prelude::*;

/// Variances are not below this: a component of equal rows would otherwise be infinitely likely.
const LEAST_VARIANCE: f64 = 1e-6;
const ROUNDS: usize = 60;
/// Improvement of the mean log-likelihood at which fitting ends.
const ENOUGH: f64 = 1e-4;
/// Logarithm of the share below which a row counts as no part of a component: a millionth of a millionth.
const LEAST_SHARE: f64 = -27.6;

/// A mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// Logarithms of the components' shares.
    log_weights: Vec<f64>,
    means: Vec<Vec<f64>>,
    variances: Vec<Vec<f64>>,
    /// The logarithm of the likelihood of the rows that it was fitted to.
    pub log_likelihood: f64,
}

fn log_sum(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        most
    } else {
        most + values.iter().map(|v| (v - most).exp()).sum::<f64>().ln()
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// k-means++ (Arthur and Vassilvitskii, 2007): rows far from those chosen are likelier to be next.
fn pick_centres(rows: &[Vec<f64>], k: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let mut out = vec![rows[random.below(rows.len())].clone()];
    let mut far: Vec<f64> = rows.iter().map(|r| squared_distance(r, &out[0])).collect();
    while out.len() < k {
        let mut draw = random.unit() * far.iter().sum::<f64>();
        let next = far.iter().position(|&d| {
            draw -= d;
            draw < 0.0
        });
        // All rows chosen or equal to one chosen: any will do.
        let next = rows[next.unwrap_or_else(|| random.below(rows.len()))].clone();
        far.iter_mut().zip(rows).for_each(|(d, r)| *d = d.min(squared_distance(r, &next)));
        out.push(next);
    }
    out
}

/// A mixture with the parts of its densities that are the same for every row.
struct Densities<'m> {
    /// Logarithm of a component's share times its density at its mean.
    factors: Vec<f64>,
    means: &'m [Vec<f64>],
    /// One half over each variance.
    halves: Vec<Vec<f64>>,
}

impl Densities<'_> {
    /// The logarithms of the components' shares times their densities at a row.
    fn logs(&self, row: &[f64], out: &mut [f64]) {
        for (((log, factor), mean), half) in
            out.iter_mut().zip(&self.factors).zip(self.means).zip(&self.halves)
        {
            *log =
                factor - row.iter().zip(mean).zip(half).map(|((x, m), h)| (x - m) * (x - m) * h).sum::<f64>();
        }
    }
}

impl Mixture {
    /// Fits `k` components (at least one) to rows (at least one) of equal length, by `seed`.
    pub fn fit(rows: &[Vec<f64>], k: usize, seed: u64) -> Mixture {
        let (n, d) = (rows.len() as f64, rows[0].len());
        let mut random = Random::new(seed, 0x676d_6d00 + k as u64);
        let mean: Vec<f64> = (0..d).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / n).collect();
        let spread: Vec<f64> = (0..d)
            .map(|j| (rows.iter().map(|r| (r[j] - mean[j]).powi(2)).sum::<f64>() / n).max(LEAST_VARIANCE))
            .collect();
        let mut out = Mixture {
            log_weights: vec![-(k as f64).ln(); k],
            means: pick_centres(rows, k, &mut random),
            variances: vec![spread; k],
            log_likelihood: f64::NEG_INFINITY,
        };
        let mut logs = vec![0f64; k];
        for _ in 0..ROUNDS {
            let mut sums = vec![0f64; k];
            let (mut first, mut second) = (vec![vec![0f64; d]; k], vec![vec![0f64; d]; k]);
            let mut likelihood = 0.0;
            let densities = out.densities();
            for row in rows {
                densities.logs(row, &mut logs);
                let all = log_sum(&logs);
                likelihood += all;
                for (c, log) in logs.iter().enumerate() {
                    // Most rows belong to one or two components, so that few of these are worth an
                    // exponential.
                    if log - all > LEAST_SHARE {
                        let p = (log - all).exp();
                        sums[c] += p;
                        for ((f, s), x) in first[c].iter_mut().zip(&mut second[c]).zip(row) {
                            *f += p * x;
                            *s += p * x * x;
                        }
                    }
                }
            }
            let better = likelihood - out.log_likelihood;
            out.log_likelihood = likelihood;
            if better.is_finite() && better < ENOUGH * n {
                break;
            }
            for c in 0..k {
                out.log_weights[c] = (sums[c] / n).ln();
                // A component that nothing belongs to stays where it is, without weight.
                if sums[c] > 1e-9 {
                    for j in 0..d {
                        let m = first[c][j] / sums[c];
                        out.means[c][j] = m;
                        out.variances[c][j] = (second[c][j] / sums[c] - m * m).max(LEAST_VARIANCE);
                    }
                }
            }
        }
        out
    }

    fn densities(&self) -> Densities<'_> {
        let factor = |(w, v): (&f64, &Vec<f64>)| {
            w - 0.5 * v.iter().map(|v| (std::f64::consts::TAU * v).ln()).sum::<f64>()
        };
        Densities {
            factors: self.log_weights.iter().zip(&self.variances).map(factor).collect(),
            means: &self.means,
            halves: self.variances.iter().map(|v| v.iter().map(|v| 0.5 / v).collect()).collect(),
        }
    }

    /// Returns the probabilities that a row belongs to each component; they sum to 1.
    pub fn posterior(&self, row: &[f64]) -> Vec<f64> {
        let mut logs = vec![0f64; self.means.len()];
        self.densities().logs(row, &mut logs);
        let all = log_sum(&logs);
        logs.iter().map(|l| (l - all).exp()).collect()
    }

    /// -2 ln L + p ln n: smaller is better; p counts means, variances and shares.
    pub fn criterion(&self, rows: usize) -> f64 {
        let (k, d) = (self.means.len(), self.means.first().map_or(0, Vec::len));
        let parameters = 2 * k * d + k - 1;
        -2.0 * self.log_likelihood + parameters as f64 * (rows.max(1) as f64).ln()
    }
}

/// Returns the mixture of 1 to `most` components with the smallest criterion, with at most one component for
/// two rows, and the smaller number of two equal ones. `None` without rows.
pub fn best_mixture(rows: &[Vec<f64>], most: usize, seed: u64) -> Option<Mixture> {
    if rows.is_empty() {
        return None;
    }
    let most = most.min(rows.len() / 2).max(1);
    let all: Vec<Mixture> = (1..=most).into_par_iter().map(|k| Mixture::fit(rows, k, seed)).collect();
    all.into_iter().min_by(|a, b| a.criterion(rows.len()).total_cmp(&b.criterion(rows.len())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sum of uniform numbers: near enough to a bell.
    fn bell(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    fn blobs(centres: &[[f64; 2]], each: usize, spread: f64) -> Vec<Vec<f64>> {
        let mut random = Random::new(7, 0);
        centres
            .iter()
            .flat_map(|c| std::iter::repeat_n(*c, each))
            .map(|c| c.iter().map(|x| x + spread * bell(&mut random)).collect())
            .collect()
    }

    #[test]
    fn the_criterion_finds_the_number_of_blobs_and_their_members() {
        for centres in [&[[0.0, 0.0]][..], &[[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]] {
            let rows = blobs(centres, 40, 0.5);
            let m = best_mixture(&rows, 12, 1).unwrap();
            assert_eq!(m.means.len(), centres.len());
            for group in rows.chunks(40) {
                let of = |r: &Vec<f64>| {
                    m.posterior(r).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|x| x.0)
                };
                assert!(group.iter().all(|r| of(r) == of(&group[0])));
            }
        }
    }

    #[test]
    fn one_gaussian_has_the_mean_the_variance_and_the_likelihood_of_its_rows() {
        let rows = blobs(&[[3.0, -1.0]], 200, 2.0);
        let m = Mixture::fit(&rows, 1, 0);
        let n = rows.len() as f64;
        let mut wanted = 0.0;
        for j in 0..2 {
            let mean = rows.iter().map(|r| r[j]).sum::<f64>() / n;
            let variance = rows.iter().map(|r| (r[j] - mean).powi(2)).sum::<f64>() / n;
            assert!((m.means[0][j] - mean).abs() < 1e-9 && (m.variances[0][j] - variance).abs() < 1e-9);
            wanted += -0.5 * n * ((std::f64::consts::TAU * variance).ln() + 1.0);
        }
        assert!((m.log_likelihood - wanted).abs() < 1e-6 * wanted.abs());
    }

    proptest! {
        #[test]
        fn posteriors_are_shares_whatever_the_rows(
            rows in prop::collection::vec(prop::collection::vec(-5.0f64..5.0, 3), 1..30),
            repeat in 1usize..4,
            seed in any::<u64>(),
        ) {
            let rows: Vec<Vec<f64>> =
                rows.iter().flat_map(|r| std::iter::repeat_n(r.clone(), repeat)).collect();
            let m = best_mixture(&rows, 6, seed).unwrap();
            prop_assert!(m.means.len() <= (rows.len() / 2).max(1) && m.log_likelihood.is_finite());
            for r in &rows {
                let p = m.posterior(r);
                prop_assert!(
                    (p.iter().sum::<f64>() - 1.0).abs() < 1e-9
                        && p.iter().all(|x| (0.0..=1.0 + 1e-12).contains(x)),
                    "{p:?}"
                );
            }
            prop_assert_eq!(m, best_mixture(&rows, 6, seed).unwrap());
        }
    }

    #[test]
    fn a_component_of_equal_rows_keeps_the_least_variance_and_stays_likely_to_a_finite_degree() {
        let mut rows = vec![vec![9.0, -9.0]; 20];
        rows.extend(blobs(&[[0.0, 0.0]], 20, 0.5));
        let m = Mixture::fit(&rows, 2, 0);
        let of = |row: &[f64]| {
            m.posterior(row).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|x| x.0).unwrap()
        };
        let (equal, spread) = (of(&rows[0]), of(&rows[20]));
        assert_ne!(equal, spread);
        // The floor also takes up what rounding leaves of a sum of squares less a square.
        assert!(
            m.variances[equal].iter().all(|v| (LEAST_VARIANCE..10.0 * LEAST_VARIANCE).contains(v)),
            "{:?}",
            m.variances
        );
        assert!(m.variances[spread].iter().all(|v| *v > 0.1));
        assert!(m.log_likelihood.is_finite() && m.criterion(rows.len()).is_finite());
        assert!(m.posterior(&[9.0, -9.1]).iter().all(|p| p.is_finite()), "nor beside it");
    }

    #[test]
    fn equal_rows_are_one_component_and_no_rows_none() {
        assert_eq!(best_mixture(&vec![vec![1.0, 2.0]; 9], 4, 0).unwrap().means.len(), 1);
        assert!(best_mixture(&[], 4, 0).is_none());
    }
}
