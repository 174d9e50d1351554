//! Queries as plans of exact entities and relations.

use super::ground::{Asked, Query};
use pocketgraph::kg::{Direction, KnowledgeGraph, RelationId};
use pocketgraph::plan::{Compare, Extreme, Head, How, Measure, Operation, Plan, Relation, SearchKg, Statement};

/// The plan that asks for it.
pub fn plan(asked: &Asked, graph: &KnowledgeGraph, question: &str) -> Plan {
    let mut draft = Draft { graph, statements: Vec::new() };
    let answer = match asked {
        Asked::Set(query) => draft.set(query),
        Asked::Count(query) => {
            let of = draft.set(query);
            draft.add(Operation::Count { of })
        }
        Asked::Superlative { of, relation, number, extreme } => {
            let of = draft.set(of);
            let by = Some(draft.measure(*relation, *number));
            draft.add(Operation::Superlative { of, by, extreme: *extreme, keep: 1 })
        }
        Asked::Compare { of, relation, extreme } => {
            let values =
                of.iter().map(|&n| draft.step(Head::Entity(graph.id(n).to_owned()), *relation, Direction::Forward, None)).collect();
            let how = Some(match extreme {
                None => How::Equal,
                Some(Extreme::Max) => How::Max,
                Some(Extreme::Min) => How::Min,
            });
            draft.add(Operation::Compare(Compare { of: values, how, by: None, question: None }))
        }
    };
    Plan { question: Some(question.to_owned()), statements: draft.statements, answer }
}

struct Draft<'g> {
    graph: &'g KnowledgeGraph,
    statements: Vec<Statement>,
}

impl Draft<'_> {
    fn add(&mut self, operation: Operation) -> String {
        let name = format!("Ans{}", self.statements.len() + 1);
        self.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    }

    fn relation(&self, relation: RelationId, direction: Direction) -> Relation {
        let name = self.graph.vocabulary().relation(relation).map_or_else(String::new, |r| r.name.clone());
        Relation::Exact { name, inverse: direction == Direction::Backward }
    }

    fn measure(&self, relation: RelationId, number: bool) -> Measure {
        let relation = self.relation(relation, Direction::Forward);
        if number { Measure::NumberOf(relation) } else { Measure::ValueOf(relation) }
    }

    fn step(&mut self, head: Head, relation: RelationId, direction: Direction, target: Option<String>) -> String {
        let relation = self.relation(relation, direction);
        self.add(Operation::SearchKg(SearchKg { target, head, relation }))
    }

    fn set(&mut self, query: &Query) -> String {
        match query {
            // Queries begin with a step: an entity alone is no question.
            Query::Entity(node) => self.graph.id(*node).to_owned(),
            Query::Step { of, relation, direction, target } => {
                let head = match of.as_ref() {
                    Query::Entity(node) => Head::Entity(self.graph.id(*node).to_owned()),
                    other => Head::Reference(self.set(other)),
                };
                let target = target.and_then(|t| self.graph.vocabulary().entity_type(t)).map(|t| t.name.clone());
                self.step(head, *relation, *direction, target)
            }
            Query::And(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.add(Operation::Intersect { of })
            }
            Query::Or(parts) => {
                let of = parts.iter().map(|p| self.set(p)).collect();
                self.add(Operation::Union { of })
            }
            Query::Not(main, minus) => {
                let main = self.set(main);
                let minus = vec![self.set(minus)];
                self.add(Operation::Negation { main, minus })
            }
        }
    }
}
