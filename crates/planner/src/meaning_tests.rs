#![allow(clippy::unwrap_used)]

use super::super::{Candidates, LEAST_CERTAINTY};
use super::*;
use crate::kg::KgBuilder;
use crate::plan::rft;

/// How sure a plan is that comes of meaning alone.
fn certainty(found: &Nearest) -> f32 {
    let mut all = Candidates::new("");
    all.add_meaning(found.clone());
    all.certainty(&all.list()[0])
}

/// Two films of an imported graph, and a page that documents join to a section.
fn linker() -> Linker {
    let mut b = KgBuilder::default();
    let (film, person) = (b.entity_type("film").unwrap(), b.entity_type("person").unwrap());
    let (by, plays, contains) = (
        b.relation("directed_by").unwrap(),
        b.relation("starred_actors").unwrap(),
        b.relation("contains").unwrap(),
    );
    for (line, (head, relation, tail)) in (1..).zip([
        ("Heat", by, "Michael Mann"),
        ("Heat", plays, "Al Pacino"),
        ("Serpico", plays, "Al Pacino"),
    ]) {
        let (head, tail) = (b.entity(head).unwrap(), b.entity(tail).unwrap());
        b.entity_has_type(head, film).unwrap();
        b.entity_has_type(tail, person).unwrap();
        b.triple(head, relation, tail, Provenance::Line { file: "films", line }).unwrap();
    }
    let (page, section) = (b.entity("Guide").unwrap(), b.entity("Installation").unwrap());
    b.triple(page, contains, section, Provenance::Passage { chunk: 0, start: 0, end: 5 }).unwrap();
    Linker::new(&b.finish().unwrap())
}

/// What is planned where the question is as near to every text as `near` says, and texts are not near each
/// other.
fn planned(linker: &Linker, question: &str, near: &dyn Fn(&str) -> f32) -> Option<Nearest> {
    let asked = one_entity_question(linker, question)?;
    let texts = asked.texts();
    let vectors: Vec<Vec<f32>> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let mut v = vec![0.0; texts.len() + 1];
            v[0] = near(text);
            v[i + 1] = (1.0 - v[0] * v[0]).sqrt();
            v
        })
        .collect();
    let mut question = vec![0.0; texts.len() + 1];
    question[0] = 1.0;
    asked.nearest(linker.graph(), &question, &|text| texts.binary_search(&text).ok().map(|i| &vectors[i][..]))
}

#[test]
fn a_question_represents_its_kind_of_thing_beside_what_the_thing_has() {
    let asked = one_entity_question(&linker(), "Who was behind the camera for Heat?").unwrap();
    assert_eq!(asked.question, "Who was behind the camera for this film?");
    let phrase_list: Vec<&str> = asked.choices.iter().flat_map(|c| &c.phrases).map(String::as_str).collect();
    assert_eq!(
        phrase_list,
        [
            "film directed by person",
            "the directed by of this film",
            "film starred actors person",
            "the starred actors of this film"
        ]
    );
    assert!(
        asked.others.iter().any(|o| o == "the composer of this film")
            && asked.texts().len() == phrase_list.len() + asked.others.len()
    );
}

#[test]
fn a_question_word_is_compared_with_what_it_may_ask_alone() {
    let others = |question: &str| one_entity_question(&linker(), question).unwrap().others;
    let is = |others: &[String], what: &str| others.iter().any(|o| *o == format!("the {what} of this film"));
    let (who, any) =
        (others("Who was behind the camera for Heat?"), others("What did Heat set the studio back?"));
    assert!(is(&who, "composer") && !is(&who, "budget") && !is(&who, "filming location"));
    assert!(is(&any, "composer") && is(&any, "budget") && is(&any, "filming location"));
    assert!(who.iter().all(|o| any.contains(o)));
}

#[test]
fn the_nearest_relation_is_asked_for_in_its_direction() {
    let linker = linker();
    let near = |text: &str| if text.contains("directed") { 0.7 } else { 0.4 };
    let found = planned(&linker, "Who was behind the camera for Heat?", &near).unwrap();
    assert!(certainty(&found) > LEAST_CERTAINTY);
    assert!(rft::print(&found.plan).unwrap().contains("<directed_by>"));
    let found = planned(&linker, "What has Al Pacino been seen in?", &|text| {
        if text.contains("starred") { 0.7 } else { 0.4 }
    })
    .unwrap();
    assert!(rft::print(&found.plan).unwrap().contains("^<starred_actors>"));
}

#[test]
fn what_comes_nearer_to_something_else_or_to_two_relations_alike_is_not_believed() {
    let linker = linker();
    let cost = |text: &str| if text == "the budget of this film" { 0.8 } else { 0.5 };
    assert!(
        certainty(&planned(&linker, "What did Heat set the studio back?", &cost).unwrap()) < LEAST_CERTAINTY
    );
    let alike = |text: &str| if text.contains("person") { 0.5 } else { 0.55 };
    assert!(
        certainty(&planned(&linker, "Who was behind the camera for Heat?", &alike).unwrap())
            < LEAST_CERTAINTY
    );
}

#[test]
fn what_people_say_of_a_thing_is_no_way_of_doing_something() {
    for question in [
        "How do viewers tag Heat?",
        "How is Heat rated?",
        "How would you describe Heat?",
        "How can Heat be summed up?",
    ] {
        assert!(one_entity_question(&linker(), question).is_some(), "{question}");
    }
}

#[test]
fn the_further_ahead_of_the_next_a_relation_is_the_surer_it_is_meant() {
    let linker = linker();
    let sure = |next: f32| {
        let near = |text: &str| {
            if text.contains("directed") {
                0.6
            } else if text.contains("starred") {
                next
            } else {
                0.62
            }
        };
        certainty(&planned(&linker, "Who was behind the camera for Heat?", &near).unwrap())
    };
    assert!(sure(0.3) > sure(0.5) && sure(0.5) > sure(0.598));
}

#[test]
fn several_things_counts_ways_and_documents_are_left_to_others() {
    let linker = linker();
    for question in [
        "Who was behind the camera for Heat and Serpico?",
        "How many people were behind the camera for Heat?",
        "Who was the greatest behind the camera for Heat?",
        "How do I see Heat?",
        "How can one see Heat?",
        "How to see Heat",
        "Who was behind the camera?",
        "What does the Guide say?",
        "",
    ] {
        assert_eq!(one_entity_question(&linker, question), None, "{question}");
    }
    assert_eq!(
        one_entity_question(&linker, &format!("Who was behind {} for Heat?", "the camera ".repeat(60))),
        None
    );
    // "Starred" names another relation than the nearest: that is a second step.
    assert!(
        planned(&linker, "Who starred with the man behind Heat?", &|text| if text.contains("directed") {
            0.9
        } else {
            0.1
        })
        .is_none()
    );
}
