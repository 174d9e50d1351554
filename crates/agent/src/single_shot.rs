//! Single-shot answers: retrieve once, ask once. Also what the other protocols are measured against.
//!
//! Three forms: with passages; with passages and reasoning before the answer (chain of thought, arXiv 2201.11903, in the `Thought: … Answer: …`
//! form of HippoRAG's reader); and from what the model knows by itself.

use super::look::listed;
use super::neutralise::Marks;
use super::options::Limits;
use super::protocol::Protocol;
use super::rules::rules;
use super::run::Run;
use super::tags::{after_label, last_or_open};
use crate::llm::{LlmError, after_thinking};
use futures::future::{FutureExt, LocalBoxFuture};

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

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> LocalBoxFuture<'a, Result<String, LlmError>> {
        async move {
            let mut task = String::new();
            if self.evidence {
                let question = run.question.clone();
                let found = run.search("search", &question).await;
                if found.passages().is_empty() {
                    run.warn("No passage was found: the model was asked without evidence.");
                } else {
                    task.push_str("Passages from a collection of documents:\n\n");
                    task.push_str(&listed(found.passages()));
                }
            }
            task.push_str(&format!("Question: {}\n\n", run.question));
            task.push_str(match self.thought {
                true => {
                    "Reason step by step first, then answer as shortly as the question allows. Write exactly two parts:\n\
                     Thought: your reasoning\nAnswer: the answer\n"
                }
                false => "Answer the question as shortly as it allows, with nothing before or after the answer.\n",
            });
            if self.evidence {
                task.push_str(&rules(run.options));
            }
            let reply = run.aside("answer", task, true).await?;
            Ok(extract(&reply.text).to_owned())
        }
        .boxed_local()
    }
}

/// The answer in a reply: an answer tag, what follows the first `Answer:`, or everything.
pub(super) fn extract(text: &str) -> &str {
    let text = after_thinking(text);
    last_or_open(text, "answer").or_else(|| after_label(text, &["answer", "final answer"])).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_what_follows_its_label_or_everything() {
        assert_eq!(extract("Thought: a\nAnswer: b"), "b");
        assert_eq!(extract("<think>Answer: a</think>\n<answer>b</answer>"), "b");
        assert_eq!(extract(" plain "), "plain");
    }
}
