//! Citations against the passages they name.
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

fn check_text(text: &str) -> Vec<Citation> {
    let hits = passages();
    let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
    check_citations(text, &numbered).0
}

fn statuses(text: &str) -> Vec<(u32, CitationStatus)> {
    check_text(text).into_iter().map(|c| (c.number, c.status)).collect()
}

use CitationStatus::{Contradicted, Dangling, Unsupported, Verified};

#[test]
fn a_true_citation_is_verified_and_its_support_quoted() {
    let text = "A counter bounds loops, which stop after 40 steps [1].";
    let found = check_text(text);
    assert_eq!((found[0].number, found[0].chunk(), found[0].status), (1, Some(10), Verified));
    assert_eq!(&text[found[0].at.start as usize..found[0].at.end as usize], "[1]");
    assert_eq!(found[0].quote, "The counter stops at 40 steps.");
    assert_eq!(&passages()[0].text[found[0].span.start as usize..found[0].span.end as usize], found[0].quote);
}

#[test]
fn a_number_that_cites_nothing_is_dangling() {
    assert_eq!(
        statuses("Loops are bounded [0] [3] [999999999999]."),
        [(0, Dangling), (3, Dangling), (u32::MAX, Dangling)]
    );
    assert_eq!(check_text("Loops [3].")[0].target, None);
}

#[test]
fn a_claim_with_other_words_numbers_or_names_is_unsupported() {
    assert_eq!(statuses("Bananas grow on tall plants in warm countries [1]."), [(1, Unsupported)]);
    assert_eq!(statuses("The counter stops at 90 steps after 17 tries [1]."), [(1, Contradicted)]);
    assert_eq!(statuses("The counter stops at 40 steps [1]."), [(1, Verified)]);
    assert_eq!(
        statuses("The keyword graph was described by Smith and Wesson in 2023 [2]."),
        [(2, Unsupported)]
    );
    assert_eq!(statuses("The keyword graph was described by Bertozzi in 2023 [2]."), [(2, Verified)]);
}

#[test]
fn a_mark_after_the_full_stop_belongs_to_the_sentence_before_it() {
    assert_eq!(
        statuses("Loops are bounded by a counter. [1] Bananas grow in warm countries. [2]"),
        [(1, Verified), (2, Unsupported)]
    );
    assert_eq!(
        statuses("Loops are bounded by a counter.[1] The keyword graph has 461 keywords.[2]"),
        [(1, Verified), (2, Verified)]
    );
    assert_eq!(statuses("Bananas grow.\n[1] Loops are bounded by a counter."), [(1, Verified)]);
    assert_eq!(statuses("[1] Loops are bounded by a counter."), [(1, Verified)]);
    assert_eq!(statuses("[1]"), [(1, Unsupported)]);
}

#[test]
fn passages_cited_together_are_judged_together_but_each_must_give_something() {
    assert_eq!(
        statuses("Loops stop at 40 steps, and the graph has 461 keywords [1, 2]."),
        [(1, Verified), (2, Verified)]
    );
    assert_eq!(
        statuses("Loops are bounded by a counter that stops at 40 steps [1][2]."),
        [(1, Verified), (2, Unsupported)]
    );
}

#[test]
fn the_citations_of_one_bracket_share_its_place() {
    let found = check_text("Loops stop [1-2].");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].at, found[1].at);
}

#[test]
fn a_megabyte_of_marks_is_bounded_and_says_so() {
    let hits = passages();
    let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
    for text in [
        "Loops [1]. ".repeat(100_000),
        "[1]".repeat(300_000),
        "[1-32]".repeat(150_000),
        "a [7]\n\n".repeat(100_000),
    ] {
        let (found, more) = check_citations(&text, &numbered);
        assert_eq!((found.len(), more), (MAX_CITATIONS, true));
    }
    for text in ["[".repeat(1 << 20), "word ".repeat(200_000), ". ".repeat(1 << 19)] {
        assert_eq!(check_citations(&text, &numbered), (Vec::new(), false));
    }
}

proptest! {
    #[test]
    fn every_citation_points_into_its_texts(
        text in "(Loops|Chen|40|\\[1\\]|\\[2, 9\\]|【1】|\\. |\\n|\\[|é东| \
            ){0,30}",
    ) {
        let hits = passages();
        let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
        let found = check_text(&text);
        for c in &found {
            let mark = &text[c.at.start as usize..c.at.end as usize];
            prop_assert!(mark.starts_with(['[', '【']));
            match numbered.iter().find(|(n, _)| *n == c.number) {
                Some((_, hit)) => {
                    prop_assert_eq!(&hit.text[c.span.start as usize..c.span.end as usize], &c.quote)
                }
                None => prop_assert_eq!(c.status, Dangling),
            }
        }
    }
}

#[test]
fn what_is_stated_of_another_number_name_or_end_is_unsupported() {
    let hits = [hit(
        20,
        "Season",
        &[],
        "The Panthers defense gave up just 308 points, ranking sixth in the league. The Broncos defeated the \
         Steelers before the final. \
         Rain is more common than snow in the north. The old lock was not opened.",
    )]
    .each_ref()
    .map(Citable::from);
    let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
    let status = |claim: &str| check_citations(&format!("{claim} [1]."), &numbered).0[0].status;
    for borne in [
        "The Panthers gave up 308 points",
        "The defense of the Panthers ranked sixth in the league",
        "The Broncos defeated the Steelers",
        "The Steelers were defeated by the Broncos",
        "In the north rain is more common than snow",
        "The old lock was never opened",
    ] {
        assert_eq!(status(borne), Verified, "{borne}");
    }
    for spoilt in [
        "The Panthers defense did not give up 308 points",
        "The Panthers defense gave up 380 points, ranking sixth in the league",
        "The Panthers defense gave up just 308 points, ranking tenth in the league",
        "The Panthers defense gave up just 308 points, the worst in the league",
        "The Falcons defense gave up just 308 points, ranking sixth in the league",
        "The Steelers defeated the Broncos before the final",
        "The Broncos defeated the Steelers after the final",
        "Rain is less common than snow in the north",
        "The old lock was opened",
    ] {
        assert!(matches!(status(spoilt), Unsupported | Contradicted), "{spoilt}");
    }
}

#[test]
fn words_of_a_passage_in_any_order_are_not_borne_by_it() {
    let text = "The Panthers defense gave up just 308 points, ranking sixth in the league, while also \
        leading \
        the league in interceptions.";
    let hits = [
        hit(20, "Season", &[], text),
        hit(21, "Loops", &[], "Loops are bounded by a counter. The counter stops at 40 steps."),
    ]
    .each_ref()
    .map(Citable::from);
    let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
    let status = |claim: &str, at: &str| check_citations(&format!("{claim} {at}."), &numbered).0[0].status;
    for borne in [
        "The Panthers defense, ranking sixth in the league, gave up 308 points",
        "Leading the league in interceptions, the defense gave up 308 points",
    ] {
        assert_eq!(status(borne, "[1]"), Verified, "{borne}");
    }
    assert_eq!(
        status("The defense gave up 308 points while a counter stops loops at 40 steps", "[1, 2]"),
        Verified
    );
    for mixed in [
        "Interceptions league gave sixth Panthers points in the just ranking up 308",
        "Points leading the league gave ranking the Panthers interceptions",
    ] {
        assert_eq!(status(mixed, "[1]"), Unsupported, "{mixed}");
    }
}

/// Claims that `benches/claims.py` makes of passages, true and spoilt: `CLAIMS=FILE cargo test -p
/// pocketgraph-agent claims_made -- --ignored --nocapture`.
#[test]
#[ignore = "needs a file of claims that is not kept here"]
fn claims_made_of_passages_are_distinguished_from_spoilt_ones() {
    let file = std::fs::read_to_string(std::env::var("CLAIMS").unwrap()).unwrap();
    let mut counts: std::collections::BTreeMap<String, (usize, usize)> = std::collections::BTreeMap::new();
    for line in file.lines() {
        let [kind, title, passage, claim] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let hits = [hit(1, title, &[], passage)].each_ref().map(Citable::from);
        let numbered: Vec<(u32, &Citable)> = (1..).zip(&hits).collect();
        let verified = check_citations(&format!("{} [1].", claim.trim_end_matches('.')), &numbered)
            .0
            .iter()
            .all(|c| c.status == Verified);
        let count = counts.entry(kind.to_owned()).or_default();
        count.0 += 1;
        count.1 += usize::from(!verified);
        if verified != (kind == "true") {
            println!("{kind}: {claim}");
        }
    }
    println!("{counts:?}");
    let sum = |of: &dyn Fn(&str) -> bool| {
        counts.iter().filter(|(k, _)| of(k)).fold((0, 0), |a, (_, c)| (a.0 + c.0, a.1 + c.1))
    };
    let is_mixed = |k: &str| matches!(k, "shuffled" | "drawn");
    let (all, flagged) = sum(&|k| k != "true" && !is_mixed(k));
    let (mixed, found) = sum(&is_mixed);
    let (stated, lost) = counts["true"];
    assert!(
        flagged as f32 >= 0.95 * all as f32 && lost as f32 <= 0.05 * stated as f32,
        "{flagged} of {all}, {lost} of {stated}"
    );
    assert!(found as f32 >= 0.9 * mixed as f32, "{found} of {mixed}");
}
