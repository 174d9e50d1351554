//! Search among some of the documents: those of a version, a folder or a language.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "support/pages.rs"]
mod pages;

use futures::executor::block_on;
use pages::{opened, write};
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::Filter;
use pocketgraph_build::pipeline::{BuildOptions, Input};

/// Forty pages of an old version that say all about kilns, twelve of a new one that mention them, two in
/// German.
fn engine() -> (tempfile::TempDir, Engine) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    for n in 0..40 {
        write(
            &docs,
            &format!("1.0/old-{n}.md"),
            &format!("# Kiln {n}\n\nThe kiln, the kiln and the kiln {n}: a kiln heats clay."),
        );
    }
    for n in 0..12 {
        let text = format!(
            "# Chapter {n}\n\nChapter {n} speaks of glazes, of moulds, of wheels and tables, and \
             mentions once that a kiln is hot."
        );
        write(&docs, &format!("2.0/guides/new-{n}.md"), &text);
    }
    let german = "Der Brennofen wird langsam angeheizt, damit der Ton nicht springt. Wie lange das dauert, hängt \
        von der Größe ab.";
    for n in 0..2 {
        write(
            &docs,
            &format!("de/ofen-{n}.md"),
            &format!("# Brennofen {n}\n\n{german} Der kiln heißt im Deutschen so."),
        );
    }
    let engine = opened(dir.path(), |o| o);
    (dir, engine)
}

fn version(name: &str) -> Filter {
    Filter { version: Some(name.into()), ..Filter::default() }
}

fn urls(engine: &Engine, retriever: &str, filter: Filter, k: Option<u32>) -> Vec<String> {
    let (retriever, filter) = (Some(retriever.into()), filter.into());
    let options = SearchOptions { k, retriever, filter, ..SearchOptions::default() };
    block_on(engine.search("kiln", &options)).unwrap().hits.into_iter().map(|hit| hit.url).collect()
}

#[test]
fn a_filtered_list_is_as_long_as_another_by_every_retriever_before_and_after_the_model() {
    let (_dir, engine) = engine();
    for prepared in [false, true] {
        if prepared {
            block_on(engine.prepare()).unwrap();
        }
        for retriever in ["auto", "hybrid", "lexical", "dense"] {
            let of_old = urls(&engine, retriever, version("1.0"), None);
            assert!(
                of_old.len() == 10 && of_old.iter().all(|url| url.starts_with("1.0/")),
                "{retriever}: {of_old:?}"
            );
            let found = urls(&engine, retriever, version("2.0"), None);
            // Before the model has come, `dense` knows what lies near the words' best alone.
            assert!(found.len() == 10 || (retriever == "dense" && !prepared), "{retriever}: {found:?}");
            assert!(found.iter().all(|url| url.starts_with("2.0/guides/")), "{retriever}: {found:?}");
            let both = Filter { folder: Some("2.0/guides".into()), ..version("1.0") };
            assert_eq!(urls(&engine, retriever, both, None), Vec::<String>::new());
        }
        assert_eq!(urls(&engine, "lexical", version("2.0"), Some(50)).len(), 12);
    }
}

#[test]
fn chunks_that_lie_by_meaning_are_filtered_by_their_own_documents() {
    let dir = tempfile::tempdir().unwrap();
    let subjects = [
        "A kiln bakes clay pots.",
        "A kiln of the parliament votes on taxes.",
        "A kiln swims with whales in the sea.",
    ];
    for n in 0..520 {
        let (folder, text) = (["north", "south"][n % 2], subjects[n / 2 % 3]);
        write(
            &dir.path().join("docs"),
            &format!("{folder}/page-{n}.md"),
            &format!("# Page {n}\n\n{text} This is page {n}."),
        );
    }
    for words_only in [false, true] {
        let engine = opened(dir.path(), |o| BuildOptions { words_only, ..o });
        let of = block_on(engine.corpus().documents_of_chunks()).unwrap();
        assert_eq!(
            of.is_sorted(),
            words_only,
            "more than one cell of vectors puts chunks in another order than their documents"
        );
        for folder in ["north", "south"] {
            for retriever in if words_only { vec!["lexical"] } else { vec!["auto", "lexical"] } {
                let found = urls(
                    &engine,
                    retriever,
                    Filter { folder: Some(folder.into()), ..Filter::default() },
                    Some(50),
                );
                assert!(
                    found.len() == 50 && found.iter().all(|url| url.starts_with(folder)),
                    "{retriever}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn what_an_empty_filter_finds_is_what_none_finds() {
    let (_dir, engine) = engine();
    assert_eq!(
        urls(&engine, "auto", Filter::default(), None),
        urls(&engine, "auto", Filter { folder: Some("/".into()), ..Filter::default() }, None)
    );
}

#[test]
fn a_filtered_question_is_answered_from_what_is_left() {
    let (_dir, engine) = engine();
    block_on(engine.prepare()).unwrap();
    let options = AskOptions { filter: version("2.0").into(), ..AskOptions::default() };
    let mut found = Vec::new();
    let answer = block_on(engine.quote("What heats clay?", &options, &mut |event| {
        if let pocketgraph::answer::AskEvent::Hits { result } = event {
            found = result.hits;
        }
    }))
    .unwrap();
    assert!(found.len() == 10 && found.iter().all(|hit| hit.url.starts_with("2.0/")));
    assert!(answer.citations.iter().all(|c| c.url.starts_with("2.0/")), "{}", answer.text);
}

#[test]
fn a_language_leaves_its_own_documents() {
    let (_dir, engine) = engine();
    let german = Filter { language: Some("de".into()), ..Filter::default() };
    assert!(urls(&engine, "auto", german, None).iter().all(|url| url.starts_with("de/")));
}

#[test]
fn words_that_only_ask_are_not_marked_in_passages() {
    let dir = tempfile::tempdir().unwrap();
    let german = "Der Brennofen wird langsam angeheizt, damit der Ton nicht springt. Wie lange das dauert, hängt \
        von der Größe ab.";
    write(&dir.path().join("docs"), "ofen.md", &format!("# Brennofen\n\n{german}"));
    write(
        &dir.path().join("docs"),
        "ton.md",
        "# Ton\n\nDer Ton wird geknetet, bis er weich ist. Wie weich er sein muss, zeigt die Hand.",
    );
    let engine = opened(dir.path(), |o| o);
    let marked = |question: &str| -> Vec<String> {
        let hits = block_on(engine.search(question, &SearchOptions::default())).unwrap().hits;
        let spans = |hit: &pocketgraph::retrieve::Hit| -> Vec<String> {
            hit.highlights.iter().map(|s| hit.text[s.start as usize..s.end as usize].to_owned()).collect()
        };
        let mut all: Vec<String> = hits.iter().flat_map(spans).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let german = marked("Wie wird der Brennofen angeheizt?");
    assert!(
        german.iter().any(|word| word == "Brennofen")
            && !german.iter().any(|word| ["Wie", "wird", "der", "Der"].contains(&word.as_str())),
        "{german:?}"
    );
}

fn with_fields() -> (tempfile::TempDir, Engine) {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    let page = |name: &str, front: &str| {
        write(
            &docs,
            &format!("{name}.md"),
            &format!("---\n{front}\n---\n# {name}\n\nA kiln of {name} heats clay."),
        )
    };
    page("Brick", "author: Ann\ntags: [old, hot]\nprice: 9.5\ndate: 2023-02-01");
    page("Steel", "author: Bob\ntags: [new]\nprice: 12\ndate: 2024-05-01");
    let author = "<span data-pocketgraph-field='author'>Ann <b>Rook</b></span>";
    let marks = format!("<p>By {author}<i data-pocketgraph-field='price=30'></i></p>");
    let head = "<head><meta name=audience content=makers></head>";
    let html = format!("{head}<main><h1>Gas</h1>{marks}<p>A kiln of gas heats clay.</p></main>");
    write(&docs, "Gas.html", &html);
    let engine = opened(dir.path(), |o| o);
    (dir, engine)
}

#[test]
fn own_fields_choose_move_up_and_sort_hits() {
    let (_dir, engine) = with_fields();
    let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let found = |filter: Filter| {
        let urls = urls(&engine, "lexical", filter, None);
        urls.iter().map(|url| url.replace(".html", "")).collect::<Vec<_>>()
    };
    let chosen = |fields: &[&str]| {
        let mut found = found(Filter { fields: texts(fields), ..Filter::default() });
        found.sort();
        found
    };
    assert_eq!(chosen(&["author=Ann"]), ["Brick"]);
    assert_eq!(chosen(&["author=Ann Rook"]), ["Gas"]);
    assert_eq!(chosen(&["author=Ann", "author=Bob", "date=2024.."]), ["Steel"]);
    assert_eq!(chosen(&["price=10..30"]), ["Gas", "Steel"]);
    assert_eq!(chosen(&["tags=hot"]), ["Brick"]);
    assert_eq!(chosen(&["audience=makers"]), ["Gas"]);
    assert_eq!(chosen(&["colour=red"]), Vec::<String>::new());
    let sorted = |by: &str| found(Filter { sort: Some(by.into()), ..Filter::default() });
    assert_eq!(sorted("price"), ["Brick", "Steel", "Gas"]);
    assert_eq!(sorted("-price"), ["Gas", "Steel", "Brick"]);
    assert_eq!(sorted("-date"), ["Steel", "Brick", "Gas"]);
    let plain = found(Filter::default());
    let last = match plain[2].as_str() {
        "Gas" => "price=30",
        "Brick" => "tags=hot",
        _ => "tags=new",
    };
    let boosted = |by| found(Filter { boost: texts(&[last]), boost_by: Some(by), ..Filter::default() });
    assert_eq!(boosted(3)[0], plain[2]);
    assert_eq!(boosted(1), plain);
}

#[test]
fn a_field_that_no_document_has_is_named_with_those_that_there_are() {
    let (_dir, engine) = with_fields();
    let fields = block_on(engine.corpus().fields()).unwrap();
    let kinds: Vec<_> =
        fields.names.iter().zip(&fields.kinds).map(|(name, kind)| format!("{name}:{kind}")).collect();
    assert_eq!(kinds, ["audience:word", "author:word", "date:date", "price:number", "tags:words"]);
    let unknown = |text: &str| Filter::of_conditions(&[text.to_owned()]).unknown_field(&fields);
    assert_eq!((unknown("author=Ann"), unknown("language=de")), (None, None));
    let message = "there is no field \"colour\": the documents have audience, author, date, price, tags";
    assert_eq!(unknown("colour=red").as_deref(), Some(message));
}

#[test]
fn merged_bundles_keep_the_fields_of_their_documents() {
    let (first, _) = with_fields();
    let dir = tempfile::tempdir().unwrap();
    let amber = "---\nauthor: Ann\nprice: cheap\n---\n# Amber\n\nA kiln of amber is small.";
    write(&dir.path().join("docs"), "Amber.md", amber);
    opened(dir.path(), |o| o);
    let merged = tempfile::tempdir().unwrap();
    let bundles = [first.path(), dir.path()].map(|folder| folder.join("bundle")).to_vec();
    let engine = opened(merged.path(), |o| BuildOptions { input: Input::Bundles(bundles), ..o });
    let fields = vec!["author=Ann".to_owned()];
    let mut found = urls(&engine, "lexical", Filter { fields, ..Filter::default() }, None);
    found.sort();
    assert_eq!(found, ["Amber.html", "Brick.html"]);
}
