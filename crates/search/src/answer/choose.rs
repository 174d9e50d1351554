//! Which blocks answer, and how sure that is.
//!
//! One linear model over [`FEATURES`](super::FEATURES) weighs the blocks against each other and against there
//! being no answer. Its weights are in `weights.rs`.

use super::candidates::{self, Candidate, credit, has_digit, headings_of, page_of, term_set};
use super::question::{Question, QuestionKind, QuestionTerm};
use super::weights::{
    BY_MEANING, BY_WORDS, CLOSEST_FROM, IN_MANY_LANGUAGES, SECOND_FROM, STATED_FROM, WEIGHTS,
};
use crate::compact::sort_by;
use crate::elementary;
use crate::embed::MULTILINGUAL;
use crate::retrieve::Hit;
use crate::text::words;
use crate::vector::dot_f32;
use std::ops::Range;

/// The place of late interaction in [`FEATURES`](super::FEATURES).
const LATE: usize = 1;
/// The place of the cosine there.
const COSINE: usize = 2;
/// The place of the heading's cosine there.
const HEADING: usize = 3;

/// Degree of certainty of an answer.
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

/// The result of [`choose_blocks`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The candidates to quote, best first; for a comparison by side. Empty: nothing near enough was found.
    pub picked: Vec<usize>,
    /// Degree of certainty.
    pub sureness: Sureness,
    /// Probability that the picked blocks answer, 0 to 1, as fitted.
    pub certainty: f32,
    /// Probability of each candidate, in their order, that it answers; with the chance of no answer they sum
    /// to 1.
    pub likely: Vec<f32>,
    /// Yes or no, where [`decide_question`](super::decide_question) found that the first block says so.
    pub verdict: Option<bool>,
    /// Words of the question that no hit holds, as the question has them.
    pub absent: Vec<String>,
}

/// Similarity of a block and the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Late interaction of the question with it.
    pub late: f32,
    /// Cosine of their vectors.
    pub cosine: f32,
    /// Cosine of the question's vector and that of the heading above the block.
    pub heading: f32,
}

/// Similarity of candidates and their question.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Similarity of the first candidates, in their order; `None` for one that could not be read. By a model of
    /// many languages it is relative: see [`relate`].
    pub of: Vec<Option<Nearness>>,
    /// Place in [`WEIGHTS`] of those for the model that read them.
    how: usize,
}

impl Meaning {
    /// Takes what a bundle's embedder tells of the first `candidates`.
    pub fn new(embedder: &str, of: Vec<Option<Nearness>>, candidates: &[Candidate]) -> Meaning {
        match embedder == MULTILINGUAL {
            true => Meaning { of: relate(&of, candidates), how: IN_MANY_LANGUAGES },
            false => Meaning { of, how: BY_MEANING },
        }
    }

    /// Returns how near a candidate is.
    fn at(&self, i: usize) -> Option<Nearness> {
        (*self.of.get(i)?).filter(|n| n.late.is_finite() && n.cosine.is_finite() && n.heading.is_finite())
    }
}

/// Returns by how much each candidate is nearer to the question than those of other passages are on average, in
/// tenths, so that it is about as large as other features; 0 where there is no other passage. How near any
/// passage is to any question differs more between languages than between right and wrong answers of one.
fn relate(of: &[Option<Nearness>], candidates: &[Candidate]) -> Vec<Option<Nearness>> {
    let each = || of.iter().zip(candidates);
    each()
        .map(|(near, candidate)| {
            let near = (*near)?;
            let others: Vec<Nearness> =
                each().filter_map(|(n, c)| n.filter(|_| c.hit != candidate.hit)).collect();
            let tenths = |value: fn(&Nearness) -> f32| {
                let sum: f32 = others.iter().map(|other| value(&near) - value(other)).sum();
                10.0 * sum / others.len().max(1) as f32
            };
            Some(Nearness { late: tenths(|n| n.late), cosine: tenths(|n| n.cosine), ..near })
        })
        .collect()
}

/// Picks what to quote, or nothing: by words alone where nothing is known of meaning.
pub fn choose_blocks(
    question: &Question,
    hits: &[Hit],
    candidates: &[Candidate],
    meaning: Option<&Meaning>,
) -> Choice {
    let mut absent = candidates::absent(question, hits);
    absent.retain(|t| !t.asks);
    // Where the question has states, what was not read was too far behind by words to be.
    let read = |i: usize| meaning.and_then(|m| m.at(i));
    let how =
        meaning.filter(|_| (0..candidates.len()).any(|i| read(i).is_some())).map_or(BY_WORDS, |m| m.how);
    let mut each = vec![0.0; candidates.len()];
    for (i, (likelihood, candidate)) in each.iter_mut().zip(candidates).enumerate() {
        let mut features = candidate.features;
        if let Some(n) = read(i) {
            (features[LATE], features[COSINE], features[HEADING]) = (n.late, n.cosine, n.heading);
        } else if how != BY_WORDS {
            continue;
        }
        // Odds against the odds 1 of no answer.
        let score = dot_f32(&features, &WEIGHTS[how]).clamp(-30.0, 30.0);
        *likelihood = elementary::exp(f64::from(score)) as f32;
    }
    let all = 1.0 + each.iter().sum::<f32>();
    each.iter_mut().for_each(|likelihood| *likelihood /= all);
    let mut picked = pick_blocks(question, candidates, &each);
    let certainty = sum_of(candidates, &each, |c| picked.iter().any(|&i| candidates[i].hit == c.hit));
    let numbers_held = picked.iter().any(|&i| holds_numbers(question, &hits[candidates[i].hit]));
    let sureness = match certainty {
        c if c >= STATED_FROM[how] && numbers_held => Sureness::Stated,
        c if c >= CLOSEST_FROM[how] && !absent.iter().any(|t| has_digit(t)) => Sureness::Closest,
        _ => Sureness::Silent,
    };
    begin_list(hits, candidates, &mut picked);
    if sureness == Sureness::Silent {
        picked.clear();
    }
    Choice { picked, sureness, certainty, likely: each, verdict: None, absent: in_runs(absent) }
}

/// Returns true if a passage holds every year, version, code or other number of the question. A passage with
/// another number answers another question.
pub(super) fn holds_numbers(question: &Question, hit: &Hit) -> bool {
    let all = headings_of(hit, &[&hit.text]);
    question.terms.iter().filter(|t| has_digit(t)).all(|t| all.contains(&t.term))
}

/// Returns the best block of the likeliest passage, and a second one that is nearly as likely, of another
/// passage or another section of it. Of a comparison, only blocks that name both sides, or else the best of
/// each.
fn pick_blocks(question: &Question, candidates: &[Candidate], each: &[f32]) -> Vec<usize> {
    let names = |i: usize, side: &[usize], other: &[usize]| {
        side.iter().filter(|t| !other.contains(t)).all(|&t| candidates[i].credits[t] >= 1.0)
    };
    let of = |i: usize| sum_of(candidates, each, |c| c.hit == candidates[i].hit);
    let mut order: Vec<usize> = (0..each.len()).filter(|&i| each[i] > 0.0).collect();
    sort_by(&mut order, |&a, &b| each[b].total_cmp(&each[a]));
    let mut out = Vec::new();
    if let Some((a, b)) = &question.sides {
        if order.iter().any(|&i| names(i, a, b) && names(i, b, a)) {
            order.retain(|&i| names(i, a, b) && names(i, b, a));
        } else {
            for (side, other) in [(a, b), (b, a)] {
                out.extend(order.iter().copied().find(|&i| names(i, side, other)));
            }
        }
    }
    if out.is_empty() && !order.is_empty() {
        // Stable: the blocks of a passage keep their order.
        sort_by(&mut order, |&a, &b| of(b).total_cmp(&of(a)));
        let first = order[0];
        out.push(first);
        out.extend(order.iter().copied().find(|&i| match candidates[i].hit == candidates[first].hit {
            true => !candidates[i].shares_section(&candidates[first]) && each[i] >= SECOND_FROM * each[first],
            false => of(i) >= SECOND_FROM * of(first),
        }));
    }
    out
}

/// Puts first what begins the list that the first one picked goes on with: the end of another passage of its
/// section.
fn begin_list(hits: &[Hit], candidates: &[Candidate], picked: &mut Vec<usize>) {
    let place = |c: &Candidate| (&hits[c.hit].url, &hits[c.hit].heading_path);
    if let Some(first) = picked.first().map(|&i| &candidates[i]).filter(|c| c.block.goes_on())
        && let Some(before) = candidates
            .iter()
            .position(|c| c.block.ends_list() && c.hit != first.hit && place(c) == place(first))
    {
        picked.retain(|&i| candidates[i].hit != candidates[before].hit);
        picked.insert(0, before);
    }
}

/// Picks the numbered sections of the section that says all of a "How do I …?", from the first one on, if the
/// first block is of one of them, or is what stands before them.
pub fn list_steps(question: &Question, hits: &[Hit], candidates: &[Candidate], picked: &mut Vec<usize>) {
    let Some(hit) = picked.first().map(|&i| &hits[candidates[i].hit]) else { return };
    let is_step = step_number(hit).is_some();
    let above = &hit.heading_path[..hit.heading_path.len() - usize::from(is_step)];
    let named = term_set(&[&hit.title, above.last().map_or("", String::as_str)]);
    if question.kind != QuestionKind::Manner
        || question.terms.iter().any(|t| !t.asks && credit(t, &named) == 0.0)
    {
        return;
    }
    let mut steps = Vec::new();
    let find = |number| {
        candidates.iter().position(|c| {
            let of = &hits[c.hit];
            step_number(of) == Some(number)
                && page_of(of) == page_of(hit)
                && of.heading_path[..of.heading_path.len() - 1] == *above
        })
    };
    while let Some(step) = find(steps.len()) {
        steps.push(step);
    }
    if steps.len() > 1 {
        picked.truncate(usize::from(!is_step));
        picked.append(&mut steps);
    }
}

/// Returns the digit that the first or second word of a passage's heading is, less one: 1 for "Step 2: Pay".
fn step_number(hit: &Hit) -> Option<usize> {
    words(hit.heading_path.last()?).iter().take(2).find_map(|w| match w.text.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(usize::from(digit - b'1')),
        _ => None,
    })
}

/// Returns the probability that one of some blocks answers.
fn sum_of(candidates: &[Candidate], each: &[f32], is_one: impl Fn(&Candidate) -> bool) -> f32 {
    candidates.iter().zip(each).filter(|(c, _)| is_one(c)).map(|(_, likelihood)| likelihood).sum()
}

/// Terms as the question has them, those that share characters or stand side by side without a space as one:
/// pairs of letters are no words.
fn in_runs(mut terms: Vec<&QuestionTerm>) -> Vec<String> {
    terms.retain(|t| !t.doubtful);
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
