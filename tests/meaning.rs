//! Questions whose words name no relation: the relation nearest in meaning is asked for, with the bundle's
//! own model.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use futures::executor::block_on;
use pocketgraph::agent::{AgentOptions, AskWith, PlannedBy, PlannedQuestion, PlannerChoice, plan_question};
use pocketgraph::engine::{DEFAULT_MEMORY_LIMIT, Engine};
use pocketgraph::planner::{LEAST_CERTAINTY, PHRASES};
use pocketgraph_build::folder::FolderSource;
use pocketgraph_build::pipeline::BuildOptions;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A bundle of a small graph of films beside one passage.
fn films(folder: &Path) -> Engine {
    graph_of(folder, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/films.tsv"))
}

fn graph_of(folder: &Path, films: PathBuf) -> Engine {
    support::engine(support::corpus(folder, [("Films", "A page about films.")]), |options| BuildOptions {
        knowledge: Some((KgFiles { triples: vec![films], ..KgFiles::default() }, ImportOptions::default())),
        ..options
    })
}

fn planned(engine: &Engine, question: &str, options: &AgentOptions) -> PlannedQuestion {
    let with = AskWith { chat: None, clock: &|| 0.0, graph: None, web: None, tools: None };
    block_on(plan_question(engine, question, options, &with)).unwrap()
}

#[test]
fn a_question_that_names_no_relation_is_planned_by_the_one_nearest_in_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let engine = films(folder.path());
    for (question, relation) in [
        ("Who is the filmmaker responsible for Heat?", "<directed_by>"),
        ("Which films is Michael Mann the filmmaker of?", "^<directed_by>"),
    ] {
        let plan = planned(&engine, question, &AgentOptions::default());
        assert_eq!(plan.by, Some(PlannedBy::Meaning), "{question}: {plan:?}");
        assert!(plan.text.contains(relation) && plan.confidence >= LEAST_CERTAINTY, "{question}: {plan:?}");
        // Names that were embedded once give the same again.
        assert_eq!(planned(&engine, question, &AgentOptions::default()), plan);
    }
    // Words that name one are the rules'.
    assert_eq!(planned(&engine, "Who directed Heat?", &AgentOptions::default()).by, Some(PlannedBy::Rules));
}

#[test]
fn what_the_rules_can_but_guess_is_left_alone_where_meaning_is_unsure_too() {
    let folder = tempfile::tempdir().unwrap();
    // Who directed more films than she was seen in: of "films" alone the rules take those.
    let statements = [
        ("Harbour", "directed_by"),
        ("Granite", "directed_by"),
        ("Lantern", "directed_by"),
        ("Lantern", "starred_actors"),
        ("Meadow", "starred_actors"),
    ];
    let lines = statements.map(|(film, relation)| format!("{film}\tfilm\t{relation}\tMara Stone\tperson\n"));
    let films = folder.path().join("films.tsv");
    std::fs::write(&films, format!("head\thead-type\trelation\ttail\ttail-type\n{}", lines.concat()))
        .unwrap();
    let engine = graph_of(folder.path(), films);
    let question = "Which films can Mara Stone be seen in?";
    for planner in [PlannerChoice::Rules, PlannerChoice::Auto] {
        let plan = planned(&engine, question, &AgentOptions { planner, ..AgentOptions::default() });
        assert!(plan.plan.is_none(), "{plan:?}");
    }
    // What they know they keep, with the type that is asked for.
    let known = planned(&engine, "Which films were directed by Mara Stone?", &AgentOptions::default());
    assert!(known.by == Some(PlannedBy::Rules) && known.text.contains("t=film"), "{known:?}");
}

#[test]
fn what_the_graph_does_not_say_is_not_planned() {
    let folder = tempfile::tempdir().unwrap();
    let engine = films(folder.path());
    for question in
        ["What did Heat cost?", "What happens at the end of Serpico?", "Where was Al Pacino born?"]
    {
        let plan = planned(&engine, question, &AgentOptions::default());
        assert_ne!(plan.by, Some(PlannedBy::Meaning), "{question}: {plan:?}");
    }
}

#[test]
fn without_the_model_or_where_others_are_asked_for_meaning_has_no_say() {
    let folder = tempfile::tempdir().unwrap();
    let engine = films(folder.path());
    let question = "Who is the filmmaker responsible for Heat?";
    let sure = AgentOptions { least_confidence: Some(0.999_99), ..AgentOptions::default() };
    let rules = AgentOptions { planner: PlannerChoice::Rules, ..AgentOptions::default() };
    assert!(
        planned(&engine, question, &sure).plan.is_none() && planned(&engine, question, &rules).plan.is_none()
    );
    let source = FolderSource::new(folder.path().join("bundle"));
    let unprepared = block_on(Engine::open(Rc::new(source), DEFAULT_MEMORY_LIMIT)).unwrap();
    assert_ne!(planned(&unprepared, question, &AgentOptions::default()).by, Some(PlannedBy::Meaning));
}

#[test]
fn phrases_come_with_the_bundle_and_where_they_are_lost_the_model_embeds_them() {
    let folder = tempfile::tempdir().unwrap();
    let question = "Who is the filmmaker responsible for Heat?";
    let asked = |engine: &Engine| {
        let before = engine.stats().requests;
        let plan = planned(engine, question, &AgentOptions::default());
        assert_eq!(plan.by, Some(PlannedBy::Meaning), "{plan:?}");
        (plan.text, engine.stats().requests - before)
    };
    let whole = asked(&films(folder.path()));
    let pages = folder.path().join("bundle").join(PHRASES);
    for page in std::fs::read_dir(&pages).unwrap() {
        std::fs::write(page.unwrap().path(), "damaged").unwrap();
    }
    let again = || {
        let engine = block_on(Engine::open(
            Rc::new(FolderSource::new(folder.path().join("bundle"))),
            DEFAULT_MEMORY_LIMIT,
        ))
        .unwrap();
        block_on(engine.prepare()).unwrap();
        asked(&engine)
    };
    let damaged = again();
    std::fs::remove_dir_all(pages).unwrap();
    let missing = again();
    for lost in [damaged, missing] {
        assert_eq!(lost.0, whole.0);
        assert!(
            lost.1 > 2 * whole.1,
            "words of phrases must be loaded where their vectors are lost: {lost:?} {whole:?}"
        );
    }
}
