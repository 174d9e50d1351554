//! Yes or no: a clause decides a question only if it states or denies just what the question asks.

use super::candidates::{Candidate, credit, headings_of, term_set};
use super::choose::{Choice, Sureness, holds_numbers};
use super::parts::asks;
use super::question::{Question, QuestionTerm};
use crate::compact::Set;
use crate::retrieve::Hit;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, sentences, stem, words};
use pocketgraph_question::{asks_whether, is_be, is_denial};
use std::ops::Range;

/// Weight below which a word is in most passages: it names what the documents are about, and a sentence may
/// leave it out. Hand-set: a word in half of the passages weighs .69.
const TOPIC: f32 = 0.6;
/// Characters that end a clause.
const CLAUSE_ENDS: [char; 8] = ['.', ',', ';', ':', '(', ')', '–', '—'];

/// Decides a question for yes or no, if the first block that was chosen does. That block is then stated.
pub fn decide_question(
    text: &str,
    question: &Question,
    hits: &[Hit],
    candidates: &[Candidate],
    choice: &mut Choice,
) {
    let asked: Vec<String> = words(text).into_iter().map(|w| fold(w.text)).collect();
    let Some(first) = choice.picked.first().and_then(|&i| candidates.get(i)) else { return };
    let Some(hit) = hits.get(first.hit).filter(|hit| holds_numbers(question, hit)) else { return };
    choice.verdict = verdict_of(&asked, question, first.core(&hit.text), &headings_of(hit, &[]));
    if choice.verdict.is_some() {
        choice.sureness = Sureness::Stated;
    }
}

/// Returns true for yes and false for no if a clause of the text decides the question, and none the other
/// way. `asked` has all words of the question, and `headings` the terms of what is above the text.
fn verdict_of(asked: &[String], question: &Question, text: &str, headings: &Set<String>) -> Option<bool> {
    asks_whether(&asked.iter().map(String::as_str).collect::<Vec<_>>()).then_some(())?;
    let mut verdict = None;
    for sentence in sentences(text).into_iter().map(|at| &text[at]).filter(|sentence| !asks(sentence)) {
        let found = words(sentence);
        let mut ends = vec![0];
        for (at, pair) in found.windows(2).enumerate() {
            let between = &sentence[pair[0].span.end..pair[1].span.start];
            if between.contains(CLAUSE_ENDS) || is_marked(pair[1].text, "clause") {
                ends.push(at + 1);
            }
        }
        ends.push(found.len());
        let all: Vec<String> = found.into_iter().map(|w| fold(w.text)).collect();
        // As a whole, only what denies nothing.
        let whole = !all.iter().any(|w| is_denial(w));
        for at in ends.windows(2).map(|pair| pair[0]..pair[1]).chain(whole.then_some(0..all.len())) {
            let next = judge_clause(asked, question, headings, &all, at);
            if verdict.is_some() && next.is_some() && verdict != next {
                return None;
            }
            verdict = verdict.or(next);
        }
    }
    verdict
}

/// Returns the verdict of the clause at `at` in its sentence.
fn judge_clause(
    asked: &[String],
    question: &Question,
    headings: &Set<String>,
    sentence: &[String],
    at: Range<usize>,
) -> Option<bool> {
    let (before, clause) = (&sentence[..at.start], &sentence[at]);
    let names_subject = !is_marked(asked.get(1)?, "pronoun");
    let is_asked = |w: &String| question.terms.iter().any(|t| represents(w, t));
    let (mut places, mut matched, mut continues, mut has_subject) = (Vec::new(), 0, false, true);
    // The verb that opens the question says what is asked of the others.
    let terms = question.terms.iter().filter(|t| asked.first().is_none_or(|verb| fold(&t.word) != *verb));
    for (i, term) in terms.enumerate() {
        let lies = |w: &String| represents(w, term);
        if let Some(at) = clause.iter().position(lies) {
            places.push(at);
            matched += usize::from(term.weight >= TOPIC);
        } else if places.is_empty() && before.iter().any(lies) {
            continues = true;
        } else if term.weight >= TOPIC && credit(term, headings) == 0.0 {
            return None;
        } else if i == 0 {
            has_subject = false;
        }
    }
    let is_about = if has_subject {
        !names_subject || places.is_sorted()
    } else {
        clause.iter().find(is_content).is_some_and(is_asked)
    };
    let says_enough = matched > 1 || matched == 1 && !names_subject && clause.contains(&asked[1]);
    let differs = |a: &[String], b: &[String], mark| exceeds_others(a, b, mark) || exceeds_others(b, a, mark);
    // What is asked to be so is stated to be so: "lock the lid" says nothing of what is locked.
    let is_be = |w: &String| is_be(w.trim_end_matches("n't").trim_end_matches("n’t"));
    if !is_about
        || !says_enough
        || is_be(&asked[0]) && !clause.iter().any(is_be)
        || differs(clause, asked, "part")
        || differs(sentence, asked, "condition")
        || !has_marked(asked, "modal") && has_marked(asked, "due") != has_marked(clause, "due")
    {
        return None;
    }
    if let Some(denial) = clause.iter().position(|w| is_denial(w)) {
        // What stands behind a denial is denied.
        let denies = clause[denial..].iter().find(is_content).is_some_and(is_asked);
        return (denies && !asked.iter().any(|w| is_denial(w)) && !exceeds_others(clause, asked, "whole"))
            .then_some(false);
    }
    let is_possible =
        has_marked(clause, "modal") && !has_marked(asked, "modal") && !has_marked(asked, "able");
    let is_denied = continues && before.iter().any(|w| is_denial(w));
    (!is_possible && !is_denied && !exceeds_others(asked, clause, "whole")).then_some(true)
}

fn is_content(word: &&String) -> bool {
    !is_stop_word(word) && !is_marked(word, "degree") && !is_denial(word)
}

fn represents(word: &str, term: &QuestionTerm) -> bool {
    credit(term, &term_set(&[word])) > 0.0 || is_marked(&term.word, "able") && is_marked(word, "able")
}

fn is_marked(word: &str, mark: &'static str) -> bool {
    SPOKEN.qualifiers().has(&stem(&fold(word)), mark)
}

fn has_marked(words: &[String], mark: &'static str) -> bool {
    words.iter().any(|w| is_marked(w, mark))
}

/// Returns true if one of the words is marked so and the others lack it.
fn exceeds_others(words: &[String], others: &[String], mark: &'static str) -> bool {
    words.iter().any(|w| is_marked(w, mark) && !others.contains(w))
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
