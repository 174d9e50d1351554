//! What can be quoted from a chunk: its sentences, table rows and list items.

use crate::text::sentences;
use std::ops::Range;

/// The form of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A sentence, or an item of a list.
    Prose,
    /// A row of a table, its cells joined by ` | `.
    Row,
    /// Lines of code.
    Code,
}

/// A quotable piece of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its bytes in the chunk's text.
    pub span: Range<usize>,
    /// Its form.
    pub form: Form,
}

/// The units of a chunk's text, in order. Sentences are cut at lines that are rows, list items or code; lines
/// that are only wrapped are not.
pub fn units(text: &str) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    for sentence in sentences(text) {
        let mut last = Form::Prose;
        let mut start = sentence.start;
        let mut at = sentence.start;
        let mut open = false;
        for line in text[sentence.clone()].split_inclusive('\n') {
            let form = form_of(line);
            let item = starts_item(line);
            if open && (form != last || form == Form::Row || item) {
                push_unit(text, start..at, last, &mut out);
                start = at;
            }
            (open, last) = (true, form);
            at += line.len();
        }
        push_unit(text, start..sentence.end, last, &mut out);
    }
    out
}

fn push_unit(text: &str, range: Range<usize>, form: Form, out: &mut Vec<Unit>) {
    let slice = &text[range.clone()];
    let left = slice.len() - slice.trim_start().len();
    let kept = slice.trim();
    if !kept.is_empty() {
        let start = range.start + left;
        out.push(Unit { span: start..start + kept.len(), form });
    }
}

fn form_of(line: &str) -> Form {
    let line = line.trim_end();
    if line.contains(" | ") || (line.starts_with('|') && line.len() > 1) {
        return Form::Row;
    }
    let trimmed = line.trim_start();
    let symbols = trimmed.chars().filter(|c| "{}();=<>[]&$\\#".contains(*c)).count();
    let visible = trimmed.chars().filter(|c| !c.is_whitespace()).count();
    let ends_as_code = trimmed.ends_with([';', '{', '}']) && !trimmed.contains(". ");
    let starts_as_code = ["$ ", "// ", "#[", "#!", ">>> "].iter().any(|s| trimmed.starts_with(s));
    if visible > 0 && (ends_as_code || starts_as_code || symbols * 6 > visible) {
        Form::Code
    } else {
        Form::Prose
    }
}

/// `- x`, `* x`, `• x`, `1. x`, `1) x`.
fn starts_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "• ", "+ "].iter().any(|m| line.starts_with(m))
        || (after_number.len() < line.len()
            && (after_number.starts_with(". ") || after_number.starts_with(") ")))
}

/// The first sign behind all alphabets: punctuation and symbols follow, then Chinese, Japanese and Korean,
/// whose characters say as much as some letters.
const BEHIND_ALPHABETS: char = '\u{2000}';

/// Returns the width of a text for its reader: a letter of any alphabet counts 1, other characters count
/// their bytes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

fn width_of(c: char) -> usize {
    if c < BEHIND_ALPHABETS { 1 } else { c.len_utf8() }
}

/// Returns the bytes of the longest beginning of a text that is at most `most` wide.
pub(super) fn within(text: &str, most: usize) -> usize {
    let mut wide = 0;
    let fits = |c: &(usize, char)| {
        wide += width_of(c.1);
        wide <= most
    };
    text.char_indices().take_while(fits).last().map_or(0, |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<(&str, Form)> {
        units(text).into_iter().map(|u| (&text[u.span], u.form)).collect()
    }

    #[test]
    fn wrapped_lines_stay_one_sentence() {
        assert_eq!(
            of("A loop runs\nuntil it ends. Then\nit stops."),
            [("A loop runs\nuntil it ends.", Form::Prose), ("Then\nit stops.", Form::Prose)]
        );
    }

    #[test]
    fn rows_items_and_code_are_apart() {
        assert_eq!(
            of("Kinds:\n- one loop\n- two loops\n\nname | size\na | 1\n\nlet x = 5;\nlet y = 6;\n\nDone"),
            [
                ("Kinds:", Form::Prose),
                ("- one loop", Form::Prose),
                ("- two loops", Form::Prose),
                ("name | size", Form::Row),
                ("a | 1", Form::Row),
                ("let x = 5;\nlet y = 6;", Form::Code),
                ("Done", Form::Prose),
            ]
        );
    }

    #[test]
    fn letters_of_every_alphabet_are_as_long_as_ascii_ones() {
        assert_eq!((width("port"), width("порт"), width("ميناء"), width("港口"), width("")), (4, 4, 5, 6, 0));
        assert_eq!(
            (within("port", 3), within("порт", 3), within("港口", 5), within("", 5), within("ab", 9)),
            (3, 6, 3, 0, 2)
        );
    }

    proptest! {
        #[test]
        fn no_visible_character_is_lost_and_none_is_quoted_twice(text in "[a-z.| \n;\\-1é。]{0,80}") {
            let spans = units(&text);
            prop_assert!(spans.windows(2).all(|w| w[0].span.end <= w[1].span.start));
            let kept: String = spans.iter().map(|u| &text[u.span.clone()]).collect();
            let strip = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(strip(&kept), strip(&text));
        }
    }
}
