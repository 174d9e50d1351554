//! Embeds questions by the token table: a row for every token, whose sum approximates the model's vector,
//! from a few kilobytes a question.
//!
//! The table only ranks chunks by their sketches, so its rows are in the sketches' coordinates: a row's
//! products with the principal components and with the part of the corpus's mean outside them. These are a
//! quarter of a whole row's bytes.

use super::vocabulary::Vocabulary;
use crate::bundle::{
    Bundle, BundleError, Bytes, Kind, PagedIndex, Pages, SketchIndex, begin_section, open_section,
};
use crate::text::Tokenizer;
use futures::future::{FutureExt, LocalBoxFuture};
use std::rc::Rc;

/// Maximum number of tokens of a question.
const MAX_TOKENS: usize = 254;

/// The root of the token table: the pages of its rows, and the initial value of every sum.
#[derive(Debug, Clone, PartialEq)]
pub struct TableIndex {
    /// Pages; items are the rows of tokens, in the order of [`Vocabulary::row`].
    pub pages: PagedIndex,
    /// Coordinates that every sum begins with: one a component of the sketches, and one of the mean.
    pub bias: Vec<f32>,
}

impl TableIndex {
    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::TableIndex);
        self.pages.put(&mut out);
        self.bias.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        out
    }

    /// Reads the output of [`TableIndex::encode`]. Fails if the bytes are not such a section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::TableIndex)?;
        let pages = PagedIndex::take(&mut b)?;
        let mut bias = Vec::new();
        while b.left() > 0 {
            bias.push(b.f32()?);
        }
        Ok(TableIndex { pages, bias })
    }
}

/// Encodes a page of rows, given as coordinates: for each a scale and its coordinates in four bits, the first
/// in the low half of a byte, 8 for zero.
pub fn encode_rows(rows: &[Vec<f32>]) -> Vec<u8> {
    let mut out = begin_section(Kind::TableRows);
    for row in rows {
        let scale = best_scale(row);
        out.extend_from_slice(&scale.to_le_bytes());
        let half = |x: &f32| (round_level(*x, scale) + 8.0) as u8;
        out.extend(row.chunks(2).map(|two| half(&two[0]) | two.get(1).map_or(8, half) << 4));
    }
    out
}

fn round_level(x: f32, scale: f32) -> f32 {
    if scale > 0.0 { (x / scale).round().clamp(-7.0, 7.0) } else { 0.0 }
}

/// Returns the scale among several that loses least of the row.
fn best_scale(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0f32, |m, x| m.max(x.abs()));
    let loss = |scale: f32| row.iter().map(|&x| (x - round_level(x, scale) * scale).powi(2)).sum::<f32>();
    let scales = (0..12).map(|i| largest / 7.0 * (1.0 - 0.05 * i as f32));
    scales.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(0.0)
}

/// Number of bytes of a row of `n` coordinates.
fn row_width(n: usize) -> usize {
    4 + n.div_ceil(2)
}

fn decode_rows(file: &str, bytes: &[u8], rows: u32, width: usize) -> Result<Vec<u8>, BundleError> {
    let mut b = open_section(file, bytes, Kind::TableRows)?;
    if (rows as usize).checked_mul(width) != Some(b.left()) {
        return Err(b.corrupt("it holds another number of rows"));
    }
    Ok(b.rest().to_vec())
}

/// Adds a row, in the encoding of [`encode_rows`], to `sum`.
fn add_row(sum: &mut [f32], row: &[u8]) -> Result<(), BundleError> {
    let mut b = Bytes::new("table", row);
    let scale = b.f32()?;
    for (two, &byte) in sum.chunks_mut(2).zip(b.rest()) {
        for (x, half) in two.iter_mut().zip([byte & 15, byte >> 4]) {
            *x += (f32::from(half) - 8.0) * scale;
        }
    }
    Ok(())
}

/// Embeds questions by the bundle's token table.
pub struct TableEncoder {
    bundle: Bundle,
    vocabulary: Rc<Vocabulary>,
    index: Rc<TableIndex>,
    sketches: Rc<SketchIndex>,
}

impl TableEncoder {
    /// Returns true if the bundle has a token table for the model that made its vectors.
    pub fn is_in(bundle: &Bundle) -> bool {
        bundle.manifest().embedder.id == "minilm"
            && ["vocabulary", "table", "sketches"].iter().all(|s| bundle.has(s))
    }

    /// Loads the roots of the vocabulary and of the table. `sketches` is the root of the sketches. Fails if
    /// one cannot be loaded or they do not fit together.
    pub fn load<'a>(
        bundle: &'a Bundle,
        sketches: Rc<SketchIndex>,
    ) -> LocalBoxFuture<'a, Result<Self, BundleError>> {
        async move {
            let index = bundle.section("table", TableIndex::decode);
            let (vocabulary, index) = futures::future::try_join(Vocabulary::load(bundle), index).await?;
            if index.bias.len() != sketches.basis.rows() + 1 {
                return Err(BundleError::Corrupt {
                    file: "table".into(),
                    what: "it is in other coordinates than the sketches".into(),
                });
            }
            Ok(TableEncoder { bundle: bundle.clone(), vocabulary, index, sketches })
        }
        .boxed_local()
    }

    /// Number of pages of rows.
    pub fn page_count(&self) -> usize {
        self.index.pages.pages.len()
    }

    /// Loads the given pages of rows, as bytes.
    pub async fn pages(&self, numbers: &[usize]) -> Pages<Vec<u8>> {
        let width = row_width(self.index.bias.len());
        let decode = move |rows: u32, file: &str, bytes: &[u8]| decode_rows(file, bytes, rows, width);
        self.bundle.pages("table", &self.index.pages, numbers, decode).await
    }

    /// Returns a vector of length 1 for a text, to compare with sketches; `None` for a text without tokens.
    ///
    /// # Errors
    /// [`BundleError`] when a page of rows, or a range of the vocabulary, cannot be loaded.
    pub fn encode<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<f32>>, BundleError>> {
        async move {
            let cut = |tokenizer: &Tokenizer| tokenizer.cut(text, MAX_TOKENS);
            self.vocabulary.load_ranges(&self.bundle, &|tokenizer| cut(tokenizer).absent).await?;
            let ids = cut(&self.vocabulary.tokenizer()).ids;
            if ids.is_empty() {
                return Ok(None);
            }
            let rows: Vec<u32> = ids.into_iter().map(|id| self.vocabulary.row(id)).collect();
            let index = &self.index.pages;
            let width = row_width(self.index.bias.len());
            let pages = self.pages(index.pages_of(&rows).items()).await;
            if let Some(error) = pages.failed.into_iter().next() {
                return Err(error);
            }
            let mut sum = self.index.bias.clone();
            for &row in &rows {
                let row = index
                    .locate(row)
                    .and_then(|(page, place)| pages.loaded.get(&page)?.chunks_exact(width).nth(place));
                if let Some(row) = row {
                    add_row(&mut sum, row)?;
                }
            }
            let mut vector = self.sketches.raise(&sum);
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
            Ok((length.is_finite() && length > 0.0).then_some(vector))
        }
        .boxed_local()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::vector::QuantizedMatrix;
    use proptest::prelude::*;

    proptest! {
        /// The sum grows by the row, within half a step of its scale.
        #[test]
        fn a_row_comes_back_within_a_step(row in prop::collection::vec(-3.0f32..3.0, 1..12)) {
            let page = encode_rows(std::slice::from_ref(&row));
            let bytes = decode_rows("t", &page, 1, row_width(row.len())).unwrap();
            let mut sum = vec![1.0; row.len()];
            add_row(&mut sum, &bytes).unwrap();
            let largest = row.iter().fold(0f32, |m, x| m.max(x.abs()));
            for (s, x) in sum.iter().zip(&row) {
                prop_assert!((s - 1.0 - x).abs() <= largest * 0.5, "{} {}", s - 1.0, x);
            }
            let naive: f32 = row.iter().map(|x| x * x).sum();
            let lost: f32 = sum.iter().zip(&row).map(|(s, x)| (s - 1.0 - x).powi(2)).sum();
            prop_assert!(lost <= 0.03 * naive + 1e-6, "{} of {}", lost, naive);
        }

        #[test]
        fn any_bytes_are_a_section_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut whole = begin_section(Kind::TableIndex);
            whole.extend_from_slice(&bytes);
            let _ = TableIndex::decode("t", &whole);
            let _ = decode_rows("t", &bytes, 3, 53);
            let _ = add_row(&mut [0.0; 5], &bytes);
        }
    }

    #[test]
    fn the_root_reads_back_and_a_cut_one_is_refused() {
        let pages = PagedIndex {
            pages: vec![crate::bundle::PageRef { sha256: [3; crate::bundle::PAGE_HASH], bytes: 9, raw: 9 }],
            first: vec![0, 4],
        };
        let index = TableIndex { pages, bias: vec![0.5, -1.0, 2.0] };
        let bytes = index.encode();
        assert_eq!(TableIndex::decode("t", &bytes).unwrap(), index);
        assert!(TableIndex::decode("t", &bytes[..bytes.len() - 1]).is_err());
    }

    /// Down into the coordinates and up, a vector keeps its products with all that a sketch represents.
    #[test]
    fn coordinates_raised_again_give_the_products_of_the_vector_itself() {
        let rows = [[1.0f32, 0.0, 0.0, 0.0], [0.0, 0.6, 0.8, 0.0]];
        let sketches = SketchIndex {
            pages: PagedIndex::empty(),
            mean: vec![0.1, 0.2, 0.0, 0.3],
            basis: QuantizedMatrix::from_rows(4, rows.iter().map(|r| &r[..])),
            spread: vec![0.5, 0.25],
        };
        let v = [0.3f32, -0.4, 0.5, 0.7];
        let raised = sketches.raise(&sketches.plane_coordinates(&v));
        for sketch in [[0x33u8], [0x7f], [0x18]] {
            let lifted = sketches.lift(&sketches.read(&sketch));
            let product = |x: &[f32]| lifted.iter().zip(x).map(|(a, b)| a * b).sum::<f32>();
            assert!((product(&v) - product(&raised)).abs() < 0.01, "{} {}", product(&v), product(&raised));
        }
    }
}
