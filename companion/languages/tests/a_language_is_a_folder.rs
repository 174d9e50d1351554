//! A language that nothing in the code knows: three tables in a folder, and what each of them enables.
#![allow(clippy::unwrap_used)]

use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_languages::{Forms, function_words};
use pocketgraph_search::answer::{Question, QuestionKind};
use pocketgraph_text::lexicon::{LANGUAGES, Language, Table};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[path = "../../../crates/text/build.rs"]
#[allow(dead_code)]
mod build_script;

const TABLES: [(&str, &str); 3] = [
    ("grammar", "prefix\tm;wa\n"),
    ("question_words", "jinsi\tmanner\nlini\tquantity\nnini\n"),
    ("stop_words", "kwa\nna\nni\nwa\nya\n"),
];

/// A language as its folder has it.
struct Folder {
    code: String,
    tables: BTreeMap<String, String>,
}

impl Folder {
    fn read(folder: &Path) -> Folder {
        let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let tables = files.map(|path| (name(&path), fs::read_to_string(path).unwrap())).collect();
        Folder { code: name(folder), tables }
    }

    fn table(&self, name: &str) -> Table<'_> {
        Table::new(self.tables.get(name).map_or("", String::as_str))
    }
}

impl Language for Folder {
    fn code(&self) -> &str {
        &self.code
    }

    fn grammar(&self) -> Table<'_> {
        self.table("grammar")
    }

    fn question_words(&self) -> Table<'_> {
        self.table("question_words")
    }

    fn stop_words(&self) -> Table<'_> {
        self.table("stop_words")
    }
}

/// Swahili, in a folder of its own under one that has nothing else.
fn swahili(of_test: &str) -> (Folder, std::path::PathBuf) {
    let lexicon = std::env::temp_dir().join(format!("pocketgraph-{of_test}-{}", std::process::id()));
    let folder = lexicon.join("sw");
    fs::create_dir_all(&folder).unwrap();
    for (name, lines) in TABLES {
        fs::write(folder.join(format!("{name}.tsv")), lines).unwrap();
    }
    (Folder::read(&folder), lexicon)
}

fn document() -> Document {
    Document { title: String::new(), url: String::new(), path: String::new(), language: "sw".to_owned() }
}

#[test]
fn its_function_words_reach_the_page_which_reads_questions_with_them() {
    let (swahili, lexicon) = swahili("words");
    assert_eq!(function_words(&[document()], &[], &LANGUAGES), Vec::<String>::new(), "Swahili has no folder");
    let of_documents = function_words(&[document()], &[], &[&swahili]);

    let read = |tables: &[String], text: &str| {
        let mut question = Question::new(text, &|_| 1.0);
        question.read_in(text, tables, 3.0);
        (question.terms.into_iter().map(|t| t.term).collect::<Vec<_>>(), question.kind)
    };
    let term = |word: &str| pocketgraph_text::stem(word);
    let bridge = "Daraja la zamani ni la lini na kwa nini";
    assert_ne!(read(&[], bridge).1, QuestionKind::Quantity);
    let (terms, kind) = read(&of_documents, bridge);
    assert_eq!(kind, QuestionKind::Quantity, "\"lini\" asks for a date");
    assert_eq!(terms, ["daraja", "la", "zamani"].map(term), "function words are left out");
    assert_eq!(read(&of_documents, "jinsi ya kupika wali").1, QuestionKind::Manner);
    fs::remove_dir_all(lexicon).unwrap();
}

#[test]
fn its_grammar_finds_words_in_other_forms() {
    let (swahili, lexicon) = swahili("forms");
    let text = "mkulima kulima".to_owned();
    let chunk =
        Chunk { document: 0, heading_path: Vec::new(), fragment: String::new(), text, start: 0, end: 0 };
    let forms =
        |languages: &[&dyn Language]| Forms::of(&[document()], std::slice::from_ref(&chunk), languages);
    let term = |word: &str| pocketgraph_text::stem(word);
    assert_eq!(forms(&LANGUAGES).also("sw", &term("kulima")), []);
    let known = forms(&[&swahili]);
    let others: Vec<&str> = known.also("sw", &term("kulima")).iter().map(|other| other.0.as_str()).collect();
    assert_eq!(others, [term("mkulima")]);
    fs::remove_dir_all(lexicon).unwrap();
}

#[test]
fn its_folder_is_all_that_the_build_script_needs() {
    let (_, lexicon) = swahili("folder");
    let code = build_script::languages(&lexicon).unwrap();
    assert!(
        code.contains("impl Language for Sw ") && code.contains("LANGUAGES: [&dyn Language; 1] = [&Sw, ]"),
        "{code}"
    );
    for (name, _) in TABLES {
        assert!(
            code.contains(&format!(
                "fn {name}(&self) -> Table<'_> {{ crate::table!(\"lexicon/sw/{name}.tsv\") }}"
            )),
            "{code}"
        );
    }
    fs::remove_dir_all(lexicon).unwrap();
}
