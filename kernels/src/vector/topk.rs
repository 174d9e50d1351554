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
    // Keep up to 2k candidates and cut back to k by selection: each score is compared with the current k-th best once, and selection costs O(k)
    // a cut, so that the whole is linear.
    let mut kept: Vec<Scored> = Vec::with_capacity(k.saturating_mul(2).min(4096));
    let mut floor: Option<Scored> = None;
    for s in scores {
        if s.score.is_nan() || floor.is_some_and(|f| better(&s, &f) != Ordering::Less) {
            continue;
        }
        kept.push(s);
        if kept.len() >= k.saturating_mul(2) {
            kept.select_nth_unstable_by(k - 1, better);
            kept.truncate(k);
            floor = kept.last().copied();
        }
    }
    kept.sort_by(better);
    kept.truncate(k);
    kept
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
