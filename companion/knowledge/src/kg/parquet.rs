//! Reads Parquet: rows of GraphRAG's tables and of others with the same columns.

use super::ImportError;
use super::lines::read_error;
use super::literals::Tail;
use super::record::Records;
use super::report::Reporter;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use pocketgraph_kg::LiteralKind;
use pocketgraph_native::panics::catch_panic;
use std::fs::File;
use std::path::Path;

/// Longer lists are vectors or lists of passages.
const LONGEST_LIST: usize = 16;

pub(super) fn read_parquet(
    path: &Path,
    records: &mut Records<'_>,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let file = File::open(path).map_err(|reason| read_error(path, reason))?;
    // The crate asserts properties that a damaged file may violate.
    catch_panic(|| read_rows(file, records, report))
        .unwrap_or_else(|_| report.malformed(0, "the file is damaged"))
}

fn read_rows(file: File, records: &mut Records<'_>, report: &mut Reporter) -> Result<(), ImportError> {
    let reader = match SerializedFileReader::new(file) {
        Ok(reader) => reader,
        Err(e) => return report.malformed(0, format!("not a Parquet file that can be read: {e}")),
    };
    let rows = match reader.get_row_iter(None) {
        Ok(rows) => rows,
        Err(e) => return report.malformed(0, e.to_string()),
    };
    for (line, row) in (1..).zip(rows) {
        let row = match row {
            Ok(row) => row,
            Err(e) => return report.malformed(line, format!("the file is damaged here: {e}")),
        };
        let mut fields = Vec::new();
        for (name, field) in row.get_column_iter() {
            match field {
                Field::ListInternal(list) if list.len() <= LONGEST_LIST => {
                    fields.extend(list.elements().iter().filter_map(read_value).map(|v| (name.clone(), v)));
                }
                field => fields.extend(read_value(field).map(|v| (name.clone(), v))),
            }
        }
        records.named(line, fields, report)?;
    }
    Ok(())
}

/// Returns a value; `None` for nested ones.
fn read_value(field: &Field) -> Option<Tail> {
    let (text, kind) = match field {
        Field::Null => (String::new(), None),
        Field::Str(s) => (s.trim().to_owned(), None),
        Field::Bool(b) => (b.to_string(), Some(LiteralKind::Boolean)),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) | Field::Bytes(_) => return None,
        Field::Date(_) | Field::TimestampMillis(_) | Field::TimestampMicros(_) => {
            (field.to_string().chars().take(10).collect(), Some(LiteralKind::Date))
        }
        number => (number.to_string(), Some(LiteralKind::Number)),
    };
    Some(Tail { text, kind, ..Tail::default() })
}
