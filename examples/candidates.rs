//! The candidates of the retriever `auto` for questions, with what its first pass knows of each: what `tuning/auto.py` fits its weights to.
//!
//! `cargo run -p pocketgraph --example candidates -- BUNDLE QUESTIONS.jsonl`: a line of JSON a question on standard output. A question's text is its
//! `question`, `query`, `claim` or `text`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use pocketgraph::bundle::MemorySource;
use pocketgraph::engine::Engine;
use pocketgraph::retrieve::candidates;
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

/// A question with its candidates: the document of each, and its features.
async fn told(engine: &Engine, question: &Value) -> Value {
    let text = ["question", "query", "claim", "text"].iter().find_map(|key| question[key].as_str()).unwrap();
    let query = engine.query(text, false).await.unwrap();
    let rows = candidates(engine.corpus(), &query).await.unwrap();
    let ids: Vec<u32> = rows.iter().map(|r| r.0).collect();
    let (passages, _) = engine.corpus().passages(&ids).await.unwrap();
    let row = |(chunk, features): &(u32, [f32; 7])| {
        let document = &passages.get(chunk).unwrap().1;
        json!({ "path": document.path, "url": document.url, "features": features })
    };
    json!({ "asked": question, "candidates": rows.iter().map(row).collect::<Vec<_>>() })
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
