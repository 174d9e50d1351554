//! Terms to be found exactly as written: options, operators, versions, names with signs, and compounds.

use super::fold::fold;
use super::signs::separates_pieces;
use super::words::{stem, without_possessive, words};

/// Maximum number of signs of an operator.
const LONGEST_OPERATOR: usize = 4;
/// Maximum length of a piece of text with a term, in bytes.
const LONGEST: usize = 64;
/// Maximum number of words of a question in which two neighbours may form one compound.
const SPACED_WORDS: usize = 3;

/// Returns the terms of a text to be found exactly, in addition to [`terms`](super::terms): options
/// ("--no-cache"), identifiers with outer underscores ("vite_"), versions and other numbers with dots
/// ("14.2"), operators on their own ("||>"), and compounds with a hyphen as one word ("email" for "e-mail").
pub fn exact_terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if separates_pieces(c) {
            collect_terms(text.get(start..at).unwrap_or_default(), &mut out);
            start = at + c.len_utf8();
        }
    }
    out
}

// By bytes, because a reader downloads this code. Every relevant sign is ASCII.
fn collect_terms(piece: &str, out: &mut Vec<String>) {
    if piece.len() < 2 || piece.len() > LONGEST {
        return;
    }
    if piece.bytes().all(is_operator_sign) {
        if is_operator(piece.as_bytes()) {
            out.push(piece.to_owned());
        }
        return;
    }
    let end = piece.bytes().rposition(|b| !matches!(b, b'.' | b':' | b'!' | b'?')).map_or(0, |last| last + 1);
    let piece = piece.get(..end).unwrap_or_default();
    let bytes = piece.as_bytes();
    if let Some(name) = option_of(piece) {
        out.push(fold(name));
    } else {
        collect_compounds(piece, out);
    }
    collect_numbers(piece, out);
    let named = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    if let (Some(first), Some(last)) = (bytes.iter().position(named), bytes.iter().rposition(named))
        && (bytes[first] == b'_' || bytes[last] == b'_')
        && bytes[first..last].iter().any(u8::is_ascii_alphanumeric)
    {
        out.extend(piece.get(first..=last).map(fold));
    }
}

fn is_operator_sign(b: u8) -> bool {
    b.is_ascii_punctuation() && !matches!(b, b'#' | b'_' | b'\\')
}

/// Returns true if signs are an operator and not an ornament. Few single signs are. A full stop may end them.
fn is_operator(signs: &[u8]) -> bool {
    let first = signs[0];
    let alike = |signs: &[u8]| signs.iter().all(|&b| b == first);
    if alike(signs) {
        return signs.len() == 2 && matches!(first, b'?' | b':' | b'|' | b'&' | b'=' | b'<' | b'>' | b'+');
    }
    let stopped = signs.len() > 2 && signs.ends_with(b".") && alike(&signs[..signs.len() - 1]);
    signs.len() <= LONGEST_OPERATOR && !stopped
}

/// Returns the name of a command line's option, up to an equals sign.
fn option_of(piece: &str) -> Option<&str> {
    let bytes = piece.as_bytes();
    let hyphens = bytes.iter().take_while(|b| **b == b'-').count();
    let end = bytes.iter().position(|b| *b == b'=').unwrap_or(bytes.len());
    let of_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let is_one = (1..3).contains(&hyphens)
        && bytes.get(hyphens).is_some_and(u8::is_ascii_alphabetic)
        && bytes[..end].iter().all(of_name);
    piece.get(..end).filter(|_| is_one)
}

/// Collects numbers with dots, such as versions. Only the letter of a version may precede one.
fn collect_numbers(piece: &str, out: &mut Vec<String>) {
    let bytes = piece.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let number = &piece.get(at..at + length).unwrap_or_default();
        let trimmed = number.trim_matches('.');
        let before = at.checked_sub(1).map(|b| bytes[b]);
        let begins = before.is_none_or(|b| {
            b.is_ascii_punctuation()
                || matches!(b, b'v' | b'V') && (at == 1 || bytes[at - 2].is_ascii_punctuation())
        });
        let ends = bytes.get(at + length).is_none_or(|b| !b.is_ascii_alphanumeric());
        if begins && ends && trimmed.contains('.') {
            out.push(trimmed.to_owned());
        }
        at += length.max(1);
    }
}

/// Collects each two words that a hyphen joins, as one.
fn collect_compounds(piece: &str, out: &mut Vec<String>) {
    let mut before = None;
    for half in piece.split('-') {
        if let Some(before) = before {
            out.extend(join_words(before, half));
        }
        before = Some(half);
    }
}

/// Joins two words; `None` if either has a character that is no letter.
fn join_words(first: &str, second: &str) -> Option<String> {
    let second = without_possessive(second);
    let letters = |w: &str| !w.is_empty() && w.chars().all(char::is_alphabetic);
    (letters(first) && letters(second)).then(|| stem(&(fold(first) + &fold(second))))
}

/// Returns the [`exact_terms`] of a question. In a short one, two words may also form one compound.
pub fn asked_exactly(question: &str) -> Vec<String> {
    let mut out = exact_terms(question);
    let words = words(question);
    if words.len() <= SPACED_WORDS {
        for pair in
            words.windows(2).filter(|pair| question.get(pair[0].span.end..pair[1].span.start) == Some(" "))
        {
            out.extend(join_words(pair[0].text, pair[1].text));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn options_operators_versions_and_underscored_names_are_terms_as_they_are_written() {
        assert_eq!(exact_terms("Pass `--no-cache` or -j=4, not --."), ["--no-cache", "-j"]);
        assert_eq!(exact_terms("a ||> b ?? c?.d `?.` ... --- ** <="), ["||>", "??", "?.", "<="]);
        assert_eq!(exact_terms("since v14.2.1.0, (3.8) and 1.0."), ["14.2.1.0", "3.8", "1.0"]);
        assert_eq!(exact_terms("VITE_ and _DEBUG, not snake_case"), ["vite_", "_debug"]);
        assert!(exact_terms("a - b | c: d. Nothing here! 12 #4 x/y").is_empty());
    }

    #[test]
    fn compounds_are_one_word_with_a_hyphen_and_in_short_questions_with_a_space() {
        assert_eq!(exact_terms("the sign-on page, e-mail's"), ["signon", "email"]);
        assert_eq!(asked_exactly("file name"), ["filenam"]);
        assert_eq!(asked_exactly("where is the file name kept"), Vec::<String>::new());
        assert_eq!(super::super::terms("filename")[0].0, "filenam");
    }

    #[test]
    fn signs_belong_to_short_names() {
        let of = |text: &str| super::super::terms(text).into_iter().map(|t| t.0).collect::<Vec<_>>();
        assert_eq!(of("C++, C# and .NET"), ["c", "c++", "c", "c#", "net", ".net"]);
        assert_eq!(of("The net. Next page#top long++"), ["net", "next", "page", "top", "long"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_an_empty_or_a_giant_term(text in r"[a-zA-Zé_.#+|?>\-0-9 `]{0,200}") {
            for term in exact_terms(&text).into_iter().chain(asked_exactly(&text)) {
                prop_assert!(!term.is_empty() && term.len() <= 2 * LONGEST);
            }
        }
    }
}
