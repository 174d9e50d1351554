//! Chunks, and their vectors, from a Parquet file: what Spark, Ray, DuckDB, Polars and pandas write.
//!
//! One row is one chunk. The column `text` must be there; `id`, `title` and `url` may be; a column named in
//! [`VECTOR_COLUMNS`] holds the vectors, a list (or a list of fixed size, which Parquet stores alike) of
//! floating-point numbers. Where there is a column `document`, so may be the others of [`PLACE_COLUMNS`].
//! Further columns of single values, or of lists of them, are fields of the documents.

use super::IngestError;
use super::allowance::Allowance;
use super::chunk_fields::ChunkFields;
use super::front_matter::Fields;
use super::parquet_vectors;
use super::vectors::{Vectors, bad};
use ::parquet::basic::{ConvertedType, Repetition};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{Field, Row};
use ::parquet::schema::types::Type;
use pocketgraph_bundle::{Layout, decode_layouts};
use pocketgraph_native::panics::catch_panic;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Names of a column of vectors; the first that exists is read.
const VECTOR_COLUMNS: [&str; 4] = ["vector", "embedding", "vectors", "embeddings"];

/// The columns of text that are read.
const TEXT_COLUMNS: [&str; 4] = ["text", "id", "title", "url"];

/// Column of the chunks' documents. In a table that has it, the columns of the chunks' places in their
/// documents are also read.
const DOCUMENT: &str = "document";

/// Those columns.
const PLACE_COLUMNS: [&str; 8] =
    [DOCUMENT, "index", "language", "headings", "fragment", "start", "end", "layout"];

/// Returns true for a column of fields of the documents, by which searches filter: single values, or a list
/// of such. A column may not have the name of one that is read otherwise.
fn is_own(column: &Type) -> bool {
    let name = column.name();
    let is_other =
        TEXT_COLUMNS.contains(&name) || PLACE_COLUMNS.contains(&name) || VECTOR_COLUMNS.contains(&name);
    let is_list = !column.is_primitive() && column.get_basic_info().converted_type() == ConvertedType::LIST;
    !is_other && (column.is_primitive() || is_list)
}

/// A table that was read.
pub(crate) struct Table {
    /// The columns that were read, sorted.
    pub columns: Vec<String>,
    /// The vectors, not normalised, where there is a column of them.
    pub vectors: Option<Vectors>,
    /// Number of rows.
    pub rows: usize,
}

/// Takes a row by its number, from 1; the error says what is wrong with it.
pub(crate) type Each<'a> = dyn FnMut(usize, ChunkFields) -> Result<(), String> + 'a;

/// Reads the rows in order and gives each to `each`; the vectors where the file has a column of them and
/// `with_vectors` asks for it. Errors name row and column where they are of one.
pub(crate) fn read_table(path: &Path, with_vectors: bool, each: &mut Each<'_>) -> Result<Table, IngestError> {
    let file = File::open(path).map_err(|source| IngestError::Read { path: path.to_owned(), source })?;
    // The crate asserts some of what a well-made file keeps to, and a damaged one need not: that is an error
    // of the file's, not of the program's.
    let mut at = 0;
    match catch_panic(|| rows(path, file, with_vectors, &mut at, each)) {
        Ok(result) => result,
        Err(_) if at == 0 => Err(bad(path, "not a Parquet file that can be read: it is damaged".to_owned())),
        Err(_) => Err(bad(path, format!("row {}: the file is damaged here", at + 1))),
    }
}

fn rows(
    path: &Path,
    file: File,
    with_vectors: bool,
    at: &mut usize,
    each: &mut Each<'_>,
) -> Result<Table, IngestError> {
    let bytes = file.metadata().map_or(0, |m| usize::try_from(m.len()).unwrap_or(usize::MAX));
    // A text that stands once in a dictionary may be that of any number of rows.
    let allowance = Allowance::of_kept_text(bytes);
    let reader = SerializedFileReader::new(file)
        .map_err(|e| bad(path, format!("not a Parquet file that can be read: {e}")))?;
    let schema = reader.metadata().file_metadata().schema();
    let (wanted, vector) = columns(schema, with_vectors).map_err(|reason| bad(path, reason))?;
    let named = wanted.get_fields().iter().filter(|column| !is_own(column)).map(|f| f.name().to_owned());
    let mut columns: Vec<String> = named.chain(vector.clone()).collect();
    columns.sort_unstable();
    let all = reader.get_row_iter(Some(wanted)).map_err(|e| bad(path, e.to_string()))?;
    for found in all {
        *at += 1;
        let found = found.map_err(|e| bad(path, format!("row {at}: the file is damaged here: {e}")))?;
        let wrong = |reason: String| bad(path, format!("row {at}: {reason}"));
        let chunk = chunk_of_row(&found).map_err(wrong)?;
        allowance.take(chunk.length());
        allowance.check().map_err(|reason| bad(path, reason))?;
        each(*at, chunk).map_err(wrong)?;
    }
    let vectors = vector.map(|name| vectors(path, &reader, &name, *at)).transpose()?;
    Ok(Table { columns, vectors, rows: *at })
}

/// The vectors of a table of so many rows.
fn vectors(path: &Path, reader: &dyn FileReader, name: &str, rows: usize) -> Result<Vectors, IngestError> {
    let wrong = |(at, reason): (usize, String)| match at {
        0 => bad(path, format!("column \"{name}\": {reason}")),
        at => bad(path, format!("row {at}: column \"{name}\": {reason}")),
    };
    let found = parquet_vectors::read_column(reader, name).map_err(wrong)?;
    match found.rows.len() {
        n if n == rows => Ok(found),
        n => Err(wrong((0, format!("{n} vectors of {rows} rows: the file is damaged")))),
    }
}

/// Returns the name of a file for default ids and messages.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The part of `schema` that is read row by row, and the name of its column of vectors.
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
        && field.get_basic_info().repetition() != Repetition::REPEATED
    {
        return Err(format!(
            "column \"{}\" holds single values: expected lists of floating-point numbers",
            field.name()
        ));
    }
    let placed = named(DOCUMENT).is_some();
    if placed && named("index").is_none() && named("start").is_none() {
        return Err("a column \"document\" needs \"index\" or \"start\" beside it, which say where in the \
            document a chunk stands"
            .into());
    }
    let is_read = |name: &str| TEXT_COLUMNS.contains(&name) || (placed && PLACE_COLUMNS.contains(&name));
    let kept: Vec<Arc<Type>> = fields.iter().filter(|f| is_read(f.name()) || is_own(f)).cloned().collect();
    let wanted =
        Type::group_type_builder(schema.name()).with_fields(kept).build().map_err(|e| e.to_string())?;
    Ok((wanted, vector.map(str::to_owned)))
}

/// Returns the fields of a row's chunk.
fn chunk_of_row(row: &Row) -> Result<ChunkFields, String> {
    let mut out = ChunkFields::default();
    for (name, field) in row.get_column_iter() {
        let of_column = |reason: String| format!("column \"{name}\": {reason}");
        let place = &mut out.place;
        match name.as_str() {
            "text" => out.text = as_written(field, false).map_err(of_column)?,
            "id" => out.id = text(field, true).map_err(of_column)?,
            "title" => out.title = text(field, false).map_err(of_column)?,
            "url" => out.url = text(field, false).map_err(of_column)?,
            DOCUMENT => place.document = text(field, true).map_err(of_column)?,
            "language" => place.language = Some(text(field, false).map_err(of_column)?.unwrap_or_default()),
            "fragment" => place.fragment = text(field, false).map_err(of_column)?,
            "headings" => place.headings = texts(field).map_err(of_column)?,
            "index" => place.index = Some(count(field).map_err(of_column)?),
            "start" => place.start = Some(count(field).map_err(of_column)?),
            "end" => place.end = Some(count(field).map_err(of_column)?),
            "layout" => place.layout = layout(field).map_err(of_column)?,
            _ => add_values(field, name, &mut out.own),
        }
        if name == DOCUMENT && place.document.is_none() {
            return Err(of_column("empty".into()));
        }
    }
    if out.text.as_ref().is_none_or(|t| t.trim().is_empty()) {
        return Err("column \"text\" is empty".into());
    }
    // Of a chunk that was cut from a document every byte counts.
    if out.place.document.is_none() {
        out.text = out.text.map(|t| t.trim().to_owned());
    }
    Ok(out)
}

/// Adds the values of a column of fields; what is neither a text, a number, a date nor yes or no is no value.
fn add_values(field: &Field, name: &str, own: &mut Fields) {
    match field {
        Field::ListInternal(list) => list.elements().iter().for_each(|item| add_values(item, name, own)),
        Field::Str(text) => own.push(name, text.trim()),
        Field::Null | Field::Bytes(_) | Field::Group(_) | Field::MapInternal(_) => {}
        Field::TimestampMillis(_) | Field::TimestampMicros(_) => {
            own.push(name, field.to_string().split(' ').next().unwrap_or_default())
        }
        value => own.push(name, &value.to_string()),
    }
}

/// A text, trimmed; of ids, which `or_number` says, also a whole number. `None` where it is empty.
fn text(field: &Field, or_number: bool) -> Result<Option<String>, String> {
    Ok(as_written(field, or_number)?.map(|t| t.trim().to_owned()))
}

/// A text as it is written; `None` where it is blank.
fn as_written(field: &Field, or_number: bool) -> Result<Option<String>, String> {
    let value = match field {
        Field::Null => String::new(),
        Field::Str(s) => s.clone(),
        // Some writers leave out that a column of bytes is text.
        Field::Bytes(b) => std::str::from_utf8(b.data()).map_err(|_| "not UTF-8".to_owned())?.to_owned(),
        Field::Byte(_) | Field::Short(_) | Field::Int(_) | Field::Long(_) if or_number => field.to_string(),
        Field::UByte(_) | Field::UShort(_) | Field::UInt(_) | Field::ULong(_) if or_number => {
            field.to_string()
        }
        _ if or_number => return Err("expected text or whole numbers".into()),
        _ => return Err("expected text".into()),
    };
    Ok(Some(value).filter(|s| !s.trim().is_empty()))
}

/// A list of texts; none where there is no list.
fn texts(field: &Field) -> Result<Vec<String>, String> {
    match field {
        Field::Null => Ok(Vec::new()),
        Field::ListInternal(list) => {
            list.elements().iter().map(|e| Ok(text(e, false)?.unwrap_or_default())).collect()
        }
        _ => Err("expected a list of texts".into()),
    }
}

/// A whole number that is not negative.
fn count(field: &Field) -> Result<u32, String> {
    let number = match field {
        Field::Byte(x) => i64::from(*x),
        Field::Short(x) => i64::from(*x),
        Field::Int(x) => i64::from(*x),
        Field::Long(x) => *x,
        Field::UByte(x) => i64::from(*x),
        Field::UShort(x) => i64::from(*x),
        Field::UInt(x) => i64::from(*x),
        Field::ULong(x) => i64::try_from(*x).unwrap_or(i64::MAX),
        _ => return Err("expected a whole number".into()),
    };
    u32::try_from(number).map_err(|_| format!("{number}: expected 0 to {}", u32::MAX))
}

/// Returns the layout of one chunk from the bytes of [`pocketgraph_bundle::encode_layouts`].
fn layout(field: &Field) -> Result<Layout, String> {
    match field {
        Field::Null => Ok(Layout::new()),
        Field::Bytes(b) => {
            Ok(decode_layouts("layout", b.data()).map_err(|e| e.to_string())?.pop().unwrap_or_default())
        }
        _ => Err("expected bytes, as Chunker makes them".into()),
    }
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
