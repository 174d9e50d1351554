//! From an example of `pocketgraph train data` to what the planner shall say of its question.
//!
//! A plan has slots: R1 is the first step, T1 the type of its results, E1 its source. Words of the question
//! are assigned to slots by name, adjacent words together if a name fits two. Doubtful cases are no examples.

use pocketgraph::plan::{Compare, Extreme, Head, How, Measure, Operation, Plan, Relation, SearchKg};
use pocketgraph::planner::model::{Aggregation, Shape, Tag};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::slice;

/// A line of the data, as far as training reads it.
#[derive(Debug, Clone, Deserialize)]
pub struct Example {
    /// The question.
    pub question: String,
    /// Its plan, of exact entities and relations.
    pub plan: Plan,
    /// Spans of the question with their meanings.
    pub spans: Vec<Span>,
    /// Labels and identifiers of answers, fifty at most.
    #[serde(default)]
    pub answers: Vec<Vec<String>>,
    /// Number of answers.
    #[serde(default)]
    pub count: usize,
    /// The pattern's name.
    #[serde(default)]
    pub pattern: String,
}

/// A piece of a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Span {
    /// First character.
    pub start: usize,
    /// First character after it.
    pub end: usize,
    /// Kind of the item.
    pub kind: Kind,
    /// The entity's, relation's or type's name in the graph.
    pub name: String,
    /// True if the plan follows the relation from tail to head.
    #[serde(default)]
    pub inverse: bool,
}

/// Kind of a piece of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A mention of an entity.
    Entity,
    /// Words for a relation.
    Relation,
    /// Words for a type.
    Type,
}

/// Targets of the planner for a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Shape of the query.
    pub shape: Shape,
    /// Aggregation of its result.
    pub aggregation: Aggregation,
    /// For superlatives: whether things are counted (1) and not a value read (0).
    pub number: Option<usize>,
    /// Bytes of the question, and their tag. In order of the question; none overlap.
    pub tagged: Vec<(Range<usize>, Tag)>,
    /// Mentions of entities, in bytes.
    pub mentions: Vec<Range<usize>>,
}

/// Reasons for which an example is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum LabelError {
    /// The plan has another shape than those that the model knows.
    #[error("a plan of no known shape")]
    Shape,
    /// The question does not say a relation or an entity of the plan, or says what the plan lacks.
    #[error("words and plan that do not match")]
    Unstated,
    /// Words could be given to slots in two ways that are equally good.
    #[error("words that two slots could have")]
    Alike,
    /// Spans overlap or are outside the question.
    #[error("spans that overlap")]
    Spans,
}

#[derive(Debug, Clone, PartialEq)]
struct Step {
    relation: (String, bool),
    target: Option<String>,
}

/// Chains of steps of a shape, each from an entity.
#[derive(Debug, Clone, Default)]
struct Skeleton {
    entities: Vec<String>,
    steps: Vec<Step>,
    /// For each entity, the steps that follow it up to where branches meet, as indices of `steps`.
    branches: Vec<Vec<usize>>,
    /// Branches that could change places.
    alike: Vec<usize>,
    measured: Option<String>,
}

/// Sets of a plan, as a tree.
enum Set<'p> {
    All(&'p str),
    Entity(&'p str),
    Step(&'p SearchKg, Box<Set<'p>>),
    And(Vec<Set<'p>>),
    Or(Vec<Set<'p>>),
    Not(Box<Set<'p>>, Box<Set<'p>>),
}

/// The labels of an example.
///
/// # Errors
/// [`LabelError`], where the example says nothing for certain.
pub fn labels(example: &Example) -> Result<Labels, LabelError> {
    let (shape, aggregation, number, skeleton) = read_structure(&example.plan).ok_or(LabelError::Shape)?;
    let mut spans = example
        .spans
        .iter()
        .map(|s| in_bytes(&example.question, s))
        .collect::<Option<Vec<_>>>()
        .ok_or(LabelError::Spans)?;
    spans.sort_by_key(|s| s.start);
    if spans.windows(2).any(|w| w[0].end > w[1].start) {
        return Err(LabelError::Spans);
    }
    let spans: Vec<&Span> = spans.iter().collect();
    let mut tagged = assign_spans(&skeleton, &spans)?;
    tagged.sort_by_key(|t| t.0.start);
    let mentions = spans.iter().filter(|s| s.kind == Kind::Entity).map(|s| s.start..s.end).collect();
    Ok(Labels { shape, aggregation, number, tagged, mentions })
}

/// A span with bytes for characters; `None` where it is empty or not in the question.
fn in_bytes(question: &str, span: &Span) -> Option<Span> {
    let mut ends = question.char_indices().map(|(at, _)| at).chain([question.len()]);
    let start = ends.nth(span.start)?;
    let end = ends.nth(span.end.checked_sub(span.start)?.checked_sub(1)?)?;
    Some(Span { start, end, ..span.clone() })
}

/// Returns a plan's shape, aggregation, and for superlatives 1 if things are counted, 0 for a value.
pub fn classify_plan(plan: &Plan) -> Option<(Shape, Aggregation, Option<usize>)> {
    read_structure(plan).map(|(shape, aggregation, number, _)| (shape, aggregation, number))
}

/// The shape of a plan, what is asked of the set, and the plan's slots.
fn read_structure(plan: &Plan) -> Option<(Shape, Aggregation, Option<usize>, Skeleton)> {
    let by_name: BTreeMap<&str, &Operation> =
        plan.statements.iter().map(|s| (s.name.as_str(), &s.operation)).collect();
    let set = |name: &str| read_set(&by_name, name, 0);
    match by_name.get(plan.answer.as_str())? {
        Operation::Count { of } => {
            let (shape, skeleton) = skeleton_of(&set(of)?)?;
            Some((shape, Aggregation::Count, None, skeleton))
        }
        Operation::Superlative { of, by, extreme, keep: 1 } => {
            let (shape, mut skeleton) = skeleton_of(&set(of)?)?;
            let (relation, number) = match by.as_ref()? {
                Measure::ValueOf(relation) => (relation, 0),
                Measure::NumberOf(relation) => (relation, 1),
            };
            let Relation::Exact { name, inverse: false } = relation else { return None };
            skeleton.measured = Some(name.clone());
            let aggregation = if *extreme == Extreme::Max { Aggregation::Max } else { Aggregation::Min };
            Some((shape, aggregation, Some(number), skeleton))
        }
        Operation::Compare(Compare { of, how, by: None, question: None }) => {
            let aggregation = match how.as_ref()? {
                How::Equal => Aggregation::Equal,
                How::Max => Aggregation::Max,
                How::Min => Aggregation::Min,
                _ => return None,
            };
            let [a, b] = of.as_slice() else { return None };
            let (Set::Step(a, x), Set::Step(b, y)) = (set(a)?, set(b)?) else { return None };
            let (Set::Entity(x), Set::Entity(y)) = (*x, *y) else { return None };
            let entities = vec![x.to_owned(), y.to_owned()];
            let branches = vec![vec![0], vec![0]];
            let skeleton =
                Skeleton { entities, steps: vec![step_of(a)?], branches, alike: vec![0, 1], measured: None };
            (a.relation == b.relation).then_some((Shape::Compare, aggregation, None, skeleton))
        }
        _ => {
            let (shape, skeleton) = skeleton_of(&set(&plan.answer)?)?;
            Some((shape, Aggregation::Set, None, skeleton))
        }
    }
}

fn read_set<'p>(by_name: &BTreeMap<&str, &'p Operation>, name: &str, depth: usize) -> Option<Set<'p>> {
    if depth > 8 {
        return None;
    }
    let set = |name: &String| read_set(by_name, name, depth + 1);
    match *by_name.get(name)? {
        Operation::All { target: Some(target), relation: None } => Some(Set::All(target)),
        Operation::SearchKg(search) => {
            let head = match &search.head {
                Head::Entity(id) => Set::Entity(id),
                Head::Reference(name) => set(name)?,
                Head::Mention(_) => return None,
            };
            Some(Set::Step(search, Box::new(head)))
        }
        Operation::Intersect { of } => Some(Set::And(of.iter().map(set).collect::<Option<_>>()?)),
        Operation::Union { of } => Some(Set::Or(of.iter().map(set).collect::<Option<_>>()?)),
        Operation::Negation { main, minus } => match minus.as_slice() {
            [minus] => Some(Set::Not(Box::new(set(main)?), Box::new(set(minus)?))),
            _ => None,
        },
        _ => None,
    }
}

fn step_of(search: &SearchKg) -> Option<Step> {
    let Relation::Exact { name, inverse } = &search.relation else { return None };
    Some(Step { relation: (name.clone(), *inverse), target: search.target.clone() })
}

/// The entity that a chain starts from, and its steps in the order in which they are made.
fn chain_of<'p>(set: &Set<'p>) -> Option<(&'p str, Vec<Step>)> {
    match set {
        Set::Entity(id) => Some((id, Vec::new())),
        Set::Step(search, of) => {
            let (id, mut steps) = chain_of(of)?;
            steps.push(step_of(search)?);
            Some((id, steps))
        }
        _ => None,
    }
}

/// Chains of these lengths, in any order where the lengths are the same; of several lengths, the longer chain
/// first.
fn join_branches(sets: &[Set<'_>], lengths: &[usize]) -> Option<Skeleton> {
    let mut chains = sets.iter().map(chain_of).collect::<Option<Vec<_>>>()?;
    chains.sort_by_key(|c| std::cmp::Reverse(c.1.len()));
    if chains.len() != lengths.len() || chains.iter().zip(lengths).any(|(c, n)| c.1.len() != *n) {
        return None;
    }
    let mut out = Skeleton::default();
    chains.into_iter().for_each(|(id, steps)| out.branch(id, steps));
    Some(out)
}

impl Skeleton {
    fn branch(&mut self, entity: &str, steps: Vec<Step>) {
        let first = self.steps.len();
        self.steps.extend(steps);
        self.entities.push(entity.to_owned());
        self.branches.push((first..self.steps.len()).collect());
    }

    fn alike(mut self, branches: &[usize]) -> Skeleton {
        self.alike = branches.to_vec();
        self
    }

    fn minus(mut self, set: &Set<'_>, length: usize) -> Option<Skeleton> {
        let (id, steps) = chain_of(set)?;
        (steps.len() == length).then_some(())?;
        self.branch(id, steps);
        Some(self)
    }

    fn then(mut self, search: &SearchKg) -> Option<Skeleton> {
        self.steps.push(step_of(search)?);
        Some(self)
    }
}

fn skeleton_of(set: &Set<'_>) -> Option<(Shape, Skeleton)> {
    let length = |set: &Set<'_>| chain_of(set).map(|c| c.1.len());
    Some(match set {
        Set::All(target) => {
            // A step that is none: only its type is said.
            let all = Step { relation: (String::new(), false), target: Some((*target).to_owned()) };
            (Shape::P0, Skeleton { steps: vec![all], ..Skeleton::default() })
        }
        Set::Entity(_) => return None,
        Set::Step(search, of) => match of.as_ref() {
            Set::And(parts) => (Shape::Ip, join_branches(parts, &[1, 1])?.alike(&[0, 1]).then(search)?),
            Set::Or(parts) => (Shape::Up, join_branches(parts, &[1, 1])?.alike(&[0, 1]).then(search)?),
            Set::Not(main, minus) if length(main) == Some(1) => {
                let main = join_branches(slice::from_ref(main.as_ref()), &[1])?;
                (Shape::Inp, main.minus(minus, 1)?.then(search)?)
            }
            _ => {
                let n = length(set)?;
                let shape = *[Shape::P1, Shape::P2, Shape::P3].get(n.checked_sub(1)?)?;
                (shape, join_branches(slice::from_ref(set), &[n])?)
            }
        },
        Set::And(parts) => match parts.len() {
            3 => (Shape::I3, join_branches(parts, &[1, 1, 1])?.alike(&[0, 1, 2])),
            _ => match join_branches(parts, &[1, 1]) {
                Some(two) => (Shape::I2, two.alike(&[0, 1])),
                None => (Shape::Pi, join_branches(parts, &[2, 1])?),
            },
        },
        Set::Or(parts) => (Shape::U2, join_branches(parts, &[1, 1])?.alike(&[0, 1])),
        Set::Not(main, minus) => match (main.as_ref(), length(minus)?) {
            (Set::And(parts), 1) => {
                (Shape::In3, join_branches(parts, &[1, 1])?.alike(&[0, 1]).minus(minus, 1)?)
            }
            (main, n) => {
                let m = length(main)?;
                let shape = match (m, n) {
                    (1, 1) => Shape::In2,
                    (2, 1) => Shape::Pin,
                    (1, 2) => Shape::Pni,
                    _ => return None,
                };
                (shape, join_branches(slice::from_ref(main), &[m])?.minus(minus, n)?)
            }
        },
    })
}

/// Every way to give one of `options[i]` to each i, none twice; an empty list of options means that nothing
/// is given.
fn list_matchings(options: &[Vec<usize>]) -> Vec<Vec<Option<usize>>> {
    let mut all = vec![Vec::new()];
    for choices in options {
        all = all
            .into_iter()
            .flat_map(|before: Vec<Option<usize>>| {
                let free: Vec<Option<usize>> = match choices.is_empty() {
                    true => vec![None],
                    false => choices.iter().map(|&c| Some(c)).filter(|c| !before.contains(c)).collect(),
                };
                free.into_iter().map(move |c| before.iter().copied().chain([c]).collect())
            })
            .collect();
    }
    all
}

/// From the first to the last word of something.
type Extent = Option<(usize, usize)>;

fn join_extents(a: Extent, b: Extent) -> Extent {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

/// Letters between two extents; 0 where they overlap.
fn gap_between(a: Extent, b: Extent) -> usize {
    match (a, b) {
        (Some(a), Some(b)) => b.0.saturating_sub(a.1).max(a.0.saturating_sub(b.1)),
        _ => 0,
    }
}

fn assign_spans(s: &Skeleton, spans: &[&Span]) -> Result<Vec<(Range<usize>, Tag)>, LabelError> {
    let of_kind = |kind: Kind| (0..spans.len()).filter(move |&i| spans[i].kind == kind);
    let extent = |i: usize| (spans[i].start, spans[i].end);
    let entities: Vec<Vec<usize>> = s
        .entities
        .iter()
        .map(|id| of_kind(Kind::Entity).filter(|&i| spans[i].name == *id).collect())
        .collect();
    if entities.iter().any(Vec::is_empty) {
        return Err(LabelError::Unstated);
    }
    // Which words could be each step's relation, and the measured one.
    let spans_of = |name: &str, inverse: bool| {
        of_kind(Kind::Relation).filter(|&i| spans[i].name == name && spans[i].inverse == inverse).collect()
    };
    let mut relations: Vec<Vec<usize>> =
        s.steps.iter().map(|step| spans_of(&step.relation.0, step.relation.1)).collect();
    if s.entities.is_empty() {
        relations.iter_mut().for_each(Vec::clear);
    }
    let measured: Vec<usize> = s.measured.iter().flat_map(|name| spans_of(name, false)).collect::<Vec<_>>();
    let shares = s.shares(&relations);
    let shared: Vec<usize> = shares.iter().flat_map(|(_, others)| others.clone()).collect();
    shared.iter().for_each(|&i| relations[i].clear());
    let unstated = |i: usize| relations[i].is_empty() && !shared.contains(&i) && !s.entities.is_empty();
    if (0..s.steps.len()).any(unstated) || (s.measured.is_some() && measured.is_empty()) {
        return Err(LabelError::Unstated);
    }
    let mut options = entities;
    options.extend(relations);
    options.extend(s.measured.as_ref().map(|_| measured));
    let used = of_kind(Kind::Entity).count() + of_kind(Kind::Relation).count();
    // Costs of all ways; the smallest must be alone.
    let mut best: Option<(usize, Vec<Option<usize>>)> = None;
    let mut tie = false;
    for way in list_matchings(&options) {
        if way.iter().flatten().count() != used {
            continue;
        }
        let at = |slot: usize| way.get(slot).copied().flatten().map(extent);
        let cost = s.cost(&at);
        match &best {
            Some((least, _)) if cost > *least => {}
            Some((least, _)) if cost == *least => tie = true,
            _ => {
                tie = false;
                best = Some((cost, way));
            }
        }
    }
    let Some((_, way)) = best else { return Err(LabelError::Unstated) };
    if tie {
        return Err(LabelError::Alike);
    }
    s.tags(&way, spans, &shares)
}

impl Skeleton {
    /// Returns steps that share one relation's words, after the one with them. `relations` are their
    /// candidates.
    ///
    /// Such are alike branches ("the head of A or B"), a chain and a step with a common end, and a step and
    /// its inverse ("with the same director as A").
    fn shares(&self, relations: &[Vec<usize>]) -> Vec<(usize, Vec<usize>)> {
        let firsts: Vec<usize> =
            self.alike.iter().filter_map(|&b| self.branches[b].first().copied()).collect();
        let mut shares: Vec<(usize, Vec<usize>)> = Vec::new();
        for (i, &step) in firsts.iter().enumerate() {
            let same = |j: &usize| *j != step && self.steps[*j].relation == self.steps[step].relation;
            let others: Vec<usize> = firsts[i..].iter().copied().filter(same).collect();
            let elsewhere = (0..self.steps.len()).filter(|j| !firsts.contains(j) && same(j)).count();
            if !others.is_empty() && !firsts[..i].iter().any(same) && relations[step].len() == 1 + elsewhere {
                shares.push((step, others));
            }
        }
        // "The genre of the capital of A and of B": a chain and a step that end alike.
        if let ([chain, single], []) = (&self.branches[..], &self.alike[..])
            && let ([_, end], [step]) = (&chain[..], &single[..])
            && self.steps[*end].relation == self.steps[*step].relation
            && relations[*end].len() == 1
            && self.steps.iter().filter(|s| s.relation == self.steps[*end].relation).count() == 2
        {
            shares.push((*end, vec![*step]));
        }
        for (step, of) in self.steps.iter().enumerate() {
            let back = |j: usize| {
                self.steps
                    .get(j)
                    .is_some_and(|s| s.relation.0 == of.relation.0 && s.relation.1 != of.relation.1)
            };
            let beside = |j: usize| self.branches.iter().any(|b| b.contains(&j) && b.contains(&step));
            let near =
                [step.checked_sub(1), Some(step + 1)].into_iter().flatten().find(|&j| back(j) && beside(j));
            if let (true, Some(giver)) =
                (relations[step].is_empty(), near.filter(|&j| !relations[j].is_empty()))
            {
                shares.push((giver, vec![step]));
            }
        }
        shares
    }

    /// Sums the letters between each step's words and its source's. Overlapping branches are the worst.
    fn cost(&self, at: &dyn Fn(usize) -> Extent) -> usize {
        let (n, m) = (self.entities.len(), self.steps.len());
        let mut cost = 0;
        let mut extents: Vec<Extent> = Vec::new();
        for (branch, steps) in self.branches.iter().enumerate() {
            let mut so_far = at(branch);
            for &step in steps {
                let words = at(n + step);
                cost += gap_between(so_far, words) + if do_overlap(so_far, words) { 100 } else { 0 };
                so_far = join_extents(so_far, words);
            }
            extents.push(so_far);
        }
        for (i, a) in extents.iter().enumerate() {
            cost += extents[..i].iter().filter(|b| do_overlap(*a, **b)).count() * 1000;
        }
        // The step after branches have met, and what is measured, are about all of them.
        let all = extents.into_iter().fold(None, join_extents);
        let last = self.branches.iter().flatten().max().map_or(0, |i| i + 1);
        let mut so_far = all;
        for slot in (n + last..n + m).chain(self.measured.as_ref().map(|_| n + m)) {
            cost += gap_between(so_far, at(slot)) + if do_overlap(so_far, at(slot)) { 100 } else { 0 };
            so_far = join_extents(so_far, at(slot));
        }
        cost
    }

    /// The tags of a way, with alike branches in the order of the question.
    fn tags(
        &self,
        way: &[Option<usize>],
        spans: &[&Span],
        shares: &[(usize, Vec<usize>)],
    ) -> Result<Vec<(Range<usize>, Tag)>, LabelError> {
        let (n, m) = (self.entities.len(), self.steps.len());
        let bytes = |slot: usize| way.get(slot).copied().flatten().map(|i| spans[i].start..spans[i].end);
        let mut order: Vec<usize> = (0..n).collect();
        let mut sorted = self.alike.clone();
        sorted.sort_by_key(|&b| bytes(b).map(|r| r.start));
        for (place, branch) in self.alike.iter().zip(sorted) {
            order[*place] = branch;
        }
        // Where each old branch and each old step goes.
        let mut step_to: Vec<usize> = (0..m).collect();
        for (place, &branch) in order.iter().enumerate() {
            for (new, old) in self.branches[place].iter().zip(&self.branches[branch]) {
                step_to[*old] = *new;
            }
        }
        let mut out = Vec::new();
        for (place, &branch) in order.iter().enumerate() {
            out.extend(bytes(branch).map(|r| (r, Tag::Entity(place))));
        }
        for old in 0..m {
            // What steps share was given to the first of the plan; it belongs to the first of the question.
            let others = shares
                .iter()
                .find(|(giver, _)| *giver == old)
                .map_or(&[][..], |(_, others)| others.as_slice());
            let first = others.iter().copied().chain([old]).min_by_key(|&i| step_to[i]).unwrap_or(old);
            let (to, inverse) = (step_to[first], self.steps[first].relation.1);
            out.extend(bytes(n + old).map(|r| (r, Tag::Relation(to, inverse))));
        }
        out.extend(bytes(n + m).map(|r| (r, Tag::Measure)));
        out.extend(self.types(way, spans, &step_to)?);
        Ok(out)
    }

    /// Words for types. A noun stands before what is said of it, and the outer of two before the inner.
    fn types(
        &self,
        way: &[Option<usize>],
        spans: &[&Span],
        step_to: &[usize],
    ) -> Result<Vec<(Range<usize>, Tag)>, LabelError> {
        let n = self.entities.len();
        let start = |slot: usize| way.get(slot).copied().flatten().map(|i| spans[i].start);
        // Where a step's clause begins: at the first word of it or of what it starts from.
        let mut clauses: Vec<Option<usize>> = vec![None; self.steps.len()];
        for (branch, steps) in self.branches.iter().enumerate() {
            let mut so_far = start(branch);
            for &step in steps {
                so_far = [so_far, start(n + step)].into_iter().flatten().min();
                clauses[step] = so_far;
            }
        }
        let last = self.branches.iter().flatten().max().map_or(0, |i| i + 1);
        let all = clauses.iter().flatten().copied().min();
        for (step, clause) in clauses.iter_mut().enumerate().skip(last) {
            *clause = [all, start(n + step)].into_iter().flatten().min();
        }
        let nouns: Vec<usize> = (0..spans.len()).filter(|&i| spans[i].kind == Kind::Type).collect();
        let options: Vec<Vec<usize>> = nouns
            .iter()
            .map(|&i| {
                (0..self.steps.len())
                    .filter(|&s| self.steps[s].target.as_deref() == Some(spans[i].name.as_str()))
                    .collect()
            })
            .collect();
        // A type that no step finds ("which planet has …, A or B") is no slot's.
        let cost = |way: &Vec<Option<usize>>| -> (usize, usize, usize, Vec<usize>) {
            let (mut before, mut gaps, mut forward) = (0, 0, 0);
            for (noun, step) in nouns.iter().zip(way) {
                let Some(step) = *step else { continue };
                let clause = clauses[step].unwrap_or(usize::MAX);
                // A clause that began before its noun is a possessive or a forward step, at extra cost.
                before += usize::from(clause < spans[*noun].start);
                gaps += clause.abs_diff(spans[*noun].end).min(10_000);
                forward += usize::from(!self.steps[step].relation.1);
            }
            // Outer nouns first: of equal ways, the one whose first noun has the later step.
            (before, gaps, forward, way.iter().flatten().map(|s| usize::MAX - s).collect())
        };
        let mut ways: Vec<_> = list_matchings(&options).into_iter().map(|w| (cost(&w), w)).collect();
        ways.sort();
        let Some((_, best)) = ways.into_iter().next() else { return Err(LabelError::Unstated) };
        let tagged = nouns
            .iter()
            .zip(&best)
            .filter_map(|(&i, s)| Some((spans[i].start..spans[i].end, Tag::Type(step_to[(*s)?]))));
        Ok(tagged.collect())
    }
}

fn do_overlap(a: Extent, b: Extent) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.0 < b.1 && b.0 < a.1)
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
