//! Misspelt words: which known term a term of the question that stands nowhere may be meant for.

use crate::bundle::TermPostings;

/// Terms shorter than this are not corrected: too many others are one letter away.
const LEAST: usize = 5;
/// From this length on a term may be two letters away.
const TWO_FROM: usize = 9;

/// Returns how many letters of `term` may be wrong; none of short terms and of those with digits, which may
/// be codes.
pub(super) fn allowed(term: &str) -> usize {
    let letters = term.chars().count();
    if letters < LEAST || !term.chars().all(char::is_alphabetic) {
        0
    } else {
        1 + usize::from(letters >= TWO_FROM)
    }
}

/// Returns true if `term` may be short for a longer word: "env", "repo".
pub(super) fn is_abbreviation(term: &str) -> bool {
    (LEAST_ABBREVIATION..LEAST).contains(&term.chars().count())
        && term.chars().all(|c| c.is_ascii_lowercase())
}

/// Returns true if `term` may be `other` misspelt, by the rules for questions.
pub fn is_misspelt(term: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    let most = allowed(term);
    most > 0 && distance(&letters(term), &letters(other)) <= most
}

/// Returns the optimal string alignment distance of `a` and `b` (Damerau, 1964).
pub(super) fn distance(a: &[char], b: &[char]) -> usize {
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && *x == b[j - 1] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Returns the nearest term of `known`, the most frequent of several, that begins with the same letter and
/// has no digit.
pub(super) fn nearest_term<'t>(
    term: &str,
    known: impl Iterator<Item = &'t TermPostings>,
) -> Option<&'t TermPostings> {
    let most = allowed(term);
    let letters: Vec<char> = term.chars().collect();
    let mut best: Option<(usize, &TermPostings)> = None;
    for t in known.filter(|t| most > 0 && t.term.chars().next() == letters.first().copied()) {
        let other: Vec<char> = t.term.chars().collect();
        if other.len().abs_diff(letters.len()) > most || !other.iter().all(|c| c.is_alphabetic()) {
            continue;
        }
        let d = distance(&letters, &other);
        let better = |(least, so_far): (usize, &TermPostings)| {
            d < least || d == least && t.postings.len() > so_far.postings.len()
        };
        if d <= most && best.is_none_or(better) {
            best = Some((d, t));
        }
    }
    best.map(|b| b.1)
}

/// A word that stands nowhere is taken for those that begin as it does for at least so many letters, or with
/// all of it,
const LEAST_BEGUN: usize = 4;
/// and for at least so many tenths of its own.
const TENTHS_BEGUN: usize = 6;
/// A shorter word is no abbreviation that is made of the beginning of another.
const LEAST_ABBREVIATION: usize = 3;
/// Maximum number of words; of more, the first.
const MOST_BEGUN: usize = 8;

/// Returns the terms of `known` that share the longest beginning with `term`, if it is long enough: a stemmer
/// for every language in place of a stemmer for each. Hand-set; `tuning/forms.py` measures it.
pub(super) fn find_begun<'t>(
    term: &str,
    known: impl Iterator<Item = &'t TermPostings>,
) -> Vec<&'t TermPostings> {
    let shared = |t: &TermPostings| term.chars().zip(t.term.chars()).take_while(|(a, b)| a == b).count();
    let letters = term.chars().count();
    let mut most = LEAST_BEGUN.min(letters).max((letters * TENTHS_BEGUN).div_ceil(10));
    let mut out: Vec<&TermPostings> = Vec::new();
    for t in known {
        let n = shared(t);
        if n > most {
            out.clear();
        }
        if n >= most {
            most = n;
            out.push(t);
        }
    }
    out.truncate(MOST_BEGUN);
    out
}

/// Either half of a word that others write in two has at least so many letters.
const LEAST_HALF: usize = 3;

/// Splits a word that may be two words ("filename") after each beginning that is a `known` term, the longest
/// first.
pub(super) fn halves(term: &str, known: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
    let places: Vec<usize> = term.char_indices().map(|c| c.0).collect();
    let inner = places.get(LEAST_HALF..(places.len() + 1).saturating_sub(LEAST_HALF)).unwrap_or_default();
    inner.iter().rev().map(|&at| term.split_at(at)).filter(|(first, _)| known(first)).collect()
}

/// Returns the most frequent term that completes the second half of a word, whose stem may lack letters
/// ("filenam").
pub(super) fn complete_half<'t>(
    half: &str,
    known: impl Iterator<Item = &'t TermPostings>,
) -> Option<&'t TermPostings> {
    let fits = |t: &&TermPostings| t.term.strip_prefix(half).is_some_and(|more| more.chars().count() < 2);
    let mut best: Option<&TermPostings> = None;
    for t in known.filter(fits) {
        if best.is_none_or(|b| t.postings.len() > b.postings.len()) {
            best = Some(t);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by recursion.
    fn naive(a: &[char], b: &[char]) -> usize {
        let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) else { return a.len() + b.len() };
        let mut best =
            (naive(rest_a, rest_b) + usize::from(x != y)).min(naive(rest_a, b) + 1).min(naive(a, rest_b) + 1);
        if let ([x2, after_a @ ..], [y2, after_b @ ..]) = (rest_a, rest_b)
            && (x, x2) == (y2, y)
        {
            best = best.min(naive(after_a, after_b) + 1);
        }
        best
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_definition(a in "[abcé]{0,6}", b in "[abcé]{0,6}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(distance(&a, &b), naive(&a, &b));
        }
    }

    fn known(terms: &[(&str, u32)]) -> Vec<TermPostings> {
        terms
            .iter()
            .map(|&(term, n)| TermPostings { term: term.into(), postings: (0..n).map(|c| (c, 1)).collect() })
            .collect()
    }

    fn meant_of(term: &str, terms: &[(&str, u32)]) -> Option<String> {
        nearest_term(term, known(terms).iter()).map(|t| t.term.clone())
    }

    #[test]
    fn the_nearest_term_is_meant_and_of_equals_the_commonest() {
        assert_eq!(
            meant_of("lifteime", &[("lifetim", 1), ("liftime", 1), ("lifetime", 9)]).as_deref(),
            Some("lifetime")
        );
        assert_eq!(meant_of("closuer", &[("closer", 9), ("closur", 3)]).as_deref(), Some("closer"));
        assert_eq!(meant_of("borow", &[("borrow", 2), ("barrow", 9)]).as_deref(), Some("borrow"));
    }

    #[test]
    fn an_unseen_form_is_taken_for_those_that_begin_as_it_does_for_longest() {
        let all = known(&[("arbeit", 1), ("arbeiter", 1), ("arbeitest", 1), ("arm", 1)]);
        let begun =
            |term: &str| find_begun(term, all.iter()).iter().map(|t| t.term.clone()).collect::<Vec<_>>();
        assert_eq!(begun("arbeitern"), ["arbeiter"]);
        assert_eq!(begun("arbeiten"), ["arbeiter", "arbeitest"]);
        assert_eq!(begun("arb"), ["arbeit", "arbeiter", "arbeitest"]);
        assert!(["armeen", "arbeitsunfähigkeit"].iter().all(|term| begun(term).is_empty()));
    }

    #[test]
    fn a_word_that_others_write_in_two_is_both() {
        let all = known(&[("file", 3), ("name", 2), ("named", 1), ("fil", 1)]);
        let halves = halves("filenam", |t| all.iter().any(|k| k.term == t));
        assert_eq!(halves, [("file", "nam"), ("fil", "enam")]);
        assert_eq!(complete_half("nam", all.iter()).map(|t| t.term.as_str()), Some("name"));
        assert_eq!(complete_half("enam", all.iter()), None);
        assert!(super::halves("fil", |_| true).is_empty() && super::halves("", |_| true).is_empty());
    }

    #[test]
    fn short_words_codes_and_other_first_letters_are_left_alone() {
        assert_eq!(meant_of("lake", &[("lakes", 1), ("like", 1)]), None);
        assert_eq!(meant_of("e0382", &[("e0383", 1)]), None);
        assert_eq!(meant_of("error", &[("error1", 1), ("terror", 1)]), None);
        assert_eq!(
            meant_of("abcdef", &[("abcxyf", 1)]),
            None,
            "two letters away is too far for a word of six"
        );
        assert_eq!(meant_of("abcdefghij", &[("abcdxxghij", 1)]).as_deref(), Some("abcdxxghij"));
        assert_eq!(meant_of("", &[("", 1)]), None);
    }
}
