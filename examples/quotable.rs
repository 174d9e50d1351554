//! What could be quoted for questions, with what is known of each block: what `tuning/answers.py` fits the weights of `src/answer/weights.rs` to.
//!
//! `cargo run -p pocketgraph --example quotable -- BUNDLE QUESTIONS.jsonl`: a line of JSON a question on standard output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use pocketgraph::answer::{AskOptions, Choice, Sureness, choose, extractive};
use pocketgraph::bundle::MemorySource;
use pocketgraph::engine::Engine;
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;

fn main() {
    let mut args = std::env::args().skip(1);
    let (bundle, questions) = (args.next().unwrap(), args.next().unwrap());
    let engine = futures::executor::block_on(Engine::open(Rc::new(in_memory(Path::new(&bundle))), 1 << 30)).unwrap();
    futures::executor::block_on(engine.prepare()).unwrap();
    for line in std::fs::read_to_string(questions).unwrap().lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        println!("{}", futures::executor::block_on(told(&engine, &question)));
    }
}

/// A question with its blocks and what is known of them.
async fn told(engine: &Engine, question: &Value) -> Value {
    let options = AskOptions::default();
    let found = engine.quotable(question["question"].as_str().unwrap(), &options).await.unwrap();
    let chosen = choose(&found.asked, &found.result.hits, &found.candidates, found.cosines.as_deref());
    let block = |(i, c): (usize, &pocketgraph::answer::Candidate)| {
        let only = Choice { picked: vec![i], sureness: Sureness::Stated, ..Choice::default() };
        json!({
            "features": c.features,
            "cosine": found.cosines.as_ref().map(|all| all[i]).filter(|c| c.is_finite()),
            "covered": c.covered,
            "hit": c.hit,
            "url": found.result.hits[c.hit].url,
            "text": extractive(&found.result, &options, &found.candidates, &only).text,
        })
    };
    let blocks: Vec<Value> = found.candidates.iter().enumerate().map(block).collect();
    json!({ "asked": question, "grounds": chosen.grounds, "compares": found.asked.sides.is_some(), "blocks": blocks })
}

/// A bundle's files.
fn in_memory(bundle: &Path) -> MemorySource {
    let mut source = MemorySource::default();
    let mut folders = vec![bundle.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                source.files.insert(path.strip_prefix(bundle).unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    source
}
