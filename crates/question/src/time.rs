//! The time that a question or a statement names: a date, a version, or the present.

use super::text::lexicon::{Language, SPOKEN};
use super::text::{Word, fold, words};
use std::ops::Range;

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// Class of the word before it, of the table `moments`: `end`, `span`, `onward` or `present`.
    pub class: &'static str,
    /// Its place, the words before it included.
    pub span: Range<usize>,
}

impl Time {
    /// Returns the text that it was found in, without it.
    pub fn cut(&self, text: &str) -> String {
        text[..self.span.start].to_owned() + &text[self.span.end..]
    }
}

/// Finds the first time in a text.
pub fn find_time(text: &str) -> Option<Time> {
    let words = words(text);
    let (mut start, mut class) = (None, "span");
    for (at, word) in words.iter().enumerate() {
        let class_of = SPOKEN.moments().row(&fold(word.text)).map_or("", |row| row.field(0));
        let versioned = class_of == "version";
        let begin = start.unwrap_or(word.span.start);
        if class_of == "present" {
            return Some(Time { class: class_of, span: begin..word.span.end });
        }
        if !versioned && !class_of.is_empty() {
            (start, class) = (Some(begin), class_of);
            continue;
        }
        let named = if versioned || start.is_some() { &words[at + usize::from(versioned)..] } else { &[] };
        if let Some(end) = end_of_moment(text, named, versioned) {
            return Some(Time { class, span: begin..end });
        }
        (start, class) = (None, "span");
    }
    None
}

/// Returns the end in the text of the date or the version that some words of it begin with. A bare number is a
/// version only if it is `versioned`.
fn end_of_moment(text: &str, words: &[Word<'_>], versioned: bool) -> Option<usize> {
    let mut has_day = false;
    for (at, word) in words.iter().enumerate() {
        let folded = fold(word.text);
        let plain = folded.strip_prefix('v').unwrap_or(&folded);
        let Some(first) = read_number(plain) else {
            SPOKEN.months().row(&folded)?;
            continue;
        };
        let (mut end, mut dotted) = (word.span.end, false);
        for next in words[at + 1..].iter().take(2) {
            let tie = text.as_bytes()[end];
            if next.span.start > end + 1 || !matches!(tie, b'.' | b'-') {
                break;
            }
            (end, dotted) = (next.span.end, dotted || tie == b'.');
        }
        if versioned || dotted || plain.len() < folded.len() || first > 1900 {
            return Some(end);
        }
        if has_day || first > 31 {
            return None;
        }
        has_day = true;
    }
    None
}

/// Reads a number of up to four digits.
fn read_number(word: &str) -> Option<u32> {
    if word.len() > 4 || !word.bytes().all(|byte| byte.is_ascii_digit()) { None } else { word.parse().ok() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_found_with_its_class_and_can_be_left_out() {
        let rest = "How long may a boat lie?";
        for (text, class) in [
            ("How long may a boat lie in 2026?", "span"),
            ("How long may a boat lie now?", "present"),
            ("How long may a boat lie before March 2025?", "end"),
            ("How long may a boat lie until 1 March 2025?", "end"),
            ("How long may a boat lie since 1 March 2025?", "onward"),
            ("How long may a boat lie, as of 2025-03-02?", "span"),
            ("How long may a boat lie in 1.0?", "span"),
            ("How long may a boat lie in version 2?", "span"),
            ("How long may a boat lie in version 9999?", "span"),
            ("How long may a boat lie in v2?", "span"),
        ] {
            let time = find_time(text).unwrap();
            let without = time.cut(text).replace([' ', ','], "");
            assert_eq!((time.class, without), (class, rest.replace(' ', "")), "{text}");
        }
    }

    #[test]
    fn numbers_of_other_things_are_no_time() {
        for text in ["How far is it in 3 days?", "What is in 2 rooms?", "in", "version", "from 12 to 14", "", "v"] {
            assert_eq!(find_time(text), None, "{text}");
        }
    }
}
