//! Tables of HTML as their readers see them: a cell that covers several rows or columns stands in each of
//! them.

use super::block::{BlockKind, Draft};
use std::ops::Range;

/// Columns of a table at most, and what a cell may span.
const MOST_COLUMNS: usize = 256;
const MOST_ROWS: usize = 1 << 16;
/// Longer cells are not repeated.
const LONGEST_REPEATED: usize = 300;

/// A cell, as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Its bytes in the draft's text.
    pub text: Range<usize>,
    pub columns: usize,
    /// 0 for all rows below.
    pub rows: usize,
    /// True if it is a header's.
    pub head: bool,
}

/// The rows of a table, as they were written.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<(Vec<Cell>, bool)>,
    head: bool,
    /// True if the table cannot be laid out: something in it ends its block, or it has too many rows.
    pub broken: bool,
}

impl Rows {
    /// Begins a row; `head` for one of the table's head.
    pub fn row(&mut self, head: bool) {
        if self.rows.len() < MOST_ROWS {
            self.rows.push((Vec::new(), head));
        } else {
            self.broken = true;
        }
    }

    /// Begins a cell at a byte of the draft's text.
    pub fn cell(&mut self, at: usize, columns: usize, rows: usize, head: bool) {
        if self.rows.is_empty() {
            self.row(false);
        }
        if let Some((row, in_head)) = self.rows.last_mut() {
            self.head |= head || *in_head;
            row.push(Cell {
                text: at..at,
                columns: columns.clamp(1, MOST_COLUMNS),
                rows: rows.min(MOST_ROWS),
                head,
            });
        }
    }

    /// Ends the cell that was begun last.
    pub fn end_cell(&mut self, at: usize) {
        if let Some(cell) = self.rows.last_mut().and_then(|(row, _)| row.last_mut())
            && cell.text.is_empty()
        {
            cell.text.end = at.max(cell.text.start);
        }
    }

    /// Returns `true` if a cell is known to be a head's.
    pub fn has_head(&self) -> bool {
        self.head
    }

    /// Returns `true` if the cell that was begun last is a head's.
    pub fn in_head(&self) -> bool {
        self.rows.last().is_some_and(|(row, head)| *head || row.last().is_some_and(|c| c.head))
    }

    /// Returns true if there is nothing to lay out.
    pub fn is_empty(&self) -> bool {
        self.broken || self.rows.iter().all(|(row, _)| row.is_empty())
    }
}

/// A table as a block, with what stands above its rows as another.
pub(crate) fn laid_out(written: &Draft, rows: &Rows) -> (Option<Draft>, Draft) {
    let first = rows.rows.iter().flat_map(|(row, _)| row).map(|c| c.text.start).min().unwrap_or(0);
    let mut caption = Draft::new(BlockKind::Paragraph);
    caption.push_part(written, 0..first.min(written.text.len()));
    let grid = grid(rows);
    let heads = rows
        .rows
        .iter()
        .take_while(|(row, head)| *head || !row.is_empty() && row.iter().all(|c| c.head))
        .count();
    // Without a head, a column of headers alone is none.
    let heads = if heads == rows.rows.len() && !rows.rows.iter().any(|(_, head)| *head) {
        heads.min(1)
    } else {
        heads
    };
    let text = |cell: &Cell| written.text.get(cell.text.clone()).unwrap_or("").trim();
    let mut table = Draft::new(BlockKind::Table);
    table.header = heads > 0 && heads < grid.len();
    // A head that spans the whole table is its title.
    let titles = (0..heads.saturating_sub(1))
        .take_while(|&r| {
            grid.get(r).is_some_and(|row| row.len() > 1 && row.windows(2).all(|w| w.first() == w.last()))
        })
        .count();
    for row in grid.iter().take(titles) {
        if let Some(cell) = row.first().copied().flatten().and_then(|c| rows.at(c)) {
            caption.new_line();
            caption.push_part(written, cell.text.clone());
        }
    }
    let columns = grid.iter().take(heads).map(Vec::len).max().unwrap_or(0);
    let mut budget = written.text.len().saturating_mul(4) + (64 << 10);
    if heads > titles {
        for column in 0..columns {
            append_border(&mut table, column);
            let mut spans_value: Vec<(usize, usize)> = Vec::new();
            for place in grid
                .get(titles..heads)
                .unwrap_or(&[])
                .iter()
                .filter_map(|row| row.get(column).copied().flatten())
            {
                let Some(cell) =
                    rows.at(place).filter(|c| !spans_value.contains(&place) && text(c).len() <= budget)
                else {
                    continue;
                };
                if !spans_value.is_empty() {
                    table.separate(" ");
                }
                spans_value.push(place);
                budget -= text(cell).len();
                table.push_part(written, cell.text.clone());
            }
        }
    }
    for (r, row) in grid.iter().enumerate().skip(heads) {
        table.new_line();
        for (column, place) in row.iter().enumerate() {
            append_border(&mut table, column);
            let Some((place, cell)) = place.and_then(|p| Some((p, rows.at(p)?))) else { continue };
            let own = place.0 == r && (column == 0 || row.get(column - 1).copied().flatten() != Some(place));
            let length = text(cell).len();
            if own || length <= LONGEST_REPEATED && length <= budget {
                budget = budget.saturating_sub(if own { 0 } else { length });
                table.push_part(written, cell.text.clone());
            }
        }
    }
    (Some(caption).filter(|c| !c.text.trim().is_empty()), table)
}

impl Rows {
    fn at(&self, (row, cell): (usize, usize)) -> Option<&Cell> {
        self.rows.get(row)?.0.get(cell)
    }
}

fn append_border(table: &mut Draft, column: usize) {
    if column > 0 {
        table.truncate(table.text.trim_end_matches(' ').len());
        table.text.push_str(if table.text.is_empty() || table.text.ends_with('\n') { "| " } else { " | " });
    }
}

/// For each row and column the cell that covers it, by its row and its place there: HTML's own algorithm.
fn grid(rows: &Rows) -> Vec<Vec<Option<(usize, usize)>>> {
    let mut grid: Vec<Vec<Option<(usize, usize)>>> = Vec::with_capacity(rows.rows.len());
    // Cells that reach further down: the column, the cell, and the rows left.
    let mut below: Vec<Option<((usize, usize), usize)>> = Vec::new();
    for (r, (row, _)) in rows.rows.iter().enumerate() {
        let mut out: Vec<Option<(usize, usize)>> = Vec::new();
        let mut column = 0;
        let fill = |out: &mut Vec<Option<(usize, usize)>>,
                    below: &mut Vec<Option<((usize, usize), usize)>>,
                    column: &mut usize| {
            while let Some(Some((cell, left))) = below.get(*column).copied() {
                out.push(Some(cell));
                if let Some(slot) = below.get_mut(*column) {
                    *slot = (left > 1).then_some((cell, left - 1));
                }
                *column += 1;
            }
        };
        for (c, cell) in row.iter().enumerate() {
            fill(&mut out, &mut below, &mut column);
            for _ in 0..cell.columns {
                if column >= MOST_COLUMNS {
                    break;
                }
                out.push(Some((r, c)));
                if below.len() <= column {
                    below.resize(column + 1, None);
                }
                let left = if cell.rows == 0 { MOST_ROWS } else { cell.rows - 1 };
                if let Some(slot) = below.get_mut(column) {
                    *slot = (left > 0).then_some(((r, c), left));
                }
                column += 1;
            }
        }
        fill(&mut out, &mut below, &mut column);
        // A gap, and then a cell from above.
        while column < below.len() {
            match below.get(column).copied().flatten() {
                Some(_) => fill(&mut out, &mut below, &mut column),
                None => {
                    out.push(None);
                    column += 1;
                }
            }
        }
        while out.last() == Some(&None) {
            out.pop();
        }
        grid.push(out);
    }
    let mut heads = rows.rows.iter().map(|(row, _)| !row.is_empty());
    grid.retain(|_| heads.next().unwrap_or(false));
    grid
}
