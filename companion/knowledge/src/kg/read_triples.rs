//! Reads triples from the chunks of a corpus by a language model, for its knowledge graph.

use super::gather::{Gathering, heads_of};
use super::open::{self, Passage};
use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_kg::KgError;
use pocketgraph_llm_client::asker::{self, AskError, BuildModel};
use pocketgraph_native::progress::Progress;

/// Reasons for which a language model's reading or writing for an index fails.
#[derive(Debug, thiserror::Error)]
pub enum ReadTriplesError {
    /// The model refused or did not answer.
    #[error(transparent)]
    Asking(#[from] AskError),
    /// The graph became too large for the format.
    #[error(transparent)]
    Graph(#[from] KgError),
}

/// Returns the title and headings of each chunk.
pub fn all_heads(documents: &[Document], chunks: &[Chunk]) -> Vec<String> {
    chunks.iter().map(|c| heads_of(documents, c)).collect()
}

/// Returns the chunks as a language model sees them; `heads` come from [`all_heads`].
pub fn shown_chunks<'a>(chunks: &'a [Chunk], heads: &'a [String]) -> Vec<Passage<'a>> {
    chunks.iter().zip(heads).map(|(c, heads)| Passage { heads, text: &c.text }).collect()
}

/// Has a language model read the chunks for triples, and gathers them. Reports the maximum cost before the
/// first request; `count` counts a text's tokens for it.
///
/// # Errors
/// [`ReadTriplesError`]; the cache, if there is one, keeps the replies until then.
pub fn read_triples(
    reader: &BuildModel,
    documents: &[Document],
    chunks: &[Chunk],
    count: &dyn Fn(&str) -> usize,
    gathering: &mut Gathering,
    progress: &dyn Progress,
) -> Result<(), ReadTriplesError> {
    let heads = all_heads(documents, chunks);
    let passages = shown_chunks(chunks, &heads);
    let (in_, out) = open::bound_tokens(&passages, reader.cache.as_ref(), &reader.asking, count);
    progress.note(&format!(
        "the language model reads {} chunks: at most {in_} tokens to read and {out} to write; \
         replies that are kept already cost nothing",
        passages.len()
    ));
    progress.stage("reading for triples", Some(passages.len() as u64));
    let done = |chunks: usize| progress.at(chunks as u64);
    let found = asker::run_requests(open::extract_triples(
        &passages,
        reader.chat.as_ref(),
        reader.cache.as_ref(),
        &reader.asking,
        &done,
    ))?;
    if found.failed > 0 {
        progress.warn(&format!(
            "{} chunks have no triples because the language model gave no whole reply; the same \
             command asks for these again",
            found.failed
        ));
    }
    let stated = gathering.stated(documents, chunks, &found.chunks)?;
    progress.note(&format!(
        "{} triples by the language model ({} left out: the passage names neither end); {} replies asked \
         for, {} kept from before; {} tokens \
         read, {} written",
        stated.triples, stated.unfounded, found.asked, found.kept, found.tokens.0, found.tokens.1
    ));
    Ok(())
}
