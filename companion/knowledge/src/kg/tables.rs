//! Reads tables: of triples and edges, of things, of relations and types.

use super::columns::{Column, Layout, strict_header};
use super::lines::{Format, LONGEST_LINE, each_line, format_of, open_file, read_error};
use super::literals::{Rows, Tail};
use super::record::{Field, Records, is_measured, parse_cell};
use super::report::Reporter;
use super::{ImportError, ImportOptions};
use pocketgraph_kg::{KgBuilder, KgError};
use std::collections::BTreeSet;
use std::io::Read;
use std::mem;
use std::path::Path;

/// Length of the beginning by which a table's columns are recognised, in bytes.
const SAMPLE: u64 = 1 << 16;

pub(super) const TRIPLE: [Column; 4] = [Column::Head, Column::Relation, Column::Tail, Column::Provenance];
pub(super) const ENTITY: [Column; 5] =
    [Column::Id, Column::Label, Column::Aliases, Column::Types, Column::Description];
const TERM: [Column; 5] = [Column::Id, Column::Label, Column::Aliases, Column::Domain, Column::Range];

/// Passes each row of a table to `each`. A quoted cell of CSV may span several lines.
fn each_row(
    path: &Path,
    separator: u8,
    report: &mut Reporter,
    mut each: impl FnMut(u64, &[&str], &mut Reporter) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut take = |line: u64, text: &str, report: &mut Reporter| match split_row(text, separator) {
        Ok(cells) => each(line, &cells.iter().map(|c| c.trim()).collect::<Vec<_>>(), report),
        Err(what) => report.malformed(line, what),
    };
    let unclosed = "a quote is not closed";
    let (mut begun, mut open) = (String::new(), None);
    each_line(path, report, |line, text, report| {
        let inside = open.is_some();
        let goes_on = matches!(separator, b',' | b';') && ends_in_quotes(text, separator, inside);
        if inside {
            begun.push('\n');
        } else if !goes_on {
            return take(line, text, report);
        }
        begun.push_str(text);
        let first = *open.get_or_insert(line);
        if !goes_on {
            open = None;
            take(first, &mem::take(&mut begun), report)
        } else if begun.len() as u64 > LONGEST_LINE {
            open = None;
            begun.clear();
            report.malformed(first, unclosed)
        } else {
            Ok(())
        }
    })?;
    open.map_or(Ok(()), |line| report.malformed(line, unclosed))
}

/// Returns true if a quoted cell continues after this line, which begins within one if `inside`.
fn ends_in_quotes(line: &str, separator: u8, mut inside: bool) -> bool {
    let mut starts = true;
    for byte in line.bytes() {
        match byte {
            b'"' if inside => inside = false,
            // A doubled quote is part of the text.
            b'"' if starts => inside = true,
            _ => {}
        }
        starts = !inside && (byte == separator || byte == b'"');
    }
    inside
}

fn split_row(row: &str, separator: u8) -> Result<Vec<String>, String> {
    if !matches!(separator, b',' | b';') || !row.contains('"') {
        return Ok(row.split(char::from(separator)).map(str::to_owned).collect());
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(row.as_bytes());
    match reader.records().next() {
        Some(Ok(record)) => Ok(record.iter().map(str::to_owned).collect()),
        Some(Err(e)) => Err(e.to_string()),
        None => Ok(Vec::new()),
    }
}

fn read_sample(path: &Path, separator: u8) -> Result<Vec<Vec<String>>, ImportError> {
    let mut bytes = Vec::new();
    open_file(path)?.take(SAMPLE).read_to_end(&mut bytes).map_err(|reason| read_error(path, reason))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let whole = if (bytes.len() as u64) < SAMPLE {
        text
    } else {
        text.rsplit_once('\n').map_or(text, |(before, _)| before)
    };
    let (mut rows, mut row) = (Vec::new(), String::new());
    for line in whole.lines().filter(|l| !l.trim().is_empty()) {
        let inside = !row.is_empty();
        row.push_str(line);
        if ends_in_quotes(line, separator, inside) && matches!(separator, b',' | b';') {
            row.push('\n');
            continue;
        }
        rows.extend(
            split_row(&mem::take(&mut row), separator)
                .ok()
                .map(|cells| cells.iter().map(|c| c.trim().to_owned()).collect()),
        );
    }
    Ok(rows)
}

/// Returns the columns that a table's first row names; `None` if that is a row like the others.
fn read_header(rows: &[Vec<String>], of_things: bool) -> Option<Layout> {
    let (first, others) = rows.split_first()?;
    let names: Vec<&str> = first.iter().map(String::as_str).collect();
    let column =
        |i: usize| others.iter().filter_map(move |r| r.get(i)).map(String::as_str).filter(|v| !v.is_empty());
    let is_text: Vec<bool> =
        (0..names.len()).map(|i| column(i).next().is_some() && !column(i).any(is_measured)).collect();
    let layout = Layout::of(&names, &is_text);
    let could_name =
        |(i, name): (usize, &&str)| !is_measured(name) && (name.is_empty() || column(i).all(|v| v != *name));
    if !names.iter().enumerate().all(could_name) {
        return None;
    }
    if layout.is_marked() {
        return Some(layout);
    }
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    if others.is_empty() || !distinct || names.contains(&"") {
        return None;
    }
    // A first row names the columns if its cells are of other kinds than those below, or if it is too long or
    // too short for triples.
    let names_key = layout.columns.first().is_some_and(|c| !matches!(c, Column::Property | Column::Skip));
    let repeats = column(1).collect::<BTreeSet<_>>().len() < column(1).count();
    let measured = (2..names.len()).any(|i| column(i).count() > 1 && column(i).all(is_measured));
    let is_header = names_key || (!of_things && (!(3..=4).contains(&names.len()) || (measured && !repeats)));
    is_header.then(|| layout.with_key())
}

/// Reads a table whose rows join two things or describe one; its columns are those given, or like the
/// default.
pub(super) fn read_rows(
    path: &Path,
    separator: u8,
    (given, default): (Option<&[Column]>, &[Column]),
    kg: &mut KgBuilder,
    rows: &mut Rows,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let sample = read_sample(path, separator)?;
    let needed = default.first().copied().unwrap_or(Column::Id);
    let named = match given {
        Some(_) => {
            sample.first().and_then(|r| strict_header(r, needed)).map(|columns| Layout::unnamed(&columns))
        }
        None => read_header(&sample, default == ENTITY),
    };
    let mut skip_header = named.is_some();
    let layout = match given {
        Some(given) if !given.contains(&needed) && !given.contains(&Column::Label) => {
            return Err(ImportError::Columns(format!(
                "the columns of {} need one {needed:?}",
                path.display()
            )));
        }
        Some(given) => Layout::unnamed(given),
        None => named.unwrap_or_else(|| Layout::unnamed(default)),
    };
    report.understood(&layout);
    let file = rows.file(path);
    let mut records = Records {
        kg,
        rows,
        file,
        scope: String::new(),
        numbers_are_ids: false,
        ends_are_ids: layout.ends_are_ids,
    };
    each_row(path, separator, report, |line, cells, report| {
        if mem::take(&mut skip_header) {
            return Ok(());
        }
        // Trailing columns may be absent; too many cells mean that the separator or a quote is wrong.
        if cells.len() > layout.columns.len() {
            return report.malformed(
                line,
                format!("{} cells where at most {} belong", cells.len(), layout.columns.len()),
            );
        }
        let field = |(i, column): (usize, &Column)| -> Field<'_> {
            let (name, datatype) = (
                layout.names.get(i).map_or("", String::as_str),
                layout.datatypes.get(i).map_or("", String::as_str),
            );
            (*column, name, cells.get(i).map_or_else(Tail::default, |cell| parse_cell(cell, datatype)))
        };
        records.take(line, &layout.columns.iter().enumerate().map(field).collect::<Vec<_>>(), report)
    })
}

pub(super) fn separator_of(path: &Path) -> Result<u8, ImportError> {
    Ok(match format_of(path)? {
        Format::Table(separator) => separator,
        _ => b'\t',
    })
}

/// A row of a table of relations or types.
pub(super) struct Term<'a> {
    pub id: &'a str,
    /// The label, then the aliases.
    pub names: Vec<&'a str>,
    pub domain: &'a str,
    pub range: &'a str,
}

/// Reads a table of relations or types.
pub(super) fn read_terms(
    path: &Path,
    options: &ImportOptions,
    report: &mut Reporter,
    each: &mut dyn FnMut(Term<'_>) -> Result<(), KgError>,
) -> Result<(), ImportError> {
    let mut columns = options.term_columns.clone();
    if columns.as_ref().is_some_and(|c| !c.contains(&Column::Id)) {
        return Err(ImportError::Columns(format!("the columns of {} need one Id", path.display())));
    }
    let mut is_first = true;
    each_row(path, separator_of(path)?, report, |line, cells, report| {
        let own: Vec<String> = cells.iter().map(|c| (*c).to_owned()).collect();
        if mem::take(&mut is_first)
            && let Some(of_header) = strict_header(&own, Column::Id)
        {
            columns.get_or_insert(of_header);
            return Ok(());
        }
        let columns = columns.get_or_insert_with(|| TERM.to_vec());
        if cells.len() > columns.len() {
            return report
                .malformed(line, format!("{} cells where at most {} belong", cells.len(), columns.len()));
        }
        let cell = |wanted: Column| {
            columns.iter().zip(cells).find(|(c, _)| **c == wanted).map_or("", |(_, text)| text)
        };
        let id = cell(Column::Id);
        if id.is_empty() {
            return report.malformed(line, "it has no id");
        }
        let names = columns.iter().zip(cells).flat_map(|(column, text)| match column {
            Column::Label => vec![*text],
            Column::Aliases => text.split('|').map(str::trim).collect(),
            _ => Vec::new(),
        });
        let names = names.filter(|n| !n.is_empty()).collect();
        each(Term { id, names, domain: cell(Column::Domain), range: cell(Column::Range) })?;
        report.used();
        Ok(())
    })
}
