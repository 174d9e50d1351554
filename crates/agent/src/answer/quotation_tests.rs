//! When what is quoted stands beneath a model's answer, and under which numbers.
#![allow(clippy::unwrap_used)]

use super::super::{AskOptions, Citable, check_reply, span};
use super::*;
use crate::answer::{AnswerBy, CitationStatus, CitationTarget, Reference};
use crate::llm::Completion;
use crate::retrieve::{Hit, SearchResult, Stage};
use pocketgraph_testing::hits::hit;

const QUESTION: &str = "How many points did the defense of the Panthers surrender?";

fn hits() -> Vec<Hit> {
    vec![
        hit(4, "Broncos", &[], "The Broncos took an early lead in Super Bowl 50 and never trailed."),
        hit(9, "Panthers", &[], "The Panthers defense gave up just 308 points, ranking sixth in the league."),
    ]
}

/// What a model wrote, given the hits.
fn written(text: &str) -> Answer {
    let hits = hits();
    let sources: Vec<Citable> = hits.iter().map(Citable::from).collect();
    let passages: Vec<(u32, &Citable)> = (1..).zip(&sources).collect();
    let result = SearchResult {
        question: QUESTION.to_owned(),
        retriever: String::new(),
        stage: Stage::Lexical,
        hits,
        keywords: vec![],
        missing: vec![],
    };
    check_reply(
        &Completion { text: text.to_owned(), ..Completion::default() },
        None,
        &AskOptions::default(),
        &passages,
        &result,
    )
}

fn citation(number: u32, target: CitationTarget, at: std::ops::Range<usize>) -> Citation {
    Citation {
        number,
        target: Some(target),
        title: String::new(),
        heading_path: Vec::new(),
        url: String::new(),
        quote: String::new(),
        span: span(&(0..0)),
        at: span(&at),
        holds: String::new(),
        status: CitationStatus::Verified,
    }
}

/// An answer without a model that cites one passage by `[1]`.
fn quoted(text: &str, chunk: u32) -> Answer {
    let target = CitationTarget::Chunk { chunk };
    let at = text.find("[1]").unwrap();
    let block = AnswerBlock {
        form: BlockForm::Text,
        text: text.to_owned(),
        language: String::new(),
        citation: 0,
        span: span(&(0..0)),
        highlights: Vec::new(),
        more: false,
    };
    Answer {
        text: text.to_owned(),
        by: AnswerBy::Extraction,
        blocks: vec![block],
        citations: vec![citation(1, target, at..at + 3)],
        references: vec![Reference {
            number: 1,
            chunk,
            title: String::new(),
            language: String::new(),
            heading_path: Vec::new(),
            url: String::new(),
        }],
        ..written("308 [2].")
    }
}

fn stated() -> Answer {
    quoted("“The Panthers defense gave up just 308 points, ranking sixth in the league.” [1]", 9)
}

fn short() -> Answer {
    quoted("“The Panthers surrendered 308 points.” [1]", 9)
}

#[test]
fn an_answer_that_says_what_is_quoted_is_alone_however_it_is_worded() {
    for text in [
        "They gave up just 308 points, which ranked sixth in the league [2].",
        "The Panthers gave up just 308 points, ranking sixth in the league [2]. The Broncos never \
         trailed in Super Bowl 50 [1].",
    ] {
        assert_eq!(with_quotation(written(text), &stated(), QUESTION).quotation, None, "{text}");
    }
}

#[test]
fn an_answer_that_says_something_else_or_nothing_more_than_the_question_is_kept_with_the_quotation_beneath() {
    for text in [
        "308 [2]",
        "Sixth in the league [2].",
        "The Panthers defense surrendered 24 points [2].",
        "The Broncos took an early lead [1].",
        "The Panthers defense surrendered points [2].",
        "The documents do not say.",
        "Die Verteidigung ließ dreihundert und mehr zu [2].",
    ] {
        let answer = with_quotation(written(text), &stated(), QUESTION);
        let quotation = answer.quotation.unwrap();
        assert_eq!((answer.text.as_str(), answer.by), (text, AnswerBy::Llm));
        assert!(quotation.text.contains("308") && quotation.by == AnswerBy::Extraction, "{text}");
    }
}

#[test]
fn an_answer_that_mends_the_question_s_spelling_says_nothing_of_its_own() {
    let asked = "How many points did the Pantheers defence surender?";
    let beneath = |text: &str| with_quotation(written(text), &short(), asked).quotation.is_some();
    assert!(beneath("The Panthers defense surrendered [2]."));
    assert!(!beneath("The Panthers defense surrendered 308 [2]."));
}

#[test]
fn an_answer_that_names_what_the_quotation_is_under_does_not_agree_with_it() {
    let mut quoted = short();
    let heading = AnswerBlock {
        form: BlockForm::Heading,
        text: "Super Bowl 50".to_owned(),
        ..quoted.blocks[0].clone()
    };
    quoted.text.insert_str(0, "Super Bowl 50:\n");
    quoted.blocks.insert(0, heading);
    assert!(with_quotation(written("It was Super Bowl 50 [1]."), &quoted, QUESTION).quotation.is_some());
    assert!(with_quotation(written("It was 308 [2]."), &quoted, QUESTION).quotation.is_none());
}

#[test]
fn an_answer_that_holds_one_of_two_passages_has_both_beneath_it() {
    let mut quoted = short();
    let other = AnswerBlock {
        text: "Their defense surrendered 296 points.".to_owned(),
        citation: 1,
        ..quoted.blocks[0].clone()
    };
    quoted.blocks.push(other);
    let beneath = |quoted: &Answer| with_quotation(written("It was 308 [2]."), quoted, QUESTION).quotation;
    assert!(beneath(&quoted).is_some());
    quoted.blocks[1].text = "308 points it was.".to_owned();
    assert!(beneath(&quoted).is_none());
}

#[test]
fn the_closest_passage_is_put_beneath_an_answer_and_an_empty_quotation_is_not() {
    let beneath = |outcome| {
        let quoted = Answer { outcome, ..stated() };
        with_quotation(written("The Broncos took an early lead [1]."), &quoted, QUESTION).quotation
    };
    assert_eq!(beneath(Outcome::Closest).unwrap().outcome, Outcome::Closest);
    assert_eq!(beneath(Outcome::NoAnswer), None);
}

#[test]
fn the_quotation_has_the_numbers_of_the_passages_that_the_model_had_and_new_ones_for_others() {
    let of = |chunk| {
        let quotation = with_quotation(
            written("The Broncos led [1] [7]."),
            &quoted("“308.” [1] Ranking.", chunk),
            QUESTION,
        )
        .quotation
        .unwrap();
        let at = quotation.citations[0].at;
        let mark = quotation.text[at.start as usize..at.end as usize].to_owned();
        (quotation.text.clone(), mark, quotation.citations[0].number, quotation.references[0].number)
    };
    assert_eq!(of(9), ("“308.” [2] Ranking.".to_owned(), "[2]".to_owned(), 2, 2));
    assert_eq!(of(70), ("“308.” [8] Ranking.".to_owned(), "[8]".to_owned(), 8, 8));
}

#[test]
fn numbers_in_one_bracket_stay_in_one() {
    let text = "Heat [1, 2], Ran [1].";
    let (a, b) = (CitationTarget::Statement { triple: Some(5) }, CitationTarget::Chunk { chunk: 9 });
    let citations = vec![citation(1, a, 5..11), citation(2, b, 5..11), citation(1, a, 17..20)];
    let graph = Answer {
        by: AnswerBy::Graph,
        text: text.to_owned(),
        citations,
        references: vec![],
        blocks: vec![],
        ..stated()
    };
    let quotation = with_quotation(written("Low Tide [1]."), &graph, "Which films?").quotation.unwrap();
    assert_eq!(quotation.text, "Heat [3, 2], Ran [3].");
    let placed: Vec<(u32, &str)> = quotation
        .citations
        .iter()
        .map(|c| (c.number, &quotation.text[c.at.start as usize..c.at.end as usize]))
        .collect();
    assert_eq!(placed, [(3, "[3, 2]"), (2, "[3, 2]"), (3, "[3]")]);
}

#[test]
fn an_answer_of_the_graph_is_agreed_with_by_one_that_holds_all_of_it() {
    let graph = Answer { by: AnswerBy::Graph, ..quoted("Heat, Low Tide [1]", 9) };
    let beneath =
        |text: &str| with_quotation(written(text), &graph, "Which films did she direct?").quotation.is_some();
    assert!(!beneath("She directed Low Tide and, before it, Heat [2]."));
    assert!(beneath("She directed Heat [2]."));
}
