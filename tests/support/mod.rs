//! What tests of retrievers share.

use futures::executor::block_on;
use pocketgraph::engine::Engine;
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_native::progress::Silent;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Writes passages as a file that a build reads: one document each, of that title and text.
pub fn corpus<'p>(folder: &Path, passages: impl IntoIterator<Item = (&'p str, &'p str)>) -> PathBuf {
    let line = |(title, text)| serde_json::json!({"id": title, "title": title, "text": text}).to_string();
    let lines: Vec<String> = passages.into_iter().map(line).collect();
    let path = folder.join("corpus.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    path
}

/// The engine over what `options` build of a corpus, with the query model loaded; the bundle lies in the
/// corpus's folder.
pub fn engine(corpus: PathBuf, options: impl FnOnce(BuildOptions) -> BuildOptions) -> Engine {
    let bundle = corpus.with_file_name("bundle");
    build(&options(BuildOptions::bare(Input::Documents(corpus), bundle.clone())), &Silent).unwrap();
    block_on(async {
        let engine = Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30).await.unwrap();
        // A corpus of words in no English may be given none.
        if engine.info().has_model {
            engine.prepare().await.unwrap();
        }
        engine
    })
}
