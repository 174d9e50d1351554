//! Extracts triples from documents with a language model: open information extraction by two questions for
//! each chunk, as in HippoRAG (Gutiérrez et al., arXiv 2405.14831 and 2502.14802). The first asks for the
//! names in the passage, the second for its statements about them.

mod prompts;
mod reply;
mod state;

pub use prompts::Passage;
pub(crate) use prompts::enclose_passage;
pub use reply::{Named, Stated};
pub use state::StatedTriples;
pub(super) use state::add_statements;

use pocketgraph_cache::Key;
use pocketgraph_llm::{ChatModel, ChatRequest};
use pocketgraph_llm_client::asker::{AskError, Asker, Asking, ReplyCache, Tally};

/// A model's statements about one chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// Names in the chunk.
    pub entities: Vec<Named>,
    /// Statements of the chunk.
    pub triples: Vec<Stated>,
}

/// Result of an extraction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// One for each chunk, in their order.
    pub chunks: Vec<Extracted>,
    /// Number of replies that were requested and paid for.
    pub asked: usize,
    /// Number of replies from earlier runs.
    pub kept: usize,
    /// Number of chunks without a whole reply; a later build asks again.
    pub failed: usize,
    /// Tokens read and written, if the endpoint counts them.
    pub tokens: (u64, u64),
}

/// Bounds the tokens of an extraction: (read, written), without replies that are in the cache. `count` counts
/// a text's tokens; the second question is bounded by the longest list of entities.
pub fn bound_tokens(
    passages: &[Passage<'_>],
    cache: &dyn ReplyCache,
    asking: &Asking,
    count: &dyn Fn(&str) -> usize,
) -> (u64, u64) {
    let tokens = |r: &ChatRequest| r.messages.iter().map(|m| count(&m.content) as u64 + 8).sum::<u64>();
    let (mut read, mut written) = (0, 0);
    for &passage in passages {
        let first = prompts::ask_entities(passage);
        let known = cache.get(&Key::of_reply(&asking.identity, &first));
        if known.is_none() {
            read += tokens(&first);
            written += u64::from(prompts::ENTITY_TOKENS);
        }
        let names = known.map(|reply| names_of(&reply));
        if names.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let second = prompts::ask_triples(passage, names.as_deref().unwrap_or(&[]));
        if names.is_none() || cache.get(&Key::of_reply(&asking.identity, &second)).is_none() {
            let list = if names.is_none() { u64::from(prompts::ENTITY_TOKENS) } else { 0 };
            read += tokens(&second) + list;
            written += u64::from(prompts::TRIPLE_TOKENS);
        }
    }
    (read, written)
}

fn names_of(reply: &str) -> Vec<String> {
    reply::parse_entities(reply).into_iter().map(|n| n.name).collect()
}

/// Asks a model about every chunk. `progress` gets the number of finished chunks.
///
/// # Errors
/// [`AskError`] when the model refuses or does not answer, or a reply cannot be stored; open requests are
/// awaited first.
pub async fn extract_triples(
    passages: &[Passage<'_>],
    model: &dyn ChatModel,
    cache: &dyn ReplyCache,
    asking: &Asking,
    progress: &dyn Fn(usize),
) -> Result<Extraction, AskError> {
    let asker = Asker::new(model, cache, asking);
    let replies = asker.all(passages.iter().map(|&p| ask_about(&asker, p)), progress).await?;
    let failed = replies.iter().filter(|s| s.is_none()).count();
    let Tally { asked, kept, tokens, .. } = asker.tally();
    Ok(Extraction {
        chunks: replies.into_iter().map(Option::unwrap_or_default).collect(),
        asked,
        kept,
        failed,
        tokens,
    })
}

/// Asks both questions about one chunk; `None` if a reply is missing. Every whole reply is stored: asking
/// again would give the same.
async fn ask_about(asker: &Asker<'_>, passage: Passage<'_>) -> Option<Extracted> {
    let entities = asker.ask(prompts::ask_entities(passage), |r| Some(reply::parse_entities(r))).await?;
    if entities.is_empty() {
        return Some(Extracted::default());
    }
    let names: Vec<String> = entities.iter().map(|n| n.name.clone()).collect();
    let triples = asker.ask(prompts::ask_triples(passage, &names), |r| Some(reply::parse_triples(r))).await?;
    Some(Extracted { entities, triples })
}
