//! Check marks and crosses as the words that they stand for.

use std::ops::Range;

/// The word that a mark stands for.
fn word_of(c: char) -> Option<&'static str> {
    match c {
        '✅' | '✔' | '✓' | '☑' | '🗸' | '🗹' => Some("yes"),
        '❌' | '✗' | '✘' | '✖' | '☒' | '❎' | '☐' | '🚫' | '⛔' | '🗙' | '🗴' => {
            Some("no")
        }
        _ => None,
    }
}

/// Chooses how a mark is shown; not part of its meaning.
const VARIATIONS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// Finds the marks of a block's text that answer something, with the word for each: those that begin a cell
/// of a table, and those that end a clause. A mark that begins an item or a sentence is an ornament.
pub(crate) fn find_answers(text: &str, is_table: bool) -> Vec<(Range<usize>, &'static str)> {
    text.char_indices()
        .filter_map(|(at, c)| {
            let word = word_of(c)?;
            let behind = text.get(at + c.len_utf8()..)?;
            let end = text.len() - behind.trim_start_matches(VARIATIONS).len();
            let before = text.get(..at)?.trim_end_matches(' ');
            let after = text.get(end..)?.trim_start_matches(' ');
            let begins = before.is_empty() || before.ends_with(['\n', '|']);
            let ends = after.is_empty() || after.starts_with(['\n', '|', ',', ';', '.', ')']);
            let answers = if is_table { begins || ends && before.ends_with(':') } else { ends && !begins };
            answers.then_some((at..end, word))
        })
        .collect()
}
