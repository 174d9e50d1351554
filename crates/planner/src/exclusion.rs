//! What a question leaves out by name: "besides Heat", "other films than Heat", "apart from Heat and Ali".
//!
//! Without these words it is a question of its own. What it leaves out is taken away from that one's answer if it is in there; otherwise the words mean
//! something else.

use crate::kg::{Mention, NodeId};
use crate::plan::{Head, Operation, Plan, Statement};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};
use std::ops::Range;

/// Words of a question that are searched.
const LONGEST: usize = 256;

/// A question without what it leaves out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exclusion {
    /// The question with spaces in the place of the words that leave something out: what is left stands where it stood.
    pub rest: String,
    /// What may be meant by each name that is left out.
    pub left_out: Vec<Vec<NodeId>>,
}

/// What a question leaves out; `None` where no word says so right in front of a name.
pub(super) fn exclusion(question: &str, mentions: &[&Mention], is_kind: &dyn Fn(&str) -> bool) -> Option<Exclusion> {
    let mut all = words(question);
    all.truncate(LONGEST);
    let (first, cue) = mentions.iter().enumerate().find_map(|(at, m)| Some((at, cue(&all, m.span.start, is_kind)?)))?;
    // Others follow in the same breath: "besides Heat and Ali".
    let goes_on = |pair: &[&Mention]| {
        let gap = question.get(pair[0].span.end..pair[1].span.start).unwrap_or("?");
        let joint = |w: &Word<'_>| matches!(fold(w.text).as_str(), "and" | "or");
        gap.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | ',')) && words(gap).iter().all(joint)
    };
    let last = first + mentions.get(first..)?.windows(2).take_while(|pair| goes_on(pair)).count();
    let named = cue.start..mentions.get(last)?.span.end;
    // "Which other films than Heat": what is other is told by the name.
    let other = all.iter().find(|w| fold(w.text) == "other").filter(|w| w.span.end <= cue.start);
    let gone: Vec<Range<usize>> = other.map(|w| w.span.clone()).into_iter().chain([named]).collect();
    let rest = blanked(question, &gone);
    let left_out = mentions.get(first..=last)?.iter().map(|m| m.candidates.iter().map(|c| c.node).collect()).collect();
    Some(Exclusion { rest, left_out })
}

/// The words in front of a place that leave out what stands there.
fn cue(all: &[Word<'_>], place: usize, is_kind: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    let before: Vec<&Word<'_>> = all.iter().take_while(|w| w.span.end <= place).collect();
    let folded: Vec<String> = before.iter().map(|w| fold(w.text)).collect();
    let article = |w: &String| matches!(w.as_str(), "the" | "a" | "an");
    // "Besides the film Heat".
    let kind = folded.len().checked_sub(2).filter(|&at| article(&folded[at]) && is_kind(&folded[at + 1]));
    let end = kind.unwrap_or(folded.len() - folded.iter().rev().take_while(|w| article(w)).count());
    let leaves_out = |at: usize| folded.get(at).is_some_and(|w| SPOKEN.denials().has(w, "names"));
    let at = match folded.get(end.checked_sub(1)?)?.as_str() {
        "from" | "for" | "of" => end.checked_sub(2).filter(|&at| leaves_out(at))?,
        "than" => {
            let at = end - 1;
            let near = at.checked_sub(1).filter(|&at| folded[at] == "other");
            near.or_else(|| folded[..at].iter().any(|w| w == "other").then_some(at))?
        }
        _ => end.checked_sub(1).filter(|&at| leaves_out(at) && folded[at] != "other")?,
    };
    Some(before.get(at)?.span.start..place)
}

fn blanked(question: &str, gone: &[Range<usize>]) -> String {
    let is_gone = |at: usize| gone.iter().any(|g| g.contains(&at));
    let kept = |(at, c): (usize, char)| if is_gone(at) { " ".repeat(c.len_utf8()) } else { c.to_string() };
    question.char_indices().map(kept).collect()
}

/// A plan that takes these things away from what another finds, before it counts them.
pub(super) fn without(mut plan: Plan, question: &str, things: &[&str]) -> Plan {
    let counted = match plan.statements.last() {
        Some(Statement { operation: Operation::Count { of }, .. }) => Some(of.clone()),
        _ => None,
    };
    if counted.is_some() {
        plan.statements.pop();
    }
    let mut push = |operation: Operation| {
        let name = format!("Ans{}", plan.statements.len() + 1);
        plan.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    };
    let minus = things.iter().map(|id| push(Operation::Entity { head: Head::Entity((*id).to_owned()) })).collect();
    let main = counted.clone().unwrap_or(plan.answer);
    let mut answer = push(Operation::Negation { main, minus });
    if counted.is_some() {
        answer = push(Operation::Count { of: answer });
    }
    Plan { question: Some(question.to_owned()), answer, ..plan }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_stands_right_behind_the_words_that_say_so() {
        let excluded = |question: &str| {
            let at = question.find("Heat").unwrap();
            let mention = Mention { span: at..at + 4, candidates: Vec::new() };
            exclusion(question, &[&mention], &|w| w == "film").map(|e| e.rest.split_whitespace().collect::<Vec<_>>().join(" "))
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
}
