//! Plans over a real graph: the command `plan`, the protocol `plan` over a bundle, and the web as the last
//! resort.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::future::FutureExt;
use pocketgraph::agent::{
    AgentEvent, AgentOptions, AskWith, PlannedBy, PlannerChoice, ProtocolAnswer, ask_with_protocol,
    plan_question,
};
use pocketgraph::answer::{AnswerBy, CitationStatus};
use pocketgraph::engine::{DEFAULT_MEMORY_LIMIT, Engine};
use pocketgraph::llm::ChatModel;
use pocketgraph::plan::execute::{Limits, Resources};
use pocketgraph::plan::{check, rft};
use pocketgraph_build::folder::FolderSource;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use support::{program, scripted};

const FILMS: &str = include_str!("../../../tests/data/films.tsv");

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(args: &[&str]) -> String {
    let output = program(args);
    assert!(!output.status.success());
    // The frame around a report breaks lines where it likes.
    String::from_utf8_lossy(&output.stderr)
        .split_whitespace()
        .filter(|w| !["│", "|"].contains(w))
        .collect::<Vec<_>>()
        .join(" ")
}

fn films(folder: &Path) -> PathBuf {
    let path = folder.join("films.tsv");
    std::fs::write(&path, FILMS).unwrap();
    path
}

/// A bundle of one document, with the graph of films.
fn bundle(folder: &Path) -> PathBuf {
    let docs = folder.join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(
        docs.join("people.md"),
        "# People\n\n## Mira Voss\n\nMira Voss was born in Hallwil in 1871.\n",
    )
    .unwrap();
    let bundle = folder.join("bundle");
    let kg = films(folder);
    out(&program(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        bundle.to_str().unwrap(),
        "--no-runtime",
        "--kg",
        kg.to_str().unwrap(),
    ]));
    bundle
}

#[test]
fn a_plan_is_shown_in_each_form_and_what_is_shown_can_be_carried_out() {
    let dir = tempfile::tempdir().unwrap();
    let kg = films(dir.path());
    let kg = kg.to_str().unwrap();
    let question = "who starred in films directed by Michael Mann";
    let shown = program(&["plan", "--kg", kg, question]);
    assert!(out(&shown).contains("Ans2=SearchKG("), "{}", out(&shown));
    let printed = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(
        printed.contains("\"Michael Mann\" may be Michael Mann")
            && printed.contains("plan, by rules, confidence"),
        "{printed}"
    );
    assert!(!printed.contains("warning"), "{printed}");
    for form in ["rft", "json"] {
        let plan = dir.path().join(form);
        std::fs::write(&plan, out(&program(&["plan", "--kg", kg, question, "--form", form]))).unwrap();
        let done = out(&program(&["plan", "--kg", kg, "--plan", plan.to_str().unwrap()]));
        assert!(done.ends_with("\nAl Pacino\nVal Kilmer\nWill Smith\n"), "{form}: {done}");
    }
    // Code has no words for a step along a relation.
    assert!(
        refused(&["plan", "--kg", kg, question, "--form", "lpkg"])
            .contains("--form rft and --form json can express every plan")
    );
}

#[test]
fn over_a_graph_in_a_file_the_programs_own_planners_are_beside_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let kg = films(dir.path());
    let kg = kg.to_str().unwrap();
    let printed_for = |question: &str, more: &[&str]| {
        let planned = program(&[&["plan", "--kg", kg, question], more].concat());
        let plan = String::from_utf8_lossy(&planned.stdout).into_owned();
        (String::from_utf8_lossy(&planned.stderr).into_owned(), plan)
    };
    let (by, plan) = printed_for("Who is the filmmaker responsible for Heat?", &[]);
    assert!(
        by.contains("plan, by the relation nearest in meaning") && plan.contains("r=<directed_by>"),
        "{by}{plan}"
    );
    let joined = "Which films were directed by Michael Mann and also starred Al Pacino?";
    assert!(printed_for(joined, &["--planner", "trained"]).0.contains("plan, by the trained planner"));
    // Neither where the rules are asked for, nor where a planner is less sure than asked.
    assert!(
        printed_for("Who is the filmmaker responsible for Heat?", &["--planner", "rules"])
            .0
            .contains("no plan:")
    );
    let unsure = "Which films is Michael Mann the filmmaker of?";
    assert!(printed_for(unsure, &[]).0.contains("plan, by the relation nearest in meaning"));
    assert!(printed_for(unsure, &["--least-confidence", "0.999"]).0.contains("no plan:"));
    // Whom nobody asked for is named.
    let (by, _) = printed_for("who directed Heat", &["--planner", "trained", "--least-confidence", "0.99"]);
    assert!(by.contains("plan, by rules") && by.contains("the rules planned, because"), "{by}");
}

#[test]
fn a_plan_that_is_carried_out_shows_every_step() {
    let dir = tempfile::tempdir().unwrap();
    let kg = films(dir.path());
    let kg = kg.to_str().unwrap();
    let done = out(&program(&["plan", "--kg", kg, "who directed Heat", "--execute"]));
    assert!(
        done.contains("Heat | directed by | Michael Mann") && done.ends_with("\nMichael Mann\n"),
        "{done}"
    );
    let json = out(&program(&["plan", "--kg", kg, "who directed Heat", "--execute", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["executed"]["answer"], serde_json::json!(["Michael Mann"]));
    assert_eq!((&json["by"], &json["executed"]["trace"]["steps"][0]["size"]), (&"rules".into(), &1.into()));
    assert_eq!(json["executed"]["graph"]["edges"].as_array().unwrap().len(), 1);
}

#[test]
fn triples_alone_are_enough_to_rank_and_to_count_what_has_a_measure() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("firm.tsv");
    let rows = "Ada\tsalary\t5200\nBen\tsalary\t4100\nCleo\tsalary\t6100\nAda\tworks_on\tApollo\nCleo\tmanages\
        \tApollo\nApollo\tbudget\t900000\nGemini\tbudget\t400000\n";
    std::fs::write(&path, rows).unwrap();
    let kg = path.to_str().unwrap();
    for (question, answers) in [
        ("Who has the highest salary?", "Cleo"),
        ("What has the largest budget?", "Apollo"),
        ("What is the lowest salary?", "4100"),
        ("Who has a salary above 5000?", "Ada\nCleo"),
    ] {
        let done = out(&program(&["plan", "--kg", kg, question, "--execute"]));
        assert!(done.ends_with(&format!("\n{answers}\n")), "{question}: {done}");
    }
    for question in [
        "Who has the highest blood pressure?",
        "Who has the highest salary in Berlin?",
        "Which engineer has the highest salary?",
    ] {
        refused(&["plan", "--kg", kg, question]);
    }
}

#[test]
fn what_cannot_be_carried_out_says_where_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let kg = films(dir.path());
    let kg = kg.to_str().unwrap();
    let write = |text: &str| {
        let path = dir.path().join("bad.plan");
        std::fs::write(&path, text).unwrap();
        refused(&["plan", "--kg", kg, "--plan", path.to_str().unwrap()])
    };
    let plan_file = write("Ans1=SearchKG(t=film | h=Heat, r=directed by)\nAns2=Intersect(Ans1, Ans9)");
    assert!(
        plan_file.contains("line 2, column 1: Ans9 is not defined")
            && plan_file.contains("Define it on a line of its own"),
        "{plan_file}"
    );
    assert!(write("Ans1=Delete(Ans0)").contains("unknown function"));
    assert!(write("").contains("no plan found"));
    assert!(write(&"Ans1=SearchKG(t=a | h=b, r=c)\n".repeat(400_000)).contains("too large"));
    assert!(
        refused(&["plan", "--kg", kg, "what is the meaning of life"])
            .contains("no plan: the question names nothing")
    );
    assert!(refused(&["plan", "--kg", kg]).contains("there is nothing to plan"));
    assert!(refused(&["plan"]).contains("there is no knowledge graph to plan over"));
    assert!(refused(&["plan", "a", "b", "--kg", kg]).contains("a bundle and --kg cannot be combined"));
    assert!(refused(&["plan", "--kg", kg, "x", "--form", "prose"]).contains("lpkg"));
}

fn ask(
    bundle: &Path,
    question: &str,
    chat: Option<&dyn ChatModel>,
    planner: PlannerChoice,
) -> (ProtocolAnswer, Vec<String>) {
    let options = AgentOptions { planner, ..AgentOptions::default() };
    let with = AskWith { chat, clock: &|| 0.0, graph: None, web: None, tools: None };
    let mut kinds: Vec<String> = Vec::new();
    let mut hear = |event: AgentEvent| {
        let value = serde_json::to_value(&event).unwrap();
        // Every event crosses into JavaScript and back.
        assert_eq!(serde_json::from_value::<AgentEvent>(value.clone()).unwrap(), event);
        let kind = value["type"].as_str().unwrap().to_owned();
        if kind != "token" || kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    };
    let answer = async {
        let engine = Engine::open(Rc::new(FolderSource::new(bundle)), DEFAULT_MEMORY_LIMIT).await.unwrap();
        ask_with_protocol(&engine, question, "plan", &options, &with, &mut hear).await.unwrap()
    };
    let answer = answer.now_or_never().expect("a folder is always ready");
    (answer, kinds)
}

const CHAIN: &str = "who starred in films directed by Michael Mann";

#[test]
fn without_a_model_the_graph_answers_with_the_statements_that_it_rests_on() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let (reasoned, kinds) = ask(&bundle, CHAIN, None, PlannerChoice::Auto);
    assert_eq!(
        (reasoned.answer.by, reasoned.answer.answered),
        (AnswerBy::Graph, true),
        "{:?}",
        reasoned.answer
    );
    assert_eq!(reasoned.answer.text, "Al Pacino [1][2], Val Kilmer [1][3], Will Smith [4][5]");
    let first = &reasoned.answer.citations[0];
    assert_eq!(
        (first.quote.as_str(), first.status),
        ("Heat | directed by | Michael Mann", CitationStatus::Verified)
    );
    assert!(first.title.contains("films.tsv, line 2"), "{}", first.title);
    assert_eq!(kinds, ["hits", "plan", "step", "step", "references", "done"]);
    let carried = reasoned.carried.as_ref().unwrap();
    assert_eq!((carried.by, carried.trace.steps.len(), carried.graph.edges.len()), (PlannedBy::Rules, 2, 5));
    assert!(
        reasoned.turns.is_empty() && reasoned.answer.warnings.is_empty(),
        "{:?}",
        reasoned.answer.warnings
    );
}

#[test]
fn a_question_that_cannot_be_planned_is_answered_from_the_documents_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let (reasoned, kinds) = ask(&bundle, "Where was Mira Voss born?", None, PlannerChoice::Auto);
    assert_eq!((reasoned.answer.by, reasoned.answer.answered), (AnswerBy::Extraction, true));
    assert!(reasoned.answer.text.contains("Hallwil") && reasoned.carried.is_none());
    assert!(
        reasoned.answer.warnings[0].message.starts_with("There is no plan: "),
        "{:?}",
        reasoned.answer.warnings
    );
    assert_eq!(kinds, ["hits", "references", "done"]);
    assert_eq!(reasoned.passages.len(), 1);
    let (silent, _) = ask(&bundle, "How deep is the Mariana Trench?", None, PlannerChoice::Auto);
    assert!(
        !silent.answer.answered && silent.answer.text.starts_with("Nothing near enough was found"),
        "{:?}",
        silent.answer
    );
}

#[test]
fn with_a_model_the_plan_is_carried_out_here_and_the_model_words_the_answer() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let model = scripted(&["Heat was directed by Michael Mann [1]."]);
    let (reasoned, kinds) = ask(&bundle, "who directed Heat", Some(&model), PlannerChoice::Auto);
    assert_eq!(
        (reasoned.answer.by, reasoned.answer.text.as_str()),
        (AnswerBy::Llm, "Heat was directed by Michael Mann [1].")
    );
    let cited = &reasoned.answer.citations[0];
    assert_eq!((cited.chunk(), cited.status), (None, CitationStatus::Verified), "{cited:?}");
    assert_eq!(kinds, ["hits", "plan", "step", "turn", "references", "token", "done"]);
    assert_eq!((reasoned.turns.len(), reasoned.estimated), (1, true));

    let model = scripted(&["Ans1=SearchKG(t=person | h=Heat, r=directed by)", "Michael Mann [1]."]);
    let (reasoned, _) = ask(&bundle, "who directed Heat", Some(&model), PlannerChoice::Llm);
    assert_eq!((reasoned.carried.unwrap().by, reasoned.turns.len()), (PlannedBy::Llm, 2));
}

#[test]
fn where_the_model_fails_the_graph_answers() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let (reasoned, _) = ask(&bundle, CHAIN, Some(&scripted(&[])), PlannerChoice::Llm);
    assert_eq!(
        (reasoned.answer.by, reasoned.carried.map(|c| c.by)),
        (AnswerBy::Graph, Some(PlannedBy::Rules))
    );
    assert!(
        reasoned
            .answer
            .warnings
            .iter()
            .any(|w| w.message.contains("llm-http") && w.message.contains("what the plan found")),
        "{:?}",
        reasoned.answer.warnings
    );
}

#[test]
fn a_question_is_planned_without_being_answered() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let planned = async {
        let engine = Engine::open(Rc::new(FolderSource::new(&bundle)), DEFAULT_MEMORY_LIMIT).await.unwrap();
        let with = AskWith { chat: None, clock: &|| 0.0, graph: None, web: None, tools: None };
        plan_question(&engine, "who directed Heat", &AgentOptions::default(), &with).await.unwrap()
    };
    let planned = planned.now_or_never().unwrap();
    assert_eq!(
        (planned.by, planned.mentions[0].mention.as_str(), planned.why_not),
        (Some(PlannedBy::Rules), "Heat", None)
    );
    assert!(planned.confidence > 0.5 && planned.text.contains("SearchKG("), "{}", planned.text);
}

#[test]
fn the_trained_planner_joins_several_things_and_leaves_the_rest_to_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let plan = |question: &str, planner: PlannerChoice| {
        let planned = async {
            let engine =
                Engine::open(Rc::new(FolderSource::new(&bundle)), DEFAULT_MEMORY_LIMIT).await.unwrap();
            let with = AskWith { chat: None, clock: &|| 0.0, graph: None, web: None, tools: None };
            plan_question(&engine, question, &AgentOptions { planner, ..AgentOptions::default() }, &with)
                .await
                .unwrap()
        };
        planned.now_or_never().unwrap()
    };
    let joined =
        plan("Which films were directed by Michael Mann and also starred Al Pacino?", PlannerChoice::Trained);
    assert_eq!(joined.by, Some(PlannedBy::Trained));
    assert!(
        joined.text.contains("Intersect(") && joined.confidence >= 0.5,
        "{} {}",
        joined.text,
        joined.confidence
    );
    let taken =
        plan("Which films starred Al Pacino but were not directed by Michael Mann?", PlannerChoice::Trained);
    assert!(taken.text.contains("Negation("), "{}", taken.text);
    // One name, and the rules are sure: the model's weights are not even read.
    assert_eq!(plan("who directed Heat", PlannerChoice::Auto).by, Some(PlannedBy::Rules));
    assert_eq!(plan("how do I build this", PlannerChoice::Trained).plan, None);
    assert_eq!(plan("", PlannerChoice::Trained).plan, None);
    assert_eq!(plan(&"Heat and Ali ".repeat(20_000), PlannerChoice::Trained).plan, None);
}

#[test]
fn the_command_plan_asks_the_trained_planner_of_its_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let plan = |question: &str, planner: &str| -> serde_json::Value {
        serde_json::from_str(&out(&program(&[
            "plan",
            bundle.to_str().unwrap(),
            question,
            "--planner",
            planner,
            "--json",
        ])))
        .unwrap()
    };
    let joined = "Which films were directed by Michael Mann and also starred Al Pacino?";
    let trained = plan(joined, "trained");
    assert_eq!(trained["by"], "trained", "{trained}");
    assert!(trained["text"].as_str().unwrap().contains("Intersect("), "{trained}");
    // Without asking for it, it is asked where the rules are not sure, and nowhere else.
    assert_eq!(plan(joined, "auto")["by"], "rules");
    assert_eq!(plan("who directed Heat", "auto")["by"], "rules");
    assert_eq!(plan(joined, "auto")["text"], trained["text"]);
}

#[test]
fn a_bundle_carries_the_trained_planner_only_beside_a_graph_and_where_it_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("people.md"), "# People\n\nMira Voss was born in Hallwil in 1871.\n").unwrap();
    let kg = films(dir.path());
    let has = |name: &str, more: &[&str]| {
        let bundle = dir.path().join(name);
        let args = ["build", docs.to_str().unwrap(), "-o", bundle.to_str().unwrap(), "--no-runtime"];
        out(&program(&[&args[..], more].concat()));
        std::fs::read_to_string(bundle.join("manifest.json")).unwrap().contains("\"planner\"")
    };
    let kg = kg.to_str().unwrap();
    assert!(has("own", &["--kg", kg]));
    assert!(!has("none", &["--kg", kg, "--planner-model", "none"]));
    assert!(!has("no-graph", &["--kg-from-documents", "off"]));
    let other = dir.path().join("other");
    let refusal = refused(&[
        "build",
        docs.to_str().unwrap(),
        "-o",
        other.to_str().unwrap(),
        "--kg",
        kg,
        "--planner-model",
        kg,
    ]);
    assert!(refusal.contains("holds no trained planner") && refusal.contains("wrong magic"), "{refusal}");
}

#[test]
fn ask_plans_by_itself_where_the_bundle_carries_a_graph() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let bundle = bundle.to_str().unwrap();
    let asked = program(&["ask", bundle, "who directed Heat", "--trace"]);
    let shown = out(&asked);
    assert!(
        shown.starts_with("Michael Mann [1]\n\n[1] Heat | directed by | Michael Mann (")
            && shown.contains("films.tsv, line 2)"),
        "{shown}"
    );
    let printed = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(
        printed.contains("── plan, by rules, confidence") && printed.contains("• Ans1 = SearchKG("),
        "{printed}"
    );
    let json = out(&program(&["ask", bundle, "who directed Heat", "--json", "--trace"]));
    let json: ProtocolAnswer = serde_json::from_str(&json).unwrap();
    assert_eq!((json.protocol.as_str(), json.answer.by), ("plan", AnswerBy::Graph));
    let planned = out(&program(&["plan", bundle, "who directed Heat", "--execute"]));
    assert!(planned.contains("\nMichael Mann [1]\n"), "{planned}");
}

/// A web search on loopback that answers everything with one page, and keeps what it was asked.
fn web() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
            kept.lock().unwrap().push(lines.next().unwrap().unwrap());
            while lines.next().is_some_and(|l| !l.unwrap().is_empty()) {}
            let body = r#"{"results":[{"url":"https://scores.example/heat","title":"Scores",
                "content":"The composer of Heat was Elliot Goldenthal."}]}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \
                 {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all(format!("{head}{body}").as_bytes());
        }
    });
    (base, asked)
}

#[test]
fn the_web_is_searched_after_graph_and_documents_and_never_before() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle(dir.path());
    let bundle = bundle.to_str().unwrap();
    let (base, asked) = web();
    let plan = dir.path().join("plan");
    std::fs::write(&plan, "Ans1=SearchKG(t=* | h=Heat, r=directed by)").unwrap();
    let given = ["plan", bundle, "--plan", plan.to_str().unwrap(), "--web-search", &base];
    assert!(out(&program(&given)).contains("Michael Mann"));
    assert!(asked.lock().unwrap().is_empty(), "the graph knew");
    std::fs::write(&plan, "Ans1=Search(q=born in Hallwil)").unwrap();
    out(&program(&given));
    assert!(asked.lock().unwrap().is_empty(), "the documents knew: {:?}", asked.lock().unwrap());
    std::fs::write(&plan, "Ans1=SearchKG(t=* | h=Heat, r=composer)").unwrap();
    let shown = out(&program(&given));
    assert!(
        shown.contains("Elliot Goldenthal [1]") && shown.contains("https://scores.example/heat"),
        "{shown}"
    );
    assert_eq!(*asked.lock().unwrap(), ["GET /search?format=json&q=Heat%20composer HTTP/1.1"]);
}

#[test]
fn a_plan_may_come_from_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let kg = films(dir.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_pocketgraph"))
        .args(["plan", "--kg", kg.to_str().unwrap(), "--plan", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Ans1=All(t=film)\nAns2=Count(Ans1)").unwrap();
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(child.wait().unwrap().success() && shown.ends_with("\n3\n"), "{shown}");
}

#[test]
fn a_relation_named_by_other_words_is_found_by_their_meaning_once_the_model_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = bundle(dir.path());
    let plan = rft::parse("A=SearchKG(t=* | h=Heat, r=cast)", &check::Limits::default()).unwrap().plan;
    futures::executor::block_on(async {
        let engine = Engine::open(Rc::new(FolderSource::new(path)), DEFAULT_MEMORY_LIMIT).await.unwrap();
        let chosen = async || {
            let execution = engine.execute(&plan, Resources::default(), Limits::default()).await.unwrap();
            let of = &execution.trace.steps[0].relations;
            of.iter().filter(|r| r.chosen).map(|r| r.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(chosen().await, Vec::<String>::new(), "no word agrees");
        engine.prepare().await.unwrap();
        assert_eq!(chosen().await, ["starred actors"]);
    });
}
