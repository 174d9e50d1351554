//! HippoRAG 2 against an independent, naive form: dictionaries of strings of numbers, dense matrices.

use super::super::facts::is_fact;
use super::super::hippo_graph::{sentence_graph, triple_graph};
use super::*;
use crate::entities::{EntityIndex, StatedFact};
use crate::sparse::Csr;
use crate::vector::QuantizedMatrix;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const ENTITIES: usize = 6;

fn index(chunks: &[Vec<Vec<u32>>]) -> EntityIndex {
    let rows: Vec<Vec<f32>> = (0..ENTITIES).map(|i| vec![1.0, i as f32]).collect();
    EntityIndex::new(QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice)), chunks, &[])
}

fn facts_of(chunks: &[Vec<Vec<u32>>]) -> Vec<(usize, BTreeSet<u32>)> {
    let each = chunks
        .iter()
        .enumerate()
        .flat_map(|(c, s)| s.iter().map(move |m| (c, m.iter().copied().collect::<BTreeSet<u32>>())));
    each.filter(|(_, s)| s.len() >= 2).collect()
}

/// Pairs (chunk, phrase) of the phrases that a chunk mentions and that are part of some fact.
fn contained(chunks: &[Vec<Vec<u32>>]) -> BTreeSet<(usize, u32)> {
    let phrases: BTreeSet<u32> = facts_of(chunks).iter().flat_map(|(_, s)| s.iter().copied()).collect();
    let each = chunks.iter().enumerate().flat_map(|(c, s)| s.iter().flatten().map(move |&e| (c, e)));
    each.filter(|(_, e)| phrases.contains(e)).collect()
}

/// Symmetric weights, entities after chunks.
fn naive_weights(chunks: &[Vec<Vec<u32>>], synonyms: &[(u32, u32, f32)]) -> Vec<Vec<f64>> {
    let n = chunks.len();
    let facts = facts_of(chunks);
    let phrases: BTreeSet<u32> = facts.iter().flat_map(|(_, s)| s.iter().copied()).collect();
    let synonyms: BTreeMap<(u32, u32), f32> = synonyms
        .iter()
        .filter(|(a, b, _)| a != b && phrases.contains(a) && phrases.contains(b))
        .map(|&(a, b, x)| ((a, b), x))
        .collect();
    let mut counts: BTreeMap<(u32, u32), f32> = BTreeMap::new();
    for (_, s) in &facts {
        for &a in s {
            for &b in s.iter().filter(|&&b| b != a) {
                *counts.entry((a, b)).or_default() += 1.0;
            }
        }
    }
    let mut w = vec![vec![0f64; n + ENTITIES]; n + ENTITIES];
    let mut add = |a: usize, b: usize, x: f64| {
        w[a][b] += x;
        w[b][a] += x;
    };
    // Directed dictionary; synonyms overwrite; every entry is inserted as an undirected edge.
    let mut directed = counts;
    directed.extend(synonyms);
    for ((a, b), x) in directed {
        add(n + a as usize, n + b as usize, f64::from(x));
    }
    for (c, e) in contained(chunks) {
        add(c, n + e as usize, 1.0);
    }
    w
}

fn stretched(all: &[f32]) -> Vec<f64> {
    let (low, high) = all.iter().fold((f32::MAX, f32::MIN), |(l, h), &x| (l.min(x), h.max(x)));
    all.iter().map(|&x| if high > low { f64::from(x - low) / f64::from(high - low) } else { 1.0 }).collect()
}

fn naive(
    chunks: &[Vec<Vec<u32>>],
    synonyms: &[(u32, u32, f32)],
    near: &[f32],
    cosines: &[f32],
    p: &Hippo,
) -> Vec<f64> {
    let n = chunks.len();
    let facts = facts_of(chunks);
    let s = stretched(&near[..facts.len()]);
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by(|&a, &b| s[b].total_cmp(&s[a]).then(a.cmp(&b)));
    order.truncate(p.facts);
    let mut weights: Vec<(u32, f64)> = Vec::new();
    for e in 0..ENTITIES as u32 {
        let with: Vec<usize> = order.iter().copied().filter(|&f| facts[f].1.contains(&e)).collect();
        let passages = contained(chunks).iter().filter(|x| x.1 == e).count();
        if !with.is_empty() {
            weights.push((e, with.iter().map(|&f| s[f] / passages as f64).sum::<f64>() / with.len() as f64));
        }
    }
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    weights.truncate(p.phrases);
    let mut r: Vec<f64> = stretched(cosines).iter().map(|x| p.passage_weight * x).collect();
    r.resize(n + ENTITIES, 0.0);
    weights.iter().for_each(|&(e, x)| r[n + e as usize] = x);
    let total: f64 = r.iter().sum();
    r.iter_mut().for_each(|x| *x /= total);
    let w = naive_weights(chunks, synonyms);
    let mut x = r.clone();
    for _ in 0..200 {
        let mut next: Vec<f64> = r.iter().map(|r| (1.0 - p.damping) * r).collect();
        for (i, row) in w.iter().enumerate() {
            let degree: f64 = row.iter().sum();
            for j in 0..row.len() {
                next[j] += p.damping * if degree > 0.0 { x[i] * row[j] / degree } else { x[i] * r[j] };
            }
        }
        x = next;
    }
    x.truncate(n);
    x
}

fn csr(synonyms: &[(u32, u32, f32)]) -> Synonyms {
    let rows = (0..ENTITIES as u32)
        .map(|a| synonyms.iter().filter(|s| s.0 == a && s.1 != a).map(|s| (s.1, s.2)).collect())
        .collect();
    Csr::from_rows(ENTITIES, rows)
}

proptest! {
    #[test]
    fn the_ranks_are_those_of_the_description(
        chunks in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(0u32..ENTITIES as u32, 0..4), 1..4),
            1..6,
        ),
        synonyms in
            prop::collection::btree_map((0u32..ENTITIES as u32, 0u32..ENTITIES as u32), 0.8f32..1.0, 0..5),
        near in prop::collection::vec(-0.3f32..1.0, 20),
        cosines in prop::collection::vec(-0.2f32..0.9, 6),
    ) {
        let p = Hippo { facts: 3, phrases: 4, ..Hippo::default() };
        // A pair has one cosine, in either direction.
        let synonyms: Vec<(u32, u32, f32)> =
            synonyms.iter().map(|(&(a, b), _)| (a, b, 0.8 + 0.01 * (a + b) as f32)).collect();
        let cosines = &cosines[..chunks.len()];
        let index = index(&chunks);
        let all: Vec<u32> = (0..index.sentences() as u32).filter(|&s| is_fact(&index, s)).collect();
        prop_assume!(!all.is_empty());
        let facts: Vec<Scored> =
            all.iter().zip(&near).map(|(&index, &score)| Scored { index, score }).collect();
        let graph = sentence_graph(&index, &csr(&synonyms));
        let known: Vec<Option<f32>> = cosines.iter().map(|&x| Some(x)).collect();
        let known = Cosines::from(&known[..]);
        let best = best_facts(&facts, p.facts);
        let (reset, _) = reset_weights(
            (index.chunks(), index.entities()),
            &graph,
            &best,
            &|f| index.distinct(f),
            &known,
            &p,
        );
        let mut ours = vec![0f64; chunks.len()];
        walk_shares(&graph, chunks.len(), &reset, p.damping)
            .unwrap()
            .iter()
            .for_each(|h| ours[h.index as usize] = f64::from(h.score));
        let theirs = naive(&chunks, &synonyms, &near, cosines, &p);
        for (x, y) in theirs.iter().zip(&ours) {
            prop_assert!((x - y).abs() < 1e-5, "{theirs:?} {ours:?}");
        }
    }
}

#[test]
fn a_fact_competes_two_to_one_with_a_passage() {
    let graph = sentence_graph(&index(&[vec![vec![0, 1]]]), &csr(&[]));
    assert_eq!((graph.weight(1, 2), graph.weight(1, 0)), (2.0, 1.0));
}

#[test]
fn a_mutual_synonym_counts_twice_and_takes_the_place_of_a_fact() {
    let index = index(&[vec![vec![0, 1]], vec![vec![2, 3]]]);
    let synonyms = csr(&[(0, 1, 0.9), (1, 0, 0.9), (2, 3, 0.85)]);
    let r = sentence_graph(&index, &synonyms);
    assert!((r.weight(2, 3) - 1.8).abs() < 1e-6, "both copies were facts: {}", r.weight(2, 3));
    assert!((r.weight(4, 5) - 1.85).abs() < 1e-6, "one copy stays a fact: {}", r.weight(4, 5));
}

#[test]
fn one_fact_with_a_constant_score_has_weight() {
    let index = index(&[vec![vec![0, 1]]]);
    let graph = sentence_graph(&index, &csr(&[]));
    let best = best_facts(&[Scored { index: 0, score: 0.2 }], 5);
    let (reset, phrases) = reset_weights(
        (1, ENTITIES),
        &graph,
        &best,
        &|f| index.distinct(f),
        &Cosines::from(&[Some(0.1)][..]),
        &Hippo::default(),
    );
    assert_eq!(reset, [0.05, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(phrases.len(), 2);
}

/// Triples by hand: (subject, object, chunks).
fn triples(rows: &[(u32, u32, &[u32])], synonyms: &[(u32, u32, f32)]) -> Facts {
    let all: Vec<StatedFact> = rows
        .iter()
        .map(|&(subject, object, chunks)| StatedFact {
            subject,
            relation: 0,
            object,
            chunks: chunks.to_vec(),
        })
        .collect();
    let vectors: Vec<Vec<f32>> = all.iter().map(|f| vec![1.0, f.object as f32]).collect();
    let phrases = (0..ENTITIES).map(|i| format!("phrase {i}")).collect();
    Facts::new(
        phrases,
        vec!["says".to_owned()],
        all,
        csr(synonyms),
        QuantizedMatrix::from_rows(2, vectors.iter().map(Vec::as_slice)),
    )
}

#[test]
fn a_triple_weighs_once_for_each_passage_that_states_it_and_joins_these_to_its_ends() {
    let facts = triples(&[(0, 1, &[0, 2]), (1, 0, &[0]), (2, 2, &[1])], &[(0, 3, 0.9)]);
    let r = triple_graph(&facts, 3);
    assert_eq!(r.weight(3, 4), 6.0, "three statements of the two phrases, whichever way round");
    for (chunk, phrase, weight) in
        [(0, 3, 1.0), (0, 4, 1.0), (2, 3, 1.0), (1, 5, 1.0), (1, 3, 0.0), (2, 5, 0.0)]
    {
        assert_eq!(r.weight(chunk, phrase), weight, "chunk {chunk}, phrase {phrase}");
    }
    assert_eq!(r.weight(5, 5), 0.0, "a triple of one phrase with itself joins nothing");
    assert!((r.weight(3, 6) - 0.9).abs() < 1e-6, "a synonym that no triple joins");
}

proptest! {
    #[test]
    fn triples_rank_as_sentences_that_say_the_same(
        rows in prop::collection::vec((0u32..ENTITIES as u32, 0u32..ENTITIES as u32, 0u32..4), 1..7),
        near in prop::collection::vec(-0.3f32..1.0, 7),
    ) {
        // One triple a sentence, in the sentence's passage: both forms then give the same graph.
        let rows: Vec<(u32, u32, u32)> = rows.into_iter().filter(|(a, b, _)| a != b).collect();
        prop_assume!(!rows.is_empty());
        let mut order = rows.clone();
        order.sort_by_key(|r| r.2);
        let chunks: Vec<Vec<Vec<u32>>> = (0..4)
            .map(|c| order.iter().filter(|r| r.2 == c).map(|&(a, b, _)| vec![a, b]).collect())
            .collect();
        let index = index(&chunks);
        let stated: Vec<[u32; 1]> = order.iter().map(|r| [r.2]).collect();
        let listed: Vec<(u32, u32, &[u32])> =
            order.iter().zip(&stated).map(|(r, c)| (r.0, r.1, &c[..])).collect();
        let p = Hippo::default();
        let facts: Vec<Scored> = near
            .iter()
            .take(order.len())
            .enumerate()
            .map(|(i, &score)| Scored { index: i as u32, score })
            .collect();
        let best = best_facts(&facts, p.facts);
        let sentences = sentence_graph(&index, &csr(&[]));
        let base = Base::Triples(Rc::new(triples(&listed, &[])), 4);
        let cosines = Cosines::from(&[Some(0.3), Some(0.1), Some(0.2), Some(0.4)][..]);
        let (a, _) = reset_weights((4, ENTITIES), &sentences, &best, &|f| index.distinct(f), &cosines, &p);
        let (b, _) = reset_weights(
            (base.chunks(), base.phrases()),
            base.graph(),
            &best,
            &|f| base.phrases_of(f),
            &cosines,
            &p,
        );
        prop_assert_eq!(&a, &b);
        prop_assert_eq!(
            walk_shares(&sentences, 4, &a, p.damping),
            walk_shares(base.graph(), 4, &b, p.damping)
        );
    }
}
