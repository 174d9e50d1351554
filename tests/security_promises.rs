//! SECURITY.md promises nothing without a test: each of its promises names some, and they are there.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The points of the list of promises.
fn promises(page: &str) -> Vec<String> {
    let list = page
        .split("## What is promised")
        .nth(1)
        .expect("the promises")
        .split("\n## ")
        .next()
        .unwrap_or_default();
    list.split("\n- ").skip(1).map(|point| point.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The tests that a promise names in backticks: a function in Rust, or a file of JavaScript, a colon and a
/// title.
fn tests_of(promise: &str) -> Vec<&str> {
    let is_function = |name: &str| {
        name.matches('_').count() > 2 && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    promise
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| is_function(name) || name.contains(".mjs: "))
        .collect()
}

/// All Rust of ours, and the tests in JavaScript by their paths.
struct Sources(Vec<(String, String)>);

impl Sources {
    fn new() -> Sources {
        let mut found = Vec::new();
        let mut open: Vec<PathBuf> = ["companion", "lab", "src", "crates", "tests", "fuzz"]
            .map(|folder| Path::new(ROOT).join(folder))
            .into();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                if path.is_dir() && !["target", "node_modules"].contains(&name.as_str()) {
                    open.push(path);
                } else if name.ends_with(".rs") || name.ends_with(".test.mjs") {
                    let relative = path.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/");
                    let text = std::fs::read_to_string(path).unwrap();
                    // Titles may be written in several parts.
                    let joined = || text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let plain = |text: String| {
                        text.replace("\" + \"", "").replace("` + `", "").replace("test( ", "test(")
                    };
                    found.push((relative, if name.ends_with(".mjs") { plain(joined()) } else { text }));
                }
            }
        }
        Sources(found)
    }

    fn have(&self, test: &str) -> bool {
        match test.split_once(": ") {
            Some((file, title)) => {
                let starts = [format!("test(\"{title}"), format!("test(`{title}")];
                self.0
                    .iter()
                    .any(|(path, text)| path == file && starts.iter().any(|start| text.contains(start)))
            }
            None => self.0.iter().any(|(_, text)| {
                let at = text.find(&format!("fn {test}("));
                // Its attribute stands before it, or that of the block of properties that it is in.
                at.is_some_and(|at| text[..at].contains("#[test]") || text[..at].contains("#[tokio::test]"))
            }),
        }
    }
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("SECURITY.md")).unwrap();
    let sources = Sources::new();
    let promises = promises(&page);
    assert!(promises.len() > 10, "{}", promises.len());
    for promise in promises {
        let tests = tests_of(&promise);
        assert!(!tests.is_empty(), "no test is named by: {promise}");
        for test in tests {
            assert!(sources.have(test), "{test} is not there, which is named by: {promise}");
        }
    }
}

#[test]
fn a_test_that_is_not_there_is_not_found() {
    let sources = Sources::new();
    assert!(sources.have("every_promise_names_tests_that_exist"));
    assert!(sources.have("tests/browser/safety.test.mjs: markup in a question stays text"));
    let absent = [
        "every_promise_names_tests_that_do_not",
        "tests/browser/safety.test.mjs: no such title",
        "tests/none.test.mjs: markup",
    ];
    assert!(absent.iter().all(|name| !sources.have(name)));
}
