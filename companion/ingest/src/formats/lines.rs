//! The lines of a text in which indentation has a meaning.

use super::block::Draft;
use std::ops::Range;

/// Columns between two stops of a tab.
const TAB: usize = 8;

/// A line, without what surrounds its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'s> {
    /// Its text, without white space at either end; empty for a blank line.
    pub text: &'s str,
    /// The byte of the source at which the text starts.
    pub start: usize,
    /// The column at which it starts.
    pub indent: usize,
}

impl<'s> Line<'s> {
    pub fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The bytes of its text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// Returns the text after the first `bytes` bytes and the white space that follows them, as a line with
    /// that column as its indent.
    pub fn behind(&self, bytes: usize) -> Line<'s> {
        let rest = self.text.get(bytes..).unwrap_or("");
        let text = rest.trim_start();
        let skipped = self.text.len() - text.len();
        let columns = self.text.get(..skipped).map_or(0, |s| s.chars().count());
        Line { text, start: self.start + skipped, indent: self.indent + columns }
    }
}

pub(crate) fn split_lines(source: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for raw in source.split_inclusive('\n') {
        let text = raw.trim_start_matches([' ', '\t']);
        let before = raw.len() - text.len();
        let indent = raw
            .bytes()
            .take(before)
            .fold(0, |column, b| if b == b'\t' { (column / TAB + 1) * TAB } else { column + 1 });
        lines.push(Line { text: text.trim_end(), start: at + before, indent });
        at += raw.len();
    }
    lines
}

/// The part of `lines` up to the first that is not blank and stands at `column` or before it, without blank
/// lines at its end.
pub(crate) fn take_indented<'a, 's>(lines: &'a [Line<'s>], column: usize) -> &'a [Line<'s>] {
    let end = lines.iter().position(|l| !l.is_blank() && l.indent <= column).unwrap_or(lines.len());
    let end = lines.get(..end).and_then(|l| l.iter().rposition(|l| !l.is_blank())).map_or(0, |i| i + 1);
    lines.get(..end).unwrap_or(&[])
}

/// The bytes of a text that stands at byte `at`, without the white space around it; `None` for a blank one.
pub(crate) fn solid_range(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + (text.len() - text.trim_start().len());
    Some(start..start + text.trim().len()).filter(|range| !range.is_empty())
}

/// Without blank lines at either end.
pub(crate) fn trim_blank<'a, 's>(lines: &'a [Line<'s>]) -> &'a [Line<'s>] {
    let end = lines.iter().rposition(|l| !l.is_blank()).map_or(0, |i| i + 1);
    let start = lines.iter().position(|l| !l.is_blank()).unwrap_or(end);
    lines.get(start..end).unwrap_or(&[])
}

/// The rest of a line, behind a mark, and what is indented below it: one content, although the first line may
/// begin further to the right.
pub(crate) fn join_indented<'s>(first: Line<'s>, below: &[Line<'s>]) -> Vec<Line<'s>> {
    let indent = below
        .iter()
        .filter(|l| !l.is_blank())
        .map(|l| l.indent)
        .min()
        .map_or(first.indent, |i| i.min(first.indent));
    let mut lines = vec![Line { indent, ..first }];
    lines.extend_from_slice(below);
    lines
}

/// The character that a line consists of, and how often, where it is a mark of punctuation.
pub(crate) fn rule(line: &Line<'_>) -> Option<(u8, usize)> {
    let first = line.text.bytes().next().filter(u8::is_ascii_punctuation)?;
    line.text.bytes().all(|b| b == first).then_some((first, line.text.len()))
}

/// Appends lines as they stand to a block of code, without the indentation that all of them have.
pub(crate) fn append_verbatim(lines: &[Line<'_>], draft: &mut Draft) {
    /// Deeper than any code that people read.
    const DEEPEST: usize = 200;
    let lines = trim_blank(lines);
    let base = lines.iter().filter(|l| !l.is_blank()).map(|l| l.indent).min().unwrap_or(0);
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            draft.text.push('\n');
        }
        if !line.is_blank() {
            let further = " ".repeat((line.indent - base).min(DEEPEST));
            draft.push(&further, line.start.saturating_sub(further.len())..line.start);
            draft.push(line.text, line.range());
        }
    }
}

/// Appends running text that stands at byte `at` of the source, its lines joined by spaces.
pub(crate) fn append_flow(text: &str, at: usize, draft: &mut Draft) {
    let mut at = at;
    for (i, line) in text.split('\n').enumerate() {
        let shown = if i == 0 { line } else { line.trim_start() };
        let start = at + line.len() - shown.len();
        at += line.len() + 1;
        if i > 0 {
            let kept = draft.text.trim_end().len();
            draft.truncate(kept);
            draft.separate(" ");
        }
        let shown = shown.trim_end_matches('\r');
        draft.push(shown, start..start + shown.len());
    }
}
