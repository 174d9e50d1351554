//! Tools of an agent: description, schema of the arguments, and work of each.

use super::desk::Open;
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::agent::{AgentOptions, AskWith, ask_with_protocol, plan_question};
use pocketgraph::answer::AskOptions;
use pocketgraph::bundle::Document;
use pocketgraph::engine::SearchOptions;
use pocketgraph::kg::{self, Direction, KnowledgeGraph, NodeId};
use pocketgraph::retrieve::by_name;
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
pub fn all(has_graph: bool) -> Vec<Tool> {
    let question = json!({ "type": "string", "description": "A question or search words, in plain language" });
    let mut out = vec![
        tool(
            "search",
            "Search the documents",
            "Finds the passages of the documents that answer a question, best first, each with its title, headings, address and text.",
            json!({
                "question": question,
                "k": { "type": "integer", "minimum": 1, "maximum": MOST_HITS, "description": "How many passages at most; 8 if left out" },
                "retriever": { "type": "string", "description": "How to look: auto (the default), hybrid, lexical, dense or autokg" },
            }),
            &["question"],
        ),
        tool(
            "read_section",
            "Read a section",
            "Gives the whole text of a document, or of one of its sections where the address has a fragment that search returned.",
            json!({ "url": { "type": "string", "description": "An address from search, such as guide/start.html#install, or a document's path" } }),
            &["url"],
        ),
        tool(
            "ask",
            "Answer a question",
            "Answers a question from the documents without a language model: by a plan over the knowledge graph where there is one that fits, else by \
             quoting what answers it, with citations. Says so where the documents do not say.",
            json!({ "question": question }),
            &["question"],
        ),
    ];
    if has_graph {
        out.push(tool(
            "plan",
            "Plan a question over the knowledge graph",
            "Turns a question into a logical form over the knowledge graph and says how sure the planner is of it; `ask` carries plans out.",
            json!({ "question": question }),
            &["question"],
        ));
        out.push(tool(
            "entity",
            "Look up an entity",
            "Gives the entities of the knowledge graph that a name may mean, with their types and statements.",
            json!({ "name": { "type": "string", "description": "A name, as a text would write it" } }),
            &["name"],
        ));
    }
    out
}

fn tool(name: &'static str, title: &str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    let schema = json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(name, description, schema).with_title(title).with_annotations(hints)
}

/// Returns true if there is such a tool.
pub fn exists(name: &str) -> bool {
    all(true).iter().any(|t| t.name == name)
}

/// Calls a tool. What it gives is JSON.
///
/// # Errors
/// Arguments that its schema does not allow, and what the bundle cannot do.
pub async fn call(bundle: &Open, name: &str, arguments: JsonObject) -> Result<Value> {
    match name {
        "search" => search(bundle, read(arguments)?).await,
        "read_section" => read_section(bundle, read(arguments)?).await,
        "ask" => ask(bundle, read(arguments)?).await,
        "plan" => plan(bundle, read(arguments)?).await,
        "entity" => entity(bundle, read(arguments)?).await,
        _ => Err(miette!("there is no tool {name}")),
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T> {
    serde_json::from_value(Value::Object(arguments)).map_err(|e| miette!("the arguments are not what the tool takes: {e}"))
}

async fn search(bundle: &Open, given: Search) -> Result<Value> {
    if let Some(name) = given.retriever.as_deref().filter(|name| by_name(name).is_none()) {
        return Err(miette!("there is no retriever {name}"));
    }
    let options = SearchOptions {
        k: Some(given.k.unwrap_or(HITS).clamp(1, MOST_HITS)),
        retriever: given.retriever,
        typing: false,
        ..SearchOptions::default()
    };
    let found = bundle.engine.search(&given.question, &options).await.into_diagnostic()?;
    let hit = |h: &pocketgraph::retrieve::Hit| json!({ "title": h.title, "headings": h.heading_path, "url": h.url, "language": h.language, "score": h.score, "text": h.text });
    Ok(json!({ "hits": found.hits.iter().map(hit).collect::<Vec<_>>(), "warnings": found.missing }))
}

async fn read_section(bundle: &Open, given: ReadSection) -> Result<Value> {
    // A path may have the sign of a fragment in it.
    let whole = place(&bundle.documents, &given.url).map(|at| (at, ""));
    let cut = || given.url.split_once('#').and_then(|(address, fragment)| Some((place(&bundle.documents, address)?, fragment)));
    let (at, fragment) = whole.or_else(cut).ok_or_else(|| miette!("no document has the address {}; search gives addresses", given.url))?;
    let document = &bundle.documents[at];
    let chunks = bundle.chunks_of(at as u32).await?;
    // A section goes on to the next heading that is not below its own. One that shares its passage with others comes with the whole document.
    let path = chunks.iter().find(|(_, c)| !fragment.is_empty() && c.fragment == fragment).map(|(_, c)| c.heading_path.clone());
    let mut text = String::new();
    let mut last: &[String] = &[];
    for (_, chunk) in chunks.iter().filter(|(_, c)| path.as_ref().is_none_or(|p| c.heading_path.starts_with(p))) {
        if chunk.heading_path != last {
            last = &chunk.heading_path;
            text.push_str(&format!("{} {}\n\n", "#".repeat((last.len() + 1).min(6)), last.last().unwrap_or(&document.title)));
        }
        text.push_str(&chunk.text);
        text.push_str("\n\n");
    }
    let whole = text.chars().count() <= MOST_TEXT;
    let text: String = text.trim_end().chars().take(MOST_TEXT).collect();
    Ok(json!({ "title": document.title, "url": given.url, "text": text, "whole": whole }))
}

/// The document of an address: that of its page, or its path in the folder it was read from.
pub fn place(documents: &[Document], address: &str) -> Option<usize> {
    let bare = address.trim_start_matches("./");
    documents
        .iter()
        .position(|d| d.url == address)
        .or_else(|| documents.iter().position(|d| d.path == bare || d.url.trim_end_matches('/') == bare.trim_end_matches('/')))
}

async fn ask(bundle: &Open, given: Ask) -> Result<Value> {
    let engine = &bundle.engine;
    if kg::is_in(engine.corpus().bundle()) {
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64() * 1e3;
        let with = AskWith { chat: None, clock: &clock, graph: None, web: None, tools: None };
        let answered =
            ask_with_protocol(engine, &given.question, "plan", &AgentOptions::default(), &with, &mut |_| {}).await.into_diagnostic()?;
        return serde_json::to_value(answered.answer).into_diagnostic();
    }
    let answer = engine.quote(&given.question, &AskOptions::default(), &mut |_| {}).await.into_diagnostic()?;
    serde_json::to_value(answer).into_diagnostic()
}

async fn plan(bundle: &Open, given: PlanQuestion) -> Result<Value> {
    let engine = &bundle.engine;
    if !kg::is_in(engine.corpus().bundle()) {
        return Err(miette!("the bundle carries no knowledge graph"));
    }
    let begun = Instant::now();
    let clock = || begun.elapsed().as_secs_f64() * 1e3;
    let with = AskWith { chat: None, clock: &clock, graph: None, web: None, tools: None };
    let planned = plan_question(engine, &given.question, &AgentOptions::default(), &with).await.into_diagnostic()?;
    Ok(json!({ "plan": planned.text, "confidence": planned.confidence, "by": planned.by, "whyNot": planned.why_not }))
}

async fn entity(bundle: &Open, given: Entity) -> Result<Value> {
    let candidates = bundle.engine.link(&given.name, ENTITIES).await.into_diagnostic()?;
    let Some(linker) = bundle.engine.knowledge().await.into_diagnostic()? else {
        return Err(miette!("the bundle carries no knowledge graph"));
    };
    let graph = linker.graph();
    let entity_rows: Vec<Value> = candidates.iter().map(|c| described(graph, c.node, c.score)).collect();
    Ok(json!({ "entities": entity_rows }))
}

/// A node with its types and statements, each as (subject, relation, object).
fn described(graph: &KnowledgeGraph, node: NodeId, score: f32) -> Value {
    let vocabulary = graph.vocabulary();
    let types: Vec<&str> = graph.types(node).iter().filter_map(|t| vocabulary.entity_type(*t)).map(|t| t.label.as_str()).collect();
    let mut statements = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for edge in graph.edges(node, direction).take(STATEMENTS.saturating_sub(statements.len())) {
            let relation = vocabulary.relation(edge.relation).map_or("", |r| r.label.as_str());
            let (own, other) = (graph.label(node), graph.label(edge.other));
            statements.push(if direction == Direction::Forward { json!([own, relation, other]) } else { json!([other, relation, own]) });
        }
    }
    let all = graph.degree(node, Direction::Forward) + graph.degree(node, Direction::Backward);
    json!({
        "label": graph.label(node), "id": graph.id(node), "description": graph.description(node),
        "types": types, "score": score, "statements": statements, "statementsInAll": all,
    })
}
