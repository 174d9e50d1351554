//! The time that a question or a statement names: a date, a version, or the present.

use super::text::lexicon::{Language, SPOKEN};
use super::text::{Word, fold, words};
use std::ops::Range;

/// Moments from here on are versions, those below are dates.
const VERSIONS: u32 = 1 << 31;

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// Class of the word before it, of the table `moments`: `end`, `span`, `onward` or `present`.
    pub class: &'static str,
    /// First and last moment of it.
    pub moments: (u32, u32),
    /// Its place, the words before it included.
    pub span: Range<usize>,
}

impl Time {
    /// Returns the moment at which something has to hold that is asked for this time.
    pub fn moment(&self) -> u32 {
        if self.class == "end" { self.moments.0.saturating_sub(1) } else { self.moments.1 }
    }

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
            return Some(Time { class: class_of, moments: (u32::MAX, u32::MAX), span: begin..word.span.end });
        }
        if !versioned && !class_of.is_empty() {
            (start, class) = (Some(begin), class_of);
            continue;
        }
        let named = if versioned || start.is_some() { &words[at + usize::from(versioned)..] } else { &[] };
        if let Some((moments, end)) = read_moment(text, named, versioned) {
            return Some(Time { class, moments, span: begin..end });
        }
        (start, class) = (None, "span");
    }
    None
}

/// Reads the date or the version that some words of a text begin with: its first and last moment, and its end
/// in the text. A bare number is a version only if it is `versioned`.
fn read_moment(text: &str, words: &[Word<'_>], versioned: bool) -> Option<((u32, u32), usize)> {
    // Month and day.
    let mut date = [None; 2];
    for (at, word) in words.iter().enumerate() {
        let folded = fold(word.text);
        let plain = folded.strip_prefix('v').unwrap_or(&folded);
        let Some(first) = read_number(plain) else {
            date[0] = Some(SPOKEN.months().row(&folded).and_then(|row| read_number(row.field(0)))?);
            continue;
        };
        let (mut more, mut end, mut dotted) = ([None; 2], word.span.end, false);
        for (next, part) in words[at + 1..].iter().zip(&mut more) {
            let tie = text.as_bytes()[end];
            if next.span.start > end + 1 || !matches!(tie, b'.' | b'-') {
                break;
            }
            *part = read_number(next.text);
            (end, dotted) = (next.span.end, dotted || tie == b'.');
        }
        if versioned || dotted || plain.len() < folded.len() {
            return Some((bound_moments(VERSIONS, 1 << 10, first.min(1023), more), end));
        }
        if first > 1900 {
            return Some((bound_moments(0, 100, first, if more[0].is_some() { more } else { date }), end));
        }
        date[1] = Some(first).filter(|day| *day < 32 && date[1].is_none());
        date[1]?;
    }
    None
}

/// Reads a number of up to four digits.
fn read_number(word: &str) -> Option<u32> {
    let digit = |sum: u32, byte: u8| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'));
    if word.is_empty() || word.len() > 4 { None } else { word.bytes().try_fold(0, digit) }
}

/// Returns the first and the last moment of a date or a version of which these parts are known.
fn bound_moments(base: u32, radix: u32, first: u32, more: [Option<u32>; 2]) -> (u32, u32) {
    let last = radix - 1;
    let bound = |rest: u32| more.iter().fold(first, |sum, part| sum * radix + part.unwrap_or(rest).min(last));
    (base | bound(0), base | bound(last))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn time(text: &str) -> (u32, String) {
        let time = find_time(text).unwrap();
        (time.moment(), time.cut(text).replace([' ', ','], ""))
    }

    #[test]
    fn a_question_names_the_time_at_which_its_answer_has_to_hold() {
        let asked = "How long may a boat lie?";
        for (text, moment) in [
            ("How long may a boat lie in 2026?", 20_269_999),
            ("How long may a boat lie now?", u32::MAX),
            ("How long may a boat lie before March 2025?", 20_250_299),
            ("How long may a boat lie until 1 March 2025?", 20_250_300),
            ("How long may a boat lie, as of 2025-03-02?", 20_250_302),
            ("How long may a boat lie in 1.0?", VERSIONS | 1 << 20 | 1023),
            ("How long may a boat lie in version 2?", VERSIONS | 2 << 20 | 1023 << 10 | 1023),
            ("How long may a boat lie in version 9999?", VERSIONS | 1023 << 20 | 1023 << 10 | 1023),
            ("How long may a boat lie in v2?", VERSIONS | 2 << 20 | 1023 << 10 | 1023),
        ] {
            let (at, without) = time(text);
            assert_eq!((at, without.as_str()), (moment, asked.replace(' ', "").as_str()), "{text}");
        }
    }

    #[test]
    fn numbers_of_other_things_are_no_time() {
        for text in ["How far is it in 3 days?", "What is in 2 rooms?", "in", "version", "from 12 to 14", "", "v"] {
            assert_eq!(find_time(text), None, "{text}");
        }
    }
}
