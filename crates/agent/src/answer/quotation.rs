//! What is answered without a model, beneath a model's text that says something else: what is shown answers
//! at least as well as a quotation does.

use super::written::plain;
use super::{Answer, AnswerBlock, BlockForm, Citation, Outcome};
use crate::compact::{Map, Set};
use crate::retrieve::Span;
use crate::text::lexicon::{Language, SPOKEN};
use pocketgraph_search::lexical::is_misspelt;

/// A model's answer, with what is `quoted` beneath it, were it only the closest passage, where the text does
/// not agree with that. Whose words are the right ones nobody knows: a good model may have read on where the
/// quotation ends, a weak one has often not read it.
pub fn with_quotation(mut answer: Answer, quoted: &Answer, question: &str) -> Answer {
    if quoted.outcome != Outcome::NoAnswer && !agrees(&answer, quoted, question) {
        answer.quotation = Some(Box::new(renumbered(quoted, &answer)));
    }
    answer
}

/// Returns true if the text says what is quoted: it holds all terms of each quoted passage but the question's,
/// however spelt. Some of a passage's words alone may say what it does not, so readers then see the quotation,
/// as beneath texts in other words or another language.
fn agrees(answer: &Answer, quoted: &Answer, question: &str) -> bool {
    if !answer.answered {
        return false;
    }
    let asked = term_set(question);
    let is_own =
        |term: &String| !asked.contains(term) && !asked.items().iter().any(|word| is_misspelt(word, term));
    let own_terms =
        |text: &str| term_set(text).into_items().into_iter().filter(is_own).collect::<Set<String>>();
    let text = own_terms(&answer.text);
    stated(quoted).iter().all(|passage| {
        let passage = own_terms(passage);
        !passage.items().is_empty() && passage.shared(&text) == passage.items().len()
    })
}

/// Returns each quoted passage without the headings above it: they name where to read, and state nothing.
fn stated(quoted: &Answer) -> Vec<String> {
    let mut blocks = Vec::from_iter(&quoted.blocks);
    blocks.retain(|b| b.form != BlockForm::Heading);
    if blocks.is_empty() {
        return vec![quoted.text.clone()];
    }
    let texts = |of: &[&AnswerBlock]| of.iter().map(|b| b.text.as_str()).collect::<Vec<_>>().join("\n");
    blocks.chunk_by(|a, b| a.citation == b.citation).map(texts).collect()
}

/// The terms of a text without its citation marks, and without words of its sources.
fn term_set(text: &str) -> Set<String> {
    let words: Vec<String> =
        plain(text).into_iter().filter(|word| !SPOKEN.source_words().contains(word)).collect();
    super::term_set(&[&words.join(" ")])
}

/// Returns the quotation with the numbers by which `answer` knows the same passages, and with numbers that
/// `answer` does not use for the others.
fn renumbered(quoted: &Answer, answer: &Answer) -> Answer {
    let used = answer.references.iter().map(|r| r.number).chain(answer.citations.iter().map(|c| c.number));
    let mut next = used.max().unwrap_or(0);
    let mut numbers: Map<u32, u32> = Map::new();
    for citation in &quoted.citations {
        let known = answer.references.iter().find(|r| citation.chunk() == Some(r.chunk)).map(|r| r.number);
        numbers.get_or_insert_with(citation.number, || {
            known.unwrap_or_else(|| {
                next += 1;
                next
            })
        });
    }
    let number_of = |number: u32| numbers.get(&number).copied().unwrap_or(number);
    let mut out = Answer {
        text: String::with_capacity(quoted.text.len()),
        citations: vec![],
        warnings: vec![],
        ..quoted.clone()
    };
    let mut read = 0;
    // The citations of one bracket share their place.
    for bracket in quoted.citations.chunk_by(|a, b| a.at == b.at) {
        let marks: Vec<String> = bracket.iter().map(|c| number_of(c.number).to_string()).collect();
        let place = bracket.first().map_or(Span { start: 0, end: 0 }, |c| c.at);
        out.text.push_str(quoted.text.get(read..place.start as usize).unwrap_or_default());
        read = place.end as usize;
        let start = out.text.len();
        out.text.push_str(&format!("[{}]", marks.join(", ")));
        let at = Span { start: start as u32, end: out.text.len() as u32 };
        out.citations.extend(bracket.iter().map(|c| Citation {
            at,
            number: number_of(c.number),
            ..c.clone()
        }));
    }
    out.text.push_str(quoted.text.get(read..).unwrap_or_default());
    for reference in &mut out.references {
        reference.number = number_of(reference.number);
    }
    out
}

#[cfg(test)]
#[path = "quotation_tests.rs"]
mod tests;
