//! Adds a model's statements to the graph: merges names of one thing, places each statement, and leaves out
//! statements that the passage does not support.

use super::Extracted;
use crate::kg::documents::Place;
use crate::kg::entity_index::EntityIndex;
use crate::kg::numbers::read_value;
use pocketgraph_bundle::Chunk;
use pocketgraph_kg::{KgBuilder, KgError, LiteralKind, Provenance, TypeId, name_key};
use pocketgraph_text::sentences;
use std::collections::HashMap;

/// Counts of a model's statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedTriples {
    /// Number of triples, repetitions included.
    pub triples: usize,
    /// Number left out because their chunk names neither end.
    pub unfounded: usize,
    /// Number left out because an end or the relation cannot be named.
    pub nameless: usize,
}

/// Adds a model's statements about `chunks`. `about` returns a chunk's title and headings, which may name
/// what its text calls "it", and its language.
pub(in crate::kg) fn add_statements<'a>(
    kg: &mut KgBuilder,
    chunks: &[Chunk],
    extracted: &[Extracted],
    about: &dyn Fn(&Chunk) -> (String, &'a str),
) -> Result<StatedTriples, KgError> {
    let mut things = EntityIndex::of(kg);
    let mut out = StatedTriples::default();
    let mut types: HashMap<String, TypeId> = HashMap::new();
    for (i, (chunk, extraction)) in chunks.iter().zip(extracted).enumerate() {
        let (heads, language) = about(chunk);
        let text = Keyed::new(chunk, &heads);
        let kinds: HashMap<String, &str> =
            extraction.entities.iter().map(|n| (name_key(&n.name), n.kind.as_str())).collect();
        for t in &extraction.triples {
            let (head_key, tail_key) = (name_key(&t.head), name_key(&t.tail));
            if !text.names(&head_key) && !text.names(&tail_key) {
                out.unfounded += 1;
                continue;
            }
            let Some(head) = things.thing(kg, &t.head)? else {
                out.nameless += 1;
                continue;
            };
            let (value, kind, unit) = read_value(&t.tail, language);
            let tail = match kind {
                LiteralKind::Text => match things.thing(kg, &t.tail)? {
                    Some(node) => node,
                    None => kg.literal(&t.tail, LiteralKind::Text, "", "")?,
                },
                kind => kg.literal(&value, kind, "", &unit)?,
            };
            for (node, key) in [(head, &head_key), (tail, &tail_key)] {
                let Some(kind) = kinds
                    .get(key)
                    .filter(|k| !k.is_empty() && matches!(node, pocketgraph_kg::BuildNode::Entity(_)))
                else {
                    continue;
                };
                let id = match types.get(*kind) {
                    Some(&id) => id,
                    None => {
                        let id = kg.entity_type(kind)?;
                        types.insert((*kind).to_owned(), id);
                        id
                    }
                };
                kg.entity_has_type(node, id)?;
            }
            if head == tail {
                out.nameless += 1;
                continue;
            }
            let name = name_key(&t.relation).replace(' ', "_");
            if name.is_empty() {
                out.nameless += 1;
                continue;
            }
            let relation = kg.relation(&name)?;
            kg.relation_label(relation, &t.relation)?;
            let Place { chunk, start, end } = text.place(i as u32, &head_key, &tail_key);
            kg.triple(head, relation, tail, Provenance::Passage { chunk, start, end })?;
            out.triples += 1;
        }
    }
    Ok(out)
}

/// A chunk's sentences as normalised words, for comparison with names.
struct Keyed {
    sentences: Vec<(u32, u32, String)>,
    all: String,
    length: u32,
}

fn pad_words(text: &str) -> String {
    format!(" {} ", name_key(text))
}

impl Keyed {
    fn new(chunk: &Chunk, heads: &str) -> Self {
        let sentences = sentences(&chunk.text)
            .into_iter()
            .map(|r| (r.start as u32, r.end as u32, pad_words(chunk.text.get(r.clone()).unwrap_or(""))))
            .collect();
        Keyed {
            sentences,
            all: format!("{}{}", pad_words(heads), pad_words(&chunk.text)),
            length: chunk.text.len() as u32,
        }
    }

    fn names(&self, key: &str) -> bool {
        !key.is_empty() && self.all.contains(&format!(" {key} "))
    }

    /// Returns the first sentence with both ends, else with the tail, else with the head; else the whole
    /// chunk.
    fn place(&self, chunk: u32, head: &str, tail: &str) -> Place {
        let has = |s: &str, key: &str| !key.is_empty() && s.contains(&format!(" {key} "));
        let all = &self.sentences;
        let found = all
            .iter()
            .find(|s| has(&s.2, head) && has(&s.2, tail))
            .or_else(|| all.iter().find(|s| has(&s.2, tail)))
            .or_else(|| all.iter().find(|s| has(&s.2, head)));
        let (start, end) = found.map_or((0, self.length), |s| (s.0, s.1));
        Place { chunk, start, end }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Named, Stated};
    use super::*;
    use pocketgraph_kg::{Linker, TripleId};

    fn stated(head: &str, relation: &str, tail: &str) -> Stated {
        Stated { head: head.into(), relation: relation.into(), tail: tail.into() }
    }

    fn chunk(text: &str) -> Chunk {
        Chunk {
            document: 0,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: text.into(),
            start: 0,
            end: text.len() as u32,
        }
    }

    #[test]
    fn numbers_are_read_as_the_language_of_the_page_writes_them() {
        for (language, expected) in [("de", "1030"), ("en", "1.030")] {
            let chunk = chunk("Die Pumpe wiegt 1.030 kg.");
            let extraction =
                Extracted { entities: Vec::new(), triples: vec![stated("Pumpe", "wiegt", "1.030 kg")] };
            let mut kg = KgBuilder::default();
            add_statements(&mut kg, &[chunk], &[extraction], &|_| (String::new(), language)).unwrap();
            let graph = kg.finish().unwrap();
            let weight = (0..graph.nodes()).find_map(|n| graph.literal(pocketgraph_kg::NodeId(n as u32)));
            assert_eq!(weight.unwrap().text, expected);
        }
    }

    #[test]
    fn statements_become_triples_at_their_sentences_and_names_are_merged() {
        let text = "She wrote to Charles Babbage in 1843. The Analytical Engine weighed 15 t.";
        let chunk = chunk(text);
        let extraction = Extracted {
            entities: vec![Named { name: "Charles Babbage".into(), kind: "person".into() }],
            triples: vec![
                stated("Ada Lovelace", "wrote to", "Charles Babbage"),
                stated("ada LOVELACE", "wrote in", "1843"),
                stated("Analytical Engine", "weighed", "15 t"),
                stated("Napoleon", "invaded", "Russia"),
                stated("Ada Lovelace", "is", "Ada Lovelace"),
            ],
        };
        let mut kg = KgBuilder::default();
        let out =
            add_statements(&mut kg, &[chunk], &[extraction], &|_| ("Ada Lovelace".to_owned(), "en")).unwrap();
        assert_eq!(out, StatedTriples { triples: 3, unfounded: 1, nameless: 1 });
        let graph = kg.finish().unwrap();
        let linker = Linker::new(&graph);
        let babbage = linker.exact("Charles Babbage")[0];
        assert_eq!(graph.vocabulary().entity_type(graph.types(babbage)[0]).unwrap().label, "person");
        assert!(linker.exact("Napoleon").is_empty());
        let ada = linker.exact("Ada Lovelace")[0];
        assert_eq!(graph.edges(ada, pocketgraph_kg::Direction::Forward).count(), 2);
        let spans: Vec<&str> = (0..graph.triples() as u32)
            .flat_map(|t| graph.provenance(TripleId(t)).collect::<Vec<_>>())
            .map(|p| match p {
                Provenance::Passage { start, end, .. } => &text[start as usize..end as usize],
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(
            spans.contains(&"She wrote to Charles Babbage in 1843.")
                && spans.contains(&"The Analytical Engine weighed 15 t."),
            "{spans:?}"
        );
        let weight = (graph.entities()..graph.nodes())
            .find_map(|n| graph.literal(pocketgraph_kg::NodeId(n as u32)).filter(|l| l.unit == "t"));
        assert_eq!(weight.unwrap().text, "15");
    }
}
