//! `train data --rephrase` against a server on loopback.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../../companion/cli/tests/support/endpoint.rs"]
mod endpoint;
#[path = "../../companion/cli/tests/support/request.rs"]
mod request;

use endpoint::{Server, ok, serve};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the question that a request wants reworded, with a few words before it.
fn reworded(body: &str) -> String {
    let asked: Value = serde_json::from_str(body).unwrap();
    let last = asked["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
    format!("Tell me please: {}", last.split_once("\nNames:").unwrap().0)
}

fn run(folder: &Path, server: Option<&Server>, rephrase: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph-lab"));
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("NO_PROXY", "127.0.0.1");
    command.env_remove("POCKETGRAPH_BASE_URL").env_remove("POCKETGRAPH_MODEL").current_dir(folder);
    command.args([
        "train",
        "data",
        "--examples",
        "60",
        "--seed",
        "5",
        "-o",
        "plans.jsonl",
        "--rephrase",
        rephrase,
    ]);
    if let Some(server) = server {
        command.args(["--llm-url", &server.base, "--llm-model", "m"]);
    }
    command.output().unwrap()
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("plans.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn questions_that_a_model_says_anew_come_after_the_others_and_are_paid_once() {
    let (folder, server) = (tempfile::tempdir().unwrap(), serve(|_, body| ok(reworded(body))));
    let plain = run(folder.path(), None, "0");
    assert!(plain.status.success());
    let before = lines(folder.path());
    let out = run(folder.path(), Some(&server), "12");
    let printed = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.success() && printed.contains("questions said anew: 12 of 12; 12 replies asked for"),
        "{printed}"
    );
    let after = lines(folder.path());
    assert_eq!((&after[..before.len()], after.len()), (&before[..], before.len() + 12));
    for (old, new) in before.iter().zip(&after[before.len()..]) {
        let question_of = |e: &Value| e["question"].as_str().unwrap().to_owned();
        assert_eq!(question_of(new), format!("Tell me please: {}", question_of(old)));
        assert!(
            new["rephrased"] == true
                && new["answers"] == old["answers"]
                && new["plan"]["statements"] == old["plan"]["statements"]
        );
        let moved = |e: &Value, by: u64| {
            e["spans"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s["start"].as_u64().unwrap() + by)
                .collect::<Vec<_>>()
        };
        assert_eq!(moved(new, 0), moved(old, "Tell me please: ".len() as u64));
    }
    let card = std::fs::read_to_string(folder.path().join("plans.md")).unwrap();
    assert!(card.contains("Said anew by a language model: 12 of 12"), "{card}");
    assert!(run(folder.path(), Some(&server), "12").status.success() && lines(folder.path()) == after);
    assert_eq!(server.count(), 12, "no reply is paid for twice");
}

#[test]
fn replies_without_marks_leave_the_grammars_questions_and_no_endpoint_is_an_error() {
    let (folder, server) = (tempfile::tempdir().unwrap(), serve(|_, _| ok("<script>alert(1)</script> Who?")));
    let out = run(folder.path(), Some(&server), "5");
    assert!(
        out.status.success() && String::from_utf8_lossy(&out.stderr).contains("questions said anew: 0 of 5")
    );
    assert!(lines(folder.path()).iter().all(|e| e.get("rephrased").is_none()));
    let out = run(folder.path(), None, "5");
    let printed = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success()
            && printed.contains("--rephrase needs a language model")
            && printed.contains("--llm-url"),
        "{printed}"
    );
}
