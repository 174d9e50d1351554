//! Checks that the table of options, the Rust types, their readers in the wasm, and the written files agree.
#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph::agent::AgentOptions;
use pocketgraph_testing::golden::golden;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn what_is_written_of_the_table_is_up_to_date() {
    for (path, text) in render_files(Path::new(ROOT)).unwrap() {
        golden(ROOT, path, &text);
    }
}

#[test]
fn every_line_of_the_table_is_an_option() {
    let lines = include_str!("../../src/agent/options.tsv").lines();
    assert_eq!(lines.count(), OPTIONS.len());
}

fn in_json() -> BTreeSet<&'static str> {
    OPTIONS.iter().filter(|o| o.is_in_json()).map(|o| o.name).collect()
}

/// The members that the options of protocols have in Rust.
fn members() -> Map<String, Value> {
    serde_json::to_value(AgentOptions::default()).unwrap().as_object().unwrap().clone()
}

#[test]
fn options_takes_what_the_rust_type_has_and_nothing_else() {
    let members = members();
    assert_eq!(members.keys().map(String::as_str).collect::<BTreeSet<_>>(), in_json());
}

/// A value that the kind allows and one that it does not.
fn examples(o: &OptionSpec) -> (Vec<Value>, Value) {
    match &o.kind {
        Kind::Positive | Kind::Whole => (vec![json!(3)], json!("three")),
        Kind::Number => (vec![json!(0.5)], json!("half")),
        Kind::Flag => (vec![json!(true), json!(false)], json!("yes")),
        Kind::Own("Filter") => {
            let places = json!({ "language": "de", "folder": null, "version": null });
            let own = json!({ "fields": ["author=Ann"], "boost": [], "boostBy": null, "sort": "-date" });
            let all = places.as_object().into_iter().chain(own.as_object()).flatten();
            (vec![all.map(|(name, value)| (name.clone(), value.clone())).collect()], json!("de"))
        }
        Kind::Text | Kind::Own(_) => (vec![json!("auto")], json!(3)),
        Kind::Choice(names) => (names.iter().map(|name| json!(name)).collect(), json!("none of them")),
    }
}

#[test]
fn each_option_is_of_the_kind_that_the_rust_type_has() {
    for o in OPTIONS.iter().filter(|o| o.is_in_json()) {
        let read = |value: &Value| {
            let mut all = members();
            all.insert(o.name.to_owned(), value.clone());
            serde_json::from_value::<AgentOptions>(Value::Object(all))
        };
        let (good, bad) = examples(o);
        let mut seen = Vec::new();
        for value in &good {
            let kept = read(value).unwrap_or_else(|e| panic!("{} = {value}: {e}", o.name));
            assert_eq!(serde_json::to_value(&kept).unwrap()[o.name], *value, "{}", o.name);
            assert!(!seen.contains(&kept), "{} = {value} is as another", o.name);
            seen.push(kept);
        }
        let refused = read(&bad).unwrap_err().to_string();
        if let Kind::Choice(names) = &o.kind {
            // serde names all variants that there are.
            assert_eq!(refused.matches('`').count(), 2 * (names.len() + 1), "{}: {refused}", o.name);
        }
    }
}

/// The names in `given.kind("name")` of the wasm's face.
fn read_in_wasm() -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for file in ["src/wasm/arguments.rs", "src/wasm/arguments/full.rs"] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
        for piece in text.split("given.").skip(1).chain(text.split("llm.").skip(1)) {
            if let Some((how, rest)) = piece.split_once("(\"")
                && how.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                && let Some((name, _)) = rest.split_once('"')
            {
                out.insert(name.to_owned());
            }
        }
    }
    out
}

#[test]
fn the_wasm_reads_every_option_and_no_other() {
    // Options that the facade handles itself, or passes to the engine in another form.
    let facade = ["onProgress", "memoryLimit", "worker", "prefetch", "eager", "history"];
    let inner = ["callTool", "send", "hits", "keywords"];
    let named: BTreeSet<String> =
        OPTIONS.iter().map(|o| o.name.to_owned()).filter(|name| !facade.contains(&name.as_str())).collect();
    let read: BTreeSet<String> =
        read_in_wasm().into_iter().filter(|name| !inner.contains(&name.as_str())).collect();
    assert_eq!(read, named);
}

#[test]
fn the_table_names_each_retriever_and_protocol_that_can_be_asked_for() {
    for name in retrieve::NAMES {
        assert!(retrieve::by_name(name).is_some(), "{name}");
    }
    assert_eq!(plain_retrievers().len() + retrieve::PREPARED.len(), retrieve::NAMES.len());
    assert_eq!(protocols().len(), pocketgraph::agent::NAMES.len() + 1);
}

#[test]
fn a_notice_is_known_in_json_by_the_name_in_the_table() {
    for code in NoticeCode::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), code.name());
    }
}
