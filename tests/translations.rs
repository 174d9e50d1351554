//! Pages that there are in several languages: one hit each, in the language of the question or of its reader.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "support/pages.rs"]
mod pages;

use futures::executor::block_on;
use pages::{opened, write};
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::Hit;
use std::collections::BTreeSet;

/// An engine over the pages of a manual in English and German, and one page that there is in English only.
fn engine() -> (tempfile::TempDir, Engine) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    write(
        &docs,
        "deploy.md",
        "# Deploy with Docker\n\nDocker builds the image of Tamarix and starts it on the server. The \
         image needs the port 8080.",
    );
    write(
        &docs,
        "de/deploy.md",
        "# Tamarix mit Docker betreiben\n\nDocker baut das Image von Tamarix und startet es auf dem \
         Server. Das Image braucht den Port 8080, und der Server muss ihn öffnen.",
    );
    write(
        &docs,
        "limits.md",
        "# Limits\n\nTamarix keeps at most forty sessions in memory, whatever Docker gives it. Older \
         sessions are closed first.",
    );
    write(
        &docs,
        "colours.md",
        "# Colours\n\nThe colours of the page are set in one file, which is read when the program starts.",
    );
    write(
        &docs,
        "de/colours.md",
        "# Farben\n\nDie Farben der Seite stehen in einer Datei, die beim Start des Programms gelesen wird.",
    );
    let engine = opened(dir.path(), |o| o);
    (dir, engine)
}

/// The hits by words, after those of `auto` were seen to name no page twice.
fn hits(engine: &Engine, question: &str, reader: Option<&str>, typing: bool) -> Vec<Hit> {
    let by = |retriever: &str| {
        let reader_language = reader.map(str::to_owned);
        let options = SearchOptions {
            retriever: Some(retriever.into()),
            reader_language,
            typing,
            ..SearchOptions::default()
        };
        block_on(engine.search(question, &options)).unwrap().hits
    };
    let found = by("auto");
    let pages: BTreeSet<&str> = found.iter().map(|hit| page_of(hit).0.trim_start_matches("de/")).collect();
    assert_eq!(pages.len(), found.len(), "no page is there twice");
    by("lexical")
}

/// The page that a hit is of, its language, and those that it stands for.
fn page_of(hit: &Hit) -> (&str, &str, Vec<&str>) {
    (
        hit.url.split(".html").next().unwrap(),
        hit.language.as_str(),
        hit.translations.iter().map(|t| t.language.as_str()).collect(),
    )
}

#[test]
fn a_page_in_two_languages_is_one_hit_in_the_language_of_the_question() {
    let (_dir, engine) = engine();
    let german = hits(&engine, "Wie betreibe ich Tamarix mit Docker auf dem Server?", Some("en"), false);
    assert_eq!(page_of(&german[0]), ("de/deploy", "de", vec!["en"]));
    let english = hits(&engine, "How do I deploy Tamarix with Docker?", Some("de"), false);
    assert_eq!(page_of(&english[0]), ("deploy", "en", vec!["de"]));
    let limits = english.iter().find(|hit| hit.url.starts_with("limits")).unwrap();
    assert_eq!(page_of(limits), ("limits", "en", vec![]));
    let passage = block_on(engine.passage(english[0].translations[0].chunk)).unwrap();
    assert!(
        passage.url.starts_with("de/deploy") && passage.text.contains("Docker"),
        "a reader of another language opens it there"
    );
}

#[test]
fn where_the_question_names_no_language_the_readers_is_taken_while_typing_too() {
    let (_dir, engine) = engine();
    for typing in [false, true] {
        for (reader, found) in
            [("de", "de/deploy"), ("de-AT", "de/deploy"), ("en", "deploy"), ("EN_GB", "deploy")]
        {
            assert_eq!(
                page_of(&hits(&engine, "Tamarix Docker", Some(reader), typing)[0]).0,
                found,
                "{reader}"
            );
        }
    }
    let best = hits(&engine, "Tamarix Docker Port", None, false);
    assert_eq!(
        best.iter().filter(|hit| hit.url.contains("deploy")).count(),
        1,
        "and that of the best passage where nobody says"
    );
    assert_eq!(
        page_of(&hits(&engine, "Tamarix Docker", Some("fr"), false)[0]).2.len(),
        1,
        "a language that there is not changes nothing"
    );
}

#[test]
fn an_answer_is_quoted_in_the_language_of_the_question_and_says_so() {
    let (_dir, engine) = engine();
    block_on(engine.prepare()).unwrap();
    for (question, language) in [
        ("Welchen Port braucht das Image von Tamarix?", "de"),
        ("Which port does the image of Tamarix need?", "en"),
    ] {
        let answer = block_on(engine.quote(question, &AskOptions::default(), &mut |_| {})).unwrap();
        assert_eq!(answer.references[0].language, language, "{}", answer.text);
        assert!(answer.text.contains("8080"), "{}", answer.text);
    }
}
