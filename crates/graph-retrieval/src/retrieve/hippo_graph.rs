//! HippoRAG 2's graph of passages and phrases, from sentences or from triples.

use super::facts::is_fact;
use crate::compact::sort_by;
use crate::entities::{EntityIndex, Facts, Synonyms};
use crate::sparse::{Edges, Graph};

/// Maximum number of joined phrases of a sentence: a list of a hundred names relates few of them.
const JOINED: usize = 16;

/// Makes the graph in which a sentence that mentions two entities or more is a fact of each two of them.
pub(super) fn sentence_graph(index: &EntityIndex, synonyms: &Synonyms) -> Graph {
    let chunks = index.chunks() as u32;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut in_fact = vec![false; index.entities()];
    for sentence in (0..index.sentences() as u32).filter(|&s| is_fact(index, s)) {
        let all = index.distinct(sentence);
        all.iter().for_each(|&e| in_fact[e as usize] = true);
        let joined = &all[..all.len().min(JOINED)];
        for (i, &a) in joined.iter().enumerate() {
            pairs.extend(joined[i + 1..].iter().map(|&b| (a, b)));
        }
    }
    let mut edges = Edges::default();
    for chunk in 0..chunks {
        // A passage has the phrases that it mentions and those that its title names: a sentence with "he" is
        // a fact of the title's phrase too.
        let phrases = index.mention_counts(chunk).0.iter().filter(|&&e| in_fact[e as usize]);
        phrases.for_each(|&e| edges.add(chunk, chunks + e, 1.0));
    }
    build_graph(edges, chunks, pairs, &in_fact, synonyms)
}

/// Makes the graph in which a triple is a fact of subject and object, once for each passage that states it.
pub(super) fn triple_graph(facts: &Facts, chunks: usize) -> Graph {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut contained: Vec<(u32, u32)> = Vec::new();
    for fact in &facts.all {
        let (a, b) = (fact.subject.min(fact.object), fact.subject.max(fact.object));
        pairs.extend(fact.chunks.iter().map(|_| (a, b)));
        fact.chunks.iter().for_each(|&c| contained.extend([(c, a), (c, b)]));
    }
    sort_by(&mut contained, Ord::cmp);
    contained.dedup();
    let mut edges = Edges::default();
    contained.iter().for_each(|&(chunk, phrase)| edges.add(chunk, chunks as u32 + phrase, 1.0));
    build_graph(edges, chunks as u32, pairs, &vec![true; facts.phrases.len()], &facts.synonyms)
}

/// Makes the graph of `edges` between passages and phrases and of edges between phrases: `pairs`, the smaller
/// first, one for each fact of the two, and the synonyms among those `in_fact`. As in the published program
/// every edge between phrases is stored for both directions and both copies are inserted: a fact weighs 2, a
/// mutual synonym twice its cosine, and a synonym replaces a fact between the same two phrases.
fn build_graph(
    mut edges: Edges,
    chunks: u32,
    mut pairs: Vec<(u32, u32)>,
    in_fact: &[bool],
    synonyms: &Synonyms,
) -> Graph {
    sort_by(&mut pairs, Ord::cmp);
    let synonym = |a: u32, b: u32| synonyms.get(a as usize, b);
    for run in pairs.chunk_by(|a, b| a == b) {
        let ((a, b), count) = (run[0], run.len() as f32);
        let weight = synonym(a, b).map_or(count, |_| 0.0) + synonym(b, a).map_or(count, |_| 0.0);
        edges.add(chunks + a, chunks + b, weight);
    }
    let is_phrase = |e: u32| in_fact.get(e as usize).is_some_and(|&f| f);
    for a in 0..synonyms.rows() as u32 {
        let (others, cosines) = synonyms.row(a as usize);
        for (&b, &cosine) in others.iter().zip(cosines) {
            // An entity without a fact is no phrase.
            if is_phrase(a) && is_phrase(b) {
                edges.add(chunks + a, chunks + b, cosine);
            }
        }
    }
    edges.graph(chunks as usize + in_fact.len())
}
