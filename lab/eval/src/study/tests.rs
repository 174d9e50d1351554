//! A study with a scripted model, ended and gone on with.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::one_answer::Answered;
use futures::future::{FutureExt, poll_fn};
use pocketgraph::agent::AgentOptions;
use pocketgraph::llm::{ChatModel, ChatRequest, Usage};
use pocketgraph_llm_client::asker::{Asking, run_requests};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Silent;
use pocketgraph_testing::scripted_model::{Reply, ScriptedModel, counted};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::task::Poll;

const PEOPLE: [(&str, &str); 3] = [("Ola Brandt", "Steinach"), ("Jon Tarn", "Bergen"), ("Ada Lund", "Umea")];

/// Two sets of three pages and questions, of which the study asks two.
fn study(dir: &Path, more: &str) -> Result<Study, StudyError> {
    let page = |(name, town): (&str, &str)| {
        format!("{{\"id\":\"{name}\",\"title\":\"{name}\",\"text\":\"{name} was born in {town}.\"}}\n")
    };
    let ask = |(name, town): (&str, &str)| {
        format!(
            "{{\"id\":\"{town}\",\"type\":\"{}\",\"question\":\"Where was {name} \
             born?\",\"answers\":[\"{town}\"],\"gold\":[\"{name}\"]}}\n",
            town.len()
        )
    };
    std::fs::write(dir.join("corpus.jsonl"), PEOPLE.map(page).concat()).unwrap();
    std::fs::write(dir.join("questions.jsonl"), PEOPLE.map(ask).concat()).unwrap();
    let set = |name: &str| {
        format!(
            "[[sets]]\nname = \"{name}\"\ncorpus = \"corpus.jsonl\"\nquestions = \
             \"questions.jsonl\"\nfirst = 2\n"
        )
    };
    let head = "retrievers = [\"dense\", \"hypergraph\"]\nprotocols = [\"quote\", \"single-shot\", \
        \"react\"]\nseeds = [1, 2]\nk = 1\n";
    let file = dir.join("study.toml");
    std::fs::write(&file, [head, more, &set("one"), &set("two")].concat()).unwrap();
    Study::read(&file)
}

/// Looks once where it may, and says the town that it is shown; with the second seed it says another one.
fn guesses(_: usize, request: &ChatRequest) -> Reply {
    let shown: String = request.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>().join("\n");
    let usage = Some(Usage { prompt_tokens: 100, completion_tokens: 10 });
    let person = PEOPLE
        .iter()
        .find(|(name, _)| shown.contains(&format!("Where was {name} born?")))
        .map_or(("", ""), |p| *p);
    let town = if request.seed == Some(2) { "Nowhere" } else { person.1 };
    let found = shown.contains(&format!("born in {}.", person.1));
    counted(
        &match (shown.contains("Finish["), found) {
            (true, true) => format!("Thought: there.\nAction: Finish[{} was born in {town} [1]]", person.0),
            (true, false) => format!("Thought: where?\nAction: Search[{}]", person.0),
            (false, _) => format!("{} was born in {town} [1].", person.0),
        },
        usage,
    )
}

/// Asks a study to its end, or until so many answers are given; the sets, and how many replies the model was
/// asked for.
fn run_study(study: &Study, folder: &Path, until: Option<usize>) -> (Vec<OpenSet>, StudyProgress, usize) {
    let embedder = NativeEmbedder::new().unwrap();
    let model = ScriptedModel::new(guesses);
    let chat: Rc<dyn ChatModel> = Rc::clone(&model) as Rc<dyn ChatModel>;
    let indexing = Indexing {
        embedder: &embedder,
        model: Some((chat, Asking::new("scripted"))),
        folder,
        progress: &Silent,
    };
    let sets = make_indexes(study, &indexing).unwrap();
    let given = Cell::new(0);
    let done = |n: usize| given.set(n);
    let options = AgentOptions { grounded: false, ..study.options().unwrap() };
    let with =
        Asker { study, options: &options, chat: Some(&model), identity: "scripted", folder, done: &done };
    let most = until.unwrap_or(usize::MAX);
    let stop = poll_fn(|_| if given.get() >= most { Poll::Ready(()) } else { Poll::Pending }).boxed_local();
    let before = model.requests().len();
    let doing = run_requests(async { Ok(ask_all(&with, &sets, stop).await) }).unwrap().unwrap();
    (sets, doing, model.requests().len() - before)
}

#[test]
fn a_study_that_was_ended_goes_on_where_it_was_and_comes_to_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let study = study(dir.path(), "").unwrap();
    let (_, whole, all) = run_study(&study, &dir.path().join("whole"), None);
    let folder = dir.path().join("parts");
    let (_, doing, first) = run_study(&study, &folder, Some(7));
    assert_eq!((doing.asked.len(), doing.stopped.as_deref()), (7, Some("it was interrupted")));
    let (_, rest, second) = run_study(&study, &folder, None);
    assert_eq!((rest.before, &rest.stopped), (7, &None));
    assert_eq!(first + second, all, "no reply is paid for twice");
    // All but the times of two runs is the same.
    let untimed = |progress: &StudyProgress| {
        let answers = progress.asked.iter().cloned();
        answers
            .map(|a| StudyAnswer { answered: Answered { milliseconds: 0.0, ..a.answered }, ..a })
            .collect::<Vec<_>>()
    };
    assert_eq!(untimed(&whole), untimed(&rest));
    let (_, doing, third) = run_study(&study, &folder, None);
    assert_eq!((third, doing.before), (0, doing.asked.len()), "a study at its end asks nothing");
}

#[test]
fn each_answer_has_the_turns_tokens_and_evidence_of_its_run() {
    let dir = tempfile::tempdir().unwrap();
    let study = study(dir.path(), "").unwrap();
    let (_, doing, _) = run_study(&study, &dir.path().join("out"), None);
    // Two sets, two questions, two retrievers: one quotation, and two seeds of two protocols.
    assert_eq!(doing.asked.len(), 2 * 2 * 2 * (1 + 2 * 2));
    let first = |protocol: &str, seed: u64| {
        let found =
            doing.asked.iter().find(|a| a.protocol == protocol && a.retriever == "dense" && a.seed == seed);
        &found.unwrap().answered
    };
    let (quote, single, react) = (first("quote", 1), first("single-shot", 1), first("react", 1));
    assert_eq!((quote.turns, single.turns, react.turns), (0, 1, 2), "one search and one reply are one turn");
    assert_eq!(single.evidence_recall, Some(1.0));
    assert_eq!(react.evidence_recall, Some(1.0), "what a run looks for is its evidence");
    assert_eq!(
        (single.contain_em, first("single-shot", 2).contain_em),
        (1.0, 0.0),
        "the second seed is wrong"
    );
    assert_eq!((single.prompt_tokens, single.completion_tokens, react.prompt_tokens), (100, 10, 200));
}

#[test]
fn an_index_that_a_model_read_for_says_what_it_took() {
    let dir = tempfile::tempdir().unwrap();
    let read = study(dir.path(), "model_reads = true\n").unwrap();
    let (sets, ..) = run_study(&read, &dir.path().join("out"), None);
    let of = |retriever: &str| {
        sets[0].bundles.iter().map(|(row, ..)| row).find(|row| row.retriever == retriever).unwrap()
    };
    let (dense, hypergraph) = (of("dense"), of("hypergraph"));
    assert_eq!((dense.prompt_tokens, dense.completion_tokens), (0, 0));
    assert!(hypergraph.prompt_tokens > 0 && !hypergraph.seconds.is_empty() && hypergraph.bytes > dense.bytes);
}

#[test]
fn what_a_study_cannot_mean_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let message = |more: &str| study(dir.path(), more).unwrap_err().to_string();
    assert!(message("colour = 3\n").contains("colour"));
    assert!(message("[options]\ntokenOut = 3\n").contains("tokenOut"));
    assert!(
        study(dir.path(), "[options]\nmaxOutputTokens = 60\n").unwrap().options().unwrap().tokens_out
            == Some(60)
    );
    let file = dir.path().join("other.toml");
    std::fs::write(&file, "retrievers = [\"dense\"]\nprotocols = [\"magic\"]\nsets = []\n").unwrap();
    assert!(Study::read(&file).unwrap_err().to_string().contains("sets names none"));
}
