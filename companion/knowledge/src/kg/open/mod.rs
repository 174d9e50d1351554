//! Triples from documents with a language model: open information extraction in two questions a chunk, as
//! HippoRAG asks them (Gutiérrez et al., arXiv 2405.14831 and 2502.14802): what does the passage name, and
//! what does it say of these?

mod prompts;
mod reply;
mod state;

pub use prompts::Passage;
pub(crate) use prompts::shown;
pub use reply::{Named, Stated};
pub use state::StatedTriples;
pub(super) use state::add;

use pocketgraph_cache::Key;
use pocketgraph_llm::{ChatModel, ChatRequest};
use pocketgraph_llm_client::asker::{AskError, Asker, Asking, ReplyCache, Tally};

/// What a model said of one chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// What the chunk names.
    pub entities: Vec<Named>,
    /// What it states.
    pub triples: Vec<Stated>,
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// One for each chunk, in their order.
    pub chunks: Vec<Extracted>,
    /// Replies that were asked for and paid.
    pub asked: usize,
    /// Replies that were there from before.
    pub kept: usize,
    /// Chunks for which the model gave no whole reply; a later build asks again.
    pub failed: usize,
    /// Tokens read and written, where the endpoint counts them.
    pub tokens: (u64, u64),
}

/// The most tokens that extraction can cost: (read, written), replies that are kept already left out.
/// `count` counts a text's tokens; the second question is bounded by the longest list of entities.
pub fn bound(passages: &[Passage<'_>], cache: &dyn ReplyCache, asking: &Asking, count: &dyn Fn(&str) -> usize) -> (u64, u64) {
    let tokens = |r: &ChatRequest| r.messages.iter().map(|m| count(&m.content) as u64 + 8).sum::<u64>();
    let (mut read, mut written) = (0, 0);
    for &passage in passages {
        let first = prompts::entities(passage);
        let known = cache.get(&Key::of_reply(&asking.identity, &first));
        if known.is_none() {
            read += tokens(&first);
            written += u64::from(prompts::ENTITY_TOKENS);
        }
        let names = known.map(|reply| names_of(&reply));
        if names.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let second = prompts::triples(passage, names.as_deref().unwrap_or(&[]));
        if names.is_none() || cache.get(&Key::of_reply(&asking.identity, &second)).is_none() {
            let list = if names.is_none() { u64::from(prompts::ENTITY_TOKENS) } else { 0 };
            read += tokens(&second) + list;
            written += u64::from(prompts::TRIPLE_TOKENS);
        }
    }
    (read, written)
}

fn names_of(reply: &str) -> Vec<String> {
    reply::entities(reply).into_iter().map(|n| n.name).collect()
}

/// Asks a model about every chunk. `progress` hears how many chunks are done.
///
/// # Errors
/// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept; requests that are under
/// way are awaited first.
pub async fn extract(
    passages: &[Passage<'_>],
    model: &dyn ChatModel,
    cache: &dyn ReplyCache,
    asking: &Asking,
    progress: &dyn Fn(usize),
) -> Result<Extraction, AskError> {
    let asker = Asker::new(model, cache, asking);
    let replies = asker.all(passages.iter().map(|&p| about(&asker, p)), progress).await?;
    let failed = replies.iter().filter(|s| s.is_none()).count();
    let Tally { asked, kept, tokens, .. } = asker.tally();
    Ok(Extraction { chunks: replies.into_iter().map(Option::unwrap_or_default).collect(), asked, kept, failed, tokens })
}

/// Both questions about one chunk; `None` when a reply is lacking. Every whole reply is kept: one that says
/// nothing would say nothing again.
async fn about(asker: &Asker<'_>, passage: Passage<'_>) -> Option<Extracted> {
    let entities = asker.ask(prompts::entities(passage), |r| Some(reply::entities(r))).await?;
    if entities.is_empty() {
        return Some(Extracted::default());
    }
    let names: Vec<String> = entities.iter().map(|n| n.name.clone()).collect();
    let triples = asker.ask(prompts::triples(passage, &names), |r| Some(reply::triples(r))).await?;
    Some(Extracted { entities, triples })
}
