//! Answers without a language model: the sentences of the hits that answer best, or the statement that none does.
//!
//! In two steps, so that a caller can embed sentences in between: [`candidates`] lists what could be quoted, best first by words alone;
//! [`choose`] picks up to three of them, or none. Every weight and threshold is a constant with its meaning; the figures were tuned on the
//! XQuAD questions (see `measure.rs`), each asked with and without the article that answers it.

use super::question::{Question, QuestionKind};
use super::units::{Form, one_line, units};
use crate::compact::{Set, sort_by};
use crate::retrieve::Hit;
use crate::text::{fold, is_stop_word, terms, words};
use std::ops::Range;

/// The most candidates that are kept, and so the most sentences that a caller embeds.
pub const MAX_CANDIDATES: usize = 48;
/// The most sentences of an answer.
pub const MAX_SENTENCES: usize = 3;

/// What a question's term is worth that stands in the headings or the title above a sentence: 0 ignores headings, 1 makes them as good as the
/// sentence itself.
const HEADING_CREDIT: f32 = 0.75;
/// The same for the sentence before, the header row of a table, and a word that only shares its beginning with the term.
const NEAR_CREDIT: f32 = 0.5;
/// What the sentence's chunk being the best hit is worth, beside a full coverage of 1; lesser hits get their share of the best score.
const RANK_WEIGHT: f32 = 0.25;
/// What a cosine of 1 between question and sentence is worth, beside a full coverage of 1.
const COSINE_WEIGHT: f32 = 0.8;
/// What a sentence gains that has the form the question asks for: a definition, a number, a date, a name, a reason.
const CUE_WEIGHT: f32 = 0.2;
/// What a sentence gains that names both sides of a comparison.
const BOTH_SIDES: f32 = 0.35;
/// What a sentence gains as one side's, beside a full coverage of 1, that defines that side.
const DEFINES_SIDE: f32 = 0.5;
/// What a sentence gains as one side's that names that side itself, not only under its headings.
const SIDE_IN_WORDS: f32 = 0.1;
/// What a sentence loses that shares no word of its own with the question, only words of its headings or of its neighbour.
const HEADING_ALONE: f32 = 0.4;
/// Below this share of the best candidate's score, a further sentence is not added.
const FURTHER_SHARE: f32 = 0.6;
/// A further sentence must bring at least this share of the question's weight that is not covered yet.
const FURTHER_GAIN: f32 = 0.12;

/// The least share of a question's weight that the best of the picked sentences must cover with its headings, for a very long question. A
/// shorter one needs [`SHORT_COVERAGE`] divided by the root of its number of terms more: one word of two is met by chance easily, four of
/// ten hardly. Several sentences together prove less: words that stand apart need not have to do with each other.
pub const MIN_COVERAGE: f32 = 0.28;
/// See [`MIN_COVERAGE`].
pub const SHORT_COVERAGE: f32 = 0.42;
/// When a term with at least this share of the question's weight stands in no hit, the documents are taken to be silent.
pub const RARE_SHARE: f32 = 0.4;
/// With cosines: a best cosine of at least this answers even where words fail.
pub const STRONG_COSINE: f32 = 0.62;
/// With cosines: below this, even covered words are taken for chance unless they cover [`SURE_COVERAGE`].
pub const WEAK_COSINE: f32 = 0.3;
/// A coverage that needs no support of a cosine.
pub const SURE_COVERAGE: f32 = 0.8;

/// A sentence, list item or table row that could be quoted.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceCandidate {
    /// Index of its hit.
    pub hit: usize,
    /// Its byte range in the hit's text.
    pub span: Range<usize>,
    /// Its text on one line, without the mark of a list item: what is quoted, and what a caller embeds.
    pub text: String,
    /// The share of the question's weight that it covers with its headings, 0 to 1.
    pub coverage: f32,
    /// Coverage, rank, form and cues together; larger is better.
    pub score: f32,
    /// What each term of the question is worth here, 0 to 1.
    credits: Vec<f32>,
    /// Its own index terms, to tell repetitions.
    own: Set<String>,
    /// Whether it is prose that names both sides of a comparison itself.
    names_both: bool,
}

/// What [`choose`] decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The candidates to quote, in reading order: by hit, then by place. Empty: the documents do not say.
    pub picked: Vec<usize>,
    /// Words of the question that no hit holds, as the question has them.
    pub absent: Vec<String>,
}

/// What could be quoted from the hits, best first; at most [`MAX_CANDIDATES`].
pub fn candidates(question: &Question, hits: &[Hit]) -> Vec<SentenceCandidate> {
    let weight = question.weight();
    if question.terms.is_empty() || weight <= 0.0 {
        return Vec::new();
    }
    let top = hits.iter().map(|h| h.score).filter(|s| s.is_finite()).fold(0.0_f32, f32::max);
    let mut out = Vec::new();
    for (index, hit) in hits.iter().enumerate() {
        let heading = term_set(hit.heading_path.iter().chain([&hit.title]));
        let share = if top > 0.0 && hit.score.is_finite() { (hit.score / top).clamp(0.0, 1.0) } else { 1.0 / (1.0 + index as f32) };
        let mut before: Set<String> = Set::default();
        let mut header: Option<Set<String>> = None;
        for unit in units(&hit.text) {
            let raw = &hit.text[unit.span.clone()];
            let own = term_set([raw]);
            let near = header.as_ref().filter(|_| unit.form == Form::Row).unwrap_or(&before);
            let credits: Vec<f32> = question.terms.iter().map(|t| credit(&t.term, &own, &heading, near)).collect();
            header = match (unit.form, header) {
                (Form::Row, None) => Some(own.clone()),
                (Form::Row, header) => header,
                _ => None,
            };
            // A sentence that shares nothing of its own with the question says nothing about it, whatever stands above it.
            let direct = question.terms.iter().any(|t| own.contains(&t.term) || shares_beginning(&t.term, &own));
            let coverage = covered(question, &credits) / weight;
            let text = quotable(raw);
            let shape = shape(&text, unit.form);
            let names_both = unit.form == Form::Prose && names_both(question, &credits);
            let score = coverage
                + RANK_WEIGHT * share
                + CUE_WEIGHT * cue(question, &text, &own)
                + if names_both { BOTH_SIDES } else { 0.0 }
                + shape
                - if direct { 0.0 } else { HEADING_ALONE };
            if coverage > 0.0 {
                out.push(SentenceCandidate { hit: index, span: unit.span, text, coverage, score, credits, own: own.clone(), names_both });
            }
            before = own;
        }
    }
    sort_by(&mut out, |a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)).then(a.span.start.cmp(&b.span.start)));
    out.truncate(MAX_CANDIDATES);
    out
}

/// Picks what to quote, or nothing. `cosines`, if given, holds each candidate's similarity to the question, in the candidates' order.
pub fn choose(question: &Question, hits: &[Hit], candidates: &[SentenceCandidate], cosines: Option<&[f32]>) -> Choice {
    let absent = absent(question, hits);
    let weight = question.weight();
    let nothing =
        |absent: Vec<usize>| Choice { picked: Vec::new(), absent: absent.iter().map(|&i| question.terms[i].word.clone()).collect() };
    if candidates.is_empty() || weight <= 0.0 {
        return nothing(absent);
    }
    let cosine = |i: usize| cosines.and_then(|c| c.get(i)).copied().filter(|c| c.is_finite());
    let score = |i: usize| candidates[i].score + COSINE_WEIGHT * cosine(i).unwrap_or(0.0);
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    sort_by(&mut order, |&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));

    let mut picked: Vec<usize> = Vec::new();
    let best = order[0];
    if question.sides.is_none() || candidates[best].names_both {
        picked.push(best);
    }
    if let Some((a, b)) = &question.sides {
        for (side, other) in [(a, b), (b, a)] {
            if let Some(i) = best_for_side(question, candidates, &order, &score, side, other)
                && picked.len() < MAX_SENTENCES
                && !repeats(candidates, &picked, i)
            {
                picked.push(i);
            }
        }
    }
    if picked.is_empty() {
        picked.push(best);
    }
    let floor = FURTHER_SHARE * score(best);
    for &i in &order {
        if picked.len() >= MAX_SENTENCES || score(i) < floor {
            break;
        }
        let gains = question.terms.iter().enumerate().map(|(t, term)| {
            let before = picked.iter().map(|&p| candidates[p].credits[t]).fold(0.0_f32, f32::max);
            term.weight * (candidates[i].credits[t] - before).max(0.0)
        });
        if gains.sum::<f32>() >= FURTHER_GAIN * weight && !repeats(candidates, &picked, i) {
            picked.push(i);
        }
    }

    let coverage = match &question.sides {
        None => picked.iter().map(|&i| candidates[i].coverage).fold(0.0, f32::max),
        // Each side has its own sentence; the worse one decides.
        Some((a, b)) => [a, b]
            .map(|side| picked.iter().map(|&i| side_coverage(question, &candidates[i], side)).fold(0.0, f32::max))
            .into_iter()
            .fold(1.0, f32::min),
    };
    let needed = MIN_COVERAGE + SHORT_COVERAGE / (question.terms.len() as f32).sqrt();
    let strongest = picked.iter().filter_map(|&i| cosine(i)).reduce(f32::max);
    let rare_absent = absent.iter().any(|&i| question.terms[i].weight >= RARE_SHARE * weight);
    let silent = match strongest {
        Some(c) if c >= STRONG_COSINE => false,
        Some(c) if c < WEAK_COSINE && coverage < SURE_COVERAGE => true,
        _ => coverage < needed || rare_absent,
    };
    if silent {
        return nothing(absent);
    }
    let place = |i: usize| (candidates[i].hit, candidates[i].span.start);
    sort_by(&mut picked, |&a, &b| place(a).cmp(&place(b)));
    Choice { picked, absent: absent.iter().map(|&i| question.terms[i].word.clone()).collect() }
}

/// The sentence that says best what one side of a comparison is, of those that name it in their words or headings.
fn best_for_side(
    question: &Question,
    candidates: &[SentenceCandidate],
    order: &[usize],
    score: &dyn Fn(usize) -> f32,
    side: &[usize],
    other: &[usize],
) -> Option<usize> {
    let names: Vec<&str> = side.iter().map(|&t| question.terms[t].term.as_str()).collect();
    let apart = || side.iter().filter(|t| !other.contains(t));
    let value = |i: usize| {
        let c = &candidates[i];
        // What the sentence says of the other side is no merit here.
        let merit = score(i) - c.coverage + side_coverage(question, c, side);
        let in_words = apart().all(|&t| c.own.contains(&question.terms[t].term));
        merit + DEFINES_SIDE * defines(&names, &c.text) + if in_words { SIDE_IN_WORDS } else { 0.0 }
    };
    let named = order.iter().copied().filter(|&i| apart().all(|&t| candidates[i].credits[t] >= HEADING_CREDIT));
    named.map(|i| (i, value(i))).max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0))).map(|(i, _)| i)
}

/// The share of one side's weight that a sentence covers.
fn side_coverage(question: &Question, candidate: &SentenceCandidate, side: &[usize]) -> f32 {
    let whole: f32 = side.iter().map(|&t| question.terms[t].weight).sum();
    let met: f32 = side.iter().map(|&t| question.terms[t].weight * candidate.credits[t]).sum();
    if whole > 0.0 { met / whole } else { 0.0 }
}

fn term_set<'a>(texts: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>) -> Set<String> {
    texts.into_iter().flat_map(|text| terms(text.as_ref())).map(|(t, _)| t).collect()
}

fn covered(question: &Question, credits: &[f32]) -> f32 {
    question.terms.iter().zip(credits).map(|(t, c)| t.weight * c).sum()
}

fn credit(term: &str, own: &Set<String>, heading: &Set<String>, near: &Set<String>) -> f32 {
    if own.contains(term) {
        1.0
    } else if heading.contains(term) {
        HEADING_CREDIT
    } else if near.contains(term) || shares_beginning(term, own) {
        NEAR_CREDIT
    } else {
        0.0
    }
}

/// Whether a word of the set begins like the term: at least five letters and most of the longer word, as "creat" and "creation" do.
fn shares_beginning(term: &str, set: &Set<String>) -> bool {
    const LETTERS: usize = 5;
    if !term.is_ascii() || term.len() < LETTERS {
        return false;
    }
    let start = &term[..LETTERS];
    set.from(start).iter().take_while(|w| w.starts_with(start)).any(|w| {
        let same = term.bytes().zip(w.bytes()).take_while(|(a, b)| a == b).count();
        same * 10 >= term.len().max(w.len()) * 6
    })
}

/// Terms that stand in no hit, neither in its text nor in its headings.
fn absent(question: &Question, hits: &[Hit]) -> Vec<usize> {
    let mut missing: Vec<usize> = (0..question.terms.len()).collect();
    for hit in hits {
        if missing.is_empty() {
            break;
        }
        let all = term_set(hit.heading_path.iter().chain([&hit.text, &hit.title]));
        missing.retain(|&i| {
            let term = &question.terms[i].term;
            !all.contains(term) && !shares_beginning(term, &all)
        });
    }
    missing
}

/// The text of a unit as it is quoted.
fn quotable(raw: &str) -> String {
    let line = one_line(raw);
    for mark in ["- ", "* ", "• ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.to_owned();
        }
    }
    line
}

/// What the form of a unit costs: code, headings, questions, and the very short and very long answer badly.
fn shape(text: &str, form: Form) -> f32 {
    let count = text.split(' ').count();
    let closed = text.ends_with(['.', '!', '。', '！', '"', '”', ')', ':']);
    let mut out = match form {
        Form::Prose => 0.0,
        Form::Row => -0.1,
        Form::Code => -0.5,
    };
    if count < 4 && text.chars().count() < 24 {
        out -= 0.5;
    } else if form == Form::Prose && !closed && count < 9 {
        out -= 0.3;
    }
    if count > 60 {
        out -= 0.15 + 0.002 * (count.min(200) - 60) as f32;
    }
    if text.ends_with(['?', '？']) {
        out -= 0.3;
    }
    if text.ends_with(':') {
        out -= 0.15;
    }
    out
}

fn names_both(question: &Question, credits: &[f32]) -> bool {
    let Some((a, b)) = &question.sides else { return false };
    let named = |side: &[usize], other: &[usize]| side.iter().filter(|i| !other.contains(i)).all(|&i| credits[i] >= 1.0);
    named(a, b) && named(b, a)
}

const NUMBER_WORDS: &[&str] = &[
    "billion",
    "dozen",
    "eight",
    "eighteen",
    "eighty",
    "eleven",
    "fifteen",
    "fifty",
    "five",
    "forty",
    "four",
    "fourteen",
    "half",
    "hundred",
    "million",
    "nine",
    "nineteen",
    "ninety",
    "one",
    "seven",
    "seventeen",
    "seventy",
    "six",
    "sixteen",
    "sixty",
    "ten",
    "thirteen",
    "thirty",
    "thousand",
    "three",
    "twelve",
    "twenty",
    "twice",
    "two",
];

const MONTHS: &[&str] =
    &["april", "august", "december", "february", "january", "july", "june", "march", "may", "november", "october", "september"];

/// How far the sentence has the form that the question asks for, 0 to 1.
fn cue(question: &Question, text: &str, own: &Set<String>) -> f32 {
    let asked = |w: &str| question.terms.iter().any(|t| t.word == w);
    let has = |test: &dyn Fn(&str) -> bool| words(text).iter().any(|w| !asked(w.text) && test(w.text));
    let digits = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    let found = match question.kind {
        QuestionKind::Definition => {
            let names: Vec<&str> = question.terms.iter().map(|t| t.term.as_str()).collect();
            return defines(&names, text);
        }
        QuestionKind::Person | QuestionKind::Place => {
            words(text).iter().skip(1).any(|w| w.text.starts_with(char::is_uppercase) && !asked(w.text) && !is_stop_word(&fold(w.text)))
        }
        QuestionKind::Time => {
            has(&|w| (digits(w) && w.len() == 4) || MONTHS.binary_search(&fold(w).as_str()).is_ok()) || text.contains("century")
        }
        QuestionKind::Number => has(&|w| digits(w) || NUMBER_WORDS.binary_search(&fold(w).as_str()).is_ok()),
        QuestionKind::Reason => {
            ["becaus", "reason", "therefor", "due", "caus"].iter().any(|w| own.contains(*w))
                || ["because", "since", "so that", "in order to", "due to"].iter().any(|w| text.contains(w))
        }
        QuestionKind::Manner | QuestionKind::Comparison | QuestionKind::Other => false,
    };
    f32::from(u8::from(found))
}

/// How far a sentence defines what the terms name: 1 when they stand close to its beginning, nothing else of weight between, and a copula
/// follows; half of that for "Bundle: the folder …" and a glossary's row; else 0.
fn defines(names: &[&str], text: &str) -> f32 {
    const COPULAS: &[&str] =
        &["are", "denote", "denotes", "describe", "describes", "is", "mean", "means", "refers", "represents", "was", "were"];
    let mut left: Vec<&str> = names.to_vec();
    let mut others = 0;
    let mut last = 0;
    for word in words(text).iter().take(24) {
        let folded = fold(word.text);
        if left.is_empty() {
            if COPULAS.binary_search(&folded.as_str()).is_ok() {
                return 1.0;
            }
            let gap = &text[last..word.span.start];
            if [": ", " — ", " – ", " | "].iter().any(|mark| gap.contains(mark)) {
                return 0.5;
            }
        }
        let found = terms(word.text);
        let before = left.len();
        left.retain(|n| !found.iter().any(|(t, _)| t == n));
        if left.len() < before {
            last = word.span.end;
        } else if !is_stop_word(&folded) {
            others += 1;
            if others > 2 {
                return 0.0;
            }
        }
    }
    0.0
}

/// Whether a candidate says almost what a picked one says, or overlaps it.
fn repeats(candidates: &[SentenceCandidate], picked: &[usize], i: usize) -> bool {
    let new = &candidates[i];
    picked.iter().any(|&p| {
        let old = &candidates[p];
        let both = old.own.shared(&new.own);
        let either = old.own.items().len() + new.own.items().len() - both;
        p == i || both * 10 >= either.max(1) * 7
    })
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
