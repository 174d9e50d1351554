#![allow(clippy::unwrap_used)]

use crate::{IngestError, OutsideChunks, outside};
use ::parquet::basic::Compression;
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LIST: &str = "optional group embedding (LIST) { repeated group list { optional float element; } }";

/// A table of `text`, an integral `id` and a list `embedding`.
fn table(texts: &[Option<&str>], vectors: &[Option<Vec<Option<f32>>>], double: bool, compression: Compression) -> Vec<u8> {
    let list = if double { LIST.replace("float", "double") } else { LIST.to_owned() };
    let schema = format!("message chunks {{ optional int64 id; optional binary text (UTF8); {list} }}");
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, Arc::new(parse_message_type(&schema).unwrap()), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();

    let mut column = group.next_column().unwrap().unwrap();
    let ids: Vec<i64> = (0..texts.len() as i64).collect();
    column.typed::<Int64Type>().write_batch(&ids, Some(&vec![1; ids.len()]), None).unwrap();
    column.close().unwrap();

    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<ByteArray> = texts.iter().flatten().map(|t| ByteArray::from(*t)).collect();
    let levels: Vec<i16> = texts.iter().map(|t| i16::from(t.is_some())).collect();
    column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
    column.close().unwrap();

    let mut column = group.next_column().unwrap().unwrap();
    let (mut values, mut defined, mut repeated): (Vec<f32>, Vec<i16>, Vec<i16>) = Default::default();
    for vector in vectors {
        let elements = vector.as_deref().unwrap_or(&[]);
        if elements.is_empty() {
            defined.push(i16::from(vector.is_some()));
            repeated.push(0);
        }
        for (i, x) in elements.iter().enumerate() {
            values.extend(x);
            defined.push(if x.is_some() { 3 } else { 2 });
            repeated.push(i16::from(i > 0));
        }
    }
    if double {
        let values: Vec<f64> = values.iter().copied().map(f64::from).collect();
        column.typed::<DoubleType>().write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
    } else {
        column.typed::<FloatType>().write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
    }
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    out
}

fn some(vector: &[f32]) -> Option<Vec<Option<f32>>> {
    Some(vector.iter().copied().map(Some).collect())
}

fn read(bytes: &[u8]) -> Result<OutsideChunks, IngestError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c.parquet");
    std::fs::write(&path, bytes).unwrap();
    outside(&path, None)
}

fn good() -> Vec<u8> {
    table(&[Some("one"), Some("two")], &[some(&[3.0, 4.0]), some(&[0.0, -2.0])], false, Compression::SNAPPY)
}

#[test]
fn a_row_is_a_chunk_and_its_vector_is_normalised() {
    for double in [false, true] {
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())] {
            let bytes = table(&[Some("one"), Some(" two ")], &[some(&[3.0, 4.0]), some(&[0.0, -2.0])], double, compression);
            let got = read(&bytes).unwrap();
            assert_eq!(got.chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
            assert_eq!((got.vectors.as_slice(), got.dimension), (&[0.6, 0.8, 0.0, -1.0][..], 2));
            assert_eq!(got.documents[1].path, "1", "an integral id is one too");
        }
    }
}

#[test]
fn files_as_pyarrow_and_duckdb_write_them_hold_the_same_chunks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/parquet");
    for name in ["pyarrow-f16-zstd", "pyarrow-f32-gzip", "duckdb-f64-snappy"] {
        let got = outside(&folder.join(format!("{name}.parquet")), None).unwrap();
        assert_eq!(got.vectors, [0.6, 0.8, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0], "{name}");
        assert_eq!(got.documents.len(), 2, "{name}: two chunks share a page");
        assert_eq!((got.chunks[1].fragment.as_str(), got.chunks[1].document), ("water", 0), "{name}");
        assert_eq!((got.documents[1].title.as_str(), got.chunks[2].text.as_str()), ("c", "Grain becomes flour."), "{name}");
    }
}

#[test]
fn vectors_from_elsewhere_take_the_place_of_the_column() {
    let dir = tempfile::tempdir().unwrap();
    let at = |n: &str, b: &[u8]| -> PathBuf {
        let p = dir.path().join(n);
        std::fs::write(&p, b).unwrap();
        p
    };
    let data: Vec<u8> = [1.0f32, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let vectors = at("v.npy", &crate::npy::tests::file("<f4", "False", "(2, 3)", &data));
    assert_eq!(outside(&at("c.parquet", &good()), Some(&vectors)).unwrap().dimension, 3);
}

#[test]
fn every_fault_names_row_and_column() {
    let error = |texts: &[Option<&str>], vectors: &[Option<Vec<Option<f32>>>]| {
        read(&table(texts, vectors, false, Compression::UNCOMPRESSED)).unwrap_err().to_string()
    };
    let (two, v) = (&[Some("a"), Some("b")], || some(&[1.0, 0.0]));
    assert!(error(&[Some("a"), None], &[v(), v()]).ends_with("row 2: column \"text\" is empty"));
    assert!(error(two, &[v(), some(&[1.0])]).ends_with("row 2: column \"embedding\": 1 numbers where the rows before have 2"));
    assert!(error(two, &[None, v()]).ends_with("row 1: column \"embedding\": no vector"));
    assert!(error(two, &[v(), some(&[])]).contains("row 2: column \"embedding\": 0 numbers"));
    assert!(error(two, &[v(), Some(vec![Some(1.0), None])]).contains("row 2: column \"embedding\": number 1 is missing"));
    assert!(error(two, &[v(), some(&[0.0, f32::NAN])]).contains("row 2: column \"embedding\": number 1 is not finite"));
    assert!(error(two, &[v(), some(&[0.0, 0.0])]).contains("row 1 is all zeros"));
    assert!(read(b"PAR1").unwrap_err().to_string().contains("not a Parquet file"));
}

#[test]
fn a_table_without_text_says_which_columns_it_has() {
    let schema = Arc::new(parse_message_type("message m { required int64 count; }").unwrap());
    let mut out = Vec::new();
    SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap().close().unwrap();
    assert!(read(&out).unwrap_err().to_string().contains("no column \"text\" (there are: count)"));
}

proptest! {
    #[test]
    fn damaged_files_are_errors_or_chunks_never_panics(at in any::<prop::sample::Index>(), flip in 1u8.., cut in any::<prop::sample::Index>()) {
        let mut bytes = good();
        let length = bytes.len();
        let _ = read(&bytes[..cut.index(length)]);
        bytes[at.index(length)] ^= flip;
        let _ = read(&bytes);
    }
}
