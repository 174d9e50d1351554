//! An answer in the documents' own words.

use super::block::shown_text;
use super::extract::{Candidate, Choice, Sureness};
use super::notice::{Notice, NoticeCode};
use super::parts::ends_in;
use super::target::CitationTarget;
use super::types::{Answer, AnswerBlock, AnswerBy, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus, Outcome, Reference};
use crate::bundle::Form;
use crate::retrieve::{Hit, SearchResult, Span};
use std::ops::Range;

/// The answer without a language model: the block of the hits that answers best, quoted and cited; or the closest passage, shown as that; or the statement
/// that the documents do not say. `found` is what [`candidates`](super::candidates) listed for these hits, and `choice` what was made of it.
pub fn extractive(result: &SearchResult, options: &AskOptions, found: &[Candidate], choice: &Choice) -> Answer {
    let mut answer = Answer {
        text: String::new(),
        answered: choice.sureness == Sureness::Stated,
        outcome: match choice.sureness {
            Sureness::Stated => Outcome::Answer,
            Sureness::Closest => Outcome::Closest,
            Sureness::Silent => Outcome::NoAnswer,
        },
        blocks: Vec::new(),
        by: AnswerBy::Extraction,
        citations: Vec::new(),
        references: Vec::new(),
        truncated: None,
        partial: None,
        failure: None,
        sentences: Vec::new(),
        quotation: None,
        usage: None,
        warnings: Vec::new(),
    };
    // What is close may answer all the same: nobody knows that the documents do not say.
    match answer.outcome {
        Outcome::Answer => {}
        Outcome::Closest => answer.text.push_str(CLOSEST),
        Outcome::NoAnswer => answer.text.push_str(options.no_answer_text()),
    }
    for candidate in choice.picked.iter().filter_map(|&i| found.get(i)) {
        if let Some(hit) = result.hits.get(candidate.hit) {
            quote(&mut answer, candidate, hit);
        }
    }
    if !choice.absent.is_empty() && !result.hits.is_empty() {
        let quoted: Vec<String> = choice.absent.iter().map(|w| format!("“{w}”")).collect();
        answer.warnings.push(Notice::about(NoticeCode::Absent, quoted.join(", ")));
    }
    warn_of_missing(result, &mut answer.warnings);
    answer
}

/// Appends a candidate's blocks to an answer, and its citation behind them.
fn quote(answer: &mut Answer, candidate: &Candidate, hit: &Hit) {
    let number = match answer.references.iter().find(|r| r.chunk == hit.chunk) {
        Some(known) => known.number,
        None => {
            let number = answer.references.len() as u32 + 1;
            answer.references.push(reference(number, hit));
            number
        }
    };
    let mut blocks = blocks_of(candidate, hit, answer.citations.len() as u32);
    if let Some(last) = blocks.last_mut() {
        last.more = candidate.more;
    }
    let mut start = answer.text.len();
    for block in &blocks {
        if !answer.text.is_empty() {
            answer.text.push('\n');
        }
        write(&mut answer.text, block);
        if block.form == BlockForm::Text {
            start = mark(&mut answer.text, number);
        }
    }
    // A quotation without a sentence has its mark on a line of its own.
    if blocks.iter().all(|b| b.form != BlockForm::Text) {
        answer.text.push('\n');
        start = mark(&mut answer.text, number);
    }
    let covered = candidate.span();
    let end = answer.text[start..].find(']').map_or(start, |i| start + i + 1);
    answer.citations.push(Citation {
        number,
        target: Some(CitationTarget::Chunk { chunk: hit.chunk }),
        title: hit.title.clone(),
        heading_path: hit.heading_path.clone(),
        url: hit.url.clone(),
        quote: hit.text.get(covered.clone()).unwrap_or("").to_owned(),
        span: span(&covered),
        at: span(&(start..end)),
        status: CitationStatus::Verified,
    });
    answer.blocks.append(&mut blocks);
}

/// Appends the mark of a citation; where it begins.
fn mark(text: &mut String, number: u32) -> usize {
    if !text.ends_with('\n') {
        text.push(' ');
    }
    let start = text.len();
    text.push_str(&format!("[{number}]"));
    start
}

/// A block as plain text: sentences in quotation marks, code between fences, items with their marks.
fn write(out: &mut String, block: &AnswerBlock) {
    match block.form {
        BlockForm::Heading => {
            out.push_str(&block.text);
            out.push(':');
        }
        BlockForm::Text => {
            out.push('“');
            out.push_str(&block.text);
            out.push('”');
        }
        BlockForm::Code => {
            out.push_str("```");
            out.push_str(&block.language);
            out.push('\n');
            out.push_str(&block.text);
            out.push_str("\n```");
        }
        BlockForm::List | BlockForm::Table => out.push_str(&block.text),
    }
}

/// What a candidate shows, by form: items in a row are one list, rows one table.
fn blocks_of(candidate: &Candidate, hit: &Hit, citation: u32) -> Vec<AnswerBlock> {
    let mut out: Vec<AnswerBlock> = Vec::new();
    if !candidate.heading.is_empty() {
        let (form, text) = (BlockForm::Heading, candidate.heading.clone());
        out.push(AnswerBlock { form, text, language: String::new(), citation, span: span(&(0..0)), more: false });
    }
    for (i, shown) in candidate.shown.iter().enumerate() {
        let mut text = shown_text(&hit.text, shown);
        let form = match shown.form {
            Form::Heading | Form::Term => BlockForm::Heading,
            Form::Text if candidate.shown.len() > 1 && i == 0 && !ends_sentence(&text) => BlockForm::Heading,
            Form::Text | Form::Quote => BlockForm::Text,
            Form::Item => BlockForm::List,
            Form::Code => BlockForm::Code,
            Form::Table => BlockForm::Table,
        };
        if form == BlockForm::List {
            let mark = if shown.note.is_empty() { "-" } else { shown.note.as_str() };
            text = format!("{mark} {text}");
        }
        let joins = matches!(form, BlockForm::List | BlockForm::Table);
        match out.last_mut().filter(|last| joins && last.form == form) {
            Some(last) => {
                last.text.push('\n');
                last.text.push_str(&text);
                last.span.end = shown.span.end as u32;
            }
            None => {
                let language = if form == BlockForm::Code { shown.note.clone() } else { String::new() };
                out.push(AnswerBlock { form, text, language, citation, span: span(&shown.span), more: false });
            }
        }
    }
    out
}

fn ends_sentence(text: &str) -> bool {
    text.len() > 80 || ends_in(text, ".!?:;,…。！？：)\"”")
}

/// A byte range as a [`Span`]; texts here are far below 4 GiB, and a longer one saturates.
pub fn span(range: &Range<usize>) -> Span {
    let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span { start: cut(range.start), end: cut(range.end) }
}

/// The reference to a hit under a number.
pub fn reference(number: u32, hit: &Hit) -> Reference {
    Reference {
        number,
        chunk: hit.chunk,
        title: hit.title.clone(),
        language: hit.language.clone(),
        heading_path: hit.heading_path.clone(),
        url: hit.url.clone(),
    }
}

/// Adds the warning that tells which parts of the documents could not be loaded.
pub fn warn_of_missing(result: &SearchResult, warnings: &mut Vec<Notice>) {
    if !result.missing.is_empty() {
        warnings.push(Notice::about(NoticeCode::Missing, result.missing.join(", ")));
    }
}
