//! The coordinates that sketches are written in: the principal components of a corpus's vectors.

use nalgebra::{DMatrix, SymmetricEigen};
use pocketgraph_bundle::{PagedIndex, SKETCH_DIM, SketchIndex};
use pocketgraph_kernels::vector::QuantizedMatrix;

/// The covariance is taken of this many vectors at most, spread evenly over the corpus: more do not move it.
const SAMPLE: usize = 20_000;

/// Mean, principal components and spread of the vectors (each of `dim` components); no pages yet.
pub fn fit_sketches(vectors: &[Vec<f32>], dim: usize) -> SketchIndex {
    let sample: Vec<&[f32]> =
        vectors.iter().step_by(vectors.len().div_ceil(SAMPLE).max(1)).map(Vec::as_slice).collect();
    let n = sample.len().max(1) as f64;
    let mut mean = vec![0f64; dim];
    for v in &sample {
        mean.iter_mut().zip(*v).for_each(|(m, &x)| *m += f64::from(x) / n);
    }
    let mut covariance = DMatrix::<f64>::zeros(dim, dim);
    let mut centred = vec![0f64; dim];
    for v in &sample {
        for ((c, &x), m) in centred.iter_mut().zip(*v).zip(&mean) {
            *c = f64::from(x) - m;
        }
        for (j, &y) in centred.iter().enumerate() {
            let column = &mut covariance.as_mut_slice()[j * dim..j * dim + j + 1];
            column.iter_mut().zip(&centred).for_each(|(s, x)| *s += x * y / n);
        }
    }
    covariance.fill_lower_triangle_with_upper_triangle();
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..dim).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]).then(a.cmp(&b)));
    // Few vectors span fewer components than coordinates, and each costs 392 bytes before a first answer.
    let rank = sample.len().saturating_sub(1).clamp(1, SKETCH_DIM);
    order.truncate(rank);
    let rows: Vec<Vec<f32>> =
        order.iter().map(|&i| orient_vector(eigen.eigenvectors.column(i).as_slice())).collect();
    SketchIndex {
        pages: PagedIndex::empty(),
        mean: mean.iter().map(|&m| m as f32).collect(),
        basis: QuantizedMatrix::from_rows(dim, rows.iter().map(Vec::as_slice)),
        spread: order.iter().map(|&i| eigen.eigenvalues[i].max(0.0).sqrt() as f32).collect(),
    }
}

/// Orients an eigenvector so that its largest component is positive, since builds must agree.
fn orient_vector(v: &[f64]) -> Vec<f32> {
    let largest = v.iter().copied().fold(0f64, |m, x| if x.abs() > m.abs() { x } else { m });
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    v.iter().map(|&x| (sign * x) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Vectors near a plane in ten dimensions.
    fn near_a_plane(n: usize) -> Vec<Vec<f32>> {
        let mut random = Random::new(7, 0);
        (0..n)
            .map(|_| {
                let (a, b) = (random.unit() - 0.5, random.unit() - 0.5);
                let mut v: Vec<f32> = (0..10).map(|_| 0.01 * (random.unit() - 0.5) as f32).collect();
                v[2] += 0.5 + a as f32;
                v[7] += b as f32;
                v[8] -= b as f32;
                v
            })
            .collect()
    }

    #[test]
    fn the_first_components_are_those_along_which_the_vectors_spread() {
        let index = fit_sketches(&near_a_plane(500), 10);
        assert_eq!(index.basis.rows(), 10);
        assert!(index.spread.windows(2).all(|w| w[0] >= w[1]));
        let strongest = index.basis.row_f32(0);
        assert!(
            (strongest[7].abs() - 0.5f32.sqrt()).abs() < 0.02 && strongest[7] * strongest[8] < 0.0,
            "{strongest:?}"
        );
        assert!((index.basis.row_f32(1)[2] - 1.0).abs() < 0.02, "the largest component is positive");
    }

    #[test]
    fn products_of_sketches_are_near_those_of_the_vectors() {
        let vectors = near_a_plane(500);
        let index = fit_sketches(&vectors, 10);
        let question = &vectors[3];
        let against = index.against(question);
        for v in &vectors {
            let exact: f32 = v.iter().zip(question).map(|(a, b)| a * b).sum();
            assert!((against.product(&index.sketch(v)) - exact).abs() < 0.08);
        }
    }

    #[test]
    fn few_vectors_have_no_more_components_than_they_span() {
        let vectors = near_a_plane(6);
        let index = fit_sketches(&vectors, 10);
        assert_eq!(index.basis.rows(), 5);
        for v in &vectors {
            let exact: f32 = v.iter().zip(&vectors[0]).map(|(a, b)| a * b).sum();
            assert!((index.against(&vectors[0]).product(&index.sketch(v)) - exact).abs() < 0.08);
        }
    }

    #[test]
    fn equal_vectors_and_none_have_coordinates() {
        for vectors in [vec![vec![0.6f32, 0.8, 0.0]; 4], Vec::new()] {
            let index = fit_sketches(&vectors, 3);
            assert!(index.spread.iter().chain(&index.mean).all(|x| x.is_finite()));
            for v in &vectors {
                assert!((index.against(v).product(&index.sketch(v)) - 1.0).abs() < 0.02);
            }
        }
    }
}
