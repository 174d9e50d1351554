//! Chunks, and their vectors, from a Parquet file: what Spark, Ray, DuckDB, Polars and pandas write.
//!
//! One row is one chunk. The column `text` must be there; `id`, `title` and `url` may be; a column named in [`VECTOR_COLUMNS`] holds the vectors, a list
//! (or a list of fixed size, which Parquet stores alike) of floating-point numbers. Other columns are not read.

use super::ready::Ready;
use super::vectors::{MAX_DIMENSION, Vectors};
use super::{IngestError, SourceDocument};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{Field, Row};
use ::parquet::schema::types::Type;
use pocketgraph_native::panics::caught;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// What a column of vectors may be called; the first that is there is read.
const VECTOR_COLUMNS: [&str; 4] = ["vector", "embedding", "vectors", "embeddings"];

/// The columns of text that are read.
const TEXT_COLUMNS: [&str; 4] = ["text", "id", "title", "url"];

/// More vectors of a dimension than this are not made room for ahead of reading them.
const ROOM: usize = 1 << 24;

/// Reads the rows in order and gives each as a document of its own to `each`; the vectors, not normalised, where the file has a column of them and
/// `with_vectors` asks for it. `name` stands in the ids of rows that have none.
///
/// # Errors
/// [`IngestError`], naming row and column where it is of one.
pub(super) fn read(
    path: &Path,
    name: &str,
    with_vectors: bool,
    each: &mut dyn FnMut(SourceDocument),
) -> Result<Option<Vectors>, IngestError> {
    let file = File::open(path).map_err(|source| IngestError::Read { path: path.to_owned(), source })?;
    // The crate asserts some of what a well-made file keeps to, and a damaged one need not: that is an error of the file's, not of the program's.
    let mut at = 0;
    match caught(|| rows(path, file, name, with_vectors, &mut at, each)) {
        Ok(result) => result,
        Err(_) if at == 0 => Err(table(path, "not a Parquet file that can be read: it is damaged")),
        Err(_) => Err(row(path, at + 1, "the file is damaged here")),
    }
}

fn rows(
    path: &Path,
    file: File,
    name: &str,
    with_vectors: bool,
    at: &mut usize,
    each: &mut dyn FnMut(SourceDocument),
) -> Result<Option<Vectors>, IngestError> {
    let reader = SerializedFileReader::new(file).map_err(|e| table(path, &format!("not a Parquet file that can be read: {e}")))?;
    let schema = reader.metadata().file_metadata().schema();
    let (wanted, vector) = columns(schema, with_vectors).map_err(|reason| table(path, &reason))?;
    let all = reader.get_row_iter(Some(wanted)).map_err(|e| table(path, &e.to_string()))?;
    let expected = usize::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(0);
    let mut out = Vectors { rows: 0, dimension: 0, data: Vec::new() };
    let absent = Field::Null;
    for found in all {
        *at += 1;
        let found = found.map_err(|e| row(path, *at, &format!("the file is damaged here: {e}")))?;
        let wrong = |reason: String| row(path, *at, &reason);
        let ready = ready(&found).map_err(wrong)?;
        each(ready.document(name, *at, "").map_err(wrong)?);
        if let Some(column) = &vector {
            let before = out.data.len();
            let field = found.get_column_iter().find(|(n, _)| *n == column).map_or(&absent, |(_, f)| f);
            numbers(field, &mut out.data).map_err(|reason| wrong(format!("column \"{column}\": {reason}")))?;
            let dimension = out.data.len() - before;
            if out.rows == 0 {
                out.dimension = dimension;
                out.data.reserve(dimension.saturating_mul(expected.saturating_sub(1)).min(ROOM));
            }
            if dimension != out.dimension {
                return Err(wrong(format!("column \"{column}\": {dimension} numbers where the rows before have {}", out.dimension)));
            }
            out.rows += 1;
        }
    }
    Ok(vector.is_some().then_some(out))
}

fn table(path: &Path, reason: &str) -> IngestError {
    IngestError::Table { path: path.to_owned(), reason: reason.to_owned() }
}

fn row(path: &Path, row: usize, reason: &str) -> IngestError {
    IngestError::Row { path: path.to_owned(), row, reason: reason.to_owned() }
}

/// The part of `schema` that is read, and the name of its column of vectors.
fn columns(schema: &Type, with_vectors: bool) -> Result<(Type, Option<String>), String> {
    let fields = schema.get_fields();
    let named = |name: &str| fields.iter().find(|f| f.name() == name);
    if named("text").is_none() {
        let there: Vec<&str> = fields.iter().map(|f| f.name()).take(20).collect();
        return Err(format!("no column \"text\" (there are: {})", there.join(", ")));
    }
    let vector = VECTOR_COLUMNS.iter().copied().find(|name| with_vectors && named(name).is_some());
    if let Some(field) = vector.and_then(named)
        && field.is_primitive()
    {
        return Err(format!("column \"{}\" holds single values: expected lists of floating-point numbers", field.name()));
    }
    let kept: Vec<Arc<Type>> = fields.iter().filter(|f| TEXT_COLUMNS.contains(&f.name()) || Some(f.name()) == vector).cloned().collect();
    let wanted = Type::group_type_builder(schema.name()).with_fields(kept).build().map_err(|e| e.to_string())?;
    Ok((wanted, vector.map(str::to_owned)))
}

/// The text of a row.
fn ready(row: &Row) -> Result<Ready, String> {
    let mut out = Ready::default();
    for (name, field) in row.get_column_iter() {
        let slot = match name.as_str() {
            "text" => &mut out.text,
            "id" => &mut out.id,
            "title" => &mut out.title,
            "url" => &mut out.url,
            _ => continue,
        };
        let value = match field {
            Field::Null => String::new(),
            Field::Str(s) => s.clone(),
            // Some writers leave out that a column of bytes is text.
            Field::Bytes(b) => std::str::from_utf8(b.data()).map_err(|_| format!("column \"{name}\": not UTF-8"))?.to_owned(),
            number if name == "id" => match number {
                Field::Byte(_) | Field::Short(_) | Field::Int(_) | Field::Long(_) => number.to_string(),
                Field::UByte(_) | Field::UShort(_) | Field::UInt(_) | Field::ULong(_) => number.to_string(),
                _ => return Err("column \"id\": expected text or whole numbers".into()),
            },
            _ => return Err(format!("column \"{name}\": expected text")),
        };
        *slot = Some(value.trim().to_owned()).filter(|s| !s.is_empty());
    }
    if out.text.is_none() {
        return Err("column \"text\" is empty".into());
    }
    Ok(out)
}

/// Appends the numbers of a list.
fn numbers(field: &Field, out: &mut Vec<f32>) -> Result<(), String> {
    let Field::ListInternal(list) = field else {
        return Err(if *field == Field::Null { "no vector".into() } else { "expected a list of floating-point numbers".into() });
    };
    let n = list.len();
    if n == 0 || n > MAX_DIMENSION {
        return Err(format!("{n} numbers: expected 1 to {MAX_DIMENSION}"));
    }
    for (i, element) in list.elements().iter().enumerate() {
        let x = match element {
            Field::Float(x) => *x,
            Field::Float16(x) => x.to_f32(),
            Field::Double(x) => *x as f32,
            Field::Null => return Err(format!("number {i} is missing")),
            _ => return Err("expected floating-point numbers (16, 32 or 64 bits)".into()),
        };
        if !x.is_finite() {
            return Err(format!("number {i} is not finite"));
        }
        out.push(x);
    }
    Ok(())
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
