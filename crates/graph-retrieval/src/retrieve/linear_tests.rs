//! LinearRAG against an independent, naive form: dictionaries for sets, a dense matrix for the graph.

use super::*;
use crate::vector::QuantizedMatrix;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const ENTITIES: usize = 7;

fn index(chunks: &[Vec<Vec<u32>>]) -> EntityIndex {
    let rows: Vec<Vec<f32>> = (0..ENTITIES).map(|i| vec![1.0, i as f32]).collect();
    EntityIndex::new(QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice)), chunks, &[])
}

/// The description, literally: sentences as (chunk, mentions), activations in dictionaries.
fn naive(
    chunks: &[Vec<Vec<u32>>],
    seeds: &[(u32, f32)],
    near: &[f32],
    cosines: &[f32],
    p: &Linear,
) -> Vec<f64> {
    let sentences: Vec<BTreeSet<u32>> =
        chunks.iter().flatten().map(|s| s.iter().copied().collect()).collect();
    let mut active: BTreeMap<u32, (f32, usize)> = BTreeMap::new();
    let mut weight: BTreeMap<u32, f32> = BTreeMap::new();
    for &(e, s) in seeds {
        active.insert(e, (s, 1));
        weight.insert(e, s);
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut frontier: BTreeMap<u32, f32> = seeds.iter().copied().collect();
    let mut iteration = 1;
    while !frontier.is_empty() && iteration < p.tiers {
        let mut recorded: BTreeMap<u32, f32> = BTreeMap::new();
        for (&e, &a) in &frontier {
            if a < p.threshold {
                continue;
            }
            let mut free: Vec<usize> =
                (0..sentences.len()).filter(|s| sentences[*s].contains(&e) && !used.contains(s)).collect();
            free.sort_by(|&x, &y| near[y].total_cmp(&near[x]).then(x.cmp(&y)));
            free.truncate(p.sentences);
            for s in free {
                used.insert(s);
                for &to in &sentences[s] {
                    let passed = a * near[s].max(0.0);
                    if passed >= p.threshold {
                        *weight.entry(to).or_default() += passed;
                        recorded.insert(to, passed);
                    }
                }
            }
        }
        for (&e, &a) in &recorded {
            active.insert(e, (a, iteration + 1));
        }
        frontier = recorded;
        iteration += 1;
    }
    let (low, high) = cosines.iter().fold((f32::MAX, f32::MIN), |(l, h), &x| (l.min(x), h.max(x)));
    let mut r: Vec<f64> = Vec::new();
    for (c, sentences) in chunks.iter().enumerate() {
        let dense = if high > low { f64::from(cosines[c] - low) / f64::from(high - low) } else { 1.0 };
        let mut sum = 0.0;
        for (&e, &(a, tier)) in &active {
            let occurrences = sentences.iter().flatten().filter(|&&m| m == e).count() as f64;
            sum += f64::from(a) * (1.0 + occurrences).ln() / tier as f64;
        }
        r.push(0.05 * (p.passage_ratio * dense + (1.0 + sum).ln()));
    }
    r.extend((0..ENTITIES as u32).map(|e| f64::from(weight.get(&e).copied().unwrap_or(0.0))));
    // The walk on a dense matrix.
    let n = chunks.len() + ENTITIES;
    let mut w = vec![vec![0f64; n]; n];
    for (c, sentences) in chunks.iter().enumerate() {
        let all = sentences.iter().flatten().count() as f64;
        for &m in sentences.iter().flatten() {
            w[c][chunks.len() + m as usize] += 1.0 / all;
            w[chunks.len() + m as usize][c] += 1.0 / all;
        }
    }
    let total: f64 = r.iter().sum();
    let r: Vec<f64> = r.iter().map(|x| x / total).collect();
    let mut x = r.clone();
    for _ in 0..200 {
        let mut next = vec![0f64; n];
        for i in 0..n {
            let degree: f64 = w[i].iter().sum();
            for j in 0..n {
                next[j] += p.damping * if degree > 0.0 { x[i] * w[i][j] / degree } else { x[i] * r[j] };
            }
        }
        for j in 0..n {
            next[j] += (1.0 - p.damping) * r[j];
        }
        x = next;
    }
    x.truncate(chunks.len());
    x
}

fn ours(
    chunks: &[Vec<Vec<u32>>],
    seeds: &[(u32, f32)],
    near: &[f32],
    cosines: &[f32],
    p: &Linear,
) -> Vec<f64> {
    let index = index(chunks);
    let near: Map<u32, f32> = near.iter().enumerate().map(|(i, &x)| (i as u32, x)).collect();
    let mut active = Activation {
        last: seeds.iter().map(|&(e, s)| (e, (s, 1))).collect(),
        weight: seeds.iter().copied().collect(),
    };
    let mut frontier = seeds.to_vec();
    let mut used = Set::default();
    for tier in 2..=p.tiers {
        frontier = pass_on(&index, &frontier, &near, &mut used, p, &mut active.weight);
        frontier.iter().for_each(|&(e, s)| active.last.insert(e, (s, tier)));
    }
    let cosines: Vec<Option<f32>> = cosines.iter().map(|&x| Some(x)).collect();
    let cosines = Cosines::from(&cosines[..]);
    let reset = reset_weights(&index, &active, &cosines, p);
    let mut out = vec![0f64; chunks.len()];
    walk_shares(index.passages(), chunks.len(), &reset, p.damping)
        .into_iter()
        .flatten()
        .for_each(|h| out[h.index as usize] = f64::from(h.score));
    out
}

proptest! {
    #[test]
    fn the_ranks_are_those_of_the_description(
        chunks in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(0u32..ENTITIES as u32, 0..4), 1..4),
            1..6,
        ),
        seeds in prop::collection::btree_map(0u32..ENTITIES as u32, 0.4f32..1.0, 1..3),
        near in prop::collection::vec(-0.3f32..1.0, 20),
        cosines in prop::collection::vec(-0.2f32..0.9, 6),
        tiers in 1usize..5,
        sentences in 1usize..3,
        threshold in 0.05f32..0.6,
    ) {
        let p = Linear { tiers, sentences, threshold, ..Linear::default() };
        let seeds: Vec<(u32, f32)> = seeds.into_iter().collect();
        let cosines = &cosines[..chunks.len()];
        let (a, b) = (naive(&chunks, &seeds, &near, cosines, &p), ours(&chunks, &seeds, &near, cosines, &p));
        for (x, y) in a.iter().zip(&b) {
            prop_assert!((x - y).abs() < 1e-6, "{a:?} {b:?}");
        }
    }
}

#[test]
fn the_answer_two_sentences_away_outranks_a_passage_that_only_sounds_right() {
    // The question names entity 0; chunk 0 leads from it to entity 1, chunk 1 is about entity 1; chunk 2 is
    // near in meaning alone.
    let chunks = vec![vec![vec![0, 1]], vec![vec![1, 2]], vec![vec![3, 4]], vec![vec![5]]];
    let scores =
        ours(&chunks, &[(0, 1.0)], &[0.8, 0.7, 0.9, 0.1], &[0.5, 0.3, 0.55, 0.1], &Linear::default());
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    assert_eq!(order[..2], [0, 1], "{scores:?}");
}

#[test]
fn entities_that_are_nowhere_and_equal_cosines_make_numbers() {
    let p = Linear::default();
    for chunks in [vec![vec![]], vec![vec![vec![]]], vec![vec![vec![1]], vec![vec![1]]]] {
        let scores = ours(&chunks, &[(6, 1.0)], &[0.5, 0.5], &vec![0.4; chunks.len()], &p);
        assert!(scores.iter().all(|s| s.is_finite()), "{scores:?}");
    }
}

#[test]
fn a_walk_from_nowhere_has_no_ranks_so_that_the_vectors_rank() {
    let index = index(&[vec![vec![0, 1]], vec![vec![1]]]);
    assert_eq!(walk_shares(index.passages(), 2, &[0.0; 2 + ENTITIES], 0.5), None);
    assert_eq!(
        walk_shares(index.passages(), 2, &[f64::NAN; 2 + ENTITIES], 0.5),
        None,
        "what is no number has no weight"
    );
}
