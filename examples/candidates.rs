//! The candidates of the retriever `auto` for questions, with what its first pass knows of each: what
//! `tuning/auto.py` fits its weights to.
//!
//! `cargo run -p pocketgraph --example candidates -- BUNDLE QUESTIONS.jsonl`: a line of JSON a question on
//! standard output. A question's text is its `question`, `query`, `claim` or `text`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod questions;

use pocketgraph::engine::Engine;
use pocketgraph::retrieve::candidates;
use serde_json::{Value, json};

fn main() {
    questions::report_each(candidates_json);
}

/// A question with its candidates: the document of each, and its features.
async fn candidates_json(engine: &Engine, question: &Value) -> Value {
    let text = ["question", "query", "claim", "text"].iter().find_map(|key| question[key].as_str()).unwrap();
    let query = engine.query(text, false).await.unwrap();
    let (rows, held) = candidates(engine.corpus(), &query).await.unwrap();
    let ids: Vec<u32> = rows.iter().map(|r| r.0).collect();
    let (passages, _) = engine.corpus().passages(&ids).await.unwrap();
    let row = |(chunk, features): &(u32, [f32; 6])| {
        let document = &passages.get(chunk).unwrap().1;
        json!({ "path": document.path, "url": document.url, "features": features })
    };
    json!({ "asked": question, "held": held, "candidates": rows.iter().map(row).collect::<Vec<_>>() })
}
