//! A bundle too large to be loaded whole: what a search asks for, and what it finds when something is
//! missing.
#![allow(clippy::unwrap_used)]

use super::{Contents, HeldFolder, assemble_bundle};
use crate::verify::verify_bundle;
use futures::executor::block_on;
use futures::future::{FutureExt, LocalBoxFuture, join};
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo, MemorySource, Source, SourceError};
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::names::{NameTable, find_inside, in_question, numbered_by_chunks};
use pocketgraph::retrieve::{NameIndex, Query, Reached, SearchResult, title_terms};
use pocketgraph_cluster::{Random, divide_cells};
use pocketgraph_knowledge::names::{FoundNames, find_with};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

const CHUNKS: usize = 9_000;
const DOCUMENTS: usize = 600;
// So many that the cells are too large for one file.
const DIM: usize = 64;
const CELLS: usize = 95;

/// Vectors in three hundred clusters.
fn vectors() -> Vec<Vec<f32>> {
    let mut random = Random::new(3, 0);
    let mut around = |centre: &[f32], spread: f32| -> Vec<f32> {
        let v: Vec<f32> = centre.iter().map(|c| c + spread * (random.unit() as f32 - 0.5)).collect();
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        v.iter().map(|x| x / length).collect()
    };
    let centres: Vec<Vec<f32>> = (0..300).map(|_| around(&[0.0; DIM], 1.0)).collect();
    (0..CHUNKS).map(|i| around(&centres[i * 7 % 300], 0.5)).collect()
}

fn lanterns() -> (Vec<Document>, Vec<Chunk>) {
    let documents: Vec<Document> = (0..DOCUMENTS)
        .map(|i| Document {
            title: format!("Page {i}"),
            url: format!("p{i}.html"),
            path: format!("p{i}.md"),
            language: String::new(),
        })
        .collect();
    let chunk = |i: usize| Chunk {
        document: (i * DOCUMENTS / CHUNKS) as u32,
        heading_path: Vec::new(),
        fragment: String::new(),
        text: format!("The lantern number{i} of harbour{} burns.", i % 40),
        start: 0,
        end: 10,
    };
    let chunks = (0..CHUNKS).map(chunk).collect();
    (documents, chunks)
}

fn files(vectors: &[Vec<f32>]) -> BTreeMap<String, Vec<u8>> {
    let (documents, chunks) = lanterns();
    files_of(&documents, &chunks, vectors, None)
}

fn files_of(
    documents: &[Document],
    chunks: &[Chunk],
    vectors: &[Vec<f32>],
    names: Option<&FoundNames>,
) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let info = EmbedderInfo { id: "test".into(), dimension: DIM as u64, ..EmbedderInfo::default() };
    let cells = divide_cells(vectors, CELLS, 0);
    let contents = Contents { documents, chunks, vectors, cells: &cells, names, ..Contents::bare(info) };
    assemble_bundle(&contents, &HeldFolder::open(folder.path()).unwrap()).unwrap();
    let mut out = BTreeMap::new();
    read(folder.path(), "", &mut out);
    out
}

fn read(folder: &Path, before: &str, out: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{before}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            read(&path, &format!("{name}/"), out);
        } else {
            out.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// Remembers what it was asked for, and answers each request a moment later.
struct Watched {
    files: MemorySource,
    asked: RefCell<Vec<String>>,
}

impl Source for Watched {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.asked.borrow_mut().push(file.to_owned());
        async move {
            let mut waited = false;
            futures::future::poll_fn(|context| {
                if std::mem::replace(&mut waited, true) {
                    return std::task::Poll::Ready(());
                }
                context.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
            self.files.read(file, limit).await
        }
        .boxed_local()
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.files.inflate(gzip, length)
    }
}

fn open(files: &BTreeMap<String, Vec<u8>>) -> (Rc<Watched>, Engine) {
    let source = Rc::new(Watched { files: MemorySource { files: files.clone() }, asked: RefCell::default() });
    let engine = block_on(Engine::open(Rc::clone(&source) as Rc<dyn Source>, 1 << 30)).unwrap();
    (source, engine)
}

async fn near(engine: &Engine, vector: &[f32]) -> SearchResult {
    let query = Query { text: "q".into(), vector: Some(vector.to_vec()), ..Query::default() };
    let options = SearchOptions { k: Some(10), retriever: Some("dense".into()), ..SearchOptions::default() };
    engine.search_query(&query, &options).await.unwrap()
}

/// Questions between the clusters' members, where the nearest are spread over cells.
fn questions(vectors: &[Vec<f32>]) -> Vec<Vec<f32>> {
    (0..40)
        .map(|i| {
            let v: Vec<f32> =
                vectors[i * 211].iter().zip(&vectors[i * 97 + 5]).map(|(a, b)| a + 0.4 * b).collect();
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter().map(|x| x / length).collect()
        })
        .collect()
}

#[test]
fn a_part_of_the_cells_holds_the_nearest_chunks() {
    let vectors = vectors();
    let files = files(&vectors);
    let (mut found, mut asked) = (0, 0);
    let questions = questions(&vectors);
    for question in &questions {
        let (source, engine) = open(&files);
        let hits = block_on(near(&engine, question)).hits;
        asked += source.asked.borrow().iter().filter(|f| f.starts_with("vectors/")).count();
        let mut cosines: Vec<f32> =
            vectors.iter().map(|v| v.iter().zip(question).map(|(a, b)| a * b).sum()).collect();
        cosines.sort_by(|a, b| b.total_cmp(a));
        // The vectors are stored in 8 bits: a hit counts when it is as near as the tenth but for that.
        found += hits.iter().filter(|h| h.score > cosines[9] - 0.01).count();
    }
    assert!(found * 100 >= questions.len() * 10 * 95, "{found} of {}", questions.len() * 10);
    assert!(
        asked > 0 && asked * 2 < questions.len() * CELLS,
        "{asked} cells for {} questions",
        questions.len()
    );
}

#[test]
fn a_cell_that_is_gone_is_named_and_the_others_answer() {
    let vectors = vectors();
    let mut files = files(&vectors);
    let (source, engine) = open(&files);
    let whole = block_on(near(&engine, &vectors[0]));
    assert!(whole.missing.is_empty());
    let gone = source.asked.borrow().iter().find(|f| f.starts_with("vectors/")).unwrap().clone();
    files.remove(&gone);
    let (_, engine) = open(&files);
    let result = block_on(near(&engine, &vectors[0]));
    assert!(result.missing.iter().any(|m| m.contains(&gone)), "{:?}", result.missing);
    assert_eq!(result.hits.len(), 10);
    assert_ne!(result.hits, whole.hits);
}

#[test]
fn two_questions_at_once_ask_for_no_file_twice_and_a_third_for_none() {
    let vectors = vectors();
    let (source, engine) = open(&files(&vectors));
    let (a, b) = block_on(join(near(&engine, &vectors[0]), near(&engine, &vectors[0])));
    assert_eq!(a, b);
    let mut asked = source.asked.borrow().clone();
    let all = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), all);
    block_on(near(&engine, &vectors[0]));
    assert_eq!(source.asked.borrow().len(), all);
}

#[test]
fn a_question_that_is_given_up_asks_for_nothing_more() {
    let vectors = vectors();
    let (source, engine) = open(&files(&vectors));
    let mut search = Box::pin(near(&engine, &vectors[0]));
    let waker = futures::task::noop_waker();
    assert!(search.poll_unpin(&mut std::task::Context::from_waker(&waker)).is_pending());
    let before = source.asked.borrow().len();
    drop(search);
    assert_eq!(source.asked.borrow().len(), before);
    // What was given up half-way is no harm to the next.
    assert_eq!(block_on(near(&engine, &vectors[0])).hits.len(), 10);
}

#[test]
fn hits_bring_their_documents_so_that_neither_these_nor_the_whole_list_of_pages_is_loaded() {
    let files = files(&vectors());
    let (source, engine) = open(&files);
    let options =
        SearchOptions { k: Some(10), retriever: Some("lexical".into()), ..SearchOptions::default() };
    let result = block_on(engine.search("number4321", &options)).unwrap();
    assert_eq!((result.hits[0].title.as_str(), result.hits[0].url.as_str()), ("Page 288", "p288.html"));
    let asked = source.asked.borrow();
    let begins = |with: &str| asked.iter().filter(|f| f.starts_with(with)).count();
    // The list of lists is so short that the manifest has it.
    assert_eq!(
        (begins("documents-"), begins("chunks-lists-"), begins("chunks-lists/"), begins("chunks/")),
        (0, 0, 1, 1)
    );
    assert_eq!(
        asked.iter().filter(|f| f.starts_with("chunks-") && !f.starts_with("chunks-lists")).count(),
        0
    );
}

#[test]
fn a_whole_bundle_verifies_and_a_damaged_list_is_named() {
    let mut files = files(&vectors());
    let (_, engine) = open(&files);
    assert_eq!(block_on(verify_bundle(engine.corpus().bundle())).faults, Vec::<String>::new());
    let list = files.keys().find(|f| f.starts_with("chunks-lists/")).unwrap().clone();
    files.get_mut(&list).unwrap()[20] ^= 1;
    let (_, engine) = open(&files);
    let verdict = block_on(verify_bundle(engine.corpus().bundle()));
    assert!(verdict.faults.iter().any(|f| f.contains(&list)), "{:?}", verdict.faults);
}

/// The name of a thing: two words of two syllables each, another for every number below 8,000.
fn thing(i: usize) -> String {
    let syllables = [
        "am", "bel", "cor", "dun", "eth", "far", "gol", "hul", "ist", "jor", "kel", "lum", "mar", "nor",
        "oth", "pel", "quil", "ros", "sul", "tor",
    ];
    let word = |a: usize, b: usize| {
        let mut word = format!("{}{}", syllables[a], syllables[b]);
        word[..1].make_ascii_uppercase();
        word
    };
    format!("{} of {}", word(i % 20, i / 20 % 20), word(i / 400, 19 - i % 20))
}

/// A corpus about named things, two chunks a document, of which each opens with its title and mentions
/// others.
fn named() -> (Vec<Document>, Vec<Chunk>, FoundNames) {
    let documents: Vec<Document> = (0..CHUNKS / 2)
        .map(|i| Document {
            title: thing(i),
            url: format!("{i}.html"),
            path: format!("{i}.md"),
            language: String::new(),
        })
        .collect();
    let chunk = |c: usize| {
        let i = c / 2;
        let text = match c % 2 {
            0 => format!(
                "{} is a lantern. It stands beside the King {}.",
                thing(i),
                thing(i / 2 * 7 % (CHUNKS / 2))
            ),
            _ => format!("Sailors see {} from afar.", thing(i * 13 % (CHUNKS / 2))),
        };
        Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            text,
            start: 0,
            end: 10,
        }
    };
    let chunks: Vec<Chunk> = (0..CHUNKS).map(chunk).collect();
    let embed = |texts: &[String]| {
        let one = |t: &String| (0..DIM).map(|d| ((t.len() * (d + 3)) % 17) as f32 - 8.0).collect();
        texts.iter().map(one).collect()
    };
    let found = find_with(&documents, &chunks, &[], Some(&embed), false);
    assert!(found.table.hop);
    (documents, chunks, found)
}

#[test]
fn names_in_ranges_are_known_as_the_whole_table_knows_them() {
    let (documents, chunks, found) = named();
    let files = files_of(&documents, &chunks, &vectors(), Some(&found));
    let (_, engine) = open(&files);
    // The naive reference: the whole table, and the documents of the chunks as the bundle orders them.
    let every: Vec<u32> = (0..CHUNKS as u32).collect();
    let document_of: Vec<u32> =
        block_on(engine.corpus().chunks(&every)).unwrap().0.values().map(|c| c.document).collect();
    let whole: NameTable = numbered_by_chunks(&found.table, &document_of);
    assert_ne!(whole.document_of, document_of, "cells bring chunks of later documents to the front");
    assert_eq!(
        block_on(engine.corpus().documents_of_chunks()).unwrap(),
        document_of,
        "both numbers of each document are known"
    );
    let mut order: Vec<u32> = Vec::new();
    document_of.iter().for_each(|d| {
        if !order.contains(d) {
            order.push(*d)
        }
    });
    let questions = [
        "What stands beside Ammar of Amtor?".to_owned(),
        format!("is {} near {}", thing(4321), thing(77).to_lowercase()),
        format!("{} {} {}", thing(0), thing(399), thing(4499)),
        "nothing that is named here".to_owned(),
        String::new(),
    ];
    for question in &questions {
        let (source, engine) = open(&files);
        let terms: Vec<String> = title_terms(question);
        let index = block_on(NameIndex::open(engine.corpus(), question, &terms)).unwrap();
        assert_eq!(index.count() as usize, whole.entries.len());
        assert_eq!(
            in_question(question, &|key| index.lookup(key)),
            in_question(question, &|key| whole.lookup(key))
        );
        assert_eq!(index.documents.of, whole.document_of);
        for term in &terms {
            let naive: Vec<(u32, u32)> = (0..order.len())
                .filter(|&d| title_terms(&documents[order[d] as usize].title).contains(term))
                .map(|d| (d as u32, whole.title_weight[d]))
                .collect();
            assert_eq!(index.titled(term), naive, "{term}");
        }
        let asked = source
            .asked
            .borrow()
            .iter()
            .filter(|f| f.starts_with("names/") || f.starts_with("titles/"))
            .count();
        let ranges = files.keys().filter(|f| f.starts_with("names/") || f.starts_with("titles/")).count();
        assert!(asked * 2 < ranges, "{asked} of {ranges} for {question:?}");
    }
    // What a hop follows: names by their places, and the names inside phrases that name nothing.
    let mut index = block_on(NameIndex::open(engine.corpus(), "", &[])).unwrap();
    let places: Vec<u32> =
        (0..whole.entries.len() as u32).step_by(97).chain((0..40).map(|i| i * 3)).collect();
    assert_eq!(block_on(index.load(&places)), Vec::<String>::new());
    for &p in &places {
        let entry = index.at(p).unwrap();
        assert_eq!(entry, whole.entries[p as usize]);
        assert_eq!(
            find_inside(&entry, &|key| index.lookup(key)),
            find_inside(&entry, &|key| whole.lookup(key))
        );
    }
    assert!(
        whole.entries.iter().any(|e| e.of.is_empty() && e.key.starts_with("king")),
        "phrases that name nothing are among them"
    );
}

#[test]
fn auto_finds_named_and_mentioned_things_without_the_whole_of_names_and_documents() {
    let (documents, chunks, found) = named();
    let vectors = vectors();
    let mut files = files_of(&documents, &chunks, &vectors, Some(&found));
    let ask = |engine: &Engine| {
        let question = format!("What is beside {}?", thing(1234));
        let query =
            Query { vector: Some(vectors[0].clone()), ..Query::of_words(&question, &question, false) };
        let options =
            SearchOptions { k: Some(20), retriever: Some("auto".into()), ..SearchOptions::default() };
        block_on(engine.search_query(&query, &options)).unwrap()
    };
    let (source, engine) = open(&files);
    let whole = ask(&engine);
    assert_eq!(whole.missing, Vec::<String>::new());
    assert_eq!(whole.hits[0].title, thing(1234));
    assert!(matches!(&whole.hits[0].reached[..], [Reached::Query | Reached::Name { .. }, ..]));
    let linked = whole.hits.iter().find(|h| h.title == thing(1234 / 2 * 7 % (CHUNKS / 2))).unwrap();
    assert!(
        linked.reached.iter().any(|r| matches!(r, Reached::Link { from, .. } if *from == thing(1234))),
        "{:?}",
        linked.reached
    );
    let asked = source.asked.borrow().clone();
    assert!(!asked.iter().any(|f| f.starts_with("documents-")));
    // A range of names that is gone is named, and the rest answers.
    let gone = asked.iter().find(|f| f.starts_with("names/")).unwrap();
    files.remove(gone);
    let (_, engine) = open(&files);
    let rest = ask(&engine);
    assert!(rest.missing.iter().any(|m| m.contains(gone)), "{:?}", rest.missing);
    assert!(!rest.hits.is_empty());
}
