//! Which blocks answer, and how sure that is.
//!
//! One linear model over [`FEATURES`](super::FEATURES) weighs the blocks against each other and against there being no answer. It is fitted by `tuning/answers.py` with sites held
//! out.

use super::candidates::{Candidate, absent, dot, has_digit, headings_of};
use super::question::{Question, QuestionTerm};
use super::weights::{BY_MEANING, BY_WORDS, CLOSEST_FROM, SECOND_FROM, STATED_FROM};
use crate::compact::{Set, sort_by};
use crate::elementary;
use crate::embed::MULTILINGUAL;
use crate::retrieve::Hit;
use std::ops::Range;

/// The place of late interaction in [`FEATURES`](super::FEATURES).
const LATE: usize = 1;
/// The place of the cosine there.
const COSINE: usize = 2;

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sureness {
    /// It is stated.
    Stated,
    /// It is shown as the passage that is closest, not as an answer.
    Closest,
    /// Nothing near enough was found.
    #[default]
    Silent,
}

/// What [`choose`] decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The candidates to quote, best first; for a comparison by side. Empty: nothing near enough was found.
    pub picked: Vec<usize>,
    /// How sure that is.
    pub sureness: Sureness,
    /// How likely it is that what is picked answers, 0 to 1, as fitted.
    pub certainty: f32,
    /// How likely each candidate is to answer, in their order, beside the others.
    pub likely: Vec<f32>,
    /// Words of the question that no hit holds, as the question has them.
    pub absent: Vec<String>,
}

/// How near a block is to the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Late interaction of the question with it.
    pub late: f32,
    /// Cosine of their vectors.
    pub cosine: f32,
}

/// How near candidates are to their question.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Of each candidate, in their order; none where one was not read.
    pub of: Vec<Option<Nearness>>,
    /// What a text reaches that has nothing to do with the question, by the model that read them.
    floor: f32,
}

impl Meaning {
    /// From what a bundle's embedder tells.
    pub fn new(embedder: &str, of: Vec<Option<Nearness>>) -> Meaning {
        Meaning { of, floor: if embedder == MULTILINGUAL { MULTILINGUAL_FLOOR } else { 0.0 } }
    }

    /// How near a candidate is, where 1 is the same and 0 has nothing to do with it.
    fn at(&self, i: usize) -> Option<Nearness> {
        let over = |x: f32| (x - self.floor) / (1.0 - self.floor);
        self.of
            .get(i)
            .copied()
            .flatten()
            .map(|n| Nearness { late: over(n.late), cosine: over(n.cosine) })
            .filter(|n| n.late.is_finite() && n.cosine.is_finite())
    }
}

/// What multilingual-e5-small's cosines hardly fall below.
const MULTILINGUAL_FLOOR: f32 = 0.7;

/// Picks what to quote, or nothing: by words alone where nothing is known of meaning.
pub fn choose(question: &Question, hits: &[Hit], candidates: &[Candidate], meaning: Option<&Meaning>) -> Choice {
    let absent = absent(question, hits);
    let words = in_runs(absent.iter().map(|&i| &question.terms[i]).filter(|t| !t.doubtful));
    // Where the question has states, what was not read was too far behind by words to be.
    let read = |i: usize| meaning.and_then(|m| m.at(i));
    let by_meaning = (0..candidates.len()).any(|i| read(i).is_some());
    let weights = if by_meaning { &BY_MEANING } else { &BY_WORDS };
    let score = |i: usize| {
        let mut features = candidates[i].features;
        if let Some(n) = read(i) {
            (features[LATE], features[COSINE]) = (n.late, n.cosine);
        }
        dot(&features, weights)
    };
    let mut scored: Vec<(usize, f32)> =
        (0..candidates.len()).filter(|&i| !by_meaning || read(i).is_some()).map(|i| (i, score(i))).collect();
    sort_by(&mut scored, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let Some(&(best, _)) = scored.first() else { return Choice { absent: words, ..Choice::default() } };
    let likely = |s: f32| elementary::exp(f64::from(s.clamp(-30.0, 30.0))) as f32;
    let all: f32 = 1.0 + scored.iter().map(|s| likely(s.1)).sum::<f32>();
    let of_hit = |hit: usize| scored.iter().filter(|s| candidates[s.0].hit == hit).map(|s| likely(s.1)).sum::<f32>() / all;
    let picked: Vec<usize> = match &question.sides {
        Some(sides) => of_sides(candidates, &scored, sides),
        None => {
            let least = SECOND_FROM * of_hit(candidates[best].hit);
            let is_near = |&i: &usize| candidates[i].hit != candidates[best].hit && of_hit(candidates[i].hit) >= least;
            let second = scored.iter().map(|s| s.0).find(is_near);
            std::iter::once(best).chain(second).collect()
        }
    };
    let shown: Set<usize> = picked.iter().map(|&i| candidates[i].hit).collect();
    let certainty = shown.items().iter().map(|&hit| of_hit(hit)).sum();
    let how = usize::from(!by_meaning);
    let numbers_held = picked.iter().any(|&i| holds_numbers(question, &hits[candidates[i].hit]));
    let sureness = match certainty {
        c if c >= STATED_FROM[how] && numbers_held => Sureness::Stated,
        c if c >= CLOSEST_FROM[how] && !absent.iter().any(|&i| has_digit(&question.terms[i])) => Sureness::Closest,
        _ => Sureness::Silent,
    };
    let picked = if sureness == Sureness::Silent { Vec::new() } else { picked };
    let mut each = vec![0.0; candidates.len()];
    scored.iter().for_each(|&(i, s)| each[i] = likely(s) / all);
    Choice { picked, sureness, certainty, likely: each, absent: words }
}

/// Whether a passage holds every year, version, code or other number of the question: another one answers another question.
fn holds_numbers(question: &Question, hit: &Hit) -> bool {
    let mut numbers = question.terms.iter().filter(|t| has_digit(t)).peekable();
    numbers.peek().is_none() || {
        let all = headings_of(hit, &[&hit.text]);
        numbers.all(|t| all.contains(&t.term))
    }
}

/// The best block that names both sides of a comparison, or else the best of each side.
fn of_sides(candidates: &[Candidate], scored: &[(usize, f32)], (a, b): &(Vec<usize>, Vec<usize>)) -> Vec<usize> {
    let names =
        |i: usize, side: &[usize], other: &[usize]| side.iter().filter(|t| !other.contains(t)).all(|&t| candidates[i].credits[t] >= 1.0);
    let order = || scored.iter().map(|s| s.0);
    if let Some(both) = order().find(|&i| names(i, a, b) && names(i, b, a)) {
        return vec![both];
    }
    let sides: Vec<usize> = [(a, b), (b, a)].into_iter().filter_map(|(side, other)| order().find(|&i| names(i, side, other))).collect();
    if sides.is_empty() { order().take(1).collect() } else { sides }
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

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;
