//! Questions for yes or no about a statement: "does the Guide link to the Glossary?", "is Oslo the capital of
//! Norway?"
//!
//! Of two named things one is asked whether it is among what a relation leads to from the other. Where the
//! graph knows nothing of that sort about the one that the relation starts from, nobody can say no.

use super::chain::{Chain, Scorer, Start};
use super::question::{Ask, Token, plain_words};
use super::schema::Schema;
use super::superlative::Superlatives;
use super::voice;
use crate::kg::{Class, Direction, KnowledgeGraph, NodeId};
use crate::text::lexicon::{Language, SPOKEN};

/// Tells whether words, in lower case, ask for yes or no about something that they name.
pub(super) fn asks_whether(plain: &[&str]) -> bool {
    !matches!(plain.get(1), Some(&("you" | "there"))) && pocketgraph_question::asks_whether(plain)
}

/// Returns the chain from the first of two things that would lead to the second, and all chains that were
/// tried.
pub(super) fn asserted(
    graph: &KnowledgeGraph,
    schema: &Schema,
    question: &str,
    tokens: &[Token],
    [first, second]: [NodeId; 2],
) -> Option<(Chain, Vec<Chain>)> {
    let plain = plain_words(tokens);
    let begins = tokens.first().is_some_and(|t| t.entity.is_none());
    if !begins
        || !asks_whether(&plain)
        || plain.iter().any(|w| SPOKEN.denials().has(w, "claim") || SPOKEN.denials().has(w, "away"))
    {
        return None;
    }
    let anchor = tokens.iter().position(|t| t.entity.is_some())?;
    let (superlatives, ask) = (Superlatives::default(), Ask::default());
    let scorer = Scorer { graph, schema, tokens, ask: &ask, anchor, superlatives: &superlatives };
    let classes: Vec<Class> = graph.classes(second).collect();
    let mut chains = scorer.chains(Start::Node(first));
    chains.retain(|c| c.steps.len() == 1 && c.paid == 1);
    let fits = |chain: &&Chain| {
        let step = chain.steps[0];
        let turned = |class| {
            let steps = schema.from(class).iter();
            steps.filter(|s| s.returns(step))
        };
        let is_alike = || graph.classes(first).any(|c| turned(c).any(|s| s.to == step.to));
        let meant = match facing(graph, question, tokens, anchor, chain) {
            Some(direction) => direction == step.direction,
            None => !(classes.iter().any(|&c| turned(c).next().is_some()) && is_alike()),
        };
        meant && (classes.contains(&step.to) || step.to == Class::Untyped)
    };
    // What the relation's head has of it must be known: otherwise "no" would be a guess.
    let known = |chain: &&Chain| {
        let head = if chain.steps[0].direction == Direction::Forward { first } else { second };
        graph.follow(head, chain.steps[0].relation, Direction::Forward).next().is_some()
    };
    let chain = chains.iter().filter(fits).find(known)?.clone();
    Some((chain, chains))
}

/// Returns the direction in which the question means a relation between things of one kind. Its verb's voice
/// decides, or its possessive: "the father of Ann", "Ann's father".
fn facing(
    graph: &KnowledgeGraph,
    question: &str,
    tokens: &[Token],
    anchor: usize,
    chain: &Chain,
) -> Option<Direction> {
    let relation = chain.steps[0].relation;
    let refers = |t: &Token| t.relations.iter().any(|(r, _)| *r == relation);
    if let Some(direction) = voice::judge_label(graph, relation, tokens, anchor, voice::direction) {
        return Some(direction);
    }
    let noun = tokens.iter().position(refers)?;
    let small = |t: &&Token| t.entity.is_none() && matches!(t.folded.as_str(), "of" | "the");
    let behind = noun + 1 + tokens[noun + 1..].iter().take_while(small).count();
    let owned = tokens[noun + 1..behind].iter().any(|t| t.folded == "of");
    // Before the second thing, or behind the first as its owner.
    match (owned, tokens.get(behind).is_some_and(|t| t.entity.is_some())) {
        (true, true) => Some(if behind == anchor { Direction::Forward } else { Direction::Backward }),
        (false, _) if question.contains("'s ") || question.contains("’s ") => {
            Some(if noun == anchor + 1 { Direction::Forward } else { Direction::Backward })
        }
        _ => None,
    }
}
