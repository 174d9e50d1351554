//! An answer in the documents' own words.

use super::block::{Excerpt, QuotedPiece, is_label};
use super::candidates::{Candidate, term_set};
use super::choose::{Choice, Sureness};
use super::notice::{Notice, NoticeCode};
use super::parts::asks;
use super::target::CitationTarget;
use super::types::{
    Answer, AnswerBlock, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus, NOTHING_NEAR, Outcome,
    Reference,
};
use crate::bundle::Form;
use crate::compact::Set;
use crate::retrieve::{Hit, SearchResult, Span};
use crate::text::one_line;
use std::ops::Range;

/// Approximate width of a quotation; a second one is shorter. More than two share both widths.
pub(super) const ROOM: usize = 700;
const SECOND_ROOM: usize = 300;

/// The answer without a language model: the section of the hits that answers best, quoted and cited; or the
/// closest passage, shown as that; or the statement that nothing near enough was found. `found` is what
/// [`candidates`](super::candidates) listed for these hits, and `choice` what was made of it.
pub fn quote_answer(
    result: &SearchResult,
    options: &AskOptions,
    found: &[Candidate],
    choice: &Choice,
) -> Answer {
    let mut answer = Answer {
        answered: choice.sureness == Sureness::Stated,
        // No more digits than the fit is good for, and than a replay of the same search can give again.
        certainty: Some((choice.certainty * 100.0).round() / 100.0),
        outcome: match choice.sureness {
            Sureness::Stated => Outcome::Answer,
            Sureness::Closest => Outcome::Closest,
            Sureness::Silent => Outcome::NoAnswer,
        },
        ..Answer::default()
    };
    match answer.outcome {
        Outcome::Answer => {}
        Outcome::Closest => answer.text.push_str(CLOSEST),
        Outcome::NoAnswer => answer.text.push_str(options.no_answer_text_or(NOTHING_NEAR)),
    }
    if let Some(yes) = choice.verdict {
        let text = if yes { "Yes" } else { "No" };
        answer.text.push_str(&format!("{text}:"));
        answer.blocks.push(heading_block(text.to_owned(), 0));
    }
    for (place, candidate) in choice.picked.iter().filter_map(|&i| found.get(i)).enumerate() {
        if let Some(hit) = result.hits.get(candidate.hit) {
            let room = match (choice.picked.len(), place) {
                (all @ 3.., _) => (ROOM + SECOND_ROOM) / all,
                (_, 0) => ROOM,
                _ => SECOND_ROOM,
            };
            let mut excerpt = candidate.excerpt(&hit.text, room, found, &choice.likely);
            // A list goes on where the one before it ended.
            if place > 0 && candidate.block.goes_on() {
                excerpt.pieces[0].follows_gap &= excerpt.pieces[0].span.start > 0;
            }
            append_quote(&mut answer, excerpt, hit);
        }
    }
    if !choice.absent.is_empty() && !result.hits.is_empty() {
        let quoted: Vec<String> = choice.absent.iter().map(|w| format!("“{w}”")).collect();
        answer.warnings.push(Notice::about(NoticeCode::Absent, quoted.join(", ")));
    }
    warn_of_missing(result, &mut answer.warnings);
    answer
}

/// Appends a part of a section, and its citation behind it.
pub(super) fn append_quote(answer: &mut Answer, excerpt: Excerpt, hit: &Hit) {
    let number = match answer.references.iter().find(|r| r.chunk == hit.chunk) {
        Some(known) => known.number,
        None => {
            let number = answer.references.len() as u32 + 1;
            answer.references.push(reference(number, hit));
            number
        }
    };
    let citation = answer.citations.len() as u32;
    let mut blocks = blocks_of(&excerpt.pieces, hit, citation);
    let text = quote_heading(hit, &term_set(&blocks.iter().map(|b| b.text.as_str()).collect::<Vec<_>>()));
    // One heading for what is quoted of one section.
    let is_known = |c: &Citation| c.url == hit.url && c.heading_path == hit.heading_path;
    if !text.is_empty() && !answer.citations.last().is_some_and(is_known) {
        blocks.insert(0, heading_block(text, citation));
    }
    if let Some(last) = blocks.last_mut() {
        last.more = excerpt.more;
    }
    write_blocks(&mut answer.text, &blocks);
    let start = answer.text.len();
    answer.text.push_str(&format!("[{number}]"));
    let covered =
        excerpt.pieces.first().zip(excerpt.pieces.last()).map_or(0..0, |(a, b)| a.span.start..b.span.end);
    answer.citations.push(Citation {
        number,
        target: Some(CitationTarget::Chunk { chunk: hit.chunk }),
        title: hit.title.clone(),
        heading_path: hit.heading_path.clone(),
        url: hit.url.clone(),
        holds: String::new(),
        quote: hit.text.get(covered.clone()).unwrap_or("").to_owned(),
        span: span(&covered),
        at: span(&(start..answer.text.len())),
        status: CitationStatus::Verified,
    });
    answer.blocks.append(&mut blocks);
}

/// Appends a quotation as plain text, in one pair of quotation marks where it begins with a sentence, with
/// what is left out marked.
fn write_blocks(out: &mut String, blocks: &[AnswerBlock]) {
    let mut open = false;
    for (i, block) in blocks.iter().enumerate() {
        if !out.is_empty() {
            out.push('\n');
        }
        let begins = blocks[..i].iter().all(|b| b.form == BlockForm::Heading);
        match block.form {
            BlockForm::Heading => out.push_str(&format!("{}:", block.text)),
            BlockForm::Code => out.push_str(&format!("```{}\n{}\n```", block.language, block.text)),
            BlockForm::Text if begins => {
                open = true;
                out.push_str(&format!("“{}", block.text));
            }
            BlockForm::Text | BlockForm::List | BlockForm::Table => out.push_str(&block.text),
        }
    }
    let Some(last) = blocks.last() else { return };
    if last.more {
        out.push_str(if last.form == BlockForm::Text { " …" } else { "\n…" });
    }
    // What is behind a fence or in a row is part of it.
    let alone = !last.more && matches!(last.form, BlockForm::Code | BlockForm::Table);
    out.push_str(match (open, alone) {
        (true, false) => "” ",
        (true, true) => "\n” ",
        (false, false) => " ",
        (false, true) => "\n",
    });
}

/// Pieces by form: items in a row are one list, rows one table.
fn blocks_of(pieces: &[QuotedPiece], hit: &Hit, citation: u32) -> Vec<AnswerBlock> {
    let mut out: Vec<AnswerBlock> = Vec::new();
    let mut add = |form: BlockForm, before: &str, piece: &QuotedPiece| {
        let of_lines = matches!(form, BlockForm::List | BlockForm::Table);
        let verbatim = hit.text.get(piece.span.clone()).unwrap_or("").trim_end();
        let joins = of_lines && out.last().is_some_and(|last| last.form == form);
        if !joins {
            let language = if form == BlockForm::Code { piece.note.clone() } else { String::new() };
            let span = span(&piece.span);
            out.push(AnswerBlock { form, language, span, ..heading_block(String::new(), citation) });
        }
        let Some(block) = out.last_mut() else { return };
        block.text.push_str(if joins { "\n" } else { "" });
        if piece.follows_gap {
            block.text.push_str(if form == BlockForm::Text { "… " } else { "…\n" });
        }
        block.text.push_str(before);
        let at = block.text.len() as u32;
        // An item is a line.
        block.text.push_str(&if of_lines { verbatim.replace('\n', " ") } else { verbatim.to_owned() });
        block.span.end = piece.span.end as u32;
        if piece.answers {
            let start = piece.span.start as u32;
            let inside =
                hit.highlights.iter().filter(|h| h.start >= start && h.end <= start + verbatim.len() as u32);
            block
                .highlights
                .extend(inside.map(|h| Span { start: at + h.start - start, end: at + h.end - start }));
        }
    };
    for (i, piece) in pieces.iter().enumerate() {
        let is_label = |text: &str| pieces.len() > 1 && i + 1 < pieces.len() && is_label(text);
        let mark = if piece.note.is_empty() { "- ".to_owned() } else { format!("{} ", piece.note) };
        match piece.form {
            Form::Heading | Form::Term => add(BlockForm::Heading, "", piece),
            Form::Text if hit.text.get(piece.span.clone()).is_some_and(is_label) => {
                add(BlockForm::Heading, "", piece)
            }
            Form::Text | Form::Quote => add(BlockForm::Text, "", piece),
            Form::Item => add(BlockForm::List, &mark, piece),
            Form::Code => add(BlockForm::Code, "", piece),
            Form::Table => add(BlockForm::Table, "", piece),
        }
    }
    out
}

fn heading_block(text: String, citation: u32) -> AnswerBlock {
    let (form, span) = (BlockForm::Heading, span(&(0..0)));
    AnswerBlock { form, text, language: String::new(), citation, span, highlights: Vec::new(), more: false }
}

/// The heading above a quotation, after the page's name and the heading above it unless these say the same;
/// empty if the quotation says the same, and if the heading asks.
fn quote_heading(hit: &Hit, shown: &Set<String>) -> String {
    let last = hit.heading();
    let held = |text: &str, by: &Set<String>| term_set(&[text]).items().iter().all(|t| by.contains(t));
    if asks(last) || held(last, shown) {
        return String::new();
    }
    let above = hit.heading_path.iter().rev().nth(1);
    let is_new = |text: &&String| !held(text, &term_set(&[last])) && !held(text, shown);
    let before = [Some(&hit.title), above].into_iter().flatten().filter(is_new);
    before.fold(String::new(), |path, text| path + &one_line(text) + " › ") + &one_line(last)
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
