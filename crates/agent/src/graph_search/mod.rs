//! GraphSearch (arXiv 2509.22009): a fixed workflow of prompts over passages and statements of a knowledge
//! graph.
//!
//! 1. Search with the question; summarise passages and statements.
//! 2. Split the question into sub-queries, once as text and once as triples.
//! 3. Channel by channel, for each sub-query: complete it from earlier answers, search, summarise, answer.
//! 4. Draft an answer from the channel's history, verify it, and where it lacks evidence search for more.
//! 5. The final answer from the summaries and both histories.
//!
//! Where we differ: the verdict is read by its last word, and more evidence is looked for when it says No
//! (the authors' code does so on any "yes", though their prompt defines No as lacking evidence;
//! [`Polarity::OnYes`] is theirs). Retrieval strings keep digits and every script. A step that is empty
//! degrades to the question itself rather than to nothing. Without a graph the second channel is left out.

pub(super) mod prompts;
mod read;

use super::neutralise::Marks;
use super::options::{Limits, Polarity};
use super::protocol::{Conversation, Protocol};
use super::retrieval::list_passages;
use super::run::Run;
use super::tags::after_label;
use super::types::AgentEvent;
use crate::llm::{LlmError, Text, after_thinking};
use futures::future::FutureExt;

/// The fixed workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSearch;

/// Sub-queries that are followed, a channel.
const SUB_QUERIES: usize = 6;
/// Further searches after a draft.
const EXPANSIONS: usize = 4;

/// Source that a step searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Text,
    Graph,
}

impl Protocol for GraphSearch {
    fn name(&self) -> &'static str {
        "graph-search"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 60, searches: 30, k: 5, tokens_out: 1_024, temperature: 0.0 }
    }

    fn marks(&self) -> Marks {
        Marks {
            labels: &["sub-query", "retrieved context", "sub-query answer", "final answer"],
            ..Marks::default()
        }
    }

    fn uses_graph(&self) -> bool {
        true
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let question = run.question.clone();
            let mut known = String::new();
            for channel in list_channels(run) {
                let context = retrieve_evidence(run, channel, &question).await;
                if !context.is_empty() {
                    let summary = summarise_finds(run, channel, &question, &context).await?;
                    known.push_str(&format!("{}\n{}\n\n", prompts::heading(channel), summary.trim()));
                }
            }
            let mut histories = String::new();
            for channel in list_channels(run) {
                let history = follow_channel(run, channel, &question).await?;
                histories.push_str(&format!("{}\n{history}\n", prompts::history_heading(channel)));
            }
            let prompt = run.render(&prompts::LAST, &[("known", &known), ("histories", &histories)]);
            let reply = run.ask_last("final", prompt, run.cap()).await?;
            let text = after_thinking(&reply.text);
            Ok(after_label(text, &["final answer"])
                .or_else(|| read::after_heading(text))
                .unwrap_or(text)
                .to_owned())
        }
        .boxed_local()
    }
}

fn list_channels(run: &Run<'_>) -> Vec<Channel> {
    if run.has_graph() { vec![Channel::Text, Channel::Graph] } else { vec![Channel::Text] }
}

/// Sends a prompt of the workflow, unless a budget is spent: then the final answer uses the findings so far.
async fn run_step(
    run: &mut Run<'_>,
    purpose: &'static str,
    text: &Text,
    places: &[(&str, &str)],
) -> Result<String, LlmError> {
    if run.cap().is_some() {
        return Ok(String::new());
    }
    let prompt = run.render(text, places);
    let reply = run.aside(purpose, prompt, true).await?;
    Ok(after_thinking(&reply.text).trim().to_owned())
}

/// Summarises the findings that are relevant to a query.
async fn summarise_finds(
    run: &mut Run<'_>,
    channel: Channel,
    query: &str,
    context: &str,
) -> Result<String, LlmError> {
    run_step(run, "summarise", prompts::summarise(channel), &[("query", query), ("context", context)]).await
}

/// The context for a query: passages, or statements.
async fn retrieve_evidence(run: &mut Run<'_>, channel: Channel, query: &str) -> String {
    match channel {
        Channel::Text => list_passages(&run.search_afresh(query).await),
        Channel::Graph => run.facts("graph", query).await.join("\n"),
    }
}

/// One channel: its sub-queries in turn, a draft, its verification, and more evidence where that is wanted.
async fn follow_channel(run: &mut Run<'_>, channel: Channel, question: &str) -> Result<String, LlmError> {
    let text = run_step(run, "decompose", prompts::decompose(channel), &[]).await?;
    let mut plan = read::sub_queries(&text);
    plan.truncate(SUB_QUERIES);
    if plan.is_empty() {
        plan.push(question.to_owned());
    } else {
        run.emit(AgentEvent::Plan { text, plan: None, by: None, confidence: None, carried: true });
    }
    let listed_plan: String =
        plan.iter().enumerate().map(|(i, q)| format!("Sub-query {}: {q}\n", i + 1)).collect();
    let mut history = String::new();
    for (i, sub_query) in plan.iter().enumerate() {
        if run.cap().is_some() {
            break;
        }
        let open = match channel {
            Channel::Text => sub_query.contains('#'),
            Channel::Graph => i > 0,
        };
        let mut query = sub_query.clone();
        if open {
            let completed = {
                let places =
                    [("sub_query", sub_query.as_str()), ("plan", &listed_plan), ("history", &history)];
                run_step(run, "complete", &prompts::COMPLETE, &places).await?
            };
            let completed = completed.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("").to_owned();
            query = if completed.is_empty() { query } else { completed };
        }
        let context =
            retrieve_evidence(run, channel, &read::words_of(channel == Channel::Graph, &query)).await;
        let context = match context.is_empty() {
            true => "(nothing was found)".to_owned(),
            false => summarise_finds(run, channel, &query, &context).await?,
        };
        let answer = run_step(
            run,
            "answer",
            &prompts::ANSWER,
            &[("query", &query), ("context", &context), ("history", &history)],
        )
        .await?;
        run.emit(AgentEvent::Step { text: format!("{query}: {answer}"), step: None });
        history.push_str(&format!(
            "Sub-query {}: {query}\nRetrieved context: {}\nSub-query answer: {}\n\n",
            i + 1,
            context.trim(),
            answer.trim()
        ));
    }
    let draft = run_step(run, "draft", &prompts::DRAFT, &[("history", &history)]).await?;
    let verdict =
        run_step(run, "verify", &prompts::VERIFY, &[("history", &history), ("draft", &draft)]).await?;
    if !verdict.is_empty() && wants_more(&verdict, run.options.polarity) {
        let more = run_step(
            run,
            "expand",
            &prompts::EXPAND,
            &[("history", &history), ("draft", &draft), ("verdict", &verdict)],
        )
        .await?;
        for query in read::strings(&more).iter().take(EXPANSIONS) {
            let context = retrieve_evidence(run, channel, query).await;
            if !context.is_empty() {
                let summary = summarise_finds(run, channel, query, &context).await?;
                history
                    .push_str(&format!("Further query: {query}\nRetrieved context: {}\n\n", summary.trim()));
            }
        }
    }
    Ok(history)
}

/// Returns true if a verdict asks for more evidence.
fn wants_more(verdict: &str, polarity: Polarity) -> bool {
    match polarity {
        Polarity::OnYes => verdict.to_ascii_lowercase().contains("yes"),
        Polarity::OnNo => read::last_yes_or_no(verdict) == Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_verdict_counts_unless_the_authors_reading_is_wanted() {
        let lacking = "Yes, it is fluent, but a step is missing. No.";
        assert!(wants_more(lacking, Polarity::OnNo) && wants_more(lacking, Polarity::OnYes));
        let supported = "There are no gaps. **Yes**";
        assert!(!wants_more(supported, Polarity::OnNo) && wants_more(supported, Polarity::OnYes));
        assert!(!wants_more("Unclear.", Polarity::OnNo) && !wants_more("Unclear.", Polarity::OnYes));
    }
}
