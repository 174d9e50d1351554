//! BetaE: logical queries over a graph of numbers.

use super::draft::Draft;
use pocketgraph::plan::{Head, Operation};
use pocketgraph_eval::{Gold, Naming, QuestionSet, read_answers, text};
use serde_json::Value;

/// The set.
#[derive(Debug, Clone, Copy)]
pub struct BetaE;

impl QuestionSet for BetaE {
    fn marker_field(&self) -> &str {
        "a logical query (BetaE: query)"
    }

    fn is_one(&self, v: &Value) -> bool {
        v.get("query").is_some_and(Value::is_array)
    }

    /// BetaE (Ren and Leskovec, arXiv 2010.11465): nested lists; -1 marks a union, -2 a complement.
    fn gold(&self, v: &Value) -> Result<Gold, String> {
        let group = text(v, "type")?;
        let mut draft = Draft::default();
        let query = v.get("query").ok_or("it has no query")?;
        let set = compile_part(query, &mut draft, 0)?;
        if set.complement {
            return Err("the query asks for everything but a set".to_owned());
        }
        Ok(Gold {
            id: text(v, "id")?,
            question: format!("{group} {query}"),
            groups: vec![group],
            plan: Ok(draft.plan(set.name, None)),
            answers: read_answers(v)?,
            without: None,
            naming: Naming::Id,
            answerable: true,
        })
    }
}

/// A compiled part of a query: a set, or everything except it. Complements are never executed: they move
/// outwards until a difference or a second complement absorbs them.
struct Part {
    name: String,
    complement: bool,
}

fn read_integers(v: &Value) -> Option<Vec<i64>> {
    v.as_array()?.iter().map(Value::as_i64).collect()
}

fn compile_part(v: &Value, draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let list = v.as_array().filter(|l| l.len() >= 2).ok_or_else(|| format!("{v} is no query"))?;
    if depth > 16 {
        return Err("the query is nested too deeply".to_owned());
    }
    let Some((last, before)) = list.split_last() else { return Err(format!("{v} is no query")) };
    match read_integers(last) {
        Some(marks) if marks == [-1] => compile_union(before, draft, depth),
        Some(steps) if before.len() == 1 => compile_chain(&before[0], &steps, draft, depth),
        _ => compile_intersection(list, draft, depth),
    }
}

fn compile_union(of: &[Value], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let parts = of.iter().map(|v| compile_part(v, draft, depth + 1)).collect::<Result<Vec<_>, _>>()?;
    if parts.iter().any(|p| p.complement) {
        return Err("a union with a complement".to_owned());
    }
    let name = draft.push(Operation::Union { of: parts.into_iter().map(|p| p.name).collect() });
    Ok(Part { name, complement: false })
}

fn compile_chain(from: &Value, steps: &[i64], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let (mut part, mut steps) = match from.as_i64() {
        Some(entity) => {
            let (first, rest) =
                steps.split_first().filter(|(r, _)| **r >= 0).ok_or("a chain without a relation")?;
            let name = draft.follow(Head::Entity(entity.to_string()), &first.to_string(), false);
            (Part { name, complement: false }, rest)
        }
        None => (compile_part(from, draft, depth + 1)?, steps),
    };
    while let Some((&step, rest)) = steps.split_first() {
        steps = rest;
        if step == -2 {
            part.complement = !part.complement;
        } else if part.complement {
            return Err("a relation of everything but a set".to_owned());
        } else {
            part.name = draft.follow(Head::Reference(part.name), &step.to_string(), false);
        }
    }
    Ok(part)
}

fn compile_intersection(of: &[Value], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let parts = of.iter().map(|v| compile_part(v, draft, depth + 1)).collect::<Result<Vec<_>, _>>()?;
    let (minus, plus): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|p| p.complement);
    let names = |parts: Vec<Part>| parts.into_iter().map(|p| p.name).collect::<Vec<_>>();
    let (plus, minus) = (names(plus), names(minus));
    let mut one = |of: Vec<String>, operation: fn(Vec<String>) -> Operation| match <[String; 1]>::try_from(of)
    {
        Ok([name]) => name,
        Err(of) => draft.push(operation(of)),
    };
    if plus.is_empty() {
        // Outside all of them is outside their union.
        return Ok(Part { name: one(minus, |of| Operation::Union { of }), complement: true });
    }
    let main = one(plus, |of| Operation::Intersect { of });
    let name = if minus.is_empty() { main } else { draft.push(Operation::Negation { main, minus }) };
    Ok(Part { name, complement: false })
}
