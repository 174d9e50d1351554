//! BM25 search.

use super::impact::UNIT;
use super::typo;
use crate::bundle::{Bundle, BundleError, TermPostings, Terms};
use crate::compact::{Map, sort_by};
use crate::elementary::ln_f32;
use crate::kept::is_kept;
use crate::text::{asked_exactly, fold, terms};
use crate::vector::{Scored, top_k};
use futures::future::{FutureExt, LocalBoxFuture};

/// A question as the lexical side sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LexicalQuery {
    /// Distinct terms, in order of first occurrence.
    pub terms: Vec<String>,
    /// Texts to find exactly as written, by [`asked_exactly`]. They add to the score and never exclude a
    /// chunk.
    pub exact: Vec<String>,
    /// The last word when nothing follows it: what is being typed may be its beginning only.
    pub prefix: Option<String>,
}

/// A word of a question counts up to here; longer questions are cut, so that a hostile one cannot load the
/// whole index.
const MAX_TERMS: usize = 64;
/// A prefix counts for this share of an exact term: 0 ignores it, 1 takes every completion as meant.
const PREFIX_WEIGHT: f32 = 0.6;
/// Maximum number of completions of a prefix, the most frequent first.
const MAX_COMPLETIONS: usize = 12;
/// A term that a misspelt word may be meant for counts for this share of one that was written.
const MEANT_WEIGHT: f32 = 0.7;
/// Maximum number of corrected words of a question: each may cost [`MEANT_RANGES`] range files.
const MAX_MEANT: usize = 3;
/// Number of letters at the beginning of a misspelt word that must be right.
const RIGHT_LETTERS: usize = 3;
/// Maximum number of searched ranges whose terms begin with those letters.
const MEANT_RANGES: usize = 4;

impl LexicalQuery {
    /// Analyses a question. With `typing`, its last word may be unfinished.
    pub fn new(question: &str, typing: bool) -> Self {
        let mut out = LexicalQuery::default();
        for (term, _) in terms(question) {
            if !out.terms.contains(&term) {
                out.terms.push(term);
            }
            if out.terms.len() == MAX_TERMS {
                break;
            }
        }
        out.exact = asked_exactly(question);
        out.exact.truncate(MAX_TERMS);
        if typing && question.chars().last().is_some_and(char::is_alphanumeric) {
            out.prefix =
                crate::text::words(question).last().map(|w| fold(w.text)).filter(|w| w.chars().count() >= 2);
        }
        out
    }
}

/// A chunk and its BM25 score.
pub type LexicalHit = Scored;

/// Result of a lexical search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalResult {
    /// The best chunks, best first.
    pub hits: Vec<LexicalHit>,
    /// For each term of the question: in how many chunks it stands (0: nowhere).
    pub document_frequency: Map<String, u32>,
    /// The words that stand nowhere and were taken for a known one.
    pub meant: Vec<Correction>,
    /// The words that stand nowhere and were looked for as others: their parts, or words that begin as they
    /// do.
    pub instead: Vec<Substitution>,
    /// Range files that could not be loaded.
    pub missing: Vec<String>,
}

/// Correction of a misspelt word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The question's term.
    pub term: String,
    /// The known one.
    pub known: String,
    /// In how many chunks that one stands.
    pub chunks: u32,
}

/// Terms in place of a word that no document contains and that is not misspelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substitution {
    /// The question's term.
    pub term: String,
    /// Known ones, each with the number of chunks that it stands in.
    pub known: Vec<(String, u32)>,
    /// True for parts of the word, which count together; false for its other forms, any of which counts.
    pub parts: bool,
}

impl Substitution {
    fn of(term: &str, known: &[&TermPostings], parts: bool) -> Substitution {
        let known = known.iter().map(|t| (t.term.clone(), t.postings.len() as u32)).collect();
        Substitution { term: term.to_owned(), known, parts }
    }
}

/// BM25's inverse document frequency of a term that stands in `df` of `n` chunks: ln(1 + (n - df + 1/2) / (df
/// + 1/2)).
pub fn idf(df: u32, n: usize) -> f32 {
    let (df, n) = (df as f32, n as f32);
    ln_f32(1.0 + (n - df + 0.5).max(0.0) / (df + 0.5))
}

/// The `k` best chunks by BM25, of those that are `kept`; of all where there is no such list. A word that
/// stands nowhere counts as the known one nearest to it, if one is near; the last word while typing does not,
/// because it may be unfinished. A range file that cannot be loaded is reported as missing; a damaged one is
/// too.
///
/// # Errors
/// [`BundleError`] when the lexical root cannot be loaded.
pub fn search<'a>(
    bundle: &'a Bundle,
    query: &'a LexicalQuery,
    k: usize,
    kept: Option<&'a Vec<bool>>,
) -> LocalBoxFuture<'a, Result<LexicalResult, BundleError>> {
    async move {
        let chunks = bundle.manifest().counts.chunks;
        let mut words = Terms::open(bundle, "lexical", chunks).await?;
        let completions = query.prefix.as_deref().map(|p| words.index.ranges_of_prefix(p)).unwrap_or(0..0);
        // A two-letter prefix may span dozens of ranges; the first few hold enough completions to choose
        // from.
        let asked = query.terms.iter().chain(&query.exact);
        words.load(asked.filter_map(|t| words.index.range_of(t)).chain(completions.take(4)).collect()).await;
        let typed = query.prefix.as_ref().and(query.terms.len().checked_sub(1));
        // What a range that is not at hand holds, nobody knows to be misspelt.
        let lies =
            |t: &str| words.index.range_of(t).is_some() && (words.find(t).is_some() || !words.knows(t));
        let other = |t: &str| typo::allowed(t) > 0 || typo::is_abbreviation(t);
        let unknown =
            query.terms.iter().enumerate().filter(|(i, t)| Some(*i) != typed && other(t) && !lies(t));
        let misspelt: Vec<&String> = unknown.map(|x| x.1).take(MAX_MEANT).collect();
        let beginning = |t: &str| t.chars().take(RIGHT_LETTERS).collect::<String>();
        words
            .load(
                misspelt
                    .iter()
                    .flat_map(|t| words.index.ranges_of_prefix(&beginning(t)).take(MEANT_RANGES))
                    .collect(),
            )
            .await;
        let mut out = LexicalResult::default();
        let mut scores = Scores { chunks: usize::try_from(chunks).unwrap_or(usize::MAX), found: Vec::new() };
        for term in &query.terms {
            let found = words.find(term);
            out.document_frequency.insert(term.clone(), found.map_or(0, |t| t.1.postings.len() as u32));
            if let Some((_, t)) = found {
                scores.add(t, 1.0);
            }
        }
        for term in query.exact.iter().filter(|t| !query.terms.contains(t)) {
            if let Some((_, t)) = words.find(term) {
                scores.add(t, 1.0);
            }
        }
        for term in misspelt {
            if let Some(t) = typo::nearest_term(term, words.iter().filter(|t| !query.terms.contains(&t.term)))
            {
                scores.add(t, MEANT_WEIGHT);
                out.meant.push(Correction {
                    term: term.clone(),
                    known: t.term.clone(),
                    chunks: t.postings.len() as u32,
                });
                continue;
            }
            let halves = typo::halves(term, |first| words.find(first).is_some());
            words
                .load(
                    halves
                        .iter()
                        .take(MAX_MEANT)
                        .flat_map(|(_, second)| words.index.ranges_of_prefix(second).take(1))
                        .collect(),
                )
                .await;
            let parted = halves.iter().find_map(|(first, second)| {
                Some([words.find(first)?.1, typo::complete_half(second, words.iter())?])
            });
            if let Some(both) = parted {
                out.instead.push(Substitution::of(term, &both, true));
                both.into_iter().for_each(|t| scores.add(t, MEANT_WEIGHT));
                continue;
            }
            let begun = typo::find_begun(term, words.iter());
            let share = MEANT_WEIGHT / (begun.len() as f32).sqrt();
            // A short name that no text contains may begin like any word: it brings hits, and shows nothing
            // of the question.
            if !begun.is_empty() && !typo::is_abbreviation(term) {
                out.instead.push(Substitution::of(term, &begun, false));
            }
            begun.into_iter().for_each(|t| scores.add(t, share));
        }
        if let Some(prefix) = &query.prefix {
            let mut found: Vec<&TermPostings> = words
                .iter()
                .filter(|t| t.term.starts_with(prefix.as_str()) && !query.terms.contains(&t.term))
                .collect();
            sort_by(&mut found, |a, b| b.postings.len().cmp(&a.postings.len()).then(a.term.cmp(&b.term)));
            // What is typed is one word: of a chunk's completions the best counts, and not the more the more
            // it has.
            let mut completed = Scores { chunks: scores.chunks, found: Vec::new() };
            for t in found.into_iter().take(MAX_COMPLETIONS) {
                completed.merge(t, PREFIX_WEIGHT, f32::max);
            }
            scores.join(completed.found, |a, b| a + b);
        }
        out.hits = top_k(scores.found.into_iter().filter(|s| is_kept(kept, s.index)), k);
        out.missing = words.missing;
        Ok(out)
    }
    .boxed_local()
}

/// Chunks found so far, ascending, with scores. Memory depends on the terms, not on a bundle's number of
/// chunks.
struct Scores {
    chunks: usize,
    found: Vec<Scored>,
}

impl Scores {
    /// Adds a term's BM25 weight to the chunks where it stands.
    fn add(&mut self, t: &TermPostings, weight: f32) {
        self.merge(t, weight, |a, b| a + b);
    }

    /// Combines a term's BM25 weight with what the chunks where it stands have.
    fn merge(&mut self, t: &TermPostings, weight: f32, combine: fn(f32, f32) -> f32) {
        let one = idf(t.postings.len() as u32, self.chunks) * weight * UNIT;
        let scored = |&(index, impact): &(u32, u32)| Scored { index, score: one * impact as f32 };
        self.join(t.postings.iter().map(scored).collect(), combine);
    }

    /// Combines scores, ascending by chunk, with what the chunks have.
    fn join(&mut self, scored: Vec<Scored>, combine: fn(f32, f32) -> f32) {
        let mut before = std::mem::take(&mut self.found).into_iter().peekable();
        self.found.reserve(before.len() + scored.len());
        for Scored { index, score } in scored {
            while let Some(other) = before.next_if(|s| s.index < index) {
                self.found.push(other);
            }
            let known = before.next_if(|s| s.index == index).map_or(0.0, |s| s.score);
            self.found.push(Scored { index, score: combine(known, score) });
        }
        self.found.extend(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The definition: a score for every chunk, to which each term adds.
        #[test]
        fn scores_are_the_sums_of_all_terms(
            terms in prop::collection::vec(prop::collection::btree_map(0u32..40, 1u32..=127, 0..30), 0..6),
        ) {
            let terms: Vec<TermPostings> = terms
                .into_iter()
                .map(|p| TermPostings { term: String::new(), postings: p.into_iter().collect() })
                .collect();
            let mut naive: Vec<Option<f32>> = vec![None; 40];
            let mut scores = Scores { chunks: 40, found: Vec::new() };
            for t in &terms {
                scores.add(t, 0.5);
                let one = idf(t.postings.len() as u32, 40) * 0.5 * UNIT;
                for &(chunk, impact) in &t.postings {
                    let score = &mut naive[chunk as usize];
                    *score = Some(score.unwrap_or(0.0) + one * impact as f32);
                }
            }
            let found: Vec<(usize, f32)> = scores.found.iter().map(|s| (s.index as usize, s.score)).collect();
            let wanted: Vec<(usize, f32)> =
                naive.iter().enumerate().filter_map(|(c, s)| s.map(|s| (c, s))).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
