#![allow(clippy::unwrap_used)]

use super::*;
use crate::films::example;
use crate::kg::{KgBuilder, LiteralKind, Provenance};
use proptest::prelude::*;

fn linker(names: &[&str]) -> Linker {
    let mut b = KgBuilder::default();
    let r = b.relation("r").unwrap();
    let hub = b.entity("hub").unwrap();
    for (i, n) in names.iter().enumerate() {
        let e = b.entity(&format!("id{i}")).unwrap();
        b.label(e, n).unwrap();
        b.triple(e, r, hub, Provenance::Cited("")).unwrap();
    }
    Linker::new(&b.finish().unwrap())
}

fn best(l: &Linker, mention: &str) -> Vec<(String, Match)> {
    l.link(mention, 10).into_iter().map(|c| (c.name, c.how)).collect()
}

fn linked_names(l: &Linker, text: &str) -> Vec<(String, String)> {
    l.mentions(text).into_iter().map(|m| (text[m.span].to_owned(), m.candidates[0].name.clone())).collect()
}

#[test]
fn the_exact_name_comes_before_the_one_with_an_article_or_other_signs() {
    let l = linker(&["The Rat Race", "Rat Race", "Up", "Up!", "rat race"]);
    assert_eq!(
        best(&l, "Rat Race")[..2],
        [("Rat Race".into(), Match::Exact), ("rat race".into(), Match::Folded)]
    );
    assert_eq!(best(&l, "Rat Race")[2], ("The Rat Race".into(), Match::Article));
    assert_eq!(best(&l, "Up!"), [("Up!".into(), Match::Exact), ("Up".into(), Match::Words)]);
    assert_eq!(best(&l, "Up"), [("Up".into(), Match::Exact), ("Up!".into(), Match::Words)]);
}

#[test]
fn everyone_who_bears_a_name_is_a_candidate() {
    let l = linker(&["Springfield", "Springfield", "springfield"]);
    let nodes: Vec<u32> = l.link("Springfield", 10).iter().map(|c| c.node.0).collect();
    assert_eq!(nodes, [1, 2, 3]);
}

#[test]
fn a_slip_of_the_pen_is_forgiven_in_long_names_only() {
    let l = linker(&["John Travolta", "Up", "Ali"]);
    assert_eq!(best(&l, "Jonh Travolta"), [("John Travolta".into(), Match::OneEdit)]);
    assert_eq!(best(&l, "jon travolt"), [("John Travolta".into(), Match::TwoEdits)]);
    assert_eq!((best(&l, "Al"), best(&l, "")), (vec![], vec![]));
}

#[test]
fn letters_of_other_scripts_are_kept_apart() {
    let l = linker(&["東京", "京都", "Москва", "Café"]);
    assert_eq!(best(&l, "東京"), [("東京".into(), Match::Exact)]);
    assert_eq!(best(&l, "МОСКВА"), [("Москва".into(), Match::Folded)]);
    assert_eq!(best(&l, "cafe"), [("Café".into(), Match::Folded)]);
    assert_eq!(linked_names(&l, "東京はどこ"), [("東京".to_owned(), "東京".to_owned())]);
}

#[test]
fn a_question_names_the_longest_names_in_it() {
    let l = linker(&[
        "Harry Potter",
        "Harry Potter and the Goblet of Fire",
        "Goblet",
        "John Travolta",
        "Olivia Newton-John",
    ]);
    let q =
        "who starred in Harry Potter and the Goblet of Fire with John Travolta's friend olivia newton john?";
    assert_eq!(
        linked_names(&l, q).into_iter().map(|m| m.1).collect::<Vec<_>>(),
        ["Harry Potter and the Goblet of Fire", "John Travolta", "Olivia Newton-John"]
    );
    assert_eq!(linked_names(&l, q)[1].0, "John Travolta");
}

#[test]
fn function_words_are_names_only_as_the_graph_writes_them() {
    let l = linker(&["Up", "Who", "Up!", "$"]);
    assert_eq!(linked_names(&l, "who directed up"), []);
    assert_eq!(linked_names(&l, "Who directed Up?"), [("Up".to_owned(), "Up".to_owned())]);
    assert_eq!(linked_names(&l, "who directed Up!"), [("Up!".to_owned(), "Up!".to_owned())]);
    assert_eq!(linked_names(&l, "who wrote $"), [("$".to_owned(), "$".to_owned())]);
}

#[test]
fn an_article_of_the_question_does_not_hide_the_exact_name() {
    let l = linker(&["The Rat Race", "Rat Race"]);
    let m = l.mentions("films by the Rat Race director");
    assert_eq!(m.len(), 1);
    assert_eq!(
        m[0].candidates.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["Rat Race", "The Rat Race"]
    );
    assert_eq!(
        linked_names(&l, "the race of The Rat Race"),
        [("The Rat Race".to_owned(), "The Rat Race".to_owned())]
    );
}

#[test]
fn a_sign_between_words_does_not_part_a_name() {
    let l = linker(&["Romeo + Juliet", "Romeo", "Juliet", "Hell", "In Hell"]);
    assert_eq!(
        linked_names(&l, "which sort of film was Romeo + Juliet"),
        [("Romeo + Juliet".to_owned(), "Romeo + Juliet".to_owned())]
    );
    assert_eq!(linked_names(&l, "the language spoken in Hell"), [("Hell".to_owned(), "Hell".to_owned())]);
}

#[test]
fn a_question_is_about_its_most_telling_name() {
    let l = linker(&["film", "Mud", "who"]);
    let topics = |q: &str| l.topics(q).into_iter().map(|m| m.candidates[0].name.clone()).collect::<Vec<_>>();
    assert_eq!(topics("which film is Mud"), ["Mud", "film"]);
    assert_eq!(topics("Mud is a film by this person"), ["Mud", "film"]);
}

#[test]
fn aliases_and_ids_link_and_a_literal_comes_after_an_entity_of_its_name() {
    let mut b = KgBuilder::default();
    let film = b.entity("Q1").unwrap();
    b.label(film, "2012").unwrap();
    b.alias(film, "Twenty Twelve").unwrap();
    let (r, year) = (b.relation("year").unwrap(), b.literal("2012", LiteralKind::Date, "", "").unwrap());
    b.triple(film, r, year, Provenance::Cited("")).unwrap();
    let l = Linker::new(&b.finish().unwrap());
    assert_eq!(l.link("2012", 5).iter().map(|c| c.node.0).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((l.link("twenty twelve", 5)[0].node.0, l.link("Q1", 5)[0].node.0), (0, 0));
    assert!(l.link("Q2", 5).is_empty());
}

#[test]
fn meaning_counts_only_where_no_name_agrees() {
    let l = linker(&["automobile", "truck", "banana"]);
    assert!(l.link("car", 5).is_empty());
    // Entities: the hub, then the three.
    let cosines = [0.1, 0.9, 0.7, 0.2];
    l.remember("car", &cosines);
    l.remember("truck", &cosines);
    let found = l.link("Car", 5);
    assert_eq!(
        found.iter().map(|c| (c.name.as_str(), c.how)).collect::<Vec<_>>(),
        [("automobile", Match::Meaning), ("truck", Match::Meaning)]
    );
    assert!(found[0].score < Match::TwoEdits.score() && found[0].score > found[1].score);
    assert_eq!(best(&l, "truck"), [("truck".into(), Match::Exact)]);
}

proptest! {
    #[test]
    fn any_text_is_searched_and_spans_lie_in_it(text in ".{0,60}") {
        let l = Linker::new(&example());
        for m in l.mentions(&text) {
            prop_assert!(text.get(m.span.clone()).is_some());
            prop_assert!(!m.candidates.is_empty());
        }
        let _ = l.link(&text, 3);
    }

    #[test]
    fn every_name_links_to_its_owner_first(i in 0u32..8) {
        let g = example();
        let l = Linker::new(&g);
        prop_assert_eq!(l.link(g.label(NodeId(i)), 1)[0].node, NodeId(i));
        let question = format!("what about {} then", g.label(NodeId(i)));
        prop_assert!(l.mentions(&question).iter().any(|m| m.candidates[0].node == NodeId(i)));
    }
}
