//! Entities and relations that a language model reads in the chunks, for the retrievers whose originals have one do so.
//!
//! One request a chunk serves both. A relation is a statement that joins two entities or more, as
//! HyperGraphRAG (arXiv 2503.21322) has it; one that joins two is GraphRAG's (arXiv 2404.16130), and one
//! that joins more ties each two of them.

mod merge;
mod prompts;
mod reply;

use crate::kg::open::Passage;
use crate::summaries::Writer;
use pocketgraph_llm_client::asker::{AskError, BuildModel, announced};
use pocketgraph_native::progress::Progress;
use pocketgraph_native::single_line::cut;

/// Descriptions of one entity that are longer together, in bytes, are made into one by the model: about
/// five hundred tokens, as in GraphRAG.
const LONG: usize = 2000;
/// What of them the model is shown, in bytes: about four thousand tokens.
const SHOWN: usize = 16_000;
/// Tokens of the description that it writes, at most.
const DESCRIPTION_TOKENS: usize = 300;

/// What chunks say something of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name, in its commonest spelling.
    pub label: String,
    /// What it is, in lower case; empty where the model did not say.
    pub kind: String,
    /// What all chunks say of it; empty where they say nothing.
    pub description: String,
}

impl Entity {
    /// Name and description, as its vector is made of.
    pub fn text(&self) -> String {
        described(&self.label, &self.description)
    }
}

/// A name and what is said of it, where anything is.
fn described(name: &str, description: &str) -> String {
    if description.is_empty() { name.to_owned() } else { format!("{name}: {description}") }
}

/// A statement of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The statement.
    pub text: String,
    /// The entities that it joins, the most important first; one alone where it is what the chunk says of
    /// an entity that none of its relations joins.
    pub entities: Vec<u32>,
    /// How much it says, from 1 to 10; 0 where it joins nothing.
    pub score: u8,
}

/// Entities, and what the chunks state of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Related {
    /// Ascending by their names' words.
    pub entities: Vec<Entity>,
    /// For each chunk what it states.
    pub chunks: Vec<Vec<Statement>>,
}

impl Related {
    /// Statements that join entities.
    fn relations(&self) -> usize {
        self.chunks.iter().flatten().filter(|s| s.entities.len() > 1).count()
    }
}

/// Has a model read the chunks, given as `passages`; `None` where it states no relation. `count` counts a
/// text's tokens, for what is told before the first request.
///
/// # Errors
/// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept.
pub fn read(
    passages: &[Passage<'_>],
    model: &BuildModel,
    count: &dyn Fn(&str) -> usize,
    progress: &dyn Progress,
) -> Result<Option<Related>, AskError> {
    let n = passages.len();
    let opening = format!("the language model reads {n} chunks for relations");
    let requests = passages.iter().map(|&p| prompts::relations(p)).collect();
    let (replies, tally) = announced(model, progress, count, (&opening, "reading for relations"), requests, &|_, r| reply::read(r))?;
    let lacking = replies.iter().filter(|r| r.is_none()).count();
    if lacking > 0 {
        progress.warn(&format!(
            "{lacking} of {n} chunks have no relations: the language model gave no usable reply; the same command asks for these again"
        ));
    }
    let (mut related, unfounded) = merge::merged(passages, &replies);
    progress.note(&format!(
        "{} entities and {} relations by the language model ({unfounded} relations left out: the passage does not bear them out); {tally}",
        related.entities.len(),
        related.relations(),
    ));
    if related.relations() == 0 {
        progress.warn("the language model states no relation, so that graphrag and hypergraph go by names and sentences");
        return Ok(None);
    }
    describe(&mut related, &Writer::new(model, progress, count))?;
    Ok(Some(related))
}

/// Makes one description of what was said of each entity: by the model where it is long.
fn describe(related: &mut Related, writer: &Writer<'_>) -> Result<(), AskError> {
    let long: Vec<usize> = (0..related.entities.len()).filter(|&i| related.entities[i].description.len() > LONG).collect();
    let entity_text = |&i: &usize| {
        let Entity { label, description, .. } = &related.entities[i];
        (label.as_str(), cut(description, SHOWN).lines().collect::<Vec<_>>())
    };
    let things: Vec<(&str, Vec<&str>)> = long.iter().map(entity_text).collect();
    let written = if things.is_empty() { Vec::new() } else { writer.descriptions(&things, DESCRIPTION_TOKENS)? };
    for (i, text) in long.into_iter().zip(written) {
        let held = &mut related.entities[i].description;
        *held = text.unwrap_or_else(|| cut(held, LONG).to_owned());
    }
    related.entities.iter_mut().for_each(|e| e.description = e.description.replace('\n', " "));
    Ok(())
}
