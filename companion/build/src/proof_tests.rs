//! Answers, pages and bundles that were tampered with, a thousand of each kind of tampering.

use super::*;
use crate::folder::FolderSource;
use crate::pipeline::{BuildOptions, Input, build};
use futures::executor::block_on;
use futures::future::LocalBoxFuture;
use pocketgraph::answer::AskOptions;
use pocketgraph::bundle::{MemorySource, Source, SourceError};
use pocketgraph_native::progress::Silent;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

const KETTLE: &str =
    "# Kettle\n\nIt boils water.\n\n## Warranty\n\nThe warranty of the kettle ends after two years.\n";
const OVEN: &str = "# Oven\n\nThe oven reaches 250 degrees. Bread wants 230.\n";

thread_local! {
    /// Number of pages that were read.
    pub(super) static READ: Cell<usize> = const { Cell::new(0) };
}

/// A bundle in memory that keeps the names of the files that are read.
#[derive(Default)]
struct Watched {
    files: MemorySource,
    read: RefCell<BTreeSet<String>>,
}

impl Source for Watched {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.read.borrow_mut().insert(file.to_owned());
        self.files.read(file, limit)
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.files.inflate(gzip, length)
    }
}

fn built(folder: &Path, kettle: &str) -> Engine {
    let docs = folder.join("docs");
    std::fs::create_dir_all(&docs).unwrap();
    std::fs::write(docs.join("kettle.md"), kettle).unwrap();
    std::fs::write(docs.join("oven.md"), OVEN).unwrap();
    let out = folder.join("bundle");
    let options = BuildOptions { runtime: false, ..BuildOptions::bare(Input::Documents(docs), out.clone()) };
    build(&options, &Silent).unwrap();
    block_on(Engine::open(Rc::new(FolderSource::new(out)), 1 << 30)).unwrap()
}

/// The files below a folder, by their names from there.
fn files_in(folder: &Path, before: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = entries.flat_map(|path| {
        let name = format!("{before}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            return files_in(&path, &format!("{name}/"));
        }
        BTreeMap::from([(name, std::fs::read(&path).unwrap())])
    });
    inside.collect()
}

fn answered(engine: &Engine) -> Value {
    let question = "When does the warranty of the kettle end?";
    let answer = block_on(engine.quote(question, &AskOptions::default(), &mut |_| {}));
    let printed = block_on(with_proofs(engine, serde_json::to_value(answer.unwrap()).unwrap())).unwrap();
    assert!(printed["citations"][0][PROOF].is_object(), "{printed}");
    // As a file brings it.
    serde_json::from_str(&printed.to_string()).unwrap()
}

fn holds(engine: &Engine, printed: &Value) -> bool {
    block_on(prove_answer(engine, printed.clone())).is_ok_and(|verdict| verdict.faults.is_empty())
}

/// Numbers that look drawn, the same in each run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// The paths of all values inside of a value.
fn places(value: &Value) -> Vec<String> {
    let inner =
        |name: String, value: &Value| places(value).into_iter().map(move |rest| format!("/{name}{rest}"));
    let inside: Vec<String> = match value {
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| inner(name.clone(), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(i, value)| inner(i.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(String::new()).chain(inside).collect()
}

/// Changes one value: a character, a number, a truth, or what is in a list.
fn tampered(draws: &mut Draws, place: &mut Value) {
    match place {
        Value::String(text) => {
            let mut all: Vec<char> = text.chars().collect();
            let at = draws.below(all.len() + 1);
            match draws.below(3) {
                0 if at < all.len() => drop(all.remove(at)),
                1 if at < all.len() => all[at] = if all[at] == 'x' { 'y' } else { 'x' },
                _ => all.insert(at, '7'),
            }
            *text = all.into_iter().collect();
        }
        Value::Number(n) => *place = json!(n.as_f64().unwrap_or(0.0) + 1.0 + draws.below(9) as f64),
        Value::Bool(truth) => *truth = !*truth,
        Value::Null => *place = json!("more"),
        Value::Array(items) if draws.below(2) == 0 && !items.is_empty() => drop(items.pop()),
        Value::Array(items) => items.push(json!({ "number": 1 })),
        Value::Object(members) => drop(members.insert(format!("more{}", draws.below(99)), json!(1))),
    }
}

#[test]
fn an_answer_holds_in_its_bundle_however_its_json_is_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let engine = built(folder.path(), KETTLE);
    let printed = answered(&engine);
    let laid_out: Value = serde_json::from_str(&serde_json::to_string_pretty(&printed).unwrap()).unwrap();
    let verdict = block_on(prove_answer(&engine, laid_out)).unwrap();
    assert_eq!((verdict.faults, verdict.elsewhere), (Vec::new(), Vec::new()));
    assert!(verdict.proved > 0);
    let proof = Proof::deserialize(&printed["citations"][0][PROOF]).unwrap();
    assert_eq!(proof.bundle, bundle_hash(engine.corpus().bundle().manifest()));
    for wrong in [json!({}), json!([1]), json!("text"), json!({ "answer": {} })] {
        assert!(block_on(prove_answer(&engine, wrong.clone())).is_err(), "{wrong}");
    }
}

#[test]
fn a_seal_is_that_of_the_package() {
    // tests/node/prove.test.mjs has the same.
    let printed =
        json!({ "b": [1, 1.0, -0.25, 1e21, 1e-7, null, true], "a": "é\n\"\u{1}\u{7f}😀", "seal": "x" });
    assert_eq!(compute_seal(&printed), "2fbaaf43cc5178d47475e87a05f7e743c52fd89f8ada37178719852e9b8491e1");
}

#[test]
fn a_thousand_tampered_answers_are_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let engine = built(folder.path(), KETTLE);
    let printed = answered(&engine);
    let (all, mut draws) = (places(&printed), Draws(1));
    for _ in 0..1000 {
        let (mut copy, place) = (printed.clone(), &all[draws.below(all.len())]);
        tampered(&mut draws, copy.pointer_mut(place).unwrap());
        assert!(!holds(&engine, &copy), "{place} of {copy}");
    }
}

#[test]
fn a_thousand_citations_that_were_tampered_with_and_sealed_anew_are_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let engine = built(folder.path(), KETTLE);
    let printed = answered(&engine);
    let checked = ["target/chunk", "title", "headingPath", "url", "quote", "span", "proof"];
    let checked = checked.map(|name| format!("/citations/0/{name}"));
    let mut all = places(&printed);
    all.retain(|place| checked.iter().any(|c| place.starts_with(c)));
    let mut draws = Draws(2);
    for _ in 0..1000 {
        let (mut copy, place) = (printed.clone(), &all[draws.below(all.len())]);
        tampered(&mut draws, copy.pointer_mut(place).unwrap());
        copy[SEAL] = compute_seal(&copy).into();
        let span = place.ends_with("/span") && copy["citations"][0]["span"].is_object();
        assert!(span || !holds(&engine, &copy), "{place} of {copy}");
    }
}

#[test]
fn a_thousand_bundles_with_a_changed_byte_are_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let printed = answered(&built(folder.path(), KETTLE));
    let bundle = folder.path().join("bundle");
    let files = MemorySource { files: files_in(&bundle, "") };
    let holds_over = |files: &MemorySource| {
        let watched = Rc::new(Watched { files: files.clone(), ..Watched::default() });
        let engine = block_on(Engine::open(Rc::clone(&watched) as Rc<dyn Source>, 1 << 30));
        (engine.is_ok_and(|engine| holds(&engine, &printed)), watched.read.take())
    };
    let (untouched, read) = holds_over(&files);
    assert!(untouched);
    let files =
        MemorySource { files: files.files.into_iter().filter(|(name, _)| read.contains(name)).collect() };
    let (read, mut draws): (Vec<String>, Draws) = (read.into_iter().collect(), Draws(3));
    for _ in 0..1000 {
        let mut copy = files.clone();
        let name = &read[draws.below(read.len())];
        let bytes = copy.files.get_mut(name).unwrap();
        let at = draws.below(bytes.len());
        bytes[at] ^= 1 << draws.below(8);
        assert!(!holds_over(&copy).0, "byte {at} of {name}");
    }
}

#[test]
fn an_answer_does_not_hold_in_a_bundle_built_of_other_pages() {
    let folder = tempfile::tempdir().unwrap();
    let printed = answered(&built(folder.path(), KETTLE));
    let edited = [("two years", "ten years"), ("boils", "heats")].map(|(old, new)| KETTLE.replace(old, new));
    for changed in edited.into_iter().chain(["# Kettle\n".to_owned()]) {
        let other = tempfile::tempdir().unwrap();
        let faults = block_on(prove_answer(&built(other.path(), &changed), printed.clone())).unwrap().faults;
        assert!(!faults.is_empty(), "{changed}");
    }
}

#[test]
fn a_page_is_read_and_hashed_once_however_often_it_is_cited() {
    let folder = tempfile::tempdir().unwrap();
    let engine = built(folder.path(), KETTLE);
    let mut printed = answered(&engine);
    let citation = printed["citations"][0].clone();
    printed["citations"] = Value::Array(vec![citation; 1000]);
    printed[SEAL] = compute_seal(&printed).into();
    let before = READ.get();
    assert_eq!(block_on(prove_answer(&engine, printed)).unwrap().proved, 1000);
    assert_eq!(READ.get() - before, 1);
}
