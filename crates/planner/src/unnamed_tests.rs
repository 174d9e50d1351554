#![allow(clippy::unwrap_used)]
//! Superlatives, counts and conditions over triples alone: nothing says of what kind anything is, and what is
//! ranked is whatever has the measure. What no relation explains makes the rules silent.

use super::kinds_tests::{Row, all_answered, answered};

/// People and projects of a firm, as a spreadsheet of triples.
const FIRM: &[Row] = &[
    ("Ada Lind", "", "salary", "5200", "number"),
    ("Ben Okoro", "", "salary", "4100", "number"),
    ("Cleo Maris", "", "salary", "6100", "number"),
    ("Dov Harel", "", "salary", "6100", "number"),
    ("Ada Lind", "", "hired_on", "2012-03-01", "date"),
    ("Ben Okoro", "", "hired_on", "2004-09-15", "date"),
    ("Cleo Maris", "", "hired_on", "2019-01-07", "date"),
    ("Ada Lind", "", "works_on", "Apollo", ""),
    ("Ben Okoro", "", "works_on", "Gemini", ""),
    ("Cleo Maris", "", "works_on", "Gemini", ""),
    ("Cleo Maris", "", "manages", "Apollo", ""),
    ("Cleo Maris", "", "manages", "Gemini", ""),
    ("Ada Lind", "", "manages", "Mercury", ""),
    ("Ada Lind", "", "has_skill", "welding", ""),
    ("Ada Lind", "", "has_skill", "statistics", ""),
    ("Ben Okoro", "", "has_skill", "welding", ""),
    ("Apollo", "", "budget", "900000", "number"),
    ("Gemini", "", "budget", "400000", "number"),
    ("Mercury", "", "budget", "650000", "number"),
    ("Hangar 9", "", "located_in", "Berlin", ""),
];

/// Aircraft.
const FLEET: &[Row] = &[
    ("Heron", "", "range", "1800", "number"),
    ("Osprey", "", "range", "950", "number"),
    ("Plover", "", "range", "2400", "number"),
    ("Heron", "", "top_speed", "310", "number"),
    ("Osprey", "", "top_speed", "420", "number"),
    ("Plover", "", "top_speed", "280", "number"),
    ("Heron", "", "based_at", "North Field", ""),
    ("Osprey", "", "based_at", "North Field", ""),
    ("Plover", "", "based_at", "South Field", ""),
    ("Heron", "", "first_flight", "1958", "date"),
    ("Osprey", "", "first_flight", "1971", "date"),
];

/// Barrels in cellars.
const CELLAR: &[Row] = &[
    ("Barrel 1", "", "volume", "220", "number"),
    ("Barrel 2", "", "volume", "500", "number"),
    ("Barrel 3", "", "volume", "500", "number"),
    ("Barrel 1", "", "filled_in", "1998", "date"),
    ("Barrel 2", "", "filled_in", "2003", "date"),
    ("Barrel 3", "", "filled_in", "2011", "date"),
    ("Barrel 1", "", "stored_in", "Long Cellar", ""),
    ("Barrel 2", "", "stored_in", "Deep Cellar", ""),
    ("Barrel 3", "", "stored_in", "Long Cellar", ""),
    ("Barrel 1", "", "depth", "3", "number"),
];

fn typed(rows: &[Row], kinds: &[(&str, &'static str)]) -> Vec<Row> {
    let of = |thing: &str, known: &'static str| {
        kinds.iter().find(|(t, _)| *t == thing).map_or(known, |(_, kind)| kind)
    };
    rows.iter()
        .map(|&(head, h, relation, tail, t)| (head, of(head, h), relation, tail, of(tail, t)))
        .collect()
}

const PEOPLE: [(&str, &str); 4] =
    [("Ada Lind", "person"), ("Ben Okoro", "person"), ("Cleo Maris", "person"), ("Dov Harel", "person")];
const PROJECTS: [(&str, &str); 3] = [("Apollo", "project"), ("Gemini", "project"), ("Mercury", "project")];

#[test]
fn what_has_the_measure_is_ranked_whatever_it_is() {
    all_answered(
        FIRM,
        &[
            ("Who has the highest salary?", &["Cleo Maris", "Dov Harel"]),
            ("Who has the lowest salary?", &["Ben Okoro"]),
            ("Whose salary is the highest?", &["Cleo Maris", "Dov Harel"]),
            ("What has the largest budget?", &["Apollo"]),
            ("Which has the smallest budget?", &["Gemini"]),
            ("Who was hired earliest?", &["Ben Okoro"]),
        ],
    );
    all_answered(
        FLEET,
        &[
            ("What has the longest range?", &["Plover"]),
            ("Which has the shortest range?", &["Osprey"]),
            ("What has the highest top speed?", &["Osprey"]),
            ("What is the fastest?", &["Osprey"]),
        ],
    );
    all_answered(
        CELLAR,
        &[
            ("What has the largest volume?", &["Barrel 2", "Barrel 3"]),
            ("Which was filled latest?", &["Barrel 3"]),
        ],
    );
}

#[test]
fn where_the_measure_itself_is_asked_for_its_value_is_found() {
    all_answered(
        FIRM,
        &[
            ("What is the highest salary?", &["6100"]),
            ("Which salary is the lowest?", &["4100"]),
            ("What is the largest budget?", &["900000"]),
        ],
    );
    all_answered(FLEET, &[("What is the longest range?", &["2400"])]);
}

#[test]
fn among_what_a_named_thing_leads_to_those_are_ranked_that_have_the_measure() {
    all_answered(FIRM, &[("Who has the highest salary of those who work on Gemini?", &["Cleo Maris"])]);
    all_answered(FLEET, &[("Which of those based at North Field has the longest range?", &["Heron"])]);
    all_answered(CELLAR, &[("Which of those stored in Long Cellar has the largest volume?", &["Barrel 3"])]);
}

#[test]
fn a_word_that_no_relation_and_no_kind_explains_leaves_the_question_to_the_passages() {
    for question in [
        "Who has the highest blood pressure?",
        "Who has the highest salary in Lisbon?",
        "Who has the highest salary in Berlin?",
        "Who has the highest starting salary?",
        "Which engineer has the highest salary?",
        "Who has the highest?",
        "Who is the tallest?",
        "Which project has the largest budget?",
        "Which of the closed projects has the largest budget?",
        "Who earned the highest salary in 2010?",
        "When is the highest salary?",
    ] {
        assert_eq!(answered(FIRM, question), None, "{question}");
    }
    for question in [
        "Which glider has the longest range?",
        "What has the longest wingspan?",
        "Who is the fastest?",
        "What has the longest range in winter?",
    ] {
        assert_eq!(answered(FLEET, question), None, "{question}");
    }
    for question in [
        "What has the largest diameter?",
        "Which oak barrel has the largest volume?",
        "What is the heaviest?",
    ] {
        assert_eq!(answered(CELLAR, question), None, "{question}");
    }
}

#[test]
fn a_kind_that_the_graph_knows_says_which_of_them_are_ranked() {
    let firm = typed(FIRM, &[PEOPLE.as_slice(), &PROJECTS].concat());
    all_answered(
        &firm,
        &[
            ("Who has the highest salary?", &["Cleo Maris", "Dov Harel"]),
            ("Which project has the largest budget?", &["Apollo"]),
            ("Which person has the lowest salary?", &["Ben Okoro"]),
            ("Who manages the most projects?", &["Cleo Maris"]),
        ],
    );
    // Who is asked for is no project, and no person has a budget.
    assert_eq!(answered(&firm, "Who has the largest budget?"), None);
    // Where others have the measure as well, only persons are asked for.
    let desks: Vec<Row> = vec![("Desk 4", "machine", "salary", "9999", "number")];
    all_answered(
        &[firm, desks].concat(),
        &[
            ("Who has the highest salary?", &["Cleo Maris", "Dov Harel"]),
            ("What has the highest salary?", &["Desk 4"]),
        ],
    );
}

#[test]
fn most_of_what_a_relation_is_called_after_counts_what_it_leads_to() {
    all_answered(FIRM, &[("Who has the most skills?", &["Ada Lind"])]);
    // The fewest may be none at all, and nothing tells who could have some.
    assert_eq!(answered(FIRM, "Who has the fewest skills?"), None);
    let modules: &[Row] = &[
        ("zetalog", "", "depends_on", "quorlib", ""),
        ("zetalog", "", "depends_on", "mirtex", ""),
        ("quorlib", "", "depends_on", "pluvio", ""),
        ("mirtex", "", "depends_on", "pluvio", ""),
        ("luneta", "", "depends_on", "pluvio", ""),
    ];
    all_answered(modules, &[("What has the most dependencies?", &["zetalog"])]);
}

#[test]
fn conditions_on_a_measure_hold_for_whatever_has_it() {
    all_answered(
        FIRM,
        &[
            ("Who has a salary of more than 5000?", &["Ada Lind", "Cleo Maris", "Dov Harel"]),
            ("Who has a salary above 6000?", &["Cleo Maris", "Dov Harel"]),
            ("What has a budget under 500,000?", &["Gemini"]),
            ("Who was hired after 2010?", &["Ada Lind", "Cleo Maris"]),
        ],
    );
    all_answered(FLEET, &[("What has a range of more than 1000?", &["Heron", "Plover"])]);
    let firm = typed(FIRM, &PEOPLE);
    all_answered(&firm, &[("How many people have a salary above 5000?", &["3"])]);
    for question in [
        "Who has a pension of more than 5000?",
        "Which engineers have a salary above 6000?",
        "Who has a salary above 6000 in Berlin?",
    ] {
        assert_eq!(answered(FIRM, question), None, "{question}");
    }
}
