//! The best k of many scores without sorting them all.

use std::cmp::Ordering;

/// An index and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// What was scored: a row, a chunk, a keyword.
    pub index: u32,
    /// Its score; larger is better.
    pub score: f32,
}

/// Better first: larger score, then smaller index, so that equal scores rank the same everywhere.
fn better(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.index.cmp(&b.index))
}

/// The `k` best of `scores`, best first; ties go to the smaller index. NaN scores are left out.
pub fn top_k(scores: impl IntoIterator<Item = Scored>, k: usize) -> Vec<Scored> {
    if k == 0 {
        return Vec::new();
    }
    let mut best = Best { k, kept: Vec::with_capacity(k.saturating_mul(2).min(4096)), floor: None };
    for s in scores {
        best.offer(s);
    }
    // No two scores are equal in this order, so that a sort that keeps no order of equals gives the same.
    best.kept.sort_unstable_by(better);
    best.kept.truncate(k);
    best.kept
}

/// Keeps up to 2k candidates and cuts back to k by selection: each score is compared with the current k-th best once, and selection costs O(k)
/// a cut, so that the whole is linear. Apart from [`top_k`], so that it is compiled once and not for every kind of iterator.
struct Best {
    k: usize,
    kept: Vec<Scored>,
    floor: Option<Scored>,
}

impl Best {
    fn offer(&mut self, s: Scored) {
        if s.score.is_nan() || self.floor.is_some_and(|f| better(&s, &f) != Ordering::Less) {
            return;
        }
        self.kept.push(s);
        if self.kept.len() >= self.k.saturating_mul(2) {
            self.kept.select_nth_unstable_by(self.k - 1, better);
            self.kept.truncate(self.k);
            self.floor = self.kept.last().copied();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn top_k_equals_sorting_everything(scores in prop::collection::vec(-4i8..4, 0..200), k in 0usize..20) {
            let all: Vec<Scored> = scores.iter().enumerate().map(|(i, &s)| Scored { index: i as u32, score: f32::from(s) }).collect();
            let mut sorted = all.clone();
            sorted.sort_by(better);
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
