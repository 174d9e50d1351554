//! Merges a model's statements about chunks into one graph: merges names of one entity, numbers entities, and
//! leaves out relations that the passage does not support.

use super::reply::{Named, Reply};
use super::{Entity, Related, Statement, describe_name};
use crate::kg::open::Passage;
use pocketgraph_kg::name_key;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of entities of one statement, the most important ones.
const JOINED: usize = 8;
/// Maximum number of words of a name; longer ones are sentences.
const LONGEST_NAME: usize = 12;

/// An entity as in the chunks.
#[derive(Default)]
struct Gathered {
    /// Spellings and types.
    labels: Counts,
    kinds: Counts,
    /// Descriptions, each with the importance of the entity there.
    stated: Vec<(u8, String)>,
}

/// Frequency of each text, and its rank among new texts.
#[derive(Default)]
struct Counts(BTreeMap<String, (u32, usize)>);

impl Counts {
    fn add(&mut self, text: &str) {
        if !text.is_empty() {
            let first = self.0.len();
            self.0.entry(text.to_owned()).or_insert((0, first)).0 += 1;
        }
    }

    /// Returns the most frequent text; among equals, the first.
    fn most(self) -> String {
        self.0
            .into_iter()
            .max_by_key(|&(_, (n, first))| (n, Reverse(first)))
            .map_or_else(String::new, |(text, _)| text)
    }
}

/// Merges the replies into a graph in which each entity's `description` has one line for each statement.
/// Returns also the number of relations that no passage supports.
pub(super) fn merge_replies(passages: &[Passage<'_>], replies: &[Option<Reply>]) -> (Related, usize) {
    let mut gathered: BTreeMap<String, Gathered> = BTreeMap::new();
    // Keys, until all entities have numbers.
    let mut chunks: Vec<Vec<(String, Vec<String>, u8)>> = Vec::new();
    let mut unfounded = 0;
    for (passage, reply) in passages.iter().zip(replies) {
        let mut statements = Vec::new();
        if let Some(reply) = reply {
            unfounded += statements_of(*passage, reply, &mut gathered, &mut statements);
        }
        chunks.push(statements);
    }
    let numbers: BTreeMap<&str, u32> =
        gathered.keys().zip(0u32..).map(|(key, n)| (key.as_str(), n)).collect();
    let number = |key: &String| numbers.get(key.as_str()).copied();
    let statement = |(text, keys, score): (String, Vec<String>, u8)| Statement {
        text,
        entities: keys.iter().filter_map(number).collect(),
        score,
    };
    let chunks = chunks.into_iter().map(|all| all.into_iter().map(statement).collect()).collect();
    (Related { entities: gathered.into_values().map(to_entity).collect(), chunks }, unfounded)
}

/// Normalised words of a passage, for comparison with names.
struct Words(String);

impl Words {
    fn of(passage: Passage<'_>) -> Words {
        Words(format!(" {} {} ", name_key(passage.heads), name_key(passage.text)))
    }

    fn have(&self, key: &str) -> bool {
        self.0.contains(&format!(" {key} "))
    }
}

/// Adds a reply's statements about its passage. Returns the number of relations left out because the passage
/// names none of their entities.
fn statements_of(
    passage: Passage<'_>,
    reply: &Reply,
    gathered: &mut BTreeMap<String, Gathered>,
    out: &mut Vec<(String, Vec<String>, u8)>,
) -> usize {
    let words = Words::of(passage);
    let key_of = |name: &str| {
        Some(name_key(name)).filter(|key| !key.is_empty() && key.split(' ').count() <= LONGEST_NAME)
    };
    let mut listed: BTreeMap<String, &Named> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for entity in &reply.entities {
        let Some(key) = key_of(&entity.name) else { continue };
        let held = listed.entry(key.clone()).or_insert(entity);
        // Of an entity that is listed twice, the fuller entry counts.
        if (entity.importance, entity.description.len()) > (held.importance, held.description.len()) {
            *held = entity;
        }
        if !order.contains(&key) {
            order.push(key);
        }
    }
    let mut unfounded = 0;
    let mut joined: BTreeSet<String> = BTreeSet::new();
    let mut spelled: BTreeMap<String, &str> = BTreeMap::new();
    for relation in &reply.relations {
        let mut keys: Vec<String> = Vec::new();
        for name in &relation.names {
            // A name that is not in the list must at least occur in the passage.
            let Some(key) = key_of(name).filter(|key| listed.contains_key(key) || words.have(key)) else {
                continue;
            };
            if !keys.contains(&key) {
                spelled.entry(key.clone()).or_insert(name);
                keys.push(key);
            }
        }
        keys.sort_by_key(|key| Reverse(listed.get(key).map_or(0, |n| n.importance)));
        keys.truncate(JOINED);
        if keys.len() < 2 || !keys.iter().any(|key| words.have(key)) {
            unfounded += 1;
            continue;
        }
        if out.iter().any(|(text, ..)| *text == relation.statement) {
            continue;
        }
        joined.extend(keys.iter().cloned());
        out.push((relation.statement.clone(), keys, relation.score));
    }
    let alone: Vec<&String> = order.iter().filter(|key| !joined.contains(*key) && words.have(key)).collect();
    for key in &alone {
        if let Some(entity) = listed.get(*key) {
            out.push((describe_name(&entity.name, &entity.description), vec![(*key).clone()], 0));
        }
    }
    for key in joined.iter().chain(alone) {
        let entry = gathered.entry(key.clone()).or_default();
        match listed.get(key) {
            Some(entity) => {
                entry.labels.add(&entity.name);
                entry.kinds.add(&entity.kind);
                if !entity.description.is_empty() {
                    entry.stated.push((entity.importance, entity.description.clone()));
                }
            }
            None => entry.labels.add(spelled.get(key).copied().unwrap_or(key)),
        }
    }
    unfounded
}

/// Builds the entity. Its descriptions come once each, those from chunks where it matters most first.
fn to_entity(mut gathered: Gathered) -> Entity {
    gathered.stated.sort_by_key(|(importance, _)| Reverse(*importance));
    let mut seen = BTreeSet::new();
    let descriptions: Vec<&str> =
        gathered.stated.iter().map(|(_, text)| text.as_str()).filter(|text| seen.insert(*text)).collect();
    let description = descriptions.join("\n");
    Entity { label: gathered.labels.most(), kind: gathered.kinds.most(), description }
}

#[cfg(test)]
mod tests {
    use super::super::reply::parse_reply;
    use super::*;

    const PASSAGES: [Passage<'_>; 2] = [
        Passage { heads: "Ada Lovelace", text: "She wrote to Charles Babbage in Turin. Nothing came of it." },
        Passage { heads: "Engines", text: "Charles BABBAGE built the Difference Engine. C is a language." },
    ];

    fn replies(texts: [&str; 2]) -> Vec<Option<Reply>> {
        texts.map(parse_reply).into_iter().collect()
    }

    #[test]
    fn names_are_merged_by_their_words_and_keep_their_commonest_spelling() {
        let all = replies([
            r#"{"entities": [{"name": "Ada Lovelace", "type": "person", "description": "She wrote.", "importance": 90},
                {"name": "Charles Babbage", "type": "person", "description": "Got a letter.", "importance": 40}, {"name": "Turin", "type": "city"}],
                "relations": [{"statement": "Ada Lovelace wrote to Charles \
                 Babbage.", "entities": ["charles babbage", "Ada Lovelace"], "score": 8}]}"#,
            r#"{"entities": [{"name": "CHARLES BABBAGE", "type": "inventor", "description": "Built an engine.", "importance": 80}],
                "relations": [{"statement": "Charles Babbage built the Difference \
                 Engine.", "entities": ["Charles Babbage", "Difference Engine"]},
                {"statement": "Napoleon was in Moscow.", "entities": ["Napoleon", "Moscow"]},
                {"statement": "Alone.", "entities": ["Charles Babbage", "Napoleon"]}]}"#,
        ]);
        let (graph, unfounded) = merge_replies(&PASSAGES, &all);
        let of = |e: &Entity| (e.label.clone(), e.kind.clone(), e.description.clone());
        let entity_rows: Vec<_> = graph.entities.iter().map(of).collect();
        let entity = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            entity_rows,
            [
                entity("Ada Lovelace", "person", "She wrote."),
                entity("Charles Babbage", "person", "Built an engine.\nGot a letter."),
                entity("Difference Engine", "", ""),
                entity("Turin", "city", ""),
            ]
        );
        assert_eq!(unfounded, 2, "the passage has neither Napoleon nor Moscow");
        let statement = |text: &str, entities: &[u32], score| Statement {
            text: text.to_owned(),
            entities: entities.to_vec(),
            score,
        };
        assert_eq!(
            graph.chunks,
            [
                vec![
                    statement("Ada Lovelace wrote to Charles Babbage.", &[0, 1], 8),
                    statement("Turin", &[3], 0)
                ],
                vec![statement("Charles Babbage built the Difference Engine.", &[1, 2], 1)],
            ]
        );
    }

    #[test]
    fn what_no_passage_names_is_left_out_and_missing_replies_leave_their_chunks_empty() {
        let invented = r#"{"entities": [{"name": "Atlantis", "description": "Sunk."}, {"name": "Mu"}],
            "relations": [{"statement": "Atlantis and Mu sank.", "entities": ["Atlantis", "Mu"]}]}"#;
        let (graph, unfounded) = merge_replies(&PASSAGES, &[parse_reply(invented), None]);
        assert!(graph.entities.is_empty() && graph.chunks == [Vec::new(), Vec::new()]);
        assert_eq!(unfounded, 1);
    }

    #[test]
    fn a_statement_of_many_keeps_the_most_important() {
        let names: Vec<String> = (0..12).map(|i| format!("name{i}")).collect();
        let text = names.join(" ");
        let list: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(i, n)| format!(r#"{{"name": "{n}", "importance": {i}}}"#))
            .collect();
        let reply = format!(
            r#"{{"entities": [{}], "relations": [{{"statement": "All.", "entities": {names:?}}}]}}"#,
            list.join(",")
        );
        let (graph, _) = merge_replies(&[Passage { heads: "", text: &text }], &[parse_reply(&reply)]);
        let kept: Vec<&str> =
            graph.chunks[0][0].entities.iter().map(|&e| graph.entities[e as usize].label.as_str()).collect();
        assert_eq!(kept, ["name11", "name10", "name9", "name8", "name7", "name6", "name5", "name4"]);
        assert_eq!(graph.entities.len(), 12, "the others stand alone");
    }
}
