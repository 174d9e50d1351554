//! Loss of scores, and their measures against the targets.

use super::data::Targets;
use crate::network::{Scores, Sizes};
use pocketgraph::planner::model::softmax;

/// Weights of mistakes in shape, aggregation and number.
const WEIGHTS: [f32; 3] = [1.0, 0.5, 0.25];
/// Weight of mistakes in all tags of a question together.
const TAGS_WEIGHT: f32 = 4.0;
/// Weight of a token without a tag, where one with a tag has 1.
const UNTAGGED_WEIGHT: f32 = 0.4;

/// The cross-entropy of a batch, a question's mean, and its gradient by the scores.
pub fn cross_entropy(sizes: &Sizes, scores: &Scores, targets: &Targets, lengths: &[usize]) -> (f64, Scores) {
    let mut by = Scores { first: vec![0.0; scores.first.len()], tags: vec![0.0; scores.tags.len()] };
    let each = 1.0 / lengths.len().max(1) as f32;
    let mut loss = 0.0;
    let (classes, ranges) = (sizes.first_classes(), sizes.first_ranges());
    for ((row, by), wanted) in
        scores.first.chunks_exact(classes).zip(by.first.chunks_exact_mut(classes)).zip(&targets.first)
    {
        for ((range, wanted), weight) in ranges.iter().zip(wanted).zip(WEIGHTS) {
            loss += row_entropy(&row[range.clone()], *wanted, weight * each, &mut by[range.clone()]);
        }
    }
    let (mut rows, mut by_rows) =
        (scores.tags.chunks_exact(sizes.tags), by.tags.chunks_exact_mut(sizes.tags));
    let mut wanted = targets.tags.iter();
    for &n in lengths {
        let of: Vec<Option<usize>> = wanted.by_ref().take(n).copied().collect();
        let weigh = |t: &Option<usize>| t.map_or(0.0, |t| if t == 0 { UNTAGGED_WEIGHT } else { 1.0 });
        let total: f32 = of.iter().map(weigh).sum::<f32>().max(1e-6);
        for ((t, row), by) in of.iter().zip(rows.by_ref()).zip(by_rows.by_ref()) {
            loss += row_entropy(row, *t, TAGS_WEIGHT * each * weigh(t) / total, by);
        }
    }
    (loss, by)
}

/// `weight` times the cross-entropy of scores with a class; adds its gradient to `by`.
fn row_entropy(scores: &[f32], class: Option<usize>, weight: f32, by: &mut [f32]) -> f64 {
    let Some(class) = class else { return 0.0 };
    let p = softmax(scores);
    for (i, (by, p)) in by.iter_mut().zip(&p).enumerate() {
        *by += weight * (p - f32::from(u8::from(i == class)));
    }
    f64::from(weight) * -f64::from(p.get(class).copied().unwrap_or_default().max(1e-12)).ln()
}

/// The class with the highest score.
pub fn best(scores: &[f32]) -> usize {
    (0..scores.len()).fold(0, |b, i| if scores[i] > scores[b] { i } else { b })
}

/// Measures of how well questions were read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measured {
    /// Questions.
    pub questions: usize,
    /// Those with the right shape.
    pub shapes: usize,
    /// Those with the right aggregation and, where it counts, number.
    pub aggregations: usize,
    /// Number of those with everything right.
    pub exact: usize,
    /// Tags that were given and right, given, and wanted; tokens without a tag apart.
    pub tags: [usize; 3],
    /// The sum of the loss.
    pub loss: f64,
}

impl Measured {
    /// Adds a batch.
    pub fn add(&mut self, sizes: &Sizes, scores: &Scores, targets: &Targets, lengths: &[usize], loss: f64) {
        self.loss += loss * lengths.len() as f64;
        let ranges = sizes.first_ranges();
        let mut tags = scores.tags.chunks_exact(sizes.tags).zip(&targets.tags);
        for ((row, wanted), &n) in
            scores.first.chunks_exact(sizes.first_classes()).zip(&targets.first).zip(lengths)
        {
            let [shape, aggregation, number] = std::array::from_fn(|i| {
                wanted[i].is_none_or(|w| ranges.get(i).is_some_and(|r| best(&row[r.clone()]) == w))
            });
            let mut all = true;
            for (row, wanted) in tags.by_ref().take(n) {
                let Some(wanted) = *wanted else { continue };
                let given = best(row);
                all &= given == wanted;
                self.tags[0] += usize::from(given == wanted && wanted > 0);
                self.tags[1] += usize::from(given > 0);
                self.tags[2] += usize::from(wanted > 0);
            }
            self.questions += 1;
            self.shapes += usize::from(shape);
            self.aggregations += usize::from(aggregation && number);
            self.exact += usize::from(all && shape && aggregation && number);
        }
    }

    fn share(&self, n: usize) -> f64 {
        n as f64 / self.questions.max(1) as f64
    }

    /// Share of right shapes.
    pub fn shape_accuracy(&self) -> f64 {
        self.share(self.shapes)
    }

    /// Share of right aggregations.
    pub fn aggregation_accuracy(&self) -> f64 {
        self.share(self.aggregations)
    }

    /// Returns the share of questions with everything right.
    pub fn exact_match(&self) -> f64 {
        self.share(self.exact)
    }

    /// F1 of the tags, by token.
    pub fn tag_f1(&self) -> f64 {
        2.0 * self.tags[0] as f64 / (self.tags[1] + self.tags[2]).max(1) as f64
    }

    /// The loss, a question's mean.
    pub fn mean_loss(&self) -> f64 {
        self.loss / self.questions.max(1) as f64
    }
}
