#![allow(clippy::unwrap_used)]
use super::*;

/// The verdict of a text under a heading; words weigh as if few passages had them.
fn verdict(question: &str, heading: &str, text: &str) -> Option<bool> {
    let asked: Vec<String> = words(question).into_iter().map(|w| fold(w.text)).collect();
    verdict_of(&asked, &Question::new(question, &|_| 3.0), text, &term_set(&[heading]))
}

#[test]
fn a_sentence_that_states_or_denies_just_what_is_asked_decides_it() {
    for (question, text, yes) in [
        ("Does the valve support steam?", "The valve supports steam and water.", true),
        ("Does the valve work with steam?", "The valve does not support steam.", false),
        ("Can valves be closed by hand?", "Valves can be closed by hand.", true),
        ("Are transfers counted?", "Here, transfers between accounts are not counted.", false),
        ("Must the code in a file name be lowercase?", "The code in a file name must be lowercase.", true),
        ("May I delete a message?", "You cannot delete a message.", false),
        ("May a valve freeze?", "A valve must not freeze.", false),
        ("Is there any telemetry?", "There is no telemetry.", false),
        ("Is the valve tested?", "The valve isn't tested.", false),
        ("Does it need a licence key?", "No. The pump, once built, needs no licence key.", false),
        ("Has the pump a filter of steel?", "The pump has a filter of steel, because water is hard.", true),
        ("Does the pump read steam?", "The pump reads water but does not read steam.", false),
        ("Does the pump read water?", "The pump reads water but does not read steam.", true),
    ] {
        assert_eq!(verdict(question, "", text), Some(yes), "{question}");
    }
}

#[test]
fn what_restricts_a_statement_or_says_something_else_decides_nothing() {
    for (question, text) in [
        ("Does the valve support steam?", "The valve supports steam only with a seal."),
        ("Does the valve support steam?", "If it is new, the valve supports steam."),
        ("Does the valve leak steam?", "The valve can leak steam."),
        ("Does the valve support steam?", "Does the valve support steam?"),
        ("Is the valve locked?", "Close the valve and lock it."),
        ("Does the valve support steam?", "The valve stopped supporting steam."),
        ("Does the valve support steam?", "The pump supports steam."),
        ("Does the valve support steam?", "Steam supports the valve."),
        ("Does the valve support steam?", "The valve supports steam. Another valve does not support steam."),
        ("Are all valves tested?", "Valves are tested."),
        ("Are valves tested?", "Not all valves are tested, and not every pump is."),
        ("Must valves be tested?", "Valves can be tested."),
        ("Do valves freeze?", "Valves must not freeze."),
        ("Is the valve tested or sold?", "The valve is tested."),
        ("Which valves are tested?", "The valves are tested."),
        ("Does the valve support steam?", "The valve does not need a seal for steam."),
    ] {
        assert_eq!(verdict(question, "", text), None, "{question} {text}");
    }
}

#[test]
fn a_heading_names_the_subject_of_a_sentence_that_does_not() {
    assert_eq!(verdict("Does the valve support steam?", "Valve", "It does not support steam."), Some(false));
    assert_eq!(verdict("Does the valve support steam?", "Valve", "The pump does not support steam."), None);
    assert_eq!(verdict("Does the valve support steam?", "Pump", "It does not support steam."), None);
}
