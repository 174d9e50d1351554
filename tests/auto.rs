//! The default retriever on corpora of either kind: a small encyclopaedia, where it follows mentions, and
//! documentation, where it does not.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::{Reached, SearchResult};

fn engine(folder: &std::path::Path, passages: &[(&str, &str)]) -> Engine {
    support::engine(support::corpus(folder, passages.iter().copied()), |options| options)
}

fn search(engine: &Engine, question: &str, retriever: Option<&str>, k: u32) -> SearchResult {
    block_on(engine.search(
        question,
        &SearchOptions { k: Some(k), retriever: retriever.map(str::to_owned), ..SearchOptions::default() },
    ))
    .unwrap()
}

/// Films and their makers. No film's passage says where its maker was born.
const FILMS: &[(&str, &str)] = &[
    (
        "The Silent Orchard",
        "The Silent Orchard is a 1994 drama film. It was directed by Mara Kestrel and shot in eleven days.",
    ),
    ("Harbour of Glass", "Harbour of Glass is a 1988 thriller film directed by Tomas Brenn."),
    ("A Winter's Ledger", "A Winter's Ledger is a 2003 film by Ilse Vandermeer about a bank."),
    ("Copper Moon", "Copper Moon is a 1979 western film. Otto Lindqvist directed it."),
    (
        "Mara Kestrel",
        "Mara Kestrel is a film-maker and painter. She was born in Tromsund, and lives in the south.",
    ),
    ("Tomas Brenn", "Tomas Brenn was a director of thrillers. He was born in Port Aldous."),
    ("Ilse Vandermeer", "Ilse Vandermeer is a writer and director. She was born in Ghentbrugge."),
    ("Otto Lindqvist", "Otto Lindqvist was an actor, later a director. He was born in Kalmarby."),
    ("Tromsund", "Tromsund is a fishing town in the north with nine hundred people."),
    ("Port Aldous", "Port Aldous is a harbour city with a naval school."),
    (
        "Cinema of the north",
        "Cinema of the north is a term for films that were directed in the north by people who were \
         born there.",
    ),
    (
        "Film director",
        "Film director is a profession: a film director directs a film, whoever was born where.",
    ),
];

#[test]
fn in_an_encyclopaedia_the_answer_one_mention_away_is_reached_through_the_mention() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS);
    let question = "Where was the director of The Silent Orchard born?";
    let titles = |r: &SearchResult| r.hits.iter().map(|h| h.title.clone()).collect::<Vec<_>>();
    let auto = search(&engine, question, None, 3);
    assert_eq!(auto.retriever, "auto", "it is the default");
    let found = titles(&auto);
    assert!(
        found.contains(&"The Silent Orchard".to_owned()) && found.contains(&"Mara Kestrel".to_owned()),
        "{found:?}"
    );
    let film = auto.hits.iter().find(|h| h.title == "The Silent Orchard").unwrap();
    assert!(
        film.reached.contains(&Reached::Name { name: "The Silent Orchard".into() }),
        "{:?}",
        film.reached
    );
    let maker = auto.hits.iter().find(|h| h.title == "Mara Kestrel").unwrap();
    let link = Reached::Link { name: "mara kestrel".into(), from: "The Silent Orchard".into() };
    assert!(maker.reached.contains(&link), "{:?}", maker.reached);
    assert!(
        !titles(&search(&engine, question, Some("hybrid"), 3)).contains(&"Mara Kestrel".to_owned()),
        "words and meaning alone miss it"
    );
}

#[test]
fn both_things_that_a_question_names_are_hopped_from() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS);
    // Its words agree far better with one of the two.
    let question = "Who was born first, the director of A Winter's Ledger, the 2003 film about a bank by a writer, \
        or of Copper Moon?";
    let mut first: Vec<String> =
        search(&engine, question, None, 4).hits.into_iter().map(|h| h.title).collect();
    first.sort_unstable();
    assert_eq!(first, ["A Winter's Ledger", "Copper Moon", "Ilse Vandermeer", "Otto Lindqvist"]);
}

#[test]
fn a_page_named_inside_a_longer_phrase_is_reached() {
    let dir = tempfile::tempdir().unwrap();
    let pages = &[
        ("Princess Ysolde", "Princess Ysolde was the eldest daughter of King Aldemar Venn. She wrote poems."),
        ("Castle Orrin", "Castle Orrin is a ruin. King Aldemar Venn built it."),
        ("Aldemar Venn", "Aldemar Venn was a monarch. He died in Alexandria of a fever."),
        ("Fever", "Fever is a high temperature of the body."),
    ];
    let engine = engine(dir.path(), pages);
    let result = search(&engine, "Where did the father of Princess Ysolde die?", None, 4);
    let link = Reached::Link { name: "aldemar venn".into(), from: "Princess Ysolde".into() };
    let father = result.hits.iter().find(|h| h.title == "Aldemar Venn").unwrap();
    assert!(father.reached.contains(&link), "{:?}", father.reached);
}

#[test]
fn questions_of_any_shape_bring_finite_scores_and_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    for passages in [FILMS, &FILMS[..1], &[("", "word"), ("", "word"), ("", "word")], &[("x", "a")]] {
        let folder = tempfile::tempdir_in(dir.path()).unwrap();
        let engine = engine(folder.path(), passages);
        let giant = "Mara Kestrel ".repeat(8000);
        for question in [
            "",
            "   ",
            "?",
            "zzqx",
            "Mara Kestrel",
            "mara kestrel",
            "THE",
            "Who is Tomas Brenn's Copper Moon?",
            "東京 😀",
            &giant,
        ] {
            let result = search(&engine, question, Some("auto"), 10);
            assert!(result.hits.iter().all(|h| h.score.is_finite()), "{question:.20}");
            assert!(result.missing.is_empty(), "{:?}", result.missing);
        }
    }
}

#[test]
fn documentation_is_not_hopped() {
    let dir = tempfile::tempdir().unwrap();
    let pages = &[
        ("Installation", "Run the installer as described below, then open Configuration."),
        ("Configuration", "Edit the file in your home folder. See Installation first."),
        ("Troubleshooting", "If nothing happens, look at the log."),
    ];
    let engine = engine(dir.path(), pages);
    let result = search(&engine, "How does Installation work?", None, 3);
    assert_eq!(result.hits[0].title, "Installation");
    assert!(result.hits.iter().all(|h| h.reached.iter().all(|w| !matches!(w, Reached::Link { .. }))));
}

/// Encyclopaedia and documentation in one site: the films below `wiki/`, pages about a program below `docs/`.
fn mixed(folder: &std::path::Path, films: usize) -> Engine {
    let site = folder.join("site");
    let write = |place: String, title: &str, text: &str| {
        let path = site.join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("# {title}\n\n{text}\n")).unwrap();
    };
    FILMS.iter().enumerate().for_each(|(i, (title, text))| write(format!("wiki/{i}.md"), title, text));
    (0..films).for_each(|i| {
        write(
            format!("wiki/more-{i}.md"),
            &format!("Ferry {i}"),
            &format!("Ferry {i} is a short film of {}.", 1950 + i),
        )
    });
    let task = |i: usize| {
        ["Export a reel", "Import a reel", "Cut a scene", "Colour a scene", "Mix the sound"][i % 5]
    };
    for i in 0..40 {
        let text = format!(
            "Open menu {i}, then see {} and Preferences. Mara Kestrel wrote this chapter.",
            task(i + 1)
        );
        write(format!("docs/{i}.md"), &format!("{} in version {i}", task(i)), &text);
    }
    write(
        "docs/preferences.md".into(),
        "Preferences",
        "Edit the file in your home folder. Then Export a reel in version 5.",
    );
    support::engine(site, |options| options)
}

#[test]
fn a_site_with_an_encyclopaedia_beside_its_documentation_is_hopped_in_the_encyclopaedia_alone() {
    // Once most pages are articles, once most are documentation.
    for films in [70, 8] {
        let dir = tempfile::tempdir().unwrap();
        let engine = mixed(dir.path(), films);
        let linked = |result: &SearchResult| {
            let by_link =
                |h: &&pocketgraph::retrieve::Hit| h.reached.iter().any(|w| matches!(w, Reached::Link { .. }));
            result.hits.iter().filter(by_link).map(|h| h.url.clone()).collect::<Vec<_>>()
        };
        let asked = search(&engine, "Where was the director of The Silent Orchard born?", None, 4);
        assert!(asked.hits.iter().any(|h| h.title == "Mara Kestrel"), "{films}: {:?}", asked.hits);
        let led_to = linked(&asked);
        assert!(
            !led_to.is_empty() && led_to.iter().all(|url| url.starts_with("wiki/")),
            "{films}: {led_to:?}"
        );
        let asked = search(&engine, "How do I set Preferences?", None, 4);
        assert_eq!(asked.hits[0].title, "Preferences");
        assert!(linked(&asked).is_empty(), "{films}: a page that the documentation mentions is no answer");
    }
}
