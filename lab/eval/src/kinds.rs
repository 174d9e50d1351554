//! Computes figures of answers by kind of question, as in LPKG's table by question type.

use super::data::shown_kind;
use super::one_answer::{Answered, evidence_recall};
use pocketgraph_measure::{Estimate, mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// Figures of one way of answering for one kind of question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindRow {
    /// Name of the kind in the set.
    pub kind: String,
    /// The way of answering.
    pub system: String,
    /// Number of answers to questions of the kind; of several runs each counts.
    pub answers: usize,
    /// Exact match.
    pub em: Estimate,
    /// Overlap of tokens.
    pub f1: Estimate,
    /// Containment.
    pub contain_em: Estimate,
    /// Mean precision of answers as sets.
    pub set_precision: f64,
    /// Mean recall of answers as sets.
    pub set_recall: f64,
    /// Evidence recall; `None` if the set names no pages.
    pub evidence_recall: Option<Estimate>,
}

/// Returns the figures of every kind and way, kinds by name; empty if there is only one kind.
pub(super) fn by_kind<'a>(ways: impl IntoIterator<Item = (&'a str, &'a [Answered])>) -> Vec<KindRow> {
    let mut of: BTreeMap<&str, Vec<(&str, Vec<&Answered>)>> = BTreeMap::new();
    for (system, each) in ways {
        for answered in each {
            let ways = of.entry(&answered.kind).or_default();
            match ways.iter_mut().find(|(name, _)| *name == system) {
                Some((_, all)) => all.push(answered),
                None => ways.push((system, vec![answered])),
            }
        }
    }
    if of.len() < 2 {
        return Vec::new();
    }
    of.into_iter()
        .flat_map(|(kind, ways)| ways.into_iter().map(move |(system, all)| row_of(kind, system, &all)))
        .collect()
}

fn row_of(kind: &str, system: &str, all: &[&Answered]) -> KindRow {
    let column = |f: fn(&Answered) -> f64| all.iter().map(|a| f(a)).collect::<Vec<_>>();
    KindRow {
        kind: shown_kind(kind).to_owned(),
        system: system.to_owned(),
        answers: all.len(),
        em: Estimate::of(&column(|a| a.em)),
        f1: Estimate::of(&column(|a| a.f1)),
        contain_em: Estimate::of(&column(|a| a.contain_em)),
        set_precision: mean(&column(|a| a.set_precision)),
        set_recall: mean(&column(|a| a.set_recall)),
        evidence_recall: evidence_recall(all.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answering::tests::answered;

    fn of(kind: &str, em: f64) -> Answered {
        Answered { kind: kind.to_owned(), em, ..answered("Hallwil") }
    }

    #[test]
    fn each_kind_and_way_has_the_mean_of_its_own_questions() {
        let (one, other) = (
            [of("2hop", 1.0), of("", 0.0), of("2hop", 0.0)],
            [of("2hop", 1.0), of("", 1.0), of("2hop", 1.0)],
        );
        let rows = by_kind([("quote/auto", &one[..]), ("react/auto", &other[..])]);
        let measured: Vec<(&str, &str, usize, f64)> =
            rows.iter().map(|r| (r.kind.as_str(), r.system.as_str(), r.answers, r.em.mean)).collect();
        assert_eq!(
            measured,
            [
                ("none told", "quote/auto", 1, 0.0),
                ("none told", "react/auto", 1, 1.0),
                ("2hop", "quote/auto", 2, 0.5),
                ("2hop", "react/auto", 2, 1.0)
            ]
        );
    }

    #[test]
    fn a_set_without_kinds_has_no_rows() {
        assert!(by_kind([("quote/auto", &[of("", 1.0)][..])]).is_empty());
    }
}
