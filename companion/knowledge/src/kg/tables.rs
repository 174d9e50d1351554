//! Tables: of triples, of entities, of relations and types.

use super::lines::{Format, each_line, format_of};
use super::literals::{Row, Rows};
use super::report::Reporter;
use super::{ImportError, ImportOptions};
use pocketgraph_kg::{KgBuilder, KgError};
use std::path::Path;

/// Content of a table's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The triple's head.
    Head,
    /// The triple's relation.
    Relation,
    /// The triple's tail.
    Tail,
    /// Source of the triple.
    Provenance,
    /// A type of the head.
    HeadType,
    /// A type of the tail.
    TailType,
    /// The tail's datatype: the tail is a literal.
    Datatype,
    /// The tail's unit: the tail is a literal.
    Unit,
    /// The id of what the row describes.
    Id,
    /// Its label; a second label column gives an alias.
    Label,
    /// Aliases, separated by `|`.
    Aliases,
    /// Types, separated by `|` or a comma.
    Types,
    /// A description.
    Description,
    /// In a table of relations: the type of every head.
    Domain,
    /// In a table of relations: the type of every tail that is an entity.
    Range,
    /// Nothing of interest.
    Skip,
}

impl Column {
    fn named(name: &str) -> Option<Column> {
        Some(match name.trim().to_lowercase().as_str() {
            "head" | "subject" => Column::Head,
            "relation" | "predicate" => Column::Relation,
            "tail" | "object" => Column::Tail,
            "provenance" | "source" => Column::Provenance,
            "head_type" | "head-type" | "subject_type" => Column::HeadType,
            "tail_type" | "tail-type" | "object_type" => Column::TailType,
            "datatype" => Column::Datatype,
            "unit" => Column::Unit,
            "id" => Column::Id,
            "label" | "name" | "alias" => Column::Label,
            "aliases" | "synonyms" => Column::Aliases,
            "types" | "type" => Column::Types,
            "description" => Column::Description,
            "domain" => Column::Domain,
            "range" => Column::Range,
            "-" | "skip" => Column::Skip,
            _ => return None,
        })
    }
}

/// Columns from their names, separated by commas: head, relation, tail, provenance, head-type, tail-type, datatype, unit; id, label,
/// alias, aliases, types, description, domain, range; `-` for a column to pass over.
///
/// # Errors
/// [`ImportError::Columns`] for an unknown name.
pub fn parse_columns(names: &str) -> Result<Vec<Column>, ImportError> {
    names
        .split(',')
        .map(|n| Column::named(n).ok_or_else(|| ImportError::Columns(format!("{n:?} is no column: write head, relation, tail, provenance, head-type, tail-type, datatype, unit, id, label, aliases, types, description, domain, range or -"))))
        .collect()
}

/// The columns of a header line, if every cell of it names one and `needed` is among them.
fn header(cells: &[String], needed: Column) -> Option<Vec<Column>> {
    let columns: Option<Vec<Column>> = cells.iter().map(|c| Column::named(c)).collect();
    columns.filter(|c| c.contains(&needed))
}

/// A table's rows, cell by cell. The columns are the given ones, or the header's, or the default.
fn each_row(
    path: &Path,
    separator: u8,
    given: Option<&[Column]>,
    default: &[Column],
    report: &mut Reporter,
    mut each: impl FnMut(u64, &[(Column, &str)], &mut Reporter) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let needed = default.first().copied().unwrap_or(Column::Id);
    let mut columns: Option<Vec<Column>> = given.map(<[Column]>::to_vec);
    if given.is_some_and(|g| !g.contains(&needed)) {
        return Err(ImportError::Columns(format!("the columns of {} need one {needed:?}", path.display())));
    }
    let mut first = true;
    each_line(path, report, |line, text, report| {
        let cells = match split(text, separator) {
            Ok(cells) => cells,
            Err(what) => return report.malformed(line, what),
        };
        if std::mem::take(&mut first)
            && let Some(of_header) = header(&cells, needed)
        {
            columns.get_or_insert(of_header);
            return Ok(());
        }
        let columns = columns.get_or_insert_with(|| default.to_vec());
        // Trailing columns may be left out; more cells than columns mean that the separator or a quote is wrong.
        if cells.len() > columns.len() {
            return report.malformed(line, format!("{} cells where at most {} belong", cells.len(), columns.len()));
        }
        let row: Vec<(Column, &str)> = columns.iter().copied().zip(cells.iter().map(|c| c.trim())).collect();
        each(line, &row, report)
    })
}

/// A line's cells. In CSV, quotes enclose cells with commas; a line end inside quotes is not taken.
fn split(line: &str, separator: u8) -> Result<Vec<String>, String> {
    if separator != b',' || !line.contains('"') {
        return Ok(line.split(char::from(separator)).map(str::to_owned).collect());
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let quotes = line.bytes().filter(|&b| b == b'"').count();
    if !quotes.is_multiple_of(2) {
        return Err("a quote is not closed on its line".to_owned());
    }
    match reader.records().next() {
        Some(Ok(record)) => Ok(record.iter().map(str::to_owned).collect()),
        Some(Err(e)) => Err(e.to_string()),
        None => Ok(Vec::new()),
    }
}

fn cell<'a>(row: &[(Column, &'a str)], wanted: Column) -> &'a str {
    row.iter().find(|(c, _)| *c == wanted).map_or("", |(_, text)| text)
}

/// Reads a table of triples.
pub(super) fn triples(
    path: &Path,
    separator: u8,
    options: &ImportOptions,
    rows: &mut Rows,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    const DEFAULT: [Column; 4] = [Column::Head, Column::Relation, Column::Tail, Column::Provenance];
    let file = rows.file(path);
    each_row(path, separator, options.columns.as_deref(), &DEFAULT, report, |line, row, report| {
        let mut out = Row { line, ..Row::default() };
        for (wanted, name, place) in [
            (Column::Head, "head", &mut out.head),
            (Column::Relation, "relation", &mut out.relation),
            (Column::Tail, "tail", &mut out.tail.text),
        ] {
            let text = cell(row, wanted);
            if text.is_empty() {
                return report.malformed(line, format!("it has no {name}"));
            }
            text.clone_into(place);
        }
        cell(row, Column::Provenance).clone_into(&mut out.cited);
        cell(row, Column::HeadType).clone_into(&mut out.head_type);
        cell(row, Column::TailType).clone_into(&mut out.tail_type);
        cell(row, Column::Datatype).clone_into(&mut out.tail.datatype);
        cell(row, Column::Unit).clone_into(&mut out.tail.unit);
        rows.push(file, out);
        report.used();
        Ok(())
    })
}

fn separator_of(path: &Path) -> Result<u8, ImportError> {
    Ok(match format_of(path)? {
        Format::Table(separator) => separator,
        _ => b'\t',
    })
}

/// Reads a table of entities.
pub(super) fn entities(path: &Path, options: &ImportOptions, kg: &mut KgBuilder, report: &mut Reporter) -> Result<(), ImportError> {
    const DEFAULT: [Column; 5] = [Column::Id, Column::Label, Column::Aliases, Column::Types, Column::Description];
    each_row(path, separator_of(path)?, options.entity_columns.as_deref(), &DEFAULT, report, |line, row, report| {
        let id = cell(row, Column::Id);
        if id.is_empty() {
            return report.malformed(line, "it has no id");
        }
        let entity = kg.entity(id)?;
        for &(column, text) in row.iter().filter(|(_, text)| !text.is_empty()) {
            match column {
                Column::Label => kg.label(entity, text)?,
                Column::Aliases => text.split('|').try_for_each(|a| kg.alias(entity, a))?,
                Column::Description => kg.describe(entity, text)?,
                Column::Types => {
                    for name in text.split(['|', ',']).map(str::trim).filter(|t| !t.is_empty()) {
                        let t = kg.entity_type(name)?;
                        kg.entity_has_type(entity, t)?;
                    }
                }
                _ => {}
            }
        }
        report.used();
        Ok(())
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
pub(super) fn terms(
    path: &Path,
    options: &ImportOptions,
    report: &mut Reporter,
    each: &mut dyn FnMut(Term<'_>) -> Result<(), KgError>,
) -> Result<(), ImportError> {
    const DEFAULT: [Column; 5] = [Column::Id, Column::Label, Column::Aliases, Column::Domain, Column::Range];
    each_row(path, separator_of(path)?, options.term_columns.as_deref(), &DEFAULT, report, |line, row, report| {
        let id = cell(row, Column::Id);
        if id.is_empty() {
            return report.malformed(line, "it has no id");
        }
        let names = row.iter().flat_map(|&(column, text)| match column {
            Column::Label => vec![text],
            Column::Aliases => text.split('|').map(str::trim).collect(),
            _ => Vec::new(),
        });
        let names = names.filter(|n| !n.is_empty()).collect();
        each(Term { id, names, domain: cell(row, Column::Domain), range: cell(row, Column::Range) })?;
        report.used();
        Ok(())
    })
}
