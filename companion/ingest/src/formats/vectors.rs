//! Vectors that were made elsewhere: matrices in `.npy` and `.safetensors` files.

use super::IngestError;
use super::npy::{self, Number};
use half::f16;
use safetensors::{Dtype, SafeTensors};
use std::path::Path;

/// A dimension above this is a mistake, not an embedding.
pub(crate) const MAX_DIMENSION: usize = 1 << 16;

/// Vectors read from files, not normalised.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vectors {
    /// Numbers a row.
    pub dimension: usize,
    /// The rows; every number is finite. Each has memory of its own: rows are brought into another order, and handed on, without a second copy of a million.
    pub rows: Vec<Vec<f32>>,
}

/// Reads a matrix of finite f32 or f16 numbers from a `.npy` or `.safetensors` file (one tensor, or the one called `vectors` or `embeddings`).
pub fn read_vectors(path: &Path) -> Result<Vectors, IngestError> {
    let bytes = std::fs::read(path).map_err(|source| IngestError::Read { path: path.to_owned(), source })?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let read = match extension.as_str() {
        "npy" => from_npy(&bytes),
        "safetensors" => from_safetensors(&bytes),
        _ => Err("expected vectors in a .npy or .safetensors file".into()),
    };
    read.map_err(|reason| bad(path, reason))
}

pub(crate) fn bad(path: &Path, reason: String) -> IngestError {
    IngestError::Unusable { path: path.to_owned(), reason }
}

pub(crate) fn from_npy(bytes: &[u8]) -> Result<Vectors, String> {
    let header = npy::header(bytes)?;
    matrix(header.rows, header.columns, header.number, bytes.get(header.data..).unwrap_or(&[]))
}

pub(crate) fn from_safetensors(bytes: &[u8]) -> Result<Vectors, String> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| format!("not a .safetensors file: {e}"))?;
    let names = file.names();
    let name = match names.as_slice() {
        [one] => one.to_string(),
        many => ["vectors", "embeddings"]
            .iter()
            .find(|n| many.iter().any(|m| *m == **n))
            .map(|n| n.to_string())
            .ok_or_else(|| format!("{} tensors, none called \"vectors\" or \"embeddings\"", many.len()))?,
    };
    let tensor = file.tensor(&name).map_err(|e| e.to_string())?;
    let number = match tensor.dtype() {
        Dtype::F32 => Number::F32,
        Dtype::F16 => Number::F16,
        other => return Err(format!("tensor \"{name}\" is {other:?}: expected F32 or F16")),
    };
    let &[rows, columns] = tensor.shape() else {
        return Err(format!("tensor \"{name}\" has shape {:?}: expected a matrix, [chunks, dimension]", tensor.shape()));
    };
    matrix(rows, columns, number, tensor.data())
}

fn matrix(rows: usize, dimension: usize, number: Number, data: &[u8]) -> Result<Vectors, String> {
    if dimension == 0 || dimension > MAX_DIMENSION {
        return Err(format!("dimension {dimension}: expected 1 to {MAX_DIMENSION}"));
    }
    let wanted = rows.checked_mul(dimension).and_then(|n| n.checked_mul(number.bytes()));
    if wanted != Some(data.len()) {
        return Err(format!("a {rows} x {dimension} matrix of {}-byte numbers, but {} bytes of data", number.bytes(), data.len()));
    }
    let numbers = |row: &[u8]| -> Vec<f32> {
        match number {
            Number::F32 => row.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
            Number::F16 => row.as_chunks::<2>().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect(),
        }
    };
    let mut out = Vectors { dimension, rows: Vec::with_capacity(rows) };
    for (at, row) in data.chunks_exact(dimension * number.bytes()).map(numbers).enumerate() {
        if let Some(column) = row.iter().position(|x| !x.is_finite()) {
            return Err(format!("row {at}, column {column}: {} is not a finite number", row.get(column).unwrap_or(&f32::NAN)));
        }
        out.rows.push(row);
    }
    Ok(out)
}
