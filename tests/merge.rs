//! Bundles of parts of a corpus, merged, against the bundle of the whole.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    program
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn good(args: &[&str]) -> Output {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the message of a failed run, on one line.
fn fault(args: &[&str]) -> String {
    let output = run(args);
    assert!(!output.status.success(), "{args:?} should have failed");
    String::from_utf8_lossy(&output.stderr)
        .split_whitespace()
        .filter(|w| *w != "│")
        .collect::<Vec<_>>()
        .join(" ")
}

/// Pages of the handbook: those that `choose` names by their place in the alphabet.
fn pages(folder: &Path, choose: &dyn Fn(usize) -> bool) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut all: Vec<PathBuf> = std::fs::read_dir(docs)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    all.sort();
    for (_, page) in all.iter().take(6).enumerate().filter(|(i, _)| choose(*i)) {
        std::fs::copy(page, folder.join(page.file_name().unwrap())).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

fn build(documents: &str, out: &Path, more: &[&str]) -> String {
    let out = out.to_str().unwrap();
    good(
        &[
            &[
                "build",
                documents,
                "-o",
                out,
                "--no-runtime",
                "--no-cache",
                "-q",
                "--kg-from-documents",
                "off",
            ],
            more,
        ]
        .concat(),
    );
    out.to_owned()
}

fn section(bundle: &str, name: &str) -> Value {
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(Path::new(bundle).join("manifest.json")).unwrap())
            .unwrap();
    let sections = manifest["pocketgraph"]["sections"].as_array().unwrap();
    sections.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("no section {name}"))["sha256"]
        .clone()
}

fn urls(bundle: &str, question: &str, retriever: &str) -> Vec<String> {
    let found = good(&["search", bundle, question, "-k", "5", "--retriever", retriever, "--json"]);
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let place = |h: &Value| {
        format!("{}#{} {}", h["url"].as_str().unwrap(), h["headingPath"], h["text"].as_str().unwrap().len())
    };
    found["hits"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn two_halves_merged_are_found_as_the_whole_is() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let whole = build(&pages(&at("all"), &|_| true), &at("whole"), &[]);
    let even = build(&pages(&at("even-pages"), &|i| i % 2 == 0), &at("even"), &[]);
    let odd = build(&pages(&at("odd-pages"), &|i| i % 2 == 1), &at("odd"), &[]);
    let merged = at("merged").to_str().unwrap().to_owned();
    good(&["merge", &odd, &even, "-o", &merged, "--no-runtime", "--no-cache", "-q"]);
    for name in ["documents", "chunks", "layout", "lexical", "titles", "chunk-documents"] {
        assert_eq!(section(&merged, name), section(&whole, name), "the section {name} has the same bytes");
    }
    for question in [
        "how much memory does a build take?",
        "which licence do the weights have?",
        "what is a keyword graph?",
        "stop words",
    ] {
        for retriever in ["lexical", "hybrid", "auto"] {
            assert_eq!(
                urls(&merged, question, retriever),
                urls(&whole, question, retriever),
                "{retriever}: {question}"
            );
        }
    }
    good(&["verify", &merged]);
    let again = at("again").to_str().unwrap().to_owned();
    good(&["merge", &even, &odd, "-o", &again, "--no-runtime", "--no-cache", "-q"]);
    let manifest = |bundle: &str| std::fs::read(Path::new(bundle).join("manifest.json")).unwrap();
    assert_eq!(manifest(&merged), manifest(&again), "in whichever order they are named");
}

#[test]
fn several_bundles_are_searched_and_asked_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let page = |name: &str, text: &str| {
        let folder = dir.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.md")), text).unwrap();
        build(folder.to_str().unwrap(), &dir.path().join(format!("{name}-kg")), &[])
    };
    let sea = page("tides", "# Tides\n\nThe tide rises twice a day because the moon pulls the water.\n");
    let land = page("hedges", "# Hedges\n\nA hedge is cut in autumn with shears.\n");
    let json = |args: &[&str]| -> Value { serde_json::from_slice(&good(args).stdout).unwrap() };
    // As the Python module asks: the question behind the options.
    let found = json(&[
        "search",
        &sea,
        "--also",
        &land,
        "--retriever",
        "lexical",
        "--json",
        "--",
        "when is a hedge cut?",
    ]);
    assert_eq!(
        (found["hits"][0]["url"].as_str(), found["hits"][0]["bundle"].as_u64()),
        (Some("hedges.html"), Some(1))
    );
    let one = json(&["search", &sea, "-k", "3", "--retriever", "lexical", "--json", "--", "tide"]);
    assert_eq!(one["hits"][0]["url"], "tides.html");
    let answer = json(&["ask", &land, "--also", &sea, "why does the tide rise?", "--json"]);
    assert!(
        answer["text"].as_str().unwrap().contains("the moon pulls the water") && answer["bundle"] == 1,
        "{answer}"
    );
    let shown =
        String::from_utf8(good(&["search", &sea, "hedge", "--also", &land, "--retriever", "lexical"]).stdout)
            .unwrap();
    assert!(shown.contains("hedges.html  in ") && shown.contains("hedges-kg"), "{shown}");
    assert!(
        fault(&["ask", &sea, "tide", "--also", &land, "--protocol", "plan"])
            .contains("answers from one bundle")
    );
}

#[test]
fn what_cannot_be_one_bundle_is_refused_by_name_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let page = pages(&at("page"), &|i| i == 3);
    let other = pages(&at("other"), &|i| i == 4);
    let (first, out) = (build(&page, &at("first"), &[]), at("out"));
    let merge = |with: &str| fault(&["merge", &first, with, "-o", out.to_str().unwrap(), "--no-cache", "-q"]);
    let refusal = merge(&build(&other, &at("words"), &["--retrievers", "lexical"]));
    assert!(
        refusal.contains("values of --embedder")
            && refusal.contains("\"minilm\" of 384 numbers")
            && refusal.contains("none"),
        "{refusal}"
    );
    let refusal = merge(&build(&other, &at("short"), &["--max-tokens", "100"]));
    assert!(
        refusal.contains("--max-tokens: ") && refusal.contains("has 200") && refusal.contains("100"),
        "{refusal}"
    );
    let refusal = merge(&build(&other, &at("ranked"), &["--rank", "a/**=0.5"]));
    assert!(
        refusal.contains("--rank: ") && refusal.contains("none") && refusal.contains("a/**=50%"),
        "{refusal}"
    );
    let refusal = merge(&build(&page, &at("same"), &[]));
    assert!(
        refusal.contains("addresses are in more than one bundle") && refusal.contains(".html ("),
        "{refusal}"
    );
    assert!(fault(&["merge", &first, &first, "-o", out.to_str().unwrap()]).contains("named twice"));
    assert!(fault(&["merge", &first, &page, "-o", out.to_str().unwrap()]).contains("cannot read the bundle"));
    assert!(!out.exists());
}
