//! Set operations over chains from several entities.
//!
//! The question's words are divided between its entities: what stands before the first is shared, what stands
//! around each is its own. Each entity has its chains; combinations that end alike are tried, best first, and
//! the graph decides between neighbouring patterns by what they find.

use super::chain::{Chain, Scorer, Start};
use super::pattern::takes_away;
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
    /// The chains without the steps that they share at their end: of each choice any, of all choices one.
    pub branches: Vec<Vec<Chain>>,
    /// Chains of the same kind whose results are taken away.
    pub minus: Vec<Chain>,
    /// Steps from the combined set.
    pub tail: Vec<Step>,
    /// Nodes that it finds, ascending.
    pub answer: Vec<NodeId>,
    /// Number of steps that a word pays for, and number of all steps.
    pub paid: (usize, usize),
}

/// Returns the choice that each of a question's entities belongs to: "A or B that C made" leaves a choice
/// between A and B, and none besides C. `None` for an entity that is taken away.
pub(super) fn find_sides(tokens: &[Token]) -> Vec<Option<usize>> {
    let gaps: Vec<&[Token]> = tokens.split_inclusive(|t| t.entity.is_some()).collect();
    // Names in a row are joined as the last of them is.
    let goes_on = |gaps: &[&[Token]]| {
        gaps.iter().find(|gap| gap.len() > 1).is_some_and(|gap| gap.iter().any(|t| t.folded == "or"))
    };
    let mut choice = 0;
    let sides = find_taken(tokens).into_iter().enumerate().map(|(at, away)| {
        choice += usize::from(!gaps.get(at..).is_some_and(goes_on));
        (!away).then_some(choice)
    });
    sides.collect()
}

/// Returns which of a question's entities are taken away: "with A and B but not by C or D" takes away C and
/// D, "not by A with B" and "that A did not make and B did" A.
fn find_taken(tokens: &[Token]) -> Vec<bool> {
    let (mut away, mut all) = (false, Vec::new());
    for gap in tokens.split_inclusive(|t| t.entity.is_some()) {
        let find = |is: &dyn Fn(&Token) -> bool| gap.iter().position(is);
        let has = |word: &str| find(&|t| t.folded == word);
        let denied = find(&|t| takes_away(&t.folded));
        // A verb that is denied behind a name is that name's; behind the last all words are.
        let ends = has("and").or(has("but")).or(find(&|t| t.entity.is_some()).xor(Some(gap.len())));
        let goes_on =
            || find(&|t| !t.relations.is_empty() || SPOKEN.prepositions().has(&t.folded, "participle"));
        match all.last_mut().filter(|_| denied.zip(ends).is_some_and(|(at, end)| at < end)) {
            Some(own) => (*own, away) = (true, false),
            None => {
                away = denied.is_some()
                    || away && has("but").is_none() && (goes_on().is_none() || has("or").is_some());
            }
        }
        all.extend(gap.last().filter(|t| t.entity.is_some()).map(|_| away));
    }
    all
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
    sides: &[Option<usize>],
) -> Option<Combination> {
    let starts = starts.get(..ENTITIES.min(starts.len()))?;
    let choices = list_chains(graph, schema, tokens, ask, starts)?;
    let mut combinations: Vec<(f32, Vec<&Chain>)> = vec![(0.0, Vec::new())];
    for chains in &choices {
        let chains = chains.iter().take(CHAINS);
        let mut next = Vec::new();
        for (score, picked) in &combinations {
            for chain in chains.clone() {
                let alike = picked.first().is_none_or(|first: &&Chain| ends_alike(first, chain));
                if alike {
                    next.push((score + chain.score, picked.iter().copied().chain([chain]).collect()));
                }
            }
        }
        combinations = next;
    }
    sort_by(&mut combinations, |a, b| b.0.total_cmp(&a.0));
    combinations.iter().take(TRIED).find_map(|(_, picked)| run_combination(graph, sides, shape, picked))
}

/// The chains from each of these entities by the words that speak of it.
pub(super) fn list_chains(
    graph: &KnowledgeGraph,
    schema: &Schema,
    tokens: &[Token],
    ask: &Ask,
    starts: &[NodeId],
) -> Option<Vec<Vec<Chain>>> {
    let superlatives = &Superlatives::default();
    let chains = starts.iter().enumerate().map(|(index, &start)| {
        let (tokens, anchor) = split_shared(tokens, index)?;
        let scorer = Scorer { graph, schema, tokens: &tokens, ask, anchor, superlatives };
        let mut chains = scorer.chains(Start::Node(start));
        // The words that speak of one entity may also be those of another: they pay for no step back.
        let again = scorer.says_again();
        chains.retain(|chain| again || !chain.goes_back());
        Some(chains)
    });
    chains.collect()
}

fn ends_alike(a: &Chain, b: &Chain) -> bool {
    a.steps.last().map(|s| s.to) == b.steps.last().map(|s| s.to)
}

/// Runs a combination: the branches, the set operation, and the steps that all branches share at their end.
/// Whether those come before or after the set operation is the difference between "genres of films with A and
/// B" and "genres that films of A and of B share".
fn run_combination(
    graph: &KnowledgeGraph,
    sides: &[Option<usize>],
    shape: Shape,
    picked: &[&Chain],
) -> Option<Combination> {
    let common = common_end(picked);
    let kept: Vec<(usize, &Chain)> =
        sides.iter().zip(picked).filter_map(|(side, chain)| Some(((*side)?, *chain))).collect();
    let choices: Vec<&[(usize, &Chain)]> = kept.chunk_by(|a, b| a.0 == b.0).collect();
    let inner_first = shape == Shape::Ip || sides.contains(&None);
    let orders: &[usize] = match (common, choices.len()) {
        (0, _) => &[0],
        _ if inner_first => &[1, 0],
        (_, 1) => &[0],
        _ => &[0, 1],
    };
    let paid = (picked.iter().map(|c| c.paid).sum(), picked.iter().map(|c| c.steps.len()).sum());
    for &cut in orders {
        let cut = cut.min(1) * common;
        let inner = |c: &Chain| Chain { steps: c.steps[..c.steps.len() - cut].to_vec(), ..c.clone() };
        let branches: Vec<Vec<Chain>> =
            choices.iter().map(|of| of.iter().map(|(_, c)| inner(c)).collect()).collect();
        let minus: Vec<Chain> =
            sides.iter().zip(picked).filter(|(side, _)| side.is_none()).map(|(_, c)| inner(c)).collect();
        let tail: Vec<Step> =
            picked.first().map(|c| c.steps[c.steps.len() - cut..].to_vec()).unwrap_or_default();
        let mut answer = intersect_choices(graph, &branches);
        for set in minus.iter().map(|c| follow(graph, c)) {
            answer.retain(|node| set.binary_search(node).is_err());
        }
        for step in &tail {
            answer = advance(graph, &answer, *step);
        }
        if cut == 0 || !branches.iter().flatten().chain(&minus).any(|b| b.steps.is_empty()) {
            answer.retain(|node| !picked.iter().any(|c| c.start == Start::Node(*node)));
            if !answer.is_empty() {
                return Some(Combination { branches, minus, tail, answer, paid });
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

/// Returns what any chain of each choice finds.
fn intersect_choices(graph: &KnowledgeGraph, choices: &[Vec<Chain>]) -> Vec<NodeId> {
    let sets = choices.iter().map(|of| {
        let mut all: Vec<NodeId> = of.iter().flat_map(|c| follow(graph, c)).collect();
        sort_unique(&mut all);
        all
    });
    let both =
        |a: Vec<NodeId>, b: Vec<NodeId>| a.into_iter().filter(|n| b.binary_search(n).is_ok()).collect();
    sets.reduce(both).unwrap_or_default()
}

/// The words that speak of one entity: those before the first entity, and its own. Own words that speak of a
/// relation stand in for the shared ones: "films directed by A and starring B".
fn split_shared(tokens: &[Token], entity: usize) -> Option<(Vec<Token>, usize)> {
    let places: Vec<usize> =
        tokens.iter().enumerate().filter(|(_, t)| t.entity.is_some()).map(|(at, _)| at).collect();
    let (first, here) = (*places.first()?, *places.get(entity)?);
    let until = places.get(entity + 1).copied().unwrap_or(tokens.len());
    let joins =
        |t: &Token| matches!(t.folded.as_str(), "and" | "or" | "but" | "also") || takes_away(&t.folded);
    // Behind an entity its own words go on to what joins or leads to the next: "did A direct and B star in",
    // "directed by A starring B".
    let refers = |t: &Token| !t.relations.is_empty();
    // The noun that is asked for is said of all.
    let noun = tokens[..first].iter().position(|t| !t.types.is_empty()).map_or(2, |at| at + 1);
    let begun = tokens[..first].iter().skip(noun).any(refers);
    let leads = |t: &Token| {
        SPOKEN.prepositions().has(&t.folded, "participle")
            || refers(t) && (begun || t.folded.ends_with("ing"))
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
        let own = gap[ends(gap)..].iter().filter(|t| !joins(t));
        own.cloned().collect::<Vec<Token>>()
    });
    let own = own.into_iter().find(|own| !own.is_empty()).unwrap_or_default();
    let tail: Vec<Token> = tokens[here + 1..behind].to_vec();
    let mut shared: Vec<Token> = tokens[..first].to_vec();
    if own.iter().chain(&tail).any(refers) && entity > 0 {
        // What the first entity's own words say is not said of the others.
        let own = shared.iter_mut().skip(noun).rev().skip_while(|t| !refers(t)).take_while(|t| refers(t));
        for token in own {
            token.relations.clear();
            token.types.clear();
        }
    }
    let anchor = shared.len() + own.len();
    let mut all = shared;
    all.extend(own);
    all.push(tokens[here].clone());
    all.extend(tail);
    Some((all, anchor))
}
