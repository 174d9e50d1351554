//! Questions about statements that hold at different times, and in different versions.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)] // What plans and protocols use.
mod support;

use serde_json::Value;
use support::program;

fn answers(pages: &[(&str, &str)], questions: &[&str]) -> Vec<Value> {
    answers_on(pages, "", questions)
}

/// Builds a bundle of these pages and returns the answer to each question of a reader on a page.
fn answers_on(pages: &[(&str, &str)], page: &str, questions: &[&str]) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let (docs, bundle) = (dir.path().join("docs"), dir.path().join("bundle"));
    for (name, text) in pages {
        let path = docs.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let bundle = bundle.to_str().unwrap();
    assert!(program(&["build", docs.to_str().unwrap(), "-o", bundle, "--no-runtime"]).status.success());
    let ask = |question: &&str| {
        let printed = program(&["ask", bundle, "--json", "--reader-version", page, "--", question]).stdout;
        let answer: Value = serde_json::from_slice(&printed).unwrap();
        answer.get("answer").unwrap_or(&answer).clone()
    };
    questions.iter().map(ask).collect()
}

/// The first and the second quotation of an answer, each with when it holds.
fn quotations(answer: &Value) -> Vec<(String, String)> {
    let of = |citation: &Value, field: &str| citation[field].as_str().unwrap_or_default().to_owned();
    answer["citations"].as_array().unwrap().iter().map(|c| (of(c, "quote"), of(c, "holds"))).collect()
}

const QUAY: [(&str, &str); 3] = [
    ("quay.md", "---\ndate: 2023-04-01\n---\n# The quay\n\nA boat may lie at the quay for 14 days.\n"),
    (
        "rules.md",
        "---\ndate: 2025-02-10\n---\n# Rules\n\nFrom 1 March 2025 a boat may lie at the quay for 21 days.\n",
    ),
    ("crane.md", "---\ndate: 2024-05-01\n---\n# The crane\n\nThe crane lifts boats of up to 12 tons.\n"),
];

#[test]
fn what_holds_at_the_time_asked_for_answers_and_the_other_value_is_named() {
    let questions = [
        ("How long may a boat lie at the quay?", "21 days"),
        ("How long may a boat lie at the quay now?", "21 days"),
        ("How long may a boat lie at the quay in 2026?", "21 days"),
        ("How long may a boat lie at the quay in 2024?", "14 days"),
        ("How long may a boat lie at the quay before March 2025?", "14 days"),
        ("Since when may a boat lie at the quay for 21 days?", "21 days"),
    ];
    for (answer, (question, first)) in answers(&QUAY, &questions.map(|q| q.0)).iter().zip(questions) {
        let quoted = quotations(answer);
        assert_eq!(answer["answered"], true, "{question}: {answer:#}");
        assert!(quoted[0].0.contains(first) && quoted.len() == 2, "{question}: {quoted:?}");
        let labels = ["As of 2023-04-01, until 2025-03-01", "From 2025-03-01"];
        let (old, new) = if first == "14 days" { (0, 1) } else { (1, 0) };
        assert_eq!((quoted[old].1.as_str(), quoted[new].1.as_str()), (labels[0], labels[1]), "{question}");
    }
}

#[test]
fn the_version_asked_for_answers_or_else_the_newest() {
    let page =
        |port| format!("# Server\n\nThe server listens on the default port {port} for all requests.\n");
    let (old, new) = (page(8080), page(9090));
    let asked = [
        ("What is the default port in 1.0?", "8080"),
        ("Which is the default port in v2?", "9090"),
        ("What is the default port?", "9090"),
    ];
    let answers = answers(&[("v1/server.md", &old), ("v2/server.md", &new)], &asked.map(|q| q.0));
    for (answer, (question, port)) in answers.iter().zip(asked) {
        assert!(quotations(answer)[0].0.contains(port), "{question}: {answer:#}");
    }
    let pages = [("v1/server.md", &*old), ("v2/server.md", &*new)];
    for (page, port) in
        [("/docs/v1/", "8080"), ("v1", "8080"), ("/docs/v2/server.html", "9090"), ("/docs/1/", "9090")]
    {
        let answers =
            answers_on(&pages, page, &["What is the default port?", "Which is the default port in v2?"]);
        assert!(quotations(&answers[0])[0].0.contains(port), "{page}: {answers:#?}");
        assert!(quotations(&answers[1])[0].0.contains("9090"), "{page}: {answers:#?}");
    }
}

#[test]
fn the_changes_of_a_version_are_listed_from_both_sides() {
    let old = "# Server\n\nThe server has the default port 8080 for all requests.\n\nUse --quiet to print \
        nothing.\n";
    let new =
        "# Server\n\nThe server has the default port 9090 for all requests.\n\nSet max_size to limit it.\n";
    let questions = [
        "What is different in 2.0?",
        "What changed in version 2?",
        "What's new in 2.0?",
        "What's changed since v1?",
    ];
    for answer in answers(&[("v1/server.md", old), ("v2/server.md", new)], &questions) {
        let quoted = quotations(&answer);
        let expected = [
            ("8080", "Version 1"),
            ("9090", "Version 2"),
            ("--quiet", "Removed in version 2"),
            ("max_size", "New in version 2"),
        ];
        assert_eq!(quoted.len(), expected.len(), "{answer:#}");
        for ((quote, holds), (part, label)) in quoted.iter().zip(expected) {
            assert!(quote.contains(part) && holds == label, "{answer:#}");
        }
    }
}

#[test]
fn what_a_question_does_not_ask_about_neither_orders_nor_dates_its_answer() {
    let both = QUAY[0].1.trim_end().to_owned() + " The fee for a night is 12 euros.\n";
    let answer =
        answers(&[("quay.md", &both), QUAY[1], QUAY[2]], &["What is the fee for a night?"]).remove(0);
    let quoted = quotations(&answer);
    assert!(quoted[0].0.contains("12 euros") && quoted[0].1 == "As of 2023-04-01", "{answer:#}");
}

#[test]
fn an_archived_page_answers_only_with_that_label() {
    let pages = [
        ("crane.md", "---\narchived: true\n---\n# Crane\n\nThe crane lifts up to 12 tons.\n"),
        ("quay.md", QUAY[0].1),
    ];
    let answer = answers(&pages, &["How many tons does the crane lift?"]).remove(0);
    assert_eq!(quotations(&answer)[0].1, "Archived", "{answer:#}");
    let mut warnings = answer["warnings"].as_array().unwrap().iter();
    assert!(warnings.any(|w| w["code"] == "outdated" && w["text"] == "Archived"), "{answer:#}");
}

#[test]
fn what_a_passage_says_of_its_time_is_cited_with_it() {
    let page = "# Flags\n\nThe flag fast is deprecated in 3.1.\n\n# Lamps\n\nThe lamp is lit at dusk.\n";
    let questions = ["Which flag is deprecated?", "When is the lamp lit?"];
    let answers = answers(&[("flags.md", page)], &questions);
    assert_eq!(quotations(&answers[0])[0].1, "Deprecated in 3.1", "{:#}", answers[0]);
    assert_eq!(quotations(&answers[1])[0].1, "", "{:#}", answers[1]);
}

#[test]
fn values_of_which_none_is_later_are_called_a_disagreement() {
    let pages = [
        ("quay.md", "# The quay\n\nA boat may lie at the quay for 14 days.\n"),
        ("rules.md", "# Rules\n\nA boat may lie at the quay for 21 days.\n"),
    ];
    let answer = answers(&pages, &["How long may a boat lie at the quay?"]).remove(0);
    assert_eq!(quotations(&answer).len(), 2, "{answer:#}");
    let codes: Vec<_> =
        answer["warnings"].as_array().unwrap().iter().map(|w| w["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"disagree"), "{answer:#}");
}

#[test]
fn a_row_of_a_table_answers_for_the_time_in_which_it_holds() {
    let page = "# Berths\n\n| Berth | Price | Valid from | Valid until |\n|--|--|--|--|\n\
        | North quay | 12 | 2020-01-01 | 2023-12-31 |\n| North quay | 15 | 2024-01-01 | |\n| South quay | 9 \
        | | |\n";
    let questions = [
        ("What is the price of North quay?", "15 [1]"),
        ("What was the price of North quay in 2021?", "12 [1]"),
        ("What is the price of South quay?", "9 [1]"),
        ("Is the price of North quay 12?", "No [1]"),
        ("Since when is the price of North quay 15?", "2024-01-01 – [1]"),
        ("When was the price of North quay 12?", "2020-01-01 – 2023-12-31 [1]"),
        ("What was the price of North quay before 2024?", "12 [1]"),
        ("What was the price of North quay between 2022 and 2025?", "12 [1], 15 [1]"),
    ];
    for (answer, (question, text)) in
        answers(&[("berths.md", page)], &questions.map(|q| q.0)).iter().zip(questions)
    {
        assert_eq!(answer["text"], text, "{question}");
    }
}

#[test]
fn a_changelog_says_what_a_version_changed_and_which_is_the_latest() {
    let log = "# Changelog\n\n## [1.10.0] - 2024-06-03\n\n### Removed\n\n- The `loom serve` command.\n\n\
        ## [1.9.0] - 2023-11-20\n\n### Deprecated\n\n- The `loom serve` command will go.\n\n### Changed\n\n- \
        Needs Python 3.10.\n";
    let latest = ["What is new in the latest release?", "What is the latest version?"];
    let questions = ["What changed in 1.9.0?", latest[0], latest[1], "What changed in 3.0?"];
    let found = answers(&[("CHANGELOG.md", log)], &questions);
    let texts: Vec<&str> = found.iter().map(|answer| answer["text"].as_str().unwrap()).collect();
    let old = "Changelog › [1.9.0] - 2023-11-20:\nDeprecated:\n- The loom serve command will go.\n\
        Changed:\n- Needs Python 3.10. [1]";
    let new = "Changelog › [1.10.0] - 2024-06-03 › Removed:\n- The loom serve command. [1]";
    assert_eq!(texts[..3], [old, new, new]);
    assert!(!texts[3].contains("loom"), "{}", texts[3]);
}
