//! Questions for what is not so: whether one is asked, and the chains that answer it.

use super::chain::{Chain, Start};
use super::question::{Ask, Token};
use super::walk::list_entities;
use crate::kg::{Class, KnowledgeGraph, Mention, TypeId};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};

/// Words of a question that are searched for a negation.
const WORDS: usize = 256;

/// Returns true if a question asks for what is not so, names aside. Things that the asker does not know are
/// not part of the question, nor are sentences that ask nothing: "I couldn't place him; who was it?"
pub(super) fn negates(question: &str, mentions: &[Mention]) -> bool {
    let mut all = words(question);
    all.truncate(WORDS);
    let joined = |a: &Word<'_>, b: &Word<'_>| {
        question
            .get(a.span.end..b.span.start)
            .is_some_and(|gap| !gap.contains([';', '!', '?']) && !gap.contains(". "))
    };
    let asks = |sentence: &&[Word<'_>]| {
        sentence.iter().any(|w| SPOKEN.question_words().has(&fold(w.text), "sentence"))
    };
    let any_asks = all.chunk_by(joined).any(|sentence| asks(&sentence));
    all.chunk_by(joined)
        .filter(|sentence| !any_asks || asks(sentence))
        .any(|sentence| denies(sentence, mentions))
}

/// Returns true if a sentence has a negation, names aside, other than the asker's ("I don't").
fn denies(sentence: &[Word<'_>], mentions: &[Mention]) -> bool {
    let not = |w: &str| SPOKEN.denials().has(w, "not") || w.ends_with("n't");
    let named =
        |w: &Word<'_>| mentions.iter().any(|m| m.span.start < w.span.end && w.span.start < m.span.end);
    let asker = |w: &Word<'_>| matches!(fold(w.text).as_str(), "i" | "we" | "you");
    let behind = sentence.iter().zip(sentence.iter().skip(1));
    sentence.first().is_some_and(|w| not(w.text) && !named(w))
        || behind.into_iter().any(|(before, w)| not(w.text) && !named(w) && !asker(before))
}

/// Turns the chains from a place on that end at things of this type into what they do not find; the others
/// are left out.
pub(super) fn negate_chains(
    graph: &KnowledgeGraph,
    chains: &mut Vec<Chain>,
    from: usize,
    negated: Option<TypeId>,
) {
    let Some(of) = negated else { return };
    let both = |other: TypeId| other != of && list_entities(graph, of).iter().any(|&n| graph.is_of(n, other));
    let ends = |c: &Chain| match (c.steps.last(), c.start) {
        (Some(last), _) => last.to == Class::Type(of),
        (None, start) => matches!(start, Start::All(other) if both(other)),
    };
    let mut late = chains.split_off(from);
    late.retain(ends);
    chains.extend(late.into_iter().map(|c| Chain { negated: Some(of), ..c }));
}

/// The type among whose things a question asks for those that are not so.
pub(super) fn negated_type(words: &[Token], ask: &Ask) -> Option<TypeId> {
    let asked = ask.classes.iter().find_map(|c| if let Class::Type(of) = c { Some(*of) } else { None });
    asked.or_else(|| words.iter().find_map(|t| t.types.first().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_asker_does_not_know_and_what_asks_nothing_denies_nothing() {
        for question in [
            "We saw it and couldn't place any of the faces; who were the actors?",
            "He knows who directed Heat, but I don't believe him. Who was it?",
            "No idea. Who directed Heat?",
        ] {
            assert!(!negates(question, &[]), "{question}");
        }
        for question in [
            "Which films are not in English?",
            "Films without actors",
            "Heat was long. Which films weren't?",
            "not in English",
        ] {
            assert!(negates(question, &[]), "{question}");
        }
    }
}
