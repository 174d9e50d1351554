//! `train rephrase` against a server on loopback.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../../companion/cli/tests/support/endpoint.rs"]
mod endpoint;
#[path = "../../companion/cli/tests/support/request.rs"]
mod request;

use endpoint::{Server, ok, serve};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

const QUESTIONS: &str = "{\"question\":\"Who directed the sequel of Arabian Tea?\",\"type\":\"2p\"}\n\
                         {\"question\":\"Is Oslo or Rome larger?\",\"shape\":\"compare\"}\n";

/// A rewording and a sibling of the last question of a request, and what is neither.
fn reply(body: &str) -> String {
    let asked: Value = serde_json::from_str(body).unwrap();
    let last = asked["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
    let question = last.lines().nth(1).unwrap();
    let sibling = if question.contains("Oslo") {
        "are there more people in Bergen or in Turin"
    } else {
        "which river runs through the capital of Peru"
    };
    format!("Here they are.\nR: Tell me: {question}\nR: Tell me less.\nS: {sibling}\nS: <b>no name</b>")
}

fn run(folder: &Path, server: Option<&Server>, extra: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph-lab"));
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("NO_PROXY", "127.0.0.1");
    command.env_remove("POCKETGRAPH_BASE_URL").env_remove("POCKETGRAPH_MODEL").current_dir(folder);
    command.args(["train", "rephrase", "questions.jsonl", "-o", "said.jsonl"]).args(extra);
    if let Some(server) = server {
        command.args(["--llm-url", &server.base, "--llm-model", "m"]);
    }
    command.output().unwrap()
}

#[test]
fn questions_of_the_same_patterns_are_written_with_what_they_were_made_of_and_paid_once() {
    let (folder, server) = (tempfile::tempdir().unwrap(), serve(|_, body| ok(reply(body))));
    std::fs::write(folder.path().join("questions.jsonl"), QUESTIONS).unwrap();
    let out = run(folder.path(), Some(&server), &[]);
    let printed = [out.stdout.as_slice(), out.stderr.as_slice()].concat();
    let printed = String::from_utf8_lossy(&printed);
    assert!(
        out.status.success() && printed.contains("2 rewordings and 2 siblings of 2 questions"),
        "{printed}"
    );
    let rephrased = std::fs::read_to_string(folder.path().join("said.jsonl")).unwrap();
    let lines: Vec<Value> = rephrased.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |line: &Value| (line["question"].clone(), line["shape"].clone(), line["of"].clone());
    let (film, towns) = ("Who directed the sequel of Arabian Tea?", "Is Oslo or Rome larger?");
    assert_eq!(of(&lines[0]), (json!(format!("Tell me: {film}")), json!("2p"), json!(film)));
    assert_eq!(
        of(&lines[3]),
        (json!("are there more people in Bergen or in Turin"), json!("compare"), json!(towns))
    );
    assert!(run(folder.path(), Some(&server), &[]).status.success());
    assert_eq!(server.count(), 2, "no reply is paid for twice");
    // What a test asks is left out.
    std::fs::write(
        folder.path().join("tests.jsonl"),
        "{\"question\":\"which river runs through the capital of Peru\"}\n",
    )
    .unwrap();
    assert!(run(folder.path(), Some(&server), &["--without", "tests.jsonl"]).status.success());
    assert!(!std::fs::read_to_string(folder.path().join("said.jsonl")).unwrap().contains("Peru"));
}

#[test]
fn without_an_endpoint_or_a_pattern_the_error_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("questions.jsonl"), QUESTIONS).unwrap();
    let out = run(folder.path(), None, &[]);
    let printed = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success()
            && printed.contains("train rephrase needs a language model")
            && printed.contains("--llm-url"),
        "{printed}"
    );
    let server = serve(|_, body| ok(reply(body)));
    std::fs::write(folder.path().join("questions.jsonl"), "{\"question\":\"Who?\",\"type\":\"7p\"}\n")
        .unwrap();
    let out = run(folder.path(), Some(&server), &[]);
    let printed = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success()
            && printed.contains("questions.jsonl, line 1")
            && printed.contains("a pattern such as"),
        "{printed}"
    );
    assert_eq!(server.count(), 0);
}
