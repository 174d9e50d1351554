//! What a question leaves out by name: "besides Heat", "other films than Heat", "apart from Heat and Ali".
//!
//! Without these words it is a question of its own. What it leaves out is taken away from that one's answer
//! if it is in there; otherwise the words mean something else.

use crate::kg::{Mention, NodeId};
use crate::plan::{Head, Operation, Plan};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};
use std::ops::Range;

/// Words of a question that are searched.
const LONGEST: usize = 256;

/// A question without what it leaves out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exclusion {
    /// The question with spaces in the place of the words that leave something out: what is left stands where
    /// it stood.
    pub rest: String,
    /// Candidates of each name that is left out.
    pub left_out: Vec<Vec<NodeId>>,
}

/// Returns the things that a question leaves out; `None` without a word of exclusion immediately before a
/// name.
pub(super) fn exclusion(
    question: &str,
    mentions: &[&Mention],
    is_kind: &dyn Fn(&str) -> bool,
) -> Option<Exclusion> {
    let mut all = words(question);
    all.truncate(LONGEST);
    let folded: Vec<String> = all.iter().map(|w| fold(w.text)).collect();
    let (mut gone, mut left_out): (Vec<Range<usize>>, Vec<Vec<NodeId>>) = Default::default();
    let mut at = 0;
    while let Some(mention) = mentions.get(at) {
        let before = all.partition_point(|w| w.span.end <= mention.span.start);
        let Some(cue) = folded.get(..before).and_then(|before| cue(before, is_kind)) else {
            at += 1;
            continue;
        };
        // Others follow in the same breath: "besides Heat and Ali".
        let further = mentions[at..].windows(2).take_while(|pair| goes_on(question, pair)).count();
        let named = &mentions[at..=at + further];
        gone.extend(cue.further.and_then(|w| all.get(w)).map(|w| w.span.clone()));
        gone.push(all.get(cue.begins)?.span.start..named.last()?.span.end);
        left_out.extend(named.iter().map(|m| m.candidates.iter().map(|c| c.node).collect()));
        at += further + 1;
    }
    (!left_out.is_empty()).then(|| Exclusion { rest: blank_ranges(question, &gone), left_out })
}

/// Returns true if the second of two names is left out with the first.
fn goes_on(question: &str, pair: &[&Mention]) -> bool {
    let gap = question.get(pair[0].span.end..pair[1].span.start).unwrap_or("?");
    let joint = |w: &Word<'_>| SPOKEN.denials().has(&fold(w.text), "and");
    gap.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | ',')) && words(gap).iter().all(joint)
}

/// Words that leave out the name behind them.
struct Cue {
    /// The first of them.
    begins: usize,
    /// A word far in front that says the same: "which other films than Heat".
    further: Option<usize>,
}

/// The words at the end of these that leave out what stands behind them.
fn cue(before: &[String], is_kind: &dyn Fn(&str) -> bool) -> Option<Cue> {
    let is = |at: usize, mark: &str| before.get(at).is_some_and(|w| SPOKEN.denials().has(w, mark));
    let article = |w: &String| SPOKEN.before_nouns().has(w, "article");
    // "Besides the film Heat".
    let kind = before.len().checked_sub(2).filter(|&at| article(&before[at]) && is_kind(&before[at + 1]));
    let last = kind
        .unwrap_or(before.len() - before.iter().rev().take_while(|w| article(w)).count())
        .checked_sub(1)?;
    if is(last, "than") {
        // What is other is told by the name.
        let other = (0..last).rev().find(|&at| is(at, "other"))?;
        let near = other + 1 == last;
        return Some(Cue { begins: if near { other } else { last }, further: (!near).then_some(other) });
    }
    let begins = if is(last, "behind") { last.checked_sub(1)? } else { last };
    (is(begins, "names") && !is(begins, "other")).then_some(Cue { begins, further: None })
}

/// Returns the question with blanks where it is gone.
pub(super) fn blank_ranges(question: &str, gone: &[Range<usize>]) -> String {
    let is_gone = |at: usize| gone.iter().any(|g| g.contains(&at));
    let kept = |(at, c): (usize, char)| if is_gone(at) { " ".repeat(c.len_utf8()) } else { c.to_string() };
    question.char_indices().map(kept).collect()
}

/// A plan that takes these things away from what another finds, before it counts them.
pub(super) fn exclude_things(plan: Plan, question: &str, things: &[&str]) -> Plan {
    let plan = plan.refine_answer(|plan, main| {
        let minus = things
            .iter()
            .map(|id| plan.push(Operation::Entity { head: Head::Entity((*id).to_owned()) }))
            .collect();
        Operation::Negation { main, minus }
    });
    Plan { question: Some(question.to_owned()), ..plan }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_right_behind_the_words_that_say_so() {
        let excluded = |question: &str| {
            let at = question.find("Heat").unwrap();
            let mention = Mention { span: at..at + 4, candidates: Vec::new() };
            exclusion(question, &[&mention], &|w| w == "film")
                .map(|e| e.rest.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        for question in [
            "which films are there besides Heat",
            "which other films than Heat are there",
            "other than the film Heat, which films are there",
        ] {
            let rest = excluded(question).unwrap();
            assert!(rest.replace(',', "").trim().starts_with("which films are there"), "{rest}");
        }
        for question in [
            "which films other people made than Heat's",
            "who made Heat besides",
            "which films last longer than Heat",
            "except for films like Heat",
        ] {
            assert!(question.contains("other") || excluded(question).is_none(), "{question}");
        }
    }

    #[test]
    fn all_that_is_left_out_is_found_at_once_and_what_is_left_leaves_nothing_out() {
        let question = "Besides Heat and Ali, which films are there apart from Thief?";
        let at = |name: &str| question.find(name).map(|at| at..at + name.len()).unwrap();
        let mentions: Vec<Mention> =
            ["Heat", "Ali", "Thief"].map(|n| Mention { span: at(n), candidates: Vec::new() }).into();
        let found = exclusion(question, &mentions.iter().collect::<Vec<_>>(), &|_| false).unwrap();
        assert_eq!(found.left_out.len(), 3);
        assert_eq!(found.rest.split_whitespace().collect::<Vec<_>>().join(" "), ", which films are there ?");
        assert_eq!(found.rest.len(), question.len(), "what is left stands where it stood");
    }
}
