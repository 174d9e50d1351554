//! Single-shot answers: retrieve once, ask once. Also what the other protocols are measured against.
//!
//! Three forms: with passages; with passages and reasoning before the answer (chain of thought, arXiv
//! 2201.11903, in the `Thought: … Answer: …` form of HippoRAG's reader); and from what the model knows by
//! itself.

use super::neutralise::Marks;
use super::options::Limits;
use super::protocol::{Conversation, Protocol};
use super::retrieval::list_passages;
use super::run::Run;
use super::tags::{after_label, last_or_open};
use crate::answer::{Notice, NoticeCode};
use crate::llm::{Text, after_thinking};
use futures::future::FutureExt;

pub(super) const TASK: Text = Text::new(
    "single-shot.task",
    include_str!("prompts/single-shot.task.txt"),
    &["question", "passages"],
    &["rules", "cite"],
);
pub(super) const THOUGHT: Text = Text::new(
    "chain-of-thought.task",
    include_str!("prompts/chain-of-thought.task.txt"),
    &["question", "passages"],
    &["rules", "cite"],
);
pub(super) const CLOSED: Text =
    Text::new("closed-book.task", include_str!("prompts/closed-book.task.txt"), &["question"], &[]);

/// Retrieve once, ask once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SingleShot {
    /// Show the model passages.
    pub evidence: bool,
    /// Let it reason before it answers.
    pub thought: bool,
}

impl Protocol for SingleShot {
    fn name(&self) -> &'static str {
        match (self.evidence, self.thought) {
            (false, _) => "closed-book",
            (true, true) => "chain-of-thought",
            (true, false) => "single-shot",
        }
    }

    fn limits(&self) -> Limits {
        Limits { turns: 1, searches: 1, k: 5, tokens_out: 1_024, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks { labels: &["thought", "answer"], ..Marks::default() }
    }

    fn reads_evidence(&self) -> bool {
        self.evidence
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let mut passages = String::new();
            if self.evidence {
                let question = run.question.clone();
                let found = run.search("search", &question).await;
                if found.passages().is_empty() {
                    run.warn(Notice::new(NoticeCode::NoEvidence));
                }
                passages = list_passages(found.passages());
            }
            let text = match (self.evidence, self.thought) {
                (true, true) => THOUGHT,
                (true, false) => TASK,
                (false, _) => CLOSED,
            };
            let task = run.render(&text, &[("passages", &passages)]);
            let reply = run.aside("answer", task, true).await?;
            Ok(extract_answer(&reply.text).to_owned())
        }
        .boxed_local()
    }
}

/// The answer in a reply: an answer tag, what follows the first `Answer:`, or everything.
pub(super) fn extract_answer(text: &str) -> &str {
    let text = after_thinking(text);
    last_or_open(text, "answer")
        .or_else(|| after_label(text, &["answer", "final answer"]))
        .unwrap_or(text)
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_what_follows_its_label_or_everything() {
        assert_eq!(extract_answer("Thought: a\nAnswer: b"), "b");
        assert_eq!(extract_answer("<think>Answer: a</think>\n<answer>b</answer>"), "b");
        assert_eq!(extract_answer(" plain "), "plain");
    }
}
