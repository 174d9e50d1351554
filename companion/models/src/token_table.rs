//! A vector for every token; their sum over a question approximates the model's vector of it.

use half::f16;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph_embed::decode_floats;
use rayon::prelude::*;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::path::Path;

/// Levels of a component on either side of zero.
const LEVELS: f32 = 7.0;

/// A row for every token, and what is added to every sum.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenTable {
    /// Components of a row.
    pub dim: usize,
    /// The rows, one after the other.
    pub rows: Vec<f32>,
    /// Added to every sum.
    pub bias: Vec<f32>,
}

impl TokenTable {
    /// The direction of a text's sum; `None` where it has none.
    pub fn embed(&self, tokens: &[u32]) -> Option<Vec<f32>> {
        let mut sum = self.sum(tokens);
        let length = norm(&sum);
        sum.iter_mut().for_each(|x| *x /= length);
        (length > 1e-6).then_some(sum)
    }

    /// Adds the direction of a text's sum to a unit vector of the text, and normalises: for layers that were
    /// trained with this table.
    pub fn add_to(&self, vector: &mut [f32], tokens: &[u32]) {
        let Some(own) = self.embed(tokens) else { return };
        vector.iter_mut().zip(own).for_each(|(v, t)| *v += t);
        let length = norm(vector).max(1e-6);
        vector.iter_mut().for_each(|v| *v /= length);
    }

    /// The sum of the tokens' rows and the bias, of any length.
    pub fn sum(&self, tokens: &[u32]) -> Vec<f32> {
        let mut sum = self.bias.clone();
        for &t in tokens {
            if let Some(row) = self.rows.chunks_exact(self.dim).nth(t as usize) {
                sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
            }
        }
        sum
    }

    /// Writes the table's file: rows in four bits (first the low half of a byte, 8 is zero), their scales,
    /// the bias. Fails if `out` cannot be written.
    pub fn write(&self, out: &Path) -> Result<u64> {
        let (packed, scales): (Vec<Vec<u8>>, Vec<f16>) =
            self.rows.par_chunks_exact(self.dim).map(round_row).unzip();
        let packed = packed.concat();
        let scales: Vec<u8> = scales.iter().flat_map(|s| s.to_le_bytes()).collect();
        let bias: Vec<u8> = self.bias.iter().flat_map(|b| b.to_le_bytes()).collect();
        let rows = self.rows.len() / self.dim;
        let views = [
            ("bias", TensorView::new(Dtype::F32, vec![self.dim], &bias)),
            ("rows", TensorView::new(Dtype::U8, vec![rows, self.dim / 2], &packed)),
            ("scales", TensorView::new(Dtype::F16, vec![rows], &scales)),
        ];
        let views: Vec<_> = views
            .into_iter()
            .map(|(n, v)| Ok((n, v?)))
            .collect::<Result<_, safetensors::SafeTensorError>>()
            .into_diagnostic()?;
        let bytes = safetensors::serialize(views, None).into_diagnostic().wrap_err("writing tensors")?;
        std::fs::write(out, &bytes)
            .into_diagnostic()
            .wrap_err_with(|| format!("writing {}", out.display()))?;
        Ok(bytes.len() as u64)
    }

    /// Reads what [`TokenTable::write`] wrote. Fails if the bytes are no such file.
    pub fn read(bytes: &[u8]) -> Result<TokenTable> {
        let file = SafeTensors::deserialize(bytes).into_diagnostic().wrap_err("reading the token table")?;
        let tensor = |name: &str, dtype: Dtype| {
            let t = file
                .tensor(name)
                .into_diagnostic()
                .wrap_err_with(|| format!("the token table lacks {name}"))?;
            if t.dtype() == dtype {
                Ok(t.data().to_vec())
            } else {
                Err(miette!("the token table's {name} is {:?}", t.dtype()))
            }
        };
        let bias = decode_floats(&tensor("bias", Dtype::F32)?);
        let scales: Vec<f32> = tensor("scales", Dtype::F16)?
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| f16::from_le_bytes(*b).to_f32())
            .collect();
        let packed = tensor("rows", Dtype::U8)?;
        let dim = bias.len();
        if dim == 0 || !dim.is_multiple_of(2) || packed.len() != scales.len() * dim / 2 {
            return Err(miette!("the token table's parts are of different lengths"));
        }
        let level = |half: u8, scale: f32| (f32::from(half) - 8.0) * scale;
        let row = |(row, &scale): (&[u8], &f32)| {
            row.iter().flat_map(|&b| [level(b & 15, scale), level(b >> 4, scale)]).collect::<Vec<_>>()
        };
        let rows = packed.chunks_exact(dim / 2).zip(&scales).flat_map(row).collect();
        Ok(TokenTable { dim, rows, bias })
    }
}

/// A row in four bits, and the scale among several that loses least of it.
fn round_row(row: &[f32]) -> (Vec<u8>, f16) {
    let largest = row.iter().fold(0f32, |m, x| m.max(x.abs()));
    let level =
        |x: f32, scale: f32| if scale > 0.0 { (x / scale).round().clamp(-LEVELS, LEVELS) } else { 0.0 };
    let loss = |scale: f32| row.iter().map(|&x| (x - level(x, scale) * scale).powi(2)).sum::<f32>();
    let scales = (0..12).map(|i| f16::from_f32(largest / LEVELS * (1.0 - 0.05 * i as f32)));
    let best = scales.min_by(|a, b| loss(a.to_f32()).total_cmp(&loss(b.to_f32()))).unwrap_or(f16::ZERO);
    let half = |x: f32| (level(x, best.to_f32()) + 8.0) as u8;
    (row.chunks(2).map(|two| half(two[0]) | half(two.get(1).copied().unwrap_or(0.0)) << 4).collect(), best)
}

/// The product of two vectors of one length, added up in a fixed order.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 16];
    let (a16, a_rest) = a.as_chunks::<16>();
    let (b16, b_rest) = b.as_chunks::<16>();
    for (x, y) in a16.iter().zip(b16) {
        for j in 0..16 {
            lanes[j] += x[j] * y[j];
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f32>()
}

/// The length of a vector.
pub fn norm(a: &[f32]) -> f32 {
    dot(a, a).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table() -> TokenTable {
        let number = |i: usize| ((i * 37) % 101) as f32 / 101.0 - 0.5;
        TokenTable { dim: 16, rows: (0..40 * 16).map(number).collect(), bias: (0..16).map(number).collect() }
    }

    #[test]
    fn a_table_reads_back_within_half_a_level_of_its_scale() {
        let table = table();
        let file = tempfile::NamedTempFile::new().unwrap();
        table.write(file.path()).unwrap();
        let bytes = std::fs::read(file.path()).unwrap();
        let read = TokenTable::read(&bytes).unwrap();
        assert_eq!(read.bias, table.bias);
        for (a, b) in table.rows.chunks(16).zip(read.rows.chunks(16)) {
            let (a_length, wrong) = (norm(a), norm(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<_>>()));
            assert!(wrong < 0.15 * a_length, "{wrong} of {a_length}");
        }
        // Rounded once, a table is not rounded again.
        read.write(file.path()).unwrap();
        assert!(TokenTable::read(&std::fs::read(file.path()).unwrap()).unwrap().bias == read.bias);
        assert!(TokenTable::read(&bytes[..bytes.len() - 1]).is_err() && TokenTable::read(&[]).is_err());
    }
}
