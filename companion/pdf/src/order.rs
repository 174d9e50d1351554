//! The order in which the lines of a page are read: columns one after the other, all else from top to bottom.
//!
//! A zone of columns is a run of rows with a common gap, and on both sides text that fills its column, like
//! running text. Cells of a table do not, and are read row by row.

use super::lines::Line;

/// Columns in columns.
const DEEPEST: usize = 3;

/// Rows that columns have at least.
const FEWEST_ROWS: usize = 4;

/// A line in reading order, with the sides of its column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub line: Line,
    pub left: f64,
    pub right: f64,
    /// A number that lines of one column share.
    pub column: usize,
}

/// Lines on one baseline, from left to right.
type Row = Vec<Line>;

/// The lines of a page in the order in which they are read; cells of a row are one line.
pub(super) fn order_lines(lines: Vec<Line>) -> Vec<Placed> {
    let mut rows: Vec<Row> = Vec::new();
    for line in lines {
        match rows.last_mut() {
            Some(row) if row.last().is_some_and(|l| (l.y - line.y).abs() < 0.3 * l.size.min(line.size)) => {
                row.push(line);
            }
            _ => rows.push(vec![line]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|a, b| a.left.total_cmp(&b.left)));
    let mut out = Vec::new();
    let mut columns = 0;
    read_rows(rows, 0, &mut columns, &mut out);
    out
}

fn read_rows(rows: Vec<Row>, depth: usize, columns: &mut usize, out: &mut Vec<Placed>) {
    let zone = if depth < DEEPEST { find_zone(&rows) } else { None };
    let Some(Zone { from, to, at }) = zone else {
        read_down(rows, columns, out);
        return;
    };
    let (mut above, mut left, mut right, mut below) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, row) in rows.into_iter().enumerate() {
        match i {
            i if i < from => above.push(row),
            i if i >= to => below.push(row),
            _ => {
                let (l, r): (Row, Row) = row.into_iter().partition(|line| line.left < at);
                left.extend(Some(l).filter(|l| !l.is_empty()));
                right.extend(Some(r).filter(|r| !r.is_empty()));
            }
        }
    }
    read_rows(above, depth + 1, columns, out);
    read_rows(left, depth + 1, columns, out);
    read_rows(right, depth + 1, columns, out);
    read_rows(below, depth + 1, columns, out);
}

fn read_down(rows: Vec<Row>, columns: &mut usize, out: &mut Vec<Placed>) {
    *columns += 1;
    let (left, right) = outer_sides(rows.iter().flatten());
    for row in rows {
        let mut cells = row.into_iter();
        let Some(mut line) = cells.next() else { continue };
        for cell in cells {
            line.text.push_str("  ");
            line.text.push_str(&cell.text);
            line.right = line.right.max(cell.right);
            line.look.bold &= cell.look.bold;
            line.look.fixed &= cell.look.fixed;
            line.size = line.size.max(cell.size);
        }
        out.push(Placed { line, left, right, column: *columns });
    }
}

fn outer_sides<'a>(lines: impl Iterator<Item = &'a Line>) -> (f64, f64) {
    lines.fold((f64::MAX, f64::MIN), |(l, r), line| (l.min(line.left), r.max(line.right)))
}

/// Rows that are read as two columns, and where the second one begins.
struct Zone {
    from: usize,
    to: usize,
    at: f64,
}

/// The zone with most rows, if there is one.
fn find_zone(rows: &[Row]) -> Option<Zone> {
    if rows.len() < FEWEST_ROWS {
        return None;
    }
    let (left, right) = outer_sides(rows.iter().flatten());
    // A column may begin where several lines begin, well inside the page.
    let mut starts: Vec<(i64, usize)> = Vec::new();
    for line in rows
        .iter()
        .flatten()
        .filter(|l| l.left > left + 0.2 * (right - left) && l.left < right - 0.15 * (right - left))
    {
        let at = (line.left / 2.0).floor() as i64;
        match starts.iter_mut().find(|s| s.0 == at) {
            Some(s) => s.1 += 1,
            None => starts.push((at, 1)),
        }
    }
    starts.retain(|s| s.1 >= FEWEST_ROWS);
    starts.sort_by_key(|s| (std::cmp::Reverse(s.1), s.0));
    starts.truncate(6);
    starts.iter().filter_map(|s| zone_at(rows, s.0 as f64 * 2.0 - 0.5)).max_by_key(|z| z.to - z.from)
}

/// The longest run of rows without a line across this place, if it is one of columns.
fn zone_at(rows: &[Row], at: f64) -> Option<Zone> {
    let crosses = |row: &Row| row.iter().any(|l| l.left < at && l.right > at - 0.4 * l.size);
    let beyond = |row: &Row| row.iter().any(|l| l.left >= at);
    let mut best: Option<Zone> = None;
    let mut i = 0;
    while i < rows.len() {
        let length = rows.iter().skip(i).take_while(|row| !crosses(row)).count();
        let run = rows.get(i..i + length).unwrap_or(&[]);
        // Text on the left before the second column begins may be a heading over both.
        if let Some(first) = run.iter().position(beyond) {
            let top = run.get(first).and_then(|r| r.first()).map_or(0.0, |l| l.y + 1.6 * l.size);
            let skipped =
                run.iter().take(first).take_while(|row| row.first().is_some_and(|l| l.y > top)).count();
            let found = Zone { from: i + skipped, to: i + length, at };
            let inside = run.get(skipped..).unwrap_or(&[]);
            if is_text(inside, at) && best.as_ref().is_none_or(|b| found.to - found.from > b.to - b.from) {
                best = Some(found);
            }
        }
        i += length.max(1);
    }
    best
}

/// Returns true if rows have running text on both sides of a place.
fn is_text(rows: &[Row], at: f64) -> bool {
    let side =
        |right: bool| rows.iter().flat_map(move |row| row.iter().filter(move |l| (l.left >= at) == right));
    let fills = |right: bool| {
        let (l, r) = outer_sides(side(right));
        let mut widths: Vec<f64> = side(right).map(|line| line.right - line.left).collect();
        widths.sort_by(f64::total_cmp);
        let letters: usize = side(right).map(Line::letters).sum();
        let typical = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
        widths.len() >= FEWEST_ROWS && typical > 0.5 * (r - l) && letters > 20 * widths.len().max(5) / 2
    };
    fills(false) && fills(true)
}
