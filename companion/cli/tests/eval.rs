//! `pocketgraph eval` as a user runs it: a site's own questions, and what the lab measures instead.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "support/output.rs"]
mod output;
// The scripted model is for tests that run the engine themselves.
#[allow(dead_code)]
mod support;

use output::{err, figures, out, write};
use serde_json::json;
use std::path::{Path, PathBuf};
use support::program;

/// A bundle of a small site.
fn site(dir: &Path) -> PathBuf {
    let docs = dir.join("docs");
    write(
        &docs,
        "guide/install.md",
        "# Installing\n\n## Linux\n\nUnpack the archive, then run the installer.\n\n## \
         Windows\n\nRun the setup program.\n",
    );
    write(&docs, "reference/options.md", "# Options\n\n## port\n\nThe default port is 8080.\n");
    write(&docs, "baking.md", "# Baking bread\n\nSourdough needs a ripe starter. Bake at 230 degrees.\n");
    let bundle = dir.join("bundle");
    let built = program(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        bundle.to_str().unwrap(),
        "--no-runtime",
        "--kg-from-documents",
        "off",
        "--no-keywords",
    ]);
    assert!(built.status.success(), "{}", err(&built));
    bundle
}

#[test]
fn a_sites_own_questions_show_what_was_found_instead() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = site(dir.path());
    let table = write(
        dir.path(),
        "questions.csv",
        "question,page,answer\nhow do I run the installer on Linux?,guide/install#linux,\nwhat is \
         the default port?,/reference/options.html,8080|port 8080\nwhat does sourdough \
         need?,guide/instal,yeast\n",
    );
    let html = dir.path().join("site.html");
    let bundle = bundle.to_str().unwrap();
    let run = |more: &[&str]| {
        program(
            &[&["eval", "site", bundle, "--questions", &table, "--retrievers", "hybrid,lexical"][..], more]
                .concat(),
        )
    };
    let found = figures(&run(&["--json", "--html", html.to_str().unwrap()]));
    assert_eq!((&found["documents"], &found["with_pages"]), (&json!(3), &json!(3)));
    assert_eq!(
        (&found["unknown"][0]["line"], &found["unknown"][0]["nearest"]),
        (&json!(4), &json!("guide/install.md"))
    );
    let row = &found["rows"][0];
    assert!((row["mean"]["recall_1"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{row}");
    assert_eq!((&row["section"], row["misses"].as_array().unwrap().len()), (&json!(1.0), 1));
    let miss = &row["misses"][0];
    assert_eq!((&miss["line"], &miss["missing"][0]), (&json!(4), &json!(["guide/instal", null])));
    assert!(miss["instead"][0]["place"].as_str().unwrap().starts_with("Baking bread"), "{miss}");
    let answers = &found["answers"];
    assert_eq!(
        (&answers["questions"], &answers["contain_em"]["mean"]),
        (&json!(2), &json!(0.5)),
        "{answers}"
    );
    assert_eq!(
        (&answers["misses"][0]["line"], &answers["misses"][0]["wanted"]),
        (&json!(4), &json!(["yeast"]))
    );
    assert!(std::fs::read_to_string(&html).unwrap().contains("What was found instead"));

    let process_output = run(&["--least-recall", "0.9"]);
    assert!(!process_output.status.success() && err(&process_output).contains("below 0.9"));
    assert!(
        out(&process_output).contains("instead: Baking bread")
            && err(&process_output).contains("the nearest is guide/install.md"),
        "{}",
        out(&process_output)
    );
}

#[test]
fn a_malformed_file_of_questions_is_reported_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = site(dir.path());
    let error_of = |text: &str| {
        let questions = write(dir.path(), "q", text);
        let output = program(&["eval", "site", bundle.to_str().unwrap(), "--questions", &questions]);
        assert!(!output.status.success());
        err(&output)
    };
    assert!(
        error_of("{\"question\":\"a\",\"page\":\"baking\"}\n{\"question\":\"b\"}\n")
            .contains("line 2: it names neither the page")
    );
    assert!(error_of("question,page\na,b,c\n").contains("line 2: not comma-separated values"));
    assert!(error_of("ask,page\na,b\n").contains("no column is called question"));
    assert!(error_of("").contains("holds no questions"));
    assert!(error_of("{\"question\":\"a\",\"page\":\"x.md\"").contains("line 1: not JSON"));
}

/// A folder with the program, and beside it, where there is one, a script in the lab's place.
#[cfg(unix)]
fn installed(folder: &Path, script: Option<&str>) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("pocketgraph");
    std::fs::copy(env!("CARGO_BIN_EXE_pocketgraph"), &program).unwrap();
    if let Some(script) = script {
        let lab = folder.join("pocketgraph-lab");
        std::fs::write(&lab, script).unwrap();
        std::fs::set_permissions(&lab, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    program
}

#[cfg(unix)]
#[test]
fn commands_of_the_lab_are_handed_to_it_with_their_options_and_end_with_its_status() {
    let dir = tempfile::tempdir().unwrap();
    let program = installed(dir.path(), Some("#!/bin/sh\necho \"$@\"\nexit 7\n"));
    for (arguments, passed_on) in [
        (&["train", "planner", "--help", "-o", "x"][..], "train planner --help -o x\n"),
        (&["train", "--help"], "train --help\n"),
        (&["eval", "plans", "--kg", "a.tsv"], "eval plans --kg a.tsv\n"),
    ] {
        let output = std::process::Command::new(&program).args(arguments).output().unwrap();
        assert_eq!((out(&output).as_str(), output.status.code()), (passed_on, Some(7)));
    }
}

#[cfg(unix)]
#[test]
fn without_the_lab_the_error_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let program = installed(dir.path(), None);
    for arguments in [["train", "planner"], ["eval", "retrieval"]] {
        let output =
            std::process::Command::new(&program).args(arguments).env("PATH", dir.path()).output().unwrap();
        let message = err(&output);
        assert!(
            !output.status.success() && message.contains("needs pocketgraph-lab, which is not installed"),
            "{message}"
        );
        assert!(message.contains("cargo build --release -p pocketgraph-lab"), "{message}");
    }
}
