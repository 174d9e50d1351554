#![allow(clippy::unwrap_used)]
//! Each set's form of questions, on a few lines of our own.

use super::SETS;
use pocketgraph::kg::Linker;
use pocketgraph_eval::{PlanRow, PlansReport, Writer, evaluate_plans, graph_for};
use pocketgraph_knowledge::kg::{ImportOptions, KgFiles};
use std::path::PathBuf;

struct Files {
    kg: Option<String>,
    relations: Option<String>,
    types: Option<String>,
    questions: String,
}

fn measured(files: &Files, writer: Writer) -> PlansReport {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &Option<String>| -> Vec<PathBuf> {
        text.iter()
            .map(|text| {
                let path = dir.path().join(name);
                std::fs::write(&path, text).unwrap();
                path
            })
            .collect()
    };
    let kg = KgFiles {
        triples: file("kb.tsv", &files.kg),
        relations: file("r.tsv", &files.relations),
        types: file("t.tsv", &files.types),
        ..KgFiles::default()
    };
    let questions = file("q.jsonl", &Some(files.questions.clone()));
    let graph = graph_for(&questions, SETS, &kg, &ImportOptions::default()).unwrap();
    evaluate_plans(&Linker::new(&graph), &questions, SETS, writer, None, None).unwrap()
}

fn of(kg: &str, questions: &str) -> Files {
    Files { kg: Some(kg.to_owned()), relations: None, types: None, questions: questions.to_owned() }
}

fn row<'r>(report: &'r PlansReport, group: &str) -> &'r PlanRow {
    report.rows.iter().find(|r| r.group == group).unwrap()
}

#[test]
fn a_right_answer_set_is_exact_and_a_wrong_one_is_listed() {
    let files = of(
        "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann\nHeat\tin_language\tEnglish",
        "{\"id\":\"1\",\"question\":\"q\",\"entity\":\"Heat\",\"answers\":[\"Ali\"],\"plan\":\"movie_to_director_to_movie\",\"closed\":true}\n\
         {\"id\":\"2\",\"question\":\"q\",\"entity\":\"Mann\",\"answers\":[\"Ali\"],\"plan\":\"director_to_mo\
         vie\",\"closed\":true}\n\
         {\"id\":\"3\",\"question\":\"q\",\"entity\":\"Ali\",\"answers\":[\"English\"],\"plan\":\"movie_to_la\
         nguage\",\"closed\":false}",
    );
    let report = measured(&files, Writer::Gold);
    let rows: Vec<_> = report.rows.iter().map(|r| (r.group.as_str(), r.questions, r.exact)).collect();
    assert_eq!(rows, [("1 hop, closed", 1, 0), ("1 hop, open", 1, 0), ("2 hops, closed", 1, 1)]);
    let wrong = row(&report, "1 hop, closed");
    assert_eq!((wrong.precision, wrong.recall), (0.5, 1.0), "one of two found, and all that is wanted");
    assert_eq!((report.misses.len(), report.misses[0].wrong.as_slice()), (1, &["Heat".to_owned()][..]));
    assert_eq!(report.misses[0].gold, "Ans1: [Mann] ^directed_by");
}

#[test]
fn betae_structures_execute_exactly() {
    let triples = "1\t10\t2\n1\t10\t3\n4\t11\t3\n3\t12\t5\n2\t12\t6\n7\t11\t9";
    let cases = [
        ("2i", "[[1,[10]],[4,[11]]]", "[3]"),
        ("2in", "[[1,[10]],[4,[11,-2]]]", "[2]"),
        ("ip", "[[[1,[10]],[4,[11]]],[12]]", "[5]"),
        ("inp", "[[[1,[10]],[4,[11,-2]]],[12]]", "[6]"),
        ("2u-DNF", "[[1,[10]],[7,[11]],[-1]]", "[2,3,9]"),
        ("2u-DM", "[[[1,[10,-2]],[7,[11,-2]]],[-2]]", "[2,3,9]"),
        ("up-DM", "[[[1,[10,-2]],[7,[11,-2]]],[-2,12]]", "[5,6]"),
        ("pni", "[[1,[10,12,-2]],[1,[10]]]", "[2,3]"),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(t, q, a)| format!("{{\"id\":\"{t}-0\",\"type\":\"{t}\",\"query\":{q},\"answers\":{a}}}"))
        .collect();
    let report = measured(&of(triples, &lines.join("\n")), Writer::Gold);
    assert_eq!(report.misses, []);
    assert_eq!(report.rows.iter().map(|r| r.exact).sum::<usize>(), cases.len());
}

#[test]
fn synonyms_decide_what_is_planned_and_plans_are_executed() {
    let kg = "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann\nHeat\tstarred\tPacino";
    let questions = "{\"id\":\"1\",\"question\":\"who bossed \
         Heat\",\"entity\":\"Heat\",\"answers\":[\"Mann\"],\"plan\":\"movie_to_director\",\"closed\":true}\n\
         {\"id\":\"2\",\"question\":\"which films share directors with \
         Heat\",\"entity\":\"Heat\",\"answers\":[\"Ali\"],\"plan\":\"movie_to_director_to_movie\",\"closed\":\
         true}\n\
         {\"id\":\"3\",\"question\":\"left \
         out\",\"entity\":\"Heat\",\"answers\":[],\"plan\":\"movie_to_actor\",\"closed\":false}";
    let with = |aliases: &str| Files {
        relations: Some(format!(
            "id\tlabel\taliases\tdomain\trange\ndirected_by\tdirected by\t{aliases}\tmovie\tperson"
        )),
        types: Some("id\tlabel\taliases\nmovie\tmovie\tfilm".to_owned()),
        ..of(kg, questions)
    };
    let report = measured(&with("bossed"), Writer::Rules(0.3));
    let all: Vec<_> = report
        .rows
        .iter()
        .map(|r| (r.group.as_str(), r.questions, r.planned, r.exact, r.hits_1, r.same_path))
        .collect();
    assert_eq!(
        all,
        [("1 hop, closed", 1, 1, 1, 1, 1), ("2 hops, closed", 1, 1, 1, 1, 1)],
        "{:?}",
        report.misses
    );
    let bare = measured(&with(""), Writer::Rules(0.3));
    assert_eq!((row(&bare, "1 hop, closed").planned, bare.misses.len()), (0, 1));
}

const FACTS: &str = "state\tnorth\tborders\tsouth\nstate\tsouth\tborders\tnorth\nstate\tsouth\tborders\teast\nstate\teast\tborders\tsouth\n\
    state\tnorth\tarea\t300.0\nstate\tsouth\tarea\t200.0\nstate\teast\tarea\t100\nstate\tnorth\tcapital\thill\
    \nstate\tsouth\tcapital\tford\n\
    city\thill, north\tpopulation\t200000\ncity\thill, east\tpopulation\t5000\ncity\tford, \
    south\tpopulation\t9000\n\
    city\thill, north\tin_state\tnorth\ncity\thill, east\tin_state\teast\ncity\tford, \
    south\tin_state\tsouth\n\
    river\tlong\ttraverses\tnorth\nriver\tlong\ttraverses\tsouth\nriver\tlong\tlength\t800\nriver\tnorth\ttra\
    verses\teast\nriver\tnorth\tlength\t10\n\
    state\tnorth\thighest_point\tpeak\nstate\tnorth\thighest_elevation\t900\nstate\tsouth\thighest_point\tmou\
    nd\nstate\tsouth\thighest_elevation\t90\n\
    state\tnorth\tpopulation\t7\nstate\tsouth\tpopulation\t8";

fn geoquery(questions: &[(&str, &str, &str)]) -> Files {
    let line = |(i, (question, form, answers)): (usize, &(&str, &str, &str))| {
        format!(
            "{{\"id\":\"g{i}\",\"question\":\"{question}\",\"answers\":{answers},\"sql\":\"SELECT\",\
             \"question_split\":\"dev\",\"entities\":{{}},\"prolog\":\"{}\"}}\n",
            form.replace('\\', "\\\\")
        )
    };
    of(FACTS, &questions.iter().enumerate().map(line).collect::<String>())
}

#[test]
fn the_logical_forms_of_geoquery_execute_over_its_facts() {
    let files = geoquery(&[
        ("plain", "answer(A,(state(A),next_to(A,B),const(B,stateid(north))))", "[\"south\"]"),
        ("largest", "answer(A,(capital(A),loc(A,B),largest(B,state(B))))", "[\"hill\"]"),
        ("by number", "answer(A,largest(B,(state(A),population(A,B))))", "[\"south\"]"),
        ("most", "answer(A,most(A,B,(state(A),next_to(A,B),state(B))))", "[\"south\"]"),
        ("count", "answer(A,count(B,(river(B),loc(B,C),const(C,stateid(north))),A))", "[\"1\"]"),
        ("not", "answer(A,(state(A),\\+ (traverse(B,A),river(B),const(B,riverid(long)))))", "[\"east\"]"),
        (
            "point",
            "answer(A,(elevation(B,A),highest(B,(place(B),loc(B,C),const(C,countryid(usa))))))",
            "[\"900.0\"]",
        ),
        (
            "higher",
            "answer(A,(state(A),loc(B,A),higher(B,C),highest(C,(place(C),loc(C,D),const(D,stateid(sou\
             th))))))",
            "[\"north\"]",
        ),
        ("major", "answer(A,(major(A),city(A)))", "[\"hill\"]"),
        ("homonyms", "answer(A,(loc(B,A),state(A),const(B,cityid(hill,_))))", "[\"north\",\"east\"]"),
        ("sum", "answer(A,sum(B,(population(C,B),state(C)),A))", "[\"15\"]"),
    ]);
    let report = measured(&files, Writer::Gold);
    let wrong: Vec<_> = report.misses.iter().map(|m| (m.question.as_str(), m.plan.as_str())).collect();
    assert_eq!(wrong, [("sum", "none: a sum")]);
    assert_eq!(
        (row(&report, "dev").questions, row(&report, "dev").exact, row(&report, "dev: superlative").exact),
        (11, 10, 4)
    );
}

fn wiki(kind: &str, question: &str, answer: &str, evidence: &str) -> String {
    format!(
        "{{\"id\":\"{question}\",\"type\":\"{kind}\",\"question\":\"{question}\",\"answers\":[\"{answ\
         er}\"],\"gold_titles\":[],\"evidence\":{evidence}}}\n"
    )
}

#[test]
fn questions_with_evidence_are_asked_over_the_graph_of_their_evidence() {
    let born = r#"[["Ada","date of birth","10 December 1815"],["Bo","date of birth","May 3, 1800"]]"#;
    let films = r#"[["Heat","director","Mann"],["Ali","director","Lumet (director)"],["Mann","date of birth","1943"],["Lumet","date of birth","25 June 1924"]]"#;
    let lands = r#"[["Heat","country of origin","American"],["Ali","country of origin","American"]]"#;
    let questions = [
        wiki(
            "compositional",
            "Where did Cy's mother die?",
            "Rome",
            r#"[["Cy","mother","Di of X"],["Di","place of death","Rome"]]"#,
        ),
        wiki("comparison", "Who was born first, Ada or Bo?", "Bo", born),
        wiki("bridge_comparison", "Which film has the director who is older, Heat or Ali?", "Ali", films),
        wiki("comparison", "Are Heat and Ali from the same country?", "yes", lands),
        wiki(
            "comparison",
            "Who lived longer, Ada or Bo?",
            "Ada",
            r#"[["Ada","date of birth","1815"],["Ada","date of death","1852"]]"#,
        ),
    ];
    let files = Files { kg: None, ..of("", &questions.concat()) };
    let report = measured(&files, Writer::Gold);
    let wrong: Vec<_> =
        report.misses.iter().map(|m| (m.question.as_str(), m.plan.as_str(), m.wrong.clone())).collect();
    assert_eq!(
        wrong,
        [("Who lived longer, Ada or Bo?", "none: a difference of two values of one thing", Vec::new())]
    );
    let relations = Some("id\tlabel\taliases\ndate of birth\tdate of birth\tborn\n".to_owned());
    let rules = measured(&Files { relations, ..files }, Writer::Rules(0.0));
    // Who lived longer is not answered with who was born when.
    let missed: Vec<_> = rules.misses.iter().map(|m| (m.question.as_str(), m.sizes)).collect();
    assert_eq!((row(&rules, "all").planned, missed), (4, vec![("Who lived longer, Ada or Bo?", (0, 1))]));
}

#[test]
fn another_planner_s_plans_are_carried_out_and_why_it_has_none_is_reported() {
    let question = |id: u32, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"question\":\"{text}\",\"entity\":\"Mann\",\"answers\":[\"Ali\",\"Hea\
             t\"],\"plan\":\"director_to_movie\",\"closed\":true}}"
        )
    };
    let files = of(
        "Heat\tdirected_by\tMann\nAli\tdirected_by\tMann",
        &[question(1, "films of Mann"), question(2, "what else")].join("\n"),
    );
    let planner = |asked: &str| match asked {
        "films of Mann" => {
            let lines = "Ans1=SearchKG(t=* | h=Mann, r=^<directed_by>)";
            Ok(pocketgraph::plan::rft::parse(lines, &pocketgraph::plan::check::Limits::default())
                .unwrap()
                .plan)
        }
        _ => Err("it does not know".to_owned()),
    };
    let report = measured(&files, Writer::Other(&planner));
    let row = &report.rows[0];
    assert_eq!((row.questions, row.planned, row.exact, row.same_path), (2, 1, 1, 1));
    assert_eq!(report.misses.len(), 1);
    assert_eq!(report.misses[0].plan, "none: it does not know");
}
