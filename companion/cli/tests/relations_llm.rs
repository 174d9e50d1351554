//! Entities and relations by a language model, against a server on loopback: what `graphrag` and `hypergraph`
//! then go by, what it costs, and what becomes of replies that are of no use.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "support/build.rs"]
mod build;
#[path = "support/endpoint.rs"]
mod endpoint;
#[path = "support/request.rs"]
mod request;

use build::{BuildLog, Place, sections};
use endpoint::{Answer, Server, error, ok, serve};
use futures::executor::block_on;
use pocketgraph::engine::{Engine, SearchOptions};
use pocketgraph::retrieve::{PreparedCorpus, Reached, SearchResult, community_reports};
use pocketgraph_build::pipeline::{BuildError, BuildOptions, Summary};
use pocketgraph_build::prepare::Needs;
use pocketgraph_build::verify::verify_bundle;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const PEOPLE: [&str; 6] = ["Ann Archer", "Bob Baker", "Carl Cook", "Dora Dean", "Emil Esch", "Fred Frost"];

fn build_with(
    place: &Place,
    server: Option<&Server>,
    retrievers: &[&str],
) -> (Result<Summary, BuildError>, BuildLog) {
    let needs = Needs::of(retrievers).unwrap();
    place.build(|options| BuildOptions { needs, relations_model: server.map(|s| place.model(s)), ..options })
}

fn fragment_of(body: &str) -> String {
    let asked: serde_json::Value = serde_json::from_str(body).unwrap();
    asked["messages"][1]["content"].as_str().unwrap().to_owned()
}

/// The people of a passage in the order of their names, with what `describe` says of each; the first two are
/// friends, and all three a circle.
fn read_by(body: &str, describe: impl Fn(&str) -> String) -> Answer {
    let fragment = fragment_of(body);
    let names: Vec<&str> = PEOPLE.into_iter().filter(|n| fragment.contains(n)).collect();
    let entity = |n: &&str| {
        serde_json::json!({"name": n, "type": "person", "description": describe(n),
        "importance": 50})
    };
    let entities: Vec<serde_json::Value> = names.iter().map(entity).collect();
    let friends = serde_json::json!({"statement": format!("{} and {} are friends.", names[0], names[1]),
        "entities": names[..2], "score": 6});
    let circle = serde_json::json!({"statement": format!("{}, {} and {} are a circle.", names[0], names[1],
        names[2]), "entities": names, "score": 4});
    ok(serde_json::json!({"entities": entities, "relations": [friends, circle]}).to_string())
}

fn sensible(body: &str) -> Answer {
    read_by(body, |name| format!("{name} knows people."))
}

fn search(engine: &Engine, question: &str, retriever: &str) -> SearchResult {
    let options =
        SearchOptions { k: Some(5), retriever: Some(retriever.to_owned()), ..SearchOptions::default() };
    block_on(engine.search(question, &options)).unwrap()
}

#[test]
fn what_a_model_reads_is_the_graph_of_both_retrievers_and_is_paid_for_once() {
    let place = Place::new();
    let server = serve(|_, body| sensible(body));
    let (built, log) = build_with(&place, Some(&server), &["graphrag", "hypergraph"]);
    let built = built.unwrap();
    assert!(
        log.notes.lock().unwrap()[0].contains("24 chunks for relations: at most"),
        "the bound comes first: {:?}",
        log.notes
    );
    assert!(log.warnings.lock().unwrap().is_empty(), "{:?}", log.warnings);
    assert_eq!(server.count(), 24, "one request a chunk");
    assert!(built.manifest.options.contains(&("relations-llm".to_owned(), "m".to_owned())));
    assert!(
        built.manifest.sections.iter().all(|s| s.name != "entities"),
        "names are not embedded for nothing"
    );
    let engine = place.engine();
    let corpus = engine.corpus();
    assert!(block_on(verify_bundle(corpus.bundle())).faults.is_empty());

    let relations = block_on(PreparedCorpus(corpus).relations()).unwrap().unwrap();
    assert_eq!(relations.labels, PEOPLE);
    assert_eq!(relations.scores, [6, 4].repeat(24));
    let statements: Vec<Vec<u32>> = (0..4).map(|s| relations.index.mentioned(s).to_vec()).collect();
    assert_eq!(statements, [vec![0, 1], vec![0, 1, 2], vec![3, 4], vec![3, 4, 5]]);
    let communities = block_on(PreparedCorpus(corpus).communities("", 6)).unwrap();
    let members: Vec<&[u32]> = communities.all.iter().map(|c| c.members.as_slice()).collect();
    assert_eq!(members, [&[0, 1, 2][..], &[3, 4, 5]]);
    // Twelve passages: friends weigh 6 + 4 / 2 in each, the other two pairs 4 / 2.
    let weight = |a: usize, b: u32| communities.relations.weight(a, b);
    assert_eq!((weight(0, 1), weight(0, 2), weight(1, 2), weight(0, 3)), (1.0, 0.25, 0.25, 0.0));
    for community in &communities.all {
        assert!(!community.sentences.is_empty() && community.sentences.iter().all(|&(_, place)| place < 2));
    }

    for retriever in ["hypergraph", "graphrag"] {
        let result = search(&engine, "Who are the friends of Ann Archer?", retriever);
        assert!(!result.hits.is_empty() && result.hits.iter().all(|h| h.score.is_finite()), "{retriever}");
        let by = |h: &pocketgraph::retrieve::Hit| {
            h.reached.contains(&Reached::Entity { entity: "Ann Archer".into() })
        };
        assert!(by(&result.hits[0]), "{retriever}: {:?}", result.hits[0].reached);
    }
    let query = block_on(engine.query("who knows whom", false)).unwrap();
    assert_eq!(block_on(community_reports(corpus, &query, 10)).unwrap().len(), 2);

    let again = build_with(&place, Some(&server), &["graphrag", "hypergraph"]).0.unwrap();
    assert_eq!(server.count(), 24, "an unchanged build asks nothing");
    assert_eq!(sections(&built), sections(&again));
}

#[test]
fn long_descriptions_are_made_into_one_and_reports_are_written_from_them() {
    let place = Place::new();
    let server = serve(|_, body| {
        let fragment = fragment_of(body);
        if fragment.contains("<lines>") {
            let name = PEOPLE.into_iter().find(|n| fragment.contains(&format!("<name>\n{n}\n"))).unwrap();
            return ok(format!("{name} in short."));
        }
        if fragment.contains("<descriptions>") {
            return ok(
                serde_json::json!({"title": "A circle", "summary": "Friends.", "findings": []}).to_string()
            );
        }
        let year = fragment.split("in year ").nth(1).unwrap().split('.').next().unwrap().to_owned();
        read_by(body, |name| format!("In year {year} {name} was seen. {}", "And so on. ".repeat(30)))
    });
    let needs = Needs::of(&["graphrag"]).unwrap();
    let (built, log) = place.build(|options| BuildOptions {
        needs,
        relations_model: Some(place.model(&server)),
        summaries_model: Some(place.model(&server)),
        ..options
    });
    built.unwrap();
    assert!(log.warnings.lock().unwrap().is_empty(), "{:?}", log.warnings);
    let requests: Vec<String> = server.requests.lock().unwrap().iter().map(|b| fragment_of(b)).collect();
    let of = |mark: &str| requests.iter().filter(|r| r.contains(mark)).cloned().collect::<Vec<_>>();
    assert_eq!((requests.len(), of("<lines>").len(), of("<descriptions>").len()), (24 + 6 + 2, 6, 2));
    assert!(
        of("<lines>").iter().all(|r| r.matches("was seen").count() == 12),
        "all that was said of a person, once"
    );
    assert!(
        of("<descriptions>")
            .iter()
            .all(|r| r.contains("in short.") && r.contains("are friends.") && !r.contains("And so on"))
    );
    let query = block_on(place.engine().query("who knows whom", false)).unwrap();
    let reports = block_on(community_reports(place.engine().corpus(), &query, 10)).unwrap();
    assert!(reports.iter().all(|r| r.title == "A circle" && !r.chunks.is_empty()));
}

#[test]
fn replies_of_no_use_are_reported_and_leave_names_and_sentences() {
    let place = Place::new();
    let server = serve(|n, _| {
        ok(if n % 2 == 0 { "<html><body>Welcome {guest}</body></html>" } else { "I would rather not." })
    });
    let (built, log) = build_with(&place, Some(&server), &["graphrag", "hypergraph"]);
    let warnings = log.warnings.into_inner().unwrap();
    assert!(
        warnings[0].starts_with("24 of 24 chunks have no relations") && warnings[1].contains("go by names"),
        "{warnings:?}"
    );
    let plain = Place::new();
    let extracted = build_with(&plain, None, &["graphrag", "hypergraph"]).0.unwrap();
    assert_eq!(sections(&built.unwrap()), sections(&extracted));
    assert!(extracted.manifest.sections.iter().any(|s| s.name == "entities"));
    build_with(&place, Some(&server), &["graphrag"]).0.unwrap();
    assert_eq!(server.count(), 24, "what cannot be used is not paid for again");
}

#[test]
fn hostile_replies_make_a_bundle_all_the_same() {
    let place = Place::new();
    let server = serve(|n, body| match n {
        0 => ok("[".repeat(100_000)),
        1 => ok(format!(
            r#"{{"relations": [{}]}}"#,
            r#"{"statement": "Atlantis sank.", "entities": ["Atlantis", "Mu"]},"#.repeat(160_000)
        )),
        2 => ok(
            r#"{"entities": ["a", "b", null, 7], "relations": [{"statement": "a b", "entities": ["a", "b"]},
                9]}"#,
        ),
        3 => ok(r#"{"entities": {"name": "x"}, "relations": [{"statement": null, "entities": [[[]]],
                "score": -1e999}]}"#),
        4 => ok(""),
        _ => sensible(body),
    });
    let (built, log) = build_with(&place, Some(&server), &["graphrag", "hypergraph"]);
    built.unwrap();
    assert!(log.warnings.lock().unwrap()[0].contains("of 24 chunks have no relations"), "{:?}", log.warnings);
    let engine = place.engine();
    assert!(block_on(verify_bundle(engine.corpus().bundle())).faults.is_empty());
    assert_eq!(
        block_on(PreparedCorpus(engine.corpus()).relations()).unwrap().unwrap().labels,
        PEOPLE,
        "nobody of Atlantis"
    );
}

#[test]
fn an_interrupted_build_goes_on_where_it_stopped() {
    let place = Place::new();
    let out_of_credit = Arc::new(AtomicBool::new(true));
    let refuses = out_of_credit.clone();
    let server =
        serve(
            move |n, body| {
                if refuses.load(Ordering::SeqCst) && n >= 5 { error(401, "") } else { sensible(body) }
            },
        );
    let stopped = build_with(&place, Some(&server), &["hypergraph"]).0.unwrap_err().to_string();
    assert!(stopped.contains("which are kept") && stopped.contains("goes on from here"), "{stopped}");
    let in_vain = server.count() - 5;
    out_of_credit.store(false, Ordering::SeqCst);
    build_with(&place, Some(&server), &["hypergraph"]).0.unwrap();
    assert_eq!(server.count(), 24 + in_vain, "no reply is paid for twice");
}

#[test]
fn the_program_asks_only_where_a_retriever_has_a_use_for_it() {
    let place = Place::new();
    let server = serve(|_, body| sensible(body));
    let build = |retrievers: &str| {
        let (documents, bundle) = (place.at("corpus.jsonl"), place.at("bundle"));
        Command::new(env!("CARGO_BIN_EXE_pocketgraph"))
            .args([
                "build",
                documents.to_str().unwrap(),
                "-o",
                bundle.to_str().unwrap(),
                "--no-runtime",
                "--no-keywords",
            ])
            .args([
                "--relations-llm",
                "--llm-url",
                &server.base,
                "--llm-model",
                "m",
                "--retrievers",
                retrievers,
            ])
            .env("XDG_CACHE_HOME", place.at("cache"))
            .env("NO_PROXY", "127.0.0.1")
            .output()
            .unwrap()
    };
    let summary = build("auto");
    assert!(
        summary.status.success()
            && String::from_utf8_lossy(&summary.stderr)
                .contains("name graphrag or hypergraph in --retrievers")
    );
    assert_eq!(server.count(), 0);
    let summary = build("hypergraph");
    assert!(summary.status.success(), "{}", String::from_utf8_lossy(&summary.stderr));
    assert_eq!(server.count(), 24);
}
