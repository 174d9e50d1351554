//! Plain text to paragraphs.

use super::block::{Block, BlockKind};
use super::includes::Includer;
use super::{Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading, SourceDocument, address, rst};

/// The paragraphs of a text, parted by blank lines, verbatim.
pub(crate) fn read_plain(source: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    // Characters before `counted` bytes: counted once, as the blocks come.
    let (mut characters, mut counted) = (0u32, 0);
    let mut emit = |start: usize, end: usize| {
        let Some(text) = source.get(start..end).map(str::trim_end) else { return };
        if text.trim().is_empty() {
            return;
        }
        characters += source.get(counted..start).map_or(0, |s| s.chars().count()) as u32;
        let block = Block::verbatim(BlockKind::Paragraph, text, characters);
        characters = block.end;
        counted = start + text.len();
        blocks.push(block);
    };
    let (mut start, mut at) = (None, 0);
    for line in source.split_inclusive('\n') {
        if line.trim().is_empty() {
            if let Some(start) = start.take() {
                emit(start, at);
            }
        } else if start.is_none() {
            start = Some(at);
        }
        at += line.len();
    }
    if let Some(start) = start {
        emit(start, at);
    }
    blocks
}

pub(super) const FORMAT: Format =
    Format { is_copied: true, ..Format::new("text", &["txt", "text"], ReadMethod::Text(read_page)) };

fn read_page(
    source: &str,
    found: &FoundFile,
    reading: &Reading<'_>,
    includer: &Includer<'_>,
    outcome: &mut Outcome,
) -> ReadDocument {
    if reading.site.text_is_rst || rst::looks_like(source, &found.file) {
        return rst::read_page(source, found, reading, includer, outcome);
    }
    let url = address::published(&found.path, &reading.options.base_url);
    Ok(SourceDocument { url, blocks: read_plain(source), ..SourceDocument::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_part_paragraphs_and_places_are_kept() {
        let source = "\n  éa\nb\r\n \r\nc\n";
        let blocks = read_plain(source);
        let got: Vec<_> = blocks.iter().map(|b| (b.text.as_str(), b.start, b.end)).collect();
        assert_eq!(got, [("  éa\nb", 1, 7), ("c", 12, 13)]);
    }
}
