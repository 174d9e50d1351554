//! An engine that shares its thread with a page: it gives the thread back in the middle of its work, and
//! comes to the same.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use futures::future::{FutureExt, LocalBoxFuture, poll_fn};
use pocketgraph::agent::{AgentOptions, AskWith, PlannedBy, PlannerChoice, plan_question};
use pocketgraph::answer::AskOptions;
use pocketgraph::bundle::{Source, SourceError};
use pocketgraph::engine::{DEFAULT_MEMORY_LIMIT, Engine, SearchOptions};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::BuildOptions;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::task::Poll;

/// A folder behind which somebody else always wants the thread.
struct Shared {
    folder: FolderSource,
    turns: Cell<usize>,
}

impl Source for Shared {
    fn read<'a>(&'a self, file: &'a str, limit: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.folder.read(file, limit)
    }

    fn inflate<'a>(&'a self, gzip: Vec<u8>, length: u64) -> LocalBoxFuture<'a, Result<Vec<u8>, SourceError>> {
        self.folder.inflate(gzip, length)
    }

    fn pause(&self) -> Option<LocalBoxFuture<'static, ()>> {
        self.turns.set(self.turns.get() + 1);
        let mut waited = false;
        let turn = poll_fn(move |context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        });
        Some(turn.boxed_local())
    }
}

/// A bundle of a few passages and a small graph of films.
fn bundle(folder: &Path) {
    let films = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/films.tsv");
    let passages = [
        ("Voss", "Mira Voss was born in Hallwil in 1871. She died in Bern."),
        ("Hallwil", "Hallwil lies on a lake in Aargau."),
    ];
    drop(support::engine(support::corpus(folder, passages), |options| BuildOptions {
        knowledge: Some((KgFiles { triples: vec![films], ..KgFiles::default() }, ImportOptions::default())),
        ..options
    }));
}

#[test]
fn long_work_is_done_in_turns_and_comes_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    bundle(folder.path());
    let bundle = folder.path().join("bundle");
    let alone =
        block_on(Engine::open(Rc::new(FolderSource::new(bundle.clone())), DEFAULT_MEMORY_LIMIT)).unwrap();
    let shared = Rc::new(Shared { folder: FolderSource::new(bundle), turns: Cell::default() });
    let engine = block_on(Engine::open(Rc::clone(&shared) as Rc<dyn Source>, DEFAULT_MEMORY_LIMIT)).unwrap();

    block_on(alone.prepare()).unwrap();
    block_on(engine.prepare()).unwrap();
    // Five megabytes are hashed by the sixteenth of one, and the 216 panels of each of their six layers
    // decoded by fours.
    assert!(shared.turns.replace(0) >= 80 + 6 * 54);

    let found = |engine: &Engine| {
        block_on(engine.search("where was Mira Voss born?", &SearchOptions::default())).unwrap()
    };
    assert_eq!(found(&engine), found(&alone));
    // In each layer that reads the question a turn before each head of attention, and before and after these.
    assert!(shared.turns.replace(0) >= 6 * 14);

    let quoted = |engine: &Engine| {
        block_on(engine.quote("where was Mira Voss born?", &AskOptions::default(), &mut |_| {})).unwrap()
    };
    assert_eq!(quoted(&engine), quoted(&alone));
    // The question again, and each of its sentences.
    assert!(shared.turns.replace(0) >= 3 * 6 * 14);

    let planned = |engine: &Engine| {
        let with = AskWith { chat: None, clock: &|| 0.0, graph: None, web: None, tools: None };
        let options = AgentOptions { planner: PlannerChoice::Trained, ..AgentOptions::default() };
        block_on(plan_question(
            engine,
            "Which films were directed by Michael Mann and also starred Al Pacino?",
            &options,
            &with,
        ))
        .unwrap()
    };
    let plan = planned(&engine);
    assert_eq!((&plan, plan.by), (&planned(&alone), Some(PlannedBy::Trained)));
    // The trained planner's own layers, and its pass over the question.
    assert!(shared.turns.get() >= 25, "{}", shared.turns.get());
}
