//! AutoKG's hybrid search against an independent, naive form, and on a worked example.

use super::*;
use crate::sparse::Csr;
use crate::vector::QuantizedMatrix;
use proptest::prelude::*;

/// Alex - Cafe A - square: the question is near "Alex" only; the clue about the square belongs to "Cafe A".
fn graph() -> KeywordGraph {
    KeywordGraph {
        labels: vec!["Alex".into(), "Cafe A".into(), "Unrelated".into()],
        vectors: QuantizedMatrix::from_rows(
            2,
            [[1.0f32, 0.0], [0.0, 1.0], [-1.0, 0.0]].iter().map(|r| &r[..]),
        ),
        weights: Csr::from_rows(3, vec![vec![(1, 2)], vec![(0, 2)], vec![]]),
        associated: vec![3, 2, 1],
        chunks_by_u: vec![vec![9], vec![8], vec![7]],
        chunks_by_angle: vec![vec![0, 1], vec![5, 6], vec![7]],
    }
}

#[test]
fn adjacent_keywords_bring_chunks_that_are_not_near_the_question() {
    let s = AutoKg { keywords: 1, ..AutoKg::default() };
    let (keywords, reached) = s.walk(&graph(), &QuantizedVector::from_f32(&[1.0, 0.1]));
    assert_eq!(
        keywords.iter().map(|k| (k.label.as_str(), k.kind)).collect::<Vec<_>>(),
        [("Alex", KeywordKind::Direct), ("Cafe A", KeywordKind::Adjacent)]
    );
    assert_eq!(reached.iter().map(|(c, _)| *c).collect::<Vec<_>>(), [0, 1, 5, 6]);
    assert_eq!(reached[2].1, Reached::AdjacentKeyword { keyword: "Cafe A".into(), via: "Alex".into() });
}

#[test]
fn keywords_near_the_question_are_not_adjacent_again() {
    let s = AutoKg { keywords: 2, ..AutoKg::default() };
    let (keywords, _) = s.walk(&graph(), &QuantizedVector::from_f32(&[1.0, 0.9]));
    assert!(keywords.iter().all(|k| k.kind == KeywordKind::Direct));
}

#[test]
fn the_five_numbers_are_read_and_nonsense_is_refused() {
    assert_eq!(AutoKg::of("15/5/3/3/2"), Some(AutoKg::default()));
    let reference = AutoKg {
        direct_chunks: 10,
        keywords: 5,
        keyword_chunks: 2,
        adjacent: 3,
        adjacent_chunks: 1,
        chunks_by: ChunksBy::Laplace,
    };
    assert_eq!(AutoKg::of("10/5/2/3/1/u"), Some(reference));
    assert_eq!(AutoKg::of("10/5/2/3/1/angle"), Some(AutoKg { chunks_by: ChunksBy::Angle, ..reference }));
    for bad in [
        "",
        "15",
        "15/5/3/3",
        "15/5/3/3/2/",
        "15/5/3/3/2/x",
        "15/5/3/3/2/u/u",
        "-1/5/3/3/2",
        "201/5/3/3/2",
        "1.5/5/3/3/2",
        "0/0/3/3/2",
    ] {
        assert_eq!(AutoKg::of(bad), None, "{bad}");
    }
}

#[test]
fn chunks_can_be_taken_by_u_instead() {
    let s = AutoKg { keywords: 1, chunks_by: ChunksBy::Laplace, ..AutoKg::default() };
    let (_, reached) = s.walk(&graph(), &QuantizedVector::from_f32(&[1.0, 0.1]));
    assert_eq!(reached.iter().map(|(c, _)| *c).collect::<Vec<_>>(), [9, 8]);
}

/// Makes a keyword graph: `weights[k][l]` counts shared chunks; `lists[k]` are a keyword's chunks, best
/// first.
fn graph_of(vectors: &[[f32; 3]], weights: &[Vec<u32>], lists: &[Vec<u32>]) -> KeywordGraph {
    let n = vectors.len();
    let row = |k: usize| {
        (0..n as u32)
            .filter(|&l| l as usize != k && weights[k][l as usize] > 0)
            .map(|l| (l, weights[k][l as usize]))
            .collect()
    };
    KeywordGraph {
        labels: (0..n).map(|k| format!("k{k}")).collect(),
        vectors: QuantizedMatrix::from_rows(3, vectors.iter().map(|v| &v[..])),
        weights: Csr::from_rows(n, (0..n).map(row).collect()),
        associated: lists.iter().map(|l| l.len() as u32).collect(),
        chunks_by_u: lists.iter().map(|l| l.iter().rev().copied().collect()).collect(),
        chunks_by_angle: lists.to_vec(),
    }
}

/// Runs Algorithm 3 literally: `direct` are the nearest chunks, `near` the keywords by falling cosine.
fn naive(weights: &[Vec<u32>], lists: &[Vec<u32>], direct: &[u32], near: &[usize], s: &AutoKg) -> Vec<u32> {
    let mut found: Vec<u32> = direct.to_vec();
    let first: Vec<usize> = near.iter().copied().take(s.keywords).collect();
    for &k in &first {
        found.extend(lists[k].iter().take(s.keyword_chunks));
    }
    for &k in &first {
        let mut others: Vec<usize> =
            (0..lists.len()).filter(|l| *l != k && weights[k][*l] > 0 && !first.contains(l)).collect();
        others.sort_by_key(|&l| (std::cmp::Reverse(weights[k][l]), l));
        for l in others.into_iter().take(s.adjacent) {
            found.extend(lists[l].iter().take(s.adjacent_chunks));
        }
    }
    let mut once: Vec<u32> = Vec::new();
    found.into_iter().for_each(|c| {
        if !once.contains(&c) {
            once.push(c)
        }
    });
    once
}

proptest! {
    #[test]
    fn the_chunks_and_their_order_are_those_of_the_description(
        vectors in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 1..7),
        question in prop::array::uniform3(-1.0f32..1.0),
        half in prop::collection::vec(0u32..4, 49),
        lists in prop::collection::vec(prop::collection::vec(0u32..12, 0..5), 7),
        direct in prop::collection::vec(0u32..12, 0..5),
        numbers in prop::array::uniform4(0usize..4),
        by_u in any::<bool>(),
    ) {
        let n = vectors.len();
        // W^k is symmetric.
        let weights: Vec<Vec<u32>> =
            (0..n).map(|k| (0..n).map(|l| half[k.min(l) * 7 + k.max(l)]).collect()).collect();
        let [keywords, keyword_chunks, adjacent, adjacent_chunks] = numbers;
        let chunks_by = if by_u { ChunksBy::Laplace } else { ChunksBy::Angle };
        let s = AutoKg { direct_chunks: 15, keywords, keyword_chunks, adjacent, adjacent_chunks, chunks_by };
        let graph = graph_of(&vectors, &weights, &lists[..n]);
        let question = QuantizedVector::from_f32(&question);
        let mut near: Vec<usize> = (0..n).collect();
        near.sort_by(|&a, &b| {
            graph.vectors.dot(b, &question).total_cmp(&graph.vectors.dot(a, &question)).then(a.cmp(&b))
        });
        let taken: Vec<Vec<u32>> = if by_u { graph.chunks_by_u.clone() } else { lists[..n].to_vec() };
        let mut once = direct.clone();
        once.sort_unstable();
        once.dedup();
        let (steps, walked) = s.walk(&graph, &question);
        let (order, ways) = unite_ways(once.iter().map(|&c| (c, Reached::Query)).chain(walked));
        prop_assert_eq!(&order, &naive(&weights, &taken, &once, &near, &s));
        prop_assert!(order.iter().all(|c| ways.get(c).is_some_and(|w| !w.is_empty())));
        let direct: Vec<u32> = steps.iter().filter(|k| k.kind == KeywordKind::Direct).map(|k| k.id).collect();
        prop_assert_eq!(direct, near.iter().take(keywords).map(|&k| k as u32).collect::<Vec<_>>());
        prop_assert!(steps.iter().all(|k| k.score.is_finite()));
    }
}
