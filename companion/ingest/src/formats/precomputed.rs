//! Chunks and vectors that were made elsewhere.

use super::chunk_collection::{Gathered, OutsideChunks};
use super::vectors::{Vectors, bad, read_vectors};
use super::{IngestError, json_lines, parquet, shards};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads chunks, and their vectors where they have any: from `vectors` (`.safetensors`, one row a chunk), or
/// from a column of `chunks`. `chunks` is a Parquet file (`.parquet`), a folder of such, or one `{"id"?,
/// "title"?, "url"?, "text"}` a line (any other name).
///
/// Unlike [`super::ingest`], a malformed line is an error: to skip it would shift every later vector by one.
///
/// # Errors
/// [`IngestError`] when a file cannot be read, a line, row or column is malformed, an id comes twice, files
/// of a folder have other columns than the first, or chunks and vectors differ in number.
pub fn read_outside_chunks(chunks: &Path, vectors: Option<&Path>) -> Result<OutsideChunks, IngestError> {
    let mut gathered = Gathered::default();
    let is_parquet = chunks.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
    let (of_the_tables, files) = if chunks.is_dir() || is_parquet {
        let files = shards::list_shards(chunks)?;
        (shards::read_shards(&files, vectors.is_none(), &mut gathered)?, files.len())
    } else {
        read_json_lines(chunks, &mut gathered)?;
        (None, 1)
    };
    let (path, matrix) = match vectors {
        Some(path) => (path, Some(read_vectors(path)?)),
        None => (chunks, of_the_tables),
    };
    let mut out = gathered.finish(matrix.map(|m| unit(path, m)).transpose()?)?;
    out.files = files;
    Ok(out)
}

fn read_json_lines(chunks: &Path, gathered: &mut Gathered) -> Result<(), IngestError> {
    let unreadable = |source| IngestError::Read { path: chunks.to_owned(), source };
    let name = parquet::name_of(chunks);
    for line in json_lines::read_lines(BufReader::new(File::open(chunks).map_err(unreadable)?), &name, "") {
        let line = line.map_err(unreadable)?;
        let record = line.record.map_err(|reason| bad(chunks, format!("line {}: {reason}", line.number)))?;
        gathered.add_document(record);
    }
    Ok(())
}

/// Maximum difference of a length from 1 by rounding alone. Such a vector stays as it is, bit by bit.
const UNIT: f64 = 1e-6;

/// Brings every row to length 1.
fn unit(path: &Path, mut matrix: Vectors) -> Result<Vectors, IngestError> {
    for (row, v) in matrix.rows.iter_mut().enumerate() {
        let length = v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(bad(path, format!("row {row} is all zeros: it has no direction")));
        }
        if (length - 1.0).abs() > UNIT {
            v.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
    }
    Ok(matrix)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::formats::vectors::from_safetensors;
    use crate::formats::vectors::tests::{file, floats};
    use proptest::prelude::*;
    use safetensors::Dtype;
    use std::path::PathBuf;

    fn with(lines: &str, name: &str, vectors: &[u8]) -> Result<OutsideChunks, IngestError> {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str, b: &[u8]| -> PathBuf {
            let p = dir.path().join(n);
            std::fs::write(&p, b).unwrap();
            p
        };
        read_outside_chunks(&at("c.jsonl", lines.as_bytes()), Some(&at(name, vectors)))
    }

    const TWO: &str = "{\"text\":\"a\",\"url\":\"p.html#x\",\"title\":\"P\"}\n{\"text\":\"b\",\"url\":\"p.html#y\",\"ti\
        tle\":\"P\"}\n";

    #[test]
    fn rows_are_normalised_and_chunks_of_one_page_share_its_document() {
        let got =
            with(TWO, "v.safetensors", &file(Dtype::F32, [2, 2], &floats(&[3.0, 4.0, 0.0, -2.0]))).unwrap();
        assert_eq!(got.vectors, [[0.6, 0.8], [0.0, -1.0]]);
        assert_eq!((got.documents.len(), got.chunks.len(), got.dimension), (1, 2, 2));
        assert_eq!(got.chunks[1].fragment, "y");
    }

    #[test]
    fn further_members_of_a_line_are_fields_of_its_document() {
        let vectors = file(Dtype::F32, [1, 2], &floats(&[3.0, 4.0]));
        let line = "{\"text\":\"a\",\"year\":2024,\"by\":[\"Ann\",\"Bo\"]}";
        let found = with(line, "v.safetensors", &vectors).unwrap().fields;
        let expected = [("by", "Ann"), ("by", "Bo"), ("year", "2024")];
        assert_eq!(found, expected.map(|(name, value)| (0, name.to_owned(), value.to_owned())));
    }

    #[test]
    fn safetensors_in_f32_and_f16_are_read() {
        for (dtype, data) in [(Dtype::F32, floats(&[0.0, 1.0])), (Dtype::F16, vec![0, 0, 0, 0x3c])] {
            assert_eq!(
                with("{\"text\":\"a\"}", "v.safetensors", &file(dtype, [1, 2], &data)).unwrap().vectors,
                [[0.0, 1.0]]
            );
        }
    }

    #[test]
    fn every_mismatch_says_what_was_expected() {
        let error = |lines: &str, name: &str, v: &[u8]| with(lines, name, v).unwrap_err().to_string();
        let one = file(Dtype::F32, [1, 2], &floats(&[1.0, 1.0]));
        assert!(error(TWO, "v.safetensors", &one).contains("2 chunks but 1 vectors"));
        assert!(error(TWO, "v.npy", b"\x93NUMPY\x01\x00").contains("not a .safetensors file"));
        assert!(error("{\"text\":\"a\"}\noops", "v.safetensors", &one).contains("line 2: not JSON"));
        assert!(
            error("{\"text\":\"a\"}", "v.safetensors", &file(Dtype::F32, [1, 2], &floats(&[1.0, f32::NAN])))
                .contains("row 0, column 1: NaN")
        );
        assert!(
            error("{\"text\":\"a\"}", "v.safetensors", &file(Dtype::F32, [1, 2], &floats(&[0.0, 0.0])))
                .contains("row 0 is all zeros")
        );
        assert!(
            error("{\"text\":\"a\"}", "v.safetensors", &file(Dtype::F32, [1, 0], &[]))
                .contains("dimension 0")
        );
        assert!(
            error("{\"text\":\"a\"}", "v.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\xff")
                .contains("not a .safetensors file")
        );
    }

    proptest! {
        #[test]
        fn damaged_files_are_errors_never_panics(at in 0usize..144, flip in any::<u8>(), cut in 0usize..144) {
            let mut bytes = file(Dtype::F32, [2, 2], &floats(&[3.0, 4.0, 0.0, -2.0]));
            let place = at % bytes.len();
            bytes[place] ^= flip;
            let _ = from_safetensors(&bytes);
            let _ = from_safetensors(&bytes[..cut.min(bytes.len())]);
        }
    }
}
