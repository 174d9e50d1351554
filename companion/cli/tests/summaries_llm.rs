//! Summaries and community reports by a language model, against a server on loopback: paid for once, kept
//! when a build is interrupted, extracted where the model gives nothing usable.
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
use pocketgraph::engine::Engine;
use pocketgraph::retrieve::{PreparedCorpus, community_reports};
use pocketgraph_build::pipeline::{BuildError, BuildOptions, Summary};
use pocketgraph_build::prepare::Needs;
use pocketgraph_build::verify::verify_bundle;
use std::sync::atomic::{AtomicBool, Ordering};

fn build_with(place: &Place, server: Option<&Server>) -> (Result<Summary, BuildError>, BuildLog) {
    let needs = Needs::of(&["raptor", "graphrag"]).unwrap();
    place.build(|options| BuildOptions { needs, summaries_model: server.map(|s| place.model(s)), ..options })
}

/// Writes a report where it is shown names, else a summary.
fn sensible(body: &str) -> Answer {
    let asked: serde_json::Value = serde_json::from_str(body).unwrap();
    let prompt = asked["messages"][1]["content"].as_str().unwrap();
    let circle = if prompt.to_lowercase().contains("ann archer") { "Ann's circle" } else { "Dora's circle" };
    if prompt.contains("<names>") {
        let finding =
            serde_json::json!({"summary": "They meet", "explanation": format!("{circle} met often.")});
        return ok(serde_json::json!({"title": circle, "summary": "People who know each other.",
            "findings": [finding]})
        .to_string());
    }
    ok(format!("A summary of {circle}."))
}

#[test]
fn a_model_writes_summaries_and_reports_and_is_paid_once() {
    let place = Place::new();
    let server = serve(|_, body| sensible(body));
    let (built, log) = build_with(&place, Some(&server));
    let built = built.unwrap();
    assert!(
        log.notes
            .lock()
            .unwrap()
            .iter()
            .any(|n| n.starts_with("the language model writes") && n.contains("at most")),
        "the bound comes first"
    );
    assert!(log.warnings.lock().unwrap().is_empty(), "{:?}", log.warnings);
    assert!(built.manifest.options.contains(&("summaries-llm".to_owned(), "m".to_owned())));
    let engine = place.engine();
    let bundle = engine.corpus().bundle();
    assert!(block_on(verify_bundle(bundle)).faults.is_empty());
    let tree = block_on(PreparedCorpus(engine.corpus()).tree("raptor")).unwrap();
    let texts =
        block_on(PreparedCorpus(engine.corpus()).written("summaries", tree.nodes.len())).unwrap().unwrap();
    assert!(!texts.is_empty() && texts.iter().all(|t| t.starts_with("A summary of ")), "{texts:?}");
    assert!(tree.nodes.iter().all(|n| !n.sentences.is_empty()), "every summary still leads to passages");
    let query = block_on(engine.query("who met whom", false)).unwrap();
    let reports = block_on(community_reports(engine.corpus(), &query, 10)).unwrap();
    assert!(!reports.is_empty());
    for report in &reports {
        assert!(
            report.title.ends_with("circle")
                && report.text.contains("met often")
                && !report.chunks.is_empty(),
            "{report:?}"
        );
    }
    assert_eq!(
        server.count(),
        texts.len()
            + block_on(PreparedCorpus(engine.corpus()).communities("", names(&engine))).unwrap().all.len()
    );
    let asked = server.count();
    let again = build_with(&place, Some(&server)).0.unwrap();
    assert_eq!(server.count(), asked, "an unchanged build asks nothing");
    assert_eq!(sections(&built), sections(&again));
}

fn names(engine: &Engine) -> usize {
    block_on(PreparedCorpus(engine.corpus()).names()).unwrap().table.entries.len()
}

#[test]
fn without_a_model_nothing_is_written_and_reports_are_what_they_quote() {
    let place = Place::new();
    let built = build_with(&place, None).0.unwrap();
    assert!(built.manifest.sections.iter().all(|s| s.name != "summaries" && s.name != "reports"));
    let engine = place.engine();
    let query = block_on(engine.query("who met whom", false)).unwrap();
    let reports = block_on(community_reports(engine.corpus(), &query, 10)).unwrap();
    assert!(
        !reports.is_empty()
            && reports.iter().all(|r| r.text.starts_with(&r.title) && r.text.contains(" in year ")),
        "{reports:?}"
    );
    let bare =
        block_on(community_reports(engine.corpus(), &pocketgraph::retrieve::Query::default(), 1)).unwrap();
    assert_eq!(bare.len(), 1, "a question without words gets the widest community");
}

#[test]
fn an_interrupted_build_goes_on_where_it_stopped() {
    let place = Place::new();
    let out_of_credit = std::sync::Arc::new(AtomicBool::new(true));
    let refuses = out_of_credit.clone();
    let server =
        serve(
            move |n, body| {
                if refuses.load(Ordering::SeqCst) && n >= 2 { error(401, "") } else { sensible(body) }
            },
        );
    let stopped = build_with(&place, Some(&server)).0.unwrap_err().to_string();
    assert!(stopped.contains("goes on from here"), "{stopped}");
    assert!(!place.at("bundle").exists());
    let in_vain = server.count() - 2;
    assert!(in_vain <= 2, "after a refusal nothing new is asked");
    out_of_credit.store(false, Ordering::SeqCst);
    build_with(&place, Some(&server)).0.unwrap();
    let whole = Place::new();
    let fresh = serve(|_, body| sensible(body));
    build_with(&whole, Some(&fresh)).0.unwrap();
    assert_eq!(server.count(), fresh.count() + in_vain, "no reply is paid for twice");
}

#[test]
fn a_model_that_writes_nothing_usable_leaves_what_was_extracted_and_says_so() {
    let place = Place::new();
    let server = serve(|_, _| ok("..."));
    let (built, log) = build_with(&place, Some(&server));
    let written = sections(&built.unwrap());
    let warnings = log.warnings.into_inner().unwrap();
    assert!(
        warnings.len() >= 2 && warnings.iter().all(|w| w.contains("are extracted, not written")),
        "{warnings:?}"
    );
    let plain = Place::new();
    let extracted = sections(&build_with(&plain, None).0.unwrap());
    let of = |all: &[(String, [u8; 32])], name: &str| all.iter().find(|s| s.0 == name).map(|s| s.1);
    for section in ["tree", "communities"] {
        assert_eq!(of(&written, section), of(&extracted, section), "{section}");
    }
}
