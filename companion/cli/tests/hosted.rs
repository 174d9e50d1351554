//! A published bundle, read from its host by the file.

#![allow(clippy::unwrap_used)]

use axum::Router;
use axum::http::{StatusCode, Uri};
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph_build::hosted::{HostedError, HostedSource, open_hosted};
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_cli::open::open_with_model;
use pocketgraph_native::progress::Silent;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A folder below which a host serves `site/bundle/`, and what it was asked for: paths with the bytes that it
/// sent.
struct Host {
    folder: TempDir,
    address: String,
    sent: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Host {
    async fn new() -> Host {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        for (name, text) in [
            (
                "kettle.md",
                "# Kettle\n\nIt boils.\n\n## Warranty\n\nThe warranty of the kettle ends after two years.\n",
            ),
            ("toaster.md", "# Toaster\n\nPull out the tray below the toaster and empty it.\n"),
            ("oven.md", "# Oven\n\nThe oven reaches 250 degrees. Bread wants 230.\n"),
        ] {
            std::fs::write(docs.join(name), text).unwrap();
        }
        let bundle = folder.path().join("bundle");
        let bare = BuildOptions::bare(Input::Documents(docs), bundle.clone());
        build(&BuildOptions { runtime: false, ..bare }, &Silent).unwrap();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&sent);
        let serve = move |uri: Uri| async move {
            let read = uri
                .path()
                .strip_prefix("/site/bundle/")
                .and_then(|file| std::fs::read(bundle.join(file)).ok());
            log.lock().unwrap().push((uri.path().to_owned(), read.as_ref().map_or(0, Vec::len)));
            read.ok_or(StatusCode::NOT_FOUND)
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/site/bundle/", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, Router::new().fallback(serve)).into_future());
        Host { folder, address, sent }
    }

    fn bundle(&self) -> PathBuf {
        self.folder.path().join("bundle")
    }

    fn paths(&self) -> Vec<String> {
        self.sent.lock().unwrap().iter().map(|(path, _)| path.clone()).collect()
    }
}

async fn hits(engine: &Engine, question: &str) -> Vec<(String, f32)> {
    let result = engine.search(question, &SearchOptions::default()).await.unwrap();
    result.hits.into_iter().map(|hit| (hit.url, hit.score)).collect()
}

#[tokio::test]
async fn a_hosted_bundle_finds_what_the_folder_finds_and_its_model_is_not_fetched() {
    let host = Host::new().await;
    let here = open_with_model(&host.bundle()).await.unwrap();
    let there = open_with_model(Path::new(&host.address)).await.unwrap();
    for question in
        ["How long is the warranty?", "Where do crumbs go?", "temperature for bread", "boils", "zzqx"]
    {
        assert_eq!(hits(&here, question).await, hits(&there, question).await, "{question}");
    }
    let of_model = |path: &String| ["layers", "words", "vocabulary/"].iter().any(|part| path.contains(part));
    assert!(!host.paths().iter().any(of_model), "{:?}", host.paths());
    let bytes: usize = host.sent.lock().unwrap().iter().map(|(_, bytes)| bytes).sum();
    assert!(bytes < 150_000, "{bytes}: {:?}", host.sent.lock().unwrap());
}

#[tokio::test]
async fn a_bundle_is_found_by_its_folder_with_or_without_a_slash_and_by_its_manifest() {
    let host = Host::new().await;
    let bare = host.address.trim_end_matches('/').to_owned();
    for address in
        [host.address.clone(), bare.clone(), format!("{bare}/manifest.json"), format!("{bare}/?v=1#top")]
    {
        open_with_model(Path::new(&address)).await.unwrap();
    }
    assert!(host.paths().iter().all(|path| path.starts_with("/site/bundle/") && !path.contains("//")));
}

#[tokio::test]
async fn what_is_no_bundle_says_so_and_changed_files_are_refused() {
    let host = Host::new().await;
    let elsewhere = host.address.replace("bundle", "other");
    let refused = open_with_model(Path::new(&elsewhere)).await.map(drop).unwrap_err();
    assert!(format!("{refused:?}").contains("there is no such file"), "{refused:?}");
    for wrong in ["ftp://host/kg/", "http://", "file:///etc/"] {
        assert!(matches!(HostedSource::new(wrong), Err(HostedError::Address(_))), "{wrong}");
    }
    for entry in std::fs::read_dir(host.bundle()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "pgs") {
            let mut bytes = std::fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    let source = Rc::new(HostedSource::new(&host.address).unwrap());
    let refused = open_hosted(source, 1 << 30).await.map(drop).unwrap_err();
    assert!(matches!(&refused, HostedError::Engine(error) if error.code() == "hash-mismatch"), "{refused}");
}
