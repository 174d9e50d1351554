//! Reads entities and relations from chunks by a language model, for retrievers whose originals do so.
//!
//! One request for each chunk serves both. A relation is a statement that joins at least two entities, as in
//! HyperGraphRAG (arXiv 2503.21322). One that joins two is GraphRAG's (arXiv 2404.16130), and one that joins
//! more ties each two of them.

mod merge;
mod prompts;
mod reply;

use crate::kg::open::Passage;
use crate::summaries::Writer;
use pocketgraph_llm_client::asker::{AskError, BuildModel, ask_announced};
use pocketgraph_native::progress::Progress;
use pocketgraph_native::single_line::cut_text;

/// Total length of an entity's descriptions, in bytes, above which the model rewrites them as one: about five
/// hundred tokens, as in GraphRAG.
const LONG: usize = 2000;
/// Maximum length of these descriptions in the prompt, in bytes: about four thousand tokens.
const SHOWN: usize = 16_000;
/// Maximum number of tokens of the description that the model writes.
const DESCRIPTION_TOKENS: usize = 300;

/// An entity that chunks describe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entity {
    /// Its name, in its most frequent spelling.
    pub label: String,
    /// Its type, in lower case; empty if the model gave none.
    pub kind: String,
    /// Descriptions from all chunks; empty if there are none.
    pub description: String,
}

impl Entity {
    /// Returns name and description, the text that its vector is made of.
    pub fn text(&self) -> String {
        describe_name(&self.label, &self.description)
    }
}

/// Joins a name and its description, if there is one.
fn describe_name(name: &str, description: &str) -> String {
    if description.is_empty() { name.to_owned() } else { format!("{name}: {description}") }
}

/// A statement of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The statement.
    pub text: String,
    /// Entities that it joins, the most important first; a single one if it describes an entity that no
    /// relation of the chunk joins.
    pub entities: Vec<u32>,
    /// Amount of information, from 1 to 10; 0 if it joins nothing.
    pub score: u8,
}

/// Entities, and the chunks' statements about them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Related {
    /// Entities, ascending by the words of their names.
    pub entities: Vec<Entity>,
    /// Statements of each chunk.
    pub chunks: Vec<Vec<Statement>>,
}

impl Related {
    /// Counts the statements that join entities.
    fn relations(&self) -> usize {
        self.chunks.iter().flatten().filter(|s| s.entities.len() > 1).count()
    }
}

/// Has a model read the chunks, given as `passages`. Returns `None` if it states no relation. `count` counts
/// a text's tokens, for the cost that is reported before the first request.
///
/// # Errors
/// [`AskError`] when the model refuses or does not answer, or a reply cannot be stored.
pub fn read_relations(
    passages: &[Passage<'_>],
    model: &BuildModel,
    count: &dyn Fn(&str) -> usize,
    progress: &dyn Progress,
) -> Result<Option<Related>, AskError> {
    let n = passages.len();
    let opening = format!("the language model reads {n} chunks for relations");
    let requests = passages.iter().map(|&p| prompts::ask_relations(p)).collect();
    let (replies, tally) =
        ask_announced(model, progress, count, (&opening, "reading for relations"), requests, &|_, r| {
            reply::parse_reply(r)
        })?;
    let lacking = replies.iter().filter(|r| r.is_none()).count();
    if lacking > 0 {
        progress.warn(&format!(
            "{lacking} of {n} chunks have no relations: the language model gave no usable reply; the \
             same command asks for these again"
        ));
    }
    let (mut related, unfounded) = merge::merge_replies(passages, &replies);
    progress.note(&format!(
        "{} entities and {} relations by the language model ({unfounded} relations left out: the \
         passage does not bear them out); {tally}",
        related.entities.len(),
        related.relations(),
    ));
    if related.relations() == 0 {
        progress.warn(
            "the language model states no relation, so that graphrag and hypergraph go by names and \
             sentences",
        );
        return Ok(None);
    }
    write_descriptions(&mut related, &Writer::new(model, progress, count))?;
    Ok(Some(related))
}

/// Joins each entity's descriptions into one; the model rewrites long ones.
fn write_descriptions(related: &mut Related, writer: &Writer<'_>) -> Result<(), AskError> {
    let long: Vec<usize> =
        (0..related.entities.len()).filter(|&i| related.entities[i].description.len() > LONG).collect();
    let entity_text = |&i: &usize| {
        let Entity { label, description, .. } = &related.entities[i];
        (label.as_str(), cut_text(description, SHOWN).lines().collect::<Vec<_>>())
    };
    let things: Vec<(&str, Vec<&str>)> = long.iter().map(entity_text).collect();
    let written =
        if things.is_empty() { Vec::new() } else { writer.descriptions(&things, DESCRIPTION_TOKENS)? };
    for (i, text) in long.into_iter().zip(written) {
        let held = &mut related.entities[i].description;
        *held = text.unwrap_or_else(|| cut_text(held, LONG).to_owned());
    }
    related.entities.iter_mut().for_each(|e| e.description = e.description.replace('\n', " "));
    Ok(())
}
