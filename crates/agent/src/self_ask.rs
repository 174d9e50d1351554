//! Self-Ask (arXiv 2210.03350): the model asks itself follow-up questions, which searches help to answer.
//!
//! The original puts a search engine's answer box behind `Intermediate answer:`. There is none here, so
//! passages are put there as context, and the model words the intermediate answer itself at the beginning of
//! its next turn.

use super::dialogue::Dialogue;
use super::neutralise::Marks;
use super::options::Limits;
use super::protocol::{Conversation, Protocol};
use super::retrieval::list_passages;
use super::run::Run;
use super::stream::Stop;
use super::tags::{after_last_label, labelled_line};
use super::types::Cap;
use crate::llm::{Message, Text, after_thinking};
use futures::future::FutureExt;

/// Follow-up questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelfAsk;

pub(super) const TASK: Text =
    Text::new("self-ask.task", include_str!("prompts/self-ask.task.txt"), &["question"], &["rules", "cite"]);
pub(super) const NEXT: Text = Text::new("self-ask.next", include_str!("prompts/self-ask.next.txt"), &[], &[]);
pub(super) const LAST: Text = Text::new("self-ask.last", include_str!("prompts/self-ask.last.txt"), &[], &[]);
/// At the beginning of a reply it is the model's own line; behind a line break it would be an answer without
/// evidence.
const STOPS: &[Stop] = &[Stop::before("\nIntermediate answer:"), Stop::before("\nContext:")];
const FOLLOW_UP: &[&str] = &["follow up", "follow-up", "followup"];
const FINAL: &[&str] = &["so the final answer is", "so the answer is", "final answer"];

impl Protocol for SelfAsk {
    fn name(&self) -> &'static str {
        "self-ask"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 6, searches: 6, k: 5, tokens_out: 512, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks {
            labels: &[
                "follow up",
                "follow-up",
                "followup",
                "intermediate answer",
                "context",
                "so the final answer is",
                "so the answer is",
                "final answer",
            ],
            ..Marks::default()
        }
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let nudge = run.render(&NEXT, &[]);
            let mut dialogue =
                Dialogue::new(vec![Message::user(run.render(&TASK, &[]))], run.options.continuation, nudge);
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = run.turn(&mut dialogue, STOPS).await?;
                let text = after_thinking(&reply.text);
                if let Some(answer) = after_last_label(text, FINAL) {
                    return Ok(answer.to_owned());
                }
                let Some(question) = labelled_line(text, FOLLOW_UP) else { break Cap::Silence };
                let found = run.search("search", question).await;
                let context = found.notice().unwrap_or_else(|| list_passages(found.passages()));
                dialogue.environment(
                    format!("\nContext:\n{}\n", context.trim()),
                    "\nContext: (left out for length)\n",
                );
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            let text = after_thinking(&reply.text);
            Ok(after_last_label(text, FINAL).unwrap_or(text).to_owned())
        }
        .boxed_local()
    }
}
