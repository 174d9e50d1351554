//! Writes summaries by a language model, for the retrievers whose originals do so: RAPTOR's of clusters
//! (arXiv 2401.18059), GraphRAG's reports on communities and descriptions of entities (arXiv 2404.16130). If
//! the model gives nothing usable, the extracted text remains.

mod prompts;

pub use prompts::{Material, Report};

use pocketgraph_llm::ChatRequest;
use pocketgraph_llm_client::asker::{AskError, BuildModel, ask_announced};
use pocketgraph_native::progress::Progress;

/// Has a model write, and reports progress.
pub struct Writer<'a> {
    model: &'a BuildModel,
    progress: &'a dyn Progress,
    count: &'a dyn Fn(&str) -> usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer; `count` counts a text's tokens, for the cost that is reported first.
    pub fn new(model: &'a BuildModel, progress: &'a dyn Progress, count: &'a dyn Fn(&str) -> usize) -> Self {
        Writer { model, progress, count }
    }

    /// Writes a summary of at most `tokens` tokens for each of `clusters`, given as the texts of its members.
    ///
    /// # Errors
    /// [`AskError`] when the model refuses or does not answer, or a reply cannot be stored.
    pub fn summaries(&self, clusters: &[Vec<&str>], tokens: usize) -> Result<Vec<Option<String>>, AskError> {
        let requests = clusters.iter().map(|texts| prompts::ask_summary(texts, tokens)).collect();
        self.request_texts("summaries", "extracted, not written", requests, &|reply| {
            prompts::read_summary(reply, tokens)
        })
    }

    /// Writes one description of at most `tokens` tokens for each of `things`: a name, and statements about
    /// it.
    ///
    /// # Errors
    /// As [`Writer::summaries`].
    pub fn descriptions(
        &self,
        things: &[(&str, Vec<&str>)],
        tokens: usize,
    ) -> Result<Vec<Option<String>>, AskError> {
        let requests = things
            .iter()
            .map(|(name, statements)| prompts::ask_description(name, statements, tokens))
            .collect();
        self.request_texts("descriptions", "cut short, not written anew", requests, &|reply| {
            prompts::read_summary(reply, tokens)
        })
    }

    /// Writes a report on each community.
    ///
    /// # Errors
    /// As [`Writer::summaries`].
    pub fn reports(&self, communities: &[Material]) -> Result<Vec<Option<Report>>, AskError> {
        let requests = communities.iter().map(prompts::ask_report).collect();
        self.request_texts("reports", "extracted, not written", requests, &prompts::read_report)
    }

    /// Requests texts, named `what` in messages. One without a usable reply is `None`, reported as `instead`.
    fn request_texts<T>(
        &self,
        what: &str,
        instead: &str,
        requests: Vec<ChatRequest>,
        read: &dyn Fn(&str) -> Option<T>,
    ) -> Result<Vec<Option<T>>, AskError> {
        let n = requests.len();
        let (opening, stage) = (format!("the language model writes {n} {what}"), format!("writing {what}"));
        let (out, tally) = ask_announced(
            self.model,
            self.progress,
            self.count,
            (&opening, &stage),
            requests,
            &|_, reply| read(reply),
        )?;
        if tally.failed + tally.unusable > 0 {
            self.progress.warn(&format!(
                "{} of {n} {what} are {instead}: the language model gave no usable reply; the same \
                 command asks for these again",
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
