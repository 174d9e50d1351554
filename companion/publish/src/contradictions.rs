//! Pairs of passages that state different values for the same thing: defaults, limits, dates, versions.
//!
//! Two sentences are compared if each states values of the same kinds in the same order and one value
//! differs. They speak of the same thing if their other words are the same, weighed by how rare each is: a
//! word that only one of them has, and that few sentences have, names something else.

use pocketgraph_question::cut_period;
use pocketgraph_text::{is_stop_word, sentences, stem, terms};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Least number of words besides values in a sentence that stands for itself; a shorter one needs its
/// headings.
const ENOUGH_WORDS: usize = 5;
/// Largest number of values in a sentence: one with more is a row of a table or a list, and is compared only
/// with those under the same headings.
const MOST_VALUES: usize = 3;
/// Marks around examples and names.
const MARKS: [char; 5] = ['(', ')', '"', '“', '”'];
/// Share of the words' weight that two sentences must have in common if one only says more than the other.
const SHARED: f32 = 0.7;
/// And if each has words that the other has not.
const SHARED_BOTH_WAYS: f32 = 0.85;

/// A passage of a page.
#[derive(Debug, Clone)]
pub struct Passage<'a> {
    /// Title of the page and the headings above the passage, outermost first.
    pub headings: Vec<&'a str>,
    /// Its text.
    pub text: &'a str,
}

/// A sentence that states a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Place of its passage.
    pub passage: usize,
    /// Its place in the passage's text.
    pub span: Range<usize>,
    /// The first moment that it names itself, and the first at which it holds no longer; 0 if it names none.
    pub moments: (u32, u32),
}

/// A value in a sentence: its kind (`version`, `date`, or a number's unit), and the value as it is compared.
type Value = (String, String);

struct Stated {
    statement: Statement,
    values: Vec<Value>,
    words: BTreeSet<String>,
    /// Numbers in the headings: pages and sections of other numbers, such as versions, are about something
    /// else.
    named: Vec<String>,
}

/// Returns the pairs of statements that differ in one value, in the order of the passages; of pairs with the
/// same words the first.
pub fn find_contradictions(passages: &[Passage<'_>]) -> Vec<(Statement, Statement)> {
    let sentence = |s: &Statement| passages[s.passage].text[s.span.clone()].trim();
    let mut seen = BTreeSet::new();
    let mut pairs = all_contradictions(passages);
    pairs.retain(|(a, b)| {
        let pair = (sentence(a), sentence(b));
        !seen.contains(&(pair.1, pair.0)) && seen.insert(pair)
    });
    pairs
}

/// Returns all pairs of statements that differ in one value, in the order of the passages.
pub fn all_contradictions(passages: &[Passage<'_>]) -> Vec<(Statement, Statement)> {
    let all: Vec<Stated> = passages.iter().enumerate().flat_map(|(i, p)| stated_in(i, p)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for words in all.iter().map(|s| &s.words) {
        words.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let weights: BTreeMap<String, f32> = counts
        .iter()
        .map(|(word, n)| ((*word).to_owned(), (1.0 + all.len() as f32 / *n as f32).ln()))
        .collect();
    let mut kinds: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (i, s) in all.iter().enumerate() {
        kinds.entry(s.values.iter().map(|(kind, _)| kind.clone()).collect()).or_default().push(i);
    }
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    for group in kinds.values() {
        let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &b in group {
            let words = telling_words(&all[b], &weights);
            let near: BTreeSet<usize> =
                words.iter().filter_map(|word| by_word.get(word)).flatten().copied().collect();
            let apart = |a: usize| all[a].statement.passage != all[b].statement.passage;
            let differs = |&a: &usize| apart(a) && contradict(&all[a], &all[b], &weights);
            found.extend(near.into_iter().filter(differs).map(|a| (a, b)));
            words.into_iter().for_each(|word| by_word.entry(word).or_default().push(b));
        }
    }
    found.into_iter().map(|(a, b)| (all[a].statement.clone(), all[b].statement.clone())).collect()
}

/// The rarest words of a sentence: one that has none of them shares too little with it.
fn telling_words<'s>(stated: &'s Stated, weights: &BTreeMap<String, f32>) -> Vec<&'s str> {
    let mut words: Vec<(f32, &str)> =
        stated.words.iter().filter_map(|w| Some((*weights.get(w)?, &**w))).collect();
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut left: f32 = words.iter().map(|w| w.0).sum();
    let least = SHARED * left * (1.0 - f32::EPSILON * 16.0);
    words.retain(|word| {
        let informs = left >= least;
        left -= word.0;
        informs
    });
    words.into_iter().map(|w| w.1).collect()
}

fn contradict(a: &Stated, b: &Stated, weights: &BTreeMap<String, f32>) -> bool {
    if a.named != b.named || a.values.iter().zip(&b.values).filter(|(a, b)| a != b).count() != 1 {
        return false;
    }
    let weight = |words: &mut dyn Iterator<Item = &String>| words.filter_map(|w| weights.get(w)).sum::<f32>();
    let shared = weight(&mut a.words.intersection(&b.words));
    let (more, less) = (weight(&mut a.words.difference(&b.words)), weight(&mut b.words.difference(&a.words)));
    let least = if more > 0.0 && less > 0.0 { SHARED_BOTH_WAYS } else { SHARED };
    shared >= least * (shared + more + less)
}

/// The sentences of a passage that state values.
fn stated_in(passage: usize, p: &Passage<'_>) -> Vec<Stated> {
    let digits = |text: &&str| text.contains(|c: char| c.is_ascii_digit());
    let headed = p.headings.iter().flat_map(|heading| heading.split_whitespace());
    let named: Vec<String> = headed.filter(digits).map(str::to_owned).collect();
    let of = |range: Range<usize>| {
        let sentence = p.text.get(range.clone())?.trim();
        let (period, timeless) = cut_period(sentence);
        // A value in quotation marks may be part of a name: "version "3" of it" under other headings is
        // another thing.
        let mut quotations = timeless.split(&MARKS[2..]).skip(1).step_by(2);
        let quoted = quotations.any(|text| value_of(text, "").is_some() && !text.contains(' '));
        let mut values = values_in(&timeless, if quoted { &MARKS[..2] } else { &MARKS });
        if values.is_empty() || !is_prose(sentence) {
            return None;
        }
        let mut words = find_content(&timeless);
        // "64 kB" and "64kB" have the same words.
        words.extend(values.iter().map(|(kind, _)| kind.clone()).filter(|kind| !kind.is_empty()));
        if words.len() < 2 {
            return None;
        }
        if words.len() < ENOUGH_WORDS {
            words.extend(p.headings.iter().flat_map(|heading| find_content(heading)));
        }
        if quoted || values.len() > MOST_VALUES {
            values.iter_mut().for_each(|(kind, _)| kind.push_str(&p.headings.join("\n")));
        }
        let statement = Statement { passage, span: range, moments: period.moments };
        Some(Stated { statement, values, words, named: named.clone() })
    };
    sentences(p.text).into_iter().filter_map(of).collect()
}

/// Stems of the words that carry meaning, without those of values.
fn find_content(text: &str) -> BTreeSet<String> {
    terms(text)
        .into_iter()
        .map(|(word, _)| word)
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

/// Returns true for a sentence of words, false for code and for rows of a table.
fn is_prose(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    letters * 10 >= sentence.chars().count() * 7 && !sentence.contains(['{', '}', ';', '|', '\n'])
}

/// Returns the values of a sentence that are not between `marks`.
fn values_in(sentence: &str, marks: &[char]) -> Vec<Value> {
    let stated = sentence.split(marks).step_by(2).collect::<Vec<_>>().join(" ");
    let tokens: Vec<&str> = stated.split_whitespace().collect();
    let of = |(i, token): (usize, &&str)| value_of(token, tokens.get(i + 1).copied().unwrap_or_default());
    tokens.iter().enumerate().filter_map(of).collect()
}

/// The value that a token is, `next` the token after it.
fn value_of(token: &str, next: &str) -> Option<Value> {
    let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && !"%$€£".contains(c));
    let plain = bare.strip_prefix(['v', 'V', '$', '€', '£']).unwrap_or(bare);
    if !plain.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = plain.find(|c: char| !c.is_ascii_digit() && !".,-:".contains(c)).unwrap_or(plain.len());
    let (number, unit) = (plain[..end].trim_end_matches(['.', ',', '-', ':']), &plain[end..]);
    let parts = |sign: char| number.split(sign).filter(|part| !part.is_empty()).count();
    if parts('-') == 3 && number.len() == 10 {
        return Some(("date".to_owned(), number.to_owned()));
    }
    if bare.starts_with(['v', 'V']) || parts('.') > 2 {
        return Some(("version".to_owned(), number.to_owned()));
    }
    if number.contains(['-', ':']) {
        return None;
    }
    let word = next.trim_matches(|c: char| !c.is_alphanumeric());
    let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic);
    let attached = unit.is_empty() && token.ends_with(bare) && is_word;
    let unit = if attached { stem(&word.to_lowercase()) } else { unit.to_lowercase() };
    let unit = if is_stop_word(&word.to_lowercase()) && attached { String::new() } else { unit };
    Some((unit, number.replace(',', "")))
}

#[cfg(test)]
#[path = "contradictions_tests.rs"]
mod tests;
