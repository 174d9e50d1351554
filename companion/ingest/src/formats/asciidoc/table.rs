//! Tables whose cells begin with bars, and tables of separated values.

use super::super::data_table::is_head;
use super::super::lines::{Line, solid_range};
use super::super::marked::Rows;
use std::ops::Range;

/// More columns than any table has that people read.
const MOST_COLUMNS: usize = 256;

/// A cell, and how many columns and rows it covers.
struct Cell {
    text: Vec<Range<usize>>,
    columns: usize,
    rows: usize,
}

/// The rows of a table between its delimiters, and how many of them are its head; a cell has the parts of
/// lines that its text stands in, and one that covers several rows or columns stands in each of them.
/// `attributes` are those above the table.
pub(super) fn rows(lines: &[Line<'_>], attributes: &str) -> (Rows, usize) {
    let mut cells: Vec<Cell> = Vec::new();
    let mut in_first_line = 0;
    for line in lines.iter().filter(|l| !l.is_blank()) {
        let mut from = None;
        for (at, _) in line.text.match_indices('|') {
            if line.text.get(..at).is_some_and(|t| t.ends_with('\\')) {
                continue;
            }
            // What stands before the bar and is no text says how the cell looks: `2+|`, `.3+^.>s|`, `a|`.
            let before = line.text.get(from.unwrap_or(0)..at).unwrap_or("");
            let spec = before.rsplit([' ', '\t']).next().filter(|s| is_spec(s)).unwrap_or("");
            append_part(&mut cells, line, from, at - spec.len());
            let (columns, rows, copies) = spans(spec);
            for copy in 1..=copies {
                cells.push(Cell { text: Vec::new(), columns, rows: if copy == copies { rows } else { 0 } });
            }
            from = Some(at + 1);
        }
        append_part(&mut cells, line, from, line.text.len());
        if in_first_line == 0 {
            in_first_line = cells.iter().map(|c| c.columns).sum();
        }
    }
    // A cell that stands several times has its text in the last.
    let mut copied: Option<Vec<Range<usize>>> = None;
    for cell in cells.iter_mut().rev() {
        match &copied {
            Some(text) if cell.rows == 0 => cell.text.clone_from(text),
            _ => copied = Some(cell.text.clone()),
        }
        cell.rows = cell.rows.max(1);
    }
    let columns = columns(attributes).unwrap_or(in_first_line).clamp(1, MOST_COLUMNS);
    (laid_out(cells, columns), heads(lines, attributes))
}

/// Returns the number of rows in the head, 0 or 1. A first line before a blank one is a head.
fn heads(lines: &[Line<'_>], attributes: &str) -> usize {
    let head = lines.first().is_some_and(|l| !l.is_blank()) && lines.get(1).is_some_and(Line::is_blank);
    let has_option = |name: &str| {
        attributes.contains(&format!("%{name}"))
            || attributes.contains(&format!("options=\"{name}"))
            || attributes.contains(&format!("opts=\"{name}"))
            || attributes.contains(&format!("options={name}"))
    };
    usize::from(has_option("header") || head && !has_option("noheader"))
}

/// The sign that parts the values of a table, where its attributes name a format of values.
pub(super) fn separator(attributes: &str) -> Option<char> {
    let format = attributes.split("format=").nth(1)?.trim_start_matches('"');
    [("csv", ','), ("tsv", '\t'), ("dsv", ':')]
        .iter()
        .find(|(name, _)| format.starts_with(name))
        .map(|(_, sign)| *sign)
}

/// The rows of a table of values that a sign parts, and how many of them are its head. A value between quotes
/// may go on over lines.
pub(super) fn values(lines: &[Line<'_>], sign: char, attributes: &str) -> (Rows, usize) {
    let mut rows = Rows::new();
    let mut quoted = false;
    for line in lines.iter().filter(|l| !l.is_blank()) {
        if !quoted {
            rows.push(vec![Vec::new()]);
        }
        let Some(row) = rows.last_mut() else { continue };
        let mut from = 0;
        for (at, c) in line.text.char_indices() {
            quoted ^= c == '"';
            if c == sign && !quoted {
                append_value(row, line, from..at);
                row.push(Vec::new());
                from = at + 1;
            }
        }
        append_value(row, line, from..line.text.len());
    }
    let first = lines
        .iter()
        .find(|l| !l.is_blank())
        .map_or("", |l| l.text)
        .split(sign)
        .map(|v| v.trim_matches(is_around).to_owned());
    let named = rows.len() > 1 && !attributes.contains("noheader") && is_head(&first.collect::<Vec<_>>());
    (rows, heads(lines, attributes).max(usize::from(named)))
}

/// White space and quotes around a value are not part of it.
fn is_around(c: char) -> bool {
    c.is_whitespace() || c == '"'
}

/// Adds a part of a line to the last value of a row.
fn append_value(row: &mut [Vec<Range<usize>>], line: &Line<'_>, part: Range<usize>) {
    let Some((cell, text)) = row.last_mut().zip(line.text.get(part.clone())) else { return };
    let start = line.start + part.start + (text.len() - text.trim_start_matches(is_around).len());
    let end = start + text.trim_matches(is_around).len();
    if start < end {
        cell.push(start..end);
    }
}

fn laid_out(cells: Vec<Cell>, columns: usize) -> Rows {
    let mut rows = Rows::new();
    let mut below: Vec<Option<(Vec<Range<usize>>, usize)>> = vec![None; columns];
    let mut row: Vec<Vec<Range<usize>>> = Vec::new();
    for cell in cells {
        // What reaches down from rows above comes first, and may fill whole rows.
        while row.len() < columns
            && let Some((text, left)) = below.get_mut(row.len()).and_then(Option::take)
        {
            if left > 1
                && let Some(slot) = below.get_mut(row.len())
            {
                *slot = Some((text.clone(), left - 1));
            }
            row.push(text);
            if row.len() == columns {
                rows.push(std::mem::take(&mut row));
            }
        }
        for _ in 0..cell.columns.min(columns - row.len().min(columns)) {
            if cell.rows > 1
                && let Some(slot) = below.get_mut(row.len())
            {
                *slot = Some((cell.text.clone(), cell.rows - 1));
            }
            row.push(cell.text.clone());
        }
        if row.len() >= columns {
            rows.push(std::mem::take(&mut row));
        }
    }
    if !row.is_empty() {
        while let Some((text, _)) = below.get_mut(row.len()).and_then(Option::take) {
            row.push(text);
        }
        rows.push(row);
    }
    rows
}

/// Columns, rows and copies that a cell's mark says: `2+`, `.3+`, `2.3+`, `3*`. Of copies the rows of all but
/// the last are none yet.
fn spans(spec: &str) -> (usize, usize, usize) {
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| *n > 0).unwrap_or(1).min(MOST_COLUMNS);
    if let Some((spans, _)) = spec.split_once('+') {
        let (columns, rows) = spans.split_once('.').unwrap_or((spans, ""));
        return (number(columns), number(rows), 1);
    }
    match spec.split_once('*') {
        Some((copies, _)) => (1, 1, number(copies)),
        None => (1, 1, 1),
    }
}

/// Adds a part of a line to the last cell, without the white space around it; a line that begins with no bar
/// goes on with the cell before.
fn append_part(cells: &mut [Cell], line: &Line<'_>, from: Option<usize>, to: usize) {
    let from = from.unwrap_or(0);
    let (Some(cell), Some(text)) = (cells.last_mut(), line.text.get(from..to.max(from))) else { return };
    cell.text.extend(solid_range(text, line.start + from));
}

fn is_spec(text: &str) -> bool {
    text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit() || b"+*.<>^adehlmsv".contains(&b))
}

/// The number of columns that `cols="1,2"`, `cols="3*"` or `cols=2*a` names.
fn columns(attributes: &str) -> Option<usize> {
    let value = attributes.split("cols=").nth(1)?;
    let value = value
        .strip_prefix('"')
        .map_or_else(|| value.split(',').next().unwrap_or(""), |v| v.split('"').next().unwrap_or(""));
    let count = |one: &str| {
        one.trim().split_once('*').map_or(1, |(n, _)| n.parse::<usize>().unwrap_or(1).min(MOST_COLUMNS))
    };
    let all: usize = value.split([',', ';']).map(count).sum();
    (all > 0 && !value.is_empty()).then_some(all)
}
