//! PDF: its places are those of the text that was read, and the fragment of a block is its page, as viewers
//! want it.

use super::block::{Block, BlockKind};
use super::{
    Format, FoundFile, Outcome, ReadDocument, ReadMethod, Reading, Skipped, SourceDocument, address,
    first_heading,
};
use pocketgraph_pdf::Kind;

pub(super) const FORMAT: Format = Format::new("pdf", &["pdf"], ReadMethod::Bytes(read_pages));

fn read_pages(
    bytes: Vec<u8>,
    found: &FoundFile,
    reading: &Reading<'_>,
    outcome: &mut Outcome,
) -> ReadDocument {
    let text = reading.options.pdf.read(bytes)?;
    outcome.skipped.extend(text.unread.map(|reason| Skipped { path: found.path.clone(), reason }));
    let mut at = 0u32;
    let mut blocks = Vec::with_capacity(text.parts.len());
    for part in text.parts {
        let kind = match part.kind {
            Kind::Heading(level) => BlockKind::Heading(level.clamp(1, 6)),
            Kind::Paragraph => BlockKind::Paragraph,
            Kind::Item => BlockKind::ListItem,
            Kind::Code => BlockKind::Code,
        };
        let block =
            Block { fragment: Some(format!("page={}", part.page)), ..Block::verbatim(kind, part.text, at) };
        at = block.end.saturating_add(1);
        blocks.push(block);
    }
    let title = Some(text.title).filter(|t| !t.is_empty()).or_else(|| first_heading(&blocks));
    Ok(SourceDocument {
        url: address::published(&found.path, &reading.options.base_url),
        title: title.unwrap_or_default(),
        blocks,
        ..SourceDocument::default()
    })
}
