#![allow(clippy::unwrap_used)]

use super::*;

/// Builds an example from a question with spans `[kind:name|words]` (`-` for inverse), and JSON statements.
fn example(marked: &str, statements: &str, answer: &str) -> Example {
    let (mut question, mut spans) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, inside)) = rest.split_once('[') {
        question.push_str(before);
        let (inside, after) = inside.split_once(']').unwrap();
        let (head, words) = inside.split_once('|').unwrap();
        let (kind, name) = head.split_once(':').unwrap();
        let kind = match kind {
            "e" => Kind::Entity,
            "r" => Kind::Relation,
            _ => Kind::Type,
        };
        let start = question.chars().count();
        question.push_str(words);
        let (inverse, name) = name.strip_prefix('-').map_or((false, name), |n| (true, n));
        spans.push(Span { start, end: question.chars().count(), kind, name: name.to_owned(), inverse });
        rest = after;
    }
    question.push_str(rest);
    let plan = format!("{{\"statements\":[{statements}],\"answer\":\"{answer}\"}}");
    Example {
        question,
        plan: serde_json::from_str(&plan).unwrap(),
        spans,
        answers: Vec::new(),
        count: 0,
        pattern: String::new(),
    }
}

fn step(name: &str, head: &str, relation: &str, target: &str) -> String {
    let head = match head.strip_prefix('$') {
        Some(name) => format!("{{\"reference\":\"{name}\"}}"),
        None => format!("{{\"entity\":\"{head}\"}}"),
    };
    let (inverse, relation) = relation.strip_prefix('-').map_or((false, relation), |r| (true, r));
    let target = if target.is_empty() { String::new() } else { format!(",\"target\":\"{target}\"") };
    let relation = format!("{{\"exact\":{{\"name\":\"{relation}\",\"inverse\":{inverse}}}}}");
    format!("{{\"op\":\"search_kg\",\"name\":\"{name}\",\"head\":{head},\"relation\":{relation}{target}}}")
}

/// Shape, aggregation and the tagged words, as text.
fn label_text(example: &Example) -> String {
    match labels(example) {
        Ok(l) => {
            let words: Vec<String> = l
                .tagged
                .iter()
                .map(|(r, t)| format!("{}={}", t.name(), &example.question[r.clone()]))
                .collect();
            format!("{} {}: {}", l.shape.name(), l.aggregation.name(), words.join(", "))
        }
        Err(doubt) => doubt.to_string(),
    }
}

#[test]
fn a_chain_is_distinguished_from_the_entity_outwards() {
    let statements = [step("a", "A", "-wrote", "book"), step("b", "$a", "genre", "")].join(",");
    let it = example(
        "What is the [r:genre|genre] of the [t:book|book] that [e:A|Ängström] [r:-wrote|wrote]?",
        &statements,
        "b",
    );
    assert_eq!(label_text(&it), "2p set: R2=genre, T1=book, E1=Ängström, R1-=wrote");
}

#[test]
fn a_chain_and_a_step_that_end_alike_share_their_words() {
    let parts = [step("a", "A", "capital", ""), step("b", "$a", "river", ""), step("c", "B", "river", "")];
    let statements =
        [parts.join(","), "{\"op\":\"intersect\",\"name\":\"d\",\"of\":[\"b\",\"c\"]}".to_owned()].join(",");
    let once = example(
        "Which [r:river|rivers] do the [r:capital|capital] of [e:A|Kent] and [e:B|Borula] share?",
        &statements,
        "d",
    );
    assert_eq!(label_text(&once), "pi set: R2=rivers, R1=capital, E1=Kent, E2=Borula");
    let twice = "Which [r:river|rivers] of the [r:capital|capital] of [e:A|Kent] are [r:river|rivers] of \
        [e:B|Borula]?";
    assert_eq!(
        label_text(&example(twice, &statements, "d")),
        "pi set: R2=rivers, R1=capital, E1=Kent, R3=rivers, E2=Borula"
    );
}

#[test]
fn alike_branches_are_numbered_by_the_question() {
    let both = "{\"op\":\"intersect\",\"name\":\"c\",\"of\":[\"a\",\"b\"]}";
    let statements =
        [step("a", "A", "-cast", "film"), step("b", "B", "-cast", "film"), both.to_owned()].join(",");
    let it = example(
        "Which [t:film|films] have the [r:-cast|actor] [e:B|Bo] and [e:A|Al] as [r:-cast|star]?",
        &statements,
        "c",
    );
    assert_eq!(label_text(&it), "2i set: T1=films, R1-=actor, E1=Bo, E2=Al, R2-=star");
}

#[test]
fn a_relation_that_branches_share_is_the_first_ones() {
    let any = "{\"op\":\"union\",\"name\":\"c\",\"of\":[\"a\",\"b\"]}";
    let statements = [step("a", "A", "head", ""), step("b", "B", "head", ""), any.to_owned()].join(",");
    let it = example("Who is the [r:head|head] of [e:B|Bo] or [e:A|Al]?", &statements, "c");
    assert_eq!(label_text(&it), "2u set: R1=head, E1=Bo, E2=Al");
}

#[test]
fn two_of_three_branches_may_share_their_relation() {
    let all = "{\"op\":\"intersect\",\"name\":\"d\",\"of\":[\"a\",\"b\",\"c\"]}";
    let statements =
        [step("a", "A", "cure", ""), step("b", "B", "risk", ""), step("c", "C", "cure", ""), all.to_owned()]
            .join(",");
    let it = example(
        "What is a [r:risk|risk] of [e:B|Bo] and also a [r:cure|cure] shared by [e:C|Cy] and [e:A|Al]?",
        &statements,
        "d",
    );
    assert_eq!(label_text(&it), "3i set: R1=risk, E1=Bo, R2=cure, E2=Cy, E3=Al");
}

#[test]
fn a_step_and_the_step_back_are_stated_once() {
    let statements = [step("a", "A", "maker", ""), step("b", "$a", "-maker", "car")].join(",");
    let it = example("Which [t:car|cars] have the same [r:-maker|maker] as [e:A|Al]?", &statements, "b");
    assert_eq!(label_text(&it), "2p set: T2=cars, R1=maker, E1=Al");
}

#[test]
fn what_is_taken_away_comes_last_whatever_it_shares() {
    let but = "{\"op\":\"negation\",\"name\":\"c\",\"main\":\"a\",\"minus\":[\"b\"]}";
    let statements =
        [step("a", "A", "-cast", "film"), step("b", "B", "-cast", "film"), but.to_owned()].join(",");
    let it = example(
        "[t:film|films] with [e:A|Al] as [r:-cast|actor] but not the [t:film|films] with \
         [r:-cast|actor] [e:B|Bo]",
        &statements,
        "c",
    );
    assert_eq!(label_text(&it), "2in set: T1=films, E1=Al, R1-=actor, T2=films, R2-=actor, E2=Bo");
}

#[test]
fn a_superlative_has_the_shape_of_its_set() {
    let all = "{\"op\":\"all\",\"name\":\"a\",\"target\":\"river\"}";
    let most = "{\"op\":\"superlative\",\"name\":\"b\",\"of\":\"a\",\"by\":{\"value_of\":{\"exact\":{\"name\":\
        \"length\"}}},\"extreme\":\"max\"}";
    let it = example("What is the [r:length|longest] [t:river|river]?", &format!("{all},{most}"), "b");
    assert_eq!(label_text(&it), "0p max: M=longest, T1=river");
    assert_eq!(labels(&it).unwrap().number, Some(0));
}

#[test]
fn what_is_not_stated_or_overlaps_is_no_lesson() {
    let it = example("Who knows [e:A|Al]?", &step("a", "A", "head", ""), "a");
    assert_eq!(labels(&it), Err(LabelError::Unstated));
    let mut it = example("Who is the [r:head|head] of [e:A|Al]?", &step("a", "A", "head", ""), "a");
    it.spans[1].start = it.spans[0].start;
    assert_eq!(labels(&it), Err(LabelError::Spans));
}
