//! Agreement of a plan's words with the graph's relations and types.

use super::Similarity;
use crate::compact::{sort_by, sort_unique};
use crate::kg::{Class, Direction, KnowledgeGraph, LiteralKind, NodeId, RelationId, TypeId, label_of_name};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, lower_text, stem, words};

/// Least score of a relation that is followed.
pub(super) const LEAST_SCORE: f32 = 0.35;
/// Difference of scores below which relations count as equal.
const TIE: f32 = 0.005;
/// Number of relations that are ranked for a step (Graph-RFT: 15).
pub(super) const RANKED: usize = 15;

/// Relation at the heads of a step, in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The relation.
    pub relation: RelationId,
    /// Direction in which it is followed.
    pub direction: Direction,
    /// Agreement of its name, from 0 to 1.
    pub score: f32,
    /// Number of edges at the heads.
    pub edges: usize,
}

/// Kind of results that a plan wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Anything.
    Any,
    /// Entities of one of these types.
    Types(Vec<TypeId>),
    /// Numbers or dates.
    Literals(LiteralKind),
    /// Words that match no type of the graph: they help to rank relations, and are not checked.
    Unknown,
}

/// Words of relations and types, stemmed once for a graph.
#[derive(Debug)]
pub struct Lexicon {
    /// Stems of each name of each relation.
    relations: Vec<Vec<Vec<String>>>,
    /// Stems of each name of each type.
    types: Vec<Vec<Vec<String>>>,
}

/// Returns the stems of the content words, or of all words if there are none.
pub(super) fn stem_words(text: &str) -> Vec<String> {
    let opened = label_of_name(text);
    let folded: Vec<String> = words(&opened)
        .iter()
        .flat_map(|w| w.text.split('_').map(fold).collect::<Vec<_>>())
        .filter(|w| !w.is_empty())
        .collect();
    let content: Vec<String> = folded.iter().filter(|w| !is_stop_word(w)).map(|w| stem(w)).collect();
    if content.is_empty() { folded.iter().map(|w| stem(w)).collect() } else { content }
}

/// Returns the agreement of two stems: 1 if equal, 0.9 for a common beginning ("direct", "director"), else 0.
fn word_agreement(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let common = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let shorter = a.chars().count().min(b.chars().count());
    if common >= 4 && common * 4 >= shorter * 3 { 0.9 } else { 0.0 }
}

fn share_covered(these: &[String], those: &[String]) -> f32 {
    if these.is_empty() {
        return 0.0;
    }
    let best = |w: &String| those.iter().map(|v| word_agreement(w, v)).fold(0.0, f32::max);
    these.iter().map(best).sum::<f32>() / these.len() as f32
}

/// Returns the agreement of a phrase with a name, which must cover it; its further words cost less.
fn phrase_agreement(phrase: &[String], name: &[String]) -> f32 {
    share_covered(phrase, name) * (0.6 + 0.4 * share_covered(name, phrase))
}

impl Lexicon {
    /// Stems the words of a graph.
    pub fn new(graph: &KnowledgeGraph) -> Self {
        let v = graph.vocabulary();
        let of = |names: Vec<&str>| -> Vec<Vec<String>> {
            let mut all: Vec<Vec<String>> =
                names.into_iter().map(stem_words).filter(|s| !s.is_empty()).collect();
            sort_unique(&mut all);
            all
        };
        let relations = v.relations().iter().map(|r| {
            of([r.label.as_str(), r.name.as_str()]
                .into_iter()
                .chain(r.aliases.iter().map(String::as_str))
                .collect())
        });
        let types = v.types().iter().map(|t| {
            of([t.label.as_str(), t.name.as_str()]
                .into_iter()
                .chain(t.aliases.iter().map(String::as_str))
                .collect())
        });
        Lexicon { relations: relations.collect(), types: types.collect() }
    }

    /// Resolves a plan's target: types with exactly its words, otherwise types with these words and more,
    /// otherwise numbers and dates by their usual names.
    pub fn target(&self, target: Option<&str>) -> Target {
        let Some(text) = target.map(str::trim).filter(|t| !t.is_empty() && *t != "*") else {
            return Target::Any;
        };
        let wanted = stem_words(text);
        let same = |name: &Vec<String>| name.len() == wanted.len() && share_covered(&wanted, name) > 0.99;
        let wider = |name: &Vec<String>| share_covered(&wanted, name) > 0.99;
        for test in [&same as &dyn Fn(&Vec<String>) -> bool, &wider] {
            let found: Vec<TypeId> = self
                .types
                .iter()
                .enumerate()
                .filter(|(_, names)| names.iter().any(test))
                .map(|(i, _)| TypeId(i as u32))
                .collect();
            if !found.is_empty() {
                return Target::Types(found);
            }
        }
        match SPOKEN.value_kinds().row(&lower_text(text)).map(|row| row.field(0)) {
            Some("date") => Target::Literals(LiteralKind::Date),
            Some("number") => Target::Literals(LiteralKind::Number),
            _ => Target::Unknown,
        }
    }

    /// Returns the best [`RANKED`] relations at these heads, best first: by agreement of label, synonyms and
    /// name with the phrase; by meaning if `similarity` is given and the words disagree; and by whether they
    /// lead to the target. Equal ones are forward first, then by number.
    pub fn rank(
        &self,
        graph: &KnowledgeGraph,
        heads: &[NodeId],
        phrase: &str,
        target_words: Option<&str>,
        target: &Target,
        similarity: Option<Similarity<'_>>,
    ) -> Vec<Ranked> {
        let wanted = stem_words(phrase);
        let target_stems = target_words.map(stem_words).unwrap_or_default();
        let mut out = Vec::new();
        for (relation, direction, edges) in relations_at_heads(graph, heads) {
            let names = self.relations.get(relation.index()).map_or(&[][..], Vec::as_slice);
            let mut score = names.iter().map(|n| phrase_agreement(&wanted, n)).fold(0.0, f32::max);
            let Some(r) = graph.vocabulary().relation(relation) else { continue };
            if r.name == phrase || r.label == phrase {
                score = 1.0;
            }
            if score < 0.9
                && let Some(similarity) = similarity
            {
                let cosine = similarity(phrase, &r.label);
                score = score.max(0.8 * ((cosine - 0.35) / 0.4).clamp(0.0, 1.0));
            }
            let ends = r.far_end(direction);
            let share = |wanted: &dyn Fn(Class) -> bool| {
                let n: u32 = ends.iter().filter(|(c, _)| wanted(*c)).map(|(_, n)| *n).max().unwrap_or(0);
                n as f32 / r.triples.max(1) as f32
            };
            score += match target {
                Target::Types(types) => match share(&|c| matches!(c, Class::Type(t) if types.contains(&t))) {
                    0.0 => -0.3,
                    n => 0.25 * n,
                },
                Target::Literals(kind) => 0.25 * share(&|c| c == Class::Literal(*kind)),
                Target::Unknown => {
                    0.15 * names.iter().map(|n| share_covered(&target_stems, n)).fold(0.0, f32::max)
                }
                Target::Any => 0.0,
            };
            if direction == Direction::Forward {
                score += 0.02;
            }
            out.push(Ranked { relation, direction, score, edges });
        }
        sort_by(&mut out, |a, b| {
            b.score.total_cmp(&a.score).then((a.direction, a.relation).cmp(&(b.direction, b.relation)))
        });
        out.truncate(RANKED);
        out
    }
}

/// Returns all relations at the heads in both directions, with their numbers of edges.
fn relations_at_heads(graph: &KnowledgeGraph, heads: &[NodeId]) -> Vec<(RelationId, Direction, usize)> {
    let relations = graph.vocabulary().relations().len();
    let mut counts = vec![[0usize; 2]; relations];
    for &head in heads {
        for (i, direction) in [Direction::Forward, Direction::Backward].into_iter().enumerate() {
            for (relation, n) in graph.relations_at(head, direction) {
                counts[relation.index()][i] += n as usize;
            }
        }
    }
    let mut out = Vec::new();
    for (r, [forward, backward]) in counts.into_iter().enumerate() {
        for (direction, n) in [(Direction::Forward, forward), (Direction::Backward, backward)] {
            if n > 0 {
                out.push((RelationId(r as u32), direction, n));
            }
        }
    }
    out
}

/// Groups the ranked relations whose scores count as equal, best first, down to the least score.
pub(super) fn group_equal(ranked: &[Ranked]) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    while start < ranked.len() && ranked[start].score >= LEAST_SCORE {
        let first = ranked[start];
        let mut end = start + 1;
        while end < ranked.len()
            && first.score - ranked[end].score < TIE
            && ranked[end].direction == first.direction
        {
            end += 1;
        }
        out.push(start..end);
        start = end;
    }
    out
}

/// Returns true if a node matches a plan's target.
pub(super) fn matches_target(graph: &KnowledgeGraph, node: NodeId, target: &Target) -> bool {
    match target {
        Target::Any | Target::Unknown => true,
        Target::Types(types) => graph.types(node).iter().any(|t| types.contains(t)),
        // Years and numbers may be entities in graphs that were imported without literals.
        Target::Literals(_) => true,
    }
}
