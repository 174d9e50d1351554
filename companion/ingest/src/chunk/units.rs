//! The pieces that chunks are put together from: whole blocks where they fit, else sentences or lines, else
//! runs of words, else parts of a word.

use crate::{Block, BlockKind};
use pocketgraph_text::sentences;
use std::ops::Range;

/// A longer text is cut before it is looked at more closely, so that memory stays bounded.
const WINDOW: usize = 64 << 10;

/// A piece of a block that stays together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Index of its block.
    pub block: usize,
    /// Its bytes in the block's text.
    pub range: Range<usize>,
    pub tokens: usize,
    /// True if it continues the last word of the unit before it. Two such units never share a chunk: a
    /// tokenizer may need more tokens for both together than for each.
    pub glued: bool,
}

/// Counts tokens and cuts blocks to a limit.
pub(super) struct Cutter<'a> {
    pub count: &'a dyn Fn(&str) -> usize,
    pub max: usize,
}

impl Cutter<'_> {
    /// The units of a block, each of at most `max` tokens.
    pub fn cut(&self, index: usize, block: &Block, out: &mut Vec<Unit>) {
        let text = block.text.as_str();
        // Few tokens are shorter than a byte: a text far longer than this is never within the limit, and is
        // not counted as a whole.
        if text.len() <= self.max.saturating_mul(16).min(WINDOW) {
            let tokens = (self.count)(text);
            if tokens <= self.max {
                out.push(Unit { block: index, range: 0..text.len(), tokens, glued: false });
                return;
            }
        }
        let by_line = matches!(block.kind, BlockKind::Code | BlockKind::Table);
        let mut at = 0;
        let mut glued = false;
        while at < text.len() {
            let end = at + window(text.get(at..).unwrap_or(""));
            let part = text.get(at..end).unwrap_or("");
            let first = out.len();
            let pieces = if by_line { find_lines(part) } else { sentences(part) };
            for piece in pieces {
                let range = at + piece.start..at + piece.end;
                let piece = part.get(piece).unwrap_or("");
                let tokens = (self.count)(piece);
                if tokens <= self.max {
                    out.push(Unit { block: index, range, tokens, glued: false });
                } else {
                    self.words(index, piece, range.start, out);
                }
            }
            if glued && let Some(unit) = out.get_mut(first).filter(|u| u.range.start == at) {
                unit.glued = true;
            }
            glued = !part.ends_with(char::is_whitespace)
                && !text.get(end..).is_some_and(|r| r.starts_with(char::is_whitespace));
            at = end;
        }
    }

    /// Runs of words of a sentence or line that is too long. Each word is counted once.
    fn words(&self, block: usize, text: &str, base: usize, out: &mut Vec<Unit>) {
        // Short runs leave little of a chunk unused, long ones keep units few.
        let run = (self.max / 8).max(1);
        let mut open: Option<Unit> = None;
        let mut from = 0;
        while let Some(word) = next_word(text, from) {
            from = word.end;
            let range = base + word.start..base + word.end;
            let word = text.get(word).unwrap_or("");
            let tokens = (self.count)(word);
            if tokens > self.max {
                out.extend(open.take());
                self.parts_of_word(block, word, range.start, out);
                continue;
            }
            match &mut open {
                Some(unit) if unit.tokens + tokens <= run => {
                    unit.tokens += tokens;
                    unit.range.end = range.end;
                }
                _ => out.extend(open.replace(Unit { block, range, tokens, glued: false })),
            }
        }
        out.extend(open);
    }

    /// Parts of a word that alone is too long.
    fn parts_of_word(&self, block: usize, word: &str, base: usize, out: &mut Vec<Unit>) {
        let mut at = 0;
        let mut length = self.max.saturating_mul(4).clamp(1, 4096);
        while let Some(rest) = word.get(at..).filter(|r| !r.is_empty()) {
            let end = rest.char_indices().nth(length).map_or(rest.len(), |(i, _)| i);
            let tokens = (self.count)(rest.get(..end).unwrap_or(""));
            // Halving may stop at one character, which no tokenizer in use makes more than a few tokens of.
            if tokens > self.max && length > 1 {
                length /= 2;
                continue;
            }
            out.push(Unit { block, range: base + at..base + at + end, tokens, glued: at > 0 });
            at += end;
        }
    }
}

fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let start = from + rest.find(|c: char| !c.is_whitespace())?;
    let end = text.get(start..)?.find(char::is_whitespace).map_or(text.len(), |i| start + i);
    Some(start..end)
}

/// The lines that hold anything, with their indentation.
fn find_lines(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let kept = line.trim_end().len();
        if kept > 0 {
            out.push(at..at + kept);
        }
        at += line.len();
    }
    out
}

/// Returns the bytes of a text to look at: all of it, or up to the end of a line or a sentence, a space, or
/// any character near the end of the window.
fn window(text: &str) -> usize {
    if text.len() <= WINDOW {
        return text.len();
    }
    let end = text.floor_char_boundary(WINDOW);
    let near = text.floor_char_boundary(WINDOW - WINDOW / 4);
    let tail = text.get(near..end).unwrap_or("");
    let at = tail
        .rfind('\n')
        .or_else(|| tail.rfind(". ").map(|i| i + 1))
        .or_else(|| tail.rfind(char::is_whitespace));
    match at.map(|i| near + i) {
        Some(at) => at + text.get(at..).and_then(|r| r.chars().next()).map_or(0, char::len_utf8),
        None => end,
    }
}
