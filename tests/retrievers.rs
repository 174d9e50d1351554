//! The retrievers that a bundle is prepared for: on a small encyclopaedia, and on corpora and questions that leave them nothing to work with.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::{NAMES, Reached, SearchResult};
use pocketgraph_companion::autokg::AutoKgOptions;
use pocketgraph_companion::folder::FolderSource;
use pocketgraph_companion::pipeline::BuildOptions;
use pocketgraph_companion::prepare::Needs;
use pocketgraph_companion::verify::verify;
use std::rc::Rc;

/// Every retriever and every way of asking it.
const ALL: &[&str] = &[
    "auto",
    "hybrid",
    "lexical",
    "dense",
    "autokg",
    "linear",
    "linear:5/4/2.0/0.1",
    "hippo",
    "hippo:canonical",
    "hypergraph",
    "hypergraph:degree",
    "graphrag",
    "graphrag:global",
    "raptor",
    "raptor:traversal",
];

fn engine(folder: &std::path::Path, passages: &[(&str, &str)], retrievers: &[&str]) -> Engine {
    let needs = Needs::of(retrievers).unwrap();
    let autokg = retrievers.contains(&"autokg").then(AutoKgOptions::default);
    support::engine(support::corpus(folder, passages.iter().copied()), |options| BuildOptions { needs, autokg, ..options })
}

fn search(engine: &Engine, question: &str, retriever: &str, k: Option<u32>) -> SearchResult {
    let options = SearchOptions { k, retriever: Some(retriever.to_owned()), typing: false };
    block_on(engine.search(question, &options)).unwrap()
}

/// Films and their makers: the answer is never in the passage that the question names.
const FILMS: &[(&str, &str)] = &[
    ("The Silent Orchard", "The Silent Orchard is a 1962 drama film. It was directed by Mara Kestrel and shot in eleven days."),
    ("Harbour of Glass", "Harbour of Glass is a 1988 thriller film directed by Tomas Brenn."),
    ("A Winter's Ledger", "A Winter's Ledger is a 2003 film by Ilse Vandermeer about a bank."),
    ("Copper Moon", "Copper Moon is a 1979 western film. Otto Lindqvist directed it."),
    ("Mara Kestrel", "Mara Kestrel made The Silent Orchard. Mara Kestrel was born in Tromsund, and lives in the south."),
    ("Tomas Brenn", "Tomas Brenn was a director of thrillers. He was born in Port Aldous."),
    ("Ilse Vandermeer", "Ilse Vandermeer is a writer and director. She was born in Ghentbrugge."),
    ("Otto Lindqvist", "Otto Lindqvist was an actor, later a director. He was born in Kalmarby."),
    ("Tromsund", "Tromsund is a fishing town in the north with nine hundred people."),
    ("Port Aldous", "Port Aldous is a harbour city with a naval school."),
    ("Cinema of the north", "Cinema of the north is a term for films that were directed in the north by people who were born there."),
    ("Film director", "Film director is a profession: a film director directs a film, whoever was born where."),
    ("Ghentbrugge", "Ghentbrugge is a town of weavers. Ilse Vandermeer was born in Ghentbrugge."),
    ("Kalmarby", "Kalmarby is a village. Otto Lindqvist was born in Kalmarby."),
];

#[test]
fn graph_retrievers_reach_the_passage_one_entity_away_and_say_by_which() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS, ALL);
    let question = "Where was the director of The Silent Orchard born?";
    for retriever in ["linear:3/1/0.05/0.2", "hippo", "hypergraph"] {
        let result = search(&engine, question, retriever, Some(4));
        let found: Vec<&str> = result.hits.iter().map(|h| h.title.as_str()).collect();
        // The film's own passage joins no two names in one sentence, so that it is on no hyperedge.
        assert!(retriever == "hypergraph" || found.contains(&"The Silent Orchard"), "{retriever}: {found:?}");
        assert!(found.contains(&"Mara Kestrel"), "{retriever}: {found:?}");
        let mut ways = result.hits.iter().flat_map(|h| &h.reached);
        // Only `linear` starts from what the question names; the others start from what is nearest to it.
        let named = |entity: &str| entity == "the silent orchard" || !retriever.starts_with("linear");
        assert!(ways.any(|w| matches!(w, Reached::Entity { entity } if named(entity))), "{retriever}");
    }
}

#[test]
fn a_bundle_without_what_a_retriever_reads_says_how_to_build_it() {
    let dir = tempfile::tempdir().unwrap();
    let plain = engine(dir.path(), FILMS, &["auto"]);
    for retriever in ["linear", "hippo", "hypergraph", "graphrag", "raptor"] {
        let options = SearchOptions { retriever: Some(retriever.to_owned()), ..SearchOptions::default() };
        let error = block_on(plain.search("Tomas Brenn", &options)).unwrap_err();
        assert_eq!(error.code(), "missing-section");
        assert!(error.to_string().ends_with(&format!("build it with --retrievers auto,{retriever}")), "{error}");
    }
    let sections: Vec<String> = plain.info().sections.into_iter().map(|s| s.name).collect();
    for section in ["entities", "synonyms", "communities", "tree"] {
        assert!(!sections.contains(&section.to_owned()), "the default carries nothing of {section}");
    }
}

#[test]
fn a_prepared_bundle_verifies_and_builds_to_the_same_bytes() {
    let manifest = || {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path(), FILMS, ALL);
        let verdict = block_on(verify(engine.corpus().bundle()));
        assert!(verdict.faults.is_empty(), "{:?}", verdict.faults);
        engine.corpus().bundle().manifest().sections.clone()
    };
    let first = manifest();
    assert!(["entities", "synonyms", "communities", "tree"].iter().all(|s| first.iter().any(|f| f.name == *s)));
    assert_eq!(first, manifest());
}

#[test]
fn questions_and_corpora_of_any_shape_bring_finite_scores_and_no_panic() {
    let long = "word".repeat(20_000);
    let corpora: &[&[(&str, &str)]] = &[
        FILMS,
        &FILMS[..1],
        &[("x", "a")],
        // Twelve passages that are all the same, with and without a name.
        &[("", "word"); 12],
        &[("Mara Kestrel", "Mara Kestrel met Tomas Brenn."); 12],
        &[("one", &long)],
        &[("東京", "東京は日本の首都です。渋谷は東京にあります。"), ("渋谷", "渋谷は東京の街です。")],
    ];
    let giant = "Mara Kestrel ".repeat(8000);
    let questions =
        ["", "   ", "?", "zzqx", "Mara Kestrel", "mara kestrel", "THE", "Who is Tomas Brenn's Copper Moon in Zembla?", "東京 😀", &giant];
    for passages in corpora {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path(), passages, ALL);
        for retriever in ALL {
            for question in questions {
                for k in [None, Some(3)] {
                    let result = search(&engine, question, retriever, k);
                    assert!(result.hits.iter().all(|h| h.score.is_finite()), "{retriever} {question:.20}");
                    assert!(result.missing.is_empty(), "{retriever} {question:.20}: {:?}", result.missing);
                    assert!(k.is_none_or(|k| result.hits.len() <= k as usize));
                    let mut chunks: Vec<u32> = result.hits.iter().map(|h| h.chunk).collect();
                    chunks.sort_unstable();
                    chunks.dedup();
                    assert_eq!(chunks.len(), result.hits.len(), "{retriever}: a chunk comes once");
                }
            }
        }
    }
}

#[test]
fn a_misspelt_word_finds_what_the_right_one_finds() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS, &["auto"]);
    let titles = |question: &str| search(&engine, question, "lexical", Some(10)).hits.into_iter().map(|h| h.title).collect::<Vec<_>>();
    assert_eq!(titles("schol"), ["Port Aldous"]);
    assert_eq!(titles("profesion of a vilage"), titles("profession of a village"), "two misspelt words");
    assert_eq!(titles("fishing vilage")[0], "Tromsund", "a word as it was written counts for more");
    assert!(titles("nayyl").is_empty() && titles("1997").is_empty(), "neither a word two letters away nor another number");
    let typing = SearchOptions { typing: true, retriever: Some("lexical".into()), ..SearchOptions::default() };
    let found = |question: &str| !block_on(engine.search(question, &typing)).unwrap().hits.is_empty();
    assert!(found("tromsu"), "an unfinished word stands for its completions");
    assert!(!found("harbuor"), "an unfinished word is not misspelt yet");
    assert!(found("harbuor "), "a space finishes it");
}

#[test]
fn a_misspelt_question_is_answered_and_what_nobody_wrote_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS, &["auto"]);
    let quote = |question: &str| block_on(engine.quote(question, &AskOptions::default(), &mut |_| {})).unwrap();
    let right = quote("What has a naval school?");
    assert!(right.answered && right.text.contains("Port Aldous"));
    for misspelt in ["What has a naval schol?", "What has a navla school?"] {
        assert_eq!(quote(misspelt).text, right.text, "{misspelt}");
    }
    assert!(!quote("Which umbrella was folded by the xylophonist?").answered);
}

#[test]
fn without_the_model_graph_retrievers_still_answer_by_the_words_of_the_question() {
    let dir = tempfile::tempdir().unwrap();
    drop(engine(dir.path(), FILMS, ALL));
    let source = Rc::new(FolderSource::new(dir.path().join("bundle")));
    let engine = block_on(Engine::open(source, 1 << 30)).unwrap();
    for retriever in ALL {
        let result = search(&engine, "Who directed Copper Moon?", retriever, Some(5));
        // Reports quote what is best connected, and facts join two names: the film, which no sentence joins to anything, may be missed by either.
        let may_miss = ["graphrag:global", "hippo", "hippo:canonical", "hypergraph", "hypergraph:degree"].contains(retriever);
        let wanted = may_miss || result.hits.iter().any(|h| h.title == "Copper Moon");
        assert!(!result.hits.is_empty() && wanted, "{retriever}");
    }
}

#[test]
fn every_name_is_a_retriever_and_an_unknown_way_of_asking_is_an_error() {
    for name in NAMES {
        assert!(ALL.contains(name), "{name} is not tried here");
    }
    for bad in ["magic", "linear:fast", "hippo:", "raptor:global", "graphrag:traversal", "auto:x", "hypergraph:degree:x"] {
        assert!(pocketgraph::retrieve::by_name(bad).is_none(), "{bad}");
    }
}
