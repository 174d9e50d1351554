//! Every retriever by the program, on corpora that leave it nothing to work with and on questions of any
//! shape: an answer or a clear message, never a number that is none, never a panic. The engine itself is
//! asked far more of this in `retrievers.rs`, the package in `tests/node`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "support/ways.rs"]
mod ways;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use ways::ways;

fn run(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    program
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .args(args)
        .output()
        .expect("the program starts")
}

/// A bundle for every retriever of passages with their titles.
fn bundle(folder: &Path, passages: &[(&str, &str)]) -> PathBuf {
    let line =
        |(title, text): &(&str, &str)| serde_json::json!({"title": title, "text": text}).to_string() + "\n";
    let (chunks, out) = (folder.join("chunks.jsonl"), folder.join("bundle"));
    std::fs::write(&chunks, passages.iter().map(line).collect::<String>()).unwrap();
    let names = pocketgraph::retrieve::NAMES.join(",");
    let built = run(&[
        "build",
        "--chunks",
        chunks.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--no-runtime",
        "--retrievers",
        &names,
    ]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    out
}

/// Returns the number of hits that the program found, each of which has a score.
fn hits(bundle: &Path, question: &str, way: &str) -> usize {
    let found = run(&["search", bundle.to_str().unwrap(), "--retriever", way, "--json", "--", question]);
    let (printed, trouble) = (String::from_utf8_lossy(&found.stdout), String::from_utf8_lossy(&found.stderr));
    assert!(found.status.success() && !trouble.contains("panicked"), "{way} {question:.20}: {trouble}");
    let result: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let hits = result["hits"].as_array().unwrap();
    // JSON has no number that is none: it would be null.
    assert!(hits.iter().all(|h| h["score"].is_number()), "{way} {question:.20}: {printed:.300}");
    hits.len()
}

#[test]
fn corpora_with_nothing_to_work_with_are_searched_in_every_way() {
    let long = "word".repeat(20_000);
    let corpora: &[(&[(&str, &str)], &str)] = &[
        (&[("Mara Kestrel", "Mara Kestrel was born in Tromsund.")], "Where was Mara Kestrel born?"),
        (&[("", "the same words stand in every passage"); 12], "the same words"),
        (&[("Mara Kestrel", "Mara Kestrel met Tomas Brenn."); 12], "Who met Tomas Brenn?"),
        (&[("one", &long)], "one word"),
        (&[("", "it rains."), ("", "it snows."), ("", "it is cold.")], "is it cold?"),
    ];
    for (passages, question) in corpora {
        let folder = tempfile::tempdir().unwrap();
        let bundle = bundle(folder.path(), passages);
        for way in ways() {
            // Communities need two entities in one sentence, and these corpora hardly have any.
            let may_find_nothing = way.starts_with("graphrag");
            assert!(hits(&bundle, question, way) > 0 || may_find_nothing, "{way}: {question}");
        }
    }
}

#[test]
fn questions_of_any_shape_are_answered_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(
        folder.path(),
        &[
            (
                "The Silent Orchard",
                "The Silent Orchard is a film. Mara Kestrel directed it with Tomas Brenn.",
            ),
            ("Mara Kestrel", "Mara Kestrel is a film-maker. Mara Kestrel was born in Tromsund."),
            ("Tromsund", "Tromsund is a town in the north. Tomas Brenn and Mara Kestrel left Tromsund."),
        ],
    );
    // Linux passes arguments of up to 128 KiB.
    let giant = "Mara Kestrel ".repeat(7_900);
    for way in ways() {
        assert_eq!(hits(&bundle, "", way), 0, "{way}: who asks nothing is answered nothing");
        hits(&bundle, "zzqx", way);
        assert!(hits(&bundle, &giant, way) > 0, "{way}: a question of 100 kB");
    }
}
