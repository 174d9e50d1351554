//! Names that hold no meaning: what a function, a type or a file is called says what it gives, in the field's
//! words.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Verbs of speech and of finding that stood for a dozen things each: what is given, shown, resolved,
/// emitted, looked up or evaluated has a name of its own.
const WORN_OUT: &[&str] = &[
    "asked",
    "borne",
    "doing",
    "doubt",
    "found",
    "given",
    "hear",
    "heard",
    "hears",
    "lesson",
    "lessons",
    "meant",
    "said",
    "saying",
    "says",
    "spoken",
    "spoken_of",
    "teller",
    "tell",
    "tells",
    "told",
    "told_by",
    "unsaid",
    "wrap",
];

/// The name that a line of code defines, with the keyword that defines it.
fn defined(line: &str) -> Option<(&str, &str)> {
    let code = line.trim_start();
    let code = code.strip_prefix("pub").map_or(code, |rest| {
        match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
            Some((_, rest)) => rest,
            None => rest,
        }
    });
    let mut words = code
        .split_whitespace()
        .skip_while(|w| matches!(*w, "async" | "const" | "unsafe" | "extern" | "\"C\""));
    let keyword =
        words.next().filter(|w| matches!(*w, "fn" | "struct" | "enum" | "trait" | "type" | "mod"))?;
    let rest = words.next()?;
    let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
    Some((keyword, &rest[..end]))
}

/// A name as the list has it: `PlanAnswer` is `plan_answer`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Every Rust file of ours below a folder.
fn sources(folder: &Path, out: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() {
            if name != "target" && name != "node_modules" {
                sources(&path, out);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.insert(path);
        }
    }
}

#[test]
fn nothing_is_called_after_a_verb_that_could_mean_anything() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = BTreeSet::new();
    ["crates", "companion", "lab", "src", "tests", "examples", "fuzz/src"]
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut files));
    assert!(files.len() > 500, "{} files", files.len());
    let mut faults = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        if WORN_OUT.contains(&stem.as_str()) {
            faults.push(format!("the file {}", file.display()));
        }
        for (i, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            if let Some((keyword, name)) = defined(line)
                && WORN_OUT.contains(&snake(name).as_str())
            {
                faults.push(format!("{}:{}: {keyword} {name}", file.display(), i + 1));
            }
        }
    }
    assert!(faults.is_empty(), "call these after what they give:\n{}", faults.join("\n"));
}

#[test]
fn a_definition_is_seen_whatever_is_before_it() {
    let names = [
        "    pub(super) async fn told(",
        "pub struct Said<'a> {",
        "type Heard = u8;",
        "pub(in crate::kg) const fn hear() {",
        "mod told;",
    ];
    assert_eq!(
        names.map(|line| defined(line).map(|(_, name)| snake(name)).unwrap()),
        ["told", "said", "heard", "hear", "told"]
    );
    assert_eq!(["let told = 1;", "// fn told()", "pub told: String,"].map(defined), [None; 3]);
    assert_eq!(snake("PlanAnswer"), "plan_answer");
}
