//! Comparisons of several entities: the same chain from each, and what the ends say.

use super::assertion::asks_whether;
use super::chain::Chain;
use super::lexicon::Lexicon;
use super::question::{Ask, Token, plain_words};
use super::schema::Schema;
use super::sets::list_chains;
use super::walk::{follow, value};
use super::weights;
use crate::kg::{Class, KnowledgeGraph, NodeId, RelationId, Value};
use crate::plan::How;
use crate::text::lexicon::{Language, SPOKEN};
use std::cmp::Ordering;

const TRIED: usize = 200;

#[derive(Debug, Clone)]
pub(super) struct Comparison {
    /// The chains whose ends are compared.
    pub chains: Vec<Chain>,
    /// How.
    pub how: How,
    /// The entities that it decides for; none where it says whether all are the same.
    pub answer: Vec<NodeId>,
    /// From 0 to 1.
    pub confidence: f32,
}

fn compares_times(word: &str) -> bool {
    SPOKEN.comparisons().row(word).is_some_and(|row| row.has(2, "time"))
}

/// Returns true if the question asks if several things have the same of something: "are both from the same
/// country".
pub(super) fn asks_for_the_same(tokens: &[Token]) -> bool {
    let same = |t: &Token| matches!(t.folded.as_str(), "same" | "share" | "common");
    tokens.first().is_some_and(|t| SPOKEN.auxiliaries().has(&t.folded, "same")) && tokens.iter().any(same)
}

/// Returns true if the question asks which of several comes first in some order: "who was born first out of A
/// and B".
pub(super) fn asks_which_of(tokens: &[Token]) -> bool {
    let compares = |t: &Token| {
        compares_times(&t.folded) || How::from_word(&t.folded).is_some_and(|_| t.folded.ends_with("er"))
    };
    let offers = |w: &[Token]| w[0].folded == "between" || (w[0].folded == "out" && w[1].folded == "of");
    tokens.iter().any(compares) && tokens.windows(2).any(offers)
}

/// The comparison that the words ask for, if the graph has what it takes for each entity.
pub(super) fn find_comparison(
    graph: &KnowledgeGraph,
    schema: &Schema,
    lexicon: &Lexicon,
    tokens: &[Token],
    starts: &[NodeId],
) -> Option<Comparison> {
    let how = if asks_for_the_same(tokens) {
        How::Equal
    } else {
        let how = tokens.iter().find_map(|t| How::from_word(&t.folded))?;
        let plain = plain_words(tokens);
        match (asks_whether(&plain) && !plain.contains(&"or"), how) {
            // "Is A larger than B" asks for yes or no, "which is larger" and "was A or B first" for one of
            // them.
            (true, How::Min) => How::Less,
            (true, How::Max) => How::Greater,
            (false, How::Less) => How::Min,
            (false, How::Greater) => How::Max,
            (_, how) => how,
        }
    };
    let tokens = add_measures(tokens, lexicon, graph);
    let all = list_chains(graph, schema, &tokens, &Ask::default(), starts)?;
    let (first, rest) = all.split_first()?;
    let mut best: Option<(f32, Vec<Chain>, Vec<NodeId>)> = None;
    for chain in first.iter().take(TRIED) {
        let others: Option<Vec<&Chain>> =
            rest.iter().map(|chains| chains.iter().find(|c| c.steps == chain.steps)).collect();
        let Some(others) = others else { continue };
        let chains: Vec<Chain> = std::iter::once(chain).chain(others).cloned().collect();
        let score = chains.iter().map(|c| c.score).sum::<f32>() / chains.len() as f32;
        if best.as_ref().is_some_and(|(known, ..)| *known >= score) {
            continue;
        }
        let ends: Vec<Vec<NodeId>> = chains.iter().map(|c| follow(graph, c)).collect();
        if ends.iter().any(Vec::is_empty) {
            continue;
        }
        let Some(answer) = decide_comparison(graph, how, starts, &ends) else { continue };
        best = Some((score, chains, answer));
    }
    let (score, chains, answer) = best?;
    // What no word speaks of is not compared: "who lived longer".
    if chains.iter().all(|c| c.paid == 0) {
        return None;
    }
    let paid = chains.iter().map(|c| c.paid as f32 / c.steps.len().max(1) as f32).fold(1.0, f32::min);
    Some(Comparison {
        chains,
        how,
        answer,
        confidence: (weights::aligned_share() * (1.0 + score.clamp(0.0, 1.0) + paid)).clamp(0.0, 1.0),
    })
}

/// The words, with what comparatives measure where the graph's own names say nothing of them.
fn add_measures(tokens: &[Token], lexicon: &Lexicon, graph: &KnowledgeGraph) -> Vec<Token> {
    let times = || -> Vec<(RelationId, f32)> {
        lexicon
            .relations_named(&["date", "year", "birth", "born"])
            .into_iter()
            .map(|r| (r, weights::possible()))
            .collect()
    };
    let spoken = tokens.iter().any(|t| {
        t.relations.iter().any(|(r, _)| {
            graph.vocabulary().relation(*r).is_some_and(|r| r.range.iter().any(|(c, _)| is_value(*c)))
        })
    });
    let mut tokens = tokens.to_vec();
    for token in tokens.iter_mut().filter(|t| t.relations.is_empty() && How::from_word(&t.folded).is_some()) {
        token.relations =
            lexicon.measured_by(&token.folded).into_iter().map(|(r, _)| (r, weights::measured())).collect();
        if token.relations.is_empty() && !spoken && compares_times(&token.folded) {
            token.relations = times();
        }
    }
    tokens
}

fn is_value(class: Class) -> bool {
    matches!(class, Class::Literal(_))
}

/// The entities whose ends win; `None` where the ends do not compare.
fn decide_comparison(
    graph: &KnowledgeGraph,
    how: How,
    starts: &[NodeId],
    ends: &[Vec<NodeId>],
) -> Option<Vec<NodeId>> {
    let wanted = match how {
        How::Min | How::Less => Ordering::Less,
        How::Max | How::Greater => Ordering::Greater,
        How::Equal | How::In | How::When => return Some(Vec::new()),
    };
    let values: Option<Vec<Value>> =
        ends.iter().map(|nodes| nodes.iter().find_map(|&n| value(graph, n))).collect();
    let values = values?;
    if values.windows(2).any(|w| w[0].compare(&w[1]).is_none()) {
        return None;
    }
    if matches!(how, How::Less | How::Greater) {
        return Some(Vec::new());
    }
    let wins = |a: &Value| !values.iter().any(|b| b.compare(a) == Some(wanted));
    Some(starts.iter().zip(&values).filter(|(_, v)| wins(v)).map(|(s, _)| *s).collect())
}
