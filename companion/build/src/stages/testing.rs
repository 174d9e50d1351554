//! Helpers of the stages' tests.
#![allow(clippy::unwrap_used)]

use super::Corpus;
use super::chunk::Chunked;
use futures::future::FutureExt;
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph::llm::{ChatModel, ChatRequest, LlmError, OpenedStream};
use pocketgraph_ingest::{self as ingest, IngestOptions};
use pocketgraph_knowledge::kg::{Gathering, ImportOptions, KgFiles};
use pocketgraph_llm_client::asker::{Asking, BuildModel, MemoryCache};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Progress;
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use tempfile::TempDir;

/// The program's own model.
pub static MODEL: LazyLock<NativeEmbedder> = LazyLock::new(|| NativeEmbedder::new().unwrap());

/// Keeps the warnings of a stage.
#[derive(Default)]
pub struct RecordedWarnings(Mutex<Vec<String>>);

impl RecordedWarnings {
    pub fn warnings(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Progress for RecordedWarnings {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

/// The documents of these files.
pub fn read_in(files: &[(&str, &str)]) -> ingest::Corpus {
    ingest::ingest(folder(files).path(), &IngestOptions::default(), &|_| {}).unwrap()
}

/// A count of tokens that needs no model.
pub fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Documents of one chunk each.
pub fn chunked(documents: &[(&str, &str)]) -> Chunked {
    let document = |title: &str| {
        let path = title.replace(' ', "-");
        Document { title: title.to_owned(), url: format!("/{path}"), path, language: String::new() }
    };
    let chunk = |(i, text): (usize, &str)| {
        let (heading_path, fragment, text) = (Vec::new(), String::new(), text.to_owned());
        Chunk { document: i as u32, heading_path, fragment, start: 0, end: text.chars().count() as u32, text }
    };
    Chunked {
        documents: documents.iter().map(|(title, _)| document(title)).collect(),
        chunks: documents.iter().map(|(_, text)| *text).enumerate().map(chunk).collect(),
        ..Chunked::default()
    }
}

/// Documents with their vectors.
pub struct Made(Chunked, Vec<Vec<f32>>);

impl Made {
    pub fn corpus(&self) -> Corpus<'_> {
        Corpus { documents: &self.0.documents, chunks: &self.0.chunks, vectors: &self.1 }
    }
}

/// Makes notes about two circles of people, `note 0` and so on, with vectors of the model.
pub fn corpus_of(notes: usize) -> Made {
    let circles = [["Ann Archer", "Bob Baker", "Carl Cook"], ["Dora Dean", "Emil Esch", "Fred Frost"]];
    let does = ["met at the harbour", "wrote about boats", "sang in the town hall"];
    let note = |i: usize| {
        let circle = circles[i % 2];
        let text = format!(
            "{} and {} {} in year {i}. {} heard of it.",
            circle[i % 3],
            circle[(i + 1) % 3],
            does[i % 3],
            circle[(i + 2) % 3]
        );
        (format!("note {i}"), text)
    };
    let all: Vec<(String, String)> = (0..notes).map(note).collect();
    let texts: Vec<String> = all.iter().map(|(_, text)| text.clone()).collect();
    let documents: Vec<(&str, &str)> =
        all.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
    Made(chunked(&documents), MODEL.embed_all(&texts, &|_| {}))
}

/// The small graph of films.
pub fn films() -> KnowledgeGraph {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/films.tsv");
    let mut gathering = Gathering::default();
    gathering
        .files(&KgFiles { triples: vec![table], ..KgFiles::default() }, &ImportOptions::default())
        .unwrap();
    gathering.finish().unwrap().unwrap().0
}

/// A model that can be asked, and never answers.
pub fn silent_model() -> BuildModel {
    struct Silent;
    impl ChatModel for Silent {
        fn chat<'a>(&'a self, _: ChatRequest) -> OpenedStream<'a> {
            async { Err(LlmError::Endpoint("nobody is there".to_owned())) }.boxed_local()
        }
    }
    let asking = Asking { again: 0, ..Asking::new("silent") };
    BuildModel { chat: Box::new(Silent), asking, cache: Box::new(MemoryCache::default()) }
}
