//! Texts with the model's vectors on disk, so that several students learn from them and the model is run
//! once.

use crate::query_table::DistillationTargets;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph::embed::decode_floats;
use pocketgraph::vector::QuantizedMatrix;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::path::Path;

/// The names of the two sets in the file: the training set and the held-out set.
const PARTS: [&str; 2] = ["learnt", "held-out"];

/// Writes distillation targets of the training set and the held-out set; `drawn` describes their sources.
pub fn save_targets(path: &Path, drawn: &str, lessons: [&DistillationTargets; 2]) -> Result<()> {
    let mut tensors = Vec::new();
    for (name, lessons) in PARTS.iter().zip(lessons) {
        let (rows, scales) = lessons.targets.parts();
        let lengths: Vec<u8> = lessons.tokens.iter().flat_map(|t| (t.len() as u16).to_le_bytes()).collect();
        // The vocabulary has fewer tokens than 16 bits say.
        let ids: Vec<u8> = lessons.tokens.iter().flatten().flat_map(|&t| (t as u16).to_le_bytes()).collect();
        let scales: Vec<u8> = scales.iter().flat_map(|s| s.to_le_bytes()).collect();
        let rows = bytemuck::cast_slice::<i8, u8>(rows).to_vec();
        let arrays = [
            ("lengths", Dtype::U16, lengths),
            ("ids", Dtype::U16, ids),
            ("scales", Dtype::F32, scales),
            ("rows", Dtype::I8, rows),
        ];
        tensors.extend(arrays.map(|(what, dtype, bytes)| (format!("{name}.{what}"), dtype, bytes)));
    }
    let views: Vec<_> = tensors
        .iter()
        .map(|(n, d, b)| Ok((n, TensorView::new(*d, vec![b.len() * 8 / d.bitsize()], b)?)))
        .collect::<Result<_, safetensors::SafeTensorError>>()
        .into_diagnostic()?;
    safetensors::serialize_to_file(views, Some(HashMap::from([("drawn".to_owned(), drawn.to_owned())])), path)
        .into_diagnostic()
        .wrap_err_with(|| format!("writing {}", path.display()))
}

/// Reads what [`save_targets`] wrote; `None` where there is no file. Without `drawn`, whatever its texts were drawn
/// from.
///
/// # Errors
/// When it is no such file, or its texts were drawn from something else.
pub fn read_targets_file(
    path: &Path,
    drawn: Option<&str>,
    dim: usize,
) -> Result<Option<[DistillationTargets; 2]>> {
    if !path.exists() {
        return Ok(None);
    }
    let describe = || format!("reading {}", path.display());
    let bytes = std::fs::read(path).into_diagnostic().wrap_err_with(describe)?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).into_diagnostic().wrap_err_with(describe)?;
    let found = metadata.metadata().as_ref().and_then(|m| m.get("drawn")).map_or("", String::as_str);
    if let Some(drawn) = drawn.filter(|&drawn| drawn != found) {
        return Err(miette!(
            help = "name another file with --targets, or remove this one",
            "{} holds other lessons ({found}) than are asked for ({drawn})",
            path.display()
        ));
    }
    let file = SafeTensors::deserialize(&bytes).into_diagnostic().wrap_err_with(describe)?;
    let part = |name: &str| -> Result<DistillationTargets> {
        let tensor = |what: &str, dtype: Dtype| {
            let t = file.tensor(&format!("{name}.{what}")).into_diagnostic().wrap_err_with(describe)?;
            if t.dtype() == dtype {
                Ok(t.data())
            } else {
                Err(miette!("{}: {what} is {:?}", path.display(), t.dtype()))
            }
        };
        let words = |bytes: &[u8]| {
            bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect::<Vec<_>>()
        };
        let (lengths, ids) = (words(tensor("lengths", Dtype::U16)?), words(tensor("ids", Dtype::U16)?));
        let scales = decode_floats(tensor("scales", Dtype::F32)?);
        let rows = bytemuck::cast_slice::<u8, i8>(tensor("rows", Dtype::I8)?).to_vec();
        let mut rest = ids.iter().map(|&id| u32::from(id));
        let tokens: Vec<Vec<u32>> =
            lengths.iter().map(|&n| rest.by_ref().take(usize::from(n)).collect()).collect();
        let targets = QuantizedMatrix::new(dim, rows, scales).into_diagnostic().wrap_err_with(describe)?;
        let whole = rest.next().is_none()
            && targets.rows() == tokens.len()
            && tokens.iter().zip(&lengths).all(|(t, &n)| t.len() == usize::from(n));
        if whole {
            Ok(DistillationTargets { tokens, targets })
        } else {
            Err(miette!("{} is damaged", path.display()))
        }
    };
    Ok(Some([part(PARTS[0])?, part(PARTS[1])?]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read_targets(n: usize) -> DistillationTargets {
        let rows: Vec<Vec<f32>> = (0..n).map(|i| vec![0.5, i as f32, -1.0, 0.0]).collect();
        DistillationTargets {
            tokens: (0..n).map(|i| (0..i as u32 % 4 + 1).map(|t| 30_000 + t).collect()).collect(),
            targets: QuantizedMatrix::from_rows(4, rows.iter().map(Vec::as_slice)),
        }
    }

    #[test]
    fn lessons_read_back_as_they_were_and_others_than_asked_for_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lessons");
        assert!(read_targets_file(&path, Some("a"), 4).unwrap().is_none());
        save_targets(&path, "a", [&read_targets(9), &read_targets(2)]).unwrap();
        assert!(
            read_targets_file(&path, Some("a"), 4).unwrap().unwrap() == [read_targets(9), read_targets(2)]
        );
        assert!(read_targets_file(&path, None, 4).unwrap().unwrap()[1] == read_targets(2));
        assert!(read_targets_file(&path, Some("b"), 4).unwrap_err().to_string().contains("other lessons"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read_targets_file(&path, Some("a"), 4).is_err());
    }
}
