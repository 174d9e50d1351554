//! A study with a scripted model, ended and gone on with.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::cost::Prices;
use futures::future::{FutureExt, poll_fn};
use pocketgraph::agent::AgentOptions;
use pocketgraph::llm::{ChatModel, ChatRequest, Usage};
use pocketgraph_llm_client::asker::testing::{Reply, ScriptedModel, counted};
use pocketgraph_llm_client::asker::{Asking, run};
use pocketgraph_models::embed_bulk::NativeEmbedder;
use pocketgraph_native::progress::Silent;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::task::Poll;

const PEOPLE: [(&str, &str); 3] = [("Ola Brandt", "Steinach"), ("Jon Tarn", "Bergen"), ("Ada Lund", "Umea")];

/// Two sets of three pages and questions, of which the study asks two.
fn study(dir: &Path, more: &str) -> Result<Study, StudyError> {
    let page = |(name, town): (&str, &str)| format!("{{\"id\":\"{name}\",\"title\":\"{name}\",\"text\":\"{name} was born in {town}.\"}}\n");
    let ask = |(name, town): (&str, &str)| {
        format!(
            "{{\"id\":\"{town}\",\"type\":\"{}\",\"question\":\"Where was {name} born?\",\"answers\":[\"{town}\"],\"gold\":[\"{name}\"]}}\n",
            town.len()
        )
    };
    std::fs::write(dir.join("corpus.jsonl"), PEOPLE.map(page).concat()).unwrap();
    std::fs::write(dir.join("questions.jsonl"), PEOPLE.map(ask).concat()).unwrap();
    let set = |name: &str| format!("[[sets]]\nname = \"{name}\"\ncorpus = \"corpus.jsonl\"\nquestions = \"questions.jsonl\"\nfirst = 2\n");
    let head = "retrievers = [\"dense\", \"hypergraph\"]\nprotocols = [\"quote\", \"single-shot\", \"react\"]\nseeds = [1, 2]\nk = 1\n";
    let file = dir.join("study.toml");
    std::fs::write(&file, [head, more, &set("one"), &set("two")].concat()).unwrap();
    Study::read(&file)
}

/// Looks once where it may, and says the town that it is shown; with the second seed it says another one.
fn guesses(_: usize, request: &ChatRequest) -> Reply {
    let shown: String = request.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>().join("\n");
    let usage = Some(Usage { prompt_tokens: 100, completion_tokens: 10 });
    let person = PEOPLE.iter().find(|(name, _)| shown.contains(&format!("Where was {name} born?"))).map_or(("", ""), |p| *p);
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

/// Asks a study to its end, or until so many answers are given; the figures, and how many replies the model was asked for.
fn run_study(study: &Study, folder: &Path, until: Option<usize>) -> (StudyReport, StudyProgress, usize) {
    let embedder = NativeEmbedder::new().unwrap();
    let model = ScriptedModel::new(guesses);
    let chat: Rc<dyn ChatModel> = Rc::clone(&model) as Rc<dyn ChatModel>;
    let indexing = Indexing { embedder: &embedder, model: Some((chat, Asking::new("scripted"))), folder, progress: &Silent };
    let sets = make_indexes(study, &indexing).unwrap();
    let given = Cell::new(0);
    let done = |n: usize| given.set(n);
    let options = AgentOptions { grounded: false, ..study.options().unwrap() };
    let with = Asker { study, options: &options, chat: Some(&model), identity: "scripted", folder, done: &done };
    let most = until.unwrap_or(usize::MAX);
    let stop = poll_fn(|_| if given.get() >= most { Poll::Ready(()) } else { Poll::Pending }).boxed_local();
    let before = model.requests().len();
    let doing = run(async { Ok(ask_all(&with, &sets, stop).await) }).unwrap().unwrap();
    let prices = Prices { prompt: 1.0, completion: 2.0 };
    (report(study, &sets, &doing, Some(prices)), doing, model.requests().len() - before)
}

#[test]
fn a_study_that_was_ended_goes_on_where_it_was_and_comes_to_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let study = study(dir.path(), "").unwrap();
    let (whole, _, all) = run_study(&study, &dir.path().join("whole"), None);
    let folder = dir.path().join("parts");
    let (part, doing, first) = run_study(&study, &folder, Some(7));
    assert_eq!((doing.asked.len(), doing.stopped.as_deref()), (7, Some("it was interrupted")));
    assert_eq!((part.sets[0].complete, part.sets[1].complete), (0, 0), "no question was asked in every way");
    let (rest, doing, second) = run_study(&study, &folder, None);
    assert_eq!((doing.before, doing.stopped), (7, None));
    assert_eq!(first + second, all, "no reply is paid for twice");
    // All but the times of two runs is the same.
    let text_of = |report: &StudyReport| {
        let rows = report.sets.iter().flat_map(|set| &set.rows);
        rows.map(|r| (r.set.clone(), r.protocol.clone(), r.retriever.clone(), r.em, r.contain_em, r.turns, r.cost)).collect::<Vec<_>>()
    };
    assert_eq!(text_of(&whole), text_of(&rest));
    let (_, doing, third) = run_study(&study, &folder, None);
    assert_eq!((third, doing.before), (0, doing.asked.len()), "a study at its end asks nothing");
}

#[test]
fn its_figures_are_those_of_turns_runs_and_evidence_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let study = study(dir.path(), "").unwrap();
    let (report, doing, _) = run_study(&study, &dir.path().join("out"), None);
    // Two sets, two questions, two retrievers: one quotation, and two seeds of two protocols.
    assert_eq!(doing.asked.len(), 2 * 2 * 2 * (1 + 2 * 2));
    let row = |protocol: &str| report.sets[0].rows.iter().find(|r| r.protocol == protocol && r.retriever == "dense").unwrap();
    let (quote, single, react) = (row("quote"), row("single-shot"), row("react"));
    assert_eq!((quote.turns, single.turns, react.turns), (0.0, 1.0, 2.0), "one search and one reply are one turn");
    assert_eq!((quote.runs, single.runs), (1, 2));
    assert_eq!(single.evidence_recall.unwrap().mean, 1.0);
    assert_eq!(react.evidence_recall.unwrap().mean, 1.0, "what a run looks for is its evidence");
    assert_eq!((quote.contain_em_deviation, single.contain_em.mean), (None, 0.5), "the second seed is wrong");
    // Means 1 and 0: their deviation is the root of a half.
    assert!((single.contain_em_deviation.unwrap() - 0.5f64.sqrt()).abs() < 1e-12);
    assert_eq!((single.prompt_tokens, single.completion_tokens, react.prompt_tokens), (100.0, 10.0, 200.0));
    assert!((single.cost.unwrap() - 120.0 / 1e6).abs() < 1e-12);
    // Towns of six and of eight letters are the kinds of these questions.
    assert_eq!(report.sets[0].kinds.len(), 2 * 6);
}

#[test]
fn its_indexes_have_their_own_costs_and_pay_for_themselves_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let read = study(dir.path(), "model_reads = true\n").unwrap();
    let (report, ..) = run_study(&read, &dir.path().join("out"), None);
    let of = |retriever: &str| report.indexes.iter().find(|i| i.set == "one" && i.retriever == retriever).unwrap();
    assert_eq!(of("dense").tokens(), 0);
    assert!(of("hypergraph").tokens() > 0 && of("hypergraph").build_seconds() > 0.0 && of("hypergraph").bytes > of("dense").bytes);
    let even = report.break_even.iter().find(|b| b.protocol == "single-shot" && b.set == "one").unwrap();
    assert_eq!((even.retriever.as_str(), even.baseline.as_str()), ("hypergraph", "dense"));
    assert!(even.tokens_more > 0.0 && even.tokens_less == 0.0 && even.tokens_even == Even::Never, "{even:?}");
    let names: Vec<&str> = report.retriever_ranks.iter().map(|r| r.name.as_str()).collect();
    assert_eq!((names, report.retriever_ranks[0].over), (vec!["dense", "hypergraph"], 2 * 3));
    let text = markdown(&report);
    for heading in ["## one", "## two", "## Average ranks", "## Indexes", "## Break-even"] {
        assert!(text.contains(heading), "{heading}");
    }
    let tables = csv_tables(&report).unwrap();
    assert_eq!(
        tables.iter().map(|(name, text)| (*name, text.lines().count())).collect::<Vec<_>>(),
        [("answers.csv", 13), ("indexes.csv", 5)]
    );
}

#[test]
fn what_a_study_cannot_mean_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let message = |more: &str| study(dir.path(), more).unwrap_err().to_string();
    assert!(message("baseline = \"linear\"\n").contains("linear is not among the retrievers"));
    assert!(message("colour = 3\n").contains("colour"));
    assert!(message("[options]\ntokenOut = 3\n").contains("tokenOut"));
    assert!(
        study(dir.path(), "baseline = \"hypergraph\"\n[options]\nmaxOutputTokens = 60\n").unwrap().options().unwrap().tokens_out
            == Some(60)
    );
    let file = dir.path().join("other.toml");
    std::fs::write(&file, "retrievers = [\"dense\"]\nprotocols = [\"magic\"]\nsets = []\n").unwrap();
    assert!(Study::read(&file).unwrap_err().to_string().contains("sets names none"));
}
