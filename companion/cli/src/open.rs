//! Opening a bundle from a folder.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::bundle::MANIFEST;
use pocketgraph::engine::Engine;
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::prepare::UnknownRetriever;
use std::path::Path;
use std::rc::Rc;

/// Memory limit of an engine in the terminal: a gigabyte.
const MEMORY_LIMIT: u64 = 1 << 30;

/// Opens the bundle in `folder`.
pub fn bundle(folder: &Path) -> Result<Engine> {
    if !folder.join(MANIFEST).is_file() {
        return Err(miette!(
            help = "build one with: pocketgraph build DOCS -o BUNDLE",
            "{} is not a bundle: it has no {MANIFEST}",
            folder.display()
        ));
    }
    wait(Engine::open(Rc::new(FolderSource::new(folder)), MEMORY_LIMIT))?
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot open the bundle {}", folder.display()))
}

/// Opens the bundle and loads its model for questions, if it has one.
pub fn with_model(folder: &Path) -> Result<Engine> {
    let engine = bundle(folder)?;
    if engine.info().has_model {
        wait(engine.prepare())?.into_diagnostic().wrap_err("cannot load the bundle's model")?;
    }
    Ok(engine)
}

/// Parses the name of a retriever with its parameters.
pub fn retriever(text: &str) -> std::result::Result<String, String> {
    match pocketgraph::retrieve::by_name(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(UnknownRetriever::new(text).to_string()),
    }
}

/// Runs a future to its end on this thread, with timers and sockets.
pub fn wait<T>(work: impl Future<Output = T>) -> Result<T> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic().wrap_err("cannot start the runtime")?;
    Ok(runtime.block_on(work))
}
