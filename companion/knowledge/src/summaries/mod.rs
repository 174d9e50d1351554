//! Summaries by a language model, for the retrievers whose originals have one write: RAPTOR's of clusters
//! (arXiv 2401.18059), GraphRAG's reports on communities and descriptions of entities (arXiv 2404.16130).
//! Where the model gives nothing usable, what was extracted stays.

mod prompts;

pub use prompts::{Material, Report};

use pocketgraph_llm::ChatRequest;
use pocketgraph_llm_client::asker::{AskError, BuildModel, announced};
use pocketgraph_native::progress::Progress;

/// Has a model write, and tells how that goes on.
pub struct Writer<'a> {
    model: &'a BuildModel,
    progress: &'a dyn Progress,
    count: &'a dyn Fn(&str) -> usize,
}

impl<'a> Writer<'a> {
    /// A writer; `count` counts a text's tokens, for what is told before the first request.
    pub fn new(model: &'a BuildModel, progress: &'a dyn Progress, count: &'a dyn Fn(&str) -> usize) -> Self {
        Writer { model, progress, count }
    }

    /// A summary of at most `tokens` tokens for each of `clusters`, given as the texts of its members.
    ///
    /// # Errors
    /// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept.
    pub fn summaries(&self, clusters: &[Vec<&str>], tokens: usize) -> Result<Vec<Option<String>>, AskError> {
        let requests = clusters.iter().map(|texts| prompts::summary(texts, tokens)).collect();
        self.written("summaries", "extracted, not written", requests, &|reply| prompts::read_summary(reply, tokens))
    }

    /// One description of at most `tokens` tokens for each of `things`: a name, and what is said of it.
    ///
    /// # Errors
    /// As [`Writer::summaries`].
    pub fn descriptions(&self, things: &[(&str, Vec<&str>)], tokens: usize) -> Result<Vec<Option<String>>, AskError> {
        let requests = things.iter().map(|(name, statements)| prompts::description(name, statements, tokens)).collect();
        self.written("descriptions", "cut short, not written anew", requests, &|reply| prompts::read_summary(reply, tokens))
    }

    /// A report on each community.
    ///
    /// # Errors
    /// As [`Writer::summaries`].
    pub fn reports(&self, communities: &[Material]) -> Result<Vec<Option<Report>>, AskError> {
        let requests = communities.iter().map(prompts::report).collect();
        self.written("reports", "extracted, not written", requests, &prompts::read_report)
    }

    /// Asks for texts, `what` they are; `None` for one that is not to be had, and is then `instead`.
    fn written<T>(
        &self,
        what: &str,
        instead: &str,
        requests: Vec<ChatRequest>,
        read: &dyn Fn(&str) -> Option<T>,
    ) -> Result<Vec<Option<T>>, AskError> {
        let n = requests.len();
        let (opening, stage) = (format!("the language model writes {n} {what}"), format!("writing {what}"));
        let (out, tally) = announced(self.model, self.progress, self.count, (&opening, &stage), requests, &|_, reply| read(reply))?;
        if tally.failed + tally.unusable > 0 {
            self.progress.warn(&format!(
                "{} of {n} {what} are {instead}: the language model gave no usable reply; the same command asks for these again",
                tally.failed + tally.unusable
            ));
        }
        self.progress.note(&format!("{what}: {tally}"));
        Ok(out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
