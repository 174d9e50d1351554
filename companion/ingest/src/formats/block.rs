//! Blocks of a document, and how each keeps the way back to its source.

use super::check_marks;
use std::ops::Range;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// A heading and its level, 1 to 6.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// An item of a list, or one paragraph of it; also what a list of definitions says of its terms.
    ListItem,
    /// A term of a list of definitions; what is said of it follows as list items.
    Term,
    /// Code or other preformatted text; lines and indentation are kept.
    Code,
    /// A table: a line a row, cells joined by ` | `.
    Table,
    /// A quotation, or one paragraph of it.
    Quote,
}

/// A heading, paragraph, list item, code block, table or quotation of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// Its plain text, without marks; never blank.
    pub text: String,
    /// The id that a heading carries in the published page; for a ready chunk, and for a block of a format
    /// whose pages are numbered, the fragment of its own place.
    pub fragment: Option<String>,
    /// For a table: whether its first line is its header, as its source says and not as it looks.
    pub header: bool,
    /// The language of code, the number of an item of an ordered list; else empty.
    pub note: String,
    /// Start of its text in the source file, in characters (a byte-order mark does not count).
    pub start: u32,
    /// End of its text in the source file, in characters (exclusive).
    pub end: u32,
    /// Pairs (byte in `text`, character in the source), ascending: from each on, text and source run in step
    /// until the next pair.
    pub(crate) steps: Vec<(u32, u32)>,
}

impl Block {
    /// A block whose text stands verbatim in its source from character `start` on.
    pub fn verbatim(kind: BlockKind, text: impl Into<String>, start: u32) -> Block {
        let text = text.into();
        let end = start.saturating_add(characters(text.as_bytes()));
        let steps = add_steps(&text, vec![(0, start)]);
        Block { kind, text, fragment: None, note: String::new(), header: false, start, end, steps }
    }

    /// The characters of the source file that a byte range of `text` came from.
    pub fn source_span(&self, bytes: Range<usize>) -> Range<u32> {
        let start = self.source_of(bytes.start);
        let last = self.text.get(bytes.clone()).and_then(|s| s.chars().next_back());
        let end = match last {
            Some(c) => self.source_of(bytes.end - c.len_utf8()).saturating_add(1),
            None => start,
        };
        start..end.clamp(start, self.end.max(start))
    }

    fn source_of(&self, byte: usize) -> u32 {
        let i = self.steps.partition_point(|&(t, _)| t as usize <= byte);
        let Some(&(text, source)) = i.checked_sub(1).and_then(|i| self.steps.get(i)) else {
            return self.start;
        };
        let ahead = self.text.get(text as usize..byte).map_or(0, |s| characters(s.as_bytes()));
        // An entity is longer in the source than in the text: what follows it never starts before the next
        // pair says so.
        let limit = self.steps.get(i).map_or(self.end, |&(_, s)| s);
        source.saturating_add(ahead).min(limit)
    }
}

/// A block under construction: offsets are still bytes of the source.
#[derive(Debug)]
pub(crate) struct Draft {
    pub kind: BlockKind,
    pub text: String,
    pub fragment: Option<String>,
    /// For a table: whether its first line is certainly its header.
    pub header: bool,
    pub note: String,
    start: usize,
    end: usize,
    steps: Vec<(usize, usize)>,
    /// Sign that parts the next text in a table's cell from what the cell holds.
    gap: Option<&'static str>,
}

impl Draft {
    pub fn new(kind: BlockKind) -> Draft {
        Draft {
            kind,
            text: String::new(),
            fragment: None,
            note: String::new(),
            header: false,
            start: 0,
            end: 0,
            steps: Vec::new(),
            gap: None,
        }
    }

    /// Appends text that stands at these bytes of the source.
    pub fn push(&mut self, piece: &str, source: Range<usize>) {
        if piece.is_empty() {
            return;
        }
        if let Some(gap) = self.gap.take_if(|_| !piece.trim().is_empty()) {
            self.write_gap(gap);
        }
        if self.steps.is_empty() {
            self.start = source.start;
        }
        let in_step =
            self.steps.last().is_some_and(|&(t, s)| source.start.checked_sub(s) == Some(self.text.len() - t));
        if !in_step {
            self.steps.push((self.text.len(), source.start));
        }
        self.text.push_str(piece);
        self.end = self.end.max(source.end);
    }

    /// Appends a power or an index; the sign that sets it off is not of the source.
    pub fn push_script(&mut self, written: &str, source: Range<usize>) {
        let (sign, text) =
            written.split_at(written.len() - written.trim_start_matches(['^', '_', '(', ' ']).len());
        self.push(sign, source.start..source.start);
        self.push(text, source);
    }

    /// Appends a part of another draft's text, without white space around it, with the places that it came
    /// from.
    pub fn push_part(&mut self, from: &Draft, part: Range<usize>) {
        let Some(text) = from.text.get(part.clone()) else { return };
        let start = part.start + (text.len() - text.trim_start().len());
        self.push_whole(from, start..start + text.trim().len());
    }

    /// Appends a part of another draft's text as it is, with the places that it came from.
    pub fn push_whole(&mut self, from: &Draft, part: Range<usize>) {
        let Range { start, end } = part;
        let mut at = start;
        let next = from.steps.partition_point(|&(t, _)| t <= start);
        let mut steps = from.steps.get(next.saturating_sub(1)..).unwrap_or(&[]).iter().copied().peekable();
        while at < end {
            let (text_at, source_at) = steps.next().unwrap_or((0, from.start));
            let stop = steps.peek().map_or(end, |&(t, _)| t.clamp(at, end));
            if stop > at {
                let source = source_at + at.saturating_sub(text_at);
                self.push(from.text.get(at..stop).unwrap_or(""), source..source + (stop - at));
                at = stop;
            }
        }
    }

    /// A draft like this one, without its text.
    pub fn emptied(&self) -> Draft {
        Draft {
            fragment: self.fragment.clone(),
            header: self.header,
            note: self.note.clone(),
            ..Draft::new(self.kind)
        }
    }

    /// The bytes of the source that a part of the text came from.
    pub fn source_of(&self, part: Range<usize>) -> Range<usize> {
        let next = self.steps.partition_point(|&(t, _)| t <= part.start);
        let start = next
            .checked_sub(1)
            .and_then(|i| self.steps.get(i))
            .map_or(self.start, |&(t, s)| s + (part.start - t));
        let limit = self.steps.get(next).map_or(self.end, |&(_, s)| s);
        start..(start + part.len()).min(limit).max(start)
    }

    /// Parts what comes next in a table's cell from the values that the cell holds, by `sign` where no
    /// punctuation does.
    pub fn part_values(&mut self, sign: &'static str) {
        if self.gap != Some("; ") {
            self.gap = Some(sign);
        }
    }

    /// Ends a table's cell or row.
    pub fn end_values(&mut self) {
        self.gap = None;
    }

    fn write_gap(&mut self, gap: &'static str) {
        let held = self.text.trim_end_matches(' ');
        if held.is_empty() || held.ends_with(['\n', '|']) {
            return;
        }
        let gap = if held.ends_with(['.', ':', ';', ',', '!', '?', '。', '：']) { " " } else { gap };
        let length = held.len();
        self.truncate(length);
        self.text.push_str(gap);
    }

    /// The draft without some parts of its text.
    pub fn without(&self, parts: &[Range<usize>]) -> Draft {
        let mut out = self.emptied();
        let mut at = 0;
        for part in parts {
            out.separate(" ");
            out.push_part(self, at..part.start.max(at));
            at = part.end.max(at);
        }
        out.separate(" ");
        out.push_part(self, at..self.text.len());
        out
    }

    /// Appends a separator that stands for no text of the source; none at the start and none after another.
    pub fn separate(&mut self, separator: &str) {
        if !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
            self.text.push_str(separator);
        }
    }

    /// Ends the line, if there is one.
    pub fn new_line(&mut self) {
        self.end_values();
        self.truncate(self.text.trim_end_matches(' ').len());
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Cuts the text to this many bytes.
    pub fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        while self.steps.pop_if(|&mut (t, _)| t >= length.max(1)).is_some() {}
    }

    /// Moves all source offsets, for a block that was read out of a part of the source.
    pub fn relocate(&mut self, to: impl Fn(usize) -> usize) {
        for (_, s) in &mut self.steps {
            *s = to(*s);
        }
        self.start = to(self.start);
        self.end = to(self.end).max(self.start);
    }

    /// The finished block; none if it holds no visible text.
    pub fn finish(self, index: &CharIndex<'_>) -> Option<Block> {
        match self.kind {
            BlockKind::Code | BlockKind::Heading(_) => self.trimmed(index),
            _ => self.with_marks_spelt().trimmed(index),
        }
    }

    /// Returns the draft with words for the check marks that answer something.
    fn with_marks_spelt(self) -> Draft {
        let marks = check_marks::find_answers(&self.text, self.kind == BlockKind::Table);
        if marks.is_empty() {
            return self;
        }
        let mut out = self.emptied();
        let mut from = 0;
        for (mark, word) in marks {
            out.push_whole(&self, from..mark.start);
            let behind = self.text.get(mark.end..).unwrap_or_default();
            let follows = behind.trim_start_matches(' ').starts_with(char::is_alphanumeric);
            let source = self.source_of(mark.clone());
            out.push(word, source.clone());
            if follows {
                out.push(",", source);
                if !behind.starts_with(' ') {
                    out.separate(" ");
                }
            }
            from = mark.end;
        }
        out.push_whole(&self, from..self.text.len());
        out
    }

    fn trimmed(mut self, index: &CharIndex<'_>) -> Option<Block> {
        let kept = match self.kind {
            BlockKind::Code => self.text.trim_end().trim_start_matches(['\n', '\r']),
            _ => self.text.trim(),
        };
        let cut = kept.as_ptr() as usize - self.text.as_ptr() as usize;
        let end = cut + kept.len();
        if kept.trim().is_empty() {
            return None;
        }
        self.text.truncate(end);
        self.text.drain(..cut);
        self.text.shrink_to_fit();
        let mut steps: Vec<(u32, u32)> = Vec::with_capacity(self.steps.len());
        for &(t, s) in &self.steps {
            if t >= end {
                break;
            }
            // A step that starts in what was cut from the front starts further on.
            let (t, s) = if t < cut { (cut, s + (cut - t)) } else { (t, s) };
            let pair = ((t - cut) as u32, index.char_at(s));
            match steps.last_mut() {
                Some(last) if last.0 == pair.0 => *last = pair,
                _ => steps.push(pair),
            }
        }
        let start = steps.first().map_or(0, |&(_, s)| s);
        let mut block = Block {
            kind: self.kind,
            steps: add_steps(&self.text, steps),
            text: self.text,
            fragment: self.fragment,
            note: self.note,
            header: self.header,
            start,
            end: index.char_at(self.end),
        };
        block.end = block.end.max(block.start);
        block.end = block.source_span(0..block.text.len()).end;
        Some(block)
    }
}

/// From byte to character offsets of a text in constant time: a count every thousand bytes or so.
pub(crate) struct CharIndex<'a> {
    text: &'a str,
    /// Characters before each multiple of [`CharIndex::EVERY`]; empty if the text is ASCII.
    counts: Vec<u32>,
}

impl<'a> CharIndex<'a> {
    const EVERY: usize = 1024;

    pub fn new(text: &'a str) -> CharIndex<'a> {
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut sum = 0u32;
            for piece in text.as_bytes().chunks(Self::EVERY) {
                counts.push(sum);
                sum += characters(piece);
            }
            counts.push(sum);
        }
        CharIndex { text, counts }
    }

    /// Returns the number of characters that start before this byte.
    pub fn char_at(&self, byte: usize) -> u32 {
        let byte = byte.min(self.text.len());
        let page = byte / Self::EVERY;
        match self.counts.get(page) {
            None => byte as u32,
            Some(&count) => count + self.text.as_bytes().get(page * Self::EVERY..byte).map_or(0, characters),
        }
    }
}

/// Adds steps where there are none for long, so that looking up a place never counts far: a block can be as
/// long as its file.
fn add_steps(text: &str, steps: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    const FAR: usize = 4096;
    if text.len() <= FAR {
        return steps;
    }
    let mut out = Vec::with_capacity(steps.len() + text.len() / FAR);
    for (i, &(t, s)) in steps.iter().enumerate() {
        let (next, limit) = steps.get(i + 1).map_or((text.len(), u32::MAX), |&(t, s)| (t as usize, s));
        let (mut t, mut s) = (t as usize, s);
        out.push((t as u32, s));
        while next - t > FAR {
            let to = text.floor_char_boundary(t + FAR);
            s = s.saturating_add(text.get(t..to).map_or(0, |p| characters(p.as_bytes()))).min(limit);
            t = to;
            out.push((t as u32, s));
        }
    }
    out
}

/// Characters that start in these bytes of UTF-8.
fn characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&b| (b as i8) >= -0x40).count() as u32
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(kind: BlockKind, source: &str) -> String {
        let mut draft = Draft::new(kind);
        draft.push(source, 0..source.len());
        draft.finish(&CharIndex::new(source)).map(|b| b.text).unwrap_or_default()
    }

    #[test]
    fn a_check_mark_in_a_cell_or_behind_a_clause_is_a_word() {
        assert_eq!(
            shown(BlockKind::Table, "A | B | C\nx | ✔️ | ✗\ny | ✅ unlimited | –"),
            "A | B | C\nx | yes | no\ny | yes, unlimited | –"
        );
        assert_eq!(shown(BlockKind::Paragraph, "Night shift: ✅. Crane: ❌"), "Night shift: yes. Crane: no");
    }

    #[test]
    fn a_check_mark_as_an_ornament_and_in_code_stays() {
        for (kind, text) in [(BlockKind::ListItem, "✅ Install the loom."), (BlockKind::Code, "echo ✅")] {
            assert_eq!(shown(kind, text), text);
        }
    }

    #[test]
    fn a_span_skips_what_the_text_left_out() {
        let source = "one **two** thrée";
        let index = CharIndex::new(source);
        let mut draft = Draft::new(BlockKind::Paragraph);
        draft.push("one ", 0..4);
        draft.push("two", 6..9);
        draft.push(" thrée", 11..18);
        let block = draft.finish(&index).unwrap();
        assert_eq!(block.text, "one two thrée");
        assert_eq!(block.source_span(4..7), 6..9);
        assert_eq!(block.source_span(8..14), 12..17);
        assert_eq!((block.start, block.end), (0, 17));
    }

    #[test]
    fn places_in_a_long_block_are_exact() {
        let source = format!("  {}", "aé東 ".repeat(5000));
        let index = CharIndex::new(&source);
        let mut draft = Draft::new(BlockKind::Paragraph);
        draft.push(&source, 0..source.len());
        let block = draft.finish(&index).unwrap();
        let text = block.text.clone();
        for (i, (byte, c)) in text.char_indices().enumerate().step_by(61) {
            assert_eq!(block.source_span(byte..byte + c.len_utf8()), i as u32 + 2..i as u32 + 3);
        }
        assert_eq!(block.steps, Block::verbatim(BlockKind::Paragraph, text, 2).steps);
    }

    proptest! {
        #[test]
        fn the_character_index_agrees_with_counting(text in "[aé東\n]{0,3000}") {
            let index = CharIndex::new(&text);
            for (i, (byte, _)) in text.char_indices().enumerate().step_by(97) {
                prop_assert_eq!(index.char_at(byte), i as u32);
            }
            prop_assert_eq!(index.char_at(text.len()), text.chars().count() as u32);
        }
    }
}
