//! The best k of many scores without sorting them all.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Index with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Number of the scored item: a row, a chunk, a keyword.
    pub index: u32,
    /// Score; larger is better.
    pub score: f32,
}

/// Scores in ranking order: better ones are less. Larger scores are better, then smaller indexes, so that
/// equal scores rank the same everywhere.
#[derive(Clone, Copy, PartialEq)]
struct Ranking(Scored);

impl Eq for Ranking {}

impl PartialOrd for Ranking {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranking {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.index.cmp(&other.0.index))
    }
}

/// Returns the `k` best of `scores`, best first. Ties go to the smaller index. NaN scores are left out.
pub fn top_k(scores: impl IntoIterator<Item = Scored>, k: usize) -> Vec<Scored> {
    let mut best = Best { k, kept: BinaryHeap::new() };
    for s in scores {
        best.offer_score(Ranking(s));
    }
    best.into_ranked()
}

/// The best so far, with the worst of them on top of a heap: most scores only meet that one. Not in
/// [`top_k`], so that it is compiled once and not for every kind of iterator.
struct Best {
    k: usize,
    kept: BinaryHeap<Ranking>,
}

impl Best {
    fn offer_score(&mut self, s: Ranking) {
        if s.0.score.is_nan() {
            return;
        }
        if self.kept.len() < self.k {
            self.kept.push(s);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && s < *worst
        {
            *worst = s;
        }
    }

    fn into_ranked(self) -> Vec<Scored> {
        self.kept.into_sorted_vec().into_iter().map(|r| r.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn top_k_equals_sorting_everything(
            scores in prop::collection::vec(-4i8..4, 0..200),
            k in 0usize..20,
        ) {
            let all: Vec<Scored> = scores
                .iter()
                .enumerate()
                .map(|(i, &s)| Scored { index: i as u32, score: f32::from(s) })
                .collect();
            let mut sorted = all.clone();
            sorted.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
            sorted.truncate(k);
            prop_assert_eq!(top_k(all, k), sorted);
        }
    }

    #[test]
    fn not_a_number_never_ranks() {
        let s = [f32::NAN, 1.0].iter().enumerate().map(|(i, &score)| Scored { index: i as u32, score });
        assert_eq!(top_k(s, 2), vec![Scored { index: 1, score: 1.0 }]);
    }
}
