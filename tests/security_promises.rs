//! SECURITY.md promises nothing without a test: each row of its table names one, and it is there.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The rows of the table of promises: what is promised, and the tests in the form of a file and a name.
fn promises(page: &str) -> Vec<(&str, Vec<(&str, &str)>)> {
    let table = page.split("| promise | tests |").nth(1).expect("the table of promises").lines().skip(2).take_while(|l| l.starts_with('|'));
    table
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').splitn(2, " | ").collect();
            // `file`: `name`, with further pairs behind semicolons.
            let tests = cells[1].split("; ").map(|test| {
                let mut quoted = test.split('`').skip(1).step_by(2);
                (quoted.next().expect("a file"), quoted.next().expect("a test"))
            });
            (cells[0].trim(), tests.collect())
        })
        .collect()
}

/// Whether a file of tests has one of this name: a function in Rust, a title in JavaScript.
fn has_test(file: &str, name: &str) -> bool {
    let text = std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap_or_default();
    if file.ends_with(".mjs") {
        return [format!("test(\"{name}"), format!("test(`{name}")].iter().any(|start| text.contains(start));
    }
    let Some(at) = text.find(&format!("fn {name}(")) else { return false };
    // Its attribute, or that of the block of properties that it stands in.
    text[..at].contains("#[test]") || text[..at].contains("#[tokio::test]")
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("SECURITY.md")).unwrap();
    let promises = promises(&page);
    assert!(promises.len() >= 10, "{}", promises.len());
    for (promise, tests) in promises {
        assert!(!promise.is_empty() && !tests.is_empty(), "{promise}");
        for (file, name) in tests {
            assert!(has_test(file, name), "\"{promise}\" names {name} in {file}, which is not there");
        }
    }
}

#[test]
fn a_test_that_is_not_there_is_not_found() {
    assert!(has_test("tests/security_promises.rs", "every_promise_names_a_test_that_exists"));
    assert!(!has_test("tests/security_promises.rs", "has_test_of_some_other_name"));
    assert!(!has_test("tests/nowhere.rs", "every_promise_names_a_test_that_exists"));
}
