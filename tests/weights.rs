//! Documents that start lower or higher in a ranking.
#![allow(missing_docs, clippy::unwrap_used)]

use futures::executor::block_on;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::{BuildOptions, Input, build};
use pocketgraph_native::progress::Silent;
use std::path::Path;
use std::rc::Rc;

const PAGES: [(&str, &str); 4] = [
    (
        "guide/pumps.md",
        "# Pumps\n\nTo prime a pump, open the valve, fill the casing with water, close the valve and \
         start the motor again slowly.",
    ),
    (
        "blog/pumps.md",
        "# Priming pumps\n\nPriming a pump: prime the pump, then prime the pump again. A pump that \
         primes primes itself.",
    ),
    (
        "CHANGELOG.md",
        "# Pumps\n\nVersion 2.0 changes how to prime a pump: it may now be primed with oil, and the \
         motor starts by itself.",
    ),
    ("guide/valves.md", "# Valves\n\nA valve lets water through in one direction only."),
];

fn engine(folder: &Path, rank: &[&str]) -> Engine {
    let docs = folder.join("docs");
    for (path, text) in PAGES {
        std::fs::create_dir_all(docs.join(path).parent().unwrap()).unwrap();
        std::fs::write(docs.join(path), text).unwrap();
    }
    let bundle = folder.join("bundle");
    let rank = rank.iter().map(|r| r.parse().unwrap()).collect();
    build(&BuildOptions { rank, ..BuildOptions::bare(Input::Documents(docs), bundle.clone()) }, &Silent)
        .unwrap();
    block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap()
}

fn first(engine: &Engine, question: &str, k: u32) -> Vec<String> {
    let options = SearchOptions { k: Some(k), retriever: Some("lexical".into()), ..SearchOptions::default() };
    block_on(engine.search(question, &options)).unwrap().hits.into_iter().map(|h| h.url).collect()
}

#[test]
fn an_owners_weight_moves_pages_down_and_up_and_others_come_in_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let plain = engine(dir.path(), &[]);
    assert_eq!(first(&plain, "prime a pump", 1), ["blog/pumps.html"]);
    let dir = tempfile::tempdir().unwrap();
    let ranked = engine(dir.path(), &["blog/**=0.2", "CHANGELOG.md=0.2"]);
    assert_eq!(first(&ranked, "prime a pump", 1), ["guide/pumps.html"]);
    let dir = tempfile::tempdir().unwrap();
    let raised = engine(dir.path(), &["guide/**=4"]);
    assert_eq!(first(&raised, "prime a pump", 1), ["guide/pumps.html"]);
}

#[test]
fn a_changelog_starts_lower_unless_the_question_asks_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), &["blog/**=0.01"]);
    let place =
        |question: &str| first(&engine, question, 4).iter().position(|url| url == "CHANGELOG.html").unwrap();
    assert!(place("prime a pump") > place("prime a pump, changes in version 2.0"));
    let dir = tempfile::tempdir().unwrap();
    let whole = self::engine(dir.path(), &["blog/**=0.01", "CHANGELOG.md=1"]);
    assert_eq!(first(&whole, "prime a pump", 1), ["CHANGELOG.html"]);
}
