//! What could be quoted for questions, with what is known of each block: what `tuning/answers.py` fits the
//! weights of `src/answer/weights.rs` to.
//!
//! `cargo run -p pocketgraph --example quotable -- BUNDLE QUESTIONS.jsonl`: a line of JSON a question on
//! standard output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod questions;

use pocketgraph::answer::{AskOptions, Choice, Sureness, choose_blocks, quote_answer};
use pocketgraph::engine::Engine;
use serde_json::{Value, json};

fn main() {
    questions::report_each(blocks_json);
}

/// A question with its blocks, what is known of each, and what a reader would be shown of its section.
async fn blocks_json(engine: &Engine, question: &Value) -> Value {
    let options = AskOptions::default();
    let found = engine.quotable(question["question"].as_str().unwrap(), &options, &mut |_| ()).await.unwrap();
    let choice = choose_blocks(&found.asked, &found.result.hits, &found.candidates, found.meaning.as_ref());
    let block = |(i, c): (usize, &pocketgraph::answer::Candidate)| {
        let only = Choice { picked: vec![i], sureness: Sureness::Stated, ..choice.clone() };
        let answer = quote_answer(&found.result, &options, &found.candidates, &only);
        let near = found.meaning.as_ref().and_then(|m| *m.of.get(i)?);
        json!({
            "features": c.features,
            "late": near.map(|n| n.late),
            "cosine": near.map(|n| n.cosine),
            "heading": near.map(|n| n.heading),
            "hit": c.hit,
            "section": found.candidates.iter().position(|other| other.shares_section(c)),
            "url": found.result.hits[c.hit].url,
            "core": c.core(&found.result.hits[c.hit].text),
            "text": answer.text,
        })
    };
    let blocks: Vec<Value> = found.candidates.iter().enumerate().map(block).collect();
    json!({ "asked": question, "compares": found.asked.sides.is_some(), "blocks": blocks })
}
