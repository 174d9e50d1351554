//! Sketches: each chunk's vector in 48 bytes, so that a reader ranks by meaning before the vectors arrive.
//!
//! A sketch has the coordinates of a vector along the corpus's principal components, in four bits each, in
//! units of the coordinate's standard deviation. 96 of 384 components reorder BM25's best hits without loss
//! (docs/benchmarks/first-seconds.md), in an eighth of the bytes.

use super::codec::{Bytes, Kind, begin_section, open_section, put_matrix, take_matrix};
use super::error::BundleError;
use super::pages::PagedIndex;
use crate::vector::{QuantizedMatrix, QuantizedVector, dot_f32};

/// Number of components of a sketch, if the vectors have as many.
pub const SKETCH_DIM: usize = 96;

/// Distance of two levels in standard deviations: optimal for a normal distribution and sixteen levels.
const STEP: f32 = 0.3352;

/// The root of the sketches: their pages and coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct SketchIndex {
    /// Pages; items are chunks.
    pub pages: PagedIndex,
    /// Mean of all vectors: d components.
    pub mean: Vec<f32>,
    /// Principal components, strongest first: k rows of d, each about a unit vector.
    pub basis: QuantizedMatrix,
    /// Standard deviation along each component: k.
    pub spread: Vec<f32>,
}

impl SketchIndex {
    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::SketchIndex);
        self.pages.put(&mut out);
        put_matrix(&mut out, &self.basis);
        for x in self.mean.iter().chain(&self.spread) {
            out.extend_from_slice(&x.to_le_bytes());
        }
        out
    }

    /// Reads the root of a bundle of `chunks` vectors of dimension `dim`. Fails if the bytes are not such a
    /// section, or counts differ from the manifest's.
    pub fn decode(file: &str, bytes: &[u8], chunks: u64, dim: u64) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::SketchIndex)?;
        let pages = PagedIndex::take(&mut b)?;
        let basis = take_matrix(&mut b)?;
        if u64::from(pages.items()) != chunks || basis.dim() as u64 != dim || basis.rows() == 0 {
            return Err(b.corrupt("its counts differ from the manifest's"));
        }
        let mean = take_finite(&mut b, basis.dim())?;
        let spread = take_finite(&mut b, basis.rows())?;
        b.end()?;
        Ok(SketchIndex { pages, mean, basis, spread })
    }

    /// Number of bytes of a sketch.
    pub fn width(&self) -> usize {
        self.basis.rows().div_ceil(2)
    }

    /// Returns the k coordinates of `vector` (d components) along the components, relative to the mean.
    pub fn coordinates(&self, vector: &[f32]) -> Vec<f32> {
        let centred: Vec<f32> = vector.iter().zip(&self.mean).map(|(x, m)| x - m).collect();
        let q = QuantizedVector::from_f32(&centred);
        (0..self.basis.rows()).map(|i| self.basis.dot(i, &q)).collect()
    }

    /// Returns a vector's sketch of [`SketchIndex::width`] bytes, first coordinate in the low half of byte 0.
    pub fn sketch(&self, vector: &[f32]) -> Vec<u8> {
        let level = |(x, s): (&f32, &f32)| {
            if *s > 0.0 { (x / s / STEP + 7.5).round().clamp(0.0, 15.0) as u8 } else { 7 }
        };
        let levels: Vec<u8> = self.coordinates(vector).iter().zip(&self.spread).map(level).collect();
        levels.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 4).collect()
    }

    /// Returns the coordinates of a sketch; missing bytes count as zero.
    pub fn read(&self, sketch: &[u8]) -> Vec<f32> {
        let byte = |i: usize| sketch.get(i / 2).copied().unwrap_or(0);
        let level = |i: usize| byte(i) >> (4 * (i % 2)) & 15;
        self.spread.iter().enumerate().map(|(i, s)| (f32::from(level(i)) - 7.5) * STEP * s).collect()
    }

    /// Returns the vector that has these coordinates: d components.
    pub fn lift(&self, coordinates: &[f32]) -> Vec<f32> {
        let mut out = self.mean.clone();
        for (i, &c) in coordinates.iter().enumerate().take(self.basis.rows()) {
            let (row, scale) = self.basis.row(i);
            out.iter_mut().zip(row).for_each(|(o, &x)| *o += c * scale * f32::from(x));
        }
        out
    }

    /// Returns the unit vector along the part of the mean outside all components; zeros if there is none.
    fn mean_direction(&self) -> Vec<f32> {
        let mut rest = self.mean.clone();
        for i in 0..self.basis.rows() {
            let row = self.basis.row_f32(i);
            let share = dot_f32(&row, &rest);
            rest.iter_mut().zip(&row).for_each(|(r, b)| *r -= share * b);
        }
        let length = rest.iter().map(|x| x * x).sum::<f32>().sqrt();
        rest.iter_mut().for_each(|x| *x = if length > 1e-6 { *x / length } else { 0.0 });
        rest
    }

    /// Returns a vector's products with the components and the part of the mean outside them.
    pub fn plane_coordinates(&self, vector: &[f32]) -> Vec<f32> {
        (0..self.basis.rows())
            .map(|i| self.basis.row_f32(i))
            .chain([self.mean_direction()])
            .map(|row| dot_f32(&row, vector))
            .collect()
    }

    /// Returns the shortest vector that has the products `coordinates` with the components and the mean.
    pub fn raise(&self, coordinates: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; self.mean.len()];
        for (i, &c) in coordinates.iter().enumerate() {
            let row = if i < self.basis.rows() { self.basis.row_f32(i) } else { self.mean_direction() };
            out.iter_mut().zip(&row).for_each(|(o, x)| *o += c * x);
        }
        out
    }

    /// Prepares `vector` for comparisons with sketches.
    pub fn against(&self, vector: &[f32]) -> Against {
        // A sketch represents mean + sum c_i b_i: its product with the vector is a constant and a sum over
        // c_i.
        let q = QuantizedVector::from_f32(vector);
        let factor = |(i, s): (usize, &f32)| self.basis.dot(i, &q) * s * STEP;
        let factors: Vec<f32> = self.spread.iter().enumerate().map(factor).collect();
        let of_mean = dot_f32(&self.mean, vector);
        let middle: f32 = factors.iter().sum::<f32>() * 7.5;
        Against { constant: of_mean - middle, factors }
    }
}

/// A vector, ready to be compared with sketches.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    constant: f32,
    factors: Vec<f32>,
}

impl Against {
    /// Returns the product of the vector with the sketched one: about their cosine if both have length 1.
    pub fn product(&self, sketch: &[u8]) -> f32 {
        let pair = |(two, &byte): (&[f32], &u8)| {
            two[0] * f32::from(byte & 15) + two.get(1).map_or(0.0, |second| second * f32::from(byte >> 4))
        };
        self.constant + self.factors.chunks(2).zip(sketch).map(pair).sum::<f32>()
    }
}

fn take_finite(b: &mut Bytes<'_>, n: usize) -> Result<Vec<f32>, BundleError> {
    if n.checked_mul(4).is_none_or(|bytes| bytes > b.left()) {
        return Err(b.corrupt("it is shorter than its counts say"));
    }
    let all = (0..n).map(|_| b.f32()).collect::<Result<Vec<_>, _>>()?;
    if all.iter().all(|x| x.is_finite()) { Ok(all) } else { Err(b.corrupt("a number is not finite")) }
}

/// Encodes a page of sketches, one after the other.
pub fn encode_sketches(sketches: &[u8]) -> Vec<u8> {
    let mut out = begin_section(Kind::Sketches);
    out.extend_from_slice(sketches);
    out
}

/// Reads the output of [`encode_sketches`]: `rows` sketches of `width` bytes; fails for other bytes.
pub fn decode_sketches(file: &str, bytes: &[u8], rows: u32, width: usize) -> Result<Vec<u8>, BundleError> {
    let mut b = open_section(file, bytes, Kind::Sketches)?;
    if (rows as usize).checked_mul(width) != Some(b.left()) {
        return Err(b.corrupt("it holds another number of sketches"));
    }
    Ok(b.take(b.left())?.to_vec())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Three components of five dimensions, and a mean.
    fn index() -> SketchIndex {
        let rows = [[1.0f32, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]];
        SketchIndex {
            pages: PagedIndex::empty(),
            mean: vec![0.1, 0.0, 0.2, 0.0, 0.0],
            basis: QuantizedMatrix::from_rows(5, rows.iter().map(|r| &r[..])),
            spread: vec![0.5, 0.25, 0.0],
        }
    }

    proptest! {
        /// The fast product equals the product with the vector that the sketch represents.
        #[test]
        fn the_product_is_that_with_the_lifted_sketch(
            v in prop::collection::vec(-1.0f32..1.0, 5),
            q in prop::collection::vec(-1.0f32..1.0, 5),
        ) {
            let index = index();
            let sketch = index.sketch(&v);
            prop_assert_eq!(sketch.len(), index.width());
            let lifted = index.lift(&index.read(&sketch));
            let naive: f32 = lifted.iter().zip(&q).map(|(a, b)| a * b).sum();
            prop_assert!((index.against(&q).product(&sketch) - naive).abs() < 0.02);
        }

        /// A coordinate within the levels comes back within half a step.
        #[test]
        fn a_coordinate_comes_back_within_half_a_step(x in -0.8f32..1.2, y in -0.6f32..0.6) {
            let index = index();
            let read = index.read(&index.sketch(&[x, y, 0.3, 0.4, 0.0]));
            let (a, b) = ((x - 0.1).clamp(-1.2, 1.2), y);
            prop_assert!((read[0] - a).abs() < 0.5 * STEP * 0.5 + 0.02, "{} {}", read[0], a);
            prop_assert!((read[1] - b).abs() < 0.25 * STEP * 0.5 + 0.02);
            prop_assert_eq!(read[2], 0.0);
        }

        #[test]
        fn any_bytes_are_a_section_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut whole = begin_section(Kind::SketchIndex);
            whole.extend_from_slice(&bytes);
            let _ = SketchIndex::decode("t", &whole, 3, 5);
            let _ = decode_sketches("t", &bytes, 2, 48);
        }
    }

    #[test]
    fn the_root_and_a_page_read_back() {
        let mut index = index();
        index.pages = PagedIndex {
            pages: vec![crate::bundle::PageRef { sha256: [7; crate::bundle::PAGE_HASH], bytes: 12, raw: 12 }],
            first: vec![0, 2],
        };
        assert_eq!(SketchIndex::decode("t", &index.encode(), 2, 5).unwrap(), index);
        assert_eq!(SketchIndex::decode("t", &index.encode(), 3, 5).unwrap_err().code(), "corrupt");
        let cut = &index.encode()[..index.encode().len() - 1];
        assert!(SketchIndex::decode("t", cut, 2, 5).is_err());
        let page = encode_sketches(&[1, 2, 3, 4]);
        assert_eq!(decode_sketches("t", &page, 2, 2).unwrap(), [1, 2, 3, 4]);
        assert!(decode_sketches("t", &page, 3, 2).is_err());
    }
}
