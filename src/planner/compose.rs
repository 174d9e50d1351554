//! From what the rules found to a plan.

use super::chain::Chain;
use super::schema::Step;
use super::sets::{Combination, Combine};
use crate::kg::{Class, Direction, KnowledgeGraph, NodeId};
use crate::plan::{Head, Operation, Plan, Relation, SearchKg, Statement};

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
        let head = Head::Entity(self.graph.id(chain.start).to_owned());
        self.steps(head, &chain.steps)
    }

    /// Adds steps from a head.
    fn steps(&mut self, mut head: Head, steps: &[Step]) -> String {
        let mut last = String::new();
        for step in steps {
            let found = SearchKg { target: self.target(*step), head, relation: self.exact(*step) };
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

    /// A step from an entity along a relation.
    pub fn value(&mut self, start: NodeId, relation: Relation) -> String {
        let head = Head::Entity(self.graph.id(start).to_owned());
        self.push(Operation::SearchKg(SearchKg { target: None, head, relation }))
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

    fn exact(&self, step: Step) -> Relation {
        let name = self.graph.vocabulary().relation(step.relation).map(|r| r.name.clone()).unwrap_or_default();
        Relation::Exact { name, inverse: step.direction == Direction::Backward }
    }
}
