#![allow(clippy::unwrap_used)]

use crate::formats::vectors::tests::{file, floats};
use crate::{IngestError, OutsideChunks, read_outside_chunks};
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
fn table(
    texts: &[Option<&str>],
    vectors: &[Option<Vec<Option<f32>>>],
    double: bool,
    compression: Compression,
) -> Vec<u8> {
    let list = if double { LIST.replace("float", "double") } else { LIST.to_owned() };
    let schema = format!("message chunks {{ optional int64 id; optional binary text (UTF8); {list} }}");
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(
        &mut out,
        Arc::new(parse_message_type(&schema).unwrap()),
        Arc::new(properties),
    )
    .unwrap();
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
    read_outside_chunks(&path, None)
}

fn good() -> Vec<u8> {
    table(&[Some("one"), Some("two")], &[some(&[3.0, 4.0]), some(&[0.0, -2.0])], false, Compression::SNAPPY)
}

#[test]
fn a_row_is_a_chunk_and_its_vector_is_normalised() {
    for double in [false, true] {
        for compression in
            [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())]
        {
            let bytes = table(
                &[Some("one"), Some(" two ")],
                &[some(&[3.0, 4.0]), some(&[0.0, -2.0])],
                double,
                compression,
            );
            let got = read(&bytes).unwrap();
            assert_eq!(got.chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
            assert_eq!((got.vectors, got.dimension), (vec![vec![0.6, 0.8], vec![0.0, -1.0]], 2));
            assert_eq!(got.documents[1].path, "1", "an integral id is one too");
        }
    }
}

#[test]
fn files_as_pyarrow_and_duckdb_write_them_hold_the_same_chunks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/parquet");
    for name in ["pyarrow-f16-zstd", "pyarrow-f32-gzip", "duckdb-f64-snappy"] {
        let got = read_outside_chunks(&folder.join(format!("{name}.parquet")), None).unwrap();
        assert_eq!(got.vectors, [[0.6, 0.8, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]], "{name}");
        assert_eq!(got.documents.len(), 2, "{name}: two chunks share a page");
        assert_eq!((got.chunks[1].fragment.as_str(), got.chunks[1].document), ("water", 0), "{name}");
        assert_eq!(
            (got.documents[1].title.as_str(), got.chunks[2].text.as_str()),
            ("c", "Grain becomes flour."),
            "{name}"
        );
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
    let data = floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let vectors = at("v.safetensors", &file(safetensors::Dtype::F32, [2, 3], &data));
    assert_eq!(read_outside_chunks(&at("c.parquet", &good()), Some(&vectors)).unwrap().dimension, 3);
}

#[test]
fn every_fault_names_row_and_column() {
    let error = |texts: &[Option<&str>], vectors: &[Option<Vec<Option<f32>>>]| {
        read(&table(texts, vectors, false, Compression::UNCOMPRESSED)).unwrap_err().to_string()
    };
    let (two, v) = (&[Some("a"), Some("b")], || some(&[1.0, 0.0]));
    assert!(error(&[Some("a"), None], &[v(), v()]).ends_with("row 2: column \"text\" is empty"));
    assert!(
        error(two, &[v(), some(&[1.0])])
            .ends_with("row 2: column \"embedding\": 1 numbers where the rows before have 2")
    );
    assert!(error(two, &[None, v()]).ends_with("row 1: column \"embedding\": no vector"));
    assert!(error(two, &[v(), some(&[])]).contains("row 2: column \"embedding\": 0 numbers"));
    assert!(
        error(two, &[v(), Some(vec![Some(1.0), None])])
            .contains("row 2: column \"embedding\": number 1 is missing")
    );
    assert!(
        error(two, &[v(), some(&[0.0, f32::NAN])])
            .contains("row 2: column \"embedding\": number 1 is not finite")
    );
    assert!(
        error(two, &[v(), some(&[0.0, 0.0])])
            .ends_with("row 2: column \"embedding\": all zeros: it has no direction")
    );
    assert!(read(b"PAR1").unwrap_err().to_string().contains("not a Parquet file"));
}

/// A table of two texts and the column of numbers that `column` declares, with their definition and
/// repetition levels.
fn declared(column: &str, values: &[f32], defined: &[i16], repeated: &[i16]) -> Vec<u8> {
    let schema = Arc::new(
        parse_message_type(&format!("message m {{ required binary text (UTF8); {column} }}")).unwrap(),
    );
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut texts = group.next_column().unwrap().unwrap();
    texts
        .typed::<ByteArrayType>()
        .write_batch(&[ByteArray::from("a"), ByteArray::from("b")], None, None)
        .unwrap();
    texts.close().unwrap();
    let mut numbers = group.next_column().unwrap().unwrap();
    numbers.typed::<FloatType>().write_batch(values, Some(defined), Some(repeated)).unwrap();
    numbers.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    out
}

#[test]
fn lists_are_read_however_they_are_declared() {
    let bare = "repeated float vector;";
    assert_eq!(
        read(&declared(bare, &[3.0, 4.0, 0.0, 2.0], &[1; 4], &[0, 1, 0, 1])).unwrap().vectors,
        [[0.6, 0.8], [0.0, 1.0]]
    );
    let empty = read(&declared(bare, &[3.0, 4.0], &[1, 1, 0], &[0, 1, 0])).unwrap_err().to_string();
    assert!(empty.ends_with("row 2: column \"vector\": 0 numbers: expected 1 to 65536"), "{empty}");
    let required = "required group vector (LIST) { repeated group list { required float element; } }";
    assert_eq!(
        read(&declared(required, &[3.0, 4.0, 0.0, 2.0], &[1; 4], &[0, 1, 0, 1])).unwrap().vectors,
        [[0.6, 0.8], [0.0, 1.0]]
    );
    let deep = "optional group vector (LIST) { repeated group list { optional group element { optional float x; \
        } } }";
    let message = read(&declared(deep, &[3.0, 4.0], &[4; 2], &[0; 2])).unwrap_err().to_string();
    assert!(message.ends_with("column \"vector\": expected a list of floating-point numbers"), "{message}");
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
    fn damaged_files_are_errors_or_chunks_never_panics(
        at in any::<prop::sample::Index>(),
        flip in 1u8..,
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = good();
        let length = bytes.len();
        let _ = read(&bytes[..cut.index(length)]);
        bytes[at.index(length)] ^= flip;
        let _ = read(&bytes);
    }
}

/// Rows of named documents: `document`, `index`, `text`, and `id` where there is one.
fn placed(rows: &[(&str, i64, &str)], ids: Option<&[&str]>, columns: &str) -> Vec<u8> {
    let id = if ids.is_some() { "optional binary id (UTF8); " } else { "" };
    let schema = format!(
        "message chunks {{ {id}optional binary document (UTF8); optional int64 index; optional \
         binary text (UTF8);{columns} }}"
    );
    let mut out = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut out, Arc::new(parse_message_type(&schema).unwrap()), Arc::default())
            .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let levels = vec![1; rows.len()];
    let mut texts = |values: Vec<&str>| {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
        column.close().unwrap();
    };
    if let Some(ids) = ids {
        texts(ids.to_vec());
    }
    texts(rows.iter().map(|r| r.0).collect());
    let mut column = group.next_column().unwrap().unwrap();
    let indices: Vec<i64> = rows.iter().map(|r| r.1).collect();
    column.typed::<Int64Type>().write_batch(&indices, Some(&levels), None).unwrap();
    column.close().unwrap();
    let mut texts = |values: Vec<&str>| {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
        column.close().unwrap();
    };
    texts(rows.iter().map(|r| r.2).collect());
    if !columns.is_empty() {
        texts(rows.iter().map(|_| "x").collect());
    }
    group.close().unwrap();
    writer.close().unwrap();
    out
}

#[test]
fn further_columns_are_fields_of_the_documents() {
    let bytes = placed(&[("b", 0, "one"), ("a", 0, "two")], None, " optional binary level (UTF8);");
    let fields = |bytes: &[u8]| read(bytes).unwrap().fields;
    let level = |document: u32| (document, "level".to_owned(), "x".to_owned());
    assert_eq!(fields(&bytes), [level(1), level(0)], "by the number of the document, which its name gives");
    assert!(fields(&good()).is_empty());
}

/// What a folder with these files is read as.
fn folder(files: &[(&str, Vec<u8>)]) -> Result<OutsideChunks, IngestError> {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    read_outside_chunks(dir.path(), None)
}

#[test]
fn chunks_of_named_documents_are_the_same_from_any_files_in_any_order() {
    let rows = [
        ("b.md", 0, "three"),
        ("a.md", 1, "two"),
        ("a.md", 0, "one"),
        ("b.md", 10, "five"),
        ("b.md", 9, "four"),
    ];
    let whole = folder(&[("all.parquet", placed(&rows, None, ""))]).unwrap();
    assert_eq!(
        whole.chunks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(),
        ["one", "two", "three", "four", "five"]
    );
    assert_eq!(whole.documents.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["a.md", "b.md"]);
    let parts = folder(&[
        ("part-1.parquet", placed(&rows[..1], None, "")),
        ("deep/part-0.parquet", placed(&rows[3..], None, "")),
        ("part-2.parquet", placed(&rows[1..3], None, "")),
        ("part-3.parquet", placed(&[], None, "")),
        ("_SUCCESS", Vec::new()),
        (".part-1.parquet.crc", b"crc".to_vec()),
    ])
    .unwrap();
    assert_eq!(OutsideChunks { files: 1, ..parts }, whole);
}

#[test]
fn vectors_stay_with_their_chunks_over_several_files() {
    let part = |text: &'static str, v: &[f32]| table(&[Some(text)], &[some(v)], false, Compression::SNAPPY);
    // The ids of this helper's tables are numbers from 0: two tables would have one twice.
    let message = folder(&[("a.parquet", part("one", &[1.0, 0.0])), ("b.parquet", part("two", &[0.0, 1.0]))])
        .unwrap_err()
        .to_string();
    assert!(message.ends_with("b.parquet: row 1: the id \"0\" is also that of a.parquet row 1"), "{message}");
    let one = table(
        &[Some("one"), Some("two")],
        &[some(&[1.0, 0.0]), some(&[0.0, 1.0])],
        false,
        Compression::SNAPPY,
    );
    assert_eq!(folder(&[("a.parquet", one)]).unwrap().vectors, [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn a_faulty_file_of_a_folder_is_named_with_its_row() {
    let fault = |files: &[(&str, Vec<u8>)]| folder(files).unwrap_err().to_string();
    let good = || ("a.parquet", placed(&[("a.md", 0, "one")], None, ""));
    let with = |bytes: Vec<u8>| fault(&[good(), ("b.parquet", bytes)]);
    let other = |r: &[(&str, i64, &str)]| with(placed(r, None, ""));
    assert!(
        other(&[("b.md", 0, "x"), ("a.md", 0, "y")])
            .ends_with("b.parquet: row 2: chunk 0 of this document is also in a.parquet row 1")
    );
    assert!(other(&[("b.md", -1, "x")]).contains("b.parquet: row 1: column \"index\": -1: expected 0 to"));
    assert!(other(&[("", 1, "x")]).ends_with("b.parquet: row 1: column \"document\": empty"));
    let more = with(placed(&[("b.md", 0, "x")], None, " optional binary title (UTF8);"));
    assert!(
        more.contains("b.parquet: a column \"title\"") && more.ends_with("a.parquet does not have"),
        "{more}"
    );
    let fewer = fault(&[
        ("a.parquet", placed(&[("a.md", 0, "x")], Some(&["7"]), "")),
        ("b.parquet", placed(&[("b.md", 0, "x")], None, "")),
    ]);
    assert!(fewer.contains("b.parquet: no column \"id\", which"), "{fewer}");
    let whole = placed(&[("b.md", 0, "x")], None, "");
    assert!(
        with(whole[..whole.len() / 2].to_vec()).contains("b.parquet: not a Parquet file that can be read")
    );
    assert!(fault(&[("readme.txt", Vec::new())]).ends_with("no .parquet file in this folder"));
    let (v, w) = (some(&[1.0, 0.0]), some(&[1.0, 0.0, 0.0]));
    let ids = |v| table(&[Some("one")], &[v], false, Compression::SNAPPY);
    let message = fault(&[("a.parquet", ids(v)), ("b.parquet", ids(w))]);
    assert!(message.contains("b.parquet: row 1:"), "{message}");
}
