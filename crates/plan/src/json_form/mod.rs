//! Plans as JSON: the form for programs, and for models with structured output.
//!
//! It is the serde form of [`Plan`], which `docs/plan.schema.json` describes, written and read with the
//! engine's own JSON. It expresses every operation. The reader allows a code fence and prose around the
//! object, capitals and underscores in an operation's name, a plain string for a head (a known name is a
//! reference, else a mention) or a relation (a phrase), and symbols for words of comparison. It refuses
//! unknown members, since to skip one may change the plan's meaning.

mod print;
mod values;

use super::ast::fold_name;
use super::check::{Limits, check_room, excerpt};
use super::read::{Parsed, canonical_name, check_size, position_of};
use super::{
    Compare, Condition, Extreme, Fault, How, Operation, Plan, PlanError, Position, SearchKg, Statement,
    Template, Test,
};
use crate::json::{self, Value};
pub use print::print;
use values::Reader;

/// Reads a plan from JSON, anywhere in the text.
///
/// # Errors
/// The first fault. If the text is JSON but not a plan, its place is that of the statement.
pub fn parse(text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
    check_size(text, limits)?;
    let (start, end) = find_json(text);
    if start == end {
        let expected = "an object with statements and answer";
        return Err(PlanError::new(
            Position { line: 1, column: 1 },
            Fault::NoPlan,
            expected,
            "Write the plan as one JSON object.",
        ));
    }
    let value = json::parse(&text[start..end]).map_err(|error| {
        let fault = Fault::Syntax(error.what.to_owned());
        PlanError::new(
            position_of(text, start + error.offset),
            fault,
            "JSON",
            "Check quotes, commas and brackets.",
        )
    })?;
    let at = position_of(text, start);
    let mut reader = Reader { at, names: Vec::new() };
    let (question, items, answer) = match &value {
        Value::Array(items) => (None, items.as_slice(), None),
        _ => {
            let members = reader.read_members(&value, "the plan", &["question", "statements", "answer"])?;
            let items = reader.require_member(members, "statements")?.as_array();
            let items = items.ok_or_else(|| reader.wrong_form("statements", "a list of statements"))?;
            (reader.read_text_if(members, "question")?, items, reader.read_text_if(members, "answer")?)
        }
    };
    let offsets = find_statements(&text[start..end], limits);
    let places: Vec<Position> = offsets.iter().map(|offset| position_of(text, start + offset)).collect();
    let named = items.iter().take(limits.statements).filter_map(|item| item.get("name")?.as_str());
    reader.names = named.map(canonical_name).collect();
    let mut plan = Plan { question, statements: Vec::new(), answer: String::new() };
    for (index, item) in items.iter().enumerate() {
        reader.at = places.get(index).copied().unwrap_or(at);
        check_room(index, limits, reader.at)?;
        plan.statements.push(read_statement(&reader, item)?);
    }
    plan.answer = match (answer, plan.statements.last()) {
        (Some(answer), _) => reader.resolve_reference(&answer),
        (None, Some(last)) => last.name.clone(),
        (None, None) => String::new(),
    };
    Ok(Parsed { plan, positions: places })
}

/// Returns the range of the JSON: from the first bracket to the last one that closes it.
fn find_json(text: &str) -> (usize, usize) {
    let Some(start) = text.find(['{', '[']) else { return (0, 0) };
    let close = if text[start..].starts_with('{') { '}' } else { ']' };
    text.rfind(close).filter(|end| *end > start).map_or((0, 0), |end| (start, end + 1))
}

/// Returns the offsets of the statements in well-formed JSON: of the objects in its first list.
fn find_statements(text: &str, limits: &Limits) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut depth, mut list) = (0_usize, None);
    let (mut in_string, mut after_backslash) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = after_backslash || byte != b'"';
            after_backslash = byte == b'\\' && !after_backslash;
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                if byte == b'{' && list == Some(depth) && found.len() < limits.statements {
                    found.push(at);
                }
                depth += 1;
                if byte == b'[' && list.is_none() {
                    list = Some(depth);
                }
            }
            b']' | b'}' => {
                if byte == b']' && list == Some(depth) {
                    return found;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    found
}

/// Names of the operations, for messages.
const OPERATIONS: &str =
    "search_kg, search, all, entity, intersect, union, negation, compare, count, filter or superlative";

fn read_statement(reader: &Reader, item: &Value) -> Result<Statement, PlanError> {
    let op = item.get("op").and_then(Value::as_str).ok_or_else(|| reader.missing_member("op", OPERATIONS))?;
    let (allowed, read): (&[&str], Read) = match fold_name(op).as_str() {
        "searchkg" => (&["target", "head", "relation"], read_search_kg),
        "search" => (&["query"], read_search),
        "all" => (&["target", "relation"], read_all),
        "entity" => {
            (&["head"], |r, m| Ok(Operation::Entity { head: r.read_head(r.require_member(m, "head")?)? }))
        }
        "intersect" | "intersection" => {
            (&["of"], |r, m| Ok(Operation::Intersect { of: r.read_names(m, "of")? }))
        }
        "union" => (&["of"], |r, m| Ok(Operation::Union { of: r.read_names(m, "of")? })),
        "negation" => (&["main", "minus"], |r, m| {
            Ok(Operation::Negation { main: r.read_name(m, "main")?, minus: r.read_names(m, "minus")? })
        }),
        "compare" => (&["of", "how", "by", "question"], read_compare),
        "count" => (&["of"], |r, m| Ok(Operation::Count { of: r.read_name(m, "of")? })),
        "filter" => (&["of", "condition"], read_filter),
        "superlative" => (&["of", "by", "extreme", "keep"], read_superlative),
        _ => {
            let fault = Fault::UnknownFunction(excerpt(op));
            return Err(PlanError::new(
                reader.at,
                fault,
                OPERATIONS,
                "Use only these; nothing else can be executed.",
            ));
        }
    };
    let mut known = vec!["name", "thought", "op"];
    known.extend(allowed);
    let members = reader.read_members(item, "a statement", &known)?;
    let name = canonical_name(&reader.read_text(members, "name")?);
    Ok(Statement {
        name,
        thought: reader.read_text_if(members, "thought")?,
        operation: read(reader, members)?,
    })
}

type Members = [(String, Value)];

/// Function that makes an operation from its statement's members.
type Read = fn(&Reader, &Members) -> Result<Operation, PlanError>;

fn read_search_kg(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let target = reader.read_text_if(members, "target")?;
    let head = reader.read_head(reader.require_member(members, "head")?)?;
    let relation = reader.read_relation(reader.require_member(members, "relation")?)?;
    Ok(Operation::SearchKg(SearchKg { target, head, relation }))
}

fn read_all(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let relation = reader.find_member(members, "relation").map(|r| reader.read_relation(r)).transpose()?;
    let target = reader.read_text_if(members, "target")?;
    if target.is_none() && relation.is_none() {
        return Err(reader.missing_member("target", "a type, or a relation that each has"));
    }
    Ok(Operation::All { target, relation })
}

fn read_search(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let template = Template::parse(&reader.read_text(members, "query")?);
    let template = template.map_err(|error| {
        reader.wrong_form(&format!("the query: {error}"), "a text with references such as {Ans1}")
    })?;
    Ok(Operation::Search { query: template.map_references(|name| reader.resolve_reference(name)) })
}

fn read_compare(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let how = match reader.read_text_if(members, "how")? {
        None => None,
        Some(word) => Some(
            How::named(&word)
                .ok_or_else(|| reader.wrong_form(&word, "equal, less, greater, min, max or in"))?,
        ),
    };
    Ok(Operation::Compare(Compare {
        of: reader.read_names(members, "of")?,
        how,
        by: reader.read_measure_if(members)?,
        question: reader.read_text_if(members, "question")?,
    }))
}

fn read_filter(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let condition = reader.require_member(members, "condition")?;
    let condition = match reader.read_variant(condition, "a condition", &["type", "value"])? {
        ("type", Value::String(target)) => Condition::Type(target.clone()),
        (_, test) => {
            let members = reader.read_members(test, "a condition's value", &["by", "comparison", "to"])?;
            let comparison = reader.read_comparison(&reader.read_text(members, "comparison")?)?;
            Condition::Value(Test {
                by: reader.read_measure_if(members)?,
                comparison,
                to: reader.read_operand(reader.require_member(members, "to")?)?,
            })
        }
    };
    Ok(Operation::Filter { of: reader.read_name(members, "of")?, condition })
}

fn read_superlative(reader: &Reader, members: &Members) -> Result<Operation, PlanError> {
    let word = reader.read_text(members, "extreme")?;
    let extreme = Extreme::from_word(&word).ok_or_else(|| reader.wrong_form(&word, "min or max"))?;
    let keep = match reader.find_member(members, "keep") {
        None => 1,
        Some(n) => n
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(|| reader.wrong_form("keep", "a number of places"))?,
    };
    Ok(Operation::Superlative {
        of: reader.read_name(members, "of")?,
        by: reader.read_measure_if(members)?,
        extreme,
        keep,
    })
}

#[cfg(test)]
mod tests;
