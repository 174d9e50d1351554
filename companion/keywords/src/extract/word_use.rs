//! Class of a word, and its use in a corpus.

use super::commonness::rate_specificity;
use super::corpus::is_ideograph;
use super::wordclass::{
    Before, announces, has_adjective_ending, is_adverb_or_plain_adjective, is_function_word, is_vague,
    may_be_verb,
};
use pocketgraph_text::lexicon::Table;

/// Use of a word or phrase.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub count: u32,
    pub chunks: u32,
    pub last_chunk: u32,
    pub determiner: u32,
    pub preposition: u32,
    pub verb: u32,
    /// Number of occurrences directly before another content word, so not at the end of a noun phrase.
    pub inside: u32,
    /// Number of occurrences directly after another content word.
    pub after_content: u32,
    /// Number of occurrences with a capital, among those in `telling`.
    pub capital: u32,
    /// Number of occurrences where a capital is not due to the position.
    pub telling: u32,
}

/// Class of a word key.
#[derive(Debug, Clone, Copy)]
pub struct Class {
    pub before: Before,
    pub function: bool,
    pub describes: bool,
    pub verb: bool,
    pub ing: bool,
    pub ed: bool,
    pub specificity: f32,
    pub debris: bool,
    pub adjective: bool,
    pub vague: bool,
    pub number: bool,
    pub short: bool,
    pub ideograph: bool,
    pub kana: bool,
    pub identifier: bool,
}

/// Classifies a word, with the function words of the languages of its corpus.
pub fn classify_word(word: &str, function_words: &[Table<'_>]) -> Class {
    let first = word.chars().next().unwrap_or(' ');
    Class {
        before: announces(word),
        function: is_function_word(word) || function_words.iter().any(|table| table.contains(word)),
        describes: is_adverb_or_plain_adjective(word),
        verb: may_be_verb(word),
        ing: word.len() > 4 && word.ends_with("ing"),
        ed: word.len() > 3 && word.ends_with("ed"),
        adjective: has_adjective_ending(word),
        vague: is_vague(word),
        number: word.chars().all(|c| c.is_numeric() || c == '_') || (first.is_numeric() && word.len() < 6),
        specificity: rate_specificity(word),
        debris: word.starts_with('_') || word.ends_with('_'),
        short: word.chars().count() < 2,
        ideograph: is_ideograph(first),
        kana: matches!(first as u32, 0x3040..=0x309f)
            || "的了是在和不有也就都而及与或之以其这那为于被把让".contains(first),
        identifier: word.contains('_') || word.chars().any(|c| c.is_ascii_digit()),
    }
}
