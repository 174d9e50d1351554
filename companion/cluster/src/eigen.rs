//! A few extreme eigenvectors of a large sparse symmetric matrix.

use super::Random;
use nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

/// Components summed by one thread before sums are added in order: fixed, so that threads do not change the
/// result.
const RUN: usize = 4096;

/// Eigenvectors with their eigenvalues, largest first.
#[derive(Debug, Clone)]
pub struct Eigenpairs {
    /// The eigenvalues, largest first.
    pub values: Vec<f64>,
    /// One unit vector an eigenvalue.
    pub vectors: Vec<Vec<f64>>,
    /// The largest norm of A v - lambda v over the pairs.
    pub residual: f64,
}

/// Returns the `count` largest eigenpairs of the symmetric operator `apply` (y = A x) of dimension `n`.
///
/// Uses Lanczos' method with full reorthogonalisation and thick restarts (Wu and Simon, 2000). If the space
/// closes early, as for repeated eigenvalues and small matrices, it continues from a random direction, to
/// find every copy. Stops at residuals below `tolerance`, or after `restarts` restarts.
pub fn largest_eigenpairs(
    n: usize,
    count: usize,
    tolerance: f64,
    restarts: usize,
    seed: u64,
    apply: impl Fn(&[f64], &mut [f64]) + Sync,
) -> Eigenpairs {
    let count = count.min(n);
    if count == 0 {
        return Eigenpairs { values: Vec::new(), vectors: Vec::new(), residual: 0.0 };
    }
    let size = (2 * count + 30).min(n);
    let keep = (count + 10).min(size.saturating_sub(1)).max(count.min(size));
    let mut random = Random::new(seed, 0x6569_6765);
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(size + 1);
    basis.push(fresh_direction(n, &basis, &mut random).unwrap_or_else(|| vec![0.0; n]));
    // The operator seen from the basis, filled column by column.
    let mut projected = DMatrix::<f64>::zeros(size, size);
    let mut filled = 0;
    let mut image = vec![0.0; n];
    for round in 0.. {
        let mut last = 0.0;
        while filled < size {
            apply(&basis[filled], &mut image);
            let along = orthogonalise(&basis, &mut image);
            for (i, &h) in along.iter().enumerate().take(filled + 1) {
                projected[(i, filled)] = h;
                projected[(filled, i)] = h;
            }
            filled += 1;
            last = norm(&image);
            let scale = along.iter().fold(1e-300f64, |m, h| m.max(h.abs()));
            if last > 1e-10 * scale {
                image.iter_mut().for_each(|x| *x /= last);
                basis.push(image.clone());
            } else {
                last = 0.0;
                match fresh_direction(n, &basis, &mut random) {
                    Some(direction) => basis.push(direction),
                    // The basis spans the whole space.
                    None => basis.push(vec![0.0; n]),
                }
            }
        }
        let eigen = SymmetricEigen::new(projected.clone());
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        // The residual of a Ritz pair is the last component of its small eigenvector times the last step's
        // rest.
        let residual = order
            .iter()
            .take(count)
            .map(|&j| (last * eigen.eigenvectors[(size - 1, j)]).abs())
            .fold(0.0, f64::max);
        let done = residual <= tolerance || round >= restarts || size == n;
        let wanted = if done { count } else { keep };
        let chosen: Vec<usize> = order.into_iter().take(wanted).collect();
        let ritz: Vec<Vec<f64>> = chosen
            .par_iter()
            .map(|&j| {
                let mut v = vec![0.0; n];
                for (i, b) in basis.iter().take(size).enumerate() {
                    let weight = eigen.eigenvectors[(i, j)];
                    v.iter_mut().zip(b).for_each(|(v, b)| *v += weight * b);
                }
                v
            })
            .collect();
        let values: Vec<f64> = chosen.iter().map(|&j| eigen.eigenvalues[j]).collect();
        if done {
            return Eigenpairs { values, vectors: ritz, residual };
        }
        let next = basis.pop();
        basis = ritz;
        basis.extend(next);
        projected.fill(0.0);
        values.iter().enumerate().for_each(|(i, &v)| projected[(i, i)] = v);
        filled = keep;
    }
    Eigenpairs { values: Vec::new(), vectors: Vec::new(), residual: f64::INFINITY }
}

/// A unit vector at right angles to the basis, if there is room for one.
fn fresh_direction(n: usize, basis: &[Vec<f64>], random: &mut Random) -> Option<Vec<f64>> {
    if basis.len() >= n {
        return None;
    }
    for _ in 0..5 {
        let mut v: Vec<f64> = (0..n).map(|_| random.unit() - 0.5).collect();
        let before = norm(&v);
        orthogonalise(basis, &mut v);
        let after = norm(&v);
        if after > 1e-8 * before {
            v.iter_mut().for_each(|x| *x /= after);
            return Some(v);
        }
    }
    None
}

/// Takes from `v` its parts along the basis, twice (once is not enough in floating point), and returns those
/// parts.
fn orthogonalise(basis: &[Vec<f64>], v: &mut [f64]) -> Vec<f64> {
    let mut total = vec![0.0; basis.len()];
    for _ in 0..2 {
        // Short vectors are not worth a thread each.
        let parts: Vec<f64> =
            basis.par_iter().with_min_len(1 + 50_000 / v.len().max(1)).map(|b| dot(b, v)).collect();
        v.par_chunks_mut(RUN).enumerate().for_each(|(c, chunk)| {
            for (b, part) in basis.iter().zip(&parts) {
                let b = &b[c * RUN..c * RUN + chunk.len()];
                chunk.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
            }
        });
        total.iter_mut().zip(parts).for_each(|(t, p)| *t += p);
    }
    total
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Eight sums side by side, so that the compiler can use vector registers; their order is fixed.
    let mut sums = [0.0f64; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (x, y) in a8.iter().zip(b8) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(matrix: &DMatrix<f64>, count: usize) -> Eigenpairs {
        let n = matrix.nrows();
        largest_eigenpairs(n, count, 1e-9, 200, 1, |x, y| {
            for (i, y) in y.iter_mut().enumerate() {
                *y = (0..n).map(|j| matrix[(i, j)] * x[j]).sum();
            }
        })
    }

    #[test]
    fn eigenvalues_equal_those_of_the_dense_method() {
        for n in [1, 2, 5, 40, 150] {
            let mut random = Random::new(n as u64, 1);
            let a = DMatrix::from_fn(n, n, |_, _| random.unit() - 0.5);
            let a = &a + a.transpose();
            let mut expected: Vec<f64> = SymmetricEigen::new(a.clone()).eigenvalues.iter().copied().collect();
            expected.sort_by(|x, y| y.total_cmp(x));
            let found = of(&a, 6);
            assert_eq!(found.values.len(), 6.min(n));
            for (value, expected) in found.values.iter().zip(&expected) {
                assert!((value - expected).abs() < 1e-7, "{n}: {value} {expected}");
            }
            for (value, v) in found.values.iter().zip(&found.vectors) {
                let image = &a * nalgebra::DVector::from_column_slice(v);
                assert!(
                    (norm(v) - 1.0).abs() < 1e-9
                        && image.iter().zip(v).all(|(x, y)| (x - value * y).abs() < 1e-6)
                );
            }
        }
    }

    #[test]
    fn repeated_eigenvalues_are_all_found() {
        let diagonal: Vec<f64> = (0..60).map(|i| if i < 4 { 2.0 } else { 1.0 / f64::from(i) }).collect();
        let found = of(&DMatrix::from_diagonal(&nalgebra::DVector::from_vec(diagonal)), 5);
        assert!(
            found.values[..4].iter().all(|v| (v - 2.0).abs() < 1e-8) && (found.values[4] - 0.25).abs() < 1e-8,
            "{:?}",
            found.values
        );
    }

    #[test]
    fn the_zero_matrix_has_eigenvectors_too() {
        let found = of(&DMatrix::zeros(50, 50), 3);
        assert!(
            found.values.iter().all(|v| v.abs() < 1e-12)
                && found.vectors.iter().all(|v| (norm(v) - 1.0).abs() < 1e-9)
        );
    }
}
