//! The planner without a model: rules, and the graph that decides between them.

use super::chain::{Chain, Scorer};
use super::lexicon::Lexicon;
use super::question::{ask, tokens};
use super::schema::{Schema, Step};
use super::walk::follow;
use super::{Planner, PlannerError, Proposal};
use crate::kg::{Candidate, Class, Direction, KnowledgeGraph, Linker, Mention, NodeId};
use crate::plan::{Head, Operation, Plan, Relation, SearchKg, Statement};
use futures::future::LocalBoxFuture;

/// So many readings of the entity are tried.
const CANDIDATES: usize = 3;
/// So many paths are run, best first, until one finds something.
const TRIED: usize = 60;
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

    /// The plan of a question and what it finds.
    ///
    /// # Errors
    /// [`PlannerError::NothingLinked`] and [`PlannerError::Unsure`].
    pub fn planned(&self, question: &str) -> Result<Planned, PlannerError> {
        let mentions = self.mentions(question);
        if mentions.is_empty() {
            return Err(PlannerError::NothingLinked);
        }
        let mut chains: Vec<(Chain, String)> = Vec::new();
        for candidate in self.candidates(question, &mentions) {
            let spans = [candidate.span.clone()];
            let tokens = tokens(question, &spans, &self.lexicon);
            let Some(anchor) = tokens.iter().position(|t| t.entity.is_some()) else { continue };
            let ask = ask(&tokens, &self.lexicon, self.graph.vocabulary());
            let scorer = Scorer { graph: self.graph, schema: &self.schema, tokens: &tokens, ask: &ask, anchor };
            for mut chain in scorer.chains(candidate.node) {
                chain.score += 0.15 * candidate.score;
                chains.push((chain, candidate.name.clone()));
            }
        }
        // Sorting keeps the order of equal ones, so that the better reading of the entity comes first.
        chains.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
        for (chain, _) in chains.iter().take(TRIED) {
            let answer = follow(self.graph, chain.start, &chain.steps);
            if answer.is_empty() {
                continue;
            }
            let confidence = self.confidence(chain, &chains);
            if confidence < self.least {
                return Err(PlannerError::Unsure { confidence });
            }
            return Ok(Planned { plan: self.plan_of(question, chain), confidence, answer });
        }
        Err(PlannerError::Unsure { confidence: 0.0 })
    }

    /// Parts of the question that name entities.
    fn mentions(&self, question: &str) -> Vec<Mention> {
        self.linker.mentions(question)
    }

    /// The likeliest anchors, best first.
    fn candidates(&self, question: &str, mentions: &[Mention]) -> Vec<Candidate> {
        let mut found: Vec<(f32, Candidate)> = Vec::new();
        let capitals = mentions.iter().filter(|m| question.get(m.span.clone()).is_some_and(|t| t.chars().any(char::is_uppercase))).count();
        for mention in mentions {
            let text = question.get(mention.span.clone()).unwrap_or_default();
            let words = text.split_whitespace().count().min(4) as f32;
            let capital = text.chars().any(char::is_uppercase);
            let plain = tokens(text, &[], &self.lexicon);
            let spoken =
                plain.iter().all(|t| !t.types.is_empty() || !t.relations.is_empty() || super::lexicon::is_function_word(&t.folded));
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

    fn confidence(&self, chain: &Chain, all: &[(Chain, String)]) -> f32 {
        let paid = chain.paid as f32 / chain.steps.len().max(1) as f32;
        let next = all.iter().map(|(c, _)| c).find(|c| c.steps != chain.steps).map_or(chain.score - 1.0, |c| c.score);
        let margin = (chain.score - next).clamp(0.0, 1.0);
        let explained = (chain.score / 1.5).clamp(0.0, 1.0);
        (0.5 * explained + 0.3 * paid + 0.2 * margin).clamp(0.0, 1.0)
    }

    fn plan_of(&self, question: &str, chain: &Chain) -> Plan {
        let statements: Vec<Statement> = chain
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| Statement {
                name: format!("Ans{}", at + 1),
                thought: None,
                operation: Operation::SearchKg(SearchKg {
                    target: self.target(*step),
                    head: if at == 0 { Head::Entity(self.graph.id(chain.start).to_owned()) } else { Head::Reference(format!("Ans{at}")) },
                    relation: self.exact(*step),
                }),
            })
            .collect();
        let answer = statements.last().map(|s| s.name.clone()).unwrap_or_default();
        Plan { question: Some(question.to_owned()), statements, answer }
    }

    fn target(&self, step: Step) -> Option<String> {
        match step.to {
            Class::Type(of) => self.graph.vocabulary().entity_type(of).map(|t| t.name.clone()),
            Class::Untyped | Class::Literal(_) => None,
        }
    }

    fn exact(&self, step: Step) -> Relation {
        let name = self.graph.vocabulary().relation(step.relation).map(|r| r.name.clone()).unwrap_or_default();
        Relation::Exact { name, inverse: step.direction == Direction::Backward }
    }
}

impl Planner for RulesPlanner<'_> {
    fn plan<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Proposal, PlannerError>> {
        let found = self.planned(question).map(|p| Proposal { plan: p.plan, confidence: p.confidence });
        Box::pin(std::future::ready(found))
    }
}
