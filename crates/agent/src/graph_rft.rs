//! Graph-RFT, "Plan Then Retrieve" (arXiv 2510.20691): think, plan, then carry the plan out by searches in
//! the knowledge graph, and beyond it only where the graph has nothing.
//!
//! The loop, in one growing text: `<plan>` lines over `SearchKG`, `Intersect`, `Union` and `Negation`; then,
//! one sub-problem at a time, `<relation_search> head, relation </relation_search>` (answered by the 15 most
//! relevant relations), `<neighbor_search>` with one of them, and `<web_search>` where the graph has no
//! fitting relation or no neighbour; `<answer>` as soon as enough is known.
//!
//! The coverage rule: a web search is refused, once for each query, unless the last look into the graph found
//! nothing, or the relations of the entity were listed and the one that is searched for is not among them.
//! Without a way to search the web, the bundle's passages take its place. No public code exists; what the
//! paper leaves open (limits, notices, the end at the cap) is ours.

use super::dialogue::Dialogue;
use super::neutralise::Marks;
use super::options;
use super::protocol::{Conversation, Protocol};
use super::retrieval::{PassageOrigin, list_passages, normalise_query};
use super::run::Run;
use super::search_r1::last_words;
use super::stream::Stop;
use super::tags::{Tagged, find_first_tag};
use super::types::{AgentEvent, Cap};
use crate::llm::{Message, Text, after_thinking};
use crate::plan::check::{Limits, check};
use crate::plan::{Plan, rft};
use futures::future::FutureExt;

/// Plan, then retrieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphRft;

pub(super) const TASK: Text = Text::new(
    "graph-rft.task",
    include_str!("prompts/graph-rft.task.txt"),
    &["question"],
    &["rules", "cite"],
);
pub(super) const EXECUTED: Text = Text::new(
    "graph-rft.task-executed",
    include_str!("prompts/graph-rft.task-executed.txt"),
    &["question"],
    &["rules", "cite"],
);
pub(super) const INVALID: Text =
    Text::new("graph-rft.invalid", include_str!("prompts/graph-rft.invalid.txt"), &[], &[]);
pub(super) const FAULT: Text =
    Text::new("graph-rft.fault", include_str!("prompts/graph-rft.fault.txt"), &["fault"], &[]);
pub(super) const COVERED: Text =
    Text::new("graph-rft.covered", include_str!("prompts/graph-rft.covered.txt"), &[], &[]);
pub(super) const NOTHING: Text = Text::new(
    "graph-rft.nothing",
    include_str!("prompts/graph-rft.nothing.txt"),
    &[],
    &["entity", "relation"],
);
pub(super) const NEXT: Text =
    Text::new("graph-rft.next", include_str!("prompts/graph-rft.next.txt"), &[], &[]);
pub(super) const LAST: Text =
    Text::new("graph-rft.last", include_str!("prompts/graph-rft.last.txt"), &[], &[]);
/// Relations shown for an entity, as in the paper.
const RELATIONS: usize = 15;
/// Neighbours shown for a relation.
const NEIGHBORS: usize = 50;
const CALLS: &[&str] = &["relation_search", "neighbor_search", "web_search", "answer"];
const STOPS: &[Stop] = &[
    Stop::behind("<relation_search>", "</relation_search>"),
    Stop::behind("<neighbor_search>", "</neighbor_search>"),
    Stop::behind("<web_search>", "</web_search>"),
    Stop::behind("<answer>", "</answer>"),
];
/// Stops for a plan that is carried out at once: the model waits after it. Endpoints take at most four.
const PLANNING: &[Stop] = &[STOPS[0], STOPS[2], STOPS[3], Stop::behind("<plan>", "</plan>")];

impl Protocol for GraphRft {
    fn name(&self) -> &'static str {
        "graph-rft"
    }

    fn limits(&self) -> options::Limits {
        options::Limits { turns: 16, searches: 24, k: 5, tokens_out: 1_024, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks {
            tags: &[
                "relation_search",
                "relation_information",
                "neighbor_search",
                "neighbor_information",
                "web_search",
                "web_information",
            ],
            ..Marks::default()
        }
    }

    fn uses_graph(&self) -> bool {
        true
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let task = run.render(if run.options.execute_plan { &EXECUTED } else { &TASK }, &[]);
            let mut dialogue =
                Dialogue::new(vec![Message::user(task)], run.options.continuation, run.render(&NEXT, &[]));
            let mut coverage = Coverage::default();
            let mut planned = false;
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = run
                    .turn(&mut dialogue, if planned || !run.options.execute_plan { STOPS } else { PLANNING })
                    .await?;
                if reply.text.trim().is_empty() {
                    break Cap::Silence;
                }
                if let (false, Some(plan)) = (planned, find_first_tag(&reply.text, &["plan"])) {
                    let text = plan.inside.to_owned();
                    let plan = read_plan(&text);
                    let carried = run.options.execute_plan && run.has_graph() && plan.is_ok();
                    run.emit(AgentEvent::Plan {
                        text,
                        plan: plan.as_ref().ok().cloned(),
                        by: None,
                        confidence: None,
                        carried,
                    });
                    match plan {
                        Ok(plan) if run.options.execute_plan => {
                            planned = true;
                            if let Some(steps) = run.execute_plan(&plan).await {
                                // What was found speaks for the graph; where it found nothing, so does the
                                // miss.
                                coverage.missed = steps.contains(": nothing\n");
                                dialogue.environment(
                                    format!("\n\n<neighbor_information>{steps}</neighbor_information>\n\n"),
                                    "\n\n<neighbor_information>(left out for \
                                     length)</neighbor_information>\n\n",
                                );
                                continue;
                            }
                        }
                        Ok(_) => planned = true,
                        Err(fault) if run.options.execute_plan => {
                            dialogue.remark(&run.render(&FAULT, &[("fault", &fault)]));
                            continue;
                        }
                        // The model carries it out itself, and may deviate from it; the reader is told.
                        Err(fault) => {
                            planned = true;
                            run.emit(AgentEvent::Step {
                                text: format!("The plan has a fault: {fault}"),
                                step: None,
                            });
                        }
                    }
                }
                let Some(call) =
                    find_first_tag(after_thinking(&reply.text), CALLS).filter(|c| !c.inside.is_empty())
                else {
                    dialogue.remark(&run.render(&INVALID, &[]));
                    continue;
                };
                if call.name == "answer" {
                    return Ok(call.inside.to_owned());
                }
                let (tag, text) = call_tool(run, &call, &mut coverage).await;
                dialogue.environment(
                    format!("\n\n<{tag}>{}</{tag}>\n\n", text.trim()),
                    &format!("\n\n<{tag}>(left out for length)</{tag}>\n\n"),
                );
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            Ok(last_words(&reply.text))
        }
        .boxed_local()
    }
}

/// Reads and checks a plan; or the first thing that is wrong with it.
fn read_plan(text: &str) -> Result<Plan, String> {
    let limits = Limits::default();
    let parsed = rft::parse(text, &limits).map_err(|e| e.to_string())?;
    match check(&parsed.plan, &parsed.positions, &limits) {
        Ok(_) => Ok(parsed.plan),
        Err(errors) => Err(errors.first().map(ToString::to_string).unwrap_or_default()),
    }
}

/// Findings of the graph so far, by which the switch to the web opens.
#[derive(Debug, Default)]
struct Coverage {
    /// The last look into the graph found nothing.
    missed: bool,
    /// Relations that were listed for an entity.
    listed: Vec<(String, Vec<String>)>,
    /// Web searches that were refused once; asked again, they pass, because the model may know better.
    refused: Vec<String>,
}

/// Carries out a call: the tag and the text of the answer.
async fn call_tool(run: &mut Run<'_>, call: &Tagged<'_>, coverage: &mut Coverage) -> (&'static str, String) {
    let (head, relation) = head_and_relation(call.inside);
    match call.name {
        "relation_search" => {
            let found = run.relations("relation_search", head, relation, RELATIONS).await;
            coverage.missed = found.is_empty();
            coverage.listed.push((normalise_query(head), found.iter().map(|r| normalise_query(r)).collect()));
            ("relation_information", describe_passages(run, &found, head, ""))
        }
        "neighbor_search" => {
            let found = run.neighbors("neighbor_search", head, relation, NEIGHBORS).await;
            coverage.missed = found.is_empty();
            let known = match run.services.environment.graph().filter(|_| found.is_empty()) {
                Some(graph) => {
                    graph.relations(head, "", 1).await.is_ok_and(|relations| !relations.is_empty())
                }
                None => false,
            };
            ("neighbor_information", describe_passages(run, &found, head, if known { relation } else { "" }))
        }
        _ => {
            let query = format!("{head} {relation}").trim().to_owned();
            let is_open = coverage.missed || coverage.lacks(head, relation);
            if run.has_graph() && run.options.coverage && !is_open && !coverage.refused.contains(&query) {
                coverage.refused.push(query);
                return ("web_information", run.render(&COVERED, &[]));
            }
            let found = run.search_all("web_search", PassageOrigin::Web, &[query]).await.pop();
            coverage.missed = false;
            (
                "web_information",
                found.map_or_else(String::new, |f| f.notice().unwrap_or_else(|| list_passages(f.passages()))),
            )
        }
    }
}

impl Coverage {
    /// Returns true if an entity's relations were listed, and this one was not among them.
    fn lacks(&self, head: &str, relation: &str) -> bool {
        let (head, relation) = (normalise_query(head), normalise_query(relation));
        let mut lists = self.listed.iter().filter(|(of, _)| *of == head).peekable();
        !relation.is_empty() && lists.peek().is_some() && lists.all(|(_, listed)| !listed.contains(&relation))
    }
}

/// Joins what was found; or says that there is nothing of an entity, or nothing by a relation of one that is
/// known.
fn describe_passages(run: &Run<'_>, found: &[String], head: &str, relation: &str) -> String {
    let [entity, relation] = [head, relation].map(|words| words.chars().take(100).collect::<String>());
    match found.is_empty() {
        true => run.render(&NOTHING, &[("entity", &entity), ("relation", &relation)]),
        false => found.join("\n"),
    }
}

/// The parts of `h, r`: names may hold commas, relations hardly ever do, so the last comma parts them.
pub(super) fn head_and_relation(inside: &str) -> (&str, &str) {
    inside.rsplit_once(',').map_or((inside.trim(), ""), |(head, relation)| (head.trim(), relation.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_with_a_fault_says_which() {
        assert!(read_plan("Ans1=SearchKG(t=city | h=Smith, John, r=born in)").is_ok());
        assert!(read_plan("Ans1=Intersect(Ans2, Ans3)").is_err_and(|f| f.contains("Ans2")));
        assert!(read_plan("I would search.").is_err());
    }

    #[test]
    fn the_last_comma_parts_head_and_relation() {
        assert_eq!(head_and_relation("Smith, John, born in"), ("Smith, John", "born in"));
        assert_eq!(head_and_relation("Bonn"), ("Bonn", ""));
        assert_eq!(head_and_relation(", r"), ("", "r"));
    }
}
