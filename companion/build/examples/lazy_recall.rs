//! Measures how much of the exact nearest chunks a lazy search finds, and what it fetches.
//!
//!     cargo run --release -p pocketgraph-build --example lazy_recall BUNDLE QUESTIONS.jsonl [LIMIT]
//!
//! QUESTIONS has one `{"query": …}` a line. Each question is asked of an engine that has nothing but the
//! model, so that bytes and requests are those of a first question; the exact ten are found by comparing all
//! vectors of the bundle.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use futures::executor::block_on;
use pocketgraph::bundle::Stats;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::{Corpus, Query};
use pocketgraph::vector::{QuantizedVector, Scored, top_k};
use pocketgraph_build::folder::FolderSource;
use std::rc::Rc;
use std::time::Instant;

const K: usize = 10;

/// The exact `K` nearest chunks.
async fn exact(corpus: &Corpus, vector: &[f32]) -> Vec<Scored> {
    let index = corpus.vectors().await.expect("the bundle has vectors");
    let query = QuantizedVector::from_f32(vector);
    let every: Vec<usize> = (0..index.cells.pages.len()).collect();
    let (cells, missing) = corpus.cells(&index, &every).await;
    assert!(missing.is_empty(), "{missing:?}");
    let first = &index.cells.first;
    let all = cells.iter().flat_map(|(&cell, m)| {
        m.scan(&query)
            .into_iter()
            .enumerate()
            .map(move |(i, score)| Scored { index: first[cell] + i as u32, score })
    });
    top_k(all, K)
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(0.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, questions, rest @ ..] = arguments.as_slice() else {
        panic!("usage: lazy_recall BUNDLE QUESTIONS.jsonl [LIMIT]")
    };
    let limit = rest.first().map_or(usize::MAX, |n| n.parse().expect("a number"));
    let lines = std::fs::read_to_string(questions).expect("the questions can be read");
    let asked: Vec<String> = lines
        .lines()
        .take(limit)
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON")["query"]
                .as_str()
                .expect("a query")
                .to_owned()
        })
        .collect();
    let open =
        || block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 8 << 30)).expect("the bundle opens");
    let whole = open();
    block_on(whole.prepare()).expect("the bundle has a model");
    println!("{} chunks, {} questions", whole.info().chunks, asked.len());
    println!("| retriever | recall@{K} | bytes, mean | 90 % | requests, mean | p50 cold |");
    println!("|---|---:|---:|---:|---:|---:|");
    for retriever in ["dense", "hybrid", "auto"] {
        let (mut found, mut bytes, mut requests, mut times) = (0usize, Vec::new(), 0.0, Vec::new());
        for question in &asked {
            let query = block_on(whole.query(question, false)).expect("the question is embedded");
            let vector = query.vector.clone().expect("the question is embedded");
            let nearest = block_on(exact(whole.corpus(), &vector));
            // The root of the vectors is loaded once for all questions: what is counted is what a question
            // adds.
            let fresh = open();
            let before = {
                block_on(fresh.corpus().vectors()).expect("the bundle has vectors");
                fresh.stats()
            };
            let begun = Instant::now();
            let options = SearchOptions {
                k: Some(K as u32),
                retriever: Some(retriever.to_owned()),
                ..SearchOptions::default()
            };
            let result = block_on(fresh.search_query(&Query { encoder: None, ..query }, &options))
                .expect("the search answers");
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            let after: Stats = fresh.stats();
            requests += (after.requests - before.requests) as f64;
            bytes.push((after.bytes - before.bytes) as f64);
            let least = nearest.last().map_or(0.0, |n| n.score);
            found += result.hits.iter().filter(|h| h.dense.is_some_and(|d| d >= least - 1e-6)).count();
        }
        let n = asked.len().max(1) as f64;
        println!(
            "| {retriever} | {:.3} | {:.0} kB | {:.0} kB | {:.0} | {:.1} ms |",
            found as f64 / (n * K as f64),
            bytes.iter().sum::<f64>() / n / 1e3,
            quantile(bytes, 0.9) / 1e3,
            requests / n,
            quantile(times, 0.5)
        );
    }
}
