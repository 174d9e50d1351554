//! The direction in which a question's voice has a relation followed.

use super::token::Token;
use crate::kg::{Direction, KnowledgeGraph, RelationId};
use pocketgraph_question::{End, named_end};

/// Returns the direction in which a relation of this label is followed from the name; see [`named_end`].
pub(super) fn direction(
    label: &str,
    question: &[&str],
    at: usize,
    refers: &dyn Fn(usize) -> bool,
) -> Option<Direction> {
    let end = named_end(label, question, at, refers)?;
    Some(if end == End::Head { Direction::Forward } else { Direction::Backward })
}

/// Returns what a judge of labels says of a relation by the words around the name at `anchor`.
pub(super) fn judge_label<T>(
    graph: &KnowledgeGraph,
    relation: RelationId,
    tokens: &[Token],
    anchor: usize,
    judge: impl Fn(&str, &[&str], usize, &dyn Fn(usize) -> bool) -> T,
) -> T {
    let is_word = |t: &&Token| t.entity.is_none();
    let others: Vec<&Token> = tokens.iter().filter(is_word).collect();
    let words: Vec<&str> = others.iter().map(|t| t.folded.as_str()).collect();
    let label = graph.vocabulary().relation(relation).map_or("", |r| r.label.as_str());
    let refers = |at: usize| others[at].relations.iter().any(|(r, _)| *r == relation);
    judge(label, &words, tokens.iter().take(anchor).filter(is_word).count(), &refers)
}
