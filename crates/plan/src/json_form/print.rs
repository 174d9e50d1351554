//! Writes plans as JSON, one statement a line, such that [`parse`](super::parse) reads the same plan back.

use super::super::read::canonical_name;
use super::super::{Condition, Head, Literal, Measure, Operand, Operation, Plan, Relation, Statement, Test};
use crate::json::Value;

/// The plan as JSON. Every plan can be expressed. Names are written canonically (`Ans_1` becomes `Ans1`); a number that is not finite,
/// which no checked plan has, becomes `null`.
pub fn print(plan: &Plan) -> String {
    let mut out = String::from("{");
    if let Some(question) = &plan.question {
        out.push_str(&format!("\"question\":{},", Value::from(question.as_str())));
    }
    out.push_str("\"statements\":[");
    for (index, item) in plan.statements.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&statement(item).to_string());
    }
    out.push_str(&format!("\n],\"answer\":{}}}\n", name(&plan.answer)));
    out
}

type Members = Vec<(String, Value)>;

fn put(members: &mut Members, key: &str, value: Value) {
    members.push((key.to_owned(), value));
}

fn statement(statement: &Statement) -> Value {
    let mut members = Members::new();
    put(&mut members, "name", name(&statement.name));
    if let Some(thought) = &statement.thought {
        put(&mut members, "thought", Value::from(thought.as_str()));
    }
    put(&mut members, "op", Value::from(statement.operation.name()));
    operation(&mut members, &statement.operation);
    Value::Object(members)
}

fn head(head: &Head) -> Value {
    match head {
        Head::Mention(text) => one("mention", Value::from(text.as_str())),
        Head::Reference(reference) => one("reference", name(reference)),
        Head::Entity(text) => one("entity", Value::from(text.as_str())),
    }
}

fn operation(members: &mut Members, operation: &Operation) {
    match operation {
        Operation::SearchKg(step) => {
            target(members, step.target.as_deref());
            put(members, "head", head(&step.head));
            put(members, "relation", relation(&step.relation));
        }
        Operation::Search { query } => put(members, "query", Value::from(query.map_references(canonical_name).to_string())),
        Operation::All { target: of, relation: having } => {
            target(members, of.as_deref());
            if let Some(having) = having {
                put(members, "relation", relation(having));
            }
        }
        Operation::Entity { head: of } => put(members, "head", head(of)),
        Operation::Intersect { of } | Operation::Union { of } => put(members, "of", names(of)),
        Operation::Negation { main, minus } => {
            put(members, "main", name(main));
            put(members, "minus", names(minus));
        }
        Operation::Compare(compare) => {
            put(members, "of", names(&compare.of));
            if let Some(how) = compare.how {
                put(members, "how", Value::from(how.word()));
            }
            measure(members, compare.by.as_ref());
            if let Some(question) = &compare.question {
                put(members, "question", Value::from(question.as_str()));
            }
        }
        Operation::Count { of } => put(members, "of", name(of)),
        Operation::Filter { of, condition } => {
            put(members, "of", name(of));
            let condition = match condition {
                Condition::Type(target) => one("type", Value::from(target.as_str())),
                Condition::Value(test) => one("value", value_of(test)),
            };
            put(members, "condition", condition);
        }
        Operation::Superlative { of, by, extreme, keep } => {
            put(members, "of", name(of));
            measure(members, by.as_ref());
            put(members, "extreme", Value::from(extreme.word()));
            if *keep != 1 {
                put(members, "keep", Value::from(*keep));
            }
        }
    }
}

fn target(members: &mut Members, of: Option<&str>) {
    if let Some(of) = of {
        put(members, "target", Value::from(of));
    }
}

fn value_of(test: &Test) -> Value {
    let mut members = Members::new();
    measure(&mut members, test.by.as_ref());
    put(&mut members, "comparison", Value::from(test.comparison.word()));
    let to = match &test.to {
        Operand::Reference(reference) => one("reference", name(reference)),
        Operand::Literal(value) => one("literal", literal(value)),
    };
    put(&mut members, "to", to);
    Value::Object(members)
}

fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::Number { value, unit } => {
            let mut members = Members::new();
            put(&mut members, "value", Value::from(*value));
            if let Some(unit) = unit {
                put(&mut members, "unit", Value::from(unit.as_str()));
            }
            one("number", Value::Object(members))
        }
        Literal::Date(date) => one("date", Value::from(date.to_string())),
        Literal::Text(text) => one("text", Value::from(text.as_str())),
        Literal::Boolean(value) => one("boolean", Value::from(*value)),
    }
}

fn measure(members: &mut Members, by: Option<&Measure>) {
    match by {
        None => {}
        Some(Measure::ValueOf(r)) => put(members, "by", one("value_of", relation(r))),
        Some(Measure::NumberOf(r)) => put(members, "by", one("number_of", relation(r))),
    }
}

fn relation(relation: &Relation) -> Value {
    match relation {
        Relation::Phrase(text) => one("phrase", Value::from(text.as_str())),
        Relation::Exact { name, inverse } => {
            one("exact", Value::object([("name", Value::from(name.as_str())), ("inverse", Value::from(*inverse))]))
        }
    }
}

fn one(key: &str, value: Value) -> Value {
    Value::Object(vec![(key.to_owned(), value)])
}

fn name(name: &str) -> Value {
    Value::from(canonical_name(name))
}

fn names(of: &[String]) -> Value {
    Value::Array(of.iter().map(|n| name(n)).collect())
}
