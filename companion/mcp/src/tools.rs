//! Tools of an agent: description, schema of the arguments, and work of each.

use super::desk::Open;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::{AgentOptions, AskWith, ask_with_protocol, plan_question};
use pocketgraph::answer::AskOptions;
use pocketgraph::bundle::Document;
use pocketgraph::engine::SearchOptions;
use pocketgraph::kg::{self, Direction, KnowledgeGraph, NodeId};
use pocketgraph::retrieve::{Filter, by_name};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Instant;

/// Hits of a search where nobody says how many.
const HITS: u32 = 8;
/// And at most: more is no use to a model, and would fill its context.
const MOST_HITS: u32 = 50;
/// Entities that a name may mean, and statements told of each.
const ENTITIES: usize = 5;
const STATEMENTS: usize = 60;
/// Characters of a section that are given out at once.
const MOST_TEXT: usize = 40_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    question: String,
    k: Option<u32>,
    retriever: Option<String>,
    #[serde(default)]
    filter: Vec<String>,
    #[serde(default)]
    boost: Vec<String>,
    sort: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadSection {
    url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    #[serde(default)]
    filter: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanQuestion {
    question: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entity {
    name: String,
}

/// The tools of a bundle; those of a knowledge graph only where it carries one.
pub fn list_tools(has_graph: bool) -> Vec<Tool> {
    let question =
        json!({ "type": "string", "description": "A question or search words, in plain language" });
    let conditions =
        |what: &str| json!({ "type": "array", "items": { "type": "string" }, "description": what });
    let filter = conditions(
        "Search only documents that meet these conditions: language=de, folder=guides, version=2.0, or a \
         field of \
         their own as author=Ann, price=10..20, date=2024..",
    );
    let mut out = vec![
        make_tool(
            "search",
            "Search the documents",
            "Finds the passages of the documents that answer a question, best first, each with its \
             title, headings, address and text.",
            json!({
                "question": question,
                "k": { "type": "integer", "minimum": 1, "maximum": MOST_HITS, "description": "How many \
                 passages at most; 8 if left out" },
                "retriever": { "type": "string", "description": "How to look: auto (the default), hybrid, \
                 lexical, dense or autokg" },
                "filter": filter,
                "boost": conditions("Move up hits of documents that meet these conditions"),
                "sort": { "type": "string", "description": "A field to sort the hits by; -date for the \
                 latest first" },
            }),
            &["question"],
        ),
        make_tool(
            "read_section",
            "Read a section",
            "Gives the whole text of a document, or of one of its sections where the address has a \
             fragment that search returned.",
            json!({ "url": { "type": "string", "description": "An address from search, such as \
                guide/start.html#install, or a document's path" } }),
            &["url"],
        ),
        make_tool(
            "ask",
            "Answer a question",
            "Answers a question from the documents without a language model: by a plan over the knowledge \
             graph where there is one that fits, else by \
             quoting what answers it, with citations. Says so where the documents do not say.",
            json!({ "question": question, "filter": filter }),
            &["question"],
        ),
    ];
    if has_graph {
        out.push(make_tool(
            "plan",
            "Plan a question over the knowledge graph",
            "Turns a question into a logical form over the knowledge graph and says how sure the \
             planner is of it; `ask` carries plans out.",
            json!({ "question": question }),
            &["question"],
        ));
        out.push(make_tool(
            "entity",
            "Look up an entity",
            "Gives the entities of the knowledge graph that a name may mean, with their types and \
             statements.",
            json!({ "name": { "type": "string", "description": "A name, as a text would write it" } }),
            &["name"],
        ));
    }
    out
}

fn make_tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(name, description, schema).with_title(title).with_annotations(hints)
}

/// Returns true if there is such a tool.
pub fn tool_exists(name: &str) -> bool {
    list_tools(true).iter().any(|t| t.name == name)
}

/// Calls a tool. What it gives is JSON.
///
/// # Errors
/// Arguments that its schema does not allow, and what the bundle cannot do.
pub async fn call_tool(bundle: &Open, name: &str, arguments: JsonObject) -> Result<Value> {
    match name {
        "search" => call_search(bundle, parse_arguments(name, arguments)?).await,
        "read_section" => read_section(bundle, parse_arguments(name, arguments)?).await,
        "ask" => call_ask(bundle, parse_arguments(name, arguments)?).await,
        "plan" => call_plan(bundle, parse_arguments(name, arguments)?).await,
        "entity" => call_entity(bundle, parse_arguments(name, arguments)?).await,
        _ => Err(miette!("there is no tool {name}")),
    }
}

fn parse_arguments<T: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<T> {
    let schema = list_tools(true).into_iter().find(|t| t.name == tool).map(|t| t.input_schema);
    let members = schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let arguments = members.map_or(arguments.clone(), |members| coerce_types(members, arguments));
    serde_json::from_value(Value::Object(arguments))
        .map_err(|e| miette!("the tool does not take these arguments: {e}"))
}

/// The arguments in the types of a schema's `members`. Clients send numbers as texts or with a fraction of
/// zero, texts as numbers, and all arguments as one text of JSON under a name of their own.
fn coerce_types(members: &JsonObject, arguments: JsonObject) -> JsonObject {
    let mut given = arguments.iter();
    if let (Some((name, Value::String(text))), None) = (given.next(), given.next())
        && !members.contains_key(name)
        && let Ok(Value::Object(inner)) = serde_json::from_str(text)
    {
        return coerce_types(members, inner);
    }
    let wanted = |name: &str| members.get(name).and_then(|member| member["type"].as_str());
    let of_type = |name: &str, value: Value| match (wanted(name), value) {
        (Some("integer"), Value::String(text)) => {
            text.trim().parse().ok().and_then(read_whole).unwrap_or(text.into())
        }
        (Some("integer"), Value::Number(n)) => n.as_f64().and_then(read_whole).unwrap_or(Value::Number(n)),
        (Some("string"), value @ (Value::Number(_) | Value::Bool(_))) => Value::String(value.to_string()),
        (Some("array"), Value::String(text)) => serde_json::from_str(&text).unwrap_or_else(|_| json!([text])),
        (_, value) => value,
    };
    arguments.into_iter().map(|(name, value)| (name.clone(), of_type(&name, value))).collect()
}

/// A number without a fraction, as JSON; `None` for another.
fn read_whole(number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < f64::from(u32::MAX)).then(|| Value::from(number as i64))
}

async fn call_search(bundle: &Open, given: Search) -> Result<Value> {
    if let Some(name) = given.retriever.as_deref().filter(|name| by_name(name).is_none()) {
        return Err(miette!("there is no retriever {name}"));
    }
    let filter = Filter { boost: given.boost, sort: given.sort, ..Filter::of_conditions(&given.filter) };
    bundle.engine.check_filter(&filter).await.into_diagnostic()?;
    let options = SearchOptions {
        k: Some(given.k.unwrap_or(HITS).clamp(1, MOST_HITS)),
        retriever: given.retriever,
        filter: filter.into(),
        ..SearchOptions::default()
    };
    let found = bundle.engine.search(&given.question, &options).await.into_diagnostic()?;
    let hit = |h: &pocketgraph::retrieve::Hit| {
        json!({
            "title": h.title,
            "headings": h.heading_path,
            "url": h.url,
            "language": h.language,
            "score": h.score,
            "text": h.text,
        })
    };
    Ok(json!({ "hits": found.hits.iter().map(hit).collect::<Vec<_>>(), "warnings": found.missing }))
}

async fn read_section(bundle: &Open, given: ReadSection) -> Result<Value> {
    // A path may have the sign of a fragment in it.
    let documents = bundle.documents().await?;
    let whole = find_document(&documents, &given.url).map(|at| (at, ""));
    let cut = || {
        given
            .url
            .split_once('#')
            .and_then(|(address, fragment)| Some((find_document(&documents, address)?, fragment)))
    };
    let (at, fragment) = whole
        .or_else(cut)
        .ok_or_else(|| miette!("no document has the address {}; search gives addresses", given.url))?;
    let document = &documents[at];
    let (text, whole) = section_text(bundle, at, document, fragment).await?;
    Ok(json!({ "title": document.title, "url": given.url, "text": text, "whole": whole }))
}

/// The text of the document with this path, if there is one. Fails if it cannot be read.
pub async fn document_text(bundle: &Open, path: &str) -> Result<Option<String>> {
    let documents = bundle.documents().await?;
    match documents.iter().enumerate().find(|(_, document)| document.path == path) {
        Some((at, document)) => Ok(Some(section_text(bundle, at, document, "").await?.0)),
        None => Ok(None),
    }
}

/// The text of the section at `fragment`, or of the whole document; and whether it is all of it.
async fn section_text(
    bundle: &Open,
    at: usize,
    document: &Document,
    fragment: &str,
) -> Result<(String, bool)> {
    let chunks = bundle.engine.corpus().chunks_of(at as u32).await.into_diagnostic()?;
    // A section ends at the next heading that is not below its own. If it shares its passage, the whole
    // document comes.
    let path = chunks
        .iter()
        .find(|(_, c)| !fragment.is_empty() && c.fragment == fragment)
        .map(|(_, c)| c.heading_path.clone());
    let mut text = String::new();
    let mut last: &[String] = &[];
    for (_, chunk) in
        chunks.iter().filter(|(_, c)| path.as_ref().is_none_or(|p| c.heading_path.starts_with(p)))
    {
        if chunk.heading_path != last {
            last = &chunk.heading_path;
            text.push_str(&format!(
                "{} {}\n\n",
                "#".repeat((last.len() + 1).min(6)),
                last.last().unwrap_or(&document.title)
            ));
        }
        text.push_str(&chunk.text);
        text.push_str("\n\n");
    }
    let whole = text.chars().count() <= MOST_TEXT;
    Ok((text.trim_end().chars().take(MOST_TEXT).collect(), whole))
}

/// The document of an address: that of its page, or its path in the folder it was read from.
pub fn find_document(documents: &[Document], address: &str) -> Option<usize> {
    let bare = address.trim_start_matches("./");
    documents.iter().position(|d| d.url == address).or_else(|| {
        documents
            .iter()
            .position(|d| d.path == bare || d.url.trim_end_matches('/') == bare.trim_end_matches('/'))
    })
}

async fn call_ask(bundle: &Open, given: Ask) -> Result<Value> {
    let engine = &bundle.engine;
    let filter = Filter::of_conditions(&given.filter);
    engine.check_filter(&filter).await.into_diagnostic()?;
    // A plan goes through the whole graph: some of the documents alone answer by quotation.
    if given.filter.is_empty() && kg::is_in(engine.corpus().bundle()) {
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64() * 1e3;
        let with = AskWith { chat: None, clock: &clock, graph: None, web: None, tools: None };
        let answered =
            ask_with_protocol(engine, &given.question, "plan", &AgentOptions::default(), &with, &mut |_| {})
                .await
                .into_diagnostic()?;
        return serde_json::to_value(answered.answer).into_diagnostic();
    }
    let options = AskOptions { filter: filter.into(), ..AskOptions::default() };
    let answer = engine.quote(&given.question, &options, &mut |_| {}).await.into_diagnostic()?;
    serde_json::to_value(answer).into_diagnostic()
}

async fn call_plan(bundle: &Open, given: PlanQuestion) -> Result<Value> {
    let engine = &bundle.engine;
    if !kg::is_in(engine.corpus().bundle()) {
        return Err(miette!("the bundle carries no knowledge graph"));
    }
    let begun = Instant::now();
    let clock = || begun.elapsed().as_secs_f64() * 1e3;
    let with = AskWith { chat: None, clock: &clock, graph: None, web: None, tools: None };
    let planned =
        plan_question(engine, &given.question, &AgentOptions::default(), &with).await.into_diagnostic()?;
    Ok(
        json!({ "plan": planned.text, "confidence": planned.confidence, "by": planned.by, "whyNot": planned.why_not }),
    )
}

async fn call_entity(bundle: &Open, given: Entity) -> Result<Value> {
    let candidates = bundle.engine.link(&given.name, ENTITIES).await.into_diagnostic()?;
    let Some(linker) = bundle.engine.knowledge().await.into_diagnostic()? else {
        return Err(miette!("the bundle carries no knowledge graph"));
    };
    let graph = linker.graph();
    let entity_rows: Vec<Value> =
        candidates.iter().map(|c| describe_entity(graph, c.node, c.score)).collect();
    Ok(json!({ "entities": entity_rows }))
}

/// A node with its types and statements, each as (subject, relation, object).
fn describe_entity(graph: &KnowledgeGraph, node: NodeId, score: f32) -> Value {
    let vocabulary = graph.vocabulary();
    let types: Vec<&str> = graph
        .types(node)
        .iter()
        .filter_map(|t| vocabulary.entity_type(*t))
        .map(|t| t.label.as_str())
        .collect();
    let mut statements = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for edge in graph.edges(node, direction).take(STATEMENTS.saturating_sub(statements.len())) {
            let relation = vocabulary.relation(edge.relation).map_or("", |r| r.label.as_str());
            let (own, other) = (graph.label(node), graph.label(edge.other));
            statements.push(if direction == Direction::Forward {
                json!([own, relation, other])
            } else {
                json!([other, relation, own])
            });
        }
    }
    let all = graph.degree(node, Direction::Forward) + graph.degree(node, Direction::Backward);
    json!({
        "label": graph.label(node), "id": graph.id(node), "description": graph.description(node),
        "types": types, "score": score, "statements": statements, "statementsInAll": all,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn searched(arguments: Value) -> Result<(String, Option<u32>)> {
        let given: Search = parse_arguments("search", arguments.as_object().cloned().unwrap())?;
        Ok((given.question, given.k))
    }

    #[test]
    fn arguments_are_taken_as_clients_send_them() {
        let wanted = ("how long?".to_owned(), Some(3));
        for k in [json!(3), json!(3.0), json!("3"), json!(" 3.0 ")] {
            assert_eq!(searched(json!({ "question": "how long?", "k": k })).unwrap(), wanted, "{k}");
        }
        for name in ["input", "arguments"] {
            let text = json!({ "question": "how long?", "k": "3" }).to_string();
            assert_eq!(searched(json!({ name: text })).unwrap(), wanted, "{name}");
        }
        for filter in [json!(["author=Ann"]), json!("author=Ann"), json!("[\"author=Ann\"]")] {
            let given = json!({ "question": "how long?", "filter": filter }).as_object().cloned().unwrap();
            assert_eq!(
                parse_arguments::<Search>("search", given).unwrap().filter,
                ["author=Ann"],
                "{filter}"
            );
        }
        assert_eq!(searched(json!({ "question": 404, "k": null })).unwrap(), ("404".to_owned(), None));
        assert_eq!(
            searched(json!({ "question": "{\"k\": 3}" })).unwrap().0,
            "{\"k\": 3}",
            "a question may be JSON"
        );
    }

    #[test]
    fn arguments_that_mean_nothing_are_refused() {
        for k in [json!(3.5), json!("three"), json!("NaN"), json!(-1), json!(1e300), json!([3])] {
            assert!(searched(json!({ "question": "how long?", "k": k })).is_err(), "{k}");
        }
        let lists = json!({ "question": ["how long?"] });
        for arguments in [json!({}), json!({ "input": "how long?" }), json!({ "input": "[]" }), lists] {
            assert!(searched(arguments.clone()).is_err(), "{arguments}");
        }
    }
}
