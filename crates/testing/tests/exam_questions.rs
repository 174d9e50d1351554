//! No question of an evaluation set is in the repository: a test or a rule written for one would be
//! measured with it too.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a hash in the list, which `tuning/exam_questions.py` writes.
const HASH: usize = 5;
/// Shorter questions are ones that anybody asks.
const LEAST_WORDS: usize = 5;
/// Endings of files that people write.
const ENDINGS: &str = "rs mjs js ts py sh tsv csv jsonl json md toml html txt";
/// Folders of what is made or fetched.
const NOT_OURS: &[&str] = &["target", "node_modules", "dist", ".git"];

/// Returns the hash of a question, of its words in lower case.
fn hash(words: &[String]) -> [u8; HASH] {
    let mut value: u64 = 0xcbf2_9ce4_8422_2325;
    words.join(" ").bytes().for_each(|byte| value = (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    *value.to_be_bytes().first_chunk().unwrap()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Returns the pieces of a line that may be a question: literals, cells, elements and sentences.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let cells = line.split(['"', '\t', '`', '|', '<', '>']);
    cells.flat_map(|cell| cell.split(". ").flat_map(|sentences| sentences.split_inclusive("? ")))
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
        if path.is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                files(&path, out);
            }
        } else if path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| ENDINGS.split(' ').any(|ours| ours == e))
        {
            out.push(path);
        }
    }
}

/// Returns the places of the questions in a text.
fn questions(text: &str, known: &[[u8; HASH]]) -> Vec<(usize, String)> {
    let is_known = |words: &[String]| words.len() >= LEAST_WORDS && known.binary_search(&hash(words)).is_ok();
    let of_line =
        |(number, line)| pieces(line).map(words).filter(|w| is_known(w)).map(move |w| (number, w.join(" ")));
    (1..).zip(text.lines()).flat_map(of_line).collect()
}

#[test]
fn no_question_of_an_evaluation_set_is_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = fs::read(root.join("tests/exam-questions.bin")).unwrap();
    let (known, rest) = list.as_chunks::<HASH>();
    assert!(known.len() > 10_000 && rest.is_empty());
    let mut all = Vec::new();
    files(&root, &mut all);
    assert!(all.len() > 1000);
    let mut found = Vec::new();
    for path in &all {
        // What is no text holds no question.
        let text = fs::read_to_string(path).unwrap_or_default();
        found.extend(
            questions(&text, known).iter().map(|(line, asked)| format!("{}:{line}: {asked}", path.display())),
        );
    }
    assert!(found.is_empty(), "questions of evaluation sets:\n{}", found.join("\n"));
}

#[test]
fn a_question_is_found_in_literals_cells_and_sentences() {
    let known = [hash(&words("Where does the old ferry land?"))];
    let literal = r#"ask("where does the old ferry land");"#;
    for text in
        [literal, "x\tWhere does the old ferry land?\ty", "It asks: no. Where does the old ferry land?"]
    {
        assert_eq!(questions(text, &known).len(), 1, "{text}");
    }
    assert!(questions("where does the new ferry land", &known).is_empty());
}
