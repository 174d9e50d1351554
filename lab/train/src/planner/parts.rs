//! Readings drawn from a planner's distributions.

use super::SIZES;
use super::engine::logits;
use super::loss::best;
use pocketgraph::planner::model::{Logits, softmax};
use pocketgraph_cluster::Random;

/// Bonus on a drawn class's score, so that the engine takes it.
const CERTAIN: f32 = 30.0;

/// The probabilities of every part of a reading: shape, aggregation, number, and each token's tag.
pub(super) struct Parts(Vec<Vec<f32>>);

impl Parts {
    pub(super) fn of(first: &[f32], tags: &[f32]) -> Parts {
        let heads = SIZES.first_ranges();
        Parts(
            heads
                .iter()
                .map(|r| softmax(&first[r.clone()]))
                .chain(tags.chunks_exact(SIZES.tags).map(softmax))
                .collect(),
        )
    }

    /// The likeliest class of every part.
    pub(super) fn likeliest(&self) -> Vec<usize> {
        self.0.iter().map(|p| best(p)).collect()
    }

    /// Leaves to a part only the classes that fit.
    pub(super) fn keep(&mut self, part: usize, fits: impl Fn(usize) -> bool) {
        let Some(row) = self.0.get_mut(part) else { return };
        row.iter_mut().enumerate().for_each(|(i, p)| *p = if fits(i) { p.max(1e-6) } else { 0.0 });
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total.max(f32::MIN_POSITIVE));
    }

    pub(super) fn draw(&self, random: &mut Random) -> Vec<usize> {
        let pick = |p: &Vec<f32>| {
            let mut at = random.unit() as f32;
            p.iter()
                .position(|p| {
                    at -= p;
                    at < 0.0
                })
                .unwrap_or(p.len() - 1)
        };
        self.0.iter().map(pick).collect()
    }

    /// Scores with which the engine takes just these classes.
    pub(super) fn certain(&self, picked: &[usize]) -> Logits {
        let mut all: Vec<Vec<f32>> = self.0.iter().map(|p| vec![0.0; p.len()]).collect();
        all.iter_mut().zip(picked).for_each(|(row, &i)| row[i] = CERTAIN);
        let tags = all.split_off(3);
        logits(&all.concat(), &tags.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_what_the_engine_takes() {
        let parts = Parts::of(&vec![0.0; SIZES.first_classes()], &[0.0; 3 * SIZES.tags]);
        let picked = vec![4, 1, 0, 0, 3, 5];
        let logits = parts.certain(&picked);
        assert_eq!(super::super::loss::best(&logits.shape), 4);
        assert_eq!(super::super::loss::best(&logits.tags[2]), 5);
    }
}
