#![allow(clippy::unwrap_used)]
//! What changes nothing about a question changes nothing about its plan: a polite frame, case, punctuation,
//! contractions, British or American spelling, the order of a list, and other names for every entity, type
//! and relation.

use super::*;
use crate::kg::{KgBuilder, KnowledgeGraph, Linker, Provenance};
use crate::plan::Operation;

/// One world in words of its own: things that people make and appear in.
struct Domain {
    thing: &'static str,
    kind: &'static str,
    /// A relation from things to people: its name, its verb in the past, and as a participle in front of
    /// "by".
    made: (&'static str, &'static str, &'static str),
    /// Another from things to people.
    held: (&'static str, &'static str),
    of_kind: &'static str,
    things: [&'static str; 4],
    people: [&'static str; 4],
    kinds: [&'static str; 2],
}

const DOMAINS: [Domain; 5] = [
    Domain {
        thing: "film",
        kind: "genre",
        made: ("directed_by", "directed", "direct"),
        held: ("written_by", "wrote"),
        of_kind: "has_genre",
        things: ["Night Harbour", "Red Meadow", "Glass Tower", "Silver Thread"],
        people: ["Mara Stone", "Ivo Brandt", "Lena Ortiz", "Tom Keller"],
        kinds: ["Drama", "Comedy"],
    },
    Domain {
        thing: "bridge",
        kind: "material",
        made: ("designed_by", "designed", "design"),
        held: ("painted_by", "painted"),
        of_kind: "has_material",
        things: ["Old Crossing", "Mill Span", "North Arch", "Ferry Gate"],
        people: ["Ada Quill", "Bo Lindgren", "Cyrus Vane", "Dora Finch"],
        kinds: ["Granite", "Timber"],
    },
    Domain {
        thing: "vaccine",
        kind: "method",
        made: ("developed_by", "developed", "develop"),
        held: ("tested_by", "tested"),
        of_kind: "has_method",
        things: ["Alvoran", "Bextime", "Corvadel", "Dunoxin"],
        people: ["Helga Moss", "Pavel Orlik", "Rita Sandoval", "Uwe Hartig"],
        kinds: ["Injection", "Inhaling"],
    },
    Domain {
        thing: "festival",
        kind: "colour",
        made: ("organised_by", "organised", "organise"),
        held: ("catalogued_by", "catalogued"),
        of_kind: "has_colour",
        things: ["Lantern Week", "Harvest Row", "Frost Parade", "Tidal Days"],
        people: ["Nora Vale", "Emil Karsten", "Gita Rao", "Sven Holt"],
        kinds: ["Crimson", "Teal"],
    },
    Domain {
        thing: "engine",
        kind: "programme",
        made: ("driven_by", "drove", "drive"),
        held: ("modelled_by", "modelled"),
        of_kind: "has_programme",
        things: ["Kestrel Nine", "Heron Two", "Osprey Four", "Plover Six"],
        people: ["Otto Lindqvist", "Mina Farrow", "Ada Brook", "Jon Hale"],
        kinds: ["Freight", "Express"],
    },
];

fn graph(of: &Domain) -> KnowledgeGraph {
    let mut b = KgBuilder::default();
    let (thing, person, kind) =
        (b.entity_type(of.thing).unwrap(), b.entity_type("person").unwrap(), b.entity_type(of.kind).unwrap());
    let [a, c, d, e] = of.people;
    let rows = [
        (0, of.made.0, a, person),
        (1, of.made.0, a, person),
        (2, of.made.0, c, person),
        (3, of.made.0, d, person),
        (0, of.held.0, c, person),
        (1, of.held.0, e, person),
        (2, of.held.0, c, person),
        (3, of.held.0, e, person),
        (0, of.of_kind, of.kinds[0], kind),
        (1, of.of_kind, of.kinds[1], kind),
        (2, of.of_kind, of.kinds[0], kind),
        (3, of.of_kind, of.kinds[1], kind),
    ];
    for (line, (head, relation, tail, class)) in (1..).zip(rows) {
        let (head, tail, relation) =
            (b.entity(of.things[head]).unwrap(), b.entity(tail).unwrap(), b.relation(relation).unwrap());
        b.entity_has_type(head, thing).unwrap();
        b.entity_has_type(tail, class).unwrap();
        b.triple(head, relation, tail, Provenance::Line { file: "rows", line }).unwrap();
    }
    b.finish().unwrap()
}

/// Questions of a domain, each with the same question whose list is in another order.
fn questions(of: &Domain) -> Vec<[String; 2]> {
    let Domain { thing, kind, made: (_, did, does), held: (_, held), things, people, .. } = of;
    let once = |q: String| [q.clone(), q];
    vec![
        once(format!("who {did} {}", things[0])),
        once(format!("which {thing}s were {did} by {}", people[0])),
        once(format!("how many {thing}s did {} {does}", people[0])),
        once(format!("who {held} {thing}s {did} by {}", people[0])),
        once(format!("what is the {kind} of {}", things[1])),
        [
            format!("which {thing}s were {did} by {} or {}", people[1], people[2]),
            format!("which {thing}s were {did} by {} or {}", people[2], people[1]),
        ],
        [
            format!("which {thing}s were {did} by either {} or {}", people[0], people[1]),
            format!("which {thing}s were {did} by either {} or {}", people[1], people[0]),
        ],
        once(format!("which {kind} do {thing}s {did} by {} have", people[0])),
        once(format!("list the {thing}s that {} {did}", people[1])),
    ]
}

/// The same question in American spelling, if it has a word that is spelt otherwise in Britain.
fn american(question: &str) -> Option<String> {
    const SPELT: [(&str, &str); 5] = [
        ("colour", "color"),
        ("organis", "organiz"),
        ("catalogued", "cataloged"),
        ("modelled", "modeled"),
        ("programme", "program"),
    ];
    let other = SPELT.iter().fold(question.to_owned(), |q, (british, other)| q.replace(british, other));
    (other != question).then_some(other)
}

/// The same question in other dress.
fn variants(question: &str) -> Vec<String> {
    let capital = question[..1].to_uppercase() + &question[1..];
    let mut all = vec![
        format!("{question}?"),
        format!("{capital}?"),
        format!("{capital}."),
        format!("{capital} ?"),
        format!("{capital}??"),
        format!("  {question}  "),
        question.to_lowercase(),
        format!("{}?", question.to_lowercase()),
        format!("“{capital}?”"),
    ];
    for frame in [
        "please tell me",
        "Please tell me",
        "kindly tell me",
        "tell me,",
        "can you tell me",
        "Could you tell me",
        "would you please tell me",
        "do you know",
        "I would like to know",
        "I'd like to know",
        "I want to know",
        "I wonder",
        "hello,",
        "Hi!",
        "quick question:",
        "just curious,",
        "let me know",
    ] {
        all.push(format!("{frame} {question}?"));
    }
    if let Some(other) = american(question) {
        all.push(format!("{other}?"));
        all.push(format!("could you tell me {other}?"));
        all.push(other);
    }
    all.push(format!("{capital}, please?"));
    all.push(format!("{capital}? Thanks!"));
    if question.contains("what is") {
        all.push(question.replace("what is", "what's"));
        all.push(question.replace("what is", "What’s"));
    }
    all
}

/// What a plan does, whatever its things and relations are called; and what it finds.
fn planned(linker: &Linker, question: &str) -> Option<(Vec<String>, Vec<String>)> {
    let found = RulesPlanner::new(linker).planned(question).ok()?;
    let shape = |o: &Operation| {
        format!("{o:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
    };
    let mut answer: Vec<String> = found.answer.iter().map(|&n| linker.graph().label(n).to_owned()).collect();
    answer.sort();
    Some((found.plan.statements.iter().map(|s| shape(&s.operation)).collect(), answer))
}

#[test]
fn what_changes_nothing_about_a_question_changes_nothing_about_its_plan() {
    let (mut tried, mut wrong) = (0, Vec::new());
    let mut shapes: Vec<Vec<Vec<String>>> = Vec::new();
    for of in &DOMAINS {
        let linker = Linker::new(&graph(of));
        let mut own = Vec::new();
        for pair in questions(of) {
            let plain = planned(&linker, &pair[0]);
            assert!(plain.as_ref().is_some_and(|p| !p.1.is_empty()), "{}", pair[0]);
            for variant in variants(&pair[0]).into_iter().chain([pair[1].clone()]) {
                tried += 1;
                let found = planned(&linker, &variant);
                if found != plain {
                    wrong.push((variant, found));
                }
            }
            own.extend(plain.map(|p| p.0));
        }
        shapes.push(own);
    }
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
    assert!(tried >= 1000, "{tried}");
    assert!(shapes.windows(2).all(|w| w[0] == w[1]), "{shapes:?}");
}

#[test]
fn what_a_graph_does_not_know_is_not_answered_in_any_domain() {
    for of in &DOMAINS {
        let linker = Linker::new(&graph(of));
        for question in [
            format!("who is the wife of {}", of.people[0]),
            format!("what did {} cost", of.things[0]),
            format!("who murdered the person who {} {}", of.made.1, of.things[0]),
            format!("when was {} {}", of.things[0], of.made.1),
            format!("where was {} born", of.people[0]),
            format!("why was {} {}", of.things[0], of.made.1),
            format!("which {}s {} by {} won a prize", of.thing, of.made.1, of.people[0]),
        ] {
            assert_eq!(planned(&linker, &question), None, "{question}");
        }
    }
}
