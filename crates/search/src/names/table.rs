//! The table of names, and the scan that finds them in a text.

use super::name_word::{NAME_LIKE_WORDS, NameWord, name_words};
use crate::text::is_stop_word;
use std::ops::Range;

/// A name, or another recurring phrase with capitals that may stand between two documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameEntry {
    /// Its words, folded, with single spaces.
    pub key: String,
    /// True for a single word that more than [`most_rare`] chunks contain: written small, it may mean just
    /// the word.
    pub common: bool,
    /// The documents that it names, with how surely in hundredths; none where it names no document.
    pub of: Vec<(u32, u8)>,
}

/// All names of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameTable {
    /// The names, ascending by key, without repetition.
    pub entries: Vec<NameEntry>,
    /// The document of each chunk, as the bundle numbers them.
    pub document_of: Vec<u32>,
    /// Summed rarity (BM25's idf) of each document's title terms in 1/256; 0 if the title does not look like
    /// a name.
    pub title_weight: Vec<u32>,
    /// For each document how many other documents mention it, or [`NOT_HOPPED`](super::NOT_HOPPED).
    pub links_in: Vec<u32>,
    /// True if the corpus has documents that describe the things in their titles, so that following mentions
    /// pays.
    pub hop: bool,
}

/// In how many of `chunks` chunks a word stands at most that is rare.
pub fn most_rare(chunks: usize) -> u32 {
    (chunks as u32 / 500).max(3)
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its place in [`NameTable::entries`].
    pub entry: u32,
    /// Its place in bytes.
    pub span: Range<usize>,
    /// Number of its words.
    pub words: usize,
}

/// Longest matches from left to right, not overlapping, of at most [`NAME_LIKE_WORDS`] words. `find` knows
/// the keys; `accept` may refuse a match by its first word, its number of words and whether its first word
/// has a capital. A single stop word is never a match.
pub fn scan_words(
    words: &[NameWord],
    find: &dyn Fn(&str) -> Option<u32>,
    accept: &dyn Fn(u32, &str, usize, bool) -> bool,
) -> Vec<Mention> {
    let mut out = Vec::new();
    let mut key = String::new();
    let mut at = 0;
    while let Some(NameWord { key: first, span, capital }) = words.get(at) {
        let mut found = None;
        key.clear();
        for (n, NameWord { key: word, span: end, .. }) in
            words.iter().skip(at).take(NAME_LIKE_WORDS).enumerate()
        {
            if n > 0 {
                key.push(' ');
            }
            key.push_str(word);
            if let Some(entry) = find(&key)
                && (n > 0 || !is_stop_word(first))
                && accept(entry, first, n + 1, *capital)
            {
                found = Some(Mention { entry, span: span.start..end.end, words: n + 1 });
            }
        }
        at += found.as_ref().map_or(1, |m| m.words);
        out.extend(found);
    }
    out
}

/// Names by key, each with its place among all: a whole table, or as much of one as is at hand.
pub type NameLookup<'a> = dyn Fn(&str) -> Option<(u32, NameEntry)> + 'a;

impl NameTable {
    /// The entry with this key.
    pub fn find(&self, key: &str) -> Option<u32> {
        self.entries.binary_search_by(|e| e.key.as_str().cmp(key)).ok().map(|i| i as u32)
    }

    /// The entry with this key and its place, as [`in_question`] and [`find_inside`] ask for them.
    pub fn lookup(&self, key: &str) -> Option<(u32, NameEntry)> {
        let place = self.find(key)?;
        Some((place, self.entries.get(place as usize)?.clone()))
    }
}

/// The names of documents, of two words or more, inside a phrase that names none itself: "King Victor
/// Emmanuel III of Italy" is about the page "Victor Emmanuel III of Italy". None where the phrase is the name
/// of a document.
pub fn find_inside(phrase: &NameEntry, known: &NameLookup<'_>) -> Vec<u32> {
    if !phrase.of.is_empty() {
        return Vec::new();
    }
    let of_documents = |key: &str| known(key).filter(|(_, e)| !e.of.is_empty()).map(|x| x.0);
    let accept = |_: u32, _: &str, n: usize, _: bool| n > 1;
    scan_words(&name_words(&phrase.key), &of_documents, &accept).into_iter().map(|m| m.entry).collect()
}

/// The names in a question, longest first from the left, of those that `find` knows: their places, and
/// whether each is a common word. A single word must have a capital, unless no word after the first has one:
/// then the question was typed without them, and a rare word of four letters or more will do.
pub fn mentions(question: &[NameWord], find: &dyn Fn(&str) -> Option<(u32, bool)>) -> Vec<Mention> {
    let typed_without = !question.iter().skip(1).any(|w| w.capital);
    let rare = |word: &str| find(word).is_some_and(|(_, common)| !common);
    let accept = |_: u32, first: &str, n: usize, capital: bool| {
        n > 1 || (capital && !typed_without) || (typed_without && rare(first) && first.chars().count() >= 4)
    };
    scan_words(question, &|key| find(key).map(|x| x.0), &accept)
}

/// The names of documents in a question, as [`meant`] tells them.
pub fn in_question(question: &str, known: &NameLookup<'_>) -> Vec<Mention> {
    mentions(&name_words(question), &|key| {
        known(key).filter(|(_, e)| !e.of.is_empty()).map(|(place, e)| (place, e.common))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table(names: &[(&str, u32, u32)]) -> NameTable {
        let mut entries: Vec<NameEntry> = names
            .iter()
            .map(|&(key, chunks, document)| NameEntry {
                key: key.into(),
                common: chunks > 3,
                of: vec![(document, 100)],
            })
            .collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        NameTable { entries, ..NameTable::default() }
    }

    fn found_names(t: &NameTable, question: &str) -> Vec<String> {
        in_question(question, &|key| t.lookup(key))
            .iter()
            .map(|m| t.entries[m.entry as usize].key.clone())
            .collect()
    }

    #[test]
    fn the_longest_name_wins_and_possessives_fall_off() {
        let t = table(&[("new york", 9, 0), ("new york times", 2, 1), ("ada lovelace", 1, 2)]);
        assert_eq!(
            found_names(&t, "Was Ada Lovelace's letter in the New York Times?"),
            ["ada lovelace", "new york times"]
        );
        assert_eq!(in_question("Ada Lovelace's letter", &|key| t.lookup(key))[0].span, 0..14);
    }

    #[test]
    fn a_single_word_needs_its_capital_where_others_have_one() {
        let t = table(&[("rust", 900, 0), ("zephyr", 2, 1), ("who", 3, 2)]);
        assert_eq!(found_names(&t, "Who uses Rust with zephyr?"), ["rust"]);
        assert_eq!(
            found_names(&t, "who uses rust with zephyr?"),
            ["zephyr"],
            "too common a word names nothing when typed without capitals"
        );
    }

    #[test]
    fn a_phrase_with_an_honorific_holds_the_name_of_a_page() {
        let mut t =
            table(&[("victor emmanuel iii of italy", 3, 0), ("italy", 90, 1), ("emmanuel iii", 2, 2)]);
        let king =
            NameEntry { key: "king victor emmanuel iii of italy".into(), common: false, of: Vec::new() };
        t.entries.insert(2, king.clone());
        assert!(t.entries.is_sorted_by(|a, b| a.key < b.key));
        assert_eq!(
            find_inside(&king, &|key| t.lookup(key)),
            [t.find("victor emmanuel iii of italy").unwrap()],
            "the longest name, and no single word"
        );
        assert!(
            find_inside(&t.entries[3], &|key| t.lookup(key)).is_empty(),
            "a page's own name leads to that page"
        );
    }

    #[test]
    fn an_empty_question_and_an_empty_table_name_nothing() {
        assert!(found_names(&table(&[]), "Anything At All").is_empty());
        assert!(found_names(&table(&[("x y", 1, 0)]), "").is_empty());
    }
}
