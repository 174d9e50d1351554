//! Graph-R1 (arXiv 2507.21892): a model trained to alternate thoughts and queries to a knowledge
//! (hyper)graph, in turns of a chat.
//!
//! The loop: a turn is `<think>…</think>` and then `<query>…</query>` or `<answer>…</answer>`; a query is
//! answered by a user's turn `<knowledge>{"results":[{"<knowledge>":…,"<coherence>":…}…]}</knowledge>`; a
//! turn without a query ends the run.
//!
//! Paper and environment disagree on the query: plain text or `{"query": "…"}`. Both are read; other JSON
//! gets a correction. Where we differ: a run that ends without an answer is asked for it once.

use super::dialogue::Dialogue;
use super::neutralise::Marks;
use super::options::{Continuation, Limits};
use super::protocol::{Conversation, Protocol};
use super::retrieval::QueryOutcome;
use super::run::{Ask, Run};
use super::search_r1::last_words;
use super::stream::{Reply, Stop};
use super::tags::{find_first_tag, last_or_open};
use super::types::Cap;
use crate::json::{Value, parse};
use crate::llm::{LlmError, Message, Text, after_thinking};
use futures::future::FutureExt;

/// Thoughts and queries by turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphR1;

pub(super) const TASK: Text =
    Text::new("graph-r1.task", include_str!("prompts/graph-r1.task.txt"), &["question"], &["rules", "cite"]);
pub(super) const INVALID: Text =
    Text::new("graph-r1.invalid", include_str!("prompts/graph-r1.invalid.txt"), &[], &[]);
pub(super) const LAST: Text = Text::new("graph-r1.last", include_str!("prompts/graph-r1.last.txt"), &[], &[]);
const STOPS: &[Stop] = &[Stop::behind("<query>", "</query>"), Stop::behind("<answer>", "</answer>")];
/// Every turn begins with a thought; where the endpoint continues a given text, it is begun for the model.
const PREFILL: &str = "<think>";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Query(String),
    /// JSON without a `query`, or nothing at all.
    BadQuery,
    Answer(String),
    /// Neither: the run is over.
    End,
}

impl Protocol for GraphR1 {
    fn name(&self) -> &'static str {
        "graph-r1"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 10, searches: 10, k: 10, tokens_out: 4_096, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks { tags: &["coherence"], ..Marks::default() }
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let mut dialogue =
                Dialogue::new(vec![Message::user(run.render(&TASK, &[]))], Continuation::Turns, "");
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = take_turn(run, &mut dialogue).await?;
                match parse_action(&reply.text) {
                    Action::Answer(answer) => return Ok(answer),
                    Action::End => break Cap::Silence,
                    Action::Query(query) => {
                        let found = run.search("search", &query).await;
                        dialogue.environment(
                            write_json(&found, run.options.grounded),
                            "<knowledge>\n(left out for length)\n</knowledge>",
                        );
                    }
                    Action::BadQuery => dialogue.remark(&run.render(&INVALID, &[])),
                }
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            Ok(last_words(&reply.text))
        }
        .boxed_local()
    }
}

async fn take_turn(run: &mut Run<'_>, dialogue: &mut Dialogue) -> Result<Reply, LlmError> {
    let continuation = run.options.continuation;
    let mut request = run.request(dialogue);
    if continuation == Continuation::Turns {
        let reply = run.generate(Ask { purpose: "reason", request, stops: STOPS, counts: true }).await?;
        dialogue.model(&reply.text);
        return Ok(reply);
    }
    request.messages.push(Message::assistant(PREFILL));
    if continuation == Continuation::ContinueFinalMessage {
        request.extra = super::dialogue::continue_final_message();
    }
    let reply = run.generate(Ask { purpose: "reason", request, stops: STOPS, counts: true }).await?;
    dialogue.model(PREFILL);
    dialogue.model(&reply.text);
    Ok(reply)
}

/// The first complete query or answer of a turn.
pub(super) fn parse_action(text: &str) -> Action {
    let visible = after_thinking(text);
    match find_first_tag(visible, &["query", "answer"]) {
        Some(call) if call.name == "query" => read_query(call.inside),
        Some(call) if !call.inside.is_empty() => Action::Answer(call.inside.to_owned()),
        _ => last_or_open(visible, "answer")
            .map_or(Action::End, |a| if a.is_empty() { Action::End } else { Action::Answer(a.to_owned()) }),
    }
}

/// A query as plain text or as the environment's JSON.
fn read_query(inside: &str) -> Action {
    let text = match inside.starts_with('{') {
        true => match parse(inside) {
            Ok(json) => json.get("query").and_then(Value::as_str).unwrap_or("").trim().to_owned(),
            Err(_) => String::new(),
        },
        false => inside.to_owned(),
    };
    if text.is_empty() { Action::BadQuery } else { Action::Query(text) }
}

/// Formats findings as the environment does. A passage begins with the number that cites it if citations are
/// wanted.
fn write_json(found: &QueryOutcome, numbered: bool) -> String {
    if let Some(notice) = found.notice() {
        return format!("<knowledge>\n{notice}\n</knowledge>");
    }
    let results: Vec<Value> = found
        .passages()
        .iter()
        .map(|p| {
            let text = if numbered { format!("[{}] {}", p.number, p.text) } else { p.text.clone() };
            let score = (f64::from(p.score) * 1000.0).round() / 1000.0;
            Value::object([("<knowledge>", text.into()), ("<coherence>", score.into())])
        })
        .collect();
    format!("<knowledge>\n{}\n</knowledge>", Value::object([("results", results.into())]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_query_is_plain_or_json_and_other_json_is_corrected() {
        let asked = || Action::Query("who directed X".to_owned());
        assert_eq!(parse_action("<think>t</think>\n<query>who directed X</query>"), asked());
        assert_eq!(parse_action("<query>{\"query\":\"who directed X\"}</query>"), asked());
        assert_eq!(parse_action("<query>{\"q\":\"who directed X\"}</query>"), Action::BadQuery);
        assert_eq!(parse_action("<query>{\"query\":</query>"), Action::BadQuery);
        assert_eq!(parse_action("<query></query>"), Action::BadQuery);
    }

    #[test]
    fn a_turn_without_a_query_ends_the_run() {
        assert_eq!(parse_action("<think>t</think><answer>a</answer>"), Action::Answer("a".to_owned()));
        assert_eq!(parse_action("<think>t</think><answer>a"), Action::Answer("a".to_owned()));
        assert_eq!(parse_action("<think>t</think> I am done."), Action::End);
        assert_eq!(parse_action(""), Action::End);
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(text in "(<|</|>|query|answer|think|\\{|\"|:| |é){0,24}") {
            let _ = parse_action(&text);
        }
    }
}
