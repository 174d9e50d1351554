//! One question in many wordings is one question: whoever answers it plainly answers it however politely,
//! loosely or roundabout it is asked.

#![allow(clippy::unwrap_used)]

use pocketgraph_kg::{KgBuilder, Linker, Provenance};
use pocketgraph_planner::RulesPlanner;

/// A small world with one question about it, in the pieces that wordings are made of.
struct Domain {
    rows: &'static [[&'static str; 3]],
    /// Type of the heads and of the tails; none where the graph has no types.
    types: Option<[&'static str; 2]>,
    /// `who` or `what`, and what is asked for: singular and plural.
    asked: [&'static str; 3],
    /// The verb: with a singular subject, with a plural subject, as a past and as a present participle.
    verb: [&'static str; 4],
    /// The auxiliary of the passive.
    be: &'static str,
    object: &'static str,
    answer: &'static [&'static str],
}

const DOMAINS: [Domain; 5] = [
    Domain {
        rows: &[
            ["Ada Lund", "teaches", "Latin"],
            ["Bo Frisk", "teaches", "Latin"],
            ["Cy Moor", "teaches", "Algebra"],
            ["Ada Lund", "lives in", "Arnby"],
            ["Cy Moor", "lives in", "Lerwick"],
        ],
        types: None,
        asked: ["who", "person", "people"],
        verb: ["teaches", "teach", "taught", "teaching"],
        be: "is",
        object: "Latin",
        answer: &["Ada Lund", "Bo Frisk"],
    },
    Domain {
        rows: &[
            ["Grey Tide", "directed_by", "Mona Reyes"],
            ["Last Ferry", "directed_by", "Ulf Dahl"],
            ["Grey Tide", "edited_by", "Ulf Dahl"],
            ["Last Ferry", "edited_by", "Ivy Chen"],
        ],
        types: Some(["film", "person"]),
        asked: ["who", "person", "people"],
        verb: ["directed", "directed", "directed", "directing"],
        be: "was",
        object: "Grey Tide",
        answer: &["Mona Reyes"],
    },
    Domain {
        rows: &[
            ["Pump 7", "contains", "Gasket Nine"],
            ["Valve 3", "contains", "Gasket Nine"],
            ["Pump 7", "contains", "Ring Two"],
            ["Gasket Nine", "supplied_by", "Orvex"],
            ["Ring Two", "supplied_by", "Halden Works"],
        ],
        types: None,
        asked: ["what", "thing", "things"],
        verb: ["contains", "contain", "contained", "containing"],
        be: "is",
        object: "Gasket Nine",
        answer: &["Pump 7", "Valve 3"],
    },
    Domain {
        rows: &[
            ["Vera Holm", "governs", "Ashford"],
            ["Tim Sand", "governs", "Kelby"],
            ["Ashford", "lies_on", "River Wend"],
            ["Kelby", "lies_on", "River Moss"],
        ],
        types: Some(["mayor", "town"]),
        asked: ["who", "person", "people"],
        verb: ["governs", "govern", "governed", "governing"],
        be: "is",
        object: "Ashford",
        answer: &["Vera Holm"],
    },
    Domain {
        rows: &[
            ["libtide", "maintained by", "Rosa Pell"],
            ["libtide", "maintained by", "Jan Roth"],
            ["oxframe", "maintained by", "Jan Roth"],
            ["oxframe", "depends on", "libtide"],
        ],
        types: Some(["package", "developer"]),
        asked: ["who", "person", "people"],
        verb: ["maintains", "maintain", "maintained", "maintaining"],
        be: "is",
        object: "libtide",
        answer: &["Jan Roth", "Rosa Pell"],
    },
];

const FRAMES: [&str; 22] = [
    "{Who} {does} {it}?",
    "Which {people} {do} {it}?",
    "What {people} {do} {it}?",
    "{Who} presently {does} {it}?",
    "Any clue {who} {does} {it}?",
    "Could you tell me {who} {does} {it}, please?",
    "{Who} {does} {it} these days?",
    "I'd love to know {who} {does} {it}.",
    "By {whom} {is} {it} {done}?",
    "{Whom} {is} {it} {done} by?",
    "Do you happen to know {who} {does} {it}?",
    "So, {who} {does} {it}?",
    "Please list the {people} who {do} {it}.",
    "{Who} exactly {does} {it}?",
    "{Who} all {does} {it}?",
    "Remind me {who} {does} {it}.",
    "Name every {person} that {does} {it}.",
    "{Who} is the {person} who {does} {it}?",
    "{Who} still {does} {it}?",
    "{Who} the heck {does} {it}?",
    "Which {person} {does} {it}?",
    "{it} {is} {done} by {whom}?",
];

/// Wordings that were written before any rule for the others, and looked at by none.
const UNSEEN: [&str; 20] = [
    "Which of the {people} {do} {it}?",
    "Might you know {who} {does} {it}?",
    "At the moment, {who} {does} {it}?",
    "I was hoping to find out {who} {does} {it}.",
    "By {whom}, may I ask, {is} {it} {done}?",
    "Tell me the {people} that {do} {it}.",
    "Hey there, {who} {does} {it}?",
    "{Who} {does} {it}, if I may ask?",
    "{Who} on earth {does} {it}?",
    "No idea {who} {does} {it}, can you help?",
    "We need the name of the {person} who {does} {it}.",
    "What are the names of the {people} that {do} {it}?",
    "{Who} nowadays {does} {it}?",
    "Would anybody know {who} {does} {it}?",
    "Quick question: {who} {does} {it}?",
    "{who} {does} {it}",
    "{Who} is it that {does} {it}?",
    "My boss asked me {who} {does} {it}.",
    "{Who} is currently {doing} {it}?",
    "{Who}, in fact, {does} {it} at present?",
];

fn linker(of: &Domain) -> Linker {
    let mut b = KgBuilder::default();
    for (line, [head, relation, tail]) in (1..).zip(of.rows) {
        let (h, r, t) = (b.entity(head).unwrap(), b.relation(relation).unwrap(), b.entity(tail).unwrap());
        // The rows with the first row's relation say what is what; others only lie about.
        if let Some([heads, tails]) = of.types.filter(|_| *relation == of.rows[0][1]) {
            let (heads, tails) = (b.entity_type(heads).unwrap(), b.entity_type(tails).unwrap());
            b.entity_has_type(h, heads).unwrap();
            b.entity_has_type(t, tails).unwrap();
        }
        b.triple(h, r, t, Provenance::Line { file: "rows", line }).unwrap();
    }
    Linker::new(&b.finish().unwrap())
}

fn worded(frame: &str, of: &Domain) -> String {
    let [who, person, people] = of.asked;
    let [does, do_, done, doing] = of.verb;
    let whom = if who == "who" { "whom" } else { "what" };
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    // Only persons do: "the things that".
    let frame = if who == "who" { frame.to_owned() } else { frame.replace("} who {", "} that {") };
    [
        ("{Who}", capital(who)),
        ("{who}", who.into()),
        ("{Whom}", capital(whom)),
        ("{whom}", whom.into()),
        ("{person}", person.into()),
        ("{people}", people.into()),
        ("{does}", does.into()),
        ("{do}", do_.into()),
        ("{done}", done.into()),
        ("{doing}", doing.into()),
        ("{is}", of.be.into()),
        ("{it}", of.object.into()),
    ]
    .iter()
    .fold(frame, |text, (slot, word)| text.replace(slot, word))
}

/// Share of wordings that are answered right; every other must be silent.
fn measured(frames: &[&str]) -> f32 {
    let (mut right, mut silent, mut wrong) = (0, Vec::new(), Vec::new());
    for of in &DOMAINS {
        let linker = linker(of);
        for frame in frames {
            let question = worded(frame, of);
            match RulesPlanner::new(&linker).planned(&question) {
                Ok(found) => {
                    let mut answer: Vec<&str> =
                        found.answer.iter().map(|&n| linker.graph().label(n)).collect();
                    answer.sort_unstable();
                    if answer == of.answer {
                        right += 1;
                    } else {
                        wrong.push((question, answer.join(", ")));
                    }
                }
                Err(why) => silent.push(format!("{question} ({why})")),
            }
        }
    }
    println!("right {right}, silent {}: {silent:#?}, wrong {wrong:#?}", silent.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    right as f32 / (right + silent.len()) as f32
}

#[test]
fn wording_changes_no_answer() {
    assert!(measured(&FRAMES) >= 0.95);
}

#[test]
fn nor_does_wording_that_no_rule_was_written_for() {
    assert!(measured(&UNSEEN) >= 0.9);
}

#[test]
fn what_somebody_does_otherwise_or_at_some_time_is_left_unanswered() {
    for of in DOMAINS.iter().filter(|of| of.asked[0] == "who") {
        let linker = linker(of);
        for frame in
            ["{Who} formerly {does} {it}?", "{Who} stopped {doing} {it}?", "{Who} {does} {it} on Tuesdays?"]
        {
            let question = worded(frame, of);
            assert!(RulesPlanner::new(&linker).planned(&question).is_err(), "{question}");
        }
    }
}
