//! What examples share that tell something of each question of a file, for scripts that fit weights.

use pocketgraph::bundle::MemorySource;
use pocketgraph::engine::Engine;
use serde_json::Value;
use std::path::Path;
use std::rc::Rc;

/// Opens the bundle that the command line names, prepares it, and prints what `told` says of each question of
/// the file named behind it: a line of JSON each.
pub fn report_each(describe: impl AsyncFn(&Engine, &Value) -> Value) {
    let mut args = std::env::args().skip(1);
    let (bundle, questions) = (args.next().unwrap(), args.next().unwrap());
    let engine =
        futures::executor::block_on(Engine::open(Rc::new(in_memory(Path::new(&bundle))), 1 << 30)).unwrap();
    futures::executor::block_on(engine.prepare()).unwrap();
    for line in std::fs::read_to_string(questions).unwrap().lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        println!("{}", futures::executor::block_on(describe(&engine, &question)));
    }
}

/// A bundle's files.
fn in_memory(bundle: &Path) -> MemorySource {
    let mut source = MemorySource::default();
    let mut folders = vec![bundle.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                source.files.insert(
                    path.strip_prefix(bundle).unwrap().to_str().unwrap().to_owned(),
                    std::fs::read(&path).unwrap(),
                );
            }
        }
    }
    source
}
