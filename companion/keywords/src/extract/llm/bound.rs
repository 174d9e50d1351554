//! Upper bound of an extraction's cost.

use super::super::Request;
use super::{LlmOptions, prompts};

/// Upper bound of a build's use of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmBound {
    /// Number of requests.
    pub requests: usize,
    /// Number of tokens read.
    pub input: usize,
    /// Number of tokens written.
    pub output: usize,
}

/// Parameters of Algorithm 1 in a bound, with the paper's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmWork {
    /// 2n: number of clusters of both clusterings.
    pub clusters: usize,
    /// c: number of chunks shown near a cluster's centre, and of others.
    pub c: usize,
    /// l1: number of keywords of a cluster.
    pub l1: usize,
    /// l2: number of words of a keyword.
    pub l2: usize,
    /// m: number of keywords to avoid, and size of a batch of the refinement.
    pub m: usize,
    /// T: number of tokens of a chunk.
    pub chunk: usize,
}

impl LlmBound {
    /// Computes the bound by a tokenizer that may differ from the model's.
    ///
    /// It is the paper's 2n(2cT + (m + 2 l1)(l2 + 1)) + L_F, with twice the tokens for each reply, since many
    /// words are two tokens, and three steps of the refinement, each over the whole list.
    pub fn of(work: &LlmWork, options: &LlmOptions, count: &dyn Fn(&str) -> usize) -> LlmBound {
        let LlmWork { clusters, c, l1, l2, m, chunk } = *work;
        let fixed = |request: pocketgraph_llm::ChatRequest| {
            request.messages.iter().map(|m| count(&m.content)).sum::<usize>()
        };
        let empty = Request { shown: &[], members: &[], centre: &[], avoid: &[], keywords: l1, words: l2 };
        // Between two chunks there is an asterisk.
        let extraction =
            fixed(prompts::ask_keywords(&[], &empty, options)) + 2 * c * (chunk + 1) + m * (l2 + 1);
        let found = clusters * l1;
        let batches = found.div_ceil(m.max(20));
        let steps = [prompts::Step::Concentrate, prompts::Step::Split, prompts::Step::Delete];
        let frames: usize = steps.iter().map(|&s| fixed(prompts::ask_refinement(s, &[], l2, options))).sum();
        LlmBound {
            requests: clusters + 3 * batches,
            input: clusters * extraction + batches * frames + 3 * found * (l2 + 1),
            output: clusters * prompts::reply_tokens(l1, l2) + 3 * prompts::reply_tokens(found, l2),
        }
    }
}

impl std::fmt::Display for LlmBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "at most {} requests, about {} tokens read and {} written",
            self.requests, self.input, self.output
        )
    }
}
