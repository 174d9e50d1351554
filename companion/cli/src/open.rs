//! Opening a bundle from a folder or a URL.

use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::bundle::MANIFEST;
use pocketgraph::engine::Engine;
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::hosted::{HostedSource, open_hosted};
use pocketgraph_build::prepare::UnknownRetriever;
use pocketgraph_llm_client::asker;
use std::path::Path;
use std::rc::Rc;

/// Memory limit of an engine in the terminal: a gigabyte.
const MEMORY_LIMIT: u64 = 1 << 30;

/// Opens the bundle at `place`: a folder, or an `http` or `https` address.
pub async fn open_bundle(place: &Path) -> Result<Engine> {
    let cannot = || format!("cannot open the bundle {}", place.display());
    if let Some(address) = place.to_str().filter(|place| place.contains("://")) {
        let source = Rc::new(HostedSource::new(address).into_diagnostic()?);
        return open_hosted(source, MEMORY_LIMIT).await.into_diagnostic().wrap_err_with(cannot);
    }
    if !place.join(MANIFEST).is_file() {
        return Err(miette!(
            help = "build one with: pocketgraph build DOCS -o BUNDLE",
            "{} is not a bundle: it has no {MANIFEST}",
            place.display()
        ));
    }
    Engine::open(Rc::new(FolderSource::new(place)), MEMORY_LIMIT)
        .await
        .into_diagnostic()
        .wrap_err_with(cannot)
}

/// Opens the bundle at `place` and loads its model for questions, if it has one.
pub async fn open_with_model(place: &Path) -> Result<Engine> {
    let engine = open_bundle(place).await?;
    if engine.info().has_model {
        engine.prepare().await.into_diagnostic().wrap_err("cannot load the bundle's model")?;
    }
    Ok(engine)
}

/// Opens the bundle at `place`, outside of any runtime.
pub fn open_engine(place: &Path) -> Result<Engine> {
    run_future(open_bundle(place))?
}

/// Opens the bundle at `place` with its model, outside of any runtime.
pub fn with_model(place: &Path) -> Result<Engine> {
    run_future(open_with_model(place))?
}

/// Parses the name of a retriever with its parameters.
pub fn parse_retriever(text: &str) -> std::result::Result<String, String> {
    match pocketgraph::retrieve::by_name(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(UnknownRetriever::new(text).to_string()),
    }
}

/// Runs a future to its end on this thread, with timers and sockets.
pub fn run_future<T>(work: impl Future<Output = T>) -> Result<T> {
    asker::run_requests(async { Ok(work.await) }).into_diagnostic()
}
