//! What the readers of reStructuredText and AsciiDoc share: the page that they make, and the tables on it.

use super::block::{Block, BlockKind, Draft};
use super::front_matter::Fields;
use super::lines::{Line, append_verbatim};
use super::{FoundFile, Link, ReadDocument, Reading, SourceDocument, title_of};
use std::ops::Range;

/// The content of a file.
#[derive(Default)]
pub(crate) struct Page {
    pub blocks: Vec<Block>,
    pub links: Vec<Link>,
    /// The fields at its top, such as author and date.
    pub fields: Fields,
}

#[cfg(test)]
impl Page {
    /// Each block as its kind and text.
    pub fn shown(&self) -> Vec<String> {
        self.blocks.iter().map(|b| format!("{:?}: {}", b.kind, b.text)).collect()
    }

    /// The part of the source that `word` of the page's block `number` came from.
    pub fn source_of<'s>(&self, source: &'s str, number: usize, word: &str) -> Option<&'s str> {
        let block = self.blocks.get(number)?;
        let at = block.text.find(word)?;
        let span = block.source_span(at..at + word.len());
        let byte = |character: u32| {
            source.char_indices().map(|(i, _)| i).chain([source.len()]).nth(character as usize)
        };
        source.get(byte(span.start)?..byte(span.end)?)
    }

    /// Returns true if every block lies in its source.
    pub fn lies_in(&self, source: &str) -> bool {
        let length = source.chars().count() as u32;
        self.blocks
            .iter()
            .all(|b| b.start <= b.end && b.end <= length && b.source_span(0..b.text.len()).end <= length)
    }
}

/// The rows of a table; a cell has the parts of lines, in bytes of the source, that its text stands in.
pub(crate) type Rows = Vec<Vec<Vec<Range<usize>>>>;

/// A table as a block: a line a row, its first `heads` rows as one. `inline` appends the text of a part of
/// the source.
pub(crate) fn table(rows: &Rows, heads: usize, mut inline: impl FnMut(Range<usize>, &mut Draft)) -> Draft {
    let mut draft = Draft::new(BlockKind::Table);
    draft.header = (1..rows.len()).contains(&heads);
    let joined = (heads > 1).then(|| head(rows.get(..heads).unwrap_or(rows)));
    let parts = || rows.iter().flatten().flatten();
    let extent = parts().map(|p| p.end).max().unwrap_or(0) - parts().map(|p| p.start).min().unwrap_or(0);
    let (mut written, mut repeated) = (std::collections::BTreeSet::new(), 0usize);
    for row in joined.iter().chain(rows.get(if heads > 1 { heads } else { 0 }..).unwrap_or(&[])) {
        draft.new_line();
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                draft.text.push_str(" | ");
            }
            for (i, part) in cell.iter().enumerate() {
                // What cells over several rows and columns repeat is at most as long as the table: one may be
                // nothing but such cells.
                if !written.insert((part.start, part.end)) {
                    repeated = repeated.saturating_add(part.len() + 1);
                    if repeated > extent {
                        continue;
                    }
                }
                if i > 0 {
                    draft.separate(" ");
                }
                inline(part.clone(), &mut draft);
            }
        }
    }
    draft
}

/// Several rows of headers as one: each column's, from above, without repeats.
fn head(rows: &[Vec<Vec<Range<usize>>>]) -> Vec<Vec<Range<usize>>> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let of = |column: usize| {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for part in rows.iter().filter_map(|row| row.get(column)).flatten() {
            if !parts.contains(part) {
                parts.push(part.clone());
            }
        }
        parts
    };
    (0..columns).map(of).collect()
}

/// A reader of a page's blocks.
pub(super) trait BlockReader {
    /// Appends the text of a part of the source.
    fn inline(&mut self, range: Range<usize>, draft: &mut Draft);

    /// Puts a block on the page.
    fn finish(&mut self, draft: Draft);

    fn table(&mut self, rows: &Rows, heads: usize) {
        let draft = table(rows, heads, |part, draft| self.inline(part, draft));
        self.finish(draft);
    }

    /// Text as it stands, without the indentation that all its lines have.
    fn code(&mut self, lines: &[Line<'_>]) {
        let mut draft = Draft::new(BlockKind::Code);
        append_verbatim(lines, &mut draft);
        self.finish(draft);
    }

    fn text(&mut self, range: Range<usize>, kind: BlockKind) {
        let mut draft = Draft::new(kind);
        self.inline(range, &mut draft);
        self.finish(draft);
    }
}

/// Returns the document of a page; text that is read as another format is published under that format's
/// ending.
pub(super) fn finish_page(
    page: Page,
    ending: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
) -> ReadDocument {
    if let Some(reason) = reading.site.unread(&found.path, page.fields.all()) {
        return Err(reason.into());
    }
    let path = match found.path.rsplit_once('.') {
        Some((stem, "txt" | "text")) => format!("{stem}.{ending}"),
        _ => found.path.clone(),
    };
    Ok(SourceDocument {
        url: reading.url(&path, &[]),
        title: title_of(None, &page.blocks, &found.path),
        blocks: page.blocks,
        links: page.links,
        front_matter: page.fields.into_vec(),
        ..SourceDocument::default()
    })
}
