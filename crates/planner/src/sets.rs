//! Set operations over chains from several entities.
//!
//! The question's words are divided between its entities: what stands before the first is shared, what stands
//! around each is its own. Each entity has its chains; combinations that end alike are tried, best first, and
//! the graph decides between neighbouring patterns by what they find.

use super::chain::{Chain, Scorer, Start};
use super::question::{Ask, Token};
use super::schema::{Schema, Step};
use super::superlative::Superlatives;
use super::walk::{advance, follow};
use crate::compact::{sort_by, sort_unique};
use crate::kg::{KnowledgeGraph, NodeId};
use crate::plan::Shape;
use crate::text::lexicon::{Language, SPOKEN};

/// Maximum number of chains of each entity that are combined.
const CHAINS: usize = 12;
/// Maximum number of combinations that run.
const TRIED: usize = 60;
/// More entities are not combined.
const ENTITIES: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Combination {
    /// The chains without the steps that they share at their end.
    pub branches: Vec<Chain>,
    /// Chains of the same kind whose results are taken away.
    pub minus: Vec<Chain>,
    /// Steps from the combined set.
    pub tail: Vec<Step>,
    /// The set operation over the branches.
    pub how: Combine,
    /// Nodes that it finds, ascending.
    pub answer: Vec<NodeId>,
    /// The mean score of the chains.
    pub score: f32,
    /// Number of steps that a word pays for, and number of all steps.
    pub paid: (usize, usize),
}

/// The set operation over the branches of a combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    /// Intersection.
    Intersect,
    /// Union.
    Union,
}

/// Returns which of a question's entities are taken away: "with A and B but not by C or D" takes away C and
/// D. `None` where nothing would be left.
pub(super) fn taken_away(tokens: &[Token]) -> Option<Vec<bool>> {
    let mut away = false;
    let mut all = Vec::new();
    for gap in tokens
        .split_inclusive(|t| t.entity.is_some())
        .filter(|gap| gap.last().is_some_and(|t| t.entity.is_some()))
    {
        let has = |word: &str| gap.iter().any(|t| t.folded == word);
        let denies = |t: &Token| {
            SPOKEN.denials().has(&t.folded, "between")
                || t.folded.ends_with("n't")
                || t.folded.ends_with("n’t")
        };
        let goes_on = || {
            has("and")
                && gap
                    .iter()
                    .any(|t| !t.relations.is_empty() || SPOKEN.prepositions().has(&t.folded, "participle"))
        };
        if gap.iter().any(denies) {
            away = true;
        } else if has("but") || goes_on() {
            away = false;
        }
        all.push(away);
    }
    (!all.iter().all(|away| *away)).then_some(all)
}

/// Tells whether what any of the entities that are kept leads to is asked for: "A or B but not C".
fn joins_any(tokens: &[Token], away: &[bool]) -> bool {
    let gaps = tokens.split_inclusive(|t| t.entity.is_some()).zip(away).skip(1);
    gaps.filter(|(_, away)| !**away).any(|(gap, _)| gap.iter().any(|t| t.folded == "or"))
}

/// The best combination of chains from these entities, each given with its reading, in a question of this
/// pattern. `None` where no combination finds anything.
pub(super) fn find_combination(
    graph: &KnowledgeGraph,
    schema: &Schema,
    tokens: &[Token],
    ask: &Ask,
    starts: &[NodeId],
    shape: Shape,
    away: &[bool],
) -> Option<Combination> {
    let any = matches!(shape, Shape::Union(_) | Shape::Up) || joins_any(tokens, away);
    let how = if any { Combine::Union } else { Combine::Intersect };
    let starts = starts.get(..ENTITIES.min(starts.len()))?;
    let mut choices: Vec<Vec<Chain>> = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let (tokens, anchor) = split_shared(tokens, index)?;
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
    combinations.iter().take(TRIED).find_map(|(score, picked)| {
        run_combination(graph, (how, away), shape, score / picked.len().max(1) as f32, picked)
    })
}

fn ends_alike(a: &Chain, b: &Chain) -> bool {
    a.steps.last().map(|s| s.to) == b.steps.last().map(|s| s.to)
}

/// Runs a combination: the branches, the set operation, and the steps that all branches share at their end.
/// Whether those come before or after the set operation is the difference between "genres of films with A and
/// B" and "genres that films of A and of B share".
fn run_combination(
    graph: &KnowledgeGraph,
    (how, away): (Combine, &[bool]),
    shape: Shape,
    score: f32,
    picked: &[&Chain],
) -> Option<Combination> {
    let common = common_end(picked);
    let inner_first = matches!(shape, Shape::Ip | Shape::Up) || away.contains(&true);
    let orders: &[usize] = match (common, how) {
        (0, _) => &[0],
        (_, Combine::Union) => &[0],
        _ if inner_first => &[1, 0],
        _ => &[0, 1],
    };
    let paid = (picked.iter().map(|c| c.paid).sum(), picked.iter().map(|c| c.steps.len()).sum());
    for &cut in orders {
        let cut = cut.min(1) * common;
        let is_away = |at: usize| away.get(at).copied().unwrap_or_default();
        let inner = |of: bool| {
            let own = picked.iter().enumerate().filter(move |(at, _)| is_away(*at) == of).map(|(_, c)| c);
            own.map(|c| Chain { steps: c.steps[..c.steps.len() - cut].to_vec(), ..(*c).clone() })
                .collect::<Vec<_>>()
        };
        let (branches, minus) = (inner(false), inner(true));
        let tail: Vec<Step> =
            picked.first().map(|c| c.steps[c.steps.len() - cut..].to_vec()).unwrap_or_default();
        let sets: Vec<Vec<NodeId>> = branches.iter().map(|c| follow(graph, c)).collect();
        let mut answer = combine_sets(&sets, how);
        for set in minus.iter().map(|c| follow(graph, c)) {
            answer.retain(|node| set.binary_search(node).is_err());
        }
        for step in &tail {
            answer = advance(graph, &answer, *step);
        }
        if cut == 0 || !branches.iter().chain(&minus).any(|b| b.steps.is_empty()) {
            answer.retain(|node| !picked.iter().any(|c| c.start == Start::Node(*node)));
            if !answer.is_empty() {
                return Some(Combination { branches, minus, tail, how, answer, score, paid });
            }
        }
    }
    None
}

/// Returns the number of steps that all chains share at their end, without the first step of each.
fn common_end(picked: &[&Chain]) -> usize {
    let Some((first, rest)) = picked.split_first() else { return 0 };
    let shortest = picked.iter().map(|c| c.steps.len()).min().unwrap_or(1);
    let from_end = |c: &Chain, at: usize| c.steps.get(c.steps.len() - 1 - at).copied();
    (0..shortest.saturating_sub(1))
        .take_while(|&at| rest.iter().all(|c| from_end(c, at) == from_end(first, at)))
        .count()
}

fn combine_sets(sets: &[Vec<NodeId>], how: Combine) -> Vec<NodeId> {
    let Some((first, rest)) = sets.split_first() else { return Vec::new() };
    let within = |node: &NodeId, set: &Vec<NodeId>| set.binary_search(node).is_ok();
    match how {
        Combine::Intersect => {
            first.iter().filter(|n| rest.iter().all(|set| within(n, set))).copied().collect()
        }
        Combine::Union => {
            let mut all: Vec<NodeId> = sets.iter().flatten().copied().collect();
            sort_unique(&mut all);
            all
        }
    }
}

/// The words that speak of one entity: those before the first entity, and its own. Own words that speak of a
/// relation stand in for the shared ones: "films directed by A and starring B".
pub(super) fn split_shared(tokens: &[Token], entity: usize) -> Option<(Vec<Token>, usize)> {
    let places: Vec<usize> =
        tokens.iter().enumerate().filter(|(_, t)| t.entity.is_some()).map(|(at, _)| at).collect();
    let (first, here) = (*places.first()?, *places.get(entity)?);
    let until = places.get(entity + 1).copied().unwrap_or(tokens.len());
    let joins = |t: &Token| {
        matches!(t.folded.as_str(), "and" | "or" | "but" | "not" | "nor" | "also" | "except" | "without")
    };
    // Behind an entity its own words go on to what joins or leads to the next: "did A direct and B star in",
    // "directed by A starring B".
    let leads = |t: &Token| {
        SPOKEN.prepositions().has(&t.folded, "participle")
            || (t.folded.ends_with("ing") && !t.relations.is_empty())
    };
    let ends = |gap: &[Token]| {
        gap.iter().position(joins).or_else(|| gap.iter().position(leads)).unwrap_or(gap.len())
    };
    let gap = &tokens[here + 1..until];
    let behind = here
        + 1
        + if until < tokens.len() { ends(gap) } else { gap.iter().position(joins).unwrap_or(gap.len()) };
    // An entity without words of its own shares those of the one before it: "directed by A and starring B but
    // not C".
    let own = (1..=entity).rev().map(|e| {
        let gap = &tokens[places[e - 1] + 1..places[e]];
        let own = gap[ends(gap)..].iter().filter(|t| !joins(t) && !SPOKEN.denials().contains(&t.folded));
        own.cloned().collect::<Vec<Token>>()
    });
    let own = own.into_iter().find(|own| !own.is_empty()).unwrap_or_default();
    let tail: Vec<Token> = tokens[here + 1..behind].to_vec();
    let refers = own.iter().chain(&tail).any(|t| !t.relations.is_empty());
    let mut shared: Vec<Token> = tokens[..first].to_vec();
    if refers && entity > 0 {
        // What the first entity's own words say is not said of the others; the noun behind the question word
        // is.
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
