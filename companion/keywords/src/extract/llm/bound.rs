//! Upper bound of an extraction's cost.

use super::super::Request;
use super::{LlmOptions, prompts};

/// Bounds on what a build asks of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmBound {
    /// Requests.
    pub requests: usize,
    /// Tokens read.
    pub input: usize,
    /// Tokens written.
    pub output: usize,
}

/// The numbers of Algorithm 1 that a bound depends on, with the paper's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlmWork {
    /// Clusters over both clusterings: 2n.
    pub clusters: usize,
    /// c: chunks shown near a cluster's centre, and as many others.
    pub c: usize,
    /// l1: keywords a cluster.
    pub l1: usize,
    /// l2: words a keyword.
    pub l2: usize,
    /// m: keywords to avoid that are shown, and the size of a batch of the refinement.
    pub m: usize,
    /// T: tokens of a chunk.
    pub chunk: usize,
}

impl LlmBound {
    /// The bound for some work, by a tokenizer that is not the model's: the model may count a little differently.
    ///
    /// The paper's 2n(2cT + (m + 2 l1)(l2 + 1)) + L_F, with what its prompts leave open made definite: twice the tokens for each reply, since many words
    /// are two tokens, and the three steps of the refinement, each of which reads and writes the whole list.
    pub fn of(work: &LlmWork, options: &LlmOptions, count: &dyn Fn(&str) -> usize) -> LlmBound {
        let LlmWork { clusters, c, l1, l2, m, chunk } = *work;
        let fixed = |request: pocketgraph_llm::ChatRequest| request.messages.iter().map(|m| count(&m.content)).sum::<usize>();
        let empty = Request { shown: &[], members: &[], centre: &[], avoid: &[], keywords: l1, words: l2 };
        // Between two chunks there is an asterisk.
        let extraction = fixed(prompts::extraction(&[], &empty, options)) + 2 * c * (chunk + 1) + m * (l2 + 1);
        let found = clusters * l1;
        let batches = found.div_ceil(m.max(20));
        let steps = [prompts::Step::Concentrate, prompts::Step::Split, prompts::Step::Delete];
        let frames: usize = steps.iter().map(|&s| fixed(prompts::refinement(s, &[], l2, options))).sum();
        LlmBound {
            requests: clusters + 3 * batches,
            input: clusters * extraction + batches * frames + 3 * found * (l2 + 1),
            output: clusters * prompts::reply_tokens(l1, l2) + 3 * prompts::reply_tokens(found, l2),
        }
    }
}

impl std::fmt::Display for LlmBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at most {} requests, about {} tokens read and {} written", self.requests, self.input, self.output)
    }
}
