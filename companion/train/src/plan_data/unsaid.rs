//! What a question does not say is not asked: types that a query was made with, and that its wording left out.

use pocketgraph::kg::TypeId;
use pocketgraph::planner::{Asked, Query};

/// What is asked, without the types of results that are not among those that the question says. Answers that only such a type keeps out belong to the
/// question as it stands.
pub fn without_unsaid(asked: &Asked, said: &[TypeId]) -> Asked {
    match asked {
        Asked::Set(query) => Asked::Set(spoken(query, said)),
        Asked::Count(query) => Asked::Count(spoken(query, said)),
        Asked::Superlative { of, relation, number, extreme } => {
            Asked::Superlative { of: spoken(of, said), relation: *relation, number: *number, extreme: *extreme }
        }
        Asked::Compare { .. } => asked.clone(),
    }
}

fn spoken(query: &Query, said: &[TypeId]) -> Query {
    let all = |parts: &[Query]| parts.iter().map(|p| spoken(p, said)).collect();
    match query {
        Query::Entity(_) | Query::All(_) => query.clone(),
        Query::Step { of, relation, direction, target } => Query::Step {
            of: Box::new(spoken(of, said)),
            relation: *relation,
            direction: *direction,
            target: target.filter(|t| said.contains(t)),
        },
        Query::And(parts) => Query::And(all(parts)),
        Query::Or(parts) => Query::Or(all(parts)),
        Query::Not(main, minus) => Query::Not(Box::new(spoken(main, said)), Box::new(spoken(minus, said))),
    }
}
