//! Ties names of the corpus that occur in the same chunks: GraphRAG's graph without a language model.

use super::{Source, Tie};
use crate::names::FoundNames;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of entities of a chunk that are joined: a page of a thousand names says little of any two.
const JOINED: usize = 64;
/// Minimum number of chunks of an entity.
const LEAST_CHUNKS: usize = 2;
/// Share of relations that are left out, those of lowest weight.
const WEAKEST: f64 = 0.4;

/// Builds the graph of the names that occur together.
pub fn build_name_graph(found: &FoundNames) -> Source<'_> {
    let of_chunk = entities_of(found);
    let labels: Vec<&str> = found.table.entries.iter().map(|e| e.key.as_str()).collect();
    let ties = weigh_pairs(&of_chunk, labels.len());
    let sentences = found.mentions.iter().map(|m| m.sentences.as_slice()).collect();
    Source { labels, descriptions: Vec::new(), ties, of_chunk, sentences }
}

/// Returns the distinct entities of each chunk, ascending.
fn entities_of(found: &FoundNames) -> Vec<Vec<u32>> {
    let distinct = |sentences: &Vec<Vec<u32>>| {
        sentences.iter().flatten().copied().collect::<BTreeSet<u32>>().into_iter().collect()
    };
    found.mentions.iter().map(|m| distinct(&m.sentences)).collect()
}

/// Weighs pairs of entities of the same chunks by p(x, y) log2(p(x, y) / p(x) p(y)). p(x) is an entity's
/// share of all mentions, p(x, y) a pair's share of all pairs. Leaves out entities of one chunk, the entity
/// with most neighbours, and the weakest relations.
fn weigh_pairs(chunks: &[Vec<u32>], entities: usize) -> Vec<Tie<'static>> {
    let mut frequency = vec![0u32; entities];
    chunks.iter().flatten().for_each(|&e| frequency[e as usize] += 1);
    let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for all in chunks {
        let kept: Vec<u32> = all
            .iter()
            .copied()
            .filter(|&e| frequency[e as usize] as usize >= LEAST_CHUNKS)
            .take(JOINED)
            .collect();
        for (i, &a) in kept.iter().enumerate() {
            kept[i + 1..].iter().for_each(|&b| *pairs.entry((a, b)).or_default() += 1);
        }
    }
    let mut degree: BTreeMap<u32, u32> = BTreeMap::new();
    for &(a, b) in pairs.keys() {
        *degree.entry(a).or_default() += 1;
        *degree.entry(b).or_default() += 1;
    }
    // If all entities are joined with each other, no single one is the centre.
    let most = degree.values().copied().max().unwrap_or(0);
    let middle: Vec<u32> = degree.iter().filter(|(_, n)| **n == most).map(|(&e, _)| e).collect();
    if let ([ego], true) = (middle.as_slice(), degree.len() > 3) {
        pairs.retain(|&(a, b), _| a != *ego && b != *ego);
    }
    let mentions = frequency.iter().map(|&n| u64::from(n)).sum::<u64>() as f64;
    let together = pairs.values().map(|&n| u64::from(n)).sum::<u64>() as f64;
    let share = |e: u32| f64::from(frequency[e as usize]) / mentions;
    let weight = |(&(a, b), &n): (&(u32, u32), &u32)| {
        let p = f64::from(n) / together;
        Tie {
            ends: (a, b),
            weight: (p * (p / (share(a) * share(b))).log2()) as f32,
            strength: n,
            statement: None,
        }
    };
    let mut out: Vec<Tie<'static>> = pairs.iter().map(weight).collect();
    let mut weights: Vec<f32> = out.iter().map(|t| t.weight).collect();
    weights.sort_by(f32::total_cmp);
    let floor = weights.get((weights.len() as f64 * WEAKEST) as usize).copied().unwrap_or(0.0);
    out.retain(|t| t.weight >= floor && t.weight > 0.0);
    out
}
