//! Readers' questions about this handbook, answered from it: each is to be answered by what its line expects.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)] // What plans and protocols use.
mod support;

use serde_json::Value;
use support::program;

/// Number of characters of an answer that a reader sees at once.
const SHOWN: usize = 700;
/// Remark before the closest passage.
const CLOSEST: &str = "This may not answer the question. The closest passage:";
/// Minimum number of the 42 questions for which the right block is shown, as answer or closest passage; the
/// failing test lists the others.
const SHOWN_RIGHT: usize = 36;
/// Minimum number of questions that are answered by the right block.
const RIGHT: usize = 28;
/// Maximum number of wrong answers.
const WRONG: usize = 2;

/// Returns true if a text contains one of the alternatives of a pattern, in whatever case.
fn holds(text: &str, pattern: &str) -> bool {
    let (text, pattern) =
        (text.to_lowercase(), pattern.trim_start_matches("(?i)").replace('\\', "").to_lowercase());
    pattern.split('|').any(|words| text.contains(words))
}

#[test]
fn questions_about_the_handbook_are_answered_by_the_blocks_that_answer_them() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let dir = tempfile::tempdir().unwrap();
    let bundle = dir.path().join("handbook");
    let bundle = bundle.to_str().unwrap();
    assert!(program(&["build", &format!("{root}/docs"), "-o", bundle, "--no-runtime"]).status.success());
    let questions = std::fs::read_to_string(format!("{root}/tests/handbook-answers.jsonl")).unwrap();
    let questions: Vec<Value> = questions.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let page = std::fs::read_to_string(format!("{root}/www/index.html")).unwrap();
    let (_, suggestions) = page.split_once("suggestions=\"").unwrap();
    let examples: Vec<&str> = suggestions.split('"').next().unwrap().split(" | ").collect();
    let asked = |example: &&str| questions.iter().any(|q| q["question"].as_str() == Some(example));
    assert!(
        examples.len() >= 4 && examples.iter().all(asked),
        "the page's examples are among the questions: {examples:?}"
    );
    let (mut right, mut near, mut stated_wrong, mut missing) = (0, 0, 0, Vec::new());
    for asked in &questions {
        let output = program(&["ask", bundle, "--json", "--", asked["question"].as_str().unwrap()]);
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = printed.get("answer").unwrap_or(&printed);
        let text = answer["text"].as_str().unwrap();
        let shown: String = text.strip_prefix(CLOSEST).unwrap_or(text).chars().take(SHOWN).collect();
        let (stated, holds) = (answer["answered"] == true, holds(&shown, asked["answer"].as_str().unwrap()));
        let example = examples.iter().any(|example| asked["question"].as_str() == Some(example));
        assert!(
            !example || stated && holds,
            "an example of the page is not answered: {}: {shown}",
            asked["question"]
        );
        match (stated, holds) {
            (true, true) => right += 1,
            (false, true) => near += 1,
            (stated, false) => {
                stated_wrong += usize::from(stated);
                missing.push((&asked["question"], shown));
            }
        }
    }
    assert!(
        right >= RIGHT && right + near >= SHOWN_RIGHT && stated_wrong <= WRONG,
        "{right} answered, {near} shown as close, {stated_wrong} wrong of {}: {missing:#?}",
        questions.len()
    );
}
