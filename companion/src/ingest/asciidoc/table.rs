//! Tables whose cells begin with bars.

use super::super::lines::Line;
use super::super::marked::Rows;
use std::ops::Range;

/// More columns than any table has that people read.
const MOST_COLUMNS: usize = 256;

/// The rows of a table between its delimiters; a cell has the parts of lines that its text stands in. `attributes` are those above the table.
pub(super) fn rows(lines: &[Line<'_>], attributes: &str) -> Rows {
    let mut cells: Vec<Vec<Range<usize>>> = Vec::new();
    let mut in_first_line = 0;
    for line in lines.iter().filter(|l| !l.is_blank()) {
        let mut from = None;
        for (at, _) in line.text.match_indices('|') {
            if line.text.get(..at).is_some_and(|t| t.ends_with('\\')) {
                continue;
            }
            // What stands before the bar and is no text says how the cell looks: `2+|`, `.3+^.>s|`, `a|`.
            let before = line.text.get(from.unwrap_or(0)..at).unwrap_or("");
            let spec = before.rsplit([' ', '\t']).next().filter(|s| is_spec(s)).map_or(0, str::len);
            part(&mut cells, line, from, at - spec);
            cells.push(Vec::new());
            from = Some(at + 1);
        }
        part(&mut cells, line, from, line.text.len());
        if in_first_line == 0 {
            in_first_line = cells.len();
        }
    }
    let columns = columns(attributes).unwrap_or(in_first_line).clamp(1, MOST_COLUMNS);
    cells.chunks(columns).map(<[_]>::to_vec).collect()
}

/// Adds a part of a line to the last cell, without the white space around it; a line that begins with no bar goes on with the cell before.
fn part(cells: &mut [Vec<Range<usize>>], line: &Line<'_>, from: Option<usize>, to: usize) {
    let from = from.unwrap_or(0);
    let (Some(cell), Some(text)) = (cells.last_mut(), line.text.get(from..to.max(from))) else { return };
    let start = line.start + from + (text.len() - text.trim_start().len());
    let end = start + text.trim().len();
    if start < end {
        cell.push(start..end);
    }
}

fn is_spec(text: &str) -> bool {
    text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit() || b"+*.<>^adehlmsv".contains(&b))
}

/// The number of columns that `cols="1,2"`, `cols="3*"` or `cols=2*a` names.
fn columns(attributes: &str) -> Option<usize> {
    let value = attributes.split("cols=").nth(1)?;
    let value = value.strip_prefix('"').map_or_else(|| value.split(',').next().unwrap_or(""), |v| v.split('"').next().unwrap_or(""));
    let count = |one: &str| one.trim().split_once('*').map_or(1, |(n, _)| n.parse::<usize>().unwrap_or(1).min(MOST_COLUMNS));
    let all: usize = value.split([',', ';']).map(count).sum();
    (all > 0 && !value.is_empty()).then_some(all)
}
