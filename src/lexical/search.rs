//! BM25 search.

use super::postings::{Lexicon, TermPostings, decode_lexicon, decode_postings};
use super::typo;
use super::{B, K1};
use crate::bundle::{Bundle, BundleError};
use crate::compact::{Map, Set, sort_by};
use crate::text::{fold, terms};
use crate::vector::{Scored, top_k};

/// A question as the lexical side sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LexicalQuery {
    /// Distinct terms, in order of first occurrence.
    pub terms: Vec<String>,
    /// The last word when nothing follows it: what is being typed may be its beginning only.
    pub prefix: Option<String>,
}

/// A word of a question counts up to here; longer questions are cut, so that a hostile one cannot load the whole index.
const MAX_TERMS: usize = 64;
/// A prefix counts for this share of an exact term: 0 ignores it, 1 takes every completion as meant.
const PREFIX_WEIGHT: f32 = 0.6;
/// How many completions of a prefix count, the commonest first.
const MAX_COMPLETIONS: usize = 12;
/// A term that a misspelt word may be meant for counts for this share of one that was written.
const MEANT_WEIGHT: f32 = 0.7;
/// How many misspelt words of a question are corrected: each may cost [`MEANT_RANGES`] range files.
const MAX_MEANT: usize = 3;
/// How many letters at the beginning of a misspelt word are taken to be right.
const RIGHT_LETTERS: usize = 3;
/// How many of the ranges whose terms begin with those letters are looked through.
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
        if typing && question.chars().last().is_some_and(char::is_alphanumeric) {
            out.prefix = crate::text::words(question).last().map(|w| fold(w.text)).filter(|w| w.chars().count() >= 2);
        }
        out
    }
}

/// A chunk and its BM25 score.
pub type LexicalHit = Scored;

/// What lexical search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalResult {
    /// The best chunks, best first.
    pub hits: Vec<LexicalHit>,
    /// For each term of the question: in how many chunks it stands (0: nowhere).
    pub document_frequency: Map<String, u32>,
    /// The words that stand nowhere and were taken for a known one.
    pub meant: Vec<Meant>,
    /// Range files that could not be loaded.
    pub missing: Vec<String>,
}

/// What a misspelt word was taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meant {
    /// The question's term.
    pub term: String,
    /// The known one.
    pub known: String,
    /// In how many chunks that one stands.
    pub chunks: u32,
}

/// BM25's inverse document frequency of a term that stands in `df` of `n` chunks: ln(1 + (n - df + 1/2) / (df + 1/2)).
pub fn idf(df: u32, n: usize) -> f32 {
    let (df, n) = (df as f32, n as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

/// A term of a range, whose terms ascend.
fn within<'r>(range: &'r [TermPostings], term: &str) -> Option<&'r TermPostings> {
    range.binary_search_by(|t| t.term.as_str().cmp(term)).ok().and_then(|i| range.get(i))
}

/// The `k` best chunks by BM25. A word that stands nowhere counts as the known one nearest to it, if one is near; the last word while typing does
/// not, because it may be unfinished. A range file that cannot be loaded is reported as missing; a damaged one is too.
///
/// # Errors
/// [`BundleError`] when the lexical root cannot be loaded.
pub async fn search(bundle: &Bundle, query: &LexicalQuery, k: usize) -> Result<LexicalResult, BundleError> {
    let chunks = bundle.manifest().counts.chunks;
    let lexicon = bundle.section("lexical", move |file, bytes| decode_lexicon(file, bytes, chunks)).await?;
    let completions = query.prefix.as_deref().map(|p| lexicon.ranges_of_prefix(p)).unwrap_or(0..0);
    // A two-letter prefix may span dozens of ranges; the first few hold enough completions to choose from.
    let wanted: Set<usize> = query.terms.iter().filter_map(|t| lexicon.range_of(t)).chain(completions.take(4)).collect();
    let limit = u32::try_from(chunks).unwrap_or(u32::MAX);
    let decode = move |_: u32, file: &str, bytes: &[u8]| decode_postings(file, bytes, limit);
    let pages = bundle.pages("lexical", &lexicon.ranges, wanted.items(), decode).await;
    let mut out = LexicalResult { missing: pages.missing(), ..LexicalResult::default() };
    let mut ranges = pages.loaded;
    let typed = query.prefix.as_ref().and(query.terms.len().checked_sub(1));
    let misspelt: Vec<&String> = {
        let stands_in = |range: usize, t: &str| ranges.get(&range).is_none_or(|r| within(r, t).is_some());
        let stands = |t: &str| lexicon.range_of(t).is_some_and(|r| stands_in(r, t));
        let unknown = query.terms.iter().enumerate().filter(|(i, t)| Some(*i) != typed && typo::allowed(t) > 0 && !stands(t));
        unknown.map(|x| x.1).take(MAX_MEANT).collect()
    };
    let beginning = |t: &str| t.chars().take(RIGHT_LETTERS).collect::<String>();
    let near = misspelt.iter().flat_map(|t| lexicon.ranges_of_prefix(&beginning(t)).take(MEANT_RANGES));
    let more: Set<usize> = near.filter(|r| ranges.get(r).is_none()).collect();
    if !more.items().is_empty() {
        let pages = bundle.pages("lexical", &lexicon.ranges, more.items(), decode).await;
        out.missing.extend(pages.missing());
        ranges.extend(pages.loaded);
    }
    let find = |term: &str| -> Option<&TermPostings> { within(ranges.get(&lexicon.range_of(term)?)?, term) };
    let mut scores = vec![0f32; lexicon.lengths.len()];
    let mut touched: Vec<u32> = Vec::new();
    for term in &query.terms {
        let found = find(term);
        out.document_frequency.insert(term.clone(), found.map_or(0, |t| t.postings.len() as u32));
        if let Some(t) = found {
            add(&mut scores, &mut touched, t, &lexicon, 1.0);
        }
    }
    for term in misspelt {
        let in_question = |t: &TermPostings| query.terms.contains(&t.term);
        if let Some(t) = typo::meant(term, ranges.values().flat_map(|r| r.iter()).filter(|t| !in_question(t))) {
            add(&mut scores, &mut touched, t, &lexicon, MEANT_WEIGHT);
            out.meant.push(Meant { term: term.clone(), known: t.term.clone(), chunks: t.postings.len() as u32 });
        }
    }
    if let Some(prefix) = &query.prefix {
        let mut found: Vec<&TermPostings> = ranges
            .values()
            .flat_map(|r| r.iter())
            .filter(|t| t.term.starts_with(prefix.as_str()) && !query.terms.contains(&t.term))
            .collect();
        sort_by(&mut found, |a, b| b.postings.len().cmp(&a.postings.len()).then(a.term.cmp(&b.term)));
        for t in found.into_iter().take(MAX_COMPLETIONS) {
            add(&mut scores, &mut touched, t, &lexicon, PREFIX_WEIGHT);
        }
    }
    out.hits = top_k(touched.into_iter().map(|c| Scored { index: c, score: scores[c as usize] }), k);
    Ok(out)
}

/// Adds a term's BM25 weight to the chunks where it stands.
fn add(scores: &mut [f32], touched: &mut Vec<u32>, t: &TermPostings, lexicon: &Lexicon, weight: f32) {
    let idf = idf(t.postings.len() as u32, lexicon.lengths.len()) * weight;
    for &(chunk, frequency) in &t.postings {
        let (Some(score), Some(&length)) = (scores.get_mut(chunk as usize), lexicon.lengths.get(chunk as usize)) else { continue };
        let tf = frequency as f32;
        let norm = K1 * (1.0 - B + B * length as f32 / lexicon.mean_length.max(1.0));
        if *score == 0.0 {
            touched.push(chunk);
        }
        *score += idf * tf * (K1 + 1.0) / (tf + norm);
    }
}
