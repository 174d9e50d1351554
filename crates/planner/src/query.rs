//! Queries over a graph in terms of its own entities and relations, and the plans that ask for them.
//!
//! What a reading of a question comes to once every choice is made, and what training questions are made
//! from.

use super::compose::Composer;
use crate::kg::{Direction, KnowledgeGraph, NodeId, RelationId, TypeId};
use crate::plan::{Compare, Extreme, Head, How, Measure, Operation, Plan, SearchKg};

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
        let mut draft = Draft { graph, composer: Composer::new(graph) };
        match self {
            LogicalForm::Set(query) => {
                draft.set(query);
            }
            LogicalForm::Count(query) => {
                let of = draft.set(query);
                draft.composer.push(Operation::Count { of });
            }
            LogicalForm::Superlative { of, relation, number, extreme } => {
                let of = draft.set(of);
                let relation = draft.composer.exact(*relation, Direction::Forward);
                let by = Some(if *number { Measure::NumberOf(relation) } else { Measure::ValueOf(relation) });
                draft.composer.push(Operation::Superlative { of, by, extreme: *extreme, keep: 1 });
            }
            LogicalForm::Compare { of, relation, extreme } => {
                let entity = |n: NodeId| Head::Entity(graph.id(n).to_owned());
                let of =
                    of.iter().map(|&n| draft.step(entity(n), *relation, Direction::Forward, None)).collect();
                let how = Some(match extreme {
                    None => How::Equal,
                    Some(Extreme::Max) => How::Max,
                    Some(Extreme::Min) => How::Min,
                });
                draft.composer.push(Operation::Compare(Compare { of, how, by: None, question: None }));
            }
        }
        draft.composer.finish(question)
    }
}

struct Draft<'g> {
    graph: &'g KnowledgeGraph,
    composer: Composer<'g>,
}

impl Draft<'_> {
    fn step(
        &mut self,
        head: Head,
        relation: RelationId,
        direction: Direction,
        target: Option<TypeId>,
    ) -> String {
        let relation = self.composer.exact(relation, direction);
        let target = target.and_then(|t| self.graph.vocabulary().entity_type(t)).map(|t| t.name.clone());
        self.composer.push(Operation::SearchKg(SearchKg { target, head, relation }))
    }

    /// Adds what finds the set, and gives its name.
    fn set(&mut self, query: &Query) -> String {
        match query {
            // Queries begin with a step: an entity alone is no question.
            Query::Entity(node) => self.graph.id(*node).to_owned(),
            Query::All(of) => self.composer.all(*of),
            Query::Step { of, relation, direction, target } => {
                let head = match of.as_ref() {
                    Query::Entity(node) => Head::Entity(self.graph.id(*node).to_owned()),
                    other => Head::Reference(self.set(other)),
                };
                self.step(head, *relation, *direction, *target)
            }
            Query::And(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.composer.push(Operation::Intersect { of })
            }
            Query::Or(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.composer.push(Operation::Union { of })
            }
            Query::Not(main, minus) => {
                let main = self.set(main);
                let minus = vec![self.set(minus)];
                self.composer.push(Operation::Negation { main, minus })
            }
        }
    }
}
