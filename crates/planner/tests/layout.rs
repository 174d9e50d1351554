//! How pages are laid out answers questions about pages, and none about what they say.

#![allow(clippy::unwrap_used)]

use pocketgraph_kg::{KgBuilder, Linker, Provenance};
use pocketgraph_planner::RulesPlanner;

#[test]
fn page_layout_answers_questions_about_pages_alone() {
    let mut b = KgBuilder::default();
    let (contains, page, section) = (
        b.relation("layout:contains").unwrap(),
        b.entity_type("page").unwrap(),
        b.entity_type("section").unwrap(),
    );
    b.relation_label(contains, "contains").unwrap();
    for (line, (head, tail)) in
        (1..).zip([("The pump", "Priming"), ("Hut rules", "Who cleans the hut?"), ("Hut rules", "Bunks")])
    {
        let (head, tail) = (b.entity(head).unwrap(), b.entity(tail).unwrap());
        b.entity_has_type(head, page).unwrap();
        b.entity_has_type(tail, section).unwrap();
        b.triple(head, contains, tail, Provenance::Line { file: "pages", line }).unwrap();
    }
    let linker = Linker::new(&b.finish().unwrap());
    let planner = RulesPlanner::new(&linker);
    for question in [
        "What is priming?",
        "What does priming do?",
        "Who cleans the hut?",
        "What is Bunks?",
        "What contains Priming?",
    ] {
        assert!(planner.planned(question).is_err(), "{question}");
    }
    let found = planner.planned("Which page contains Priming?").unwrap();
    assert!(found.answer.iter().map(|&n| linker.graph().label(n)).eq(["The pump"]));
}
