//! Phrases with capitals.

use super::name_word::{NAME_LIKE_WORDS, NameWord, is_caseless};
use crate::text::is_stop_word;
use crate::text::lexicon::{Language, SPOKEN};
use std::ops::Range;

/// The phrases with capitals of a text, as ranges of its words: they begin and end with a capital, hold
/// joining words inside, at most [`NAME_LIKE_WORDS`] words, and begin with no stop word. Words of scripts
/// without case are in none.
pub fn capital_spans(words: &[NameWord]) -> Vec<Range<usize>> {
    let capital = |w: &NameWord| w.capital && !is_caseless(&w.key);
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = words.get(at) {
        if !capital(first) || is_stop_word(&first.key) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        for (look, word) in words.iter().enumerate().skip(end).take(NAME_LIKE_WORDS - 1) {
            if capital(word) {
                end = look + 1;
            } else if !SPOKEN.name_particles().has(&word.key, "joins") {
                break;
            }
        }
        out.push(at..end);
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::name_words;

    fn of(text: &str) -> Vec<String> {
        let words = name_words(text);
        capital_spans(&words)
            .into_iter()
            .map(|r| words[r].iter().map(|w| w.key.as_str()).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn phrases_keep_their_joining_words_and_lose_a_leading_stop_word() {
        assert_eq!(of("The University of Leeds and the city met Ada."), ["university of leeds", "ada"]);
        assert_eq!(of("nothing here"), Vec::<String>::new());
        assert_eq!(of("東京 is in Japan"), ["japan"]);
    }
}
