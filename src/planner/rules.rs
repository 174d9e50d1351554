//! The planner without a model: rules, and the graph that decides between them.

use super::chain::{Chain, Scorer};
use super::compose::Composer;
use super::lexicon::{Lexicon, is_function_word};
use super::pattern::pattern;
use super::question::{Token, ask, tokens};
use super::schema::Schema;
use super::sets::combined;
use super::walk::follow;
use super::{Planner, PlannerError, Proposal};
use crate::kg::{Candidate, Class, Direction, KnowledgeGraph, Linker, Mention, NodeId, RelationId};
use crate::plan::{Compare, How, Operation, Plan, Relation, Shape};
use futures::future::LocalBoxFuture;

/// What a comparison by a date is worth whose question names no relation: "which came out first".
const DEFAULTED: f32 = 0.5;
/// So many readings of the entity are tried.
const CANDIDATES: usize = 3;
/// So many paths are run, best first, until one finds something.
const TRIED: usize = 60;
/// No question is longer, in bytes.
const LONGEST: usize = 4096;
/// Below this confidence there is no plan.
const LEAST: f32 = 0.3;

/// Plans by rules over the graph's schema, relation synonyms and linked entities.
pub struct RulesPlanner<'a> {
    graph: &'a KnowledgeGraph,
    linker: &'a Linker,
    lexicon: Lexicon,
    schema: Schema,
    least: f32,
}

/// What the rules found: a plan, what it finds, and how sure they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// From 0 to 1.
    pub confidence: f32,
    /// What the plan finds in the graph, ascending.
    pub answer: Vec<NodeId>,
}

impl<'a> RulesPlanner<'a> {
    /// A planner for a graph. Its synonyms are the aliases of the graph's relations and types.
    pub fn new(linker: &'a Linker) -> RulesPlanner<'a> {
        let graph = linker.graph();
        RulesPlanner { graph, linker, lexicon: Lexicon::new(graph.vocabulary()), schema: Schema::new(graph), least: LEAST }
    }

    /// The same planner with another confidence below which there is no plan; 0 plans whatever finds something.
    pub fn least_confidence(self, least: f32) -> RulesPlanner<'a> {
        RulesPlanner { least, ..self }
    }

    /// The plan of a question and what it finds: a comparison or set operation where several entities are joined by such words, else a
    /// chain from one.
    ///
    /// # Errors
    /// [`PlannerError::TooLong`], [`PlannerError::NothingLinked`] and [`PlannerError::Unsure`].
    pub fn planned(&self, question: &str) -> Result<Planned, PlannerError> {
        if question.len() > LONGEST {
            return Err(PlannerError::TooLong { found: question.len(), limit: LONGEST });
        }
        let mentions = self.linker.mentions(question);
        if mentions.is_empty() {
            return Err(PlannerError::NothingLinked);
        }
        let joined = self.joined(question, &mentions);
        let found = match joined.and_then(|(shape, anchors)| self.several(question, shape, &anchors)) {
            Some(found) => found,
            None => self.one(question, &mentions)?,
        };
        if found.confidence < self.least {
            return Err(PlannerError::Unsure { confidence: found.confidence });
        }
        Ok(found)
    }

    /// The entities that the question joins, and how, if it joins any.
    fn joined<'m>(&self, question: &str, mentions: &'m [Mention]) -> Option<(Shape, Vec<&'m Mention>)> {
        let told = |m: &&Mention| {
            let capital = question.get(m.span.clone()).is_some_and(|t| t.chars().any(|c| c.is_uppercase() || c.is_numeric()));
            capital || (question.chars().all(|c| !c.is_uppercase()) && !self.is_spoken(question.get(m.span.clone()).unwrap_or_default()))
        };
        let anchors: Vec<&Mention> = mentions.iter().filter(told).collect();
        let joins = |gap: &str| {
            let folded = crate::text::fold(gap);
            let word = |w: &str| folded.split(|c: char| !c.is_alphanumeric()).any(|part| part == w);
            gap.trim() == "," || ["and", "or", "but", "not", "nor", "except", "without", "than"].iter().any(|w| word(w))
        };
        let apart = anchors.windows(2).all(|w| question.get(w[0].span.end..w[1].span.start).is_some_and(joins));
        if anchors.len() < 2 || !apart {
            return None;
        }
        let spans: Vec<_> = anchors.iter().map(|m| m.span.clone()).collect();
        match pattern(question, &spans) {
            Shape::Chain(_) | Shape::Other => None,
            shape => Some((shape, anchors)),
        }
    }

    /// A plan from several entities.
    fn several(&self, question: &str, shape: Shape, anchors: &[&Mention]) -> Option<Planned> {
        let spans: Vec<_> = anchors.iter().map(|m| m.span.clone()).collect();
        let tokens = tokens(question, &spans, &self.lexicon);
        let starts: Vec<NodeId> = anchors.iter().filter_map(|m| m.candidates.first()).map(|c| c.node).collect();
        if shape == Shape::Compare {
            return self.compared(question, &tokens, &starts);
        }
        let ask = ask(&tokens, &self.lexicon, self.graph.vocabulary());
        let found = combined(self.graph, &self.schema, &tokens, &ask, &starts, shape)?;
        let mut composer = Composer::new(self.graph);
        composer.combination(&found);
        let paid = found.paid.0 as f32 / found.paid.1.max(1) as f32;
        let confidence = 0.6 * (found.score / 1.5).clamp(0.0, 1.0) + 0.4 * paid;
        Some(Planned { plan: composer.finish(question), confidence, answer: found.answer })
    }

    /// A comparison of two entities by a relation that leads to values.
    fn compared(&self, question: &str, tokens: &[Token], starts: &[NodeId]) -> Option<Planned> {
        let how = tokens.iter().find_map(|t| How::from_word(&t.folded))?;
        let spoken = tokens.iter().flat_map(|t| &t.relations).copied();
        let times = ["older", "younger", "oldest", "youngest", "first", "earlier", "later", "before", "after", "newer"];
        let of_time = tokens.iter().any(|t| times.contains(&t.folded.as_str()));
        let timely = (0..)
            .map(RelationId)
            .take(self.graph.vocabulary().relations().len())
            .filter(|r| of_time && self.lexicon.relation_is(*r, &["date", "year", "birth", "born"]));
        let value = |node: NodeId, relation: RelationId| -> Option<crate::kg::Value> {
            let edge = self.graph.follow(node, relation, Direction::Forward).next()?;
            // A graph that keeps years as entities can be compared all the same.
            let value = match self.graph.literal(edge.other) {
                Some(literal) => literal.value(),
                None => crate::kg::value_of(self.graph.label(edge.other)),
            };
            (!matches!(value, crate::kg::Value::Text(_))).then_some(value)
        };
        let candidates = spoken.chain(timely.map(|r| (r, DEFAULTED)));
        let mut best: Option<(RelationId, f32)> = None;
        for (relation, worth) in candidates {
            let measured = starts.iter().all(|&s| value(s, relation).is_some());
            if measured && best.is_none_or(|(_, known)| worth > known) {
                best = Some((relation, worth));
            }
        }
        let (relation, worth) = best?;
        let values: Vec<(NodeId, crate::kg::Value)> = starts.iter().filter_map(|&s| Some((s, value(s, relation)?))).collect();
        let wanted = match how {
            How::Min | How::Less => std::cmp::Ordering::Less,
            How::Max | How::Greater => std::cmp::Ordering::Greater,
            How::Equal => std::cmp::Ordering::Equal,
        };
        let (how, answer) = if how == How::Equal {
            (How::Equal, Vec::new())
        } else {
            let wins = |a: &crate::kg::Value| !values.iter().any(|(_, b)| b.compare(a) == Some(wanted));
            let end = if wanted == std::cmp::Ordering::Less { How::Min } else { How::Max };
            (end, values.iter().filter(|(_, v)| wins(v)).map(|(s, _)| *s).collect())
        };
        let name = self.graph.vocabulary().relation(relation)?.name.clone();
        let mut composer = Composer::new(self.graph);
        let exact = Relation::Exact { name, inverse: false };
        let of: Vec<String> = starts.iter().map(|&s| composer.value(s, exact.clone())).collect();
        composer.push(Operation::Compare(Compare { of, how: Some(how), by: None, question: Some(question.to_owned()) }));
        Some(Planned { plan: composer.finish(question), confidence: 0.4 + 0.5 * worth, answer })
    }

    /// A chain from one entity.
    fn one(&self, question: &str, mentions: &[Mention]) -> Result<Planned, PlannerError> {
        let mut chains: Vec<Chain> = Vec::new();
        let mut count = false;
        for candidate in self.candidates(question, mentions) {
            let spans = [candidate.span.clone()];
            let tokens = tokens(question, &spans, &self.lexicon);
            let Some(anchor) = tokens.iter().position(|t| t.entity.is_some()) else { continue };
            let ask = ask(&tokens, &self.lexicon, self.graph.vocabulary());
            count = ask.count;
            let scorer = Scorer { graph: self.graph, schema: &self.schema, tokens: &tokens, ask: &ask, anchor };
            for mut chain in scorer.chains(candidate.node) {
                chain.score += 0.15 * candidate.score;
                chains.push(chain);
            }
        }
        // Sorting keeps the order of equal ones, so that the better reading of the entity comes first.
        chains.sort_by(|a, b| b.score.total_cmp(&a.score));
        for chain in chains.iter().take(TRIED) {
            let answer = follow(self.graph, chain.start, &chain.steps);
            if answer.is_empty() {
                continue;
            }
            let mut composer = Composer::new(self.graph);
            let of = composer.chain(chain);
            let entities = chain.steps.last().is_some_and(|s| !matches!(s.to, Class::Literal(_)));
            if count && entities {
                composer.push(Operation::Count { of });
            }
            return Ok(Planned { plan: composer.finish(question), confidence: confidence(chain, &chains), answer });
        }
        Err(PlannerError::Unsure { confidence: 0.0 })
    }

    /// Whether a text is made of words for relations and types, and of function words.
    fn is_spoken(&self, text: &str) -> bool {
        let plain = tokens(text, &[], &self.lexicon);
        plain.iter().all(|t| !t.types.is_empty() || !t.relations.is_empty() || is_function_word(&t.folded))
    }

    /// The likeliest anchors, best first.
    fn candidates(&self, question: &str, mentions: &[Mention]) -> Vec<Candidate> {
        let mut found: Vec<(f32, Candidate)> = Vec::new();
        let capitals = mentions.iter().filter(|m| question.get(m.span.clone()).is_some_and(|t| t.chars().any(char::is_uppercase))).count();
        for mention in mentions {
            let text = question.get(mention.span.clone()).unwrap_or_default();
            let words = text.split_whitespace().count().min(4) as f32;
            let capital = text.chars().any(char::is_uppercase);
            let spoken = self.is_spoken(text);
            let quality = 0.1 * words + if capital { 0.3 } else { 0.0 } - if spoken && !capital { 1.0 } else { 0.0 };
            // A common word beside a name: the name is meant.
            let shadowed = !capital && capitals > 0;
            found.extend(
                mention
                    .candidates
                    .iter()
                    .map(|c| (c.score + quality, Candidate { score: c.score - if shadowed { 4.0 } else { 0.0 }, ..c.clone() })),
            );
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().take(CANDIDATES).map(|(_, c)| c).collect()
    }
}

/// How sure a chain is: how much of the question it explains, how many of its steps a word pays for, and how far the next is behind.
fn confidence(chain: &Chain, all: &[Chain]) -> f32 {
    let paid = chain.paid as f32 / chain.steps.len().max(1) as f32;
    let next = all.iter().find(|c| c.steps != chain.steps).map_or(chain.score - 1.0, |c| c.score);
    let margin = (chain.score - next).clamp(0.0, 1.0);
    let explained = (chain.score / 1.5).clamp(0.0, 1.0);
    (0.5 * explained + 0.3 * paid + 0.2 * margin).clamp(0.0, 1.0)
}

impl Planner for RulesPlanner<'_> {
    fn plan<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Proposal, PlannerError>> {
        let found = self.planned(question).map(|p| Proposal { plan: p.plan, confidence: p.confidence });
        Box::pin(std::future::ready(found))
    }
}
