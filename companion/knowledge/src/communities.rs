//! Builds GraphRAG's communities: a graph of entities, its communities, and a report on each. A language
//! model writes the reports if there is one; else they are extracted. The graph joins names that occur
//! together, or entities that a language model found in the chunks.

mod stated;
mod together;

pub use stated::{build_stated_graph, place_statements};
pub use together::build_name_graph;

use crate::names::{Embed, FoundNames};
use crate::summaries::{Material, Writer};
use pocketgraph_bundle::Chunk;
use pocketgraph_cluster::leiden::{LeidenOptions, find_communities};
use pocketgraph_graph_retrieval::entities::{Community, SentencePlace};
use pocketgraph_graph_retrieval::sparse::{Edges, Lists};
use pocketgraph_kernels::vector::{QuantizedMatrix, dot_f32};
use pocketgraph_llm_client::asker::AskError;
use pocketgraph_native::single_line::cut_text;
use pocketgraph_text::sentences;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Number of entities in a report's title.
const TITLE: usize = 3;
/// Number of sentences in a report.
const SENTENCES: usize = 5;
/// Maximum number of candidate sentences for a report.
const CANDIDATES: usize = 100;
/// Number of relations worded at the end of a report.
const RELATIONS: usize = 5;
/// Maximum number of sentences, entities and relations each in a report's prompt: about two thousand tokens.
const SHOWN: usize = 40;
/// Maximum length of a sentence in the model's prompt, in bytes.
const SHOWN_BYTES: usize = 600;
/// Weight of a sentence's own score against its similarity to chosen sentences (maximal marginal relevance;
/// Carbonell and Goldstein, 1998).
const LAMBDA: f32 = 0.7;

/// A relation between two entities.
#[derive(Debug, Clone, PartialEq)]
pub struct Tie<'a> {
    /// The entities, the smaller number first.
    pub ends: (u32, u32),
    /// Weight of the edge in the graph.
    pub weight: f32,
    /// Number of chunks with both entities; with a model, the sum of the scores that it gave.
    pub strength: u32,
    /// The model's sentence about both.
    pub statement: Option<&'a str>,
}

/// A graph of entities, with their places in the corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Source<'a> {
    /// Names of the entities.
    pub labels: Vec<&'a str>,
    /// A model's description of each entity; empty without a model.
    pub descriptions: Vec<&'a str>,
    /// The relations, ascending.
    pub ties: Vec<Tie<'a>>,
    /// Distinct entities of each chunk, ascending.
    pub of_chunk: Vec<Vec<u32>>,
    /// Entities of each sentence, by chunk.
    pub sentences: Vec<&'a [Vec<u32>]>,
}

/// Relations, communities and reports of a corpus, with chunks numbered as given.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// (entity, entity, weight), the smaller entity first, ascending.
    pub relations: Vec<(u32, u32, f32)>,
    /// Communities, parents before children.
    pub communities: Vec<Community>,
    /// One vector for each report.
    pub vectors: Vec<Vec<f32>>,
    /// Texts of the reports if a model wrote them, one for each community; else empty.
    pub texts: Vec<String>,
}

/// Selects the `n` sentences that best represent a community, best first: their entities have many neighbours
/// inside it, and they differ from each other.
fn select_sentences(
    (source, found): (&Source<'_>, &FoundNames),
    places: &BTreeSet<SentencePlace>,
    strength: &BTreeMap<u32, f32>,
    n: usize,
) -> Vec<SentencePlace> {
    let mut scored: Vec<(f32, SentencePlace)> = Vec::new();
    for &(chunk, place) in places {
        let Some(mentions) = source.sentences.get(chunk as usize).and_then(|s| s.get(place as usize)) else {
            continue;
        };
        let distinct: BTreeSet<u32> = mentions.iter().copied().collect();
        scored.push((distinct.iter().filter_map(|e| strength.get(e)).sum(), (chunk, place)));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(CANDIDATES);
    let most = scored.first().map_or(1.0, |s| s.0).max(f32::MIN_POSITIVE);
    let vector = |&(chunk, place): &SentencePlace| {
        let m = found.mentions.get(chunk as usize).filter(|m| (place as usize) < m.vectors.rows())?;
        Some(m.vectors.row_f32(place as usize))
    };
    let vectors: Vec<Vec<f32>> = scored.iter().map(|s| vector(&s.1).unwrap_or_default()).collect();
    let cosine = |a: usize, b: usize| dot_f32(&vectors[a], &vectors[b]);
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < n.min(scored.len()) {
        let worth = |i: usize| {
            let like = chosen.iter().map(|&j| cosine(i, j)).fold(0f32, f32::max);
            LAMBDA * scored[i].0 / most - (1.0 - LAMBDA) * like
        };
        let best = (0..scored.len())
            .filter(|i| !chosen.contains(i))
            .map(|i| (worth(i), i))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, best)) = best else { break };
        chosen.push(best);
    }
    chosen.into_iter().map(|i| scored[i].1).collect()
}

/// Finds the communities of the graph `source` and their reports. `found` has the sentences of the corpus,
/// `writer` has a model write the reports, and `embed` embeds them. Fails if the model refuses or does not
/// answer.
pub fn build_reports(
    source: &Source<'_>,
    chunks: &[Chunk],
    found: &FoundNames,
    embed: &Embed<'_>,
    writer: Option<&Writer<'_>>,
    seed: u64,
) -> Result<Reports, AskError> {
    let entities = source.labels.len();
    // Only the ratios of weights matter, and single precision is finer near 1.
    let largest = source.ties.iter().map(|t| t.weight).fold(0f32, f32::max);
    let weighed: Vec<(u32, u32, f32)> =
        source.ties.iter().map(|t| (t.ends.0, t.ends.1, t.weight / largest)).collect();
    let mut edges = Edges::default();
    weighed.iter().for_each(|&(a, b, weight)| edges.add(a, b, weight));
    let graph = edges.graph(entities);
    let options = LeidenOptions { seed: LeidenOptions::default().seed ^ seed, ..LeidenOptions::default() };
    let groups = find_communities(&graph, &options);
    let chunks_of = source.of_chunk.iter().cloned().collect::<Lists>().inverted(entities);
    let ties: BTreeMap<(u32, u32), &Tie<'_>> = source.ties.iter().map(|t| (t.ends, t)).collect();
    // The closure below must not capture `writer`, which belongs to one thread.
    let writes = writer.is_some();
    let described_groups: Vec<((Community, String, usize), Option<Material>)> = groups
        .par_iter()
        .map(|group| {
            let members: BTreeSet<u32> = group.members.iter().copied().collect();
            let mut strength: BTreeMap<u32, f32> = BTreeMap::new();
            let mut inside: Vec<(u32, f32, u32, u32)> = Vec::new();
            for &a in &group.members {
                let (neighbours, weights) = graph.neighbours(a as usize);
                for (&b, &w) in neighbours.iter().zip(weights).filter(|(b, _)| members.contains(b)) {
                    *strength.entry(a).or_default() += 1.0;
                    if a < b {
                        inside.push((ties.get(&(a, b)).map_or(0, |t| t.strength), w, a, b));
                    }
                }
            }
            let lies: BTreeSet<u32> =
                group.members.iter().flat_map(|&e| chunks_of.get(e as usize).iter().copied()).collect();
            let mut places: BTreeSet<SentencePlace> = BTreeSet::new();
            for &chunk in &lies {
                let sentences = source.sentences.get(chunk as usize).copied().unwrap_or(&[]);
                for (i, mentions) in
                    sentences.iter().enumerate().filter(|(_, m)| m.iter().any(|e| members.contains(e)))
                {
                    debug_assert!(!mentions.is_empty());
                    places.insert((chunk, i as u32));
                }
            }
            let mut best: Vec<(f32, u32)> =
                group.members.iter().map(|&e| (strength.get(&e).copied().unwrap_or(0.0), e)).collect();
            best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let label = |e: u32| source.labels.get(e as usize).copied().unwrap_or("");
            let title = best.iter().take(TITLE).map(|&(_, e)| label(e)).collect::<Vec<_>>().join(", ");
            let mut sentences =
                select_sentences((source, found), &places, &strength, if writes { SHOWN } else { SENTENCES });
            inside.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
            // One statement may join several pairs; it is listed once.
            let mut seen = BTreeSet::new();
            inside.retain(|&(_, _, a, b)| {
                ties.get(&(a, b)).and_then(|t| t.statement).is_none_or(|statement| seen.insert(statement))
            });
            let in_words =
                |&(n, _, a, b): &(u32, f32, u32, u32)| match ties.get(&(a, b)).and_then(|t| t.statement) {
                    Some(wording) => format!("{} \u{2014} {}: {wording}", label(a), label(b)),
                    None => format!("{} \u{2014} {} ({n} co-mentions)", label(a), label(b)),
                };
            let shown = |p: &SentencePlace| cut_text(find_sentence(chunks, *p), SHOWN_BYTES).to_owned();
            let described = |&(_, e): &(f32, u32)| {
                let description =
                    source.descriptions.get(e as usize).filter(|description| !description.is_empty())?;
                Some(format!("{}: {}", label(e), cut_text(description, SHOWN_BYTES)))
            };
            let material = writes.then(|| Material {
                entities: best.iter().take(SHOWN).map(|&(_, e)| label(e).to_owned()).collect(),
                descriptions: best.iter().filter_map(described).take(SHOWN).collect(),
                relations: inside.iter().take(SHOWN).map(in_words).collect(),
                sentences: sentences.iter().map(shown).collect(),
            });
            sentences.truncate(SENTENCES);
            let mut text = title.clone();
            sentences.iter().for_each(|p| text.extend(["\n", find_sentence(chunks, *p)]));
            inside.iter().take(RELATIONS).for_each(|r| text.extend(["\n", &in_words(r)]));
            let community = Community {
                level: group.level,
                parent: group.parent,
                title,
                members: group.members.clone(),
                weight: 0.0,
                sentences,
            };
            ((community, text, lies.len()), material)
        })
        .collect();
    let (labels, material): (Vec<_>, Vec<Option<Material>>) = described_groups.into_iter().unzip();
    let most = labels.iter().map(|t| t.2).max().unwrap_or(1).max(1) as f32;
    let written = match writer {
        Some(writer) => writer.reports(&material.into_iter().flatten().collect::<Vec<_>>())?,
        None => vec![None; labels.len()],
    };
    let (mut communities, mut texts) = (Vec::new(), Vec::new());
    for ((mut community, mut text, n), report) in labels.into_iter().zip(written) {
        if let Some(report) = report {
            (community.title, text) = (report.title, report.text);
        }
        communities.push(Community { weight: n as f32 / most, ..community });
        texts.push(text);
    }
    let vectors = embed(&texts);
    if !writes {
        texts.clear();
    }
    Ok(Reports { relations: weighed, communities, vectors, texts })
}

/// Returns a sentence by its place; empty if it does not exist.
pub fn find_sentence(chunks: &[Chunk], (chunk, place): SentencePlace) -> &str {
    let Some(text) = chunks.get(chunk as usize).map(|c| c.text.as_str()) else { return "" };
    sentences(text).into_iter().nth(place as usize).map_or("", |range| &text[range])
}

/// Quantises vectors into a matrix, one row each.
pub fn quantise_vectors(vectors: &[Vec<f32>]) -> QuantizedMatrix {
    QuantizedMatrix::from_rows(vectors.first().map_or(0, Vec::len), vectors.iter().map(Vec::as_slice))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_bundle::Document;

    fn embed(texts: &[String]) -> Vec<Vec<f32>> {
        texts.iter().map(|t| vec![1.0, t.len() as f32]).collect()
    }

    fn corpus(texts: &[&str]) -> (Vec<Document>, Vec<Chunk>) {
        let documents = texts.iter().enumerate().map(|(i, _)| Document {
            title: format!("note {i}"),
            url: String::new(),
            path: String::new(),
            language: String::new(),
        });
        let chunk = |(i, t): (usize, &&str)| Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: (*t).to_owned(),
            start: 0,
            end: t.len() as u32,
        };
        (documents.collect(), texts.iter().enumerate().map(chunk).collect())
    }

    #[test]
    fn two_circles_of_people_are_two_communities_with_their_own_sentences() {
        let (documents, chunks) = corpus(&[
            "Ann Archer met Bob Baker. Then Carl Cook came.",
            "Bob Baker wrote to Carl Cook.",
            "Ann Archer knows Carl Cook and Bob Baker.",
            "Dora Dean sang with Emil Esch.",
            "Emil Esch taught Fred Frost.",
            "Fred Frost and Dora Dean and Emil Esch travelled.",
        ]);
        let found = crate::names::find_with(&documents, &chunks, &[], Some(&embed), true);
        let r = build_reports(&build_name_graph(&found), &chunks, &found, &embed, None, 0).unwrap();
        let label = |e: u32| found.table.entries[e as usize].key.as_str();
        let groups: Vec<Vec<&str>> =
            r.communities.iter().map(|c| c.members.iter().map(|&e| label(e)).collect()).collect();
        assert!(!groups.is_empty());
        for g in &groups {
            let first = g.iter().filter(|n| ["ann archer", "bob baker", "carl cook"].contains(n)).count();
            assert!(first == 0 || first == g.len(), "{groups:?}");
        }
        for c in &r.communities {
            assert!(!c.title.is_empty() && !c.sentences.is_empty() && c.weight > 0.0 && c.weight <= 1.0);
            let text: String =
                c.sentences.iter().map(|&p| find_sentence(&chunks, p).to_lowercase()).collect();
            assert!(c.members.iter().any(|&e| text.contains(label(e))), "{text}");
        }
        assert_eq!(r.vectors.len(), r.communities.len());
    }

    #[test]
    fn a_corpus_without_entities_or_with_one_passage_has_no_communities() {
        for texts in
            [&["nothing here has a name"][..], &[], &["Ann Archer met Bob Baker."], &["word", "word", "word"]]
        {
            let (documents, chunks) = corpus(texts);
            let found = crate::names::find_with(&documents, &chunks, &[], Some(&embed), true);
            let r = build_reports(&build_name_graph(&found), &chunks, &found, &embed, None, 0).unwrap();
            assert!(r.communities.is_empty() && r.relations.is_empty());
        }
    }
}
