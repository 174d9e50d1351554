//! What readers asked that the documents do not answer, listed for those who write them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)] // What plans and protocols use.
mod support;

use serde_json::Value;
use support::program;

const PAGES: [(&str, &str); 3] = [
    (
        "berths.md",
        "# Berths\n\nA berth at the north quay costs 12 euros a night. The harbour office gives out \
         berths at noon.\n",
    ),
    (
        "crane.md",
        "# The crane\n\nThe crane lifts boats of up to 12 tons. It works from eight in the morning.\n",
    ),
    ("water.md", "# Water\n\nDrinking water comes from the taps beside the crane. It is free of charge.\n"),
];

#[test]
fn unanswered_questions_are_grouped_by_what_they_share_and_answered_ones_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, bundle) = (dir.path().join("docs"), dir.path().join("bundle"));
    std::fs::create_dir(&docs).unwrap();
    PAGES.iter().for_each(|(name, text)| std::fs::write(docs.join(name), text).unwrap());
    let bundle = bundle.to_str().unwrap();
    assert!(program(&["build", docs.to_str().unwrap(), "-o", bundle, "--no-runtime"]).status.success());
    let list = |name: &str, text: &str| -> Value {
        let file = dir.path().join(name);
        std::fs::write(&file, text).unwrap();
        serde_json::from_slice(&program(&["gaps", bundle, file.to_str().unwrap(), "--json"]).stdout).unwrap()
    };
    let questions = "How many tons does the crane lift?\nWhere can I rent a bicycle?\nbicycle rental\nIs there a \
        sauna?\n";
    let gaps = list("questions.txt", questions);
    let describe =
        |gap: &Value| (gap["heading"].as_str().unwrap().to_owned(), gap["asked"].as_u64().unwrap());
    let found: Vec<_> = gaps.as_array().unwrap().iter().map(describe).collect();
    assert_eq!(found, [("Bicycle".to_owned(), 2), ("Sauna".to_owned(), 1)], "{gaps:#}");
    // Of what pages sent only the place is known.
    let gaps = list(
        "access.log",
        "GET /gap?topic=2&reason=wrong HTTP/1.1\nGET /gap?topic=2\nGET /style.css\nGET /gap?topic=9999\n",
    );
    assert_eq!(
        (gaps[0]["asked"].as_u64(), gaps[0]["nearest"][0].as_str()),
        (Some(2), Some("Water")),
        "{gaps:#}"
    );
    assert!(gaps[0]["questions"].as_array().unwrap().is_empty());
    assert_eq!(gaps[0]["reasons"], serde_json::json!({ "wrong": 1 }));
}
