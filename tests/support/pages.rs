//! What tests of folders of documents share.

use futures::executor::block_on;
use pocketgraph::engine::Engine;
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_native::progress::Silent;
use std::path::Path;
use std::rc::Rc;

/// Writes a page below a folder of documents.
pub fn write(docs: &Path, path: &str, text: &str) {
    let path = docs.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Builds the files in `docs` below a folder as `options` says, and opens the bundle, which is beside them.
pub fn opened(folder: &Path, options: impl FnOnce(BuildOptions) -> BuildOptions) -> Engine {
    let (docs, bundle) = (folder.join("docs"), folder.join("bundle"));
    build(&options(BuildOptions::bare(Input::Documents(docs), bundle.clone())), &Silent).unwrap();
    block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap()
}
