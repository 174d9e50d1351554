//! Finds recurring phrases in scripts without case, where no capital letter marks a name.
//!
//! In Chinese and Japanese every character is a word: phrases are runs of two to four Han or Katakana
//! characters. Elsewhere (Arabic, Hebrew, Devanagari, Hangul and others) they are words and pairs of words. A
//! phrase must occur in at least two chunks, but in few: what occurs everywhere is no name.

use pocketgraph_search::names::{NameWord, is_caseless};
use std::collections::HashMap;

/// Maximum number of characters of an ideographic phrase.
const CHARACTERS: usize = 4;
/// Minimum number of letters of a word in other scripts.
const LETTERS: usize = 3;
/// A phrase may occur in one of this many chunks, and in three chunks of any corpus.
const ONE_IN: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Han,
    Katakana,
    Other,
    /// Belongs to no phrase and ends one: Hiragana is grammar, and cased words have their own rule.
    Break,
}

fn class_of(word: &NameWord) -> Class {
    let Some(c) = word.key.chars().next().filter(|_| is_caseless(&word.key)) else { return Class::Break };
    match c as u32 {
        0x3040..=0x309f => Class::Break,
        0x30a0..=0x30ff => Class::Katakana,
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3134f => Class::Han,
        _ => Class::Other,
    }
}

/// Counts the letters of a word. A syllable of Hangul counts as two.
fn count_letters(word: &str) -> usize {
    word.chars().map(|c| if matches!(c as u32, 0xac00..=0xd7a3) { 2 } else { 1 }).sum()
}

/// Counts a phrase of a chunk in `seen`: by phrases, the last chunk that has each, and how many do. Chunks come
/// one after the other.
pub fn count_phrase(seen: &mut HashMap<String, (usize, usize)>, words: &[NameWord], chunk: usize) {
    let key = words.iter().map(|w| w.key.as_str()).collect::<Vec<_>>().join(" ");
    let entry = seen.entry(key).or_insert((usize::MAX, 0));
    if entry.0 != chunk {
        *entry = (chunk, entry.1 + 1);
    }
}

/// Returns the phrases as keys of the table of names: words with single spaces. Drops a phrase inside a
/// longer one that occurs in as many chunks.
pub fn recurring_caseless(chunks: &[Vec<Vec<NameWord>>]) -> Vec<String> {
    let mut seen = HashMap::new();
    for (chunk, sentences) in chunks.iter().enumerate() {
        for sentence in sentences {
            let joined = |a: &NameWord, b: &NameWord| {
                class_of(a) == class_of(b) && (class_of(a) == Class::Other || a.span.end == b.span.start)
            };
            for run in sentence.chunk_by(joined) {
                let (least, most) = match run.first().map_or(Class::Break, class_of) {
                    Class::Han | Class::Katakana => (2, CHARACTERS),
                    Class::Other => (1, 2),
                    Class::Break => continue,
                };
                for start in 0..run.len() {
                    for n in least..=most.min(run.len() - start) {
                        let words = &run[start..start + n];
                        if least == 1 && words.iter().any(|w| count_letters(&w.key) < LETTERS) {
                            continue;
                        }
                        count_phrase(&mut seen, words, chunk);
                    }
                }
            }
        }
    }
    let most = (chunks.len() / ONE_IN).max(3);
    let counts: HashMap<&str, usize> = seen
        .iter()
        .filter(|(_, (_, n))| (2..=most).contains(n))
        .map(|(k, (_, n))| (k.as_str(), *n))
        .collect();
    // Phrases that a longer one, without its first or its last word, repeats in as many chunks.
    let mut held: Vec<&str> = Vec::new();
    for (&key, &n) in &counts {
        let parts = [key.split_once(' ').map(|p| p.1), key.rsplit_once(' ').map(|p| p.0)];
        held.extend(parts.into_iter().flatten().filter(|part| counts.get(part) == Some(&n)));
    }
    held.sort_unstable();
    let mut out: Vec<String> =
        counts.keys().filter(|k| held.binary_search(k).is_err()).map(|k| (*k).to_owned()).collect();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketgraph_search::names::name_words;

    fn of(chunks: &[&str]) -> Vec<String> {
        recurring_caseless(&chunks.iter().map(|c| vec![name_words(c)]).collect::<Vec<_>>())
    }

    #[test]
    fn runs_of_han_and_of_katakana_recur_and_the_longest_is_kept() {
        assert_eq!(
            of(&["京都市はよい", "私は京都市とコーヒーが好き", "コーヒーの店"]),
            ["コ ー ヒ ー", "京 都 市"]
        );
    }

    #[test]
    fn words_of_other_scripts_recur_and_what_is_everywhere_is_no_name() {
        assert_eq!(of(&["हिमालय पर्वत बड़ा", "भारत का हिमालय पर्वत", "x", "y"]), ["हिमालय पर्वत"]);
        let everywhere = vec!["城市建设"; 4];
        assert!(of(&everywhere).is_empty());
    }

    #[test]
    fn a_place_of_two_syllables_is_long_enough_in_hangul() {
        assert_eq!(of(&["서울 사람", "나는 서울 에 산다", "그 그", "그"]), ["서울"]);
    }

    #[test]
    fn scripts_with_case_are_left_to_their_capitals() {
        assert!(of(&["The Big City", "The Big City", "новый Город", "новый Город"]).is_empty());
    }
}
