//! From what the rules found to a plan.

use super::chain::{Chain, Rank, Ranking, Start};
use super::schema::Step;
use super::sets::{Combination, Combine};
use crate::kg::{Class, Direction, KnowledgeGraph, RelationId, TypeId};
use crate::plan::{Head, Measure, Operation, Plan, Relation, SearchKg, Statement};

/// A plan under construction.
pub(super) struct Composer<'a> {
    graph: &'a KnowledgeGraph,
    statements: Vec<Statement>,
}

impl<'a> Composer<'a> {
    /// An empty plan over a graph.
    pub fn new(graph: &'a KnowledgeGraph) -> Composer<'a> {
        Composer { graph, statements: Vec::new() }
    }

    /// Adds a statement and gives its name.
    pub fn push(&mut self, operation: Operation) -> String {
        let name = format!("Ans{}", self.statements.len() + 1);
        self.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    }

    /// Adds the steps of a chain and gives the name of what they find.
    pub fn chain(&mut self, chain: &Chain) -> String {
        let (mut sets, mut heads) = (Vec::new(), Vec::new());
        match chain.start {
            Start::All(of) => sets.push(self.all(of)),
            Start::Node(node) => {
                heads.extend(std::iter::once(&node).chain(&chain.namesakes).map(|&n| Head::Entity(self.graph.id(n).to_owned())))
            }
        }
        for at in 0..=chain.steps.len() {
            if at == chain.steps.len()
                && let Some(of) = chain.negated
            {
                let main = self.all(of);
                sets = vec![self.push(Operation::Negation { main, minus: sets })];
            }
            for rank in chain.ranks.iter().filter(|r| r.at == at) {
                sets = sets.into_iter().map(|set| self.ranked(set, *rank)).collect();
            }
            let Some(step) = chain.steps.get(at) else { break };
            heads.extend(sets.drain(..).map(Head::Reference));
            for head in heads.drain(..) {
                let found = SearchKg { target: self.target(*step), head, relation: self.exact(step.relation, step.direction) };
                sets.push(self.push(Operation::SearchKg(found)));
            }
            if sets.len() > 1 {
                sets = vec![self.push(Operation::Union { of: sets })];
            }
        }
        sets.pop().unwrap_or_default()
    }

    /// Adds what finds everything of a type.
    pub fn all(&mut self, of: TypeId) -> String {
        let target = self.graph.vocabulary().entity_type(of).map(|t| t.name.clone()).unwrap_or_default();
        self.push(Operation::All { target })
    }

    fn ranked(&mut self, of: String, rank: Rank) -> String {
        let by = match rank.by {
            Ranking::Value(relation) => Measure::ValueOf(self.exact(relation, Direction::Forward)),
            Ranking::Number(relation, direction) => Measure::NumberOf(self.exact(relation, direction)),
        };
        self.push(Operation::Superlative { of, by: Some(by), extreme: rank.end, keep: 1 })
    }

    /// Adds steps from a head.
    fn steps(&mut self, mut head: Head, steps: &[Step]) -> String {
        let mut last = String::new();
        for step in steps {
            let found = SearchKg { target: self.target(*step), head, relation: self.exact(step.relation, step.direction) };
            last = self.push(Operation::SearchKg(found));
            head = Head::Reference(last.clone());
        }
        last
    }

    /// Adds a combination of chains.
    pub fn combination(&mut self, found: &Combination) -> String {
        let of: Vec<String> = found.branches.iter().map(|chain| self.chain(chain)).collect();
        let set = match found.how {
            Combine::Intersect => self.push(Operation::Intersect { of }),
            Combine::Union => self.push(Operation::Union { of }),
            Combine::Subtract => {
                let mut of = of.into_iter();
                let main = of.next().unwrap_or_default();
                self.push(Operation::Negation { main, minus: of.collect() })
            }
        };
        if found.tail.is_empty() { set } else { self.steps(Head::Reference(set), &found.tail) }
    }

    /// The plan whose answer is the last statement.
    pub fn finish(self, question: &str) -> Plan {
        let answer = self.statements.last().map(|s| s.name.clone()).unwrap_or_default();
        Plan { question: Some(question.to_owned()), statements: self.statements, answer }
    }

    fn target(&self, step: Step) -> Option<String> {
        match step.to {
            Class::Type(of) => self.graph.vocabulary().entity_type(of).map(|t| t.name.clone()),
            Class::Untyped | Class::Literal(_) => None,
        }
    }

    /// A relation of the graph, by its name.
    pub fn exact(&self, relation: RelationId, direction: Direction) -> Relation {
        let name = self.graph.vocabulary().relation(relation).map(|r| r.name.clone()).unwrap_or_default();
        Relation::Exact { name, inverse: direction == Direction::Backward }
    }
}
