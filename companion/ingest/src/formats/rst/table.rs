//! Tables, drawn with lines or aligned in columns, and the cells of those that directives make of lists.

use super::super::lines::{Line, solid_range};
use super::super::marked::Rows;
use std::ops::Range;

/// More columns than any table has that people read.
const MOST_COLUMNS: usize = 256;

/// Returns true if a line is the top of a table drawn with lines: `+---+---+`.
pub(super) fn begins_grid(line: &Line<'_>) -> bool {
    line.text.len() > 2 && is_border(line) && line.text.ends_with('+')
}

fn is_border(line: &Line<'_>) -> bool {
    line.text.starts_with("+-") || line.text.starts_with("+=")
}

/// Rows of a table drawn with lines that are laid out; longer tables are read without spans of rows.
const MOST_ROWS: usize = 4096;

/// Lines of cells that stand in further rows and columns, too.
const MOST_REPEATED: usize = 1 << 16;

/// The rows of a table drawn with lines, and how many of them are its head. A cell that covers several rows
/// or columns stands in each of them.
pub(super) fn grid(lines: &[Line<'_>]) -> (Rows, usize) {
    let Some(first) = lines.first() else { return (Vec::new(), 0) };
    // Lines by character, so that columns can be compared.
    let chars: Vec<Vec<(usize, char)>> = lines.iter().map(|l| l.text.char_indices().collect()).collect();
    let at = |line: usize, place: usize| chars.get(line).and_then(|l| l.get(place)).map_or(' ', |&(_, c)| c);
    let mut edges: Vec<usize> = Vec::new();
    for (l, line) in lines.iter().enumerate().filter(|(_, l)| l.indent == first.indent) {
        if is_border(line) || line.text.contains("+-") || line.text.contains("-+") {
            let drawn = |i: &usize| {
                at(l, *i) == '+'
                    && (matches!(at(l, i + 1), '-' | '=') || *i > 0 && matches!(at(l, i - 1), '-' | '='))
            };
            edges.extend((0..chars.get(l).map_or(0, Vec::len)).filter(drawn));
        }
        if edges.len() > 64 * MOST_COLUMNS {
            break;
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges.truncate(MOST_COLUMNS);
    // Whether a line is the border between two rows, in a column.
    let border = |line: usize, column: usize| match (edges.get(column), edges.get(column + 1)) {
        (Some(&from), Some(&to)) => to > from + 1 && (from + 1..to).all(|p| matches!(at(line, p), '-' | '=')),
        _ => false,
    };
    let columns = edges.len().saturating_sub(1);
    let is_rule: Vec<bool> = (0..lines.len()).map(|l| (0..columns).any(|c| border(l, c))).collect();
    // Cells by their numbers, so that one that covers many rows is kept once.
    let mut cells: Vec<Vec<Range<usize>>> = Vec::new();
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut heads = 0;
    let mut above: Option<usize> = None;
    let mut band: Vec<usize> = Vec::new();
    for l in 0..lines.len() {
        if !is_rule.get(l).copied().unwrap_or(false) {
            band.push(l);
            continue;
        }
        if let Some(rule) = above.filter(|_| !band.is_empty() && rows.len() < MOST_ROWS) {
            let mut row: Vec<usize> = Vec::with_capacity(columns);
            while row.len() < columns {
                let column = row.len();
                // The cell goes on to the right where no bar stands between.
                let bar = |edge: usize| {
                    edges.get(edge).is_some_and(|&p| band.iter().all(|&b| matches!(at(b, p), '|' | '+')))
                };
                let end = (column + 1..=columns).find(|&e| e == columns || bar(e)).unwrap_or(columns);
                // And from above where no line stands between; what stands on the line is part of it.
                let from_above =
                    rows.last().and_then(|r| r.get(column)).copied().filter(|_| !border(rule, column));
                let number = from_above.unwrap_or(cells.len());
                cells.resize(cells.len().max(number + 1), Vec::new());
                if let Some(cell) = cells.get_mut(number) {
                    let between = (!border(rule, column)).then_some(rule);
                    between
                        .iter()
                        .chain(&band)
                        .for_each(|&b| append_part(lines, &chars, b, &edges, column..end, cell));
                }
                row.resize(end, number);
            }
            rows.push(row);
        }
        band.clear();
        above = Some(l);
        if lines.get(l).is_some_and(|line| line.text.starts_with("+=")) {
            heads = rows.len();
        }
    }
    let mut rows = laid_out(&cells, rows);
    rows.retain(|r| r.iter().any(|cell| !cell.is_empty()));
    (rows, heads)
}

/// Returns rows with their cells in place of the cells' numbers, which rise where they come first. A cell is
/// whole there, and in further places as far as the bound on repeated lines allows.
fn laid_out(cells: &[Vec<Range<usize>>], rows: Vec<Vec<usize>>) -> Rows {
    let (mut known, mut left) = (0, MOST_REPEATED);
    let mut remaining = |number: usize| {
        let cell = cells.get(number).map(Vec::as_slice).unwrap_or_default();
        let shown = if number < known { cell.len().min(left) } else { cell.len() };
        left -= if number < known { shown } else { 0 };
        known = known.max(number + 1);
        cell.get(..shown).unwrap_or(cell).to_vec()
    };
    rows.into_iter().map(|row| row.into_iter().map(&mut remaining).collect()).collect()
}

/// Adds what stands on a line between two edges to a cell.
fn append_part(
    lines: &[Line<'_>],
    chars: &[Vec<(usize, char)>],
    line: usize,
    edges: &[usize],
    columns: Range<usize>,
    cell: &mut Vec<Range<usize>>,
) {
    let (Some(text), Some(chars)) = (lines.get(line), chars.get(line)) else { return };
    let (Some(&from), Some(&to)) = (edges.get(columns.start), edges.get(columns.end)) else { return };
    let byte = |place: usize| chars.get(place).map_or(text.text.len(), |&(at, _)| at);
    let Some(inner) = text.text.get(byte(from + 1)..byte(to).max(byte(from + 1))) else { return };
    cell.extend(solid_range(inner, text.start + byte(from + 1)));
}

/// Returns true if a line is a border of a table aligned in columns: `=====  =====`.
pub(super) fn is_simple_border(line: &Line<'_>) -> bool {
    line.text.contains(' ')
        && line.text.starts_with('=')
        && line.text.bytes().all(|b| matches!(b, b'=' | b' '))
}

/// Number of lines of a table aligned in columns: to the border below its rows, which is the second one below
/// its top, or one that a blank line or nothing follows.
pub(super) fn simple_length(lines: &[Line<'_>]) -> Option<usize> {
    let borders = (1..lines.len()).filter(|&i| lines.get(i).is_some_and(is_simple_border));
    let is_last = |place: usize, line: usize| place == 1 || lines.get(line + 1).is_none_or(Line::is_blank);
    borders.take(2).enumerate().find(|&(place, line)| is_last(place, line)).map(|(_, line)| line + 1)
}

/// The rows of a table aligned in columns, and how many of them are its head.
pub(super) fn read_simple(lines: &[Line<'_>]) -> (Rows, usize) {
    let Some(top) = lines.first() else { return (Vec::new(), 0) };
    let runs = top
        .text
        .char_indices()
        .filter(|&(i, c)| c == '=' && (i == 0 || top.text.as_bytes().get(i - 1) == Some(&b' ')));
    let starts: Vec<usize> = runs.map(|(i, _)| top.indent + i).take(MOST_COLUMNS).collect();
    let mut rows = Rows::new();
    let mut heads = 0;
    let last = lines.len().saturating_sub(1);
    for (number, line) in lines.iter().enumerate().skip(1) {
        if is_simple_border(line) && number < last && heads == 0 {
            heads = rows.len();
        }
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
                    append_cell(row, column, line, from..at);
                    from = at;
                }
                column = next;
            }
        }
        append_cell(row, column, line, from..line.text.len());
    }
    (rows, heads)
}

/// The rows of a list of lists: `* - cell`.
pub(super) fn read_list_table(lines: &[Line<'_>]) -> Rows {
    let mut rows = Rows::new();
    let Some(base) = lines.iter().find(|l| !l.is_blank()).map(|l| l.indent) else { return rows };
    for line in lines.iter().filter(|l| !l.is_blank()) {
        let mut line = *line;
        if line.indent == base && line.text.starts_with(['*', '-', '+']) {
            rows.push(Vec::new());
            line = line.behind(1);
        }
        let Some(row) = rows.last_mut() else { continue };
        if line.indent == base + 2
            && (line.text.starts_with("- ") || line.text.starts_with("* ") || line.text == "-")
        {
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
fn append_cell(row: &mut Vec<Vec<Range<usize>>>, column: usize, line: &Line<'_>, part: Range<usize>) {
    let Some(text) = line.text.get(part.clone()) else { return };
    if row.len() <= column {
        row.resize(column + 1, Vec::new());
    }
    if let Some(cell) = row.get_mut(column) {
        cell.extend(solid_range(text, line.start + part.start));
    }
}
