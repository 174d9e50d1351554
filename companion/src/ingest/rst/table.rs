//! Tables, drawn with lines or aligned in columns, and the cells of those that directives make of lists.

use super::super::lines::Line;
use super::super::marked::Rows;
use std::ops::Range;

/// More columns than any table has that people read.
const MOST_COLUMNS: usize = 256;

/// Whether a line is the top of a table drawn with lines: `+---+---+`.
pub(super) fn begins_grid(line: &Line<'_>) -> bool {
    line.text.len() > 2 && is_border(line) && line.text.ends_with('+')
}

fn is_border(line: &Line<'_>) -> bool {
    line.text.starts_with("+-") || line.text.starts_with("+=")
}

/// The rows of a table drawn with lines.
pub(super) fn grid(lines: &[Line<'_>]) -> Rows {
    let Some(top) = lines.first() else { return Vec::new() };
    let edges: Vec<usize> = top.text.char_indices().filter(|&(_, c)| c == '+').map(|(i, _)| i).take(MOST_COLUMNS).collect();
    let mut rows = Rows::new();
    let mut row: Vec<Vec<Range<usize>>> = Vec::new();
    for line in lines.iter().skip(1) {
        if is_border(line) {
            rows.push(std::mem::take(&mut row));
            continue;
        }
        // A column stands where its edge does, in characters; cells over several columns have no bar at the edges between them.
        let (mut column, mut start) = (0, None);
        for (place, (at, c)) in line.text.char_indices().enumerate() {
            let Ok(edge) = edges.binary_search(&place) else { continue };
            if !matches!(c, '|' | '+') {
                continue;
            }
            if let Some(start) = start {
                add(&mut row, column, line, start..at);
            }
            (column, start) = (edge, Some(at + 1));
        }
    }
    rows.push(row);
    rows.retain(|r| r.iter().any(|cell| !cell.is_empty()));
    rows
}

/// Whether a line is a border of a table aligned in columns: `=====  =====`.
pub(super) fn is_simple_border(line: &Line<'_>) -> bool {
    line.text.contains(' ') && line.text.starts_with('=') && line.text.bytes().all(|b| matches!(b, b'=' | b' '))
}

/// How many lines a table aligned in columns has: to its last border, which a blank line follows or the end.
pub(super) fn simple_length(lines: &[Line<'_>]) -> Option<usize> {
    let mut borders = (1..lines.len()).filter(|&i| lines.get(i).is_some_and(is_simple_border));
    borders.find(|&i| lines.get(i + 1).is_none_or(Line::is_blank)).map(|i| i + 1)
}

/// The rows of a table aligned in columns.
pub(super) fn simple(lines: &[Line<'_>]) -> Rows {
    let Some(top) = lines.first() else { return Vec::new() };
    let runs = top.text.char_indices().filter(|&(i, c)| c == '=' && (i == 0 || top.text.as_bytes().get(i - 1) == Some(&b' ')));
    let starts: Vec<usize> = runs.map(|(i, _)| top.indent + i).take(MOST_COLUMNS).collect();
    let mut rows = Rows::new();
    for line in lines.iter().skip(1) {
        let under = line.text.starts_with('-') && line.text.bytes().all(|b| matches!(b, b'-' | b' '));
        if line.is_blank() || is_simple_border(line) || under && line.text.len() > 2 {
            continue;
        }
        // A row whose first cell is empty goes on with the one before.
        let first = starts.get(1).is_none_or(|&second| line.indent < second);
        if first || rows.is_empty() {
            rows.push(Vec::new());
        }
        let Some(row) = rows.last_mut() else { continue };
        let (mut from, mut column) = (0, starts.partition_point(|&s| s <= line.indent).saturating_sub(1));
        for (place, (at, _)) in line.text.char_indices().enumerate() {
            let next = column + 1;
            // Text that crosses the edge of its column belongs to a cell of several.
            let crosses = || line.text.get(..at).is_some_and(|t| !t.ends_with(' '));
            if starts.get(next).is_some_and(|&s| line.indent + place == s) {
                if !crosses() {
                    add(row, column, line, from..at);
                    from = at;
                }
                column = next;
            }
        }
        add(row, column, line, from..line.text.len());
    }
    rows
}

/// The rows of a list of lists: `* - cell`.
pub(super) fn listed(lines: &[Line<'_>]) -> Rows {
    let mut rows = Rows::new();
    let Some(base) = lines.iter().find(|l| !l.is_blank()).map(|l| l.indent) else { return rows };
    for line in lines.iter().filter(|l| !l.is_blank()) {
        let mut line = *line;
        if line.indent == base && line.text.starts_with(['*', '-', '+']) {
            rows.push(Vec::new());
            line = line.behind(1);
        }
        let Some(row) = rows.last_mut() else { continue };
        if line.indent == base + 2 && (line.text.starts_with("- ") || line.text.starts_with("* ") || line.text == "-") {
            row.push(Vec::new());
            line = line.behind(1);
        }
        if let Some(cell) = row.last_mut()
            && !line.is_blank()
        {
            cell.push(line.range());
        }
    }
    rows
}

/// Adds a part of a line to a cell, without the white space around it.
fn add(row: &mut Vec<Vec<Range<usize>>>, column: usize, line: &Line<'_>, part: Range<usize>) {
    let Some(text) = line.text.get(part.clone()) else { return };
    if row.len() <= column {
        row.resize(column + 1, Vec::new());
    }
    let start = line.start + part.start + (text.len() - text.trim_start().len());
    let end = start + text.trim().len();
    if let Some(cell) = row.get_mut(column)
        && start < end
    {
        cell.push(start..end);
    }
}
