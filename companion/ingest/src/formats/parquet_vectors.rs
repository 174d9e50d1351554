//! The column of vectors of a Parquet file, read as a column: a row of a table is some ten times as large in
//! memory as the numbers in it, and a million of those between what is kept would hold twice the memory.

use super::vectors::{MAX_DIMENSION, Vectors};
use ::parquet::basic::{LogicalType, Repetition};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{DataType, FixedLenByteArray};
use ::parquet::errors::Result as Read;
use ::parquet::file::reader::FileReader;
use half::f16;

/// Rows that are decoded at once.
const ROWS: usize = 256;

/// The number of a faulty row, from 1, and its fault; 0 for the whole column.
pub(crate) type Fault = (usize, String);

/// Definition levels of a list: at or above `there` it has elements, at `whole` the element is a number.
#[derive(Clone, Copy)]
struct Levels {
    there: i16,
    whole: i16,
}

/// The vectors of the column `name`, one a row. Fails at the first row whose vector is none, is of another
/// dimension than those before, holds what is no number, or cannot be decoded.
pub(crate) fn read_column(file: &dyn FileReader, name: &str) -> Result<Vectors, Fault> {
    let schema = file.metadata().file_metadata().schema_descr();
    let of_column = |&i: &usize| schema.column(i).path().parts().first().is_some_and(|part| part == name);
    let leaves: Vec<usize> = (0..schema.num_columns()).filter(of_column).collect();
    let no_list = || (0, "expected a list of floating-point numbers".to_owned());
    let &[leaf] = leaves.as_slice() else { return Err(no_list()) };
    let column = schema.column(leaf);
    // A group, its repeated group and the element: what is deeper is a list of something else.
    if column.max_rep_level() != 1 || column.path().parts().len() > 3 {
        return Err(no_list());
    }
    let whole = column.max_def_level();
    let may_lack = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
    let levels = Levels { there: whole - i16::from(may_lack), whole };
    let is_half = matches!(column.logical_type_ref(), Some(LogicalType::Float16));
    let mut out = Vectors::default();
    for group in 0..file.num_row_groups() {
        let damaged = |e| (0, format!("the file is damaged here: {e}"));
        let reader =
            file.get_row_group(group).and_then(|group| group.get_column_reader(leaf)).map_err(damaged)?;
        match reader {
            ColumnReader::FloatColumnReader(reader) => {
                append_group(reader, levels, &|x: &f32| Some(*x), &mut out)?
            }
            ColumnReader::DoubleColumnReader(reader) => {
                append_group(reader, levels, &|x: &f64| Some(*x as f32), &mut out)?
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) if is_half => {
                append_group(reader, levels, &half, &mut out)?
            }
            _ => return Err((0, "expected floating-point numbers (16, 32 or 64 bits)".to_owned())),
        }
    }
    Ok(out)
}

/// A number of two bytes.
fn half(bytes: &FixedLenByteArray) -> Option<f32> {
    bytes.data().try_into().ok().map(|b| f16::from_le_bytes(b).to_f32())
}

/// Appends the vectors of a row group.
fn append_group<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    levels: Levels,
    number: &dyn Fn(&T::T) -> Option<f32>,
    out: &mut Vectors,
) -> Result<(), Fault> {
    loop {
        let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let read: Read<(usize, usize, usize)> =
            reader.read_records(ROWS, Some(&mut defined), Some(&mut repeated), &mut values);
        let (records, ..) =
            read.map_err(|e| (out.rows.len() + 1, format!("the file is damaged here: {e}")))?;
        if records == 0 {
            return Ok(());
        }
        let mut values = values.iter().map(number);
        let starts: Vec<usize> =
            repeated.iter().enumerate().filter(|(_, level)| **level == 0).map(|(i, _)| i).collect();
        let ends = starts.iter().skip(1).copied().chain([defined.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let row = defined.get(*start..end).unwrap_or_default();
            let vector = vector(row, levels, &mut values)
                .and_then(|v| check_vector(v, out))
                .map_err(|reason| (out.rows.len() + 1, reason))?;
            out.rows.push(vector);
        }
    }
}

/// The vector of a row: its elements by their definition levels, and the numbers of those that have one.
fn vector(
    row: &[i16],
    levels: Levels,
    values: &mut dyn Iterator<Item = Option<f32>>,
) -> Result<Vec<f32>, String> {
    match row {
        [level] if *level < levels.there - 1 => return Err("no vector".to_owned()),
        [level] if *level < levels.there => return Err(format!("0 numbers: expected 1 to {MAX_DIMENSION}")),
        _ if row.len() > MAX_DIMENSION => {
            return Err(format!("{} numbers: expected 1 to {MAX_DIMENSION}", row.len()));
        }
        _ => {}
    }
    let mut out = Vec::with_capacity(row.len());
    for (i, &level) in row.iter().enumerate() {
        if level < levels.whole {
            return Err(format!("number {i} is missing"));
        }
        match values.next().flatten() {
            Some(x) if x.is_finite() => out.push(x),
            Some(_) => return Err(format!("number {i} is not finite")),
            None => return Err("the file is damaged here".to_owned()),
        }
    }
    Ok(out)
}

/// A vector that has the dimension of those before, and a direction.
fn check_vector(vector: Vec<f32>, out: &mut Vectors) -> Result<Vec<f32>, String> {
    if out.rows.is_empty() {
        out.dimension = vector.len();
    }
    if vector.len() != out.dimension {
        return Err(format!("{} numbers where the rows before have {}", vector.len(), out.dimension));
    }
    if vector.iter().all(|&x| x == 0.0) {
        return Err("all zeros: it has no direction".to_owned());
    }
    Ok(vector)
}
