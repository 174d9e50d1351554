//! Bundles of earlier formats, kept in `tests/compat/FORMAT`: those of today's format give the hits that they
//! gave when they were kept, and of the others a reader says what to do.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use futures::executor::block_on;
use pocketgraph::bundle::{FORMAT, MANIFEST, PACKED_FORMAT};
use pocketgraph::engine::{Engine, EngineError, SearchOptions};
use pocketgraph::kg;
use pocketgraph::retrieve::Query;
use pocketgraph_build::folder::FolderSource;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

const QUESTIONS: [&str; 4] = [
    "which line keeps the boat along the quay?",
    "spring tide",
    "how hot must the oven be?",
    "fender for a boat of 12 m",
];
/// The ways of asking that read the sections of every bundle.
const RETRIEVERS: [&str; 5] = ["lexical", "dense", "hybrid", "auto", "autokg"];
/// The formats that this reader reads.
const READ: [u16; 2] = [FORMAT, PACKED_FORMAT];
/// Maximum difference between a kept score and today's.
const AS_GOOD_AS_EQUAL: f64 = 1e-4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compat")
}

/// The formats of which a bundle is kept.
fn kept() -> Vec<u16> {
    let mut all: Vec<u16> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .collect();
    all.sort_unstable();
    all
}

fn open(bundle: &Path) -> Result<Engine, EngineError> {
    block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 24))
}

/// Some vector for a question: the kept bundles have no model, and any direction reads all that there is to
/// be read.
fn vector_for(question: &str, dimension: u32) -> Vec<f32> {
    let seed: u32 = question.bytes().fold(7, |all, b| all.wrapping_mul(31).wrapping_add(b.into()));
    let raw: Vec<f32> =
        (0..dimension).map(|i| (seed.wrapping_mul(2 * i + 1) >> 16) as f32 / 32768.0 - 1.0).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / length).collect()
}

/// Returns the results of the questions: retriever, question, and the hits with their scores.
fn hits(engine: &Engine) -> Vec<Value> {
    let mut out = Vec::new();
    for retriever in RETRIEVERS {
        for question in QUESTIONS {
            let query = Query {
                vector: Some(vector_for(question, engine.info().dimension)),
                ..Query::of_words(question, question, false)
            };
            let options = SearchOptions {
                k: Some(5),
                retriever: Some(retriever.to_owned()),
                ..SearchOptions::default()
            };
            let found = block_on(engine.search_query(&query, &options)).unwrap();
            assert_eq!(found.missing, Vec::<String>::new(), "{retriever}: {question}");
            let shown: Vec<Value> =
                found.hits.iter().map(|h| json!([h.url, h.heading_path, h.text, h.score])).collect();
            out.push(json!([retriever, question, shown]));
        }
    }
    out
}

/// Both without their numbers, and how far these are apart at most.
fn compared(a: &Value, b: &Value) -> Result<f64, String> {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_fold(0f64, |worst, (a, b)| Ok(worst.max(compared(a, b)?)))
        }
        (Value::Number(a), Value::Number(b)) => Ok((a.as_f64().unwrap() - b.as_f64().unwrap()).abs()),
        _ if a == b => Ok(0.0),
        _ => Err(format!("kept {a}, now {b}")),
    }
}

#[test]
fn bundles_of_the_formats_that_are_read_are_kept_and_give_the_hits_that_they_gave() {
    for format in READ {
        assert!(
            kept().contains(&format),
            "no bundle of format {format} in tests/compat: keep one with tests/compat/keep.sh"
        );
        gives_what_it_gave(format);
    }
}

fn gives_what_it_gave(format: u16) {
    let place = folder().join(format.to_string());
    let engine = open(&place.join("bundle")).unwrap();
    let now = hits(&engine);
    let file = place.join("hits.json");
    if std::env::var("POCKETGRAPH_KEEP_HITS").is_ok_and(|f| f == format.to_string()) {
        let lines: Vec<String> = now.iter().map(Value::to_string).collect();
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept.lines().count(), QUESTIONS.len() * RETRIEVERS.len());
    for (line, now) in kept.lines().zip(&now) {
        let worst = compared(&serde_json::from_str(line).unwrap(), now).unwrap();
        assert!(worst <= AS_GOOD_AS_EQUAL, "a score differs by {worst}:\nkept {line}\nnow  {now}");
    }
    let graph = block_on(kg::load_graph(engine.corpus().bundle())).unwrap();
    assert!(graph.triples() > 0, "its knowledge graph is read");
}

#[test]
fn of_a_bundle_of_another_format_the_reader_says_what_to_do() {
    for format in kept().into_iter().filter(|f| !READ.contains(f)) {
        let printed_text = open(&folder().join(format.to_string()).join("bundle")).err().unwrap().to_string();
        assert!(
            printed_text.contains("build the bundle again")
                && printed_text.contains(&format!("format version {format}")),
            "{printed_text}"
        );
    }
    let today = folder().join(FORMAT.to_string()).join("bundle").join(MANIFEST);
    for (format, advice) in
        [FORMAT - 1, PACKED_FORMAT + 1].map(|format| (format, "take the reader that it was built with"))
    {
        let other = tempfile::tempdir().unwrap();
        let manifest = std::fs::read_to_string(&today)
            .unwrap()
            .replace(&format!("\"oldestReader\":{FORMAT}"), &format!("\"oldestReader\":{format}"));
        std::fs::write(other.path().join(MANIFEST), manifest).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_pocketgraph"))
            .arg("search")
            .arg(other.path())
            .arg("tides")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr)
            .split_whitespace()
            .filter(|w| *w != "│")
            .collect::<Vec<_>>()
            .join(" ");
        assert!(!output.status.success());
        for part in [&format!("format version {format} of pocketgraph"), "build the bundle again", advice] {
            assert!(printed.contains(part), "{part:?} is not in {printed}");
        }
    }
}
