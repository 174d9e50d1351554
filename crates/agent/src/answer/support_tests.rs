//! The support that sentences have, and the numbers that it gives them.
#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_testing::hits::hit;
use proptest::prelude::*;

fn passages() -> Vec<Citable> {
    [
        hit(10, "Loops", &["Bounds"], "Loops are bounded by a counter. The counter stops at 40 steps."),
        hit(
            11,
            "Graphs",
            &[],
            "The keyword graph was described by Chen and Bertozzi in 2023. It has 461 keywords.",
        ),
    ]
    .iter()
    .map(Citable::from)
    .collect()
}

fn supported(text: &str) -> SupportedReply {
    let hits = passages();
    find_support(text, &(1..).zip(&hits).collect::<Vec<_>>())
}

fn support(text: &str) -> Vec<Support> {
    supported(text).sentences.iter().map(|s| s.support).collect()
}

use Support::{Contradicted, NotMentioned, Supported};

#[test]
fn a_clause_of_a_passage_supports_itself_as_a_sentence() {
    let text =
        "Nothing of it, unless a model is set up: the question is embedded and answered in the browser.";
    let passage = Citable::from(&hit(12, "Privacy", &[], text));
    let found = find_support("The question is embedded and answered in the browser.", &[(1, &passage)]);
    assert_eq!(found.text, "The question is embedded and answered in the browser [1].");
    assert_eq!(found.sentences[0].support, Supported);
}

#[test]
fn code_states_nothing_and_gets_no_number() {
    let code = "```\nThe counter stops at 40 steps.\n\nLoops stop at 40 steps.\n```\n\n";
    assert_eq!(supported(code), SupportedReply { text: code.into(), sentences: Vec::new() });
    assert_eq!(
        supported(&format!("{code}The counter stops at 40 steps.")).text,
        format!("{code}The counter stops at 40 steps [1].")
    );
}

#[test]
fn a_missing_number_is_added_and_a_wrong_one_corrected() {
    assert_eq!(supported("The counter stops at 40 steps.").text, "The counter stops at 40 steps [1].");
    assert_eq!(supported("The counter stops at 40 steps [2].").text, "The counter stops at 40 steps [1].");
    assert_eq!(supported("The counter stops at 40 steps. [9]").text, "The counter stops at 40 steps. [1]");
    assert_eq!(
        supported("The graph has 461 keywords [1][7], you see.").text,
        "The graph has 461 keywords [2], you see."
    );
    assert_eq!(
        supported("Loops stop at 40 steps. The graph has 461 keywords").text,
        "Loops stop at 40 steps [1]. The graph has 461 keywords [2]"
    );
}

#[test]
fn a_right_number_and_one_that_nothing_can_replace_stay() {
    for text in
        ["The counter stops at 40 steps [1].", "Bananas grow in warm countries [2].", "Loops? [2] See:", ""]
    {
        assert_eq!(supported(text).text, text);
    }
}

#[test]
fn each_statement_has_its_support() {
    let text = "The counter stops at 40 steps. Bananas grow in warm countries. The counter stops at 90 steps \
        [1]. Is that all?";
    assert_eq!(support(text), [Supported, NotMentioned, Contradicted]);
    assert_eq!(support("The keyword graph was not described in 2023."), [Contradicted]);
    let found = supported(text);
    let second = found.sentences[1].at;
    assert_eq!(&found.text[second.start as usize..second.end as usize], "Bananas grow in warm countries.");
}

#[test]
fn a_conclusion_that_denies_what_no_passage_mentions_contradicts_none() {
    assert_ne!(support("No, the counter was not broken when the loops stopped [1]."), [Contradicted]);
}

proptest! {
    #[test]
    fn only_numbers_change(
        text in "([Tt]he counter|40 steps|keywords|stops|[.!?]|\\[[0-9]\\]|\\n| \
            |é){0,40}",
    ) {
        let found = supported(&text);
        let letters = |t: &str| {
            let marks = markers(t);
            t.char_indices()
                .filter(|(at, c)| !c.is_whitespace() && !marks.iter().any(|m| m.at.contains(at)))
                .map(|(_, c)| c)
                .collect::<String>()
        };
        prop_assert_eq!(letters(&found.text), letters(&text));
        for sentence in &found.sentences {
            prop_assert!(found.text.get(sentence.at.start as usize..sentence.at.end as usize).is_some());
        }
    }
}
