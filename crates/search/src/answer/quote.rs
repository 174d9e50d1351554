//! An answer in the documents' own words.

use super::extract::{candidates, choose};
use super::question::Question;
use super::types::{Answer, AnswerBy, AskOptions, Citation, CitationStatus, Reference};
use crate::retrieve::{Hit, SearchResult, Span};
use std::ops::Range;

/// The answer without a language model: up to three sentences of the hits, quoted and cited, or the statement that the documents do not say.
///
/// `cosines`, if the caller has embedded them, holds the similarity of each of [`candidates`]' sentences to the question, in their order for this
/// question and these hits.
pub fn extractive(question: &Question, result: &SearchResult, options: &AskOptions, cosines: Option<&[f32]>) -> Answer {
    let sentences = candidates(question, &result.hits);
    let choice = choose(question, &result.hits, &sentences, cosines);
    let mut answer = Answer {
        text: String::new(),
        answered: !choice.picked.is_empty(),
        by: AnswerBy::Extraction,
        citations: Vec::new(),
        references: Vec::new(),
        truncated: None,
        partial: None,
        failure: None,
        usage: None,
        warnings: Vec::new(),
    };
    for &index in &choice.picked {
        let sentence = &sentences[index];
        let hit = &result.hits[sentence.hit];
        let number = match answer.references.iter().find(|r| r.chunk == hit.chunk) {
            Some(known) => known.number,
            None => {
                let number = answer.references.len() as u32 + 1;
                answer.references.push(reference(number, hit));
                number
            }
        };
        if !answer.text.is_empty() {
            answer.text.push('\n');
        }
        answer.text.push_str(&format!("“{}” ", sentence.text));
        let start = answer.text.len();
        answer.text.push_str(&format!("[{number}]"));
        answer.citations.push(Citation {
            number,
            chunk: Some(hit.chunk),
            title: hit.title.clone(),
            heading_path: hit.heading_path.clone(),
            url: hit.url.clone(),
            quote: hit.text[sentence.span.clone()].to_owned(),
            span: span(&sentence.span),
            at: span(&(start..answer.text.len())),
            status: CitationStatus::Verified,
        });
    }
    if !answer.answered {
        answer.text = options.not_said().to_owned();
    }
    if !choice.absent.is_empty() && !result.hits.is_empty() {
        let quoted: Vec<String> = choice.absent.iter().map(|w| format!("“{w}”")).collect();
        answer.warnings.push(format!("No passage that was found mentions {}.", quoted.join(", ")));
    }
    warn_of_missing(result, &mut answer.warnings);
    answer
}

/// A byte range as a [`Span`]; texts here are far below 4 GiB, and a longer one saturates.
pub fn span(range: &Range<usize>) -> Span {
    let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span { start: cut(range.start), end: cut(range.end) }
}

/// The reference to a hit under a number.
pub fn reference(number: u32, hit: &Hit) -> Reference {
    Reference { number, chunk: hit.chunk, title: hit.title.clone(), heading_path: hit.heading_path.clone(), url: hit.url.clone() }
}

/// Adds the warning that tells which parts of the documents could not be loaded.
pub fn warn_of_missing(result: &SearchResult, warnings: &mut Vec<String>) {
    if !result.missing.is_empty() {
        warnings.push(format!("Parts of the documents could not be loaded: {}.", result.missing.join(", ")));
    }
}
