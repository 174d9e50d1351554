//! Words, stop words and stems.

use super::fold;
use super::lexicon::{ARTICLES, Language, SPOKEN, Table};
use super::signs::with_signs;
use rust_stemmers::{Algorithm, Stemmer};
use std::ops::Range;

/// Word with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Its byte range in the text.
    pub span: Range<usize>,
}

/// Returns true for Chinese and Japanese, where every character is a word.
fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3005..=0x3007 | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xf900..=0xfaff | 0xff66..=0xff9f | 0x20000..=0x3134f)
}

/// Returns true for a sign that voices the Japanese character before it.
fn is_voicing(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Returns true for scripts without spaces between words whose single characters mean too little: Thai, Lao,
/// Burmese, Khmer, and Korean, which joins particles to nouns.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff | 0xac00..=0xd7a3)
}

/// Returns true for invisible signs inside a word: the soft hyphen, and joiners.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || super::unicode::is_mark(c)
}

/// Returns the words of a text: runs of letters, digits, marks and underscores, with apostrophes between
/// letters ("doesn't"). Each Chinese or Japanese character is a word. Words are cut at 64 characters, so that
/// hostile text makes no giant terms.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    let mut chars = text.char_indices().peekable();
    let mut push = |a: usize, b: usize| out.push(Word { text: &text[a..b], span: a..b });
    while let Some((at, c)) = chars.next() {
        if is_ideograph(c) {
            if let Some((s, _)) = start.take() {
                push(s, at);
            }
            let voiced = std::iter::from_fn(|| chars.next_if(|next| is_voicing(next.1))).last();
            let (last, sign) = voiced.unwrap_or((at, c));
            push(at, last + sign.len_utf8());
            continue;
        }
        let joins = || matches!(c, '\'' | '’') || is_unseen(c);
        let inside = is_word_char(c)
            || (start.is_some() && joins() && chars.peek().is_some_and(|&(_, n)| n.is_alphabetic()));
        match (inside, start) {
            (true, None) => start = Some((at, 1)),
            (true, Some((s, n))) if n >= 64 => {
                push(s, at);
                start = Some((at, 1));
            }
            (true, Some((s, n))) => start = Some((s, n + 1)),
            (false, Some((s, _))) => {
                push(s, at);
                start = None;
            }
            (false, None) => {}
        }
    }
    if let Some((s, _)) = start {
        push(s, text.len());
    }
    out
}

/// Returns true for a folded English function word, which search leaves out.
pub fn is_stop_word(folded: &str) -> bool {
    SPOKEN.stop_words().contains(folded)
}

/// Returns the English (Porter 2) stem of a folded word, or an Arabic word without its article. Other words
/// with letters beyond a to z stay as they are; for other languages the build relates the forms that it sees.
pub fn stem(folded: &str) -> String {
    if folded.bytes().all(|b| b.is_ascii_lowercase()) {
        return Stemmer::create(Algorithm::English).stem(folded).into_owned();
    }
    // At least three letters must be left, or it is no article.
    let without = |table: &Table<'static>| {
        table.rows().filter_map(|article| folded.strip_prefix(article.word)).find(|rest| rest.len() >= 6)
    };
    ARTICLES.iter().find_map(without).unwrap_or(folded).to_owned()
}

/// Returns a folded word without its possessive.
pub fn without_possessive(folded: &str) -> &str {
    folded.strip_suffix("'s").or_else(|| folded.strip_suffix("’s")).unwrap_or(folded)
}

/// Returns the index terms of a text, in order, each with its word's byte span: folded, without possessives
/// and stop words, stemmed. A text of stop words alone, such as a heading `for` or a question for it, yields
/// these: they are its subject.
///
/// A short word with a sign of its name ("C++", ".NET") also yields the name with the sign. A word of parts
/// joined by underscores or inner capitals ("snake_case", "camelCase") also yields its parts, so that both
/// the identifier and its words are found. Text in a script without spaces yields its overlapping pairs of
/// letters with their marks; Chinese and Japanese also yield the single ones.
pub fn terms(text: &str) -> Vec<(String, Range<usize>)> {
    let mut out = Vec::new();
    let mut left_out = Vec::new();
    // The Chinese or Japanese character directly before.
    let mut before: Option<Range<usize>> = None;
    for w in words(text) {
        let ideograph = w.text.starts_with(is_ideograph);
        if let Some(b) = before.take().filter(|b| ideograph && b.end == w.span.start) {
            out.push((fold(&text[b.start..w.span.end]), b.start..w.span.end));
        }
        before = ideograph.then(|| w.span.clone());
        if w.text.chars().any(is_unspaced) {
            collect_pairs(&w, &mut out);
            continue;
        }
        let folded = fold(w.text);
        let base = without_possessive(&folded).trim_matches('_');
        if base.is_empty() {
            continue;
        }
        if is_stop_word(base) {
            left_out.push((base.to_owned(), w.span.clone()));
            continue;
        }
        out.push((stem(base), w.span.clone()));
        out.extend(with_signs(text, &w.span).map(|name| (name, w.span.clone())));
        let parts = identifier_parts(w.text);
        if parts.len() > 1 {
            for part in parts {
                let part = fold(part);
                if part.len() > 1 && !is_stop_word(&part) {
                    out.push((stem(&part), w.span.clone()));
                }
            }
        }
    }
    if out.is_empty() { left_out } else { out }
}

/// Collects the terms of a word in a script without spaces: overlapping pairs of its letters (or a single one
/// without a neighbour), and the parts in other scripts between them.
fn collect_pairs(word: &Word<'_>, out: &mut Vec<(String, Range<usize>)>) {
    // Letters with their marks (true) and runs of another script (false).
    let mut units: Vec<(Range<usize>, bool)> = Vec::new();
    for (at, c) in word.text.char_indices() {
        let (end, unspaced) = (at + c.len_utf8(), is_unspaced(c));
        match units.last_mut() {
            Some((range, before)) if super::unicode::is_mark(c) || !(unspaced || *before) => range.end = end,
            _ => units.push((at..end, unspaced)),
        }
    }
    for (i, (range, unspaced)) in units.iter().enumerate() {
        let paired = |other: Option<&(Range<usize>, bool)>| other.is_some_and(|o| o.1);
        let next = units.get(i + 1).filter(|n| *unspaced && n.1);
        if *unspaced && next.is_none() && paired(i.checked_sub(1).and_then(|b| units.get(b))) {
            continue;
        }
        let range = range.start..next.map_or(range.end, |n| n.0.end);
        let folded = fold(&word.text[range.clone()]);
        if !folded.is_empty() && !is_stop_word(&folded) {
            out.push((stem(&folded), word.span.start + range.start..word.span.start + range.end));
        }
    }
}

/// Returns the parts of an identifier: "snake_case" to snake, case; "camelCase" to camel, Case; "HTTPServer"
/// to HTTP, Server; a Persian word to the parts that others write apart. An ordinary word is one part.
fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    for i in 0..chars.len() {
        let (at, c) = chars[i];
        let parted = c == '\u{200c}' && i > 0 && !super::unicode::is_mark(chars[i - 1].1);
        if c == '_' || parted {
            if at > start {
                parts.push(&word[start..at]);
            }
            start = at + c.len_utf8();
        } else if i > 0 && c.is_uppercase() {
            let previous = chars[i - 1].1;
            let next_lower = chars.get(i + 1).is_some_and(|&(_, n)| n.is_lowercase());
            if (previous.is_lowercase() || (previous.is_uppercase() && next_lower)) && at > start {
                parts.push(&word[start..at]);
                start = at;
            }
        }
    }
    if start < word.len() {
        parts.push(&word[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|(t, _)| t).collect()
    }

    #[test]
    fn terms_are_folded_stemmed_and_without_stop_words() {
        assert_eq!(of("The Runners' caches aren’t running"), ["runner", "cach", "aren’t", "run"]);
        assert_eq!(of("Alex's café"), ["alex", "cafe"]);
    }

    #[test]
    fn stop_words_alone_are_what_a_text_is_about() {
        assert_eq!(of("if"), ["if"]);
        assert_eq!(of("What does if do?"), ["what", "does", "if", "do"]);
        assert_eq!(of("What does if mean?"), ["mean"]);
    }

    #[test]
    fn identifiers_are_found_whole_and_by_their_parts() {
        assert_eq!(
            of("unwrap_or_else HashMap"),
            ["unwrap_or_else", "unwrap", "els", "hashmap", "hash", "map"]
        );
    }

    #[test]
    fn chinese_is_found_by_characters_and_by_pairs_of_those_that_are_together() {
        assert_eq!(of("東京 tower"), ["東", "東京", "京", "tower"]);
        assert_eq!(of("人々，島"), ["人", "人々", "々", "島"]);
        assert_eq!(of("ガード"), of("ｶﾞｰﾄﾞ"));
        assert_eq!(of("ガード"), of("カ\u{3099}ート\u{3099}"));
    }

    #[test]
    fn korean_nouns_are_found_with_other_endings() {
        let all = of("도서관에서");
        assert!(of("도서관").iter().all(|t| all.contains(t)), "{all:?}");
    }

    #[test]
    fn arabic_words_are_found_with_and_without_their_article() {
        assert_eq!(of("الكتاب والكتاب بالكتاب كتاب"), ["كتاب"; 4]);
        assert_eq!(of("ألم"), ["الم"], "too little would be left");
    }

    #[test]
    fn what_is_not_seen_parts_no_word() {
        assert_eq!(of("Donau\u{ad}dampf क्\u{200d}ष"), ["donaudampf", "क्ष"]);
        assert_eq!(of("می\u{200c}روم"), ["ميروم", "مي", "روم"]);
        assert_eq!(of("میروم"), ["ميروم"]);
    }

    #[test]
    fn scripts_without_spaces_are_found_by_pairs_of_letters() {
        let all = of("กดปุ่มสีเขียวเพื่อเริ่ม");
        assert!(of("ปุ่มสี").iter().all(|t| all.contains(t)), "{all:?}");
        assert_eq!(of("ກ USBกข"), ["ກ", "usb", "กข"]);
    }

    proptest! {
        #[test]
        fn terms_of_any_script_are_where_they_say(text in "[กขคุ่a-z๑ເກក្ខ ]{0,40}") {
            for (term, span) in terms(&text) {
                prop_assert!(!term.is_empty() && text.get(span).is_some());
            }
        }

        #[test]
        fn spans_are_the_words(text in ".{0,80}") {
            for w in words(&text) {
                prop_assert_eq!(&text[w.span.clone()], w.text);
            }
        }
    }
}
