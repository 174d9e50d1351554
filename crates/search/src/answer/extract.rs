//! Answers without a language model: the block of the hits that answers best, the closest passage, or the statement that none does.
//!
//! In two steps, so that a caller can embed blocks in between: [`candidates`] lists what could be quoted, best first by words alone; [`choose`] picks one of
//! them, two for a comparison, or none, and says how sure that is. Blocks are told apart by a linear model over [`FEATURES`]. Its weights, and those that
//! tell answers from what is merely close, are fitted by `tuning/answers.py` on questions over documentation sites and over XQuAD's paragraphs, one site
//! left out at a time.

use super::asked_for::AskedFor;
use super::block::{Block, QuotedPiece, blocks};
use super::code_word::is_code;
use super::empty_talk::{announces, is_empty_talk, leans_back, refers};
use super::features::{CERTAINTY_FEATURES, FEATURES};
use super::parts::asks;
use super::question::{Question, QuestionKind, QuestionTerm};
use super::units::{one_line, width};
use super::weights::{BY_E5, BY_MEANING, BY_WORDS, CERTAINTY, CERTAINTY_BY_E5, CERTAINTY_BY_WORDS, CLOSEST_FROM, STATED_FROM};
use crate::bundle::{Form, Layout};
use crate::compact::{Map, Set, sort_by};
use crate::elementary;
use crate::embed::MULTILINGUAL;
use crate::retrieve::Hit;
use crate::text::{fold, terms};
use std::ops::Range;

/// The most candidates that are kept.
pub const MAX_CANDIDATES: usize = 96;
/// The most quotations of an answer: one, or one for each side of a comparison.
pub const MAX_QUOTED: usize = 2;
/// Only the first hits are quoted from.
const QUOTED_HITS: usize = 6;

/// What a word is worth that only shares its beginning with a question's term.
const BEGINNING_CREDIT: f32 = 0.5;
/// Characters of a block that are embedded with its headings.
const EMBEDDED_BYTES: usize = 600;

/// The place of `near` in [`FEATURES`].
const NEAR: usize = 2;
/// The place of `beside` in [`FEATURES`].
const BESIDE: usize = 12;

/// A block that could be quoted.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Index of its hit.
    pub hit: usize,
    /// What a caller embeds: headings, what it stands under, and the block.
    pub text: String,
    /// What is known of it, in the order of [`FEATURES`]; the cosine is 0 until [`choose`] hears it.
    pub features: [f32; FEATURES.len()],
    /// The heading that it is quoted under; empty where it says the same itself, and where the heading asks.
    pub heading: String,
    /// The pieces that are quoted.
    pub shown: Vec<QuotedPiece>,
    /// Whether the passage goes on behind them under the same heading.
    pub more: bool,
    /// Its score by words alone; larger is better.
    pub score: f32,
    /// The share of the question's weight that it covers with its headings, 0 to 1.
    pub covered: f32,
    /// Whether the question asks for a figure and what is quoted has none.
    pub lacks_figure: bool,
    /// Whether the question asks for somebody or a time and what is quoted has none, or about somebody whom it does not speak of.
    pub lacks_asked: bool,
    /// What each term of the question is worth here with its headings, 0 to 1.
    credits: Vec<f32>,
}

impl Candidate {
    /// The part of its hit's text that is quoted, with what may stand between its pieces.
    pub fn span(&self) -> Range<usize> {
        let start = self.shown.iter().map(|s| s.span.start).min().unwrap_or(0);
        start..self.shown.iter().map(|s| s.span.end).max().unwrap_or(start).max(start)
    }
}

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sureness {
    /// It is stated.
    Stated,
    /// It is shown as the passage that is closest, not as an answer.
    Closest,
    /// The documents do not say.
    #[default]
    Silent,
}

/// What [`choose`] decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The candidates to quote, best first; for a comparison by side. Empty: the documents do not say.
    pub picked: Vec<usize>,
    /// How sure that is.
    pub sureness: Sureness,
    /// How likely it is that what is picked answers, 0 to 1, as fitted.
    pub certainty: f32,
    /// What that was made of, in the order of [`CERTAINTY_FEATURES`].
    pub grounds: [f32; CERTAINTY_FEATURES.len()],
    /// Words of the question that no hit holds, as the question has them.
    pub absent: Vec<String>,
}

/// What could be quoted from the hits, best first by words; at most [`MAX_CANDIDATES`]. `layouts` has the forms of chunks' blocks, where they are known.
pub fn candidates(question: &Question, hits: &[Hit], layouts: &Map<u32, Layout>) -> Vec<Candidate> {
    let weight = question.weight();
    if question.terms.is_empty() || weight <= 0.0 {
        return Vec::new();
    }
    let top = hits.iter().map(|h| h.score).filter(|s| s.is_finite()).fold(0.0_f32, f32::max);
    let mut out = Vec::new();
    for (index, hit) in hits.iter().enumerate().take(QUOTED_HITS) {
        let share = if top > 0.0 && hit.score.is_finite() { (hit.score / top).clamp(0.0, 1.0) } else { 1.0 / (1.0 + index as f32) };
        let place = BlockPlace { index, share, hit };
        for block in blocks(&hit.text, layouts.get(&hit.chunk)) {
            out.extend(candidate(question, weight, &place, block));
        }
    }
    sort_by(&mut out, |a, b| b.score.total_cmp(&a.score).then(a.hit.cmp(&b.hit)).then(a.span().start.cmp(&b.span().start)));
    out.truncate(MAX_CANDIDATES);
    out
}

struct BlockPlace<'a> {
    index: usize,
    share: f32,
    hit: &'a Hit,
}

/// A block with what is known of it; none of one that says nothing of its own.
fn candidate(question: &Question, weight: f32, place: &BlockPlace<'_>, block: Block) -> Option<Candidate> {
    let hit = place.hit;
    let text = |range: &Range<usize>| hit.text.get(range.clone()).unwrap_or("");
    let (core, head, lead) = (text(&block.core), text(&block.head), text(&block.lead));
    let prose = matches!(block.form, Form::Text | Form::Item | Form::Quote);
    if prose && !block.introduces && is_empty_talk(core) {
        return None;
    }
    let own = term_set(&[core, lead]);
    let (last, others) = match hit.heading_path.split_last() {
        Some((last, others)) => (last.as_str(), others),
        None => (hit.title.as_str(), &[][..]),
    };
    let near = term_set(&[head, last]);
    let shown: Vec<&str> = block.shown.iter().map(|s| text(&s.span)).collect();
    let shown_terms = term_set(&shown);
    // A pronoun that nothing quoted stands before stands for the heading; where there is none, for nothing.
    let leans = block.shown.first().is_some_and(|s| matches!(s.form, Form::Text | Form::Item | Form::Quote) && leans_back(text(&s.span)));
    if leans && last.is_empty() {
        return None;
    }
    let heading = if !leans && (asks(last) || terms(last).iter().all(|(t, _)| shown_terms.contains(t))) { "" } else { last };
    let far = headings_of(others, hit);
    let mut sums = [0.0_f32; 3];
    let mut credits = Vec::with_capacity(question.terms.len());
    for t in &question.terms {
        let of = [credit(t, &own), credit(t, &near), credit(t, &far)];
        sums[0] += t.weight * of[0];
        // What the block says itself is no merit of its headings.
        sums[1] += t.weight * (of[1] - of[0]).max(0.0);
        // Nor is what is quoted with it, which still tells that it stands in the right place.
        sums[2] += t.weight * (credit(t, &shown_terms) - of[0]).max(0.0);
        credits.push(of.into_iter().fold(0.0, f32::max));
    }
    let asked = |term: &String| question.terms.iter().any(|t| t.is(term));
    let new = own.items().iter().filter(|t| !asked(t)).count();
    let agrees = |set: &Set<String>| set.items().iter().filter(|t| asked(t)).count() as f32 / set.items().len().max(1) as f32;
    let has_code = block.shown.iter().any(|s| s.form == Form::Code);
    let flag = |b: bool| f32::from(u8::from(b));
    let covered = question.terms.iter().zip(&credits).map(|(t, c)| t.weight * c).sum::<f32>() / weight;
    let named = named(question, &shown);
    let mut features = [
        0.0,
        sums[0] / weight,
        sums[1] / weight,
        place.share,
        flag(block.first),
        named,
        if question.kind == QuestionKind::Manner { named } else { 0.0 },
        flag(announces(core) && !block.introduces),
        flag(refers(core) || leans),
        flag(new < 3 && !has_code && block.form != Form::Table),
        (width(core) as f32 / 420.0).min(1.5),
        agrees(&near),
        sums[2] / weight,
        flag(question.kind == QuestionKind::Quantity && core.bytes().any(|b| b.is_ascii_digit())),
    ];
    features.iter_mut().filter(|f| !f.is_finite()).for_each(|f| *f = 0.0);
    let score = dot(&features, &BY_WORDS);
    let lacks_figure = question.kind == QuestionKind::Quantity && !shown.iter().any(|t| t.bytes().any(|b| b.is_ascii_digit()));
    let lacks_asked = question.asked_for.is_some_and(|asked| {
        // Every word of a heading may have a capital.
        let headings = [head, last].into_iter().filter(|_| asked == AskedFor::Time).map(|text| (text, Form::Text));
        let mut pieces = block.shown.iter().map(|s| (text(&s.span), s.form)).chain(headings);
        let known: Vec<String> = question.terms.iter().map(|t| fold(&t.word)).collect();
        !pieces.any(|(text, form)| asked.is_in(text, form, &|word| known.iter().any(|w| w == word)))
    });
    let speaks_of = |span: &Range<usize>| {
        let mut within = question.terms.iter().filter(|t| span.contains(&t.span.start)).peekable();
        within.peek().is_some().then(|| within.any(|t| [&own, &near, &shown_terms].iter().any(|set| credit(t, set) > 0.0)))
    };
    let lacks_described = question.described.as_ref().is_some_and(|d| {
        let mut asked = d.asked.iter().filter_map(speaks_of).peekable();
        speaks_of(&d.somebody) == Some(false) || asked.peek().is_some() && !asked.any(|spoken_of| spoken_of)
    });
    let headings = hit.heading_path.iter().map(String::as_str).rev().take(2).collect::<Vec<_>>();
    let mut embedded = hit.title.clone();
    for part in headings.into_iter().rev().chain([head, lead, core]).filter(|p| !p.trim().is_empty()) {
        embedded.push_str(if embedded.is_empty() { "" } else { "\n" });
        embedded.push_str(part.trim());
    }
    embedded.truncate(embedded.floor_char_boundary(EMBEDDED_BYTES));
    let heading = one_line(heading);
    Some(Candidate {
        hit: place.index,
        text: embedded,
        features,
        heading,
        shown: block.shown,
        more: block.more,
        score,
        covered,
        lacks_figure,
        lacks_asked: lacks_asked || lacks_described,
        credits,
    })
}

/// How far texts name something to write that the question does not: identifiers, options, paths, calls. 1 from three of them on.
fn named(question: &Question, texts: &[&str]) -> f32 {
    const MOST: usize = 3;
    let asked = |token: &str| question.terms.iter().any(|t| t.word.eq_ignore_ascii_case(token));
    let mut found: Vec<&str> = Vec::new();
    for token in texts.iter().flat_map(|t| t.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '“' | '”'))) {
        let token = token.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '\''));
        if found.len() < MOST && is_code(token) && !asked(token) && !found.contains(&token) {
            found.push(token);
        }
    }
    found.len() as f32 / MOST as f32
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Which model cosines are by: they lie in another range for each, and those of one that knows many languages say more than words do where a question has
/// other forms of them than the documents, or none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CosineScale {
    /// all-MiniLM-L6-v2, and any model for which no weights were fitted.
    MiniLm,
    /// multilingual-e5-small.
    E5,
}

impl CosineScale {
    /// That of a bundle's embedder.
    pub fn of(embedder: &str) -> CosineScale {
        if embedder == MULTILINGUAL { CosineScale::E5 } else { CosineScale::MiniLm }
    }

    /// Weights of blocks, weights of certainty, and the place of its thresholds.
    fn weights(self) -> (&'static [f32; FEATURES.len()], &'static [f32; CERTAINTY_FEATURES.len()], usize) {
        match self {
            CosineScale::MiniLm => (&BY_MEANING, &CERTAINTY, 0),
            CosineScale::E5 => (&BY_E5, &CERTAINTY_BY_E5, 2),
        }
    }
}

/// How near candidates are to their question.
#[derive(Debug, Clone, PartialEq)]
pub struct Cosines {
    /// Of each candidate, in their order; no number where one was not embedded.
    pub of: Vec<f32>,
    /// Which model they are by.
    pub model: CosineScale,
}

/// Picks what to quote, or nothing: by words alone where there are no cosines.
pub fn choose(question: &Question, hits: &[Hit], candidates: &[Candidate], cosines: Option<&Cosines>) -> Choice {
    let absent = absent(question, hits);
    let words = in_runs(absent.iter().map(|&i| &question.terms[i]).filter(|t| !t.doubtful));
    let weight = question.weight();
    if candidates.is_empty() || weight <= 0.0 {
        return Choice { absent: words, ..Choice::default() };
    }
    let cosine = |i: usize| cosines.and_then(|c| c.of.get(i)).copied().filter(|c| c.is_finite());
    // Where the question has a vector, what was not embedded was too far behind by words to be.
    let by_meaning = (0..candidates.len()).any(|i| cosine(i).is_some());
    let (of_blocks, of_certainty, thresholds) = match cosines.filter(|_| by_meaning) {
        Some(cosines) => cosines.model.weights(),
        None => (&BY_WORDS, &CERTAINTY_BY_WORDS, 1),
    };
    let score = |i: usize| match (by_meaning, cosine(i)) {
        (false, _) => candidates[i].score,
        (true, Some(c)) => dot(&candidates[i].features, of_blocks) + of_blocks[0] * c,
        (true, None) => f32::MIN,
    };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    sort_by(&mut order, |&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    let picked = match &question.sides {
        Some(sides) => of_sides(candidates, &order, sides),
        None => vec![order[0]],
    };
    let best = picked[0];
    let second = order.iter().copied().find(|&i| candidates[i].hit != candidates[best].hit);
    // Of a comparison, each side has its own block; the worse one decides.
    let worst = match &question.sides {
        Some((a, b)) => [a, b].map(|side| picked.iter().map(|&i| side_coverage(question, &candidates[i], side)).fold(0.0, f32::max)),
        None => [candidates[best].covered; 2],
    };
    let gone = |i: &usize| question.terms[*i].weight / weight;
    let grounds = [
        1.0,
        picked.iter().filter_map(|&i| cosine(i)).fold(0.0, f32::max),
        worst[0].min(worst[1]),
        candidates[best].features[1],
        absent.iter().map(gone).sum::<f32>(),
        absent.iter().map(gone).fold(0.0, f32::max),
        hits.iter().take(3).filter_map(|h| h.dense).filter(|d| d.is_finite()).fold(0.0, f32::max),
        second.filter(|_| score(best) > f32::MIN).map_or(0.0, |s| (score(best) - score(s).max(score(best) - 3.0)).clamp(0.0, 3.0)),
        1.0 / (question.terms.len() as f32).sqrt(),
        candidates[best].features[1] + candidates[best].features[BESIDE],
        f32::from(u8::from(picked.iter().all(|&i| candidates[i].lacks_figure))),
        candidates[best].features[NEAR],
    ];
    let sum = dot(&grounds, of_certainty);
    let certainty = 1.0 / (1.0 + elementary::exp(-f64::from(sum)) as f32);
    let in_one_place =
        |(a, b): &(Vec<usize>, Vec<usize>)| picked.iter().any(|&i| a.iter().chain(b).all(|&t| candidates[i].credits[t] >= 1.0));
    let apart = question.alternatives && !question.sides.as_ref().is_some_and(in_one_place);
    let lacking = apart || picked.iter().all(|&i| candidates[i].lacks_asked);
    let sureness = match certainty {
        c if c >= STATED_FROM[thresholds] && !lacking => Sureness::Stated,
        c if c >= CLOSEST_FROM[thresholds] => Sureness::Closest,
        _ => Sureness::Silent,
    };
    let picked = if sureness == Sureness::Silent { Vec::new() } else { picked };
    Choice { picked, sureness, certainty, grounds, absent: words }
}

/// The best block of each side of a comparison, if there is one rather one that does not name the other side.
fn of_sides(candidates: &[Candidate], order: &[usize], (a, b): &(Vec<usize>, Vec<usize>)) -> Vec<usize> {
    let names =
        |i: usize, side: &[usize], other: &[usize]| side.iter().filter(|t| !other.contains(t)).all(|&t| candidates[i].credits[t] >= 1.0);
    let best = |side: &[usize], other: &[usize]| {
        let mut named = order.iter().copied().filter(|&i| names(i, side, other));
        let first = named.clone().next();
        named.find(|&i| !names(i, other, side)).or(first)
    };
    match (best(a, b), best(b, a)) {
        (Some(a), Some(b)) if a != b => vec![a, b],
        (Some(both), Some(_)) => vec![both],
        _ => vec![order[0]],
    }
}

/// The share of one side's weight that a block covers.
fn side_coverage(question: &Question, candidate: &Candidate, side: &[usize]) -> f32 {
    let whole: f32 = side.iter().map(|&t| question.terms[t].weight).sum();
    let met: f32 = side.iter().map(|&t| question.terms[t].weight * candidate.credits[t]).sum();
    if whole > 0.0 { met / whole } else { 0.0 }
}

/// The terms of headings, of the page's title, and of its address, whose folders tell versions, products and platforms of one title apart.
fn headings_of(path: &[String], hit: &Hit) -> Set<String> {
    let address = hit.url.split(['?', '#']).next().unwrap_or_default();
    let place = address.split_once("://").map_or(address, |(_, rest)| rest.split_once('/').map_or("", |x| x.1));
    let mut texts = vec![&hit.title, place];
    texts.extend(path.iter().map(String::as_str));
    term_set(&texts)
}

fn term_set(texts: &[&str]) -> Set<String> {
    let mut all = Vec::new();
    for text in texts {
        for (term, _) in terms(text) {
            all.push(term);
        }
    }
    all.into_iter().collect()
}

fn credit(term: &QuestionTerm, set: &Set<String>) -> f32 {
    let forms = || std::iter::once(&term.term).chain(&term.forms);
    match forms().any(|form| set.contains(form)) {
        true => 1.0,
        false if forms().any(|form| shares_beginning(form, set)) => BEGINNING_CREDIT,
        false => 0.0,
    }
}

/// Whether a word of the set begins like the term: at least so many bytes, which are five letters of the Latin alphabet, and most of the longer word, as "creat" and
/// "creation" do. Letters of other alphabets take more bytes, and say more.
fn shares_beginning(term: &str, set: &Set<String>) -> bool {
    const BYTES: usize = 5;
    let start = &term[..term.ceil_char_boundary(BYTES)];
    if start.len() < BYTES || start.len() == term.len() && !term.is_ascii() {
        return false;
    }
    set.from(start).iter().take_while(|w| w.starts_with(start)).any(|w| {
        let same = term.bytes().zip(w.bytes()).take_while(|(a, b)| a == b).count();
        same * 10 >= term.len().max(w.len()) * 6
    })
}

/// Terms as the question has them, those that share characters or stand side by side without a space as one: pairs of letters are no words.
fn in_runs<'a>(terms: impl Iterator<Item = &'a QuestionTerm>) -> Vec<String> {
    let mut terms: Vec<&QuestionTerm> = terms.collect();
    sort_by(&mut terms, |a, b| a.span.start.cmp(&b.span.start).then(b.span.end.cmp(&a.span.end)));
    let mut out: Vec<(Range<usize>, String)> = Vec::new();
    for t in terms {
        match out.last_mut().filter(|(run, _)| t.span.start <= run.end) {
            Some((run, text)) => {
                text.push_str(t.word.get(run.end - t.span.start..).unwrap_or_default());
                run.end = run.end.max(t.span.end);
            }
            None => out.push((t.span.clone(), t.word.clone())),
        }
    }
    out.into_iter().map(|(_, text)| text).collect()
}

/// Terms that stand in no hit, neither in its text nor in its headings.
fn absent(question: &Question, hits: &[Hit]) -> Vec<usize> {
    let mut missing: Vec<usize> = (0..question.terms.len()).collect();
    for hit in hits {
        if missing.is_empty() {
            break;
        }
        let (headings, text) = (headings_of(&hit.heading_path, hit), term_set(&[&hit.text]));
        missing.retain(|&i| {
            let term = &question.terms[i];
            credit(term, &headings) + credit(term, &text) == 0.0
        });
    }
    missing
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
