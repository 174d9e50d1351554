//! Writes plans as JSON, one statement a line, such that [`parse`](super::parse) reads the same plan back.

use super::super::read::canonical_name;
use super::super::{Condition, Head, Literal, Measure, Operand, Operation, Plan, Relation, Statement, Test};
use crate::json::Value;

/// Writes any plan as JSON. Names are canonical (`Ans_1` becomes `Ans1`); a number that is not finite, which
/// no checked plan has, becomes `null`.
pub fn print(plan: &Plan) -> String {
    let mut out = String::from("{");
    if let Some(question) = &plan.question {
        out.push_str(&format!("\"question\":{},", Value::from(question.as_str())));
    }
    out.push_str("\"statements\":[");
    for (index, item) in plan.statements.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&statement_value(item).to_string());
    }
    out.push_str(&format!("\n],\"answer\":{}}}\n", name_value(&plan.answer)));
    out
}

type Members = Vec<(String, Value)>;

fn put_member(members: &mut Members, key: &str, value: Value) {
    members.push((key.to_owned(), value));
}

fn statement_value(statement: &Statement) -> Value {
    let mut members = Members::new();
    put_member(&mut members, "name", name_value(&statement.name));
    if let Some(thought) = &statement.thought {
        put_member(&mut members, "thought", Value::from(thought.as_str()));
    }
    put_member(&mut members, "op", Value::from(statement.operation.name()));
    put_operation(&mut members, &statement.operation);
    Value::Object(members)
}

fn head_value(head: &Head) -> Value {
    match head {
        Head::Mention(text) => single_member("mention", Value::from(text.as_str())),
        Head::Reference(reference) => single_member("reference", name_value(reference)),
        Head::Entity(text) => single_member("entity", Value::from(text.as_str())),
    }
}

fn put_operation(members: &mut Members, operation: &Operation) {
    match operation {
        Operation::SearchKg(step) => {
            put_target(members, step.target.as_deref());
            put_member(members, "head", head_value(&step.head));
            put_member(members, "relation", relation_value(&step.relation));
        }
        Operation::Search { query } => {
            put_member(members, "query", Value::from(query.map_references(canonical_name).to_string()))
        }
        Operation::All { target: of, relation: having } => {
            put_target(members, of.as_deref());
            if let Some(having) = having {
                put_member(members, "relation", relation_value(having));
            }
        }
        Operation::Entity { head: of } => put_member(members, "head", head_value(of)),
        Operation::Intersect { of } | Operation::Union { of } => put_member(members, "of", names_value(of)),
        Operation::Negation { main, minus } => {
            put_member(members, "main", name_value(main));
            put_member(members, "minus", names_value(minus));
        }
        Operation::Compare(compare) => {
            put_member(members, "of", names_value(&compare.of));
            if let Some(how) = compare.how {
                put_member(members, "how", Value::from(how.word()));
            }
            put_measure(members, compare.by.as_ref());
            if let Some(question) = &compare.question {
                put_member(members, "question", Value::from(question.as_str()));
            }
        }
        Operation::Count { of } => put_member(members, "of", name_value(of)),
        Operation::Filter { of, condition } => {
            put_member(members, "of", name_value(of));
            let condition = match condition {
                Condition::Type(target) => single_member("type", Value::from(target.as_str())),
                Condition::Value(test) => single_member("value", value_of(test)),
            };
            put_member(members, "condition", condition);
        }
        Operation::Superlative { of, by, extreme, keep } => {
            put_member(members, "of", name_value(of));
            put_measure(members, by.as_ref());
            put_member(members, "extreme", Value::from(extreme.word()));
            if *keep != 1 {
                put_member(members, "keep", Value::from(*keep));
            }
        }
    }
}

fn put_target(members: &mut Members, of: Option<&str>) {
    if let Some(of) = of {
        put_member(members, "target", Value::from(of));
    }
}

fn value_of(test: &Test) -> Value {
    let mut members = Members::new();
    put_measure(&mut members, test.by.as_ref());
    put_member(&mut members, "comparison", Value::from(test.comparison.word()));
    let to = match &test.to {
        Operand::Reference(reference) => single_member("reference", name_value(reference)),
        Operand::Literal(value) => single_member("literal", literal_value(value)),
    };
    put_member(&mut members, "to", to);
    Value::Object(members)
}

fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::Number { value, unit } => {
            let mut members = Members::new();
            put_member(&mut members, "value", Value::from(*value));
            if let Some(unit) = unit {
                put_member(&mut members, "unit", Value::from(unit.as_str()));
            }
            single_member("number", Value::Object(members))
        }
        Literal::Date(date) => single_member("date", Value::from(date.to_string())),
        Literal::Text(text) => single_member("text", Value::from(text.as_str())),
        Literal::Boolean(value) => single_member("boolean", Value::from(*value)),
    }
}

fn put_measure(members: &mut Members, by: Option<&Measure>) {
    match by {
        None => {}
        Some(Measure::ValueOf(r)) => put_member(members, "by", single_member("value_of", relation_value(r))),
        Some(Measure::NumberOf(r)) => {
            put_member(members, "by", single_member("number_of", relation_value(r)))
        }
    }
}

fn relation_value(relation: &Relation) -> Value {
    match relation {
        Relation::Phrase(text) => single_member("phrase", Value::from(text.as_str())),
        Relation::Exact { name, inverse } => single_member(
            "exact",
            Value::object([("name", Value::from(name.as_str())), ("inverse", Value::from(*inverse))]),
        ),
    }
}

fn single_member(key: &str, value: Value) -> Value {
    Value::Object(vec![(key.to_owned(), value)])
}

fn name_value(name: &str) -> Value {
    Value::from(canonical_name(name))
}

fn names_value(of: &[String]) -> Value {
    Value::Array(of.iter().map(|n| name_value(n)).collect())
}
