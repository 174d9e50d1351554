//! Chains from one entity: the paths that the schema allows, scored by how well they explain the question.

use super::alignment::Aligner;
use super::question::{Ask, Token, is_modifier};
pub(super) use super::rank::{Rank, Ranking, Start};
use super::schema::{Schema, Step};
use super::superlative::Superlatives;
use super::{voice, weights};
use crate::compact::{Map, sort_by, sort_unique};
use crate::kg::{Class, Direction, KnowledgeGraph, NodeId, RelationId, TypeId};
use crate::text::lexicon::{Language, SPOKEN};
use pocketgraph_question::is_other_role;

/// Chains are at most so long.
const LONGEST: usize = 3;
/// Paths beyond these are not scored, so that a hostile graph costs a bounded time.
const PATHS: usize = 20_000;
/// In graphs with at most so many directed relations every relation may be an unpaid step; in larger ones
/// only a return.
const FREE: usize = 64;

/// Returns true if a word, in lower case, means that something is done or had again.
pub(super) fn is_same_as_cue(folded: &str) -> bool {
    SPOKEN.operation_cues().has(folded, "again")
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chain {
    /// The start of its steps.
    pub start: Start,
    /// Other entities of the same name and types, from which it starts too.
    pub namesakes: Vec<NodeId>,
    /// Superlatives, in the order of the steps.
    pub ranks: Vec<Rank>,
    /// For a negation: the answer is all things of this type that the steps do *not* find. Superlatives after
    /// the last step come later.
    pub negated: Option<TypeId>,
    /// True if the question asks for the number of results.
    pub counted: bool,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Score of its explanation of the question.
    pub score: f32,
    /// Number of its steps that a word pays for.
    pub paid: usize,
    /// Number of its other steps that lead to a type that the question names: "rivers in Texas".
    pub typed: usize,
}

impl Chain {
    /// Returns true if a step is taken and right away the same step back.
    pub fn goes_back(&self) -> bool {
        self.steps.windows(2).any(|w| w[1].returns(w[0]))
    }

    /// A chain without steps.
    pub fn of(start: Start) -> Chain {
        Chain {
            start,
            namesakes: Vec::new(),
            ranks: Vec::new(),
            negated: None,
            counted: false,
            steps: Vec::new(),
            score: 0.0,
            paid: 0,
            typed: 0,
        }
    }
}

/// Everything about a question that does not depend on the path.
pub(super) struct Scorer<'a> {
    pub graph: &'a KnowledgeGraph,
    pub schema: &'a Schema,
    pub tokens: &'a [Token],
    pub ask: &'a Ask,
    /// The place of the entity among the tokens.
    pub anchor: usize,
    /// The superlatives of the question.
    pub superlatives: &'a Superlatives,
}

impl Scorer<'_> {
    /// The chains from an entity, best first; of equal ones the shorter and then the first of the schema.
    pub fn chains(&self, start: Start) -> Vec<Chain> {
        let mut aligner = Aligner::new(self.tokens, self.anchor);
        let own = match start {
            Start::Node(node) => self.graph.types(node).to_vec(),
            Start::All(of) => vec![of],
            Start::Having(holders) => holders.of.into_iter().collect(),
        };
        let mentioned = self.mentioned(start, &own);
        let present = if let Start::Node(node) = start { Some(self.present(node)) } else { None };
        let is_apposed = self.apposed(start).is_some_and(|(at, _)| !self.tokens[at].folded.ends_with('s'));
        let bonus = if is_apposed { weights::apposition() } else { 0.0 };
        let paths = self.paths(start, &aligner);
        let again = self.says_again();
        // Which way the first step faces and whether the entity has it: paths with the same one come in runs.
        let mut beginning: Option<(Step, Option<f32>, bool)> = None;
        let mut types = Vec::new();
        let mut chains: Vec<Chain> = Vec::with_capacity(paths.len());
        for steps in paths {
            let (faces, absent) = match (steps.first(), beginning) {
                (None, _) => (Some(0.0), false),
                (Some(first), Some((known, faces, absent))) if *first == known => (faces, absent),
                (Some(first), _) => {
                    let absent =
                        present.as_ref().is_some_and(|has| !has.contains(&(first.relation, first.direction)));
                    let faces = self.faces(start, *first);
                    beginning = Some((*first, faces, absent));
                    (faces, absent)
                }
            };
            let Some(faces) = faces else { continue };
            let (aligned, paid) = aligner.score(&steps);
            let (ranks, unmet) = self.superlatives.ranks(start, &steps);
            let score = bonus - if absent { weights::absent() } else { 0.0 }
                + aligned
                + self.answer_type(start, &steps)
                + faces
                + type_words(&steps, &mentioned, &own, again, &mut types)
                - weights::step_cost() * steps.len() as f32
                - weights::unmet() * unmet as f32;
            chains.push(Chain {
                start,
                namesakes: Vec::new(),
                ranks,
                negated: None,
                counted: false,
                typed: typed(&steps, &mentioned).min(steps.len() - paid.min(steps.len())),
                steps,
                score,
                paid,
            });
        }
        sort_by(&mut chains, |a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.steps.len().cmp(&b.steps.len()))
                .then_with(|| a.steps.cmp(&b.steps))
        });
        chains
    }

    /// The paths of one to three steps from an entity.
    fn paths(&self, start: Start, aligner: &Aligner) -> Vec<Vec<Step>> {
        let few = self.schema.directed_relations() <= FREE;
        let refers = |step: &Step| aligner.has_cue(step.relation);
        let mut frontier: Vec<Vec<Step>> = Vec::new();
        let mut paths = Vec::new();
        match start {
            Start::Node(node) => {
                let apposed = self.apposed(start).map(|(_, of)| Class::Type(of));
                let classes: Vec<Class> = self
                    .graph
                    .classes(node)
                    .filter(|class| apposed.is_none_or(|only| only == *class))
                    .collect();
                let present = self.present(node);
                let mut ends: Vec<Step> =
                    classes.iter().flat_map(|&class| self.schema.from(class)).copied().collect();
                // That a state has no rivers is an answer, where what things of its type have is known and
                // little.
                ends.retain(|s| {
                    if present.contains(&(s.relation, s.direction)) {
                        few || refers(s)
                    } else {
                        few && classes != [Class::Untyped]
                    }
                });
                // What the thing itself has may be asked of it, whatever others of its kind have: a package
                // is called like a keyword.
                let lacks = |ends: &[Step], at: &(RelationId, Direction)| {
                    !ends.iter().any(|s| (s.relation, s.direction) == *at)
                };
                let own: Vec<Step> = if apposed.is_some() {
                    Vec::new()
                } else {
                    let own = present.iter().filter(|at| aligner.has_cue(at.0) && lacks(&ends, at));
                    own.flat_map(|&(relation, direction)| self.own_steps(node, relation, direction)).collect()
                };
                ends.extend(own);
                sort_unique(&mut ends);
                frontier.extend(ends.into_iter().map(|step| vec![step]));
            }
            Start::All(of) => {
                // The whole set may be what is asked for.
                paths.push(Vec::new());
                frontier.extend(
                    self.schema
                        .from(Class::Type(of))
                        .iter()
                        .filter(|s| few || refers(s))
                        .map(|step| vec![*step]),
                );
            }
            Start::Having(holders) => {
                paths.push(Vec::new());
                let classes = holders.classes(self.graph);
                let mut all: Vec<Step> = classes
                    .iter()
                    .flat_map(|class| self.schema.from(*class))
                    .filter(|s| refers(s))
                    .copied()
                    .collect();
                sort_unique(&mut all);
                frontier.extend(all.into_iter().map(|step| vec![step]));
            }
        }
        let mut spoken: Map<Class, Vec<Step>> = Map::new();
        for length in 1..=LONGEST {
            let mut next = Vec::new();
            for path in frontier {
                if length < LONGEST
                    && let Some(&last) = path.last()
                {
                    let all = self.schema.from(last.to);
                    // Classes have hundreds of steps, of which few are spoken of: they are picked out once.
                    let spoken = spoken.get_or_insert_with(last.to, || {
                        all.iter().copied().filter(|s| few || refers(s)).collect()
                    });
                    let (before, behind) =
                        spoken.split_at(spoken.partition_point(|s| s.relation < last.relation));
                    let unnamed = if few || refers(&last) {
                        &[]
                    } else {
                        &all[all.partition_point(|s| s.relation < last.relation)..]
                    };
                    let returns = unnamed
                        .iter()
                        .take_while(|s| s.relation == last.relation)
                        .filter(|s| s.returns(last));
                    for step in
                        before.iter().chain(returns).chain(behind).filter(|s| self.schema.meet(last, **s))
                    {
                        if next.len() < PATHS {
                            next.push(path.iter().copied().chain([*step]).collect());
                        }
                    }
                }
                paths.push(path);
            }
            frontier = next;
            if paths.len() > PATHS {
                break;
            }
        }
        paths
    }

    /// The steps along a relation that a thing has, by what the first of them leads to.
    fn own_steps(&self, node: NodeId, relation: RelationId, direction: Direction) -> Vec<Step> {
        let first = self.graph.follow(node, relation, direction).next();
        first
            .into_iter()
            .flat_map(|edge| self.graph.classes(edge.other))
            .map(|to| Step { relation, direction, to })
            .collect()
    }

    /// The directed relations that an entity has.
    fn present(&self, node: NodeId) -> Vec<(RelationId, Direction)> {
        let of = |direction| {
            self.graph
                .relations_at(node, direction)
                .into_iter()
                .map(move |(relation, _)| (relation, direction))
        };
        of(Direction::Forward).chain(of(Direction::Backward)).collect()
    }

    /// Returns the weight of the agreement between the end of a path and the wanted answer.
    fn answer_type(&self, start: Start, steps: &[Step]) -> f32 {
        if self.ask.is_open() {
            return 0.0;
        }
        let Some(last) = steps.last() else {
            let classes = match start {
                Start::All(of) => vec![Class::Type(of)],
                Start::Having(holders) => holders.classes(self.graph),
                Start::Node(_) => Vec::new(),
            };
            return if classes.iter().any(|c| self.ask.classes.contains(c)) {
                weights::kind_agrees()
            } else if classes.contains(&Class::Untyped) && self.ask.relations.is_empty() {
                0.0
            } else {
                weights::kind_disagrees()
            };
        };
        let by_relation = last.direction == Direction::Forward && self.ask.relations.contains(&last.relation);
        match last.to {
            _ if by_relation || self.ask.classes.contains(&last.to) => weights::kind_agrees(),
            // What is of no known kind may be of any.
            Class::Untyped => 0.0,
            _ => weights::kind_disagrees(),
        }
    }

    /// Returns the weight of a first step's direction between things of one kind, where the schema does not
    /// decide: "pages that link to X" wants the relation's heads, "what does X link to" and "the father of X"
    /// its tails. `None` if the question asks for neither end.
    fn faces(&self, start: Start, first: Step) -> Option<f32> {
        let (graph, relation) = (self.graph, first.relation);
        if voice::judge_label(graph, relation, self.tokens, self.anchor, is_other_role) {
            return None;
        }
        if !self.schema.from(first.to).iter().any(|s| s.returns(first) && s.to == first.to) {
            return Some(0.0);
        }
        // Where the thing has something on the other side alone the label is no verb after all: films
        // "starred" people, and people starred in films.
        let has = |meant| {
            !matches!(start, Start::Node(n) if self.graph.follow(n, first.relation,
            meant).next().is_none())
        };
        let meant = voice::judge_label(graph, relation, self.tokens, self.anchor, voice::direction)
            .filter(|meant| has(*meant) || !has(meant.reversed()));
        Some(
            meant.map_or(
                0.0,
                |meant| if meant == first.direction { weights::voice() } else { -weights::voice() },
            ),
        )
    }

    /// Returns true if a word means that a step is taken back: "films that share directors with Heat".
    pub(super) fn says_again(&self) -> bool {
        let before = self.anchor.checked_sub(1).map(|at| self.tokens[at].folded.as_str());
        matches!(before, Some("as" | "with" | "like"))
            || self.tokens.iter().any(|t| is_same_as_cue(&t.folded))
    }

    /// The word beside the entity that says what it is ("the movie X", "the Missouri river"), and the type
    /// that it names. Of two nodes in one, a film and a person of the same name, it tells which is meant.
    fn apposed(&self, start: Start) -> Option<(usize, TypeId)> {
        let Start::Node(start) = start else { return None };
        let own = self.graph.types(start);
        let article =
            |t: &Token| matches!(t.folded.as_str(), "the" | "a" | "an" | "called" | "named" | "titled");
        let before = (0..self.anchor).rev().find(|&at| !article(&self.tokens[at])).map(|at| {
            // "The state of Texas", but not "the films of Spielberg".
            let kind = at
                .checked_sub(1)
                .filter(|&k| self.tokens[at].folded == "of" && !self.tokens[k].folded.ends_with('s'));
            kind.unwrap_or(at)
        });
        let behind = (self.anchor + 1 < self.tokens.len()).then_some(self.anchor + 1);
        [before, behind].into_iter().flatten().find_map(|at| {
            let of = self.tokens[at].types.iter().find(|t| own.contains(t))?;
            Some((at, *of))
        })
    }

    /// The types that the question's words name, apart from a word beside the entity that says what it is,
    /// and from one that says of what kind it is: "which sort of film is Heat", but not "the director of
    /// films".
    fn mentioned(&self, start: Start, own: &[TypeId]) -> Vec<TypeId> {
        let apposed = self.apposed(start).map(|(at, _)| at);
        let kind = |at: usize| {
            let token = &self.tokens[at];
            let bare = at.checked_sub(1).is_some_and(|of| self.tokens[of].folded == "of")
                && !token.folded.ends_with('s');
            bare && token.types.iter().any(|t| own.contains(t))
        };
        let counts = |at: usize| Some(at) != apposed && !kind(at) && !is_modifier(&self.tokens[at..]);
        self.tokens
            .iter()
            .enumerate()
            .filter(|(at, _)| counts(*at))
            .filter_map(|(_, t)| t.types.first().copied())
            .collect()
    }
}

/// Returns the number of steps that lead to types that the question names, each word for one step.
fn typed(steps: &[Step], mentioned: &[TypeId]) -> usize {
    let words = |to: Class| mentioned.iter().filter(|of| to == Class::Type(**of)).count();
    let earlier = |at: usize| steps[..at].iter().filter(|s| s.to == steps[at].to).count();
    (0..steps.len()).filter(|&at| earlier(at) < words(steps[at].to)).count()
}

/// Each inverse step to a type wants a word for the type, above all one that takes back the step before it if
/// nothing else says so (`again`): two words that speak of a film's year speak of one step. And each word for
/// a type a step that leads there, but for one that speaks of the chain's beginning, which is of the types
/// `own`: "what sort of film is Heat". `types` is room for them.
fn type_words(
    steps: &[Step],
    mentioned: &[TypeId],
    own: &[TypeId],
    again: bool,
    types: &mut Vec<TypeId>,
) -> f32 {
    let mut total = 0.0;
    let uncued = if again { 0.0 } else { weights::uncued_backtrack() };
    // Ascending: the same order gives the same sum.
    types.clear();
    let led_to = steps.iter().filter_map(|s| if let Class::Type(t) = s.to { Some(t) } else { None });
    for of in mentioned.iter().copied().chain(led_to) {
        if let Err(at) = types.binary_search(&of) {
            types.insert(at, of);
        }
    }
    for &of in types.iter() {
        let words = mentioned.iter().filter(|t| **t == of).count() as f32;
        let to = |s: &&Step| s.to == Class::Type(of);
        let inverse = steps.iter().filter(to).filter(|s| s.direction == Direction::Backward).count() as f32;
        let returns = steps
            .windows(2)
            .filter(|pair| {
                pair[1].returns(pair[0])
                    && pair[1].direction == Direction::Backward
                    && pair[1].to == Class::Type(of)
            })
            .count() as f32;
        let any = (steps.iter().filter(to).count() + usize::from(own.contains(&of))) as f32;
        total -= weights::backward() * (inverse - words).max(0.0)
            + uncued * (returns - words).max(0.0)
            + weights::idle_type() * (words - any).max(0.0);
    }
    total
}
