//! With any model, however weak, what is shown answers at least as well as the quotation that there would be
//! without one, whichever way it is asked.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use pocketgraph::agent::{AgentEvent, AgentOptions, AskWith, NAMES, ask_with_protocol, needs_model};
use pocketgraph::answer::{Answer, AnswerBy, AskEvent, AskOptions};
use pocketgraph::engine::Engine;
use pocketgraph_testing::model::Scripted;

const QUESTION: &str = "How many points did the defense of the Panthers surrender?";
const GOLD: &str = "308";
/// Reply of a weak model: a passage supports it, but it does not answer the question.
const BESIDE: &str = "The Broncos took an early lead in the championship game [1] [2] [3].";

const PASSAGES: [(&str, &str); 4] = [
    (
        "Panthers",
        "The Panthers defense gave up just 308 points, ranking sixth in the league, while leading it \
         in interceptions with 24.",
    ),
    ("Broncos", "The Broncos took an early lead in the championship game and never trailed."),
    ("Stadium", "The game was played in a stadium in Santa Clara, which had been chosen three years before."),
    ("Half time", "A band from London played at half time with two guests."),
];

fn engine(folder: &std::path::Path) -> Engine {
    support::engine(support::corpus(folder, PASSAGES), |options| options)
}

fn shown(answer: &Answer) -> String {
    [answer.text.as_str(), answer.quotation.as_ref().map_or("", |quotation| &quotation.text)].join("\n")
}

#[test]
fn every_protocol_shows_what_the_documents_state_whatever_the_model_writes() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let quoted = block_on(engine.quote(QUESTION, &AskOptions::default(), &mut |_| {})).unwrap();
    assert!(quoted.answered && quoted.text.contains(GOLD), "{}", quoted.text);
    let mut kept = Vec::new();
    for reply in [
        BESIDE.to_owned(),
        format!("Answer: {BESIDE}"),
        format!("<answer>{BESIDE}</answer>"),
        format!("Finish[{BESIDE}]"),
        "The documents do not say.".to_owned(),
    ] {
        for protocol in NAMES.iter().copied().filter(|name| needs_model(name)) {
            let model = Scripted::new(&[&reply]);
            let with = AskWith { chat: Some(&model), clock: &|| 0.0, graph: None, web: None, tools: None };
            let mut last = None;
            let mut hear = |event: AgentEvent| last = Some(event);
            let answer = block_on(ask_with_protocol(
                &engine,
                QUESTION,
                protocol,
                &AgentOptions::default(),
                &with,
                &mut hear,
            ))
            .unwrap()
            .answer;
            assert!(shown(&answer).contains(GOLD), "{protocol}: {reply}\n{answer:?}");
            assert!(
                matches!(last, Some(AgentEvent::Done { answer: reported }) if reported == answer),
                "{protocol}"
            );
            if answer.by == AnswerBy::Llm {
                kept.push(protocol);
            }
        }
    }
    kept.sort_unstable();
    kept.dedup();
    assert!(kept.len() > 8, "the model's own words are shown above the quotation: {kept:?}");
}

#[test]
fn the_plain_answer_does_too_and_the_last_event_has_the_quotation() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let ask = |reply: &str| {
        let mut events = Vec::new();
        let answer =
            block_on(
                engine
                    .ask(QUESTION, &AskOptions::default(), &Scripted::new(&[reply]), &mut |e| events.push(e)),
            )
            .unwrap();
        assert_eq!(events.last(), Some(&AskEvent::Done { answer: answer.clone() }));
        answer
    };
    let beside = ask(BESIDE);
    let quotation = beside.quotation.as_ref().unwrap();
    assert_eq!(
        (beside.text.as_str(), beside.by, quotation.by),
        (BESIDE, AnswerBy::Llm, AnswerBy::Extraction)
    );
    assert!(quotation.text.contains(GOLD) && !quotation.blocks.is_empty());
    // One passage has one number, above and beneath.
    for reference in &quotation.references {
        assert!(
            beside
                .references
                .iter()
                .any(|own| (own.number, own.chunk) == (reference.number, reference.chunk)),
            "{reference:?}"
        );
    }
    // Some of a passage's words need not say what it says.
    let number = beside.references.iter().find(|r| r.title == "Panthers").unwrap().number;
    for right in [
        format!("308 [{number}]"),
        format!("They surrendered 308 points [{number}]."),
        format!("The defense of the Panthers gave up 308 points [{number}]."),
    ] {
        let answer = ask(&right);
        assert_eq!(answer.text, right);
        assert!(answer.quotation.unwrap().text.contains(GOLD));
    }
}
