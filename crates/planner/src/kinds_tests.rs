#![allow(clippy::unwrap_used)]
//! The kinds of questions that readers ask, over made-up graphs of unlike domains: what is left out by name,
//! neither and both, yes or no, and comparisons.

use super::*;
use crate::kg::{KgBuilder, KnowledgeGraph, Linker, LiteralKind, Provenance};
use crate::plan::execute::{Executor, Limits, Resources};
use futures::FutureExt;

/// Head, its type, relation, tail, its type: `number` and `date` are values, an empty type is none.
pub(super) type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const PLAYS: &[Row] = &[
    ("Ash Lane", "play", "directed_by", "Mara Stone", "person"),
    ("Blue Hour", "play", "directed_by", "Mara Stone", "person"),
    ("Cold Ford", "play", "directed_by", "Ivo Brandt", "person"),
    ("Ash Lane", "play", "performed_by", "Lena Ortiz", "person"),
    ("Ash Lane", "play", "performed_by", "Tom Keller", "person"),
    ("Blue Hour", "play", "performed_by", "Tom Keller", "person"),
    ("Cold Ford", "play", "performed_by", "Nora Vale", "person"),
    ("Ash Lane", "play", "length", "90", "number"),
    ("Blue Hour", "play", "length", "120", "number"),
    ("Cold Ford", "play", "length", "75", "number"),
];

const MODULES: &[Row] = &[
    ("zetalog", "", "depends_on", "quorlib", ""),
    ("zetalog", "", "depends_on", "mirtex", ""),
    ("zetalog", "", "depends_on", "pluvio", ""),
    ("quorlib", "", "depends_on", "pluvio", ""),
    ("mirtex", "", "depends_on", "pluvio", ""),
    ("zetalog", "", "licence", "MIT", ""),
    ("quorlib", "", "licence", "MIT", ""),
    ("mirtex", "", "licence", "Zlib", ""),
    ("zetalog", "", "maintainer", "Gita Rao", ""),
    ("quorlib", "", "maintainer", "Sven Holt", ""),
];

const STAFF: &[Row] = &[
    ("Uwe Hartig", "person", "mentors", "Rita Moss", "person"),
    ("Rita Moss", "person", "mentors", "Pavel Orlik", "person"),
    ("Uwe Hartig", "person", "works_in", "Dispatch", "department"),
    ("Rita Moss", "person", "works_in", "Dispatch", "department"),
    ("Pavel Orlik", "person", "works_in", "Repairs", "department"),
    ("Helga Finch", "person", "works_in", "Archive", "department"),
    ("Uwe Hartig", "person", "hired_on", "2001-05-01", "date"),
    ("Rita Moss", "person", "hired_on", "2009-02-01", "date"),
    ("Pavel Orlik", "person", "father", "Emil Orlik", "person"),
    ("Emil Orlik", "person", "father", "Bruno Orlik", "person"),
    ("Uwe Hartig", "person", "salary", "52000", "number"),
    ("Rita Moss", "person", "salary", "61000", "number"),
];

const PAINTINGS: &[Row] = &[
    ("Dawn Study", "painting", "painted_by", "Olga Reim", "painter"),
    ("Noon Hour", "painting", "painted_by", "Hugo Vance", "painter"),
    ("Red Sky", "painting", "painted_by", "Hugo Vance", "painter"),
    ("Dawn Study", "painting", "shows", "orchards", "subject"),
    ("Dawn Study", "painting", "shows", "windmills", "subject"),
    ("Noon Hour", "painting", "shows", "orchards", "subject"),
    ("Noon Hour", "painting", "shows", "windmills", "subject"),
    ("Red Sky", "painting", "shows", "harbours", "subject"),
];
const BOATS: &[Row] = &[
    ("Gannet", "boat", "carries", "salt", "cargo"),
    ("Gannet", "boat", "carries", "wool", "cargo"),
    ("Merrow", "boat", "carries", "salt", "cargo"),
    ("Merrow", "boat", "carries", "wool", "cargo"),
    ("Sula", "boat", "carries", "salt", "cargo"),
    ("Sula", "boat", "carries", "tin", "cargo"),
    ("Tern", "boat", "carries", "tin", "cargo"),
    ("Gannet", "boat", "built_by", "Amos Reed", "shipwright"),
    ("Merrow", "boat", "built_by", "Bel Torr", "shipwright"),
    ("Sula", "boat", "built_by", "Bel Torr", "shipwright"),
    ("Tern", "boat", "built_by", "Cato Finn", "shipwright"),
];

fn graph(rows: &[Row]) -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    for (line, (head, head_type, relation, tail, tail_type)) in (1..).zip(rows.iter().copied()) {
        let (head, relation) = (b.entity(head).unwrap(), b.relation(relation).unwrap());
        let tail = match tail_type {
            "number" => b.literal(tail, LiteralKind::Number, "", "").unwrap(),
            "date" => b.literal(tail, LiteralKind::Date, "", "").unwrap(),
            _ => b.entity(tail).unwrap(),
        };
        for (node, of) in [(head, head_type), (tail, tail_type)] {
            if !matches!(of, "" | "number" | "date") {
                let of = b.entity_type(of).unwrap();
                b.entity_has_type(node, of).unwrap();
            }
        }
        b.triple(head, relation, tail, Provenance::Line { file: "rows", line }).unwrap();
    }
    b.finish().unwrap()
}

/// What is answered: labels in order, `true` or `false`; `None` where nothing is planned.
pub(super) fn answered(rows: &[Row], question: &str) -> Option<Vec<String>> {
    let graph = graph(rows);
    let linker = Linker::new(&graph);
    let plan = RulesPlanner::new(&linker).planned(question).ok()?.plan;
    let done = Executor::new(Some(&linker))
        .execute(&plan, Resources::default(), Limits::default())
        .now_or_never()
        .unwrap()
        .unwrap();
    let mut all: Vec<String> = done.answer().members.iter().map(|m| m.item.label(Some(&graph))).collect();
    all.sort();
    Some(all)
}

pub(super) fn all_answered(rows: &[Row], questions: &[(&str, &[&str])]) {
    let wrong: Vec<_> = questions
        .iter()
        .map(|(q, expected)| (*q, answered(rows, q), expected))
        .filter(|(_, found, expected)| found.as_ref().is_none_or(|f| f != *expected))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_main_set_is_what_is_joined_without_what_is_taken_away() {
    all_answered(
        BOATS,
        &[
            ("Boats with salt and wool but not built by Amos Reed", &["Merrow"]),
            ("Which boats with salt and wool aren't built by Amos Reed?", &["Merrow"]),
            ("Which boats carry salt as well as wool but were never built by Amos Reed?", &["Merrow"]),
            ("Which boats not built by Amos Reed carry salt and wool?", &["Merrow"]),
            ("Which boats built by Bel Torr carry salt but not wool?", &["Sula"]),
            ("Which boats carry salt apart from those built by Bel Torr?", &["Gannet"]),
            ("Which boats carry wool or tin but not salt?", &["Tern"]),
            ("Which boats carry wool or tin and were built by Bel Torr?", &["Merrow", "Sula"]),
            ("Which boats were built by Bel Torr or Cato Finn and carry tin?", &["Sula", "Tern"]),
            ("Which cargo does Gannet carry that Sula does not?", &["wool"]),
            ("Who built boats that carry salt but not tin?", &["Amos Reed", "Bel Torr"]),
            ("Which boats do not carry salt or wool?", &["Tern"]),
        ],
    );
    // What else they carry is part of the question, and of no plan.
    assert_eq!(answered(BOATS, "Which boats carry only salt and wool?"), None);
}

#[test]
fn a_set_is_of_the_kind_asked_for_though_its_word_is_akin_to_a_relation() {
    all_answered(
        PAINTINGS,
        &[
            ("Which paintings show orchards and windmills but are not painted by Olga Reim?", &["Noon Hour"]),
            ("Which paintings painted by Hugo Vance do not show harbours?", &["Noon Hour"]),
            ("Which paintings show orchards, excluding those painted by Olga Reim?", &["Noon Hour"]),
            ("Which paintings are painted by Hugo Vance and show harbours?", &["Red Sky"]),
        ],
    );
}

#[test]
fn what_is_left_out_by_name_is_taken_from_what_the_rest_finds() {
    all_answered(
        PLAYS,
        &[
            ("Which plays did Mara Stone direct besides Ash Lane?", &["Blue Hour"]),
            ("Which other plays than Ash Lane did Mara Stone direct?", &["Blue Hour"]),
            ("Apart from Ash Lane, which plays did Tom Keller perform?", &["Blue Hour"]),
            ("How many plays did Mara Stone direct apart from the play Ash Lane?", &["1"]),
        ],
    );
    all_answered(
        MODULES,
        &[
            ("What does zetalog depend on other than mirtex?", &["pluvio", "quorlib"]),
            ("What does zetalog depend on except mirtex and quorlib?", &["pluvio"]),
        ],
    );
    // A thing of a kind among others without any is left out as well.
    let tagged = [MODULES, &[("quorlib", "", "keyword", "mirtex", "keyword")]].concat();
    all_answered(&tagged, &[("What does zetalog depend on besides mirtex?", &["pluvio", "quorlib"])]);
    all_answered(STAFF, &[("Who works in Dispatch besides Rita Moss?", &["Uwe Hartig"])]);
}

#[test]
fn what_would_not_be_there_anyhow_is_not_left_out() {
    assert_eq!(answered(PLAYS, "Which plays did Mara Stone direct besides Cold Ford?"), None);
}

#[test]
fn that_a_thing_has_none_is_an_answer_where_nearly_all_of_its_kind_have_some() {
    let names = ["Alba", "Brix", "Cork", "Dorn", "Elst", "Fano", "Gent", "Hove", "Iver", "Jena"];
    let located = |name| (name, "town", "lies_in", "Vale", "region");
    let with_a_river = |n: usize| -> Vec<Row> {
        names
            .iter()
            .map(|t| located(*t))
            .chain(names[..n].iter().map(|t| (*t, "town", "river", "Rill", "stream")))
            .collect()
    };
    let found = |n: usize| answered(&with_a_river(n), "Which river does Jena have?");
    assert_eq!(
        (found(10).as_deref(), found(9), found(8)),
        (Some(&["Rill".to_owned()][..]), Some(Vec::new()), None)
    );
}

#[test]
fn neither_is_all_of_the_kind_but_what_either_finds() {
    all_answered(
        PLAYS,
        &[
            ("Which plays were performed by neither Tom Keller nor Nora Vale?", &[]),
            ("Which plays were directed by neither Ivo Brandt nor Lena Ortiz?", &["Ash Lane", "Blue Hour"]),
            ("Which plays were performed by both Lena Ortiz and Tom Keller?", &["Ash Lane"]),
            ("Which plays were performed by either Lena Ortiz or Nora Vale?", &["Ash Lane", "Cold Ford"]),
        ],
    );
    all_answered(STAFF, &[("Who works in neither Dispatch nor Archive?", &["Pavel Orlik"])]);
}

#[test]
fn a_bare_preposition_is_the_only_relation_between_a_thing_and_what_is_asked_for() {
    all_answered(
        PLAYS,
        &[
            ("Which plays by Mara Stone with Lena Ortiz are there?", &["Ash Lane"]),
            ("List the plays by Mara Stone with Tom Keller.", &["Ash Lane", "Blue Hour"]),
        ],
    );
}

#[test]
fn a_statement_is_true_or_false_by_what_is_known_of_the_first_thing() {
    all_answered(
        PLAYS,
        &[
            ("Did Mara Stone direct Ash Lane?", &["true"]),
            ("Did Mara Stone direct Cold Ford?", &["false"]),
            ("Was Cold Ford directed by Ivo Brandt?", &["true"]),
            ("Is Mara Stone the director of Blue Hour?", &["true"]),
            ("Is Ivo Brandt the director of Blue Hour?", &["false"]),
        ],
    );
    all_answered(
        MODULES,
        &[
            ("Does zetalog depend on mirtex?", &["true"]),
            ("Does mirtex depend on quorlib?", &["false"]),
            ("Is Gita Rao the maintainer of zetalog?", &["true"]),
            ("Do zetalog and quorlib have the same licence?", &["true"]),
            ("Do zetalog and mirtex have the same licence?", &["false"]),
        ],
    );
    all_answered(
        STAFF,
        &[("Does Rita Moss work in Dispatch?", &["true"]), ("Does Rita Moss work in Repairs?", &["false"])],
    );
}

#[test]
fn between_things_of_one_kind_a_statement_goes_the_way_its_verb_or_owner_says() {
    all_answered(
        STAFF,
        &[
            ("Does Uwe Hartig mentor Rita Moss?", &["true"]),
            ("Does Rita Moss mentor Uwe Hartig?", &["false"]),
            ("Is Rita Moss mentored by Uwe Hartig?", &["true"]),
            ("Is Emil Orlik the father of Pavel Orlik?", &["true"]),
            ("Is Bruno Orlik the father of Pavel Orlik?", &["false"]),
        ],
    );
}

#[test]
fn a_statement_of_which_the_graph_knows_nothing_is_neither_true_nor_false() {
    for question in [
        "Does pluvio depend on mirtex?",
        "Is Gita Rao the maintainer of mirtex?",
        "Is Helga Finch the mentor of Pavel Orlik?",
        "Did Mara Stone marry Ivo Brandt?",
        "Didn't Mara Stone direct Cold Ford?",
        "Did Mara Stone rewrite Ash Lane?",
        "Does zetalog still depend on mirtex in 2020?",
    ] {
        for rows in [PLAYS, MODULES, STAFF] {
            assert_eq!(answered(rows, question), None, "{question}");
        }
    }
}

#[test]
fn what_is_compared_is_what_was_asked_for() {
    all_answered(
        STAFF,
        &[
            ("Who was hired first, Uwe Hartig or Rita Moss?", &["Uwe Hartig"]),
            ("Was Uwe Hartig or Rita Moss hired first?", &["Uwe Hartig"]),
            ("Who has the higher salary, Uwe Hartig or Rita Moss?", &["Rita Moss"]),
            ("Is the salary of Uwe Hartig higher than the salary of Rita Moss?", &["false"]),
            ("Does Rita Moss have a higher salary than Uwe Hartig?", &["true"]),
        ],
    );
    all_answered(
        PLAYS,
        &[
            ("Which play is longer, Ash Lane or Blue Hour?", &["Blue Hour"]),
            ("Is Ash Lane longer than Cold Ford?", &["true"]),
        ],
    );
    assert_eq!(answered(STAFF, "Who was born first, Uwe Hartig or Rita Moss?"), None);
}

const HIVES: &[Row] = &[
    ("Alder Row", "hive", "population", "900", "number"),
    ("Birch Row", "hive", "population", "700", "number"),
    ("Cedar Row", "hive", "population", "800", "number"),
    ("Alder Row", "hive", "density", "3", "number"),
    ("Birch Row", "hive", "density", "9", "number"),
    ("Cedar Row", "hive", "density", "2", "number"),
];

#[test]
fn an_adverb_ranks_by_what_its_adjective_measures() {
    all_answered(
        HIVES,
        &[
            ("Which hive is the most populated?", &["Alder Row"]),
            ("What is the most densely populated hive?", &["Birch Row"]),
            ("What is the most sparsely populated hive?", &["Cedar Row"]),
            ("What is the least densely populated hive?", &["Cedar Row"]),
        ],
    );
}

#[test]
fn what_a_thing_itself_has_may_be_asked_of_it_whatever_its_kind_has() {
    let mut rows: Vec<Row> = vec![
        ("quorlib", "", "licence", "Zlib", "licence"),
        ("zetalog", "module", "keyword", "quorlib", "keyword"),
    ];
    let modules = [
        "zetalog", "mirtex", "pluvio", "ostrava", "kelvane", "birgo", "luneta", "fardel", "wexel", "tarnic",
        "ulmeko",
    ];
    rows.extend(modules.map(|name| (name, "module", "licence", "MIT", "licence")));
    all_answered(&rows, &[("What is the licence of quorlib?", &["Zlib"])]);
}

#[test]
fn what_a_thing_lacks_is_not_looked_for_at_another_that_no_word_names() {
    assert_eq!(answered(MODULES, "Who is the maintainer of mirtex?"), None);
    all_answered(MODULES, &[("Who is the maintainer of quorlib?", &["Sven Holt"])]);
    // The preposition speaks of what is located in a town.
    let towns: &[Row] = &[
        ("Dispatch", "department", "located_in", "Tarn", "town"),
        ("Archive", "department", "located_in", "Wick", "town"),
    ];
    all_answered(&[STAFF, towns].concat(), &[("Who works in Tarn?", &["Rita Moss", "Uwe Hartig"])]);
}

/// Pots that somebody threw or glazed, and of what they are; no kinds are declared.
const POTS: &[Row] = &[
    ("Heron", "", "thrown_by", "Ida Voss", ""),
    ("Kestrel", "", "thrown_by", "Ida Voss", ""),
    ("Kestrel", "", "glazed_by", "Ida Voss", ""),
    ("Merlin", "", "glazed_by", "Ida Voss", ""),
    ("Merlin", "", "thrown_by", "Olaf Grau", ""),
    ("Heron", "", "made_of", "Stoneware", ""),
    ("Kestrel", "", "made_of", "Porcelain", ""),
    ("Merlin", "", "made_of", "Stoneware", ""),
    ("Heron", "", "fired_in", "1999", ""),
    ("Kestrel", "", "fired_in", "2004", ""),
];

#[test]
fn a_value_of_the_graph_is_no_kind_of_what_is_asked_for() {
    assert_eq!(
        answered(POTS, "Which pots were thrown by Ida Voss?").as_deref(),
        Some(&["Heron".to_owned(), "Kestrel".to_owned()][..])
    );
    for question in [
        "Which stoneware pots were thrown by Ida Voss?",
        "Which stonewares were thrown by Ida Voss?",
        "Which of the pots from 1999 were thrown by Ida Voss?",
        "Which blue pieces were thrown by Ida Voss?",
    ] {
        let found = answered(POTS, question);
        assert!(found.as_ref().is_none_or(|found| found == &["Heron"]), "{question}: {found:?}");
    }
}

#[test]
fn what_a_thing_is_to_have_is_no_kind_of_what_else_it_leads_to() {
    let parts: &[Row] = &[
        ("Pump", "", "depends_on", "Valve", ""),
        ("Pump", "", "depends_on", "Motor", ""),
        ("Valve", "", "depends_on", "Seal", ""),
        ("Motor", "", "headed_by", "Ada Lind", ""),
    ];
    assert_eq!(
        answered(parts, "Which parts does the Pump depend on?"),
        Some(vec!["Motor".to_owned(), "Valve".to_owned()])
    );
    assert_eq!(answered(parts, "Which licences do the dependencies of the Pump have?"), None);
    assert_eq!(answered(parts, "How many visitors does the Pump have?"), None);
    assert_eq!(answered(parts, "In which city is the Motor?"), None);
}

#[test]
fn where_several_relations_lead_to_such_things_one_that_no_word_names_is_not_taken() {
    let by = |relation: &str| if relation.ends_with("_by") { "person" } else { "" };
    let typed: Vec<Row> =
        POTS.iter().map(|&(pot, _, relation, tail, _)| (pot, "pot", relation, tail, by(relation))).collect();
    all_answered(
        &typed,
        &[
            ("Which pots did Ida Voss glaze?", &["Kestrel", "Merlin"]),
            ("Which pots are of Olaf Grau?", &["Merlin"]),
        ],
    );
    for question in [
        "Which pots are of Ida Voss?",
        "Which pots are with Ida Voss?",
        "Which pots are of Ida Voss but not of Olaf Grau?",
    ] {
        assert_eq!(answered(&typed, question), None, "{question}");
    }
}

#[test]
fn a_question_for_the_most_or_more_is_not_answered_by_all() {
    for question in ["Who threw the most pots?", "Which of Heron and Kestrel was fired more?"] {
        let found = answered(POTS, question);
        assert!(found.as_ref().is_none_or(|found| found == &["Ida Voss"]), "{question}: {found:?}");
    }
    let found = answered(PLAYS, "Which of Ash Lane and Cold Ford has more performers?");
    assert!(found.as_ref().is_none_or(|found| found == &["Ash Lane"]), "{found:?}");
    all_answered(PLAYS, &[("Which play is the longest?", &["Blue Hour"])]);
}

#[test]
fn what_is_of_the_same_is_not_what_that_is() {
    let found = answered(STAFF, "Who works in the same department as Uwe Hartig?");
    assert!(found.as_ref().is_none_or(|found| !found.contains(&"Dispatch".to_owned())), "{found:?}");
    let found = answered(MODULES, "Which modules have the same licence as zetalog?");
    assert!(found.as_ref().is_none_or(|found| !found.contains(&"MIT".to_owned())), "{found:?}");
}

const LABELS: &[Row] = &[
    ("Tidewater", "small record label", "country", "Norland", "state"),
    ("Graphite", "small record label", "country", "Sudmark", "state"),
    ("Harbour Song", "song", "issued_by", "Tidewater", "small record label"),
    ("Ember Song", "song", "issued_by", "Graphite", "small record label"),
    ("Harbour Song", "song", "written_by", "Ida Falk", "person"),
    ("Ember Song", "song", "written_by", "Olaf Wren", "person"),
    ("Falkby", "town of Norland", "country", "Norland", "state"),
];

#[test]
fn a_kind_of_several_words_is_named_by_them_and_by_the_noun_before_a_preposition() {
    all_answered(
        LABELS,
        &[
            ("Which small record label issued Ember Song?", &["Graphite"]),
            ("Who wrote the song issued by the small record label Tidewater?", &["Ida Falk"]),
            ("Which town has the country Norland?", &["Falkby"]),
            ("Which small record labels have the country Norland?", &["Tidewater"]),
        ],
    );
}

#[test]
fn a_clause_that_begins_with_where_asks_for_no_place() {
    all_answered(LABELS, &[("Give me the song where Ida Falk is the writer.", &["Harbour Song"])]);
}

#[test]
fn no_plan_takes_things_of_one_kind_from_things_of_another() {
    let graph = graph(LABELS);
    let linker = Linker::new(&graph);
    let plan =
        |steps: &str| crate::plan::rft::parse(steps, &crate::plan::check::Limits::default()).unwrap().plan;
    let question = "Which songs were written by Ida Falk but not issued by Tidewater?";
    let apart = "Ans1=SearchKG(t=* | h=<Ida Falk>, r=^<written_by>)\nAns2=SearchKG(t=* | h=<Tidewater>, \
        r=^<issued_by>)\nAns3=Negation(Ans1, Ans2)";
    assert_eq!(account(&linker, question, &plan(apart), Evidence::Words), Ok(()));
    let unlike = format!("{apart}\nAns4=SearchKG(t=* | h=Ans2, r=<issued_by>)\nAns5=Negation(Ans1, Ans4)");
    let found = account(&linker, question, &plan(&unlike), Evidence::Words);
    assert_eq!(found, Err(PlannerError::NotAsked("it puts things of different kinds side by side")));
}
