//! The retrievers that a bundle is prepared for: on a small encyclopaedia, and on corpora and questions that
//! leave them nothing to work with.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;
#[path = "support/ways.rs"]
mod ways;

use futures::executor::block_on;
use futures::future::{FutureExt, LocalBoxFuture};
use futures::stream::{self, StreamExt};
use pocketgraph::answer::AskOptions;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::llm::{ChatModel, ChatRequest, ChatStream, Delta, LlmError};
use pocketgraph::retrieve::{NAMES, PreparedCorpus, Reached, SearchResult};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::BuildOptions;
use pocketgraph_build::prepare::Needs;
use pocketgraph_build::verify::verify_bundle;
use pocketgraph_keywords::autokg::AutoKgOptions;
use pocketgraph_llm_client::asker::{Asking, BuildModel, MemoryCache};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;
use ways::ways;

/// Every retriever and every way of asking it.
static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| ways().collect());

fn engine(folder: &std::path::Path, passages: &[(&str, &str)], retrievers: &[&str]) -> Engine {
    let needs = Needs::of(retrievers).unwrap();
    let autokg = retrievers.contains(&"autokg").then(AutoKgOptions::default);
    support::engine(support::corpus(folder, passages.iter().copied()), |options| BuildOptions {
        needs,
        autokg,
        ..options
    })
}

fn search(engine: &Engine, question: &str, retriever: &str, k: Option<u32>) -> SearchResult {
    let options = SearchOptions { k, retriever: Some(retriever.to_owned()), ..SearchOptions::default() };
    block_on(engine.search(question, &options)).unwrap()
}

/// Films and their makers: the answer is never in the passage that the question names.
const FILMS: &[(&str, &str)] = &[
    (
        "The Silent Orchard",
        "The Silent Orchard is a 1962 drama film. It was directed by Mara Kestrel and shot in eleven days.",
    ),
    ("Harbour of Glass", "Harbour of Glass is a 1988 thriller film directed by Tomas Brenn."),
    ("A Winter's Ledger", "A Winter's Ledger is a 2003 film by Ilse Vandermeer about a bank."),
    ("Copper Moon", "Copper Moon is a 1979 western film. Otto Lindqvist directed it."),
    (
        "Mara Kestrel",
        "Mara Kestrel made The Silent Orchard. Mara Kestrel was born in Tromsund, and lives in the south.",
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
    ("Ghentbrugge", "Ghentbrugge is a town of weavers. Ilse Vandermeer was born in Ghentbrugge."),
    ("Kalmarby", "Kalmarby is a village. Otto Lindqvist was born in Kalmarby."),
];

#[test]
fn graph_retrievers_reach_the_passage_one_entity_away_and_say_by_which() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS, &ALL);
    let question = "Where was the director of The Silent Orchard born?";
    for retriever in ["linear", "hippo", "hypergraph"] {
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
        assert!(
            error.to_string().ends_with(&format!("build it with --retrievers auto,{retriever}")),
            "{error}"
        );
    }
    let sections: Vec<String> = plain.info().sections.into_iter().map(|s| s.name).collect();
    for section in ["entities", "synonyms", "communities", "tree"] {
        assert!(!sections.contains(&section.to_owned()), "the default carries nothing of {section}");
    }
}

#[test]
fn a_manifest_that_names_another_model_than_it_was_written_with_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(engine(dir.path(), FILMS, &["auto", "linear"]));
    let bundle = dir.path().join("bundle");
    let manifest = std::fs::read_to_string(bundle.join("manifest.json")).unwrap();
    let expected = [
        "\"id\":\"minilm\"",
        "\"dimension\":384",
        "\"pooling\":\"mean\"",
        "\"queryPrefix\":\"\"",
        "\"seed\":\"0\"",
    ];
    let other = [
        "\"id\":\"another\"",
        "\"dimension\":128",
        "\"pooling\":\"first\"",
        "\"queryPrefix\":\"query: \"",
        "\"seed\":\"1\"",
    ];
    for (field, other) in expected.into_iter().zip(other) {
        assert!(manifest.contains(field), "{field}");
        std::fs::write(bundle.join("manifest.json"), manifest.replace(field, other)).unwrap();
        let opened = block_on(Engine::open(Rc::new(FolderSource::new(&bundle)), 1 << 30));
        assert_eq!(opened.map(|_| ()).unwrap_err().code(), "hash-mismatch", "{other}");
    }
}

#[test]
fn a_prepared_bundle_verifies_and_builds_to_the_same_bytes() {
    let manifest = || {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path(), FILMS, &ALL);
        let verdict = block_on(verify_bundle(engine.corpus().bundle()));
        assert!(verdict.faults.is_empty(), "{:?}", verdict.faults);
        engine.corpus().bundle().manifest().sections.clone()
    };
    let first = manifest();
    assert!(
        ["entities", "synonyms", "communities", "tree"].iter().all(|s| first.iter().any(|f| f.name == *s))
    );
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
    let questions = [
        "",
        "   ",
        "?",
        "zzqx",
        "Mara Kestrel",
        "mara kestrel",
        "THE",
        "Who is Tomas Brenn's Copper Moon in Zembla?",
        "東京 😀",
        &giant,
    ];
    for passages in corpora {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path(), passages, &ALL);
        for retriever in ALL.iter() {
            for question in questions {
                for k in [None, Some(3)] {
                    let result = search(&engine, question, retriever, k);
                    assert!(result.hits.iter().all(|h| h.score.is_finite()), "{retriever} {question:.20}");
                    assert!(result.missing.is_empty(), "{retriever} {question:.20}: {:?}", result.missing);
                    // What was found only by a keyword comes on top of `k`.
                    let nearest =
                        result.hits.iter().filter(|h| !Reached::by_keyword_alone(&h.reached)).count();
                    assert!(k.is_none_or(|k| nearest <= k as usize));
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
    let titles = |question: &str| {
        search(&engine, question, "lexical", Some(10)).hits.into_iter().map(|h| h.title).collect::<Vec<_>>()
    };
    assert_eq!(titles("schol"), ["Port Aldous"]);
    assert_eq!(titles("profesion of a vilage"), titles("profession of a village"), "two misspelt words");
    assert_eq!(titles("fishing vilage")[0], "Tromsund", "a word as it was written counts for more");
    assert!(
        titles("nayyl").is_empty() && titles("1997").is_empty(),
        "neither a word two letters away nor another number"
    );
    let typing =
        SearchOptions { typing: true, retriever: Some("lexical".into()), ..SearchOptions::default() };
    let found = |question: &str| !block_on(engine.search(question, &typing)).unwrap().hits.is_empty();
    assert!(found("tromsu"), "an unfinished word stands for its completions");
    assert!(!found("harbuor"), "an unfinished word is not misspelt yet");
    assert!(found("harbuor "), "a space finishes it");
}

#[test]
fn a_misspelt_question_is_answered_and_what_nobody_wrote_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path(), FILMS, &["auto"]);
    let quote =
        |question: &str| block_on(engine.quote(question, &AskOptions::default(), &mut |_| {})).unwrap();
    let right = quote("Which harbour city has a naval school?");
    assert!(right.answered && right.text.contains("Port Aldous"), "{right:?}");
    for misspelt in ["Which harbour city has a naval schol?", "Which harbour city has a navla school?"] {
        assert_eq!(quote(misspelt).text, right.text, "{misspelt}");
    }
    assert!(!quote("Which umbrella was folded by the xylophonist?").answered);
}

#[test]
fn without_the_model_graph_retrievers_still_answer_by_the_words_of_the_question() {
    let dir = tempfile::tempdir().unwrap();
    drop(engine(dir.path(), FILMS, &ALL));
    let source = Rc::new(FolderSource::new(dir.path().join("bundle")));
    let engine = block_on(Engine::open(source, 1 << 30)).unwrap();
    for retriever in ALL.iter() {
        let result = search(&engine, "Who directed Copper Moon?", retriever, Some(5));
        // Facts join two names: the film, which no sentence joins to anything, may be missed.
        let facts = retriever.starts_with("hippo") || retriever.starts_with("hypergraph");
        let wanted = facts || result.hits.iter().any(|h| h.title == "Copper Moon");
        assert!(!result.hits.is_empty() && wanted, "{retriever}");
    }
}

#[test]
fn every_name_is_a_retriever_and_an_unknown_way_of_asking_is_an_error() {
    for name in NAMES {
        assert!(ALL.contains(name), "{name} is not tried here");
    }
    for bad in ["magic", "linear:fast", "hippo:", "auto:x", "autokg:15/5", "autokg:15/5/3/3/2/x"] {
        assert!(pocketgraph::retrieve::by_name(bad).is_none(), "{bad}");
    }
}

/// A model whose replies are what `says` makes of the last message; what it was asked is kept.
struct Model<F> {
    says: F,
    asked: RefCell<Vec<String>>,
}

impl<F: Fn(&str) -> Option<String>> ChatModel for Model<F> {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        let asked = request.messages.last().map(|m| m.content.clone()).unwrap_or_default();
        let reply = (self.says)(&asked)
            .ok_or_else(|| LlmError::Http { status: Some(404), message: "no such model".to_owned() });
        self.asked.borrow_mut().push(asked);
        async move { reply.map(|text| stream::iter([Ok(Delta { text, ..Delta::default() })]).boxed_local()) }
            .boxed_local()
    }
}

fn model<F: Fn(&str) -> Option<String>>(reply_of: F) -> Rc<Model<F>> {
    Rc::new(Model { says: reply_of, asked: RefCell::default() })
}

/// Statements that a reader of [`FILMS`] would make.
const STATED: &[[&str; 3]] = &[
    ["The Silent Orchard", "directed by", "Mara Kestrel"],
    ["Harbour of Glass", "directed by", "Tomas Brenn"],
    ["Copper Moon", "directed by", "Otto Lindqvist"],
    ["Mara Kestrel", "born in", "Tromsund"],
    ["Tomas Brenn", "born in", "Port Aldous"],
    ["Otto Lindqvist", "born in", "Kalmarby"],
    ["Tromsund", "is", "a fishing town"],
    ["Port Aldous", "has", "a naval school"],
];

/// Reads a passage for names first and then for triples, those of [`STATED`] whose ends it names both.
fn reads(passage: &str) -> Option<String> {
    let triples: Vec<&[&str; 3]> =
        STATED.iter().filter(|t| passage.contains(t[0]) && passage.contains(t[2])).collect();
    if passage.contains("\n\nEntities:\n") {
        return Some(serde_json::json!({ "triples": triples }).to_string());
    }
    let names: Vec<&str> = triples.iter().flat_map(|t| [t[0], t[2]]).collect();
    Some(serde_json::json!({ "entities": names }).to_string())
}

/// Passages, with triples that a model read for them.
fn with_triples(folder: &std::path::Path, passages: &[(&str, &str)], retrievers: &[&str]) -> Engine {
    let needs = Needs::of(retrievers).unwrap();
    let chat = Box::new(Model { says: reads, asked: RefCell::default() });
    let reader = BuildModel { chat, asking: Asking::new("m"), cache: Box::new(MemoryCache::default()) };
    let options = |options: BuildOptions| BuildOptions { needs, kg_model: Some(reader), ..options };
    support::engine(support::corpus(folder, passages.iter().copied()), options)
}

const QUESTION: &str = "Where was the director of The Silent Orchard born?";

fn titles(result: &SearchResult) -> Vec<&str> {
    result.hits.iter().map(|h| h.title.as_str()).collect()
}

#[test]
fn triples_that_a_model_read_are_the_facts_of_hippo() {
    let dir = tempfile::tempdir().unwrap();
    let engine = with_triples(dir.path(), FILMS, &["hippo"]);
    assert!(block_on(verify_bundle(engine.corpus().bundle())).faults.is_empty());
    let facts = block_on(PreparedCorpus(engine.corpus()).facts("hippo")).unwrap();
    let fact_texts: Vec<String> = (0..facts.all.len() as u32).map(|f| facts.text(f)).collect();
    assert!(fact_texts.contains(&"the silent orchard directed by mara kestrel".to_owned()), "{fact_texts:?}");
    assert!(
        facts.all.len() < STATED.len() + 1,
        "a triple that two passages state is one fact: {fact_texts:?}"
    );
    let result = search(&engine, QUESTION, "hippo", Some(3));
    assert!(
        titles(&result).contains(&"The Silent Orchard") && titles(&result).contains(&"Mara Kestrel"),
        "{:?}",
        titles(&result)
    );
    let ways: Vec<&Reached> = result.hits.iter().flat_map(|h| &h.reached).collect();
    assert!(ways.contains(&&Reached::Entity { entity: "mara kestrel".into() }), "{ways:?}");
    let other = tempfile::tempdir().unwrap();
    let of_sentences = search(&self::engine(other.path(), FILMS, &["hippo"]), QUESTION, "hippo", Some(3));
    assert_ne!(result.hits, of_sentences.hits, "sentences are facts where no model read triples");
}

#[test]
fn triples_of_corpora_of_any_shape_bring_finite_scores_and_no_panic() {
    let long = format!("Mara Kestrel Tromsund {}", "word".repeat(20_000));
    // One passage with one triple, twelve that are all the same, one long word, and two scripts in which
    // nothing is stated but once.
    let corpora: &[&[(&str, &str)]] = &[
        &FILMS[4..5],
        &[("Mara Kestrel", "Mara Kestrel was born in Tromsund."); 12],
        &[("one", &long)],
        &[("東京", "東京は日本の首都です。"), ("Mara Kestrel", "Mara Kestrel was born in Tromsund.")],
    ];
    let giant = "Mara Kestrel ".repeat(8000);
    for passages in corpora {
        let dir = tempfile::tempdir().unwrap();
        let engine = with_triples(dir.path(), passages, &["hippo"]);
        for question in ["", "?", "zzqx", "Mara Kestrel", "東京 😀", &giant] {
            let found = search(&engine, question, "hippo", None);
            assert!(
                found.hits.iter().all(|h| h.score.is_finite()) && found.missing.is_empty(),
                "{question:.20}"
            );
        }
        assert!(!search(&engine, "Where was Mara Kestrel born?", "hippo", None).hits.is_empty());
    }
}

#[test]
fn a_question_that_names_only_what_is_everywhere_is_answered_by_what_it_asks() {
    let folder = tempfile::tempdir().unwrap();
    let things = [
        "boat", "house", "piano", "horse", "farm", "mill", "garden", "library", "bakery", "violin", "coach",
        "tower",
    ];
    let sold: Vec<(String, String)> = things
        .iter()
        .enumerate()
        .map(|(i, thing)| {
            (
                format!("note {i}"),
                format!("Mara Kestrel came to Tomas Brenn in {}. She sold him the {thing}.", 1900 + i),
            )
        })
        .collect();
    let passages: Vec<(&str, &str)> =
        sold.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
    let engine = engine(folder.path(), &passages, &ALL);
    for retriever in ALL.iter() {
        let result = search(&engine, "When did Mara Kestrel sell the piano?", retriever, Some(5));
        assert!(result.hits.iter().all(|h| h.score.is_finite()), "{retriever}");
        // Hyperedges, and the entities' passages in GraphRAG's order, are the same for every such question.
        let by_names_alone = ["hypergraph", "graphrag"].iter().any(|r| retriever.starts_with(r));
        assert!(
            by_names_alone || result.hits.iter().any(|h| h.title == "note 2"),
            "{retriever}: {:?}",
            titles(&result)
        );
    }
}

#[test]
fn a_model_chooses_among_the_facts_and_its_silence_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let by = |engine: &Engine, retriever: &str, model: Rc<dyn ChatModel>| {
        let options =
            SearchOptions { k: Some(5), retriever: Some(retriever.to_owned()), ..SearchOptions::default() };
        block_on(engine.search_by(QUESTION, &options, model)).unwrap()
    };
    let of_triples = with_triples(dir.path(), FILMS, &["hippo"]);
    let of_sentences = engine(other.path(), FILMS, &["hippo"]);
    for (kind, engine) in [("triples", &of_triples), ("sentences", &of_sentences)] {
        let unasked = search(engine, QUESTION, "hippo", Some(5));
        let dense = search(engine, QUESTION, "dense", Some(5));

        let chooses = model(|_| Some("[2]".to_owned()));
        let chosen = by(engine, "hippo", chooses.clone());
        let asked = chooses.asked.borrow();
        assert!(
            asked.len() == 1 && asked[0].starts_with(&format!("Question: {QUESTION}\n\nFacts:\n1. ")),
            "{asked:?}"
        );
        assert!(
            asked[0].contains("\n5. ") && !asked[0].contains("\n6. "),
            "five facts are shown: {}",
            asked[0]
        );
        assert!(chosen.missing.is_empty());
        assert_ne!(chosen.hits, unasked.hits, "{kind}: four facts less speak");

        let none = by(engine, "hippo", model(|_| Some("[]".to_owned())));
        assert_eq!(
            (titles(&none), none.missing.len()),
            (titles(&dense), 0),
            "{kind}: no fact helps, so that the vectors rank"
        );

        for silent in [None, Some("I would rather write a poem.".to_owned()), Some("[9]".to_owned())] {
            let result = by(engine, "hippo", model(move |_| silent.clone()));
            assert_eq!(result.hits, unasked.hits, "{kind}: all facts speak");
            assert!(
                result.missing.len() == 1 && result.missing[0].starts_with("the model's choice of facts ("),
                "{:?}",
                result.missing
            );
        }
    }
    let unneeded = model(|_| None);
    assert!(
        by(&of_sentences, "hybrid", unneeded.clone()).missing.is_empty()
            && unneeded.asked.borrow().is_empty(),
        "no other retriever asks"
    );
}

#[test]
fn the_global_search_of_graphrag_maps_over_the_bundles_reports_and_cites_their_passages() {
    use pocketgraph::agent::{AgentOptions, AskWith, ask_with_protocol};
    let dir = tempfile::tempdir().unwrap();
    let circles: Vec<(String, String)> = (0..12)
        .map(|i| {
            let [a, b] = [["Ann Archer", "Bob Baker"], ["Dora Dean", "Emil Esch"]][i % 2];
            (
                format!("note {i}"),
                format!("{a} met {b} in year {i}. {b} wrote to {a} in the spring of that year."),
            )
        })
        .collect();
    let passages: Vec<(&str, &str)> = circles.iter().map(|(t, p)| (t.as_str(), p.as_str())).collect();
    let engine = engine(dir.path(), &passages, &["graphrag"]);
    let reply_to = |asked: &str| {
        let map = serde_json::json!({"points": [{"description": "Ann Archer met Bob Baker.", "score": 70,
            "reports": [1]}]});
        Some(if asked.starts_with("Reports on parts") {
            map.to_string()
        } else {
            "Ann Archer met Bob Baker [1].".to_owned()
        })
    };
    let chat = model(reply_to);
    let with = AskWith { chat: Some(chat.as_ref()), clock: &|| 0.0, graph: None, web: None, tools: None };
    let ask = |engine: &Engine, question: &str| {
        block_on(ask_with_protocol(
            engine,
            question,
            "graphrag-global",
            &AgentOptions::default(),
            &with,
            &mut |_| {},
        ))
        .unwrap()
    };
    let given_answer = ask(&engine, "Who met whom, over all these years?");
    assert_eq!(
        (given_answer.answer.text.as_str(), chat.asked.borrow().len()),
        ("Ann Archer met Bob Baker [1].", 2)
    );
    assert!(
        given_answer.answer.answered
            && given_answer.answer.citations.len() == 1
            && given_answer.answer.citations[0].chunk().is_some(),
        "{:?}",
        given_answer.answer
    );
    assert!(!ask(&engine, "").answer.text.is_empty());
    let other = tempfile::tempdir().unwrap();
    let plain = self::engine(other.path(), FILMS, &["auto"]);
    let lacking = ask(&plain, "Who met whom?");
    assert!(
        lacking.answer.warnings.iter().any(|w| w.message.contains("--retrievers auto,graphrag")),
        "{:?}",
        lacking.answer
    );
}
