//! The vector sections: cells of chunk vectors, and the centroids by which readers choose cells.

use super::codec::{Kind, begin_section, open_section, put_matrix, take_matrix};
use super::error::BundleError;
use super::pages::PagedIndex;
use crate::vector::QuantizedMatrix;

/// The root of the vectors. Cell c holds the vectors of chunks `cells.first[c]..cells.first[c + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorIndex {
    /// Files of the cells; items are chunks.
    pub cells: PagedIndex,
    /// Mean of each cell's vectors, normalised: cells x d.
    pub centroids: QuantizedMatrix,
}

impl VectorIndex {
    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::VectorIndex);
        self.cells.put(&mut out);
        put_matrix(&mut out, &self.centroids);
        out
    }

    /// Reads the vector root of a bundle of `chunks` vectors of dimension `dim`. Fails if the bytes are not
    /// such a section, or counts differ from the manifest's.
    pub fn decode(file: &str, bytes: &[u8], chunks: u64, dim: u64) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::VectorIndex)?;
        let cells = PagedIndex::take(&mut b)?;
        let centroids = take_matrix(&mut b)?;
        b.end()?;
        if u64::from(cells.items()) != chunks
            || centroids.rows() != cells.pages.len()
            || (centroids.rows() > 0 && centroids.dim() as u64 != dim)
        {
            return Err(b.corrupt("its counts differ from the manifest's"));
        }
        Ok(VectorIndex { cells, centroids })
    }
}

/// Encodes a page of int8 vectors as `kind` ([`Kind::Vectors`] or [`Kind::Words`]).
pub fn encode_vectors(kind: Kind, m: &QuantizedMatrix) -> Vec<u8> {
    let mut out = begin_section(kind);
    put_matrix(&mut out, m);
    out
}

/// Reads exactly `rows` vectors of dimension `dim` from [`encode_vectors`]. Fails on other bytes.
pub fn decode_vectors(
    file: &str,
    bytes: &[u8],
    kind: Kind,
    rows: u32,
    dim: u64,
) -> Result<QuantizedMatrix, BundleError> {
    let mut b = open_section(file, bytes, kind)?;
    let m = take_matrix(&mut b)?;
    b.end()?;
    if m.rows() != rows as usize || m.dim() as u64 != dim {
        return Err(b.corrupt("it holds another number of vectors, or vectors of another dimension"));
    }
    Ok(m)
}
