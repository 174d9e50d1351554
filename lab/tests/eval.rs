//! `pocketgraph-lab eval` as its user runs it: sets in every shape, and answers with a model on loopback and
//! without.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../../companion/cli/tests/support/output.rs"]
mod output;
#[path = "../../companion/cli/tests/support/request.rs"]
mod request;

use output::{err, figures, out, write};
use request::read_request;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

/// Runs the program, without the environment's endpoint and with a cache of its own.
fn program(args: &[&str]) -> Output {
    command().args(args).output().expect("the program starts")
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pocketgraph-lab"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env("NO_PROXY", "127.0.0.1");
    command.env_remove("POCKETGRAPH_BASE_URL").env_remove("POCKETGRAPH_MODEL");
    command
}

const CORPUS: &str = "{\"idx\":0,\"title\":\"Low Tide\",\"text\":\"Low Tide is a film of 1931. It was \
    directed by Mira Voss.\"}
{\"idx\":1,\"title\":\"Mira Voss\",\"text\":\"Mira Voss was born in Hallwil in 1871.\"}
{\"idx\":2,\"title\":\"Sourdough\",\"text\":\"Sourdough needs a ripe starter.\"}
";

#[test]
fn retrievers_are_measured_by_judgements_and_compared_and_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = write(dir.path(), "corpus.jsonl", CORPUS);
    let queries = write(
        dir.path(),
        "queries.jsonl",
        "{\"id\":\"a\",\"text\":\"ripe starter\"}\n{\"id\":\"b\",\"text\":\"<script>who directed Low \
         Tide?\"}\n{\"id\":\"c\",\"text\":\"unjudged\"}\n",
    );
    let qrels = write(dir.path(), "qrels.tsv", "a\t2\t1\nb\t0\t2\nb\t1\t0\n");
    let run = |more: &[&str]| {
        let fixed = [
            "eval",
            "retrieval",
            "--corpus",
            &corpus,
            "--questions",
            &queries,
            "--qrels",
            &qrels,
            "--retrievers",
            "lexical,hybrid",
        ];
        program(&[&fixed[..], more].concat())
    };
    let found = figures(&run(&["--baseline", "lexical", "--json"]));
    assert_eq!(found["groups"], json!([]), "these questions are of no kind");
    assert_eq!(
        (&found["questions"], &found["left_out"], &found["passages"]),
        (&json!(2), &json!(1), &json!(3))
    );
    for row in found["rows"].as_array().unwrap() {
        assert_eq!(
            (&row["mean"]["recall_1"], &row["mean"]["ndcg_10"], &row["missed"]),
            (&json!(1.0), &json!(1.0), &json!(0)),
            "{row}"
        );
        assert_eq!(row["llm"]["prompt_tokens"], json!(0));
    }
    assert_eq!(
        (&found["paired"][0]["retriever"], &found["paired"][0]["differences"][0][1]["mean"]),
        (&json!("hybrid"), &json!(0.0))
    );
    assert!(out(&run(&["--baseline", "lexical"])).contains("| minus lexical |"));
    assert!(err(&run(&["--baseline", "auto"])).contains("the baseline auto is not among"));
    assert!(err(&run(&["--query-side", "table"])).contains("no token table to measure"));
    assert!(err(&run(&["--retrievers", "magic"])).contains("there is no retriever \"magic\""));
    let without = program(&["eval", "retrieval", "--corpus", &corpus, "--questions", &queries]);
    assert!(!without.status.success() && err(&without).contains("--qrels"));
}

#[test]
fn a_page_of_several_passages_is_found_by_any_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = write(
        dir.path(),
        "passages.jsonl",
        "{\"page\":\"a.md\",\"title\":\"Bread\",\"heading\":\"Oven\",\"text\":\"Bake at 230 \
         degrees.\"}\n{\"page\":\"a.md\",\"title\":\"Bread\",\"heading\":\"Starter\",\"text\":\"Feed \
         the starter.\"}\n{\"page\":\"b.md\",\"title\":\"Knots\",\"heading\":\"\",\"text\":\"A \
         bowline does not slip.\"}\n",
    );
    let questions =
        write(dir.path(), "known_item.jsonl", "{\"query\":\"feed the starter\",\"gold_page\":\"a.md\"}\n");
    let found = figures(&program(&[
        "eval",
        "retrieval",
        "--corpus",
        &corpus,
        "--questions",
        &questions,
        "--retrievers",
        "lexical",
        "--json",
    ]));
    assert_eq!(
        (&found["passages"], &found["pages"], &found["rows"][0]["mean"]["recall_1"]),
        (&json!(3), &json!(2), &json!(1.0))
    );
}

#[test]
fn questions_of_several_kinds_are_distinguished() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = write(dir.path(), "corpus.jsonl", CORPUS);
    let asked = "{\"question\":\"ripe starter\",\"type\":\"single\",\"gold\":[2]}\n{\"question\":\"Who made \
        Low \
        Tide, and where was she born?\",\"type\":\"bridge\",\"gold\":[0,1]}\n";
    let questions = write(dir.path(), "questions.jsonl", asked);
    let run = |more: &[&str]| {
        program(&[&["eval", "retrieval", "--corpus", &corpus, "--questions", &questions][..], more].concat())
    };
    let found = figures(&run(&["--retrievers", "lexical", "--json"]));
    let kinds: Vec<_> = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| (g["kind"].clone(), g["questions"].clone()))
        .collect();
    assert_eq!(kinds, [(json!("bridge"), json!(1)), (json!("single"), json!(1))]);
    assert_eq!(found["groups"][1]["rows"][0]["mean"]["recall_1"], json!(1.0));
    assert!(out(&run(&["--retrievers", "lexical"])).contains("| single | 1 | lexical | 1.000 |"));
}

/// Four passages that mention each other, and a question of the second.
fn engines(dir: &Path) -> (String, String) {
    let about = [
        ("Ada Lovelace", "Ada Lovelace wrote about the Analytical Engine of Charles Babbage."),
        ("Charles Babbage", "Charles Babbage designed the Analytical Engine in London."),
        ("London", "London is the capital of England and lies on the River Thames."),
        ("River Thames", "The River Thames flows through London into the North Sea."),
    ];
    let line = |(title, text): &(&str, &str)| json!({"title": title, "text": text}).to_string() + "\n";
    let corpus = write(dir, "corpus.jsonl", &about.iter().map(line).collect::<String>());
    let questions = write(
        dir,
        "questions.jsonl",
        "{\"question\":\"Who designed the Analytical Engine?\",\"gold\":[1]}\n",
    );
    (corpus, questions)
}

#[test]
fn every_retriever_can_be_measured_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let (corpus, questions) = engines(dir.path());
    let names = pocketgraph::retrieve::NAMES.join(",");
    let found = figures(&program(&[
        "eval",
        "retrieval",
        "--corpus",
        &corpus,
        "--questions",
        &questions,
        "--retrievers",
        &names,
        "--json",
    ]));
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), pocketgraph::retrieve::NAMES.len());
    for row in rows {
        assert!(
            row["mean"]["recall_5"].as_f64().unwrap().is_finite() && row["index_bytes"].as_u64().unwrap() > 0,
            "{row}"
        );
    }
    let row = |name: &str| rows.iter().find(|r| r["retriever"] == name).unwrap();
    assert_eq!(row("autokg")["mean"]["recall_5"], json!(1.0));
    // AutoKG's Algorithm 3 is measured whole; what brings as many as it is asked for is not.
    assert_eq!(
        (&row("autokg")["whole"]["recall"]["mean"], &row("dense")["whole"]),
        (&json!(1.0), &Value::Null)
    );
}

/// A model on loopback: answers each request with the text that `reply` makes of its number and body; counts
/// what it was asked.
struct Model {
    base: String,
    asked: Arc<AtomicUsize>,
}

fn model(reply: impl Fn(usize, &str) -> Result<String, u16> + Send + Sync + 'static) -> Model {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let body = read_request(&mut socket);
            let (status, json) = match reply(count.fetch_add(1, Ordering::SeqCst), &body) {
                Ok(text) => (
                    200,
                    json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10}}),
                ),
                Err(status) => (status, json!({"error": {"message": "no"}})),
            };
            let json = json.to_string();
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: \
                 {}\r\nConnection: close\r\n\r\n",
                json.len()
            );
            let _ = socket.write_all((head + &json).as_bytes());
        }
    });
    Model { base, asked }
}

/// Reads, writes and chooses as every retriever's original has a model do.
fn reader(body: &str) -> String {
    let asked: Value = serde_json::from_str(body).unwrap();
    let (task, prompt) = (
        asked["messages"][0]["content"].as_str().unwrap(),
        asked["messages"][1]["content"].as_str().unwrap(),
    );
    let names: Vec<&str> = ["Ada Lovelace", "Charles Babbage", "Analytical Engine", "London", "River Thames"]
        .into_iter()
        .filter(|n| prompt.contains(n))
        .collect();
    let things: Vec<Value> = names
        .iter()
        .map(|n| json!({"name": n, "type": "thing", "description": format!("{n} is a thing.")}))
        .collect();
    if task.contains("Choose the facts") {
        "[1]".to_owned()
    } else if prompt.contains("Entities:") {
        json!({"triples": [[names[0], "has to do with", names[names.len() - 1]]]}).to_string()
    } else if task.contains("for a graph of knowledge") {
        let statement = json!({"statement": format!("{} goes with {}.", names[0], names[1]),
            "entities": names[..2], "score": 6});
        json!({"entities": things, "relations": [statement]}).to_string()
    } else if prompt.contains("<names>") {
        json!({"title": "A circle", "summary": "Things that go together.", "findings": [{"summary": "s",
            "explanation": "e"}]})
        .to_string()
    } else if task.contains("summary") {
        "A summary of engines and rivers.".to_owned()
    } else {
        json!({"entities": things}).to_string()
    }
}

#[test]
fn with_a_model_every_retriever_says_what_its_index_and_its_questions_cost() {
    let dir = tempfile::tempdir().unwrap();
    let (corpus, questions) = engines(dir.path());
    let (cache, bundle) = (dir.path().join("cache"), dir.path().join("bundle"));
    let model = model(|_, body| Ok(reader(body)));
    let run = |more: &[&str]| {
        let names = "auto,hippo,hypergraph,graphrag,raptor";
        let fixed = [
            "eval",
            "retrieval",
            "--corpus",
            &corpus,
            "--questions",
            &questions,
            "--retrievers",
            names,
            "--cache",
            cache.to_str().unwrap(),
        ];
        program(&[&fixed[..], more].concat())
    };
    let live = ["--llm", "--llm-url", &model.base, "--llm-model", "m"];
    let first = figures(&run(&[&live[..], &["--json", "--price-in", "10000", "--price-out", "0"]].concat()));
    let paid = model.asked.load(Ordering::SeqCst);
    let row = |of: &Value, name: &str| {
        of["rows"].as_array().unwrap().iter().find(|r| r["retriever"] == name).unwrap().clone()
    };
    let read = |name: &str| row(&first, name)["llm"]["prompt_tokens"].as_u64().unwrap();
    assert_eq!(
        (read("auto"), &row(&first, "auto")["llm"]["cost"]),
        (0, &json!(0.0)),
        "no original, no model"
    );
    // Each reply reads 100 tokens: two requests a chunk for triples, one for relations, one for each report
    // and summary, one a question.
    assert_eq!((read("hippo"), read("hypergraph")), (900, 400));
    assert!(read("graphrag") > 400, "relations and reports");
    assert_eq!(row(&first, "hippo")["llm"]["cost"], json!(9.0));
    for r in first["rows"].as_array().unwrap() {
        assert_eq!((&r["failed"], &r["estimated"]), (&json!(0), &json!(false)), "{r}");
    }

    let second = figures(&run(&[&live[..], &["--json", "--bundle", bundle.to_str().unwrap()]].concat()));
    assert_eq!(model.asked.load(Ordering::SeqCst), paid, "replies are kept");
    for r in second["rows"].as_array().unwrap() {
        let name = r["retriever"].as_str().unwrap();
        assert_eq!(
            (&r["llm"]["prompt_tokens"], &r["mean"]),
            (&json!(read(name)), &row(&first, name)["mean"]),
            "what it costs does not depend on who paid"
        );
    }
    assert_eq!(row(&second, "hippo")["llm"]["cost"], Value::Null, "without prices no cost is told");

    // Another model, which only fails: the bundle is there, and questions are ranked without it.
    let broken = self::model(|_, _| Err(400));
    let printed = out(&run(&[
        "--llm",
        "--llm-url",
        &broken.base,
        "--llm-model",
        "n",
        "--bundle",
        bundle.to_str().unwrap(),
    ]));
    assert!(
        printed.contains("failed at 1 of 1 questions of hippo,") && printed.contains("see its build"),
        "{printed}"
    );
    assert!(!printed.contains("questions of auto"), "{printed}");
    let unnamed = run(&["--llm"]);
    assert!(!unnamed.status.success() && err(&unnamed).contains("--llm-url"), "{}", err(&unnamed));
}

const QUESTIONS: &str =
    "{\"id\":\"born\",\"question\":\"Where was Mira Voss born?\",\"answers\":[\"Hallwil\"]}
{\"id\":\"who\",\"question\":\"Who directed the film Low Tide?\",\"answers\":[\"M. Voss\",\"Mira Voss\"]}
{\"id\":\"none\",\"question\":\"Unanswered?\"}
";

/// Corpus, questions, and the options that every run of answers has.
fn answers(dir: &Path) -> Vec<String> {
    let (corpus, questions) = (write(dir, "corpus.jsonl", CORPUS), write(dir, "questions.jsonl", QUESTIONS));
    let bundle = dir.join("bundle").to_str().unwrap().to_owned();
    [
        "eval",
        "answers",
        "--corpus",
        &corpus,
        "--questions",
        &questions,
        "--bundle",
        &bundle,
        "--retrievers",
        "hybrid",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn run_eval(base: &[String], more: &[&str]) -> Output {
    program(&[base.iter().map(String::as_str).collect::<Vec<_>>(), more.to_vec()].concat())
}

#[test]
fn answers_without_a_model_are_quoted_and_measured() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let found = figures(&run_eval(&base, &["--protocols", "quote,plan", "--json"]));
    assert_eq!(
        (&found["questions"], &found["left_out"], &found["stopped"]),
        (&json!(2), &json!(1), &Value::Null)
    );
    let quote = &found["rows"][0];
    assert_eq!(
        (&quote["system"], &quote["contain_em"]["mean"], &quote["turns"]),
        (&json!("quote/hybrid"), &json!(1.0), &json!(0.0)),
        "{quote}"
    );
    assert_eq!(quote["by"], json!({"quotation": 2}));
    // There is no graph to plan over, so the documents answer, and the row says so.
    assert_eq!(found["rows"][1]["by"], json!({"quotation": 2}));
    assert!(found["caveat"].as_str().unwrap().contains("rewards long answers"));
    let printed = out(&run_eval(&base, &["--misses", "2"]));
    assert!(
        printed.contains("| quote/hybrid | 2 |") && printed.contains("rewards long answers"),
        "{printed}"
    );
}

#[test]
fn a_plan_answers_from_the_graph_that_the_bundle_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let kg = write(
        dir.path(),
        "films.tsv",
        "head\trelation\ttail\nLow Tide\tdirected by\tMira Voss\nMira Voss\tplace of birth\tHallwil\n",
    );
    let found = figures(&run_eval(&answers(dir.path()), &["--protocols", "plan", "--kg", &kg, "--json"]));
    let row = &found["rows"][0];
    assert!(row["by"]["graph"].as_u64().is_some_and(|n| n >= 1), "{row}");
    assert!(
        row["each"].as_array().unwrap().iter().any(|a| a["by"] == "graph" && a["em"] == json!(1.0)),
        "{row}"
    );
}

#[test]
fn a_models_answers_are_counted_and_a_second_run_asks_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let model = model(|_, body| {
        Ok(if body.contains("Where was") { "Hallwil [1]." } else { "Mira Voss [1]." }.to_owned())
    });
    let (cache, recording) = (dir.path().join("cache"), dir.path().join("run.jsonl"));
    let live = |more: &[&str]| {
        let fixed = [
            "--protocols",
            "ask",
            "--base-url",
            &model.base,
            "--model",
            "m",
            "--cache",
            cache.to_str().unwrap(),
            "--json",
        ];
        run_eval(&base, &[&fixed[..], more].concat())
    };
    let first =
        figures(&live(&["--price-in", "1", "--price-out", "2", "--record", recording.to_str().unwrap()]));
    let row = &first["rows"][0];
    assert_eq!(
        (&row["em"]["mean"], &row["turns"], &row["failed"], &row["by"]),
        (&json!(1.0), &json!(1.0), &json!(0), &json!({"model": 2})),
        "{row}"
    );
    assert_eq!((&row["llm"]["prompt_tokens"], &row["llm"]["completion_tokens"]), (&json!(200), &json!(20)));
    assert!((row["llm"]["cost"].as_f64().unwrap() - 240e-6).abs() < 1e-12);
    assert_eq!((model.asked.load(Ordering::SeqCst), &first["replies_asked"]), (2, &json!(2)));

    let second = figures(&live(&[]));
    assert_eq!(
        (model.asked.load(Ordering::SeqCst), &second["replies_kept"], &second["replies_asked"]),
        (2, &json!(2), &json!(0))
    );
    assert_eq!(second["rows"][0]["em"], row["em"]);
    // The recording gives the same without the endpoint.
    let replayed =
        figures(&run_eval(&base, &["--protocols", "ask", "--replay", recording.to_str().unwrap(), "--json"]));
    assert_eq!((&replayed["rows"][0]["em"], model.asked.load(Ordering::SeqCst)), (&row["em"], 2));
    assert!(!String::from_utf8_lossy(&std::fs::read(&recording).unwrap()).contains("POCKETGRAPH_API_KEY"));
}

#[test]
fn a_protocol_is_measured_with_its_turns_and_calls() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let model = model(|n, _| {
        Ok(if n % 2 == 0 { "<search>Mira Voss</search>" } else { "<answer>Hallwil [1]</answer>" }.to_owned())
    });
    let more = [
        "--protocols",
        "search-r1",
        "--base-url",
        &model.base,
        "--model",
        "m",
        "--no-cache",
        "--json",
        "--first",
        "1",
    ];
    let found = figures(&run_eval(&base, &more));
    let row = &found["rows"][0];
    assert_eq!(
        (&row["turns"], &row["calls"], &row["em"]["mean"]),
        (&json!(2.0), &json!(1.0), &json!(1.0)),
        "{row}"
    );
}

#[test]
fn a_reply_that_is_no_answer_is_a_turn_too() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let model = model(|_, _| Ok("and and and and and".to_owned()));
    let more = [
        "--protocols",
        "ask,single-shot",
        "--base-url",
        &model.base,
        "--model",
        "m",
        "--no-cache",
        "--json",
        "--first",
        "1",
    ];
    let found = figures(&run_eval(&base, &more));
    let turns: f64 = found["rows"].as_array().unwrap().iter().map(|row| row["turns"].as_f64().unwrap()).sum();
    assert_eq!(
        turns as usize,
        model.asked.load(Ordering::SeqCst),
        "as many turns as the model was asked: {found}"
    );
    assert_eq!(found["rows"][0]["turns"], json!(1.0));
}

#[test]
fn a_model_that_always_fails_ends_the_run_and_what_was_measured_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let many: String = (0..9)
        .map(|i| format!("{{\"question\":\"Where was Mira Voss born, {i}?\",\"answer\":\"Hallwil\"}}\n"))
        .collect();
    let questions = write(dir.path(), "questions.jsonl", &many);
    assert!(base.contains(&questions));
    let model = model(|_, _| Err(401));
    let output = run_eval(
        &base,
        &["--protocols", "ask", "--base-url", &model.base, "--model", "m", "--no-cache", "--json"],
    );
    assert!(!output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["rows"][0]["questions"], &found["rows"][0]["failed"]), (&json!(5), &json!(5)));
    assert!(
        err(&output).contains("measured 5 of 9 questions: the language model failed 5 times in a row"),
        "{}",
        err(&output)
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_what_it_has_and_goes_on_from_there() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    // The bundle first, so that the signal comes while questions are asked.
    assert!(run_eval(&base, &[]).status.success());
    let (sender, second) = mpsc::channel();
    let (release, held) = mpsc::channel::<()>();
    let (sender, held) = (std::sync::Mutex::new(sender), std::sync::Mutex::new(held));
    let model = model(move |n, body| {
        if n == 1 {
            sender.lock().unwrap().send(()).unwrap();
            // Until the program is gone.
            let _ = held.lock().unwrap().recv();
        }
        Ok(if body.contains("Where was") { "Hallwil [1]." } else { "Mira Voss [1]." }.to_owned())
    });
    let cache = dir.path().join("cache");
    let more = [
        "--protocols",
        "ask",
        "--base-url",
        &model.base,
        "--model",
        "m",
        "--cache",
        cache.to_str().unwrap(),
        "--json",
    ];
    let child =
        command().args(&base).args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    second.recv().unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    drop(release);
    assert!(!output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["rows"][0]["questions"], &found["questions"]), (&json!(1), &json!(2)));
    assert!(
        err(&output).contains("measured 1 of 2 questions: it was interrupted")
            && err(&output).contains("goes on from here"),
        "{}",
        err(&output)
    );
    let again = figures(&run_eval(&base, &more));
    assert_eq!((&again["replies_kept"], &again["replies_asked"]), (&json!(1), &json!(1)));
}

#[test]
fn a_study_keeps_its_answers_and_a_second_run_asks_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "corpus.jsonl", CORPUS);
    let asks = "{\"question\":\"Where was Mira Voss born?\",\"answers\":[\"Hallwil\"],\"gold\":[1]}\n";
    write(dir.path(), "questions.jsonl", asks);
    let set = "[[sets]]\nname = \"films\"\ncorpus = \"corpus.jsonl\"\nquestions = \"questions.jsonl\"\n";
    let head =
        "retrievers = [\"dense\", \"lexical\"]\nprotocols = [\"single-shot\"]\nseeds = [1, 2]\nk = 1\n";
    let file = write(dir.path(), "study.toml", &[head, set].concat());
    let seeds = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (seen_seeds, folder) = (Arc::clone(&seeds), dir.path().join("out"));
    let model = model(move |_, body| {
        seen_seeds.lock().unwrap().push(serde_json::from_str::<Value>(body).unwrap()["seed"].clone());
        Ok("Mira Voss was born in Hallwil [1].".to_owned())
    });
    let recording = dir.path().join("run.jsonl");
    let fixed = [
        "eval",
        "study",
        &file,
        "--out",
        folder.to_str().unwrap(),
        "--base-url",
        &model.base,
        "--model",
        "m",
    ];
    let run = |more: &[&str]| assert!(program(&[&fixed[..], more].concat()).status.success());
    let kept = |folder: &Path| -> Vec<Value> {
        let lines = std::fs::read_to_string(folder.join("answers.jsonl")).unwrap();
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["value"].clone()).collect()
    };
    run(&["--record", recording.to_str().unwrap()]);
    let first = kept(&folder);
    assert_eq!(first.len(), 4, "a line an answer");
    for line in &first {
        let answered = &line["answered"];
        assert_eq!(
            (&line["set"], &answered["turns"], &answered["contain_em"]),
            (&json!("films"), &json!(1), &json!(1.0)),
            "{line}"
        );
    }
    assert_eq!(*seeds.lock().unwrap(), [1, 1, 2, 2].map(|seed| json!(seed)), "one run a seed and retriever");
    assert_eq!(
        std::fs::read_to_string(folder.join("indexes.jsonl")).unwrap().lines().count(),
        2,
        "a line an index"
    );
    run(&[]);
    assert_eq!(kept(&folder), first);
    assert_eq!(model.asked.load(Ordering::SeqCst), 4);
    // The recording gives the same answers without the endpoint.
    let (elsewhere, recorded) = (dir.path().join("again"), recording.to_str().unwrap());
    assert!(
        program(&["eval", "study", &file, "--out", elsewhere.to_str().unwrap(), "--replay", recorded])
            .status
            .success()
    );
    assert_eq!(kept(&elsewhere).len(), 4);
    assert_eq!(model.asked.load(Ordering::SeqCst), 4);
}

#[test]
fn answers_that_cannot_be_measured_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let base = answers(dir.path());
    let refused = |more: &[&str]| {
        let output = run_eval(&base, more);
        assert!(!output.status.success());
        err(&output)
    };
    assert!(refused(&["--protocols", "ask"]).contains("name an endpoint"));
    assert!(refused(&["--protocols", "dance"]).contains("there is no protocol dance"));
    assert!(refused(&["--baseline", "ask/auto"]).contains("there are quote/hybrid"));
    let record = dir.path().join("x");
    assert!(refused(&["--record", record.to_str().unwrap()]).contains("there is no model to record"));
    assert!(refused(&["--options", "{\"turn\":1}"]).contains("there is no option"));
}

#[test]
fn a_bundle_that_is_there_is_asked_without_its_corpus() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run_eval(&answers(dir.path()), &[]).status.success());
    let bundle = dir.path().join("bundle");
    let questions = write(
        dir.path(),
        "one.jsonl",
        "{\"question\":\"Where was Mira Voss born?\",\"answer\":\"Hallwil\"}\n",
    );
    let found = figures(&program(&[
        "eval",
        "answers",
        "--bundle",
        bundle.to_str().unwrap(),
        "--questions",
        &questions,
        "--json",
    ]));
    assert_eq!(
        (&found["rows"][0]["system"], &found["rows"][0]["contain_em"]["mean"]),
        (&json!("quote/auto"), &json!(1.0))
    );
}
