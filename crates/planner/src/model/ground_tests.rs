#![allow(clippy::unwrap_used)]
//! Drafts on a small graph of films: what is looked up, and what the graph decides.

use super::super::draft::{Draft, Pointer, RelationPhrase};
use super::super::label::{Aggregation, STEPS, Shape};
use super::*;
use crate::kg::{KgBuilder, LiteralKind, Provenance};
use crate::plan::{check, rft};
use crate::tests::graph;
use std::ops::Range;

fn draft(
    shape: Shape,
    aggregation: Aggregation,
    question: &str,
    entities: &[&str],
    relations: &[&str],
) -> Draft {
    let mut spoken = [const { None }; STEPS];
    for (slot, words) in relations.iter().enumerate().filter(|(_, w)| !w.is_empty()) {
        spoken[slot] = Some(RelationPhrase { words: (*words).to_owned(), inverse: 0.5 });
    }
    let at = |(mention, name): (usize, &&str)| {
        question.find(*name).map(|s| Pointer { mention, span: s..s + name.len() }).unwrap()
    };
    Draft {
        shape,
        aggregation,
        number: false,
        entities: entities.iter().enumerate().map(at).collect(),
        relations: spoken,
        measure: None,
        types: [const { None }; STEPS],
        explained: Vec::new(),
        shape_log: 0.0,
        tags_log: 0.0,
        weakest: 1.0,
    }
}

/// What a draft's entities may be.
fn mentions(linker: &Linker, question: &str, draft: &Draft) -> Vec<Mention> {
    let of = |span: &Range<usize>| Mention {
        span: span.clone(),
        candidates: linker.link(&question[span.clone()], 3),
    };
    draft.entities.iter().map(|e| of(&e.span)).collect()
}

/// The plan's steps and what is found, by label.
fn grounded(question: &str, draft: &Draft) -> (String, Vec<String>) {
    let graph = graph();
    let linker = Linker::new(&graph);
    let mentions = mentions(&linker, question, draft);
    let found = Grounder::new(&linker).ground(question, &mentions, draft, &Calibration::default()).unwrap();
    check::check(&found.plan, &[], &check::Limits::default()).unwrap();
    let text = rft::print(&found.plan).unwrap();
    let mut names: Vec<String> = found.answer.iter().map(|&n| graph.label(n).to_owned()).collect();
    names.sort();
    (text.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("; "), names)
}

#[test]
fn words_for_relations_are_found_on_the_graph_in_either_direction() {
    let (plan, found) = grounded(
        "actors of Heat",
        &draft(Shape::P1, Aggregation::Set, "actors of Heat", &["Heat"], &["actors"]),
    );
    assert_eq!(found, ["Al Pacino", "Val Kilmer"]);
    assert_eq!(plan, "Ans1=SearchKG(t=* | h=<Heat>, r=<starred_actors>)");
    let q = "what Michael Mann directed";
    assert_eq!(
        grounded(q, &draft(Shape::P1, Aggregation::Set, q, &["Michael Mann"], &["directed"])).1,
        ["Ali", "Heat"]
    );
}

#[test]
fn a_step_that_finds_nothing_gives_way_to_one_that_does() {
    // Will Smith directed nothing; that "films" of his are those that he starred in is the graph's to say.
    let q = "films of Will Smith";
    let mut d = draft(Shape::P1, Aggregation::Set, q, &["Will Smith"], &[""]);
    d.types[0] = Some("films".to_owned());
    assert_eq!(grounded(q, &d).1, ["Ali"]);
}

#[test]
fn sets_are_joined_and_taken_away() {
    let q = "actors of Heat but not of Ali";
    let both = |shape| draft(shape, Aggregation::Set, q, &["Heat", "Ali"], &["actors", "actors"]);
    assert_eq!(grounded(q, &both(Shape::In2)).1, ["Al Pacino", "Val Kilmer"]);
    assert_eq!(grounded(q, &both(Shape::U2)).1, ["Al Pacino", "Val Kilmer", "Will Smith"]);
    let q = "genre of Heat and Serpico";
    let (plan, found) =
        grounded(q, &draft(Shape::I2, Aggregation::Set, q, &["Heat", "Serpico"], &["genre", "genre"]));
    assert_eq!(found, ["Crime"]);
    assert!(plan.contains("Intersect(Ans1, Ans2)"), "{plan}");
}

#[test]
fn counts_superlatives_and_comparisons_are_carried_out_on_values() {
    let q = "how many films were directed by Michael Mann";
    let d = draft(Shape::P1, Aggregation::Count, q, &["Michael Mann"], &["directed"]);
    assert!(grounded(q, &d).0.ends_with("Count(Ans1)"));
    let q = "which film of Al Pacino has the latest release year";
    let mut d = draft(Shape::P1, Aggregation::Max, q, &["Al Pacino"], &["starred"]);
    d.measure = Some("release year".to_owned());
    assert_eq!(grounded(q, &d).1, ["Heat"]);
    let q = "which has the earlier release year, Ali or Serpico";
    assert_eq!(
        grounded(q, &draft(Shape::Compare, Aggregation::Min, q, &["Ali", "Serpico"], &["release year"])).1,
        ["Serpico"]
    );
}

#[test]
fn how_many_is_the_number_that_the_graph_has() {
    let mut b = KgBuilder::default();
    let (state, population) = (b.entity("Ohio").unwrap(), b.relation("population").unwrap());
    let people = b.literal("11756058", LiteralKind::Number, "", "").unwrap();
    b.triple(state, population, people, Provenance::Cited("census")).unwrap();
    let graph = b.finish().unwrap();
    let linker = Linker::new(&graph);
    let q = "how many people live in Ohio";
    let d = draft(Shape::P1, Aggregation::Count, q, &["Ohio"], &["population"]);
    let found =
        Grounder::new(&linker).ground(q, &mentions(&linker, q, &d), &d, &Calibration::default()).unwrap();
    assert!(matches!(found.form, LogicalForm::Set(_)), "{:?}", found.plan);
}

#[test]
fn everything_of_a_type_needs_no_entity() {
    let mut d = draft(Shape::P0, Aggregation::Max, "the newest movie", &[], &[]);
    d.types[0] = Some("movie".to_owned());
    d.measure = Some("release year".to_owned());
    assert_eq!(grounded("the newest movie", &d).1, ["Ali"]);
}

#[test]
fn an_unknown_name_has_no_reading_and_what_agrees_less_is_less_sure() {
    let graph = graph();
    let linker = Linker::new(&graph);
    let grounder = Grounder::new(&linker);
    let q = "actors of Casablanca";
    let d = draft(Shape::P1, Aggregation::Set, q, &["Casablanca"], &["actors"]);
    assert_eq!(grounder.ground(q, &mentions(&linker, q, &d), &d, &Calibration::default()), None);
    let sure = |words: &str| {
        let q = format!("{words} of Heat");
        let d = draft(Shape::P1, Aggregation::Set, &q, &["Heat"], &[words]);
        grounder
            .ground(&q, &mentions(&linker, &q, &d), &d, &Calibration::default())
            .map_or(0.0, |g| g.confidence)
    };
    assert!(sure("actors") > sure("composers"));
}

#[test]
fn how_old_asks_for_a_value_and_not_for_what_has_it() {
    let graph = graph();
    let linker = Linker::new(&graph);
    let q = "how old is Heat";
    let ground = |shape, relations: &[&str]| {
        let d = draft(shape, Aggregation::Set, q, &["Heat"], relations);
        Grounder::new(&linker).ground(q, &mentions(&linker, q, &d), &d, &Calibration::default())
    };
    let labels =
        |found: Grounded| found.answer.iter().map(|&n| graph.label(n).to_owned()).collect::<Vec<_>>();
    assert_eq!(ground(Shape::P1, &["release year"]).map(labels), Some(vec!["1995".to_owned()]));
    // To the year and back to the film: a way that the graph has and nobody asks for.
    assert_eq!(ground(Shape::P2, &["release year", "release year"]), None);
    assert_eq!(ground(Shape::P1, &["directed"]), None);
}
