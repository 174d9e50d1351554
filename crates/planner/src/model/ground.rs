//! Drafts on a graph: which entities and relations the words stand for, decided by what is found there.
//!
//! Every slot has a few candidates. Readings are built from the entities outwards, a beam at a time, and a
//! reading that finds nothing ranks below every one that does: the graph tells apart what the words alone do
//! not.

use super::super::lexicon::Lexicon;
use super::super::measures::measures;
use super::super::query::{LogicalForm, Query};
use super::super::question::{ask, named_mentions, read_tokens};
use super::super::walk::{self, value};
use super::super::weights;
use super::confidence::{Calibration, Seen};
use super::draft::{Draft, RelationPhrase};
use super::label::{Aggregation, Node, Shape};
use crate::compact::{sort_by, sort_unique};
use crate::elementary::ln_f32;
use crate::kg::{Direction, KnowledgeGraph, Linker, Mention, NodeId, RelationId, TypeId, Value};
use crate::plan::execute::{Phrases, Target};
use crate::plan::{Extreme, Plan};
use crate::text::{fold, words};
use pocketgraph_question::is_function_word;

/// Readings kept of each part of a query.
const BEAM: usize = 6;
/// Relations tried for a step.
const RELATIONS: usize = 5;
/// Entities tried for a mention.
const CANDIDATES: usize = 3;
/// Members of a set at which relations are looked for.
const LOOKED_AT: usize = 256;

/// A draft with everything looked up.
#[derive(Debug, Clone, PartialEq)]
pub struct Grounded {
    /// The query and its aggregation.
    pub form: LogicalForm,
    /// The plan that asks it.
    pub plan: Plan,
    /// Nodes that the plan finds, ascending: the counted things of a count, the entities of a comparison's
    /// answer.
    pub answer: Vec<NodeId>,
    /// Features that give the confidence.
    pub seen: Seen,
    /// The probability that the reading is right.
    pub confidence: f32,
}

/// A part of a query with its candidates chosen.
#[derive(Debug, Clone)]
struct Reading {
    query: Query,
    found: Vec<NodeId>,
    /// Logarithm of how well the words agree.
    score: f32,
    agreements: Vec<f32>,
}

/// Looks drafts up in a graph.
pub struct Grounder<'g> {
    linker: &'g Linker,
    graph: &'g KnowledgeGraph,
    phrases: Phrases,
    lexicon: Lexicon,
}

/// A question with what is known of it before any draft.
struct Asking<'q> {
    mentions: &'q [Mention],
    draft: &'q Draft,
}

impl<'g> Grounder<'g> {
    /// Prepares a graph.
    pub fn new(linker: &'g Linker) -> Grounder<'g> {
        let graph = linker.graph();
        Grounder { linker, graph, phrases: Phrases::new(graph), lexicon: Lexicon::new(graph.vocabulary()) }
    }

    /// Returns the question's names, as far as capitals, figures or the lack of another sense mark them.
    pub fn mentions(&self, question: &str) -> Vec<Mention> {
        named_mentions(question, &self.linker.mentions(question), &self.lexicon)
            .into_iter()
            .cloned()
            .collect()
    }

    /// The best reading of the drafts, by how sure it is of it; `None` where no draft can be looked up.
    /// `mentions` are those that the question was framed with.
    pub fn best(
        &self,
        question: &str,
        mentions: &[Mention],
        drafts: &[Draft],
        calibration: &Calibration,
    ) -> Option<Grounded> {
        let mut best: Option<Grounded> = None;
        for draft in drafts {
            let Some(found) = self.ground(question, mentions, draft, calibration) else { continue };
            if best.as_ref().is_none_or(|b| found.confidence > b.confidence) {
                best = Some(found);
            }
        }
        best
    }

    /// The best reading of one draft.
    pub fn ground(
        &self,
        question: &str,
        mentions: &[Mention],
        draft: &Draft,
        calibration: &Calibration,
    ) -> Option<Grounded> {
        let spans: Vec<_> = draft.entities.iter().map(|e| e.span.clone()).collect();
        let ask = ask(&read_tokens(question, &spans, &self.lexicon), &self.lexicon);
        let asking = Asking { mentions, draft };
        let (asked, reading) = match draft.shape {
            Shape::Compare => self.comparison(&asking)?,
            shape => {
                let readings = self.readings(&shape.node(), &asking);
                match draft.aggregation {
                    Aggregation::Max | Aggregation::Min => self.superlative(readings, &asking)?,
                    // "How many people live in …" asks for the number that the graph has.
                    Aggregation::Count => {
                        let reading = readings.into_iter().next()?;
                        let query = reading.query.clone();
                        (
                            if self.is_a_number(&reading.found) {
                                LogicalForm::Set(query)
                            } else {
                                LogicalForm::Count(query)
                            },
                            reading,
                        )
                    }
                    Aggregation::Set | Aggregation::Equal => {
                        readings.into_iter().next().map(|r| (LogicalForm::Set(r.query.clone()), r))?
                    }
                }
            }
        };
        // "How high" asks for a value: what finds none is no reading of it, and so is what steps from a value
        // back to what has it.
        let a_value = |n: &NodeId| value(self.graph, *n).is_some();
        if ask.value
            && draft.aggregation == Aggregation::Set
            && !reading.found.is_empty()
            && !reading.found.iter().any(a_value)
        {
            return None;
        }
        let n = reading.agreements.len().max(1) as f32;
        let seen = Seen {
            shape: draft.shape_log,
            tags: draft.tags_log,
            weakest: draft.weakest,
            relations: reading.agreements.iter().sum::<f32>() / n,
            weakest_relation: reading.agreements.iter().copied().reduce(f32::min).unwrap_or(0.0),
            unexplained: unexplained(question, draft),
            found: !reading.found.is_empty(),
        };
        let plan = asked.plan(self.graph, question);
        Some(Grounded {
            plan,
            form: asked,
            answer: reading.found,
            seen,
            confidence: calibration.confidence(&seen),
        })
    }

    fn is_a_number(&self, found: &[NodeId]) -> bool {
        matches!(found, [one] if matches!(value(self.graph, *one), Some(Value::Number { .. })))
    }

    /// The readings of a part, best first.
    fn readings(&self, node: &Node, asking: &Asking<'_>) -> Vec<Reading> {
        let mut out = match node {
            Node::All => self.all(asking),
            Node::Entity(slot) => self.entity(*slot, asking),
            Node::Step(slot, of) => {
                let from = self.readings(of, asking);
                from.iter().flat_map(|r| self.step(*slot, r, asking)).collect()
            }
            Node::And(parts) => self.joined(parts, asking, true),
            Node::Or(parts) => self.joined(parts, asking, false),
            Node::Not(main, minus) => {
                let (main, minus) = (self.readings(main, asking), self.readings(minus, asking));
                pair_readings(&main, &minus, |a, b| {
                    let found =
                        a.found.iter().copied().filter(|n| b.found.binary_search(n).is_err()).collect();
                    (Query::Not(Box::new(a.query.clone()), Box::new(b.query.clone())), found)
                })
            }
        };
        // What finds nothing ranks below everything that does.
        sort_by(&mut out, |a, b| {
            a.found.is_empty().cmp(&b.found.is_empty()).then_with(|| b.score.total_cmp(&a.score))
        });
        out.truncate(BEAM);
        out
    }

    fn all(&self, asking: &Asking<'_>) -> Vec<Reading> {
        let Target::Types(types) = self.phrases.target(asking.draft.types[0].as_deref()) else {
            return Vec::new();
        };
        let of = |t: TypeId| Reading {
            query: Query::All(t),
            found: walk::list_entities(self.graph, t),
            score: 0.0,
            agreements: Vec::new(),
        };
        types.into_iter().take(CANDIDATES).map(of).collect()
    }

    fn entity(&self, slot: usize, asking: &Asking<'_>) -> Vec<Reading> {
        let Some(pointer) = asking.draft.entities.get(slot) else { return Vec::new() };
        let Some(mention) = asking.mentions.get(pointer.mention) else { return Vec::new() };
        let read = |c: &crate::kg::Candidate| Reading {
            query: Query::Entity(c.node),
            found: vec![c.node],
            score: ln_f32(c.score.clamp(0.1, 1.0)),
            agreements: Vec::new(),
        };
        mention.candidates.iter().take(CANDIDATES).map(read).collect()
    }

    /// The readings of a step from a reading of where it starts.
    fn step(&self, slot: usize, from: &Reading, asking: &Asking<'_>) -> Vec<Reading> {
        let draft = asking.draft;
        let (spoken, words) = (
            draft.relations.get(slot).and_then(Option::as_ref),
            draft.types.get(slot).and_then(Option::as_deref),
        );
        let target = self.phrases.target(words);
        let heads = from.found.get(..LOOKED_AT.min(from.found.len())).unwrap_or_default();
        let mut ranked = self.relations(heads, spoken, words, &target);
        sort_by(&mut ranked, |a, b| b.2.total_cmp(&a.2));
        let mut out = Vec::new();
        for (relation, direction, agreement) in
            ranked.into_iter().filter(|r| r.2 >= weights::least_agreement()).take(RELATIONS)
        {
            let all = walk::reached(self.graph, &from.found, relation, direction, &|_| true);
            let types: &[TypeId] = if let Target::Types(types) = &target { types } else { &[] };
            let fitting =
                types.iter().map(|&t| (Some(t), self.of_type(&all, t))).find(|(_, found)| !found.is_empty());
            let (target, found) = fitting.unwrap_or((None, all));
            let agreement = agreement.clamp(0.05, 1.0);
            let mut agreements = from.agreements.clone();
            agreements.push(agreement);
            let query = Query::Step { of: Box::new(from.query.clone()), relation, direction, target };
            out.push(Reading { query, found, score: from.score + ln_f32(agreement), agreements });
        }
        out
    }

    /// The relations at these heads, each with how well it agrees with the words for it.
    fn relations(
        &self,
        heads: &[NodeId],
        spoken: Option<&RelationPhrase>,
        words: Option<&str>,
        target: &Target,
    ) -> Vec<(RelationId, Direction, f32)> {
        let phrase = spoken.map_or("", |s| s.words.as_str());
        let everyday = spoken.map(|s| self.everyday_scores(&s.words)).unwrap_or_default();
        let ranked = self.phrases.rank(self.graph, heads, phrase, words, target, None);
        let score = |r: crate::plan::execute::Ranked| {
            let lexical = everyday
                .iter()
                .find(|(relation, _)| *relation == r.relation)
                .map_or(0.0, |(_, worth)| weights::everyday_phrase() * worth);
            let agreement = match spoken {
                None => r.score,
                Some(s) => r.score.max(lexical) + direction_cost(s, r.direction),
            };
            (r.relation, r.direction, agreement)
        };
        ranked.into_iter().map(score).collect()
    }

    /// Returns the weights of the relations that everyday words of a phrase name: the mean over its words
    /// that carry meaning.
    fn everyday_scores(&self, phrase: &str) -> Vec<(RelationId, f32)> {
        let content: Vec<String> =
            words(phrase).iter().map(|w| fold(w.text)).filter(|w| !is_function_word(w)).collect();
        let mut out: Vec<(RelationId, f32)> = Vec::new();
        for word in &content {
            let measured =
                if measures(word).is_empty() { Vec::new() } else { self.lexicon.measured_by(word) };
            for (relation, worth) in self.lexicon.relations(word).into_iter().chain(measured) {
                match out.iter_mut().find(|(known, _)| *known == relation) {
                    Some((_, sum)) => *sum += worth,
                    None => out.push((relation, worth)),
                }
            }
        }
        out.iter_mut().for_each(|(_, sum)| *sum /= content.len().max(1) as f32);
        out
    }

    fn of_type(&self, nodes: &[NodeId], of: TypeId) -> Vec<NodeId> {
        nodes.iter().copied().filter(|&n| self.graph.is_of(n, of)).collect()
    }

    fn joined(&self, parts: &[Node], asking: &Asking<'_>, all: bool) -> Vec<Reading> {
        let mut parts = parts.iter().map(|p| self.readings(p, asking));
        let mut out = parts.next().unwrap_or_default();
        for part in parts {
            out = pair_readings(&out, &part, |a, b| {
                let mut queries = match &a.query {
                    Query::And(of) if all => of.clone(),
                    Query::Or(of) if !all => of.clone(),
                    other => vec![other.clone()],
                };
                queries.push(b.query.clone());
                if all {
                    let found =
                        a.found.iter().copied().filter(|n| b.found.binary_search(n).is_ok()).collect();
                    return (Query::And(queries), found);
                }
                // Each is asked for: one that finds nothing is misread.
                let mut found = if a.found.is_empty() || b.found.is_empty() {
                    Vec::new()
                } else {
                    [a.found.as_slice(), &b.found].concat()
                };
                sort_unique(&mut found);
                (Query::Or(queries), found)
            });
        }
        out
    }

    /// The member at one end of an order, by the relation that fits the words best and has values there.
    fn superlative(&self, readings: Vec<Reading>, asking: &Asking<'_>) -> Option<(LogicalForm, Reading)> {
        let draft = asking.draft;
        let extreme = if draft.aggregation == Aggregation::Max { Extreme::Max } else { Extreme::Min };
        let words = draft.measure.as_deref().unwrap_or_default();
        let spoken = RelationPhrase { words: words.to_owned(), inverse: 0.0 };
        let mut best: Option<((bool, f32), LogicalForm, Reading)> = None;
        for reading in readings {
            let members = reading.found.get(..LOOKED_AT.min(reading.found.len())).unwrap_or_default();
            let mut ranked = self.relations(members, Some(&spoken), None, &Target::Any);
            ranked.retain(|r| r.1 == Direction::Forward);
            sort_by(&mut ranked, |a, b| b.2.total_cmp(&a.2));
            for (relation, _, agreement) in
                ranked.into_iter().filter(|r| r.2 >= weights::least_agreement()).take(RELATIONS)
            {
                let found = walk::select_extreme(self.graph, &reading.found, relation, draft.number, extreme);
                let agreement = agreement.clamp(0.05, 1.0);
                let worth = (!found.is_empty(), reading.score + ln_f32(agreement));
                if best.as_ref().is_none_or(|b| worth > b.0) {
                    let asked = LogicalForm::Superlative {
                        of: reading.query.clone(),
                        relation,
                        number: draft.number,
                        extreme,
                    };
                    let mut agreements = reading.agreements.clone();
                    agreements.push(agreement);
                    best = Some((worth, asked, Reading { found, agreements, ..reading.clone() }));
                }
            }
        }
        best.map(|b| (b.1, b.2))
    }

    /// Two entities by a value that both have.
    fn comparison(&self, asking: &Asking<'_>) -> Option<(LogicalForm, Reading)> {
        let draft = asking.draft;
        let extreme = match draft.aggregation {
            Aggregation::Max => Some(Extreme::Max),
            Aggregation::Min => Some(Extreme::Min),
            _ => None,
        };
        let (firsts, seconds) = (self.entity(0, asking), self.entity(1, asking));
        let mut best: Option<(f32, LogicalForm, Reading)> = None;
        for (a, b) in firsts.iter().flat_map(|a| seconds.iter().map(move |b| (a, b))) {
            let (Query::Entity(x), Query::Entity(y)) = (&a.query, &b.query) else { continue };
            let of = [*x, *y];
            let spoken = draft.relations[0].as_ref().map(|s| RelationPhrase { inverse: 0.0, ..s.clone() });
            let ranked = self.relations(&of, spoken.as_ref(), draft.types[0].as_deref(), &Target::Any);
            for (relation, direction, agreement) in ranked {
                let known = |n: NodeId| self.graph.follow(n, relation, Direction::Forward).len() > 0;
                let values = |n: NodeId| {
                    self.graph
                        .follow(n, relation, Direction::Forward)
                        .any(|e| value(self.graph, e.other).is_some())
                };
                let comparable = of.iter().all(|&n| if extreme.is_some() { values(n) } else { known(n) });
                if direction != Direction::Forward || !comparable {
                    continue;
                }
                let agreement = agreement.clamp(0.05, 1.0);
                let score = a.score + b.score + ln_f32(agreement);
                if best.as_ref().is_none_or(|b| score > b.0) {
                    let found = match extreme {
                        Some(extreme) => walk::select_extreme(self.graph, &of, relation, false, extreme),
                        None => of.to_vec(),
                    };
                    let query = Query::Entity(*x);
                    let asked = LogicalForm::Compare { of, relation, extreme };
                    best = Some((score, asked, Reading { query, found, score, agreements: vec![agreement] }));
                }
            }
        }
        best.map(|b| (b.1, b.2))
    }
}

/// Returns the cost (0 or less) of a step against the direction that the question suggests.
fn direction_cost(spoken: &RelationPhrase, direction: Direction) -> f32 {
    let agrees = if direction == Direction::Backward { spoken.inverse } else { 1.0 - spoken.inverse };
    weights::suggested_direction() * (agrees - 1.0)
}

/// Every reading of one part with every reading of the other.
fn pair_readings(
    these: &[Reading],
    those: &[Reading],
    join: impl Fn(&Reading, &Reading) -> (Query, Vec<NodeId>),
) -> Vec<Reading> {
    let mut out = Vec::new();
    for (a, b) in these.iter().flat_map(|a| those.iter().map(move |b| (a, b))) {
        let (query, found) = join(a, b);
        out.push(Reading {
            query,
            found,
            score: a.score + b.score,
            agreements: [a.agreements.as_slice(), &b.agreements].concat(),
        });
    }
    out
}

/// Part of the words with a meaning that no slot of a draft points at.
fn unexplained(question: &str, draft: &Draft) -> f32 {
    let (mut all, mut left) = (0.0, 0.0);
    for word in words(question).iter().filter(|w| !is_function_word(&fold(w.text))) {
        all += 1.0;
        if !draft.explained.iter().any(|s| s.start < word.span.end && word.span.start < s.end) {
            left += 1.0;
        }
    }
    if all > 0.0 { left / all } else { 0.0 }
}

#[cfg(test)]
#[path = "ground_tests.rs"]
mod tests;
