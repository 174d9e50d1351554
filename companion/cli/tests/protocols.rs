//! Protocols over a real bundle: an agent searches it, its citations are checked, and a recorded run is given
//! again by the program.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::future::FutureExt;
use pocketgraph::agent::{AgentEvent, AgentOptions, AskWith, ProtocolAnswer, ask_with_protocol};
use pocketgraph::answer::{AnswerBy, CitationStatus};
use pocketgraph::engine::{DEFAULT_MEMORY_LIMIT, Engine};
use pocketgraph::llm::{ChatModel, Recorder};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_llm_client::record::RecordFile;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use support::{program, scripted};

fn bundle(folder: &Path) -> PathBuf {
    let docs = folder.join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(
        docs.join("films.md"),
        "# Films\n\n## Low Tide\n\nLow Tide is a film of 1931. It was directed by Mira Voss.\n",
    )
    .unwrap();
    std::fs::write(
        docs.join("people.md"),
        "# People\n\n## Mira Voss\n\nMira Voss was born in Hallwil in 1871.\n",
    )
    .unwrap();
    let bundle = folder.join("bundle");
    let output = program(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        bundle.to_str().unwrap(),
        "--no-runtime",
        "--kg-from-documents",
        "off",
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    bundle
}

const QUESTION: &str = "Where was the director of Low Tide born?";

fn ask(bundle: &Path, chat: &dyn ChatModel, events: &mut dyn FnMut(AgentEvent)) -> ProtocolAnswer {
    let options = AgentOptions { retriever: Some("hybrid".to_owned()), ..AgentOptions::default() };
    let with = AskWith { chat: Some(chat), clock: &|| 0.0, graph: None, web: None, tools: None };
    async {
        let engine = Engine::open(Rc::new(FolderSource::new(bundle)), DEFAULT_MEMORY_LIMIT).await.unwrap();
        if engine.info().has_model {
            engine.prepare().await.unwrap();
        }
        ask_with_protocol(&engine, QUESTION, "search-r1", &options, &with, events).await.unwrap()
    }
    .now_or_never()
    .expect("a folder is always ready")
}

#[test]
fn an_agent_searches_the_bundle_and_its_recorded_run_is_given_again_without_a_network() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let model = scripted(&[
        "<think>Who directed it?</think>\n<search>director of Low Tide</search>",
        "<think>And she?</think>\n<search>Mira Voss born</search>",
        "<think>There.</think>\n<answer>Mira Voss was born in Hallwil [1][2].</answer>",
    ]);
    let recording = dir.path().join("run.jsonl");
    let file = RecordFile::create(&recording).unwrap();
    let mut events = Vec::new();
    let sink = |line: &str| file.line(line);
    let reasoned = ask(&bundle, &Recorder::new(&model, &sink), &mut |e| events.push(e));
    file.finish().unwrap();

    assert_eq!(
        (reasoned.answer.text.as_str(), reasoned.answer.by),
        ("Mira Voss was born in Hallwil [1][2].", AnswerBy::Llm)
    );
    assert!(
        reasoned
            .answer
            .citations
            .iter()
            .any(|c| c.status == CitationStatus::Verified && c.quote.contains("born in Hallwil"))
    );
    assert_eq!(reasoned.turns.len(), 3);
    assert!(
        matches!(events.first(), Some(AgentEvent::Hits { .. }))
            && matches!(events.last(), Some(AgentEvent::Done { .. }))
    );
    assert_eq!(std::fs::read_to_string(&recording).unwrap().lines().count(), 3);

    let replay = [
        "ask",
        bundle.to_str().unwrap(),
        QUESTION,
        "--protocol",
        "search-r1",
        "--replay",
        recording.to_str().unwrap(),
    ];
    let again = program(&[&replay[..], &["--json", "--trace"]].concat());
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let given: ProtocolAnswer = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(given, reasoned);
    assert_eq!(program(&[&replay[..], &["--json", "--trace"]].concat()).stdout, again.stdout);

    let shown = program(&[&replay[..], &["--trace"]].concat());
    assert!(
        String::from_utf8_lossy(&shown.stdout).starts_with("Mira Voss was born in Hallwil [1][2].\n\n[1] ")
    );
    assert!(String::from_utf8_lossy(&shown.stderr).contains("→ search: Mira Voss born"));
}

#[test]
fn when_the_model_fails_the_documents_answer() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let model = scripted(&["<search>director of Low Tide</search>"]);
    let reasoned = ask(&bundle, &model, &mut |_| {});
    assert_eq!(reasoned.answer.by, AnswerBy::Extraction);
    assert!(reasoned.answer.warnings[0].message.contains("llm-http"), "{:?}", reasoned.answer.warnings);
    assert_eq!(reasoned.turns.len(), 2);
}

#[test]
fn a_protocol_wants_a_model_and_a_recording_wants_to_fit() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let refused = |more: &[&str]| {
        let output = program(&[&["ask", bundle.to_str().unwrap(), QUESTION], more].concat());
        assert!(!output.status.success());
        // The frame around a report breaks lines where it likes.
        String::from_utf8_lossy(&output.stderr)
            .split_whitespace()
            .filter(|w| !["│", "|"].contains(w))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(refused(&["--protocol", "react"]).contains("a protocol needs a model"));
    assert!(refused(&["--protocol", "dance"]).contains("search-o1"));
    assert!(refused(&["--protocol", "react", "--options", r#"{"turn": 3}"#]).contains("there is no option"));
    let model = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--protocol", "react"];
    let of_another = refused(&[&model[..], &["--options", r#"{"turns": 3, "votes": 3}"#]].concat());
    assert!(of_another.contains("votes is an option of lpkg, and not of react"), "{of_another}");
    assert!(refused(&[&model[..], &["--planner", "llm"]].concat()).contains("planner is an option of"));
    assert!(
        refused(&["--options", r#"{"condense": "none"}"#]).contains("not of an answer without a protocol")
    );
    assert!(refused(&["--trace"]).contains("need a --protocol"));
    assert!(refused(&["--protocol", "plan", "--web-search", "ftp://x"]).contains("must start with http"));
    assert!(
        refused(&["--record", dir.path().join("x").to_str().unwrap()])
            .contains("there is no model to record")
    );

    let recording = dir.path().join("empty.jsonl");
    std::fs::write(&recording, "").unwrap();
    let output = program(&[
        "ask",
        bundle.to_str().unwrap(),
        QUESTION,
        "--protocol",
        "react",
        "--replay",
        recording.to_str().unwrap(),
    ]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the recording holds no such request"));
}
