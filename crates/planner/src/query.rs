//! Queries over a graph in terms of its own entities and relations, and the plans that ask for them.
//!
//! What a reading of a question comes to once every choice is made, and what training questions are made
//! from.

use super::compose::Composer;
use crate::kg::{Direction, KnowledgeGraph, NodeId, RelationId, TypeId};
use crate::plan::{Compare, Extreme, Head, How, Measure, Operation, Plan};

/// A set of nodes, said as a query over a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// One entity, which the question names.
    Entity(NodeId),
    /// Everything of a type.
    All(TypeId),
    /// Things to which a relation leads.
    Step {
        /// The set at which it starts.
        of: Box<Query>,
        /// The relation to follow.
        relation: RelationId,
        /// In which direction.
        direction: Direction,
        /// The type that results must have.
        target: Option<TypeId>,
    },
    /// Intersection.
    And(Vec<Query>),
    /// Union.
    Or(Vec<Query>),
    /// Results of the first without those of the second.
    Not(Box<Query>, Box<Query>),
}

/// A question about a query's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogicalForm {
    /// Its answers.
    Set(Query),
    /// Their number.
    Count(Query),
    /// The answer at which a measure is largest or smallest.
    Superlative {
        /// The set.
        of: Query,
        /// The relation that is measured.
        relation: RelationId,
        /// True if it is the number of things that it leads to, and not the value.
        number: bool,
        /// The wanted end.
        extreme: Extreme,
    },
    /// Comparison of two entities: the one with the larger or smaller value, or, without an end, the equality
    /// of their values.
    Compare {
        /// The entities.
        of: [NodeId; 2],
        /// The relation.
        relation: RelationId,
        /// The wanted end.
        extreme: Option<Extreme>,
    },
}

impl LogicalForm {
    /// The plan that asks for it, of exact entities and relations.
    pub fn plan(&self, graph: &KnowledgeGraph, question: &str) -> Plan {
        let mut composer = Composer::new(graph);
        match self {
            LogicalForm::Set(query) => {
                composer.set(query);
            }
            LogicalForm::Count(query) => {
                let of = composer.set(query);
                composer.push(Operation::Count { of });
            }
            LogicalForm::Superlative { of, relation, number, extreme } => {
                let of = composer.set(of);
                let relation = composer.exact(*relation, Direction::Forward);
                let by = Some(if *number { Measure::NumberOf(relation) } else { Measure::ValueOf(relation) });
                composer.push(Operation::Superlative { of, by, extreme: *extreme, keep: 1 });
            }
            LogicalForm::Compare { of, relation, extreme } => {
                let value = |&n| composer.search(composer.head(n), None, *relation, Direction::Forward);
                let of = of.iter().map(value).collect();
                let how = Some(match extreme {
                    None => How::Equal,
                    Some(Extreme::Max) => How::Max,
                    Some(Extreme::Min) => How::Min,
                });
                composer.push(Operation::Compare(Compare { of, how, by: None, question: None }));
            }
        }
        composer.finish(question)
    }
}

impl Composer<'_> {
    /// Adds what finds the set, and gives its name.
    fn set(&mut self, query: &Query) -> String {
        match query {
            // Queries begin with a step: an entity alone is no question.
            Query::Entity(node) => self.entity(*node),
            Query::All(of) => self.all(*of),
            Query::Step { of, relation, direction, target } => {
                let head = match of.as_ref() {
                    Query::Entity(node) => self.head(*node),
                    other => Head::Reference(self.set(other)),
                };
                self.search(head, *target, *relation, *direction)
            }
            Query::And(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.push(Operation::Intersect { of })
            }
            Query::Or(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.push(Operation::Union { of })
            }
            Query::Not(main, minus) => {
                let main = self.set(main);
                let minus = vec![self.set(minus)];
                self.push(Operation::Negation { main, minus })
            }
        }
    }
}
