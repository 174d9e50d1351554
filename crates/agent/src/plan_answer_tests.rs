#![allow(clippy::unwrap_used)]
//! What a plan's answer says and cites.

use super::*;
use crate::kg::{KgBuilder, Linker};
use crate::plan::check::Limits as PlanLimits;
use crate::plan::execute::{Executor, Limits, Passage, Passages, PassagesError, Resources};
use crate::plan::rft;
use futures::future::FutureExt;
use pocketgraph_testing::films::example;

/// The statements of the example, one of them said by a chunk.
fn documented() -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let (heat, mann) = (b.entity("Heat").unwrap(), b.entity("Michael Mann").unwrap());
    let directed = b.relation("directed_by").unwrap();
    b.triple(heat, directed, mann, Provenance::Passage { chunk: 7, start: 6, end: 39 }).unwrap();
    let (pacino, starred) = (b.entity("Al Pacino").unwrap(), b.relation("starred_actors").unwrap());
    b.triple(heat, starred, pacino, Provenance::Line { file: "films.tsv", line: 3 }).unwrap();
    b.finish().unwrap()
}

fn hit(chunk: u32, text: &str) -> Hit {
    Hit { url: "/films".to_owned(), ..pocketgraph_testing::hits::hit(chunk, "Films", &[], text) }
}

fn answered(
    graph: &KnowledgeGraph,
    lines: &str,
    passages: Option<&dyn Passages>,
    chunks: &[Hit],
) -> Option<PlanAnswer> {
    let linker = Linker::new(graph);
    let plan = rft::parse(lines, &PlanLimits::default()).unwrap().plan;
    let resources = Resources { passages, ..Resources::default() };
    let execution = Executor::new(Some(&linker))
        .execute(&plan, resources, Limits::default())
        .now_or_never()
        .unwrap()
        .unwrap();
    let load = |chunk: u32| -> LocalBoxFuture<'_, Option<Hit>> {
        let found = chunks.iter().find(|h| h.chunk == chunk).cloned();
        async move { found }.boxed_local()
    };
    plan_answer(graph, &execution, &load).now_or_never().unwrap()
}

struct Shelf(Vec<Passage>);

impl Passages for Shelf {
    fn passages<'a>(
        &'a self,
        _: &'a str,
        _: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, PassagesError>> {
        async move { Ok(self.0.clone()) }.boxed_local()
    }
}

#[test]
fn a_statement_of_a_passage_is_cited_by_its_span() {
    let text = "Look: Heat was directed by Michael Mann in 1995.";
    let found =
        answered(&documented(), "A=SearchKG(t=* | h=Heat, r=directed by)", None, &[hit(7, text)]).unwrap();
    assert_eq!((found.text.as_str(), found.from_graph), ("Michael Mann [1]", true));
    let answer = found.answer();
    let c = &answer.citations[0];
    assert_eq!(
        (c.chunk(), c.quote.as_str(), c.status),
        (Some(7), "Heat was directed by Michael Mann", CitationStatus::Verified)
    );
    assert_eq!(&answer.text[c.at.start as usize..c.at.end as usize], "[1]");
    assert_eq!((answer.by, answer.references.len()), (AnswerBy::Graph, 1));
}

#[test]
fn a_span_that_the_chunk_does_not_have_gives_way_to_the_sentence_that_names_the_answer() {
    let found = answered(
        &documented(),
        "A=SearchKG(t=* | h=Heat, r=directed by)",
        None,
        &[hit(7, "It rained. By Michael Mann.")],
    )
    .unwrap();
    assert_eq!(found.citations[0].quote, "By Michael Mann.");
    let found =
        answered(&documented(), "A=SearchKG(t=* | h=Heat, r=directed by)", None, &[hit(7, "No.")]).unwrap();
    assert_eq!(
        (found.citations[0].quote.as_str(), found.citations[0].status),
        ("", CitationStatus::Unsupported)
    );
}

#[test]
fn an_imported_statement_is_cited_by_its_words_and_its_file() {
    let found = answered(&documented(), "A=SearchKG(t=* | h=Heat, r=starred actors)", None, &[]).unwrap();
    let answer = found.answer();
    let c = &answer.citations[0];
    assert_eq!(
        (answer.text.as_str(), c.target, c.title.as_str()),
        ("Al Pacino [1]", Some(CitationTarget::Statement { triple: Some(1) }), "films.tsv, line 3")
    );
    assert_eq!((c.quote.as_str(), answer.references.len()), ("Heat | starred actors | Al Pacino", 0));
    // A chunk that cannot be loaded leaves the statement.
    let found = answered(&documented(), "A=SearchKG(t=* | h=Heat, r=directed by)", None, &[]).unwrap();
    assert_eq!(found.citations[0].title, "the knowledge graph");
}

#[test]
fn each_member_has_the_statements_of_its_own_way_and_a_computed_value_those_of_all() {
    let two = "A=SearchKG(t=film | h=Michael Mann, r=directed by)\nB=SearchKG(t=person | h=A, r=starred)";
    let found = answered(&example(), two, None, &[]).unwrap();
    assert_eq!(found.text, "Al Pacino [1][2], Val Kilmer [1][3], Will Smith [4][5]");
    let found =
        answered(&example(), "A=SearchKG(t=film | h=Michael Mann, r=directed by)\nB=Count(A)", None, &[])
            .unwrap();
    assert_eq!((found.text.as_str(), found.from_graph), ("2 [1][2]", true));
    let dated = "A=SearchKG(t=* | h=<Heat>, r=<release_year>)\nB=SearchKG(t=* | h=<Ali>, \
        r=<release_year>)\nC=Compare(A, B | how=less)";
    assert_eq!(answered(&example(), dated, None, &[]).unwrap().text, "Yes [1][2]");
}

#[test]
fn nothing_found_is_no_answer() {
    assert_eq!(answered(&example(), "A=SearchKG(t=* | h=Heat, r=favourite colour)", None, &[]), None);
}

#[test]
fn what_was_read_is_no_answer_of_the_graph_and_says_so() {
    let text = "The composer of Heat was Elliot Goldenthal.";
    let page = Passage {
        chunk: None,
        title: "Scores".to_owned(),
        url: "https://x".to_owned(),
        text: text.to_owned(),
    };
    let found =
        answered(&example(), "A=SearchKG(t=* | h=Heat, r=composer)", Some(&Shelf(vec![page])), &[]).unwrap();
    assert_eq!((found.text.as_str(), found.from_graph), ("Elliot Goldenthal [1]", false));
    assert_eq!((found.citations[0].quote.as_str(), found.citations[0].url.as_str()), (text, "https://x"));
    assert!(found.warnings[0].message.contains("by their words alone"), "{:?}", found.warnings);
    assert_eq!(found.answer().by, AnswerBy::Extraction);
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let mut b = KgBuilder::default();
    let (mann, directed) = (b.entity("Mann").unwrap(), b.relation("directed").unwrap());
    for i in 0..50 {
        let film = b.entity(&format!("Film {i}")).unwrap();
        b.triple(mann, directed, film, Provenance::Cited("x")).unwrap();
    }
    let found = answered(&b.finish().unwrap(), "A=SearchKG(t=* | h=Mann, r=directed)", None, &[]).unwrap();
    assert!(found.text.ends_with(" and 30 more"), "{}", found.text);
}

#[test]
fn of_a_thing_that_the_plan_names_the_statements_that_lead_to_it_are_reported_in_order() {
    let graph = documented();
    let lines = "A=SearchKG(t=* | h=Michael Mann, r=^<directed_by>)\nB=SearchKG(t=* | h=A, r=starred_actors)\n\
        C=Entity(h=Al Pacino)\nD=Intersect(B, C)";
    let answer =
        answered(&graph, lines, None, &[hit(7, "Films Heat was directed by Michael Mann.")]).unwrap();
    assert_eq!(answer.text, "Heat – directed by – Michael Mann [1]; Heat – starred actors – Al Pacino [2]");
    assert_eq!(answer.citations.len(), 2);
    let unproven = answered(&graph, "A=Entity(h=Al Pacino)\nB=Intersect(A, A)", None, &[]).unwrap();
    assert_eq!(unproven.text, "Al Pacino", "no statement leads to it");
}
