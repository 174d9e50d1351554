//! Documents to chunks: passages of at most so many tokens that a heading, a paragraph or a sentence ends
//! wherever possible.

mod pack;
mod units;

use crate::allowance::Allowance;
use crate::{Block, BlockKind, SourceDocument};
use pack::group_units;
use pocketgraph_bundle::{BETWEEN_PIECES, Chunk, Form, Layout, Piece};
use pocketgraph_native::single_line::one_line;
use units::{Cutter, Unit};

/// The usual limit on a chunk's tokens.
pub const MAX_TOKENS: usize = 200;

/// A section with fewer tokens than this is joined with the one after it, if both fit into one chunk.
const TINY: usize = 8;

/// A heading longer than this many bytes is no heading: it is treated as a paragraph, so that it is not
/// repeated in every chunk below it.
const LONGEST_HEADING: usize = 400;

/// Sections joined into one chunk at most.
const MOST_JOINED: usize = 64;

/// Allowed maximum of tokens in a chunk. Fewer are no passage, and more are not embedded.
pub const CHUNK_TOKENS: std::ops::RangeInclusive<u32> = 16..=256;

/// Splits a document into chunks of at most `max_tokens` tokens, not counting title and heading path.
///
/// Splits fall on headings, then between blocks, then between sentences (lines, in code and tables), then
/// between words, and only inside a word that alone exceeds the limit. Every visible character of the text is
/// in exactly one chunk; headings are in the heading paths of their chunks. A heading without text of its own
/// makes no chunk if other headings stand below it; otherwise it counts as text. A section of a few words is
/// joined with the first section below it, and where sections have no fragments with the one after it: what
/// has an address of its own is found at that address. Sections below the heading of one version are joined
/// as far as they fit, and so are those of a page that is little but headings, whose passages would take many
/// times its size. The joined chunk has the headings they share as its path, the others as lines of its text,
/// and the first one's fragment, or that of the heading above sections beside each other.
///
/// `count_tokens` must count without special tokens, and two texts on both sides of white space must not need
/// more tokens together than apart, which holds for WordPiece. Each sentence is counted at most twice, so
/// that the time is linear. The chunks of a [ready](SourceDocument::ready) document are taken as they are.
pub fn split_document(
    document_index: u32,
    doc: &SourceDocument,
    count_tokens: &dyn Fn(&str) -> usize,
    max_tokens: usize,
) -> Vec<Chunk> {
    split_laid_out(document_index, doc, count_tokens, max_tokens)
        .into_iter()
        .map(|(chunk, _)| chunk)
        .collect()
}

/// As [`split_document`], each chunk with the forms of its blocks; of a ready chunk none are known.
pub fn split_laid_out(
    document_index: u32,
    doc: &SourceDocument,
    count_tokens: &dyn Fn(&str) -> usize,
    max_tokens: usize,
) -> Vec<(Chunk, Layout)> {
    if doc.ready {
        return doc.blocks.iter().map(|b| (ready_chunk(document_index, b.clone()), Layout::new())).collect();
    }
    let mut splitter = Splitter {
        document: document_index,
        doc,
        cutter: Cutter { count: count_tokens, max: max_tokens.max(1) },
        stack: Vec::new(),
        pending: Vec::new(),
        allowance: Allowance::of_sections(doc.file_bytes),
        chunks: Vec::new(),
    };
    splitter.run();
    splitter.chunks
}

/// Makes a chunk of a whole block.
pub(crate) fn ready_chunk(document: u32, block: Block) -> Chunk {
    let fragment = block.fragment.unwrap_or_default();
    Chunk {
        document,
        heading_path: Vec::new(),
        fragment,
        text: block.text,
        start: block.start,
        end: block.end,
    }
}

/// A heading that is open where a section stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heading {
    block: usize,
    level: u8,
    tokens: usize,
}

/// A heading and what stands below it up to the next one.
#[derive(Debug, Default)]
struct Section {
    /// The headings above its text, outermost first, its own last; without the document's title, and without
    /// its own if that is its text.
    path: Vec<Heading>,
    level: u8,
    fragment: String,
    units: Vec<Unit>,
    tokens: usize,
}

struct Splitter<'a> {
    document: u32,
    doc: &'a SourceDocument,
    cutter: Cutter<'a>,
    stack: Vec<Heading>,
    /// Tiny sections that wait for the next one.
    pending: Vec<Section>,
    /// Once it is spent, sections share chunks whatever their addresses.
    allowance: Allowance,
    chunks: Vec<(Chunk, Layout)>,
}

impl Splitter<'_> {
    fn run(&mut self) {
        let blocks = &self.doc.blocks;
        let title = self.title_block();
        let mut section = Section::default();
        let mut heading: Option<(usize, u8)> = None;
        for (i, block) in blocks.iter().enumerate() {
            let Some(level) = heading_level(block) else {
                let from = section.units.len();
                self.cutter.cut(i, block, &mut section.units);
                section.tokens += section.units.iter().skip(from).map(|u| u.tokens).sum::<usize>();
                continue;
            };
            let done = std::mem::replace(&mut section, Section { level, ..Section::default() });
            self.end_section(done, heading, Some(level), title);
            heading = Some((i, level));
            while self.stack.last().is_some_and(|h| h.level >= level) {
                self.stack.pop();
            }
            if title != Some(i) {
                let tokens = (self.cutter.count)(&block.text);
                self.stack.push(Heading { block: i, level, tokens });
            }
            section.path = self.stack.clone();
            // The title's place is the top of the page.
            section.fragment = if title == Some(i) && i == 0 {
                String::new()
            } else {
                block.fragment.clone().unwrap_or_default()
            };
        }
        self.end_section(section, heading, None, title);
        self.emit_pending();
        if self.chunks.is_empty()
            && let Some(block) = title.and_then(|t| blocks.get(t))
        {
            // A page of nothing but its title is still found by it.
            let mut units = Vec::new();
            self.cutter.cut(title.unwrap_or(0), block, &mut units);
            self.emit(&units, Vec::new(), String::new());
        }
    }

    /// The heading that says the document's title again, if no other heading stands before it.
    fn title_block(&self) -> Option<usize> {
        let (i, block) = self.doc.blocks.iter().enumerate().find(|(_, b)| heading_level(b).is_some())?;
        let same = block.text.split_whitespace().eq(self.doc.title.split_whitespace());
        same.then_some(i)
    }

    fn end_section(
        &mut self,
        mut section: Section,
        heading: Option<(usize, u8)>,
        next: Option<u8>,
        title: Option<usize>,
    ) {
        if section.units.is_empty() {
            let Some((own, level)) = heading else { return };
            if title == Some(own) || next.is_some_and(|n| n > level) {
                return;
            }
            // Nothing stands below this heading: it is all the text there is.
            section.path.pop();
            if let Some(block) = self.doc.blocks.get(own) {
                self.cutter.cut(own, block, &mut section.units);
                section.tokens = section.units.iter().map(|u| u.tokens).sum();
            }
        }
        if !self.pending.is_empty() {
            let joins = self.pending.last().is_some_and(|p| {
                section.level > p.level
                    || section.level == p.level && section.fragment.is_empty()
                    || self.allowance.is_spent()
                    || self.of_one_version(p, &section)
            }) && self.pending.len() < MOST_JOINED
                && self.joined_tokens(&section) <= self.cutter.max;
            if !joins {
                self.emit_pending();
            }
        }
        let waits = section.tokens < TINY
            || self.allowance.is_spent()
            || section.path.iter().any(|h| self.is_version(h));
        self.pending.push(section);
        if !waits {
            self.emit_pending();
        }
    }

    /// Returns `true` if a heading names a version: "1.4.0 - 2024-05-06", "Version 2.1 (May 2024)".
    fn is_version(&self, heading: &Heading) -> bool {
        let text = self.doc.blocks.get(heading.block).map_or("", |b| b.text.as_str());
        let mut words = text.split_whitespace().skip_while(|w| w.chars().all(char::is_alphabetic)).peekable();
        let named = text.split_whitespace().take_while(|w| w.chars().all(char::is_alphabetic)).count();
        let version = words
            .next()
            .map_or("", |w| w.trim_matches(|c: char| !c.is_alphanumeric()).trim_start_matches(['v', 'V']));
        let parts =
            version.split('.').take_while(|p| p.bytes().next().is_some_and(|b| b.is_ascii_digit())).count();
        let dated = |w: &str| w.split(|c: char| !c.is_ascii_digit()).any(|d| d.len() == 4);
        // A number before words is that of a section.
        named <= 2 && parts >= 2 && (words.peek().is_none() || words.any(dated))
    }

    /// Returns `true` if two sections say what changed in the same version.
    fn of_one_version(&self, a: &Section, b: &Section) -> bool {
        a.path.iter().zip(&b.path).take_while(|(x, y)| x.block == y.block).any(|(h, _)| self.is_version(h))
    }

    /// Tokens of a chunk of the pending sections and this one, with the heading lines that they do not share.
    fn joined_tokens(&self, section: &Section) -> usize {
        let all = || self.pending.iter().chain([section]);
        let shared = shared_path(all());
        let mut total = 0;
        let mut before: &[Heading] = &[];
        for s in all() {
            total += s.tokens + new_headings(before, &s.path, shared).iter().map(|h| h.tokens).sum::<usize>();
            before = &s.path;
        }
        total
    }

    fn emit_pending(&mut self) {
        let sections = std::mem::take(&mut self.pending);
        let Some(first) = sections.first() else { return };
        let shared = shared_path(sections.iter());
        let names = first.path.get(..shared).unwrap_or(&[]);
        let path: Vec<String> =
            names.iter().filter_map(|h| self.doc.blocks.get(h.block)).map(|b| one_line(&b.text)).collect();
        // Of sections beside each other, what they stand under is the place.
        let fragment = match names.last().filter(|_| first.path.len() > shared && sections.len() > 1) {
            Some(h) => self.doc.blocks.get(h.block).and_then(|b| b.fragment.clone()).unwrap_or_default(),
            None => first.fragment.clone(),
        };
        if let [section] = sections.as_slice() {
            for group in group_units(
                &section.units,
                self.cutter.max,
                |u| self.leads_in(u),
                |i| self.end_of_list(&section.units, i),
            ) {
                let units = section.units.get(group).unwrap_or(&[]);
                self.emit(units, path.clone(), fragment.clone());
            }
            return;
        }
        let mut units = Vec::new();
        let mut before: &[Heading] = &[];
        for s in &sections {
            for h in new_headings(before, &s.path, shared) {
                let length = self.doc.blocks.get(h.block).map_or(0, |b| b.text.len());
                units.push(Unit { block: h.block, range: 0..length, tokens: h.tokens, glued: false });
            }
            units.extend(s.units.iter().cloned());
            before = &s.path;
        }
        self.emit(&units, path, fragment);
    }

    /// Returns the end of the list that begins at a unit, with what stands between numbered steps: `first`
    /// itself if none does, or if it is too long.
    fn end_of_list(&self, units: &[Unit], first: usize) -> usize {
        let block = |i: usize| units.get(i).and_then(|u| self.doc.blocks.get(u.block));
        let is_item = |i| block(i).is_some_and(|b| b.kind == BlockKind::ListItem);
        let is_step = |i| is_item(i) && block(i).is_some_and(|b| !b.note.is_empty());
        if !is_item(first) || first.checked_sub(1).is_some_and(is_item) {
            return first;
        }
        let between = if is_step(first) { 3 } else { 0 };
        let (mut end, mut tokens) = (first, 0);
        // No more units fit, even of what the tokenizer makes nothing of.
        for (i, unit) in units.iter().enumerate().skip(first).take(self.cutter.max + 1) {
            tokens += unit.tokens;
            let begins_another =
                i > first && is_step(i) && block(i).is_some_and(|b| matches!(b.note.as_str(), "1." | "a."));
            if i > end + between || begins_another {
                break;
            }
            if tokens > self.cutter.max {
                return if is_item(i) { first } else { end };
            }
            if is_item(i) {
                end = i + 1;
            }
        }
        end
    }

    /// Returns true if a unit announces the next one: a short text that ends with a colon.
    fn leads_in(&self, unit: &Unit) -> bool {
        let text = self.doc.blocks.get(unit.block).and_then(|b| b.text.get(unit.range.clone())).unwrap_or("");
        unit.tokens <= self.cutter.max / 4 && text.ends_with([':', '：'])
    }

    fn emit(&mut self, units: &[Unit], heading_path: Vec<String>, fragment: String) {
        let mut text = String::new();
        let mut layout = Layout::new();
        let (mut start, mut end) = (u32::MAX, 0);
        let mut rest = units;
        // Where blocks have places of their own, a chunk's is that of its first.
        let block =
            units.first().and_then(|u| self.doc.blocks.get(u.block)).filter(|b| heading_level(b).is_none());
        let fragment = block.and_then(|b| b.fragment.clone()).unwrap_or(fragment);
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|u| u.block == first.block).count();
            let (of_block, after) = rest.split_at(same);
            rest = after;
            let (Some(block), Some(last)) = (self.doc.blocks.get(first.block), of_block.last()) else {
                continue;
            };
            let range = first.range.start..last.range.end;
            if !text.is_empty() {
                text.push_str(BETWEEN_PIECES);
            }
            let part = block.text.get(range.clone()).unwrap_or("");
            layout.push(piece(block, &range, part.len()));
            text.push_str(part);
            let span = block.source_span(range);
            start = start.min(span.start);
            end = end.max(span.end);
        }
        if !text.is_empty() {
            self.allowance.take(Allowance::PASSAGE + heading_path.iter().map(String::len).sum::<usize>());
            let chunk =
                Chunk { document: self.document, heading_path, fragment, text, start: start.min(end), end };
            self.chunks.push((chunk, layout));
        }
    }
}

/// Returns the layout of a part of a block that takes `bytes` bytes.
fn piece(block: &Block, range: &std::ops::Range<usize>, bytes: usize) -> Piece {
    let form = match block.kind {
        BlockKind::Heading(_) => Form::Heading,
        BlockKind::Paragraph => Form::Text,
        BlockKind::ListItem => Form::Item,
        BlockKind::Term => Form::Term,
        BlockKind::Code => Form::Code,
        BlockKind::Table => Form::Table,
        BlockKind::Quote => Form::Quote,
    };
    // What goes on in another chunk has its number there.
    let note = if range.start == 0 || form == Form::Code { block.note.clone() } else { String::new() };
    Piece { form, bytes: bytes as u32, note }
}

fn heading_level(block: &Block) -> Option<u8> {
    match block.kind {
        BlockKind::Heading(level) if block.text.len() <= LONGEST_HEADING => Some(level),
        _ => None,
    }
}

/// Returns the number of headings that all sections have above them in common.
fn shared_path<'a>(sections: impl Iterator<Item = &'a Section>) -> usize {
    let mut paths = sections.map(|s| s.path.as_slice());
    let Some(first) = paths.next() else { return 0 };
    paths
        .fold(first.len(), |n, p| first.iter().zip(p).take(n).take_while(|(a, b)| a.block == b.block).count())
}

/// The headings of a path below the shared ones that the path before it did not have.
fn new_headings<'a>(before: &[Heading], path: &'a [Heading], shared: usize) -> &'a [Heading] {
    let known = before.iter().zip(path).take_while(|(a, b)| a.block == b.block).count();
    path.get(known.max(shared)..).unwrap_or(&[])
}
