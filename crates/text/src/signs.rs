//! Signs that belong to a name, and those that separate pieces of text.

use super::fold::fold;
use std::ops::Range;

/// Maximum length of a word with a sign ("C++", "F#", ".NET"). After a longer one a sign is punctuation.
const LONGEST_SIGNED: usize = 3;

/// Returns a short word with the signs at it, such as "c++", "c#" or ".net"; `None` for any other word.
pub(super) fn with_signs(text: &str, word: &Range<usize>) -> Option<String> {
    let (before, after) = (text.get(..word.start)?, text.get(word.end..)?);
    let name = text
        .get(word.clone())
        .filter(|name| name.len() <= LONGEST_SIGNED && name.bytes().all(|b| b.is_ascii_alphabetic()))?;
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if let Some(sign) = ["++", "#"].into_iter().find(|sign| after.strip_prefix(sign).is_some_and(ends)) {
        return Some(fold(name) + sign);
    }
    let begins = |rest: &str| !rest.ends_with(|c: char| !separates_pieces(c));
    before.strip_suffix('.').is_some_and(begins).then(|| format!(".{}", fold(name)))
}

/// Returns true if a character separates pieces of text.
pub(super) fn separates_pieces(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '`' | '"'
                | '\''
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | ','
                | ';'
                | '“'
                | '”'
                | '‘'
                | '’'
                | '«'
                | '»'
        )
}
