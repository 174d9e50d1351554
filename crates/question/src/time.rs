//! The time that a question or a statement names: a date, a version, or the present.

use super::forms::is_function_word;
use super::text::lexicon::{Language, SPOKEN};
use super::text::{Word, capitalize, fold, without_possessive, words};
use std::ops::Range;

/// Moments from here on are versions, those below are dates.
pub const VERSIONS: u32 = 1 << 31;

/// Moments of the present.
const NOW: (u32, u32) = (u32::MAX, u32::MAX);

/// A time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// Class of the word before it in the table `moments`; `span` without one.
    pub class: &'static str,
    /// First and last moment of it.
    pub moments: (u32, u32),
    /// First and last moment of the date or version that ends it: "from 1.2 to 1.4".
    pub until: Option<(u32, u32)>,
    /// Its place, the words before it included.
    pub span: Range<usize>,
}

impl Time {
    /// Returns the moment at which something has to hold that is asked for this time.
    pub fn moment(&self) -> u32 {
        if self.class == "end" {
            self.moments.0.saturating_sub(1)
        } else {
            self.until.unwrap_or(self.moments).1
        }
    }

    /// Returns the first and last moment of the changes that are asked for: those since a version come after
    /// it.
    pub fn changes(&self) -> (u32, u32) {
        let (first, last) = self.moments;
        let until = self.until.map_or(u32::MAX, |until| until.1);
        if matches!(self.class, "onward" | "subsequent") { (last + 1, until) } else { (first, last) }
    }

    /// Returns the text that it was found in, without it.
    pub fn cut(&self, text: &str) -> String {
        text[..self.span.start].to_owned() + &text[self.span.end..]
    }

    /// Returns true if a question, cut, asks for nothing but the changes of its versions, or which is the
    /// latest.
    pub fn asks_for_changes(&self, cut: &str) -> bool {
        let words = words(cut);
        let changes = |word: &Word<'_>| class_of(word.text) == "change";
        // "What's" is "what" and "is".
        let is_function_word = |word: &Word<'_>| is_function_word(without_possessive(&fold(word.text)));
        self.moments.0 >= VERSIONS
            && self.class != "present"
            && (self.class == "latest" || words.iter().any(changes))
            && words.iter().all(|word| changes(word) || is_function_word(word))
    }
}

/// Returns the class of a word in the table `moments`; empty for other words.
fn class_of(word: &str) -> &'static str {
    SPOKEN.moments().row(&fold(word)).map_or("", |row| row.field(0))
}

/// The time in which a sentence holds, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Period {
    /// First moment at which it holds, and the first at which it holds no longer; 0 if it names none.
    pub moments: (u32, u32),
    /// Its words for this time: "From 1 March 2025", "Deprecated in 3.1".
    pub label: String,
}

/// Reads the time in which a sentence holds, and returns the sentence without the words for it. One that names
/// several beginnings or ends says for each of several things when it holds: it has no time itself.
pub fn cut_period(sentence: &str) -> (Period, String) {
    let (mut period, mut rest) = (Period::default(), sentence.to_owned());
    let mut has_several = false;
    while let Some((time, is_end, start)) = find_bound(&rest) {
        let bound = if is_end { &mut period.moments.1 } else { &mut period.moments.0 };
        has_several |= *bound > 0;
        *bound = time.moments.0;
        period.moments.1 = time.until.map_or(period.moments.1, |until| until.0);
        let separator = if period.label.is_empty() { "" } else { ", " };
        period.label = format!("{}{separator}{}", period.label, &rest[start..time.span.end]);
        rest = time.cut(&rest);
    }
    if has_several {
        return (Period::default(), rest);
    }
    period.label = capitalize(&period.label);
    (period, rest)
}

/// Finds the first time in a sentence if it is a bound of what the sentence states; returns true with it if it
/// is the end, and where the words for it start. A number of another unit is no time: "from 2000 rpm".
fn find_bound(sentence: &str) -> Option<(Time, bool, usize)> {
    let time = find_time(sentence)?;
    // Words in quotation marks are an example.
    if sentence[..time.span.start].ends_with(['"', '“', '`']) {
        return None;
    }
    let words = words(sentence);
    let before = words.iter().rfind(|word| word.span.end <= time.span.start);
    let is_end = match time.class {
        "onward" | "subsequent" => false,
        "end" => true,
        "span" if before.is_some_and(|word| is_over(word.text)) => true,
        "span" if before.is_some_and(|word| class_of(word.text) == "change") => false,
        _ => return None,
    };
    if time.class == "span" {
        let start = before?.span.start;
        return Some((time, is_end, start));
    }
    let start = time.span.start;
    let inside = || words.iter().filter(|word| time.span.contains(&word.span.start));
    let is_mark = |word: &Word<'_>| {
        let folded = fold(word.text);
        let numbered =
            folded.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        numbered || SPOKEN.moments().row(&folded).is_some_and(|row| row.field(1) == "time")
    };
    let next = words.iter().find(|word| word.span.start >= time.span.end);
    let ends = |next: &Word<'_>| next.span.start > time.span.end + 1 || is_function_word(&fold(next.text));
    let is_version = time.moments.0 >= VERSIONS;
    let is_time = inside().any(is_mark)
        || (time.moments.0 == time.moments.1 || next.is_none_or(ends)) && !(is_version && start > 0);
    is_time.then_some((time, is_end, start))
}

/// Returns true if a word says of a page that it holds no longer.
pub fn is_over(word: &str) -> bool {
    class_of(word) == "over"
}

/// Returns true if a question has an auxiliary verb in the present: "who is".
pub fn asks_of_the_present(question: &str) -> bool {
    words(question).iter().any(|word| SPOKEN.auxiliaries().has(&fold(word.text), "present"))
}

/// Finds the first date or version in a text, or else its first word for the present.
pub fn find_time(text: &str) -> Option<Time> {
    let words = words(text);
    let (mut start, mut class, mut present) = (None, "span", None);
    for (at, word) in words.iter().enumerate() {
        let class_of = match class_of(word.text) {
            "change" | "over" => "",
            class => class,
        };
        let versioned = class_of == "version";
        let begin = start.unwrap_or(word.span.start);
        if versioned && class == "latest" && start.is_some() {
            return Some(Time { class, moments: NOW, until: None, span: begin..word.span.end });
        }
        if class_of == "present" {
            let now = Time { class: class_of, moments: NOW, until: None, span: begin..word.span.end };
            present = present.or(Some(now));
            start = None;
            continue;
        }
        if !versioned && !class_of.is_empty() {
            (start, class) = (Some(begin), class_of);
            continue;
        }
        let named = if versioned || start.is_some() { &words[at + usize::from(versioned)..] } else { &[] };
        if let Some((moments, end)) = read_moment(text, named, versioned) {
            let after: Vec<_> = named.iter().skip_while(|word| word.span.start < end).cloned().collect();
            let joins = |joint: &Word<'_>| class == "onward" && is_function_word(&fold(joint.text));
            let joined = after.split_first().filter(|(joint, _)| joins(joint));
            let until =
                joined.and_then(|(_, rest)| read_moment(text, rest, versioned || moments.0 >= VERSIONS));
            let end = until.map_or(end, |(_, end)| end);
            return Some(Time { class, moments, until: until.map(|(until, _)| until), span: begin..end });
        }
        (start, class) = (None, "span");
    }
    present
}

/// Reads the date or the version that some words of a text begin with: its first and last moment, and its end
/// in the text. A bare number is a version only if it is `versioned`.
pub fn read_moment(text: &str, words: &[Word<'_>], versioned: bool) -> Option<((u32, u32), usize)> {
    // Month and day.
    let mut date = [None; 2];
    for (at, word) in words.iter().enumerate() {
        let folded = fold(word.text);
        let plain = folded.strip_prefix('v').unwrap_or(&folded);
        let Some(first) = read_number(plain) else {
            date[0] = Some(SPOKEN.months().row(&folded).and_then(|row| read_number(row.field(0)))?);
            continue;
        };
        let (more, end, dotted) = read_parts(text, word.span.end, &words[at + 1..]);
        let is_version = versioned || dotted || plain.len() < folded.len();
        if is_version || first > 1900 {
            let parts = if is_version || more[0].is_some() { more } else { date };
            let moment = |rest: u32| {
                let (base, radix) = if is_version { (VERSIONS, 1 << 10) } else { (0, 100) };
                let number = |sum: u32, part: Option<u32>| sum * radix + part.unwrap_or(rest).min(radix - 1);
                base | parts.into_iter().fold(if is_version { first.min(1023) } else { first }, number)
            };
            return Some(((moment(0), moment(u32::MAX)), end));
        }
        date[1] = Some(first).filter(|day| *day < 32 && date[1].is_none());
        date[1]?;
    }
    None
}

/// Reads the version of a heading that names one and nothing else but a date, as those of changelogs do.
pub fn read_release(heading: &str) -> Option<u32> {
    let words = words(heading);
    let versioned = words.first().is_some_and(|word| class_of(word.text) == "version");
    let named = &words[usize::from(versioned)..];
    let moment = read_moment(heading, named, versioned);
    let ((first, _), end) = moment.filter(|((first, _), _)| *first >= VERSIONS)?;
    // A mark of an early release is part of the version: "2.0.0-rc.1".
    let end = heading[end..].find(char::is_whitespace).map_or(heading.len(), |at| end + at);
    let is_number = |word: &Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
    let is_date = |word: &Word<'_>| is_number(word) || SPOKEN.months().row(&fold(word.text)).is_some();
    named.iter().filter(|word| word.span.start >= end).all(is_date).then_some(first)
}

/// Writes a moment as a date or a version.
pub fn write_moment(moment: u32) -> String {
    let parts = match moment.checked_sub(VERSIONS) {
        Some(version) => return format!("{}.{}", version >> 20, version >> 10 & 1023),
        None => [moment / 10_000, moment / 100 % 100, moment % 100],
    };
    let known = parts.iter().take_while(|part| **part > 0);
    known.map(|part| format!("{part:02}")).collect::<Vec<_>>().join("-")
}

/// Reads up to two numbers that follow the end of another one in a text, joined by dots or hyphens. Returns
/// them, the end of the last, and true if one follows a dot.
fn read_parts(text: &str, mut end: usize, words: &[Word<'_>]) -> ([Option<u32>; 2], usize, bool) {
    let (mut parts, mut dotted) = ([None; 2], false);
    for (next, part) in words.iter().zip(&mut parts) {
        let tie = text.as_bytes()[end];
        if next.span.start > end + 1 || !matches!(tie, b'.' | b'-') {
            break;
        }
        *part = read_number(next.text);
        (end, dotted) = (next.span.end, dotted || tie == b'.');
    }
    (parts, end, dotted)
}

/// Reads a number of up to four digits.
fn read_number(word: &str) -> Option<u32> {
    let digit = |sum: u32, byte: u8| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'));
    if word.is_empty() || word.len() > 4 { None } else { word.bytes().try_fold(0, digit) }
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
            ("How long may a boat lie between 2024 and 2026?", 20_269_999),
            ("How long may a boat lie from 1 March 2025 to 2026-02?", 20_260_299),
            ("How long may a boat lie after 2025?", 20_259_999),
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
    fn a_question_for_changes_names_nothing_else() {
        let asks = |text: &str| find_time(text).is_some_and(|time| time.asks_for_changes(&time.cut(text)));
        for text in [
            "is different in 2.0?",
            "changed since 2.0?",
            "is new in the latest version?",
            "is the current release?",
        ] {
            assert!(asks(&format!("What {text}")) && asks(&format!("What’s {text}")), "{text}");
        }
        for text in [
            "What is it in 2.0?",
            "How do I make a new page in 2.0?",
            "in 2.0",
            "What is new now?",
            "What changed in 2025?",
        ] {
            assert!(!asks(text), "{text}");
        }
    }

    #[test]
    fn a_version_is_meant_rather_than_the_present() {
        let time = find_time("Where is this now enabled in 1.0?").unwrap();
        assert_eq!((time.class, time.moment()), ("span", VERSIONS | 1 << 20 | 1023));
    }

    #[test]
    fn a_heading_of_a_changelog_names_a_version_and_a_date() {
        let version = |major: u32, minor: u32, patch: u32| Some(VERSIONS | major << 20 | minor << 10 | patch);
        for (heading, read) in [
            ("[1.9.0] - 2023-11-20", version(1, 9, 0)),
            ("v2.0.0-rc.1 (May 30th, 2024)", version(2, 0, 0)),
            ("Version 3 (May 2025)", version(3, 0, 0)),
            ("2.1 Installation", None),
            ("2. Steps", None),
            ("2024-06-03", None),
            ("Unreleased", None),
            ("", None),
        ] {
            assert_eq!(read_release(heading), read, "{heading}");
        }
    }

    #[test]
    fn changes_since_a_version_come_after_it() {
        let changes = |text| find_time(text).unwrap().changes();
        let version = |major: u32, minor: u32| VERSIONS | major << 20 | minor << 10;
        assert_eq!(changes("What's changed since 1.9?"), (version(1, 10), u32::MAX));
        assert_eq!(changes("What changed after 1.9?"), (version(1, 10), u32::MAX));
        assert_eq!(changes("What changed between 1.2 and 1.9?"), (version(1, 3), version(1, 9) + 1023));
        assert_eq!(changes("What changed from version 1.2 to 2?"), (version(1, 3), version(3, 0) - 1));
        assert_eq!(changes("What's new in 2.0?"), (version(2, 0), version(2, 0) + 1023));
    }

    #[test]
    fn a_sentence_says_from_when_until_when_it_holds() {
        let version = |major: u32, minor: u32| VERSIONS | major << 20 | minor << 10;
        for (sentence, moments, label) in [
            ("From 1 March 2025 a boat may lie here.", (20_250_301, 0), "From 1 March 2025"),
            ("The mill ran from 1990 until 2004.", (19_900_000, 20_040_000), "From 1990 until 2004"),
            ("Since 2.0 it is on.", (version(2, 0), 0), "Since 2.0"),
            ("The flag is deprecated in 3.1.", (0, version(3, 1)), "Deprecated in 3.1"),
            ("New in version 3.2: a flag.", (version(3, 2), 0), "New in version 3.2"),
        ] {
            let (period, rest) = cut_period(sentence);
            assert_eq!((period.moments, &*period.label), (moments, label), "{sentence} {rest}");
        }
        let several = "It runs in Elm since version 96 and Oak since 16.4.";
        assert_eq!(cut_period(several).0, Period::default());
        for sentence in [
            "It turns from 2000 to 3000 rpm.",
            "It ranges from 1.5 to 3.5.",
            "It was built in 1990.",
            "Write \"since 2.0\" there.",
            "Up to 9.",
        ] {
            assert_eq!(cut_period(sentence), (Period::default(), sentence.to_owned()));
        }
    }

    #[test]
    fn numbers_of_other_things_are_no_time() {
        for text in
            ["How far is it in 3 days?", "What is in 2 rooms?", "in", "version", "from 12 to 14", "", "v"]
        {
            assert_eq!(find_time(text), None, "{text}");
        }
    }
}
