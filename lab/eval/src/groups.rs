//! Computes figures by kind of question, because a mean over all hides that four hops are harder than two.

use super::data::{Question, shown_kind};
use pocketgraph_measure::{Intervals, Measures};
use std::collections::BTreeMap;

/// Questions of one kind.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Group {
    /// Name of the kind in the set.
    pub kind: String,
    /// Number of its questions.
    pub questions: usize,
    /// Figures of each retriever.
    pub rows: Vec<GroupRow>,
}

/// Figures of one retriever for one kind.
#[derive(Debug, Clone, serde::Serialize)]
pub struct GroupRow {
    /// The retriever.
    pub retriever: String,
    /// Means over the questions of the kind.
    pub mean: Measures,
    /// Their 95 % bootstrap intervals.
    pub intervals: Intervals,
}

/// Returns the figures of every kind, by name; empty if there is only one kind.
pub fn group_figures(questions: &[Question], rows: &[(&str, &[Measures])]) -> Vec<Group> {
    let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, q) in questions.iter().enumerate() {
        of.entry(&q.kind).or_default().push(i);
    }
    if of.len() < 2 {
        return Vec::new();
    }
    let row = |&(retriever, each): &(&str, &[Measures]), members: &[usize]| {
        let each: Vec<Measures> = members.iter().filter_map(|&i| each.get(i)).copied().collect();
        GroupRow {
            retriever: retriever.to_owned(),
            mean: Measures::mean(&each),
            intervals: Intervals::of(&each),
        }
    };
    let group = |(kind, members): (&str, Vec<usize>)| Group {
        kind: shown_kind(kind).to_owned(),
        questions: members.len(),
        rows: rows.iter().map(|r| row(r, &members)).collect(),
    };
    of.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(kinds: &[&str]) -> Vec<Question> {
        kinds.iter().map(|kind| Question { kind: (*kind).to_owned(), ..Question::default() }).collect()
    }

    fn each(recalls: &[f64]) -> Vec<Measures> {
        recalls.iter().map(|r| Measures { recall_5: *r, ..Measures::default() }).collect()
    }

    #[test]
    fn each_kind_has_the_mean_of_its_own_questions() {
        let found = group_figures(
            &questions(&["4hop", "2hop", "4hop", ""]),
            &[("auto", &each(&[0.5, 1.0, 0.0, 0.75]))],
        );
        let measured: Vec<(&str, usize, f64)> =
            found.iter().map(|g| (g.kind.as_str(), g.questions, g.rows[0].mean.recall_5)).collect();
        assert_eq!(measured, [("none told", 1, 0.75), ("2hop", 1, 1.0), ("4hop", 2, 0.25)]);
        assert!(
            found[2].rows[0].intervals.low.recall_5 <= 0.25
                && found[2].rows[0].intervals.high.recall_5 >= 0.25
        );
    }

    #[test]
    fn a_set_without_kinds_has_no_groups() {
        assert!(group_figures(&questions(&["", ""]), &[("auto", &each(&[1.0, 0.0]))]).is_empty());
        assert!(group_figures(&[], &[("auto", &[])]).is_empty());
    }
}
