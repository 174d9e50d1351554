//! HippoRAG 2's facts from a knowledge graph: the triples that passages state, their phrases, and vectors of
//! both.

use crate::synonyms::find_synonyms;
use pocketgraph::entities::{Facts, StatedFact};
use pocketgraph::kg::{KnowledgeGraph, NodeId, Provenance, TripleId, name_key};
use pocketgraph_knowledge::communities::quantise_vectors;
use pocketgraph_knowledge::names::Embed;
use std::collections::{BTreeMap, BTreeSet};

/// The facts of a graph whose provenance numbers `chunks` chunks; `None` where no passage states one. What
/// differs in case, accents and punctuation alone is one phrase, and two triples of the same phrases and
/// relation are one fact, as the published program has it; other than there, letters of every script count.
pub fn collect_facts(graph: &KnowledgeGraph, chunks: usize, embed: &Embed<'_>, seed: u64) -> Option<Facts> {
    let relation_of = |id: pocketgraph::kg::RelationId| {
        graph.vocabulary().relations().get(id.0 as usize).map_or("", |r| r.label.as_str())
    };
    let mut stated: BTreeMap<(String, &str, String), BTreeSet<u32>> = BTreeMap::new();
    for id in (0..graph.triples() as u32).map(TripleId) {
        let Some(triple) = graph.triple(id) else { continue };
        let passages = graph.provenance(id).filter_map(|p| match p {
            Provenance::Passage { chunk, .. } if (chunk as usize) < chunks => Some(chunk),
            _ => None,
        });
        let passages: Vec<u32> = passages.collect();
        let key = |node: NodeId| name_key(graph.label(node));
        let (subject, object) = (key(triple.head), key(triple.tail));
        if !passages.is_empty() && !subject.is_empty() && !object.is_empty() {
            stated.entry((subject, relation_of(triple.relation), object)).or_default().extend(passages);
        }
    }
    if stated.is_empty() {
        return None;
    }
    let phrases: BTreeSet<&str> = stated.keys().flat_map(|(s, _, o)| [s.as_str(), o.as_str()]).collect();
    let relations: BTreeSet<&str> = stated.keys().map(|k| k.1).collect();
    let phrases: Vec<String> = phrases.into_iter().map(str::to_owned).collect();
    let relations: Vec<String> = relations.into_iter().map(str::to_owned).collect();
    let place =
        |all: &[String], what: &str| all.binary_search_by(|x| x.as_str().cmp(what)).unwrap_or(0) as u32;
    let fact = |((s, r, o), chunks): (&(String, &str, String), &BTreeSet<u32>)| StatedFact {
        subject: place(&phrases, s),
        relation: place(&relations, r),
        object: place(&phrases, o),
        chunks: chunks.iter().copied().collect(),
    };
    let all: Vec<StatedFact> = stated.iter().map(fact).collect();
    let near = find_synonyms(&phrases, &embed(&phrases), seed);
    let texts: Vec<String> = stated.keys().map(|(s, r, o)| format!("{s} {r} {o}")).collect();
    let vectors = quantise_vectors(&embed(&texts));
    Some(Facts::new(phrases, relations, all, near, vectors))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::kg::{KgBuilder, LiteralKind};

    fn embed(texts: &[String]) -> Vec<Vec<f32>> {
        texts
            .iter()
            .map(
                |t| {
                    if t.starts_with("charles") { vec![0.6, 0.8] } else { vec![1.0, t.len() as f32 / 1000.0] }
                },
            )
            .collect()
    }

    #[test]
    fn triples_of_passages_are_facts_and_names_that_differ_in_case_are_one_phrase() {
        let mut kg = KgBuilder::default();
        let wrote = kg.relation("wrote_to").unwrap();
        kg.relation_label(wrote, "wrote to").unwrap();
        let (ada, shouted, charles) = (
            kg.entity("Ada Lovelace").unwrap(),
            kg.entity("ADA LOVELACE").unwrap(),
            kg.entity("Charles").unwrap(),
        );
        let year = kg.literal("1843", LiteralKind::Date, "", "").unwrap();
        let at = |chunk| Provenance::Passage { chunk, start: 0, end: 1 };
        kg.triple(ada, wrote, charles, at(2)).unwrap();
        kg.triple(shouted, wrote, charles, at(0)).unwrap();
        kg.triple(ada, wrote, year, at(1)).unwrap();
        let (tokyo, japan) = (kg.entity("東京").unwrap(), kg.entity("日本").unwrap());
        kg.triple(tokyo, wrote, japan, at(1)).unwrap();
        // Imported, and of a passage that there is not: no passage states these.
        kg.triple(charles, wrote, ada, Provenance::Line { file: "x.tsv", line: 1 }).unwrap();
        kg.triple(charles, wrote, year, at(9)).unwrap();
        let found = collect_facts(&kg.finish().unwrap(), 3, &embed, 0).unwrap();
        assert_eq!(found.phrases.len(), 5, "letters of every script are kept: {:?}", found.phrases);
        assert_eq!(found.phrases[..3], ["1843", "ada lovelace", "charles"]);
        assert_eq!(found.relations, ["wrote to"]);
        let listed: Vec<(String, &[u32])> =
            (0..2).map(|i| (found.text(i), found.all[i as usize].chunks.as_slice())).collect();
        assert_eq!(
            listed,
            [
                ("ada lovelace wrote to 1843".to_owned(), &[1][..]),
                ("ada lovelace wrote to charles".to_owned(), &[0, 2][..])
            ]
        );
        assert_eq!(found.vectors.rows(), 3);
        assert_eq!(found.synonyms.row(0).0, [1], "phrases nearly the same by vector");
    }

    #[test]
    fn a_graph_that_no_passage_states_has_no_facts() {
        let mut kg = KgBuilder::default();
        let (a, r, b) = (kg.entity("a").unwrap(), kg.relation("r").unwrap(), kg.entity("b").unwrap());
        kg.triple(a, r, b, Provenance::Cited("a book")).unwrap();
        assert!(collect_facts(&kg.finish().unwrap(), 3, &embed, 0).is_none());
        assert!(collect_facts(&KgBuilder::default().finish().unwrap(), 3, &embed, 0).is_none());
    }
}
