//! What speaks for a question as more of the query side arrives: words, feedback, the token table, the model.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::{SearchResult, Stage};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::BuildOptions;
use pocketgraph_build::verify::verify_bundle;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const QUESTION: &str = "how much is the doctor paid in spring";

/// A table for the words of `texts` and of the question, as good as one is before it is trained; all other
/// tokens are worth nothing.
fn table<'t>(folder: &Path, texts: impl Iterator<Item = &'t str>) -> PathBuf {
    let model = NativeEmbedder::new().unwrap();
    let tokens: Vec<Vec<u32>> = texts.chain([QUESTION]).map(|t| model.tokenizer().content(t)).collect();
    let used: BTreeSet<u32> = tokens.iter().flatten().copied().collect();
    let mut alone = vec![vec![0.0; model.dim()]; model.words().rows()];
    let vectors = model.embed_tokens(&used.iter().map(|&t| vec![t]).collect::<Vec<_>>());
    for (&t, vector) in used.iter().zip(vectors) {
        alone[t as usize] = vector;
    }
    let file = folder.join("table.safetensors");
    pocketgraph_train::query_table::untrained(&alone, &tokens).write(&file).unwrap();
    file
}

/// Three hundred short passages: enough for sketches, of which the last says what it says in words that no
/// question here uses.
fn passages() -> Vec<(String, String)> {
    let things = [
        "harbour",
        "lighthouse",
        "anchor",
        "sail",
        "keel",
        "rudder",
        "mast",
        "compass",
        "rope",
        "buoy",
        "pier",
        "ferry",
    ];
    let places = ["the north", "a river mouth", "an old dock", "a stone quay", "an open bay"];
    let deeds = ["was painted", "was sold", "was measured", "was lost", "was mended"];
    let mut passages: Vec<(String, String)> = Vec::new();
    for thing in things {
        for place in places {
            for deed in deeds {
                // A fifth of them share a word with the question: fewer than are ranked again.
                let season = if deed == deeds[0] { "spring" } else { "autumn" };
                passages.push((
                    format!("{thing} {place} {deed}"),
                    format!("The {thing} at {place} {deed} in the {season}."),
                ));
            }
        }
    }
    passages.push((
        "Remuneration".into(),
        "The physician receives her remuneration monthly, in the spring.".into(),
    ));
    passages
}

/// A bundle of them, with this token table.
fn bundle_with(folder: &Path, query_table: Option<PathBuf>) -> PathBuf {
    let passages = passages();
    let corpus = support::corpus(folder, passages.iter().map(|(a, b)| (a.as_str(), b.as_str())));
    let bundle = corpus.with_file_name("bundle");
    drop(support::engine(corpus, |options| BuildOptions { query_table, ..options }));
    bundle
}

/// A bundle of them, with a table for their words.
fn bundle(folder: &Path) -> PathBuf {
    bundle_with(folder, Some(table(folder, passages().iter().map(|(_, text)| text.as_str()))))
}

fn search(engine: &Engine, question: &str, retriever: &str) -> SearchResult {
    let options =
        SearchOptions { k: Some(10), retriever: Some(retriever.to_owned()), ..SearchOptions::default() };
    block_on(engine.search(question, &options)).unwrap()
}

/// Changes a bit of every page of a section.
fn damage_pages(bundle: &Path, section: &str) {
    for page in std::fs::read_dir(bundle.join(section)).unwrap() {
        let path = page.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
}

/// Returns how many passages are nearer to the question than the one that answers it in other words.
fn nearer(engine: &Engine) -> usize {
    let options =
        SearchOptions { k: Some(1000), retriever: Some("dense".to_owned()), ..SearchOptions::default() };
    let found = block_on(engine.search(QUESTION, &options)).unwrap();
    found.hits.iter().position(|h| h.title == "Remuneration").unwrap()
}

#[test]
fn each_part_of_the_query_side_is_used_as_soon_as_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(folder.path());
    let open = || block_on(Engine::open(Rc::new(FolderSource::new(bundle.clone())), 1 << 30)).unwrap();
    let engine = open();
    let question = QUESTION;
    for retriever in ["hybrid", "auto", "dense"] {
        assert_eq!(search(&engine, question, retriever).stage, Stage::Feedback, "{retriever}");
    }
    let (before, by_feedback) = (engine.stats().bytes, nearer(&engine));
    block_on(engine.prepare_table()).unwrap();
    assert!(!engine.model_ready());
    let table = search(&engine, question, "hybrid");
    // The vocabulary, the list of pages, and a page for a few words each.
    assert!(engine.stats().bytes - before < 220_000, "{}", engine.stats().bytes - before);
    assert_eq!((table.stage, table.missing.len()), (Stage::Table, 0));
    let by_table = nearer(&engine);
    assert!(by_table < by_feedback, "{by_table} of {by_feedback}");
    for retriever in ["auto", "dense"] {
        assert_eq!(search(&engine, question, retriever).stage, Stage::Table, "{retriever}");
    }
    block_on(engine.prepare()).unwrap();
    assert_eq!(search(&engine, question, "hybrid").stage, Stage::Model);
    assert!(nearer(&engine) < by_table, "{} of {by_table}", nearer(&engine));
    assert_eq!(search(&engine, question, "lexical").stage, Stage::Lexical);
    assert!(block_on(verify_bundle(open().corpus().bundle())).faults.is_empty());
}

#[test]
fn the_programs_own_table_is_used_and_none_is_carried_where_none_is_wanted() {
    let mut places = Vec::new();
    for (query_table, stage) in [(None, Stage::Table), (Some(PathBuf::from("none")), Stage::Feedback)] {
        let folder = tempfile::tempdir().unwrap();
        let source = FolderSource::new(bundle_with(folder.path(), query_table));
        let engine = block_on(Engine::open(Rc::new(source), 1 << 30)).unwrap();
        assert_eq!(engine.corpus().bundle().has("table"), stage == Stage::Table);
        block_on(engine.prepare_table()).unwrap();
        assert_eq!(search(&engine, QUESTION, "hybrid").stage, stage);
        places.push(nearer(&engine));
    }
    // Of its words only "spring" stands there, as in sixty others.
    assert!(places[0] < places[1], "{places:?}");
}

#[test]
fn a_damaged_table_leaves_feedback_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(folder.path());
    damage_pages(&bundle, "table");
    let engine = block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap();
    block_on(engine.prepare_table()).unwrap();
    let found = search(&engine, "where was the anchor mended", "hybrid");
    assert_eq!(found.stage, Stage::Feedback);
    assert!(!found.hits.is_empty());
    assert!(block_on(verify_bundle(engine.corpus().bundle())).faults.iter().any(|f| f.contains("table")));
}

#[test]
fn of_the_vocabulary_a_question_loads_the_ranges_of_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(folder.path());
    let ranges = std::fs::read_dir(bundle.join("vocabulary")).unwrap().count();
    let engine = block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap();
    block_on(engine.prepare_table()).unwrap();
    // What the table and its rows cost is the same for both.
    let requests = |question: &str| {
        let before = engine.stats().requests;
        let query = block_on(engine.query(question, false)).unwrap();
        assert!(query.by_table.is_some(), "{question}");
        engine.stats().requests - before
    };
    let common = requests("the anchor");
    let rare = requests("phosphorescent xylophones");
    assert!(ranges > 3, "{ranges}");
    assert!(common <= 1, "{common}");
    assert!((3..8).contains(&rare), "{rare}");
}

#[test]
fn a_damaged_range_of_the_vocabulary_costs_the_questions_that_want_it_their_vector() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(folder.path());
    damage_pages(&bundle, "vocabulary");
    let engine = block_on(Engine::open(Rc::new(FolderSource::new(bundle)), 1 << 30)).unwrap();
    block_on(engine.prepare()).unwrap();
    assert_eq!(search(&engine, "the anchor", "hybrid").stage, Stage::Model);
    let found = search(&engine, "phosphorescent anchor", "hybrid");
    assert_eq!(found.stage, Stage::Feedback);
    assert!(!found.hits.is_empty());
    assert!(
        block_on(verify_bundle(engine.corpus().bundle())).faults.iter().any(|f| f.contains("vocabulary"))
    );
}

#[test]
fn a_corpus_too_small_for_sketches_has_no_table_and_goes_without() {
    let folder = tempfile::tempdir().unwrap();
    let passages = [("Tides", "The tide turns twice a day."), ("Moon", "The moon pulls the sea.")];
    let query_table = Some(table(folder.path(), passages.iter().map(|p| p.1)));
    let engine = support::engine(support::corpus(folder.path(), passages), |options| BuildOptions {
        query_table,
        ..options
    });
    assert!(!engine.corpus().bundle().has("table"));
    block_on(engine.prepare_table()).unwrap();
    assert_eq!(search(&engine, "what pulls the sea", "hybrid").stage, Stage::Model);
}
