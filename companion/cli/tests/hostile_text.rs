//! The program on a folder of a stranger: what it prints is text, whatever documents, names of files and
//! bundles hold.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;
use std::process::Command;

/// Sequences that a terminal obeys: the window's title, the clipboard, a cleared screen in seven and in eight
/// bits, text turned round, a line that is none of ours.
const OBEYED: &str =
    "\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{9b}2J\u{202e}drow\u{2066}\u{2028}\u{85}\u{7f}\r";

/// Everything that the program prints on both streams, which must not hold any of that.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pocketgraph"));
    let out = program
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let printed_text =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let obeyed = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!printed_text.contains(obeyed), "{arguments:?}: {printed_text:?}");
    printed_text
}

#[test]
fn what_the_program_prints_of_a_hostile_folder_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let title = format!("Kestrel {OBEYED} Harbour");
    std::fs::write(
        docs.join("a.txt"),
        format!(
            "Mara Kestrel {OBEYED} was born in Tromsund. The harbour is old.\n\nThe boat of Mara Kestrel \
             is green.\n"
        ),
    )
    .unwrap();
    let line = format!(
        "{}\n",
        serde_json::json!({"id": "x", "title": title, "url": format!("/a{OBEYED}"),
            "text": format!("Winter harbour {OBEYED} of the kestrel.")})
    );
    std::fs::write(docs.join("b.jsonl"), line + "{\"broken\u{1b}[2J\n").unwrap();
    // Names of files: one that is skipped, and adds a line of its own; one that is read.
    std::fs::write(
        docs.join("evil\u{1b}[2J\nskipped all.md: fine\u{202e}.md"),
        [0xff, 0xfe, 0x00, 0xd8, 0x00, 0x00],
    )
    .unwrap();
    std::fs::write(docs.join("read\u{9b}2J\u{202e}.txt"), "The kestrel sleeps in the harbour.").unwrap();
    let build = ["build", "docs", "-o", "out", "--no-runtime", "--no-cache", "--retrievers", "autokg,linear"];
    let built = printed(folder.path(), &build);
    assert!(!built.lines().any(|l| l.starts_with("skipped all.md")), "{built}");
    assert!(built.contains("skipped"), "{built}");
    let found = printed(folder.path(), &["search", "out", "winter harbour kestrel"]);
    assert!(found.contains("Kestrel ␛]0;owned␇"), "{found}");
    for arguments in [
        &["ask", "out", "Where was Mara Kestrel born?"][..],
        &["ask", "out", "Where was Mara Kestrel born?", "--protocol", "plan", "--trace"],
        &["plan", "out", "Where was Mara Kestrel born?"],
        &["inspect", "out"],
        &["verify", "out"],
        &["search", "out", "winter harbour", "--json"],
        &["ask", "out", "Where was Mara Kestrel born?", "--json"],
        &["build", "docs\u{1b}[2J\u{202e}", "-o", "out2"],
    ] {
        printed(folder.path(), arguments);
    }
}
