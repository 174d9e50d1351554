//! What the readers of reStructuredText and AsciiDoc share: the page that they make, and the tables on it.

use super::Link;
use super::block::{Block, BlockKind, Draft};
use std::ops::Range;

/// What a file says.
pub(super) struct Page {
    pub blocks: Vec<Block>,
    pub links: Vec<Link>,
    /// The fields at its top, such as author and date.
    pub fields: Vec<(String, String)>,
}

/// The rows of a table; a cell has the parts of lines, in bytes of the source, that its text stands in.
pub(super) type Rows = Vec<Vec<Vec<Range<usize>>>>;

/// A table as a block: a line a row. `inline` appends the text of a part of the source.
pub(super) fn table(rows: &Rows, mut inline: impl FnMut(Range<usize>, &mut Draft)) -> Draft {
    let mut draft = Draft::new(BlockKind::Table);
    for row in rows {
        draft.new_line();
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                draft.text.push_str(" | ");
            }
            for (i, part) in cell.iter().enumerate() {
                if i > 0 {
                    draft.separate(" ");
                }
                inline(part.clone(), &mut draft);
            }
        }
    }
    draft
}
