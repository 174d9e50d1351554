#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph::kg::{Direction, KnowledgeGraph, Linker};
use pocketgraph::plan::execute::{Executor, Limits, Resources};
use pocketgraph::planner::{LogicalForm, Query};
use pocketgraph_cluster::Random;
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles, import};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Films, their people and years: 40 films, 12 people, 3 genres.
fn graph() -> KnowledgeGraph {
    let dir = tempfile::tempdir().unwrap();
    let (triples, entities) = (dir.path().join("triples.tsv"), dir.path().join("entities.tsv"));
    let mut lines = String::from("head\trelation\ttail\n");
    let mut table = String::from("id\tlabel\taliases\ttypes\n");
    for i in 0..40 {
        table.push_str(&format!("f{i}\tThe Film {i}\tFilm number {i}\tfilm\n"));
        for (relation, tail) in [
            ("directed by", format!("p{}", i % 7)),
            ("starred actor", format!("p{}", (i * 5 + 3) % 12)),
            ("starred actor", format!("p{}", (i * 3 + 1) % 12)),
            ("genre", format!("g{}", i % 3)),
            ("release year", format!("{}", 1950 + (i * 7) % 60)),
        ] {
            lines.push_str(&format!("f{i}\t{relation}\t{tail}\n"));
        }
    }
    (0..12).for_each(|i| table.push_str(&format!("p{i}\tPerson {i}\t\tperson\n")));
    (0..3).for_each(|i| table.push_str(&format!("g{i}\tGenre {i}\t\tgenre\n")));
    std::fs::write(&triples, lines).unwrap();
    std::fs::write(&entities, table).unwrap();
    let files = KgFiles { triples: vec![triples], entities: vec![entities], ..KgFiles::default() };
    import(&files, &ImportOptions::default()).unwrap().0
}

fn options() -> DataOptions {
    DataOptions {
        examples: 17 * 60,
        held_relations: 0,
        held_entities: 15,
        noise: Noise::default(),
        seed: 3,
        jobs: 2,
    }
}

fn made(options: &DataOptions, without: &Near) -> (Vec<Value>, Vec<Value>, DataReport) {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    let report =
        generate_examples(&graph(), &|| Ok(graph()), options, without, &mut train, &mut test, &|_| {})
            .unwrap();
    let read = |bytes: &[u8]| {
        std::str::from_utf8(bytes).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    };
    (read(&train), read(&test), report)
}

#[test]
fn the_executor_answers_what_the_query_says() {
    let linker = Linker::new(&graph());
    let graph = linker.graph();
    let (grounder, executor) = (Grounder::new(graph), Executor::new(Some(&linker)));
    let mut seen = BTreeSet::new();
    for (i, pattern) in PATTERNS.iter().cycle().take(17 * 40).enumerate() {
        let Some(asked) = grounder.ground(*pattern, &mut Random::new(1, i as u64)) else { continue };
        let gold = asked.plan(graph, "");
        let execution = futures::FutureExt::now_or_never(executor.execute(
            &gold,
            Resources::default(),
            Limits::default(),
        ))
        .unwrap()
        .unwrap();
        seen.insert(pattern.name());
        if let LogicalForm::Set(query) = &asked {
            let found: Vec<_> = execution.answer().members.iter().filter_map(|m| m.item.node()).collect();
            let expected = grounder.answers(query).unwrap();
            assert_eq!(
                found.iter().collect::<BTreeSet<_>>(),
                expected.iter().collect::<BTreeSet<_>>(),
                "{pattern:?} {query:?}"
            );
        }
    }
    assert_eq!(seen.len(), PATTERNS.len(), "every pattern can be grounded in this graph: {seen:?}");
}

#[test]
fn some_chains_share_something_on_the_way_and_some_intersections_end_alike() {
    let linker = Linker::new(&graph());
    let grounder = Grounder::new(linker.graph());
    let made = |pattern: Pattern| {
        (0..400).filter_map(|i| grounder.ground(pattern, &mut Random::new(9, i))).collect::<Vec<_>>()
    };
    let inner = |query: &Query| match query {
        Query::Step { of, relation, direction, .. } => Some((of.as_ref().clone(), *relation, *direction)),
        _ => None,
    };
    let shares = |asked: &LogicalForm| {
        let LogicalForm::Set(last) = asked else { return false };
        let second = inner(last).and_then(|(of, ..)| inner(&of));
        second.is_some_and(|(of, r, d)| inner(&of).is_some_and(|(_, s, e)| r == s && d != e))
    };
    assert!(made(Pattern::P3).iter().any(shares));
    let alike = |asked: &LogicalForm| match asked {
        LogicalForm::Set(Query::And(parts)) => {
            matches!(parts.iter().map(inner).collect::<Option<Vec<_>>>().as_deref(), Some([a, b]) if (a.1,
                a.2) == (b.1, b.2))
        }
        _ => false,
    };
    assert!(made(Pattern::Pi).iter().any(alike));
}

#[test]
fn every_pattern_gets_its_share_and_spans_name_what_the_plan_uses() {
    let (train, test, report) = made(&options(), &Near::default());
    assert_eq!(train.len() + test.len() + report.repeated + report.near + report.given_up, 17 * 60);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for example in train.iter().chain(&test) {
        *counts.entry(example["pattern"].as_str().unwrap().to_owned()).or_default() += 1;
        let (question, plan) = (example["question"].as_str().unwrap(), example["plan"].to_string());
        let letters: Vec<char> = question.chars().collect();
        for span in example["spans"].as_array().unwrap() {
            let (start, end) =
                (span["start"].as_u64().unwrap() as usize, span["end"].as_u64().unwrap() as usize);
            assert!(start < end && end <= letters.len(), "{question}");
            let name = span["name"].as_str().unwrap();
            // "Which film has …, A or B" says a type that the plan of a comparison has no place for.
            let aside = span["kind"] == "type" && example["pattern"] == "compare";
            assert!(
                aside || plan.contains(&Value::from(name).to_string()),
                "{name} is said and not planned: {question} {plan}"
            );
        }
        let entities = example["spans"].as_array().unwrap().iter().filter(|s| s["kind"] == "entity").count();
        // Of everything of a kind no entity is named.
        assert!(entities > 0 || plan.contains("\"all\""), "{question}");
        assert!(!example["answers"].as_array().unwrap().is_empty());
        assert!(example["count"].as_u64().unwrap() as usize >= example["answers"].as_array().unwrap().len());
    }
    assert_eq!(counts.len(), PATTERNS.len());
    assert!(counts.values().all(|&n| n >= 20), "{counts:?}");
}

#[test]
fn a_plan_keeps_to_the_types_that_the_question_says() {
    let (train, _, _) = made(&options(), &Near::default());
    let (mut with, mut without) = (0, 0);
    for example in &train {
        let has_type_span = |name: &Value| {
            example["spans"].as_array().unwrap().iter().any(|s| s["kind"] == "type" && s["name"] == *name)
        };
        for step in
            example["plan"]["statements"].as_array().unwrap().iter().filter(|s| s["op"] == "search_kg")
        {
            match step.get("target") {
                Some(target) if !target.is_null() => {
                    assert!(has_type_span(target), "{example:#}");
                    with += 1;
                }
                _ => without += 1,
            }
        }
    }
    assert!(with > 100 && without > 100, "{with} steps with a type and {without} without");
}

#[test]
fn what_is_kept_for_testing_is_never_trained_on() {
    let options = DataOptions { held_relations: 40, ..options() };
    let (train, test, report) = made(&options, &Near::default());
    assert!(report.relations.1 > 0 && report.entities.1 > 0, "{report:?}");
    let names = |all: &[Value], kind: &str| -> BTreeSet<String> {
        let spans = all.iter().flat_map(|e| e["spans"].as_array().unwrap());
        spans.filter(|s| s["kind"] == kind).map(|s| s["name"].as_str().unwrap().to_owned()).collect()
    };
    let only_tested: BTreeSet<String> =
        names(&test, "relation").difference(&names(&train, "relation")).cloned().collect();
    assert_eq!(only_tested.len(), report.relations.1, "{only_tested:?}");
    assert!(names(&test, "entity").difference(&names(&train, "entity")).count() > 0);
}

#[test]
fn a_seed_gives_the_same_examples_whatever_the_number_of_threads() {
    let one = made(&DataOptions { jobs: 1, ..options() }, &Near::default());
    assert_eq!(one, made(&DataOptions { jobs: 3, ..options() }, &Near::default()));
    assert_ne!(one.0, made(&DataOptions { seed: 4, ..options() }, &Near::default()).0);
}

#[test]
fn questions_near_those_of_a_test_are_left_out() {
    let (train, _, _) = made(&options(), &Near::default());
    let mut near = Near::default();
    let question = train[0]["question"].as_str().unwrap();
    near.add(question);
    assert!(near.holds(&question.to_uppercase()) && near.holds(&format!("Please, {question}")));
    assert!(!near.holds("an altogether different question about nothing"));
    let (again, _, report) = made(&options(), &near);
    assert!(report.near >= 1 && again.iter().all(|e| e["question"] != train[0]["question"]));
}

#[test]
fn backward_steps_are_stated_as_clauses_about_the_type() {
    let graph = graph();
    let relation = graph.vocabulary().relation_named("genre").unwrap();
    let film = graph.vocabulary().type_named("film").unwrap();
    let node =
        (0..graph.entities() as u32).map(pocketgraph::kg::NodeId).find(|&n| graph.id(n) == "g1").unwrap();
    let query = Query::Step {
        of: Box::new(Query::Entity(node)),
        relation,
        direction: Direction::Backward,
        target: Some(film),
    };
    let wording = Wording::new(&graph, Noise { lower: 0.0, typos: 0.0, synonyms: 0.0 });
    for i in 0..50 {
        let (text, spans) = wording.question(&LogicalForm::Set(query.clone()), &mut Random::new(5, i)).text();
        assert!(text.contains("film") && text.contains("genre") && text.contains("Genre 1"), "{text}");
        assert_eq!(spans.len(), 3, "{text}");
    }
}

#[test]
fn an_entity_without_a_name_is_asked_about_by_nobody() {
    let unnamed = || {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let path = dir.path().join("triples.tsv");
        std::fs::write(&path, "Q1\tcapital\tParis\nFrance\tcapital\tParis\nQ1\tborders\tFrance\n")
            .map_err(|e| e.to_string())?;
        let files = KgFiles { triples: vec![path], ..KgFiles::default() };
        import(&files, &ImportOptions::default()).map(|x| x.0).map_err(|e| e.to_string())
    };
    let mut out = Vec::new();
    generate_examples(
        &unnamed().unwrap(),
        &unnamed,
        &DataOptions { held_entities: 0, ..options() },
        &Near::default(),
        &mut out,
        &mut Vec::new(),
        &|_| {},
    )
    .unwrap();
    let printed = String::from_utf8(out).unwrap();
    let questions: Vec<Value> = printed.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(
        !questions.is_empty()
            && questions.iter().all(|q| !q["question"].as_str().unwrap().to_uppercase().contains("Q1")),
        "{printed}"
    );
}

#[test]
fn a_graph_without_triples_is_an_error_that_says_so() {
    let empty = || pocketgraph::kg::KgBuilder::default().finish().map_err(|e| e.to_string());
    let error = generate_examples(
        &empty().unwrap(),
        &empty,
        &options(),
        &Near::default(),
        &mut Vec::new(),
        &mut Vec::new(),
        &|_| {},
    )
    .unwrap_err();
    assert!(error.to_string().contains("nothing to ask about"));
}

/// The questions that a grammar without noise says of a query, one for each of so many seeds.
fn questions(graph: &KnowledgeGraph, asked: &LogicalForm, seeds: u64) -> Vec<String> {
    let wording = Wording::new(graph, Noise { lower: 0.0, typos: 0.0, synonyms: 0.0 });
    (0..seeds).map(|i| wording.question(asked, &mut Random::new(5, i)).text().0).collect()
}

/// A step from what has this identifier or from a query.
fn step(graph: &KnowledgeGraph, of: Query, relation: &str, direction: Direction) -> Query {
    Query::Step {
        of: Box::new(of),
        relation: graph.vocabulary().relation_named(relation).unwrap(),
        direction,
        target: None,
    }
}

fn entity(graph: &KnowledgeGraph, id: &str) -> Query {
    Query::Entity(
        (0..graph.entities() as u32).map(pocketgraph::kg::NodeId).find(|&n| graph.id(n) == id).unwrap(),
    )
}

#[test]
fn a_step_inside_of_another_is_stated_by_a_relative_clause_at_times() {
    let graph = graph();
    let inner = step(&graph, entity(&graph, "f1"), "directed by", Direction::Forward);
    let outer = step(&graph, inner, "starred actor", Direction::Backward);
    let phrased = questions(&graph, &LogicalForm::Set(outer), 400);
    for clause in ["who directed", "by which", "directed by"] {
        assert!(phrased.iter().any(|q| q.contains(clause)), "{clause}: {phrased:?}");
    }
}

#[test]
fn one_thing_in_two_parts_is_stated_with_both() {
    let graph = graph();
    let parts = |relation: [&str; 2]| {
        let ends = ["f1", "f2"].into_iter().zip(relation);
        ends.map(|(id, r)| step(&graph, entity(&graph, id), r, Direction::Forward)).collect::<Vec<_>>()
    };
    let phrased = questions(&graph, &LogicalForm::Set(Query::And(parts(["genre", "release year"]))), 200);
    let both = |q: &&String| q.contains(" both ") && q.contains(" genre ") && q.contains(" release year ");
    assert!(phrased.iter().filter(both).count() > 10, "{phrased:?}");
    // A participle has no article: nothing "is both the directed by of …".
    let phrased = questions(&graph, &LogicalForm::Set(Query::And(parts(["genre", "directed by"]))), 200);
    assert!(phrased.iter().all(|q| !q.contains("the directed by of")), "{phrased:?}");
}

#[test]
fn a_list_is_asked_for_as_one_and_nothing_else_is() {
    let graph = graph();
    let parts = ["f1", "f2"].map(|id| step(&graph, entity(&graph, id), "genre", Direction::Forward)).to_vec();
    let whole = |q: &String| q.contains("combined") || q.contains("collective") || q.contains("in total");
    assert!(questions(&graph, &LogicalForm::Set(Query::Or(parts.clone())), 300).iter().any(whole));
    assert!(!questions(&graph, &LogicalForm::Set(Query::And(parts)), 300).iter().any(whole));
}
