//! Whether a text has the form that a question asks for.

use super::question::{Question, QuestionKind};
use crate::compact::Set;
use crate::text::{fold, is_stop_word, terms, words};

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
pub(super) fn cue(question: &Question, text: &str, own: &Set<String>) -> f32 {
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
