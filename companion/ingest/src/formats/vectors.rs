//! Vectors that were made elsewhere: matrices in `.safetensors` files.

use super::IngestError;
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
    /// The rows; every number is finite. Each has memory of its own: rows are brought into another order, and
    /// handed on, without a second copy of a million.
    pub rows: Vec<Vec<f32>>,
}

/// Reads a matrix of finite f32 or f16 numbers from a `.safetensors` file (one tensor, or the one called
/// `vectors` or `embeddings`).
pub fn read_vectors(path: &Path) -> Result<Vectors, IngestError> {
    let bytes = std::fs::read(path).map_err(|source| IngestError::Read { path: path.to_owned(), source })?;
    from_safetensors(&bytes).map_err(|reason| bad(path, reason))
}

pub(crate) fn bad(path: &Path, reason: String) -> IngestError {
    IngestError::Unusable { path: path.to_owned(), reason }
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
    let half = match tensor.dtype() {
        Dtype::F32 => false,
        Dtype::F16 => true,
        other => return Err(format!("tensor \"{name}\" is {other:?}: expected F32 or F16")),
    };
    let &[_, dimension] = tensor.shape() else {
        return Err(format!(
            "tensor \"{name}\" has shape {:?}: expected a matrix, [chunks, dimension]",
            tensor.shape()
        ));
    };
    if dimension == 0 || dimension > MAX_DIMENSION {
        return Err(format!("dimension {dimension}: expected 1 to {MAX_DIMENSION}"));
    }
    let numbers = |row: &[u8]| -> Vec<f32> {
        if half {
            row.as_chunks::<2>().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect()
        } else {
            row.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
        }
    };
    let mut out = Vectors { dimension, rows: Vec::new() };
    for (at, row) in tensor.data().chunks_exact(dimension * if half { 2 } else { 4 }).map(numbers).enumerate()
    {
        if let Some(column) = row.iter().position(|x| !x.is_finite()) {
            return Err(format!(
                "row {at}, column {column}: {} is not a finite number",
                row.get(column).unwrap_or(&f32::NAN)
            ));
        }
        out.rows.push(row);
    }
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use safetensors::Dtype;

    pub fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    /// A file of one matrix.
    pub fn file(dtype: Dtype, shape: [usize; 2], data: &[u8]) -> Vec<u8> {
        let view = safetensors::tensor::TensorView::new(dtype, shape.to_vec(), data).unwrap();
        safetensors::serialize([("vectors", view)], None).unwrap()
    }
}
