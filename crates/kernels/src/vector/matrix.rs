//! Int8 matrices with one scale a row.

use super::dot::dots;
use super::{Simd, dot_i8};

/// Number of rows whose sums are scaled together: a multiple of the kernels' rows.
const BLOCK: usize = 48;

/// Vector as int8 with one scale: component i is about `scale * data[i]`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// Quantised components, in -127..=127.
    pub data: Vec<i8>,
    /// Value of one quantum.
    pub scale: f32,
}

impl QuantizedVector {
    /// Quantises a vector with its largest magnitude at 127. The zero vector has scale 0.
    pub fn from_f32(v: &[f32]) -> Self {
        let max = v.iter().fold(0.0f32, |m, x| if x.is_finite() { m.max(x.abs()) } else { m });
        if max == 0.0 {
            return QuantizedVector { data: vec![0; v.len()], scale: 0.0 };
        }
        let scale = max / 127.0;
        let data = v.iter().map(|x| (x / scale).round().clamp(-127.0, 127.0) as i8).collect();
        QuantizedVector { data, scale }
    }

    /// Converts back to floating point.
    pub fn to_f32(&self) -> Vec<f32> {
        self.data.iter().map(|&x| f32::from(x) * self.scale).collect()
    }
}

/// Row-major int8 matrix with one scale a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuantizedMatrix {
    dim: usize,
    data: Vec<i8>,
    scales: Vec<f32>,
}

/// Reason why arrays are not a quantised matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// The data is not rows x dimension long.
    #[error("{data} components are not {rows} rows of dimension {dim}")]
    Shape {
        /// Number of components given.
        data: usize,
        /// Number of scales given.
        rows: usize,
        /// Dimension given.
        dim: usize,
    },
    /// A scale is negative, infinite or not a number.
    #[error("the scale of row {0} is not a finite non-negative number")]
    Scale(usize),
}

impl QuantizedMatrix {
    /// Checks the parts and makes a matrix of them.
    ///
    /// # Errors
    /// [`MatrixError`] if lengths disagree or a scale is not a finite non-negative number.
    pub fn new(dim: usize, data: Vec<i8>, scales: Vec<f32>) -> Result<Self, MatrixError> {
        if scales.len().checked_mul(dim) != Some(data.len()) {
            return Err(MatrixError::Shape { data: data.len(), rows: scales.len(), dim });
        }
        if let Some(row) = scales.iter().position(|s| !(s.is_finite() && *s >= 0.0)) {
            return Err(MatrixError::Scale(row));
        }
        Ok(QuantizedMatrix { dim, data, scales })
    }

    /// Returns an empty matrix of dimension `dim`.
    pub fn empty(dim: usize) -> Self {
        QuantizedMatrix { dim, data: Vec::new(), scales: Vec::new() }
    }

    /// Appends a quantised row. Cuts a row of another dimension or pads it with zeros.
    pub fn push(&mut self, row: &QuantizedVector) {
        let mut data = row.data.clone();
        data.resize(self.dim, 0);
        self.data.extend_from_slice(&data);
        self.scales.push(row.scale);
    }

    /// Quantises rows of floats, each of dimension `dim`.
    pub fn from_rows<'a>(dim: usize, rows: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut m = Self::empty(dim);
        for row in rows {
            m.push(&QuantizedVector::from_f32(row));
        }
        m
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Number of components of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns components and scale of row `i`. Panics beyond the last row, as indexing a slice does.
    pub fn row(&self, i: usize) -> (&[i8], f32) {
        (&self.data[i * self.dim..(i + 1) * self.dim], self.scales[i])
    }

    /// Returns row `i` in floating point.
    pub fn row_f32(&self, i: usize) -> Vec<f32> {
        let (data, scale) = self.row(i);
        data.iter().map(|&x| f32::from(x) * scale).collect()
    }

    /// Returns the dot product of row `i` with `q`: the cosine, if both are unit vectors.
    pub fn dot(&self, i: usize, q: &QuantizedVector) -> f32 {
        let (data, scale) = self.row(i);
        dot_i8(data, &q.data) as f32 * scale * q.scale
    }

    /// Returns the dot products of all rows with `q`, in row order.
    pub fn scan(&self, q: &QuantizedVector) -> Vec<f32> {
        self.scan_with(Simd::detect(), q)
    }

    /// Runs [`QuantizedMatrix::scan`] on a given instruction set. The scores are the same.
    pub fn scan_with(&self, simd: Simd, q: &QuantizedVector) -> Vec<f32> {
        let query = q.data.get(..self.dim).unwrap_or(&q.data);
        let mut scores = Vec::with_capacity(self.rows());
        // In blocks whose sums stay in the nearest cache.
        let mut sums = [0; BLOCK];
        for (i, scales) in self.scales.chunks(BLOCK).enumerate() {
            let sums = &mut sums[..scales.len()];
            let rows = i * BLOCK * self.dim..(i * BLOCK + scales.len()) * self.dim;
            dots(simd, &self.data[rows], self.dim, query, sums);
            scores.extend(sums.iter().zip(scales).map(|(&sum, scale)| sum as f32 * scale * q.scale));
        }
        scores
    }

    /// Returns all components, row-major, and all scales.
    pub fn parts(&self) -> (&[i8], &[f32]) {
        (&self.data, &self.scales)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_scan_is_the_dot_product_of_every_row(
            dim in 0usize..90,
            rows in 0usize..9,
            seed in any::<u32>(),
            q in prop::collection::vec(-1.0f32..1.0, 0..100),
        ) {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as i8
            };
            let m = QuantizedMatrix::new(
                dim,
                (0..dim * rows).map(|_| next()).collect(),
                (0..rows).map(|_| f32::from(next()).abs()).collect(),
            )
            .unwrap();
            let q = QuantizedVector::from_f32(&q);
            let each: Vec<f32> = (0..rows).map(|i| m.dot(i, &q)).collect();
            for simd in Simd::available() {
                prop_assert_eq!(&m.scan_with(simd, &q), &each);
            }
        }
    }
}
