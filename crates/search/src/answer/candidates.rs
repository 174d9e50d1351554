//! What could be quoted from the hits, with what is known of each block.

use super::block::{Block, Excerpt, blocks};
use super::features::FEATURES;
use super::question::{Question, QuestionKind, QuestionTerm};
use super::weights::{BY_WORDS, WEIGHTS};
use crate::bundle::Layout;
use crate::compact::{Map, Set, sort_by};
use crate::retrieve::Hit;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, terms, words};
use crate::vector::dot_f32;
use std::ops::Range;

/// The most candidates that are kept.
pub const MAX_CANDIDATES: usize = 96;
/// Only the first hits are quoted from.
const QUOTED_HITS: usize = 6;
/// Credit of a word that only shares its beginning with a question's term, 0 to 1.
const BEGINNING_CREDIT: f32 = 0.5;
/// Least likelihood, as a part of the answer's, from which a neighbouring block is shown too.
const ADDS: f32 = 0.1;
/// The place in [`FEATURES`] of the share of the question's terms that a block has.
const COVERED: usize = 4;
/// The place there of whether it lacks the figure that is asked for.
const FIGURELESS: usize = 8;
/// Characters of a block that are read with its headings.
const READ_BYTES: usize = 600;

/// A block that could be quoted.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Index of its hit.
    pub hit: usize,
    /// Text for readers: headings, the heads above the block, and the block.
    pub text: String,
    /// Features in the order of [`FEATURES`]; those of meaning are 0 until
    /// [`choose_blocks`](super::choose_blocks) sets them.
    pub features: [f32; FEATURES.len()],
    /// Its score by words alone; larger is better.
    pub score: f32,
    pub(super) block: Block,
    /// True if it has a word of the question itself.
    worded: bool,
    /// Number of the question's years, versions, codes and other numbers that it has itself.
    numbers: usize,
    /// True if all of its section is the answer, as to "How do I …?".
    pub(super) whole: bool,
    /// Members of its section that a label of the question's own words covers, the only ones then to be
    /// shown.
    named: Option<Range<usize>>,
    /// Credit of each term of the question here and in its headings, 0 to 1.
    pub(super) credits: Vec<f32>,
}

impl Candidate {
    /// The part of its section that is shown of about so wide a one, given how likely each of the `found` is
    /// to answer.
    pub(super) fn excerpt(&self, text: &str, room: usize, found: &[Candidate], likely: &[f32]) -> Excerpt {
        let of = |c: &Candidate| {
            found.iter().position(|f| std::ptr::eq(f, c)).and_then(|i| likely.get(i)).copied().unwrap_or(0.0)
        };
        let least = ADDS * of(self);
        // Of what was not read, words tell.
        let informs = |other: &Candidate| of(other) > least || of(other) == 0.0 && other.worded;
        // What has another number than the question's tells of something else.
        let has = |other: &Candidate, member| {
            other.numbers >= self.numbers
                && other.shares_section(self)
                && other.block.members().contains(&member)
        };
        let is_open = |member: usize| self.named.as_ref().is_none_or(|part| part.contains(&member));
        let adds = |member: usize| {
            is_open(member) && (self.whole || found.iter().any(|other| has(other, member) && informs(other)))
        };
        self.block.excerpt(text, room, &adds)
    }

    /// Returns true if both are part of one section of one hit.
    pub fn shares_section(&self, other: &Candidate) -> bool {
        self.block.shares_section(&other.block)
    }

    /// The block's own text, from that of its hit.
    pub fn core<'t>(&self, text: &'t str) -> &'t str {
        self.block.core_text(text)
    }
}

/// Returns the blocks that could be quoted from the hits, best first by words, at most [`MAX_CANDIDATES`].
/// `layouts` has the forms of chunks' blocks, where they are known.
pub fn candidates(question: &Question, hits: &[Hit], layouts: &Map<u32, Layout>) -> Vec<Candidate> {
    let (mut weight, mut absent_weight) = (question.weight(), 0.0);
    for term in absent(question, hits) {
        if term.asks {
            weight -= term.weight;
        } else {
            absent_weight += term.weight;
        }
    }
    // What is left of a sum may be a rounding error.
    if weight <= 1e-3 {
        return Vec::new();
    }
    let top = hits.iter().map(|h| h.score).fold(0.0_f32, f32::max);
    let mut out = Vec::new();
    for (index, hit) in hits.iter().enumerate().take(QUOTED_HITS) {
        // What is no number is less than any: a share without one is 0.
        let share = (hit.score / top).clamp(0.0, 1.0).max(0.0);
        let place = 1.0 / (1.0 + index as f32);
        for (number, block) in blocks(&hit.text, layouts.get(&hit.chunk)).into_iter().enumerate() {
            let first = f32::from(number == 0);
            let features = [
                1.0,
                0.0,
                0.0,
                0.0,
                0.0,
                place,
                share,
                absent_weight / weight,
                0.0,
                first,
                question.rarest / 5.0,
            ];
            out.push(candidate(question, (index, hit), block, weight, features));
        }
    }
    sort_by(&mut out, |a, b| b.score.total_cmp(&a.score));
    out.truncate(MAX_CANDIDATES);
    out
}

/// Returns a block of the hit at `index` as a candidate, by the weight of the question's terms that count and
/// the features that its text does not tell.
fn candidate(
    question: &Question,
    (index, hit): (usize, &Hit),
    block: Block,
    weight: f32,
    mut features: [f32; FEATURES.len()],
) -> Candidate {
    let (core, head, lead) =
        (block.core_text(&hit.text), block.head_text(&hit.text), block.lead_text(&hit.text));
    let (own, around) = (term_set(&[core, lead]), headings_of(hit, &[head]));
    let (mut worded, mut covered) = (false, 0.0);
    let mut credits = Vec::with_capacity(question.terms.len());
    for t in &question.terms {
        let credit = [credit(t, &own), credit(t, &around)];
        worded |= t.weight * credit[0] > 0.0;
        let best = credit[0].max(credit[1]);
        credits.push(best);
        covered += t.weight * best;
    }
    // "How do I … on Linux?", asked of a part that is labelled so: the other parts are about something else.
    let named = block.labelled(&hit.text).filter(|(label, _)| {
        let label = term_set(&[label]);
        question.terms.iter().any(|t| credit(t, &label) >= 1.0 && credit(t, &around) == 0.0)
    });
    let (named, whole) = (named.map(|(_, part)| part), question.kind == QuestionKind::Manner);
    let numbers = question.terms.iter().filter(|t| has_digit(t) && own.contains(&t.term)).count();
    features[COVERED] = covered / weight;
    features[FIGURELESS] = f32::from(question.kind == QuestionKind::Quantity && !holds_figure(core));
    let score = dot_f32(&features, &WEIGHTS[BY_WORDS]);
    let above = &hit.heading_path[hit.heading_path.len().saturating_sub(2)..];
    let mut text = hit.title.clone();
    for part in above.iter().map(String::as_str).chain([head, lead, core]).filter(|p| !p.trim().is_empty()) {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(part.trim());
    }
    text.truncate(text.floor_char_boundary(READ_BYTES));
    Candidate { hit: index, text, features, score, block, worded, numbers, whole, named, credits }
}

/// Returns true if a text holds a number, a date or a time, in figures or in words.
fn holds_figure(text: &str) -> bool {
    let in_words = |word: &str| {
        let word = fold(word);
        let is_time = |word: &str| SPOKEN.times().contains(word);
        SPOKEN.numbers().contains(&word)
            || SPOKEN.months().contains(&word)
            || is_time(&word)
            || word.strip_suffix('s').is_some_and(is_time)
    };
    text.contains(char::is_numeric) || words(text).iter().any(|w| in_words(w.text))
}

/// The terms of headings, of the page's title, and of its address, whose folders tell versions, products and
/// platforms of one title apart.
pub(super) fn headings_of(hit: &Hit, others: &[&str]) -> Set<String> {
    let address = page_of(hit);
    let place =
        address.split_once("://").map_or(address, |(_, rest)| rest.split_once('/').map_or("", |x| x.1));
    let mut texts = vec![&hit.title, place];
    texts.extend(hit.heading_path.iter().map(String::as_str));
    texts.extend(others);
    term_set(&texts)
}

/// The address of a passage's page.
pub(super) fn page_of(hit: &Hit) -> &str {
    hit.url.split(['?', '#']).next().unwrap_or_default()
}

/// The index terms of some texts.
pub fn term_set(texts: &[&str]) -> Set<String> {
    let mut all = Vec::new();
    for text in texts {
        for (term, _) in terms(text) {
            all.push(term);
        }
    }
    all.into_iter().collect()
}

pub(super) fn credit(term: &QuestionTerm, set: &Set<String>) -> f32 {
    let forms = || std::iter::once(&term.term).chain(&term.forms);
    match forms().any(|form| set.contains(form)) {
        true => 1.0,
        // Another number is no form of a number.
        false if !has_digit(term) && forms().any(|form| shares_beginning(form, set)) => BEGINNING_CREDIT,
        false => 0.0,
    }
}

/// Returns true if a term is a year, a version, a code or another number.
pub(super) fn has_digit(term: &QuestionTerm) -> bool {
    term.word.chars().any(char::is_numeric)
}

/// Returns true if a word of the set begins like the term. The common beginning has at least `BYTES` bytes
/// (five Latin letters) and 60 % of the longer word, as in "creat" and "creation". Letters of other alphabets
/// take more bytes and carry more meaning.
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

/// Terms that stand in no hit, neither in its text nor in its headings.
pub(super) fn absent<'q>(question: &'q Question, hits: &[Hit]) -> Vec<&'q QuestionTerm> {
    let mut missing = Vec::from_iter(&question.terms);
    for hit in hits {
        let all = headings_of(hit, &[&hit.text]);
        missing.retain(|t| credit(t, &all) == 0.0);
    }
    missing
}
