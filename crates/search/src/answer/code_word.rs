//! Words of code among words.

/// Whether a word is written as only code is: a sign inside, an option's hyphens, an upper-case letter behind a lower-case one.
pub(super) fn is_code(word: &str) -> bool {
    let letters = |w: &str| w.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let dotted = word.split_once('.').is_some_and(|(a, b)| letters(a) && letters(b));
    let humps = word.as_bytes().windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
    let marked = word.starts_with("--") || ["_", "::", "()", "="].iter().any(|m| word.contains(m));
    letters(word) && (dotted || humps || marked)
}
