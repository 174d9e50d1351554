//! Set operations over chains from several entities.
//!
//! The question's words are divided between its entities: what stands before the first is shared, what stands around each is its own.
//! Each entity has its chains; combinations that end alike are tried, best first, and the graph decides between neighbouring patterns by
//! what they find.

use super::chain::{Chain, Scorer, Start};
use super::question::{Ask, Token};
use super::schema::{Schema, Step};
use super::superlative::Superlatives;
use super::walk::{advance, follow};
use crate::compact::{sort_by, sort_unique};
use crate::kg::{KnowledgeGraph, NodeId};
use crate::plan::Shape;

/// So many chains of each entity are combined.
const CHAINS: usize = 12;
/// So many combinations are run.
const TRIED: usize = 60;
/// More entities are not combined.
const ENTITIES: usize = 4;

/// A combination of chains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Combination {
    /// The chains without the steps that they share at their end.
    pub branches: Vec<Chain>,
    /// Steps from the combined set.
    pub tail: Vec<Step>,
    /// What is done with the branches.
    pub how: Combine,
    /// What it finds, ascending.
    pub answer: Vec<NodeId>,
    /// The mean score of the chains.
    pub score: f32,
    /// How many steps a word pays for, and how many there are.
    pub paid: (usize, usize),
}

/// What is done with the branches of a combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    /// What all find.
    Intersect,
    /// What any finds.
    Union,
    /// What the first finds and no other.
    Subtract,
}

/// The best combination of chains from these entities, each given with its reading, in a question of this pattern. `None` where no
/// combination finds anything.
pub(super) fn combined(
    graph: &KnowledgeGraph,
    schema: &Schema,
    tokens: &[Token],
    ask: &Ask,
    starts: &[NodeId],
    shape: Shape,
) -> Option<Combination> {
    let how = match shape {
        Shape::Union(_) | Shape::Up => Combine::Union,
        Shape::Negation => Combine::Subtract,
        _ => Combine::Intersect,
    };
    let starts = starts.get(..ENTITIES.min(starts.len()))?;
    let mut choices: Vec<Vec<Chain>> = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let (tokens, anchor) = share(tokens, index)?;
        let superlatives = Superlatives::default();
        let scorer = Scorer { graph, schema, tokens: &tokens, ask, anchor, superlatives: &superlatives };
        let mut chains = scorer.chains(Start::Node(start));
        chains.truncate(CHAINS);
        choices.push(chains);
    }
    let mut combinations: Vec<(f32, Vec<&Chain>)> = vec![(0.0, Vec::new())];
    for chains in &choices {
        let mut next = Vec::new();
        for (score, picked) in &combinations {
            for chain in chains {
                let alike = picked.first().is_none_or(|first: &&Chain| ends_alike(first, chain));
                if alike {
                    next.push((score + chain.score, picked.iter().copied().chain([chain]).collect()));
                }
            }
        }
        combinations = next;
    }
    sort_by(&mut combinations, |a, b| b.0.total_cmp(&a.0));
    combinations.iter().take(TRIED).find_map(|(score, picked)| run(graph, how, shape, score / picked.len().max(1) as f32, picked))
}

fn ends_alike(a: &Chain, b: &Chain) -> bool {
    a.steps.last().map(|s| s.to) == b.steps.last().map(|s| s.to)
}

/// Runs a combination: the branches, the set operation, and the steps that all branches share at their end. Whether those come before or
/// after the set operation is the difference between "genres of films with A and B" and "genres that films of A and of B share".
fn run(graph: &KnowledgeGraph, how: Combine, shape: Shape, score: f32, picked: &[&Chain]) -> Option<Combination> {
    let common = common_end(picked);
    let inner_first = matches!(shape, Shape::Ip | Shape::Up) || how == Combine::Subtract;
    let orders: &[usize] = match (common, how) {
        (0, _) => &[0],
        (_, Combine::Union) => &[0],
        _ if inner_first => &[1, 0],
        _ => &[0, 1],
    };
    let paid = (picked.iter().map(|c| c.paid).sum(), picked.iter().map(|c| c.steps.len()).sum());
    for &cut in orders {
        let cut = cut.min(1) * common;
        let branches: Vec<Chain> =
            picked.iter().map(|c| Chain { steps: c.steps[..c.steps.len() - cut].to_vec(), ..(*c).clone() }).collect();
        let tail: Vec<Step> = picked.first().map(|c| c.steps[c.steps.len() - cut..].to_vec()).unwrap_or_default();
        let sets: Vec<Vec<NodeId>> = branches.iter().map(|c| follow(graph, c)).collect();
        let mut answer = combine(&sets, how);
        for step in &tail {
            answer = advance(graph, &answer, *step);
        }
        if cut == 0 || !branches.iter().any(|b| b.steps.is_empty()) {
            answer.retain(|node| !picked.iter().any(|c| c.start == Start::Node(*node)));
            if !answer.is_empty() {
                return Some(Combination { branches, tail, how, answer, score, paid });
            }
        }
    }
    None
}

/// How many steps all chains share at their end, at least one step of each left out.
fn common_end(picked: &[&Chain]) -> usize {
    let Some((first, rest)) = picked.split_first() else { return 0 };
    let shortest = picked.iter().map(|c| c.steps.len()).min().unwrap_or(1);
    let from_end = |c: &Chain, at: usize| c.steps.get(c.steps.len() - 1 - at).copied();
    (0..shortest.saturating_sub(1)).take_while(|&at| rest.iter().all(|c| from_end(c, at) == from_end(first, at))).count()
}

fn combine(sets: &[Vec<NodeId>], how: Combine) -> Vec<NodeId> {
    let Some((first, rest)) = sets.split_first() else { return Vec::new() };
    let within = |node: &NodeId, set: &Vec<NodeId>| set.binary_search(node).is_ok();
    match how {
        Combine::Intersect => first.iter().filter(|n| rest.iter().all(|set| within(n, set))).copied().collect(),
        Combine::Subtract => first.iter().filter(|n| !rest.iter().any(|set| within(n, set))).copied().collect(),
        Combine::Union => {
            let mut all: Vec<NodeId> = sets.iter().flatten().copied().collect();
            sort_unique(&mut all);
            all
        }
    }
}

/// The words that speak of one entity: those before the first entity, and its own. Own words that speak of a relation stand in for
/// the shared ones: "films directed by A and starring B".
pub(super) fn share(tokens: &[Token], entity: usize) -> Option<(Vec<Token>, usize)> {
    let places: Vec<usize> = tokens.iter().enumerate().filter(|(_, t)| t.entity.is_some()).map(|(at, _)| at).collect();
    let (first, here) = (*places.first()?, *places.get(entity)?);
    let until = places.get(entity + 1).copied().unwrap_or(tokens.len());
    let joins = |t: &Token| matches!(t.folded.as_str(), "and" | "or" | "but" | "not" | "nor" | "also" | "except" | "without");
    // Behind an entity its own words go on to what joins the next: "did A direct and B star in".
    let behind = here + 1 + tokens[here + 1..until].iter().position(joins).unwrap_or(until - here - 1);
    let before = match entity.checked_sub(1).and_then(|e| places.get(e)) {
        None => here,
        Some(&previous) => {
            let gap = &tokens[previous + 1..here];
            previous + 1 + gap.iter().position(joins).unwrap_or(gap.len())
        }
    };
    let own: Vec<Token> = if entity == 0 { Vec::new() } else { tokens[before..here].to_vec() };
    let tail: Vec<Token> = tokens[here + 1..behind].to_vec();
    let speaks = own.iter().chain(&tail).any(|t| !t.relations.is_empty());
    let mut shared: Vec<Token> = tokens[..first].to_vec();
    if speaks && entity > 0 {
        // What the first entity's own words say is not said of the others; the noun behind the question word is.
        if let Some(last) = shared.iter().rposition(|t| !t.relations.is_empty()).filter(|&at| at > 1) {
            shared[last].relations.clear();
            shared[last].types.clear();
        }
    }
    let anchor = shared.len() + own.len();
    let mut all = shared;
    all.extend(own);
    all.push(tokens[here].clone());
    all.extend(tail);
    Some((all, anchor))
}
