//! What could be quoted for questions, with what is known of each block: what `tuning/answers.py` fits the weights of `src/answer/weights.rs` to.
//!
//! `cargo run -p pocketgraph --example quotable -- BUNDLE QUESTIONS.jsonl`: a line of JSON a question on standard output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod questions;

use pocketgraph::answer::{AskOptions, Choice, Sureness, choose, extractive};
use pocketgraph::engine::Engine;
use serde_json::{Value, json};

fn main() {
    questions::tell_each(blocks_json);
}

/// A question with its blocks and what is known of them.
async fn blocks_json(engine: &Engine, question: &Value) -> Value {
    let options = AskOptions::default();
    let found = engine.quotable(question["question"].as_str().unwrap(), &options).await.unwrap();
    let chosen = choose(&found.asked, &found.result.hits, &found.candidates, found.cosines.as_ref());
    let block = |(i, c): (usize, &pocketgraph::answer::Candidate)| {
        let only = Choice { picked: vec![i], sureness: Sureness::Stated, ..Choice::default() };
        json!({
            "features": c.features,
            "cosine": found.cosines.as_ref().map(|all| all.of[i]).filter(|c| c.is_finite()),
            "covered": c.covered,
            "lacks_figure": c.lacks_figure,
            "hit": c.hit,
            "url": found.result.hits[c.hit].url,
            "text": extractive(&found.result, &options, &found.candidates, &only).text,
        })
    };
    let blocks: Vec<Value> = found.candidates.iter().enumerate().map(block).collect();
    json!({ "asked": question, "grounds": chosen.grounds, "compares": found.asked.sides.is_some(), "blocks": blocks })
}
