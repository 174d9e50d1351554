//! What tests of builds that ask a language model share: a folder with a small corpus, and who listens to the
//! build.
#![allow(dead_code)]

use super::endpoint::Server;
use futures::executor::block_on;
use pocketgraph::engine::Engine;
use pocketgraph::llm::{ChatConfig, OpenAiChat, Retry};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildError, BuildOptions, Input, Summary, build};
use pocketgraph_cache::Cache;
use pocketgraph_llm_client::asker::{Asking, BuildModel};
use pocketgraph_llm_client::chat::NativeTransport;
use pocketgraph_native::progress::Progress;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

/// Two circles of people in enough passages for clusters and communities.
pub fn corpus() -> String {
    let circles = [["Ann Archer", "Bob Baker", "Carl Cook"], ["Dora Dean", "Emil Esch", "Fred Frost"]];
    let does = [["met", "at the harbour"], ["wrote to", "about boats"], ["sang with", "in the town hall"]];
    let mut out = String::new();
    for i in 0..24 {
        let circle = circles[i % 2];
        let [verb, place] = does[i % 3];
        let text = format!(
            "{} {verb} {} {place} in year {i}. {} heard of it.",
            circle[i % 3],
            circle[(i + 1) % 3],
            circle[(i + 2) % 3]
        );
        out.push_str(
            &serde_json::json!({"id": format!("note-{i}"), "title": format!("note {i}"), "text": text})
                .to_string(),
        );
        out.push('\n');
    }
    out
}

/// A folder with a corpus, a cache and a bundle.
pub struct Place {
    folder: tempfile::TempDir,
}

/// Messages of a build.
#[derive(Default)]
pub struct BuildLog {
    pub notes: Mutex<Vec<String>>,
    pub warnings: Mutex<Vec<String>>,
}

impl Progress for BuildLog {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn warn(&self, message: &str) {
        self.warnings.lock().unwrap().push(message.to_owned());
    }
    fn note(&self, message: &str) {
        self.notes.lock().unwrap().push(message.to_owned());
    }
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("corpus.jsonl"), corpus()).unwrap();
        Place { folder }
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The model behind a server, its replies kept in the place's cache.
    pub fn model(&self, server: &Server) -> BuildModel {
        let mut config = ChatConfig::new(&server.base, "m");
        config.retry = Retry { base_ms: 1, ..Retry::default() };
        let chat = OpenAiChat::new(NativeTransport::direct().unwrap(), config).unwrap();
        let asking = Asking { concurrency: 2, pause: Duration::from_millis(1), ..Asking::new("m") };
        BuildModel { chat: Box::new(chat), asking, cache: Box::new(Cache::open(&self.at("cache")).unwrap()) }
    }

    pub fn build(
        &self,
        options: impl FnOnce(BuildOptions) -> BuildOptions,
    ) -> (Result<Summary, BuildError>, BuildLog) {
        let options =
            options(BuildOptions::bare(Input::Documents(self.at("corpus.jsonl")), self.at("bundle")));
        let log = BuildLog::default();
        (build(&options, &log), log)
    }

    /// The bundle, open, with the model that embeds questions.
    pub fn engine(&self) -> Engine {
        let engine = block_on(Engine::open(Rc::new(FolderSource::new(self.at("bundle"))), 1 << 30)).unwrap();
        block_on(engine.prepare()).unwrap();
        engine
    }
}

/// The sections of a bundle with the hashes of their bytes.
pub fn sections(summary: &Summary) -> Vec<(String, [u8; 32])> {
    summary.manifest.sections.iter().map(|s| (s.name.clone(), s.sha256)).collect()
}
