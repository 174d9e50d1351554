//! Questions whose plans are known: MetaQA's relation paths and BetaE's logical queries, as plans of exact relations; the other sets'
//! readers have files of their own.

use super::answers::Naming;
use super::data::{DataError, lines};
use super::{evidence, geoquery};
use pocketgraph::plan::check;
use pocketgraph::plan::json_form;
use pocketgraph::plan::{Head, Operation, Plan, Relation, SearchKg, Statement};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// A question with its gold plan and answers.
#[derive(Debug, Clone)]
pub(super) struct Gold {
    pub id: String,
    pub question: String,
    /// In which figures it counts.
    pub groups: Vec<String>,
    /// The plan, or why the plan language has none.
    pub plan: Result<Plan, String>,
    pub answers: BTreeSet<String>,
    /// An answer that the set's convention leaves out.
    pub without: Option<String>,
    /// How the answers name what they mean.
    pub naming: Naming,
    /// Whether the graph is known to give exactly these answers.
    pub answerable: bool,
}

/// Reads a file of questions, whichever of the sets it is of.
pub(super) fn read(path: &Path) -> Result<Vec<Gold>, DataError> {
    let all = lines(path)?;
    let mut out = Vec::new();
    for (line, v) in all {
        let bad = |what: &str| DataError::Line { path: path.to_owned(), line, what: what.to_owned() };
        let gold = if evidence::is_one(&v) {
            evidence::gold(&v)
        } else if geoquery::is_one(&v) {
            geoquery::gold(&v)
        } else if v.get("plan").is_some_and(Value::is_object) {
            made(&v)
        } else if v.get("plan").is_some() {
            metaqa(&v)
        } else if v.get("query").is_some_and(Value::is_array) {
            betae(&v)
        } else {
            return Err(bad(
                "it has neither a relation path (MetaQA: plan), a logical query (BetaE: query), SQL (GeoQuery: sql), triples (2Wiki: evidence) nor a plan (train data)",
            ));
        };
        out.push(gold.map_err(|what| bad(&what))?);
    }
    Ok(out)
}

/// The questions of a file with their marked entities.
pub(super) fn marked_entities(path: &Path) -> Result<Vec<(String, String)>, DataError> {
    let field = |v: &Value, name: &str| v.get(name).and_then(Value::as_str).map(str::to_owned);
    lines(path)?
        .into_iter()
        .map(|(line, v)| match (field(&v, "question"), field(&v, "entity")) {
            (Some(question), Some(entity)) => Ok((question, entity)),
            _ => Err(DataError::Line { path: path.to_owned(), line, what: "it has no question or no marked entity".into() }),
        })
        .collect()
}

pub(super) fn text(v: &Value, name: &str) -> Result<String, String> {
    match v.get(name) {
        Some(Value::String(s)) => Ok(s.clone()),
        Some(Value::Number(n)) => Ok(n.to_string()),
        _ => Err(format!("it has no {name}")),
    }
}

pub(super) fn answers(v: &Value) -> Result<BTreeSet<String>, String> {
    let all = v.get("answers").and_then(Value::as_array).ok_or("it has no answers")?;
    Ok(all.iter().map(|a| a.as_str().map_or_else(|| a.to_string(), str::to_owned)).collect())
}

/// Statements under construction.
#[derive(Default)]
pub(super) struct Draft {
    statements: Vec<Statement>,
}

impl Draft {
    pub fn push(&mut self, operation: Operation) -> String {
        let name = format!("Ans{}", self.statements.len() + 1);
        self.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    }

    pub fn follow(&mut self, head: Head, relation: &str, inverse: bool) -> String {
        self.follow_to(head, relation, inverse, None)
    }

    /// The same to a type.
    pub fn follow_to(&mut self, head: Head, relation: &str, inverse: bool, target: Option<&str>) -> String {
        let relation = Relation::Exact { name: relation.to_owned(), inverse };
        self.push(Operation::SearchKg(SearchKg { target: target.map(str::to_owned), head, relation }))
    }

    pub fn plan(self, answer: String, question: Option<String>) -> Plan {
        Plan { question, statements: self.statements, answer }
    }
}

/// What `train data` made: a plan as JSON, answers as label and identifier. Of long lists of answers only the beginning is there, and they do not count.
fn made(v: &Value) -> Result<Gold, String> {
    let plan = v.get("plan").map(Value::to_string).ok_or("it has no plan")?;
    let plan = json_form::parse(&plan, &check::Limits::default()).map_err(|e| e.to_string())?.plan;
    let all = v.get("answers").and_then(Value::as_array).ok_or("it has no answers")?;
    let name = |a: &Value| a.get(1).or(a.get(0)).and_then(Value::as_str).map(str::to_owned);
    let count = v.get("count").and_then(Value::as_u64).ok_or("it has no count")?;
    Ok(Gold {
        id: text(v, "id")?,
        question: text(v, "question")?,
        groups: vec![text(v, "pattern")?, "all".to_owned()],
        plan: Ok(plan),
        answers: all.iter().map(|a| name(a).ok_or("an answer has no name")).collect::<Result<_, _>>()?,
        without: None,
        naming: Naming::Id,
        answerable: count == all.len() as u64,
    })
}

/// MetaQA: a path such as `movie_to_director_to_movie` from the marked entity. The anchor is left out of the answers of longer paths.
fn metaqa(v: &Value) -> Result<Gold, String> {
    let (entity, path, question) = (text(v, "entity")?, text(v, "plan")?, text(v, "question")?);
    let stops: Vec<&str> = path.split("_to_").collect();
    let mut draft = Draft::default();
    let mut head = Head::Entity(entity.clone());
    let mut answer = String::new();
    for pair in stops.windows(2) {
        let (relation, inverse) = match pair {
            ["movie", to] => (relation_to(to)?, false),
            [from, "movie"] => (relation_to(from)?, true),
            _ => return Err(format!("the path {path:?} does not go by films")),
        };
        answer = draft.follow(head, relation, inverse);
        head = Head::Reference(answer.clone());
    }
    let hops = stops.len() - 1;
    let closed = v.get("closed").and_then(Value::as_bool).unwrap_or(false);
    let group = format!("{hops} hop{}, {}", if hops == 1 { "" } else { "s" }, if closed { "closed" } else { "open" });
    Ok(Gold {
        id: text(v, "id")?,
        groups: vec![group],
        plan: Ok(draft.plan(answer, Some(question.clone()))),
        question,
        answers: answers(v)?,
        without: (hops > 1).then_some(entity),
        naming: Naming::Label,
        answerable: closed,
    })
}

fn relation_to(what: &str) -> Result<&'static str, String> {
    Ok(match what {
        "director" => "directed_by",
        "actor" => "starred_actors",
        "writer" => "written_by",
        "genre" => "has_genre",
        "year" => "release_year",
        "language" => "in_language",
        "tags" | "tag" => "has_tags",
        "imdbrating" => "has_imdb_rating",
        "imdbvotes" => "has_imdb_votes",
        other => return Err(format!("MetaQA has no relation to {other:?}")),
    })
}

/// BetaE (Ren and Leskovec, arXiv 2010.11465): nested lists; -1 marks a union, -2 a complement.
fn betae(v: &Value) -> Result<Gold, String> {
    let group = text(v, "type")?;
    let mut draft = Draft::default();
    let query = v.get("query").ok_or("it has no query")?;
    let set = compile(query, &mut draft, 0)?;
    if set.complement {
        return Err("the query asks for everything but a set".to_owned());
    }
    Ok(Gold {
        id: text(v, "id")?,
        question: format!("{group} {query}"),
        groups: vec![group],
        plan: Ok(draft.plan(set.name, None)),
        answers: answers(v)?,
        without: None,
        naming: Naming::Id,
        answerable: true,
    })
}

/// A compiled part of a query: a set, or everything but it. Complements are never executed: they are pushed outwards until a difference
/// or a second complement takes them up.
struct Part {
    name: String,
    complement: bool,
}

fn integers(v: &Value) -> Option<Vec<i64>> {
    v.as_array()?.iter().map(Value::as_i64).collect()
}

fn compile(v: &Value, draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let list = v.as_array().filter(|l| l.len() >= 2).ok_or_else(|| format!("{v} is no query"))?;
    if depth > 16 {
        return Err("the query is nested too deeply".to_owned());
    }
    let Some((last, before)) = list.split_last() else { return Err(format!("{v} is no query")) };
    match integers(last) {
        Some(marks) if marks == [-1] => union(before, draft, depth),
        Some(steps) if before.len() == 1 => chain(&before[0], &steps, draft, depth),
        _ => intersection(list, draft, depth),
    }
}

fn union(of: &[Value], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let parts = of.iter().map(|v| compile(v, draft, depth + 1)).collect::<Result<Vec<_>, _>>()?;
    if parts.iter().any(|p| p.complement) {
        return Err("a union with a complement".to_owned());
    }
    let name = draft.push(Operation::Union { of: parts.into_iter().map(|p| p.name).collect() });
    Ok(Part { name, complement: false })
}

fn chain(from: &Value, steps: &[i64], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let (mut part, mut steps) = match from.as_i64() {
        Some(entity) => {
            let (first, rest) = steps.split_first().filter(|(r, _)| **r >= 0).ok_or("a chain without a relation")?;
            let name = draft.follow(Head::Entity(entity.to_string()), &first.to_string(), false);
            (Part { name, complement: false }, rest)
        }
        None => (compile(from, draft, depth + 1)?, steps),
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

fn intersection(of: &[Value], draft: &mut Draft, depth: usize) -> Result<Part, String> {
    let parts = of.iter().map(|v| compile(v, draft, depth + 1)).collect::<Result<Vec<_>, _>>()?;
    let (minus, plus): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|p| p.complement);
    let names = |parts: Vec<Part>| parts.into_iter().map(|p| p.name).collect::<Vec<_>>();
    let (plus, minus) = (names(plus), names(minus));
    let mut one = |of: Vec<String>, operation: fn(Vec<String>) -> Operation| match <[String; 1]>::try_from(of) {
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
