#![allow(clippy::unwrap_used)]
//! What the rules plan on a small graph of films, and what they refuse.

use super::*;
use crate::kg::{KgBuilder, KnowledgeGraph, Linker, LiteralKind, Provenance};
use crate::plan::{Shape, check, rft};
use proptest::prelude::*;

fn graph() -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let (film, person, genre) = (b.entity_type("film").unwrap(), b.entity_type("person").unwrap(), b.entity_type("genre").unwrap());
    b.type_label(film, "movie").unwrap();
    let rows = [
        ("Heat", "directed_by", "Michael Mann", person),
        ("Ali", "directed_by", "Michael Mann", person),
        ("Serpico", "directed_by", "Sidney Lumet", person),
        ("Heat", "starred_actors", "Al Pacino", person),
        ("Heat", "starred_actors", "Val Kilmer", person),
        ("Ali", "starred_actors", "Will Smith", person),
        ("Serpico", "starred_actors", "Al Pacino", person),
        ("Heat", "has_genre", "Crime", genre),
        ("Serpico", "has_genre", "Drama", genre),
        ("Serpico", "has_genre", "Crime", genre),
        ("Ali", "has_genre", "Sport", genre),
    ];
    for (line, (h, r, t, of)) in (1..).zip(rows) {
        let (head, tail, relation) = (b.entity(h).unwrap(), b.entity(t).unwrap(), b.relation(r).unwrap());
        b.entity_has_type(head, film).unwrap();
        b.entity_has_type(tail, of).unwrap();
        b.triple(head, relation, tail, Provenance::Line { file: "films", line }).unwrap();
    }
    let year = b.relation("release_year").unwrap();
    for (head, y) in [("Heat", "1995"), ("Ali", "2001"), ("Serpico", "1973")] {
        let (head, y) = (b.entity(head).unwrap(), b.literal(y, LiteralKind::Date, "", "").unwrap());
        b.triple(head, year, y, Provenance::Cited("poster")).unwrap();
    }
    b.finish().unwrap()
}

/// The plan as lines, without the types, and what it finds.
fn planned(question: &str) -> (String, Vec<String>) {
    let graph = graph();
    let linker = Linker::new(&graph);
    let found = RulesPlanner::new(&linker).planned(question).unwrap();
    check::check(&found.plan, &[], &check::Limits::default()).unwrap();
    let text = rft::print(&found.plan).unwrap();
    let short: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    let mut answers: Vec<String> = found.answer.iter().map(|&n| graph.label(n).to_owned()).collect();
    answers.sort();
    (short.join("; "), answers)
}

#[test]
fn the_graph_decides_how_many_steps_a_question_has() {
    assert_eq!(planned("who directed Heat").1, ["Michael Mann"]);
    assert_eq!(planned("who starred in films directed by Michael Mann").1, ["Al Pacino", "Val Kilmer", "Will Smith"]);
    let (plan, answers) = planned("which movies share directors with the movie Heat");
    assert_eq!(answers, ["Ali"]);
    let expected = "Ans1=SearchKG(t=person | h=<Heat>, r=<directed_by>); Ans2=SearchKG(t=film | h=Ans1, r=^<directed_by>)";
    assert_eq!(plan, expected);
    assert_eq!(planned("what are the genres of the movies that share directors with the film Heat").1, ["Crime", "Sport"]);
}

#[test]
fn two_entities_are_joined_by_what_the_question_says() {
    let (plan, answers) = planned("which movies have genre Crime and actor Al Pacino");
    assert_eq!(answers, ["Heat", "Serpico"]);
    assert!(plan.contains("Intersect(Ans1, Ans2)"), "{plan}");
    let (plan, answers) = planned("which movies were directed by Michael Mann or Sidney Lumet");
    assert_eq!(answers, ["Ali", "Heat", "Serpico"]);
    assert!(plan.contains("Union("), "{plan}");
    let (plan, answers) = planned("which movies starred Al Pacino but not Val Kilmer");
    assert_eq!(answers, ["Serpico"]);
    assert!(plan.contains("Negation("), "{plan}");
}

#[test]
fn what_two_films_share_is_intersected_last_and_what_common_films_have_first() {
    let (plan, answers) = planned("what genre do the movies Heat and Serpico share");
    assert_eq!((answers, plan.ends_with("Intersect(Ans1, Ans2)")), (vec!["Crime".to_owned()], true), "{plan}");
}

#[test]
fn a_comparison_asks_both_for_the_value() {
    let (plan, answers) = planned("Which movie was released first, Heat or Serpico?");
    assert_eq!(answers, ["Serpico"]);
    assert!(
        plan.ends_with("Ans3=Compare(Ans1, Ans2 | how=min, q=\"Which movie was released first, Heat or Serpico?\", r=x)")
            || plan.contains("how=min"),
        "{plan}"
    );
}

#[test]
fn how_many_counts() {
    let (plan, _) = planned("how many films did Michael Mann direct");
    assert!(plan.ends_with("Ans2=Count(Ans1)"), "{plan}");
}

#[test]
fn a_question_that_the_graph_does_not_speak_of_is_not_planned() {
    let graph = graph();
    let linker = Linker::new(&graph);
    let planner = RulesPlanner::new(&linker);
    assert_eq!(planner.planned("how are loops bounded?"), Err(PlannerError::NothingLinked));
    assert!(matches!(planner.planned("what did Heat cost"), Err(PlannerError::Unsure { .. })));
}

#[test]
fn a_question_of_megabytes_is_refused_and_its_names_take_no_time() {
    let graph = graph();
    let linker = Linker::new(&graph);
    let long = "who directed 'Heat' and Ali ".repeat(100_000);
    assert!(matches!(RulesPlanner::new(&linker).planned(&long), Err(PlannerError::TooLong { .. })));
    let begun = std::time::Instant::now();
    let spans = names(&long);
    let _ = pattern(&long, &spans);
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn words_that_carry_no_relation_never_pay_for_a_step() {
    assert!(lexicon::function_words_are_sorted());
}

#[test]
fn names_are_found_by_quotes_and_capitals() {
    let found = |q: &str| names(q).into_iter().map(|s| q[s].to_owned()).collect::<Vec<_>>();
    assert_eq!(found("Is D. W. Griffith in 'Boys Don't Cry' or \"Zodiac\"?"), ["D. W. Griffith", "'Boys Don't Cry'", "\"Zodiac\""]);
    assert_eq!(found("What borders Dane County and Allegheny County's neighbour?"), ["Dane County", "Allegheny County"]);
}

#[test]
fn patterns_are_told_by_words_alone() {
    for (question, shape) in [
        ("Which country has a higher retirement age, Portugal or Mexico?", Shape::Compare),
        ("What genre do the movies 'Role Models' and 'Men in Black' share?", Shape::Intersection(2)),
        ("What are the genres associated with either 'Along Came a Spider' or 'Fatal Attraction'?", Shape::Union(2)),
        ("What are the capitals of the countries that are the origin of both 'Invincible' and 'Luther'?", Shape::Ip),
        ("Where is the headquarters of the developer of Mesa?", Shape::Chain(2)),
        ("Which films starred Al Pacino but not Val Kilmer?", Shape::Negation),
    ] {
        assert_eq!(pattern(question, &names(question)), shape, "{question}");
    }
}

proptest! {
    #[test]
    fn any_question_is_planned_or_refused(question in "(who |which |films |Heat |and |or |Al Pacino|Ali |than |not |directed |by |first |older |'|\\?|\\PC){0,16}") {
        let graph = graph();
        let linker = Linker::new(&graph);
        if let Ok(found) = RulesPlanner::new(&linker).least_confidence(0.0).planned(&question) {
            prop_assert!(check::check(&found.plan, &[], &check::Limits::default()).is_ok());
            prop_assert!((0.0..=1.0).contains(&found.confidence));
        }
        let _ = pattern(&question, &names(&question));
    }
}
