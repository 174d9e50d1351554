//! A whole bundle: the same bytes for the same input, and nothing but errors from damaged ones.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use futures::executor::block_on;
use pocketgraph::bundle::{Chunk, Document, EmbedderInfo};
use pocketgraph::bundle::{MANIFEST, Manifest, MemorySource};
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::keyword::KeywordGraph;
use pocketgraph::kg::{KgBuilder, KnowledgeGraph, LiteralKind, Provenance};
use pocketgraph::plan::execute::{Limits, Resources};
use pocketgraph::plan::{check, rft};
use pocketgraph::retrieve::Reached;
use pocketgraph::sparse::Csr;
use pocketgraph::vector::QuantizedMatrix;
use pocketgraph_build::assemble::{Contents, HeldFolder, assemble_bundle};
use pocketgraph_build::verify::verify_bundle;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

const DIM: usize = 8;

/// A small deterministic generator: the tests need variety, not quality.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

fn unit(dice: &mut Dice) -> Vec<f32> {
    let v: Vec<f32> = (0..DIM).map(|_| dice.roll(2001) as f32 / 1000.0 - 1.0).collect();
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    v.into_iter().map(|x| x / length).collect()
}

/// Harbours, their countries, and the chunk that says so.
fn knowledge() -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let (r, depth) = (b.relation("lies_in").unwrap(), b.relation("depth").unwrap());
    let t = b.entity_type("harbour").unwrap();
    for (i, (harbour, country)) in
        [("Hamburg", "Germany"), ("Kiel", "Germany"), ("Brest", "France")].into_iter().enumerate()
    {
        let (harbour, country) = (b.entity(harbour).unwrap(), b.entity(country).unwrap());
        b.entity_has_type(harbour, t).unwrap();
        b.triple(harbour, r, country, Provenance::Passage { chunk: i as u32, start: 0, end: 9 }).unwrap();
        let metres = b.literal(&(10 + i).to_string(), LiteralKind::Number, "", "m").unwrap();
        b.triple(harbour, depth, metres, Provenance::Line { file: "depths.tsv", line: i as u32 + 1 })
            .unwrap();
    }
    b.finish().unwrap()
}

/// A bundle of 60 chunks in 3 cells with 5 keywords and a knowledge graph, without a model.
fn small_bundle(folder: &Path) {
    bundle_of(60, folder);
}

/// The same with so many chunks.
fn bundle_of(count: u32, folder: &Path) {
    let words = ["tide", "moon", "harbour", "lantern", "Größe", "東京", "rope", "keel", "compass", "anchor"];
    let mut dice = Dice(7);
    let documents: Vec<Document> = (0..count / 10)
        .map(|i| Document {
            title: format!("Page {i}"),
            url: format!("p{i}.html"),
            path: format!("p{i}.md"),
            language: String::new(),
        })
        .collect();
    let chunks: Vec<Chunk> = (0..count)
        .map(|i| Chunk {
            document: i / 10,
            heading_path: vec![format!("Part {}", i % 3)],
            fragment: format!("part-{}", i % 3),
            text: (0..12).map(|_| words[dice.roll(words.len())]).collect::<Vec<_>>().join(" "),
            start: i * 100,
            end: i * 100 + 90,
        })
        .collect();
    let vectors: Vec<Vec<f32>> = (0..count).map(|_| unit(&mut dice)).collect();
    let cells: Vec<u32> = (0..count).map(|i| i % 3).collect();
    let rows: Vec<Vec<f32>> = (0..5).map(|_| unit(&mut dice)).collect();
    let graph = KeywordGraph {
        labels: words[..5].iter().map(|w| (*w).to_owned()).collect(),
        vectors: QuantizedMatrix::from_rows(DIM, rows.iter().map(Vec::as_slice)),
        weights: Csr::from_rows(5, vec![vec![(1, 3)], vec![(0, 3), (2, 1)], vec![(1, 1)], vec![], vec![]]),
        associated: vec![4, 5, 1, 2, 3],
        chunks_by_u: (0..5u32).map(|i| vec![i, i + 10]).collect(),
        chunks_by_angle: (0..5u32).map(|i| vec![i + 20, i]).collect(),
    };
    let found = pocketgraph_knowledge::names::find_with(&documents, &chunks, &[], None, false);
    assemble_bundle(
        &Contents {
            documents: &documents,
            chunks: &chunks,
            vectors: &vectors,
            cells: &cells,
            keywords: Some(&graph),
            names: Some(&found),
            knowledge: Some(&knowledge()),
            options: vec![("seed".into(), "0".into())],
            ..Contents::bare(EmbedderInfo {
                id: "test".into(),
                dimension: DIM as u64,
                ..EmbedderInfo::default()
            })
        },
        &HeldFolder::open(folder).unwrap(),
    )
    .unwrap();
}

fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                out.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, folder, &mut out);
    out
}

fn example() -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    small_bundle(dir.path());
    files_of(dir.path())
}

async fn open(files: &BTreeMap<String, Vec<u8>>) -> Result<Engine, String> {
    Engine::open(Rc::new(MemorySource { files: files.clone() }), 1 << 20).await.map_err(|e| e.to_string())
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(example(), example());
}

#[test]
fn a_whole_bundle_verifies_and_answers_every_retriever() {
    block_on(async {
        let engine = open(&example()).await.unwrap();
        let verdict = verify_bundle(engine.corpus().bundle()).await;
        assert_eq!(verdict.faults, Vec::<String>::new());
        for retriever in ["lexical", "dense", "hybrid", "autokg"] {
            let options =
                SearchOptions { k: Some(5), retriever: Some(retriever.into()), ..SearchOptions::default() };
            let result = engine.search("a lantern in the harbour", &options).await.unwrap();
            // What keywords alone bring comes on top of k.
            let nearest = result.hits.iter().filter(|h| !Reached::by_keyword_alone(&h.reached)).count();
            assert_eq!(nearest, 5, "{retriever}");
            assert!(result.missing.is_empty());
            assert!(
                result
                    .hits
                    .iter()
                    .all(|h| h.url.contains(".html#part-") && !h.reached.is_empty() && h.score.is_finite())
            );
        }
    });
}

#[test]
fn a_plan_runs_over_the_bundle_s_graph_and_falls_back_to_its_passages() {
    block_on(async {
        let engine = open(&example()).await.unwrap();
        let run = async |lines: &str| {
            let plan = rft::parse(lines, &check::Limits::default()).unwrap().plan;
            engine.execute(&plan, Resources::default(), Limits::default()).await.unwrap()
        };
        let linker = engine.knowledge().await.unwrap().unwrap();
        // Chunks are numbered by cell: three cells of twenty.
        let numbers: Vec<u32> = (0..60).map(|i| i % 3 * 20 + i / 3).collect();
        assert_eq!(*linker.graph(), knowledge().with_chunks_renumbered(&numbers));
        let deepest = run("A=SearchKG(t=harbour | h=germany, r=lies in)\nB=Max(A | r=depth)").await;
        assert_eq!(
            deepest.answer().members.iter().map(|m| m.item.label(Some(linker.graph()))).collect::<Vec<_>>(),
            ["Kiel"]
        );
        let lacking = run("A=SearchKG(t=* | h=Hamburg, r=compass lantern)").await;
        assert!(!lacking.trace.steps[0].passages.is_empty());
        assert!(lacking.trace.steps[0].passages.iter().all(|p| p.chunk.is_some()));
    });
}

#[test]
fn every_file_that_is_missing_is_named() {
    block_on(async {
        let whole = example();
        for name in whole.keys() {
            let mut files = whole.clone();
            files.remove(name);
            match open(&files).await {
                Err(e) => assert!(e.contains(MANIFEST), "{name}: {e}"),
                Ok(engine) => {
                    let verdict = verify_bundle(engine.corpus().bundle()).await;
                    assert!(
                        verdict.faults.iter().any(|f| f.contains(name.as_str())),
                        "{name}: {:?}",
                        verdict.faults
                    );
                }
            }
        }
    });
}

#[test]
fn a_page_that_fails_is_reported_on_the_result_and_the_rest_answers() {
    block_on(async {
        let dir = tempfile::tempdir().unwrap();
        bundle_of(300, dir.path());
        let mut files = files_of(dir.path());
        let page = files.keys().find(|n| n.starts_with("chunks/")).unwrap().clone();
        files.get_mut(&page).unwrap()[20] ^= 1;
        let engine = open(&files).await.unwrap();
        let options =
            SearchOptions { k: Some(300), retriever: Some("lexical".into()), ..SearchOptions::default() };
        let result =
            engine.search("tide moon harbour lantern rope keel compass anchor", &options).await.unwrap();
        assert!(result.missing.iter().any(|m| m.contains(&page)), "{:?}", result.missing);
        assert!(!result.hits.is_empty());
    });
}

#[test]
fn any_flipped_byte_is_seen() {
    block_on(async {
        let whole = example();
        let mut dice = Dice(1);
        for (name, bytes) in &whole {
            for _ in 0..3 {
                let mut files = whole.clone();
                let at = dice.roll(bytes.len());
                files.get_mut(name).unwrap()[at] ^= 1 << dice.roll(8);
                // White space and the order of members carry no meaning in the manifest; everything else is
                // under a hash.
                if let Ok(engine) = open(&files).await {
                    assert_ne!(
                        verify_bundle(engine.corpus().bundle()).await.faults,
                        Vec::<String>::new(),
                        "{name} at {at}"
                    );
                }
            }
        }
    });
}

#[test]
fn ten_thousand_mutations_bring_errors_or_answers_never_a_panic() {
    block_on(async {
        let whole = example();
        let names: Vec<String> = whole.keys().cloned().collect();
        let mut dice = Dice(42);
        let mut refused = 0;
        for round in 0..10_000 {
            let mut files = whole.clone();
            let name = &names[dice.roll(names.len())];
            let bytes = files.get_mut(name).unwrap();
            match dice.roll(4) {
                0 => {
                    let at = dice.roll(bytes.len());
                    bytes[at] ^= 1 << dice.roll(8);
                }
                1 => bytes.truncate(dice.roll(bytes.len())),
                2 => {
                    let at = dice.roll(bytes.len());
                    bytes.insert(at, dice.roll(256) as u8);
                }
                _ => {
                    let at = dice.roll(bytes.len());
                    let end = (at + 1 + dice.roll(16)).min(bytes.len());
                    bytes[at..end].fill(dice.roll(256) as u8);
                }
            }
            let Ok(engine) = open(&files).await else {
                refused += 1;
                continue;
            };
            let retriever = ["lexical", "dense", "hybrid", "autokg"][round % 4];
            let options = SearchOptions {
                k: Some(10),
                retriever: Some(retriever.into()),
                typing: round % 2 == 0,
                ..SearchOptions::default()
            };
            match engine.search("tide in the harbour", &options).await {
                Ok(r) => refused += usize::from(!r.missing.is_empty()),
                Err(_) => refused += 1,
            }
        }
        // Most mutations hit a file that this question does not read, but many must have been noticed.
        assert!(refused > 1000, "{refused}");
    });
}

#[test]
fn decoders_survive_mutations_that_their_hashes_would_have_caught() {
    // Behind the hash there is a second wall: the decoders themselves, fed with damaged bytes whose names are
    // made to fit.
    block_on(async {
        let whole = unpacked(&example());
        let mut dice = Dice(3);
        for _ in 0..2_000 {
            let names: Vec<&String> = whole.keys().filter(|n| *n != MANIFEST).collect();
            let name = names[dice.roll(names.len())];
            let mut raw = if whole[name].starts_with(&[0x1f, 0x8b]) {
                let length = u32::from_le_bytes(whole[name][whole[name].len() - 4..].try_into().unwrap());
                pocketgraph::bundle::inflate_gzip(&whole[name], length.into()).unwrap()
            } else {
                whole[name].clone()
            };
            let at = dice.roll(raw.len());
            raw[at] = dice.roll(256) as u8;
            decode_any(&raw);
            raw.truncate(at);
            decode_any(&raw);
        }
    });
}

/// The files of a bundle with those by themselves that share one.
fn unpacked(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let manifest = Manifest::from_json(&files[MANIFEST]).unwrap();
    let mut out = files.clone();
    for pack in manifest.packs {
        let bytes = out.remove(&pack.file).unwrap();
        let mut rest = bytes.as_slice();
        for (file, length) in pack.holds {
            let (own, behind) = rest.split_at(length as usize);
            out.insert(file, own.to_vec());
            rest = behind;
        }
        assert!(rest.is_empty());
    }
    assert!(out.len() > files.len());
    out
}

fn decode_any(bytes: &[u8]) {
    use pocketgraph::bundle::{
        Kind, PagedIndex, TermIndex, VectorIndex, decode_chunks, decode_documents, decode_range,
        decode_vectors, open_section,
    };
    use pocketgraph::names::{ChunkDocuments, decode_links};
    let _ = decode_documents("f", bytes);
    let _ = decode_chunks("f", bytes, 6);
    let _ = decode_vectors("f", bytes, Kind::Vectors, 20, DIM as u64);
    let _ = VectorIndex::decode("f", bytes, 60, DIM as u64);
    let _ = TermIndex::decode("f", bytes);
    let _ = decode_range("f", bytes, 60);
    let _ = ChunkDocuments::decode("f", bytes, 60);
    let _ = decode_links("f", bytes);
    for kind in [Kind::ChunkIndex, Kind::WordIndex] {
        if let Ok(mut b) = open_section("f", bytes, kind) {
            let _ = PagedIndex::take(&mut b);
        }
    }
}

#[test]
fn an_empty_or_giant_question_finds_nothing_or_something_but_never_fails() {
    block_on(async {
        let engine = open(&example()).await.unwrap();
        for question in
            ["", "   ", "?!", "\u{0}\u{1}", &"tide ".repeat(20_000), &"x".repeat(100_000), "東京", "ﷺ"]
        {
            for retriever in ["lexical", "dense", "hybrid", "autokg"] {
                let options = SearchOptions {
                    k: None,
                    retriever: Some(retriever.into()),
                    typing: true,
                    ..SearchOptions::default()
                };
                let result = engine.search(question, &options).await.unwrap();
                assert!(result.hits.iter().all(|h| h.score.is_finite()));
            }
        }
    });
}

#[test]
fn an_unknown_retriever_is_refused_with_the_names_there_are() {
    block_on(async {
        let engine = open(&example()).await.unwrap();
        let e = engine
            .search("tide", &SearchOptions { retriever: Some("magic".into()), ..SearchOptions::default() })
            .await
            .unwrap_err();
        assert_eq!(e.code(), "bad-argument");
        assert!(e.to_string().contains("hybrid"));
    });
}

#[test]
fn memory_stays_within_its_limit_and_pages_come_back() {
    block_on(async {
        let files = example();
        let engine = Engine::open(Rc::new(MemorySource { files }), 4_000).await.unwrap();
        let options =
            SearchOptions { k: Some(20), retriever: Some("lexical".into()), ..SearchOptions::default() };
        let first = engine.search("moon", &options).await.unwrap();
        engine.search("keel anchor", &options).await.unwrap();
        // One file may be larger than the limit; beyond it, the least recently used are gone.
        assert!(engine.stats().memory < 12_000, "{:?}", engine.stats());
        assert_eq!(engine.search("moon", &options).await.unwrap(), first);
    });
}
