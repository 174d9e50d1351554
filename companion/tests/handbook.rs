//! Readers' questions about this handbook, answered from it: each is to be answered by what its line expects.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::Value;
use support::program;

/// What a reader sees of an answer at once.
const SHOWN: usize = 420;
/// Of the 42 questions so many are answered rightly at least; what is missing is known and told by the failing test.
const RIGHT: usize = 33;

/// Whether a text holds one of the alternatives of a pattern, in whatever case.
fn holds(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.to_lowercase(), pattern.trim_start_matches("(?i)").replace('\\', "").to_lowercase());
    pattern.split('|').any(|words| text.contains(words))
}

#[test]
fn questions_about_the_handbook_are_answered_by_the_blocks_that_answer_them() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let dir = tempfile::tempdir().unwrap();
    let bundle = dir.path().join("handbook");
    let bundle = bundle.to_str().unwrap();
    assert!(program(&["build", &format!("{root}/docs"), "-o", bundle, "--no-runtime"]).status.success());
    let questions = std::fs::read_to_string(format!("{root}/tests/handbook-answers.jsonl")).unwrap();
    let questions: Vec<Value> = questions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut right, mut wrong) = (0, Vec::new());
    for asked in &questions {
        let output = program(&["ask", bundle, "--json", "--", asked["question"].as_str().unwrap()]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = told.get("answer").unwrap_or(&told);
        let shown: String = answer["text"].as_str().unwrap().chars().take(SHOWN).collect();
        if answer["answered"] == true && holds(&shown, asked["answer"].as_str().unwrap()) {
            right += 1;
        } else {
            wrong.push((&asked["question"], shown));
        }
    }
    assert!(right >= RIGHT, "{right} of {}: {wrong:#?}", questions.len());
}
