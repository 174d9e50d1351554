//! Removes types of a query that its wording left out.

use pocketgraph::kg::TypeId;
use pocketgraph::planner::{LogicalForm, Query};

/// Returns the form without types of results that the question does not mention. Answers that only such a
/// type excludes are right.
pub fn without_uncued_types(asked: &LogicalForm, phrased: &[TypeId]) -> LogicalForm {
    match asked {
        LogicalForm::Set(query) => LogicalForm::Set(keep_cued_types(query, phrased)),
        LogicalForm::Count(query) => LogicalForm::Count(keep_cued_types(query, phrased)),
        LogicalForm::Superlative { of, relation, number, extreme } => LogicalForm::Superlative {
            of: keep_cued_types(of, phrased),
            relation: *relation,
            number: *number,
            extreme: *extreme,
        },
        LogicalForm::Compare { .. } => asked.clone(),
    }
}

fn keep_cued_types(query: &Query, phrased: &[TypeId]) -> Query {
    let all = |parts: &[Query]| parts.iter().map(|p| keep_cued_types(p, phrased)).collect();
    match query {
        Query::Entity(_) | Query::All(_) => query.clone(),
        Query::Step { of, relation, direction, target } => Query::Step {
            of: Box::new(keep_cued_types(of, phrased)),
            relation: *relation,
            direction: *direction,
            target: target.filter(|t| phrased.contains(t)),
        },
        Query::And(parts) => Query::And(all(parts)),
        Query::Or(parts) => Query::Or(all(parts)),
        Query::Not(main, minus) => {
            Query::Not(Box::new(keep_cued_types(main, phrased)), Box::new(keep_cued_types(minus, phrased)))
        }
    }
}
