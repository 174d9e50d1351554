//! Each format is in the handbook, and inputs of each are fuzzed.
#![allow(clippy::unwrap_used)]

use crate::formats;
use crate::walk::find_format;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

#[test]
fn every_format_is_in_the_handbook_and_has_a_seed_for_fuzzing() {
    let handbook = read("docs/how-documents-are-read.md").replace('`', "");
    let targets = read("fuzz/src/targets.rs");
    let files = targets.split('"').filter(|text| text.starts_with("a/"));
    let fuzzed: BTreeSet<&str> =
        files.filter_map(|file| find_format(Path::new(file))).map(|f| f.name).collect();
    let mut missing = Vec::new();
    for format in formats::ALL {
        let endings = format.endings.iter().map(|e| format!(".{e}"));
        let names = endings.chain(format.examples.iter().map(|e| (*e).to_owned()));
        let unnamed = names.filter(|name| !handbook.contains(name.as_str()));
        missing.extend(unnamed.map(|name| format!("{name} in docs/how-documents-are-read.md")));
        if !fuzzed.contains(format.name) {
            missing.push(format!("a file of the format {} in fuzz/src/targets.rs", format.name));
        }
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
}
