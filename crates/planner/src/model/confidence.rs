//! How sure the trained planner is: a logistic function of what it saw, fitted to held-out questions.

use crate::elementary::exp_f32;

/// Number of features of a [`Calibration`].
pub const FEATURES: usize = 8;

/// The weights of the logistic function: a constant first, then one for each further feature of [`compute_features`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration(pub [f32; FEATURES]);

/// Features of a reading of a question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seen {
    /// Logarithm of the probability of its shape and of what is asked.
    pub shape: f32,
    /// The mean logarithm of its tags' probabilities.
    pub tags: f32,
    /// The lowest probability of a tag.
    pub weakest: f32,
    /// The mean agreement of its relations with the words that say them, from 0 to 1.
    pub relations: f32,
    /// The lowest such agreement.
    pub weakest_relation: f32,
    /// Part of the question's words that carry meaning and that nothing of it explains, from 0 to 1.
    pub unexplained: f32,
    /// True if it finds something.
    pub found: bool,
}

/// The features, a constant first.
pub fn compute_features(seen: &Seen) -> [f32; FEATURES] {
    let found = f32::from(u8::from(seen.found));
    [
        1.0,
        seen.shape.max(-8.0),
        seen.tags.max(-8.0),
        seen.weakest,
        seen.relations,
        seen.weakest_relation,
        seen.unexplained,
        found,
    ]
}

impl Default for Calibration {
    /// A guess, for models that were never calibrated.
    fn default() -> Calibration {
        Calibration([-3.0, 0.5, 0.5, 0.5, 2.5, 1.5, -2.0, 1.0])
    }
}

impl Calibration {
    /// The probability, from 0 to 1, that a reading is right.
    pub fn confidence(&self, seen: &Seen) -> f32 {
        let sum: f32 = self.0.iter().zip(compute_features(seen)).map(|(w, f)| w * f).sum();
        1.0 / (1.0 + exp_f32(-sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_agreement_never_makes_it_less_sure() {
        let calibration = Calibration::default();
        let weak = Seen {
            shape: -2.0,
            tags: -0.5,
            weakest: 0.3,
            relations: 0.4,
            weakest_relation: 0.2,
            unexplained: 0.5,
            found: false,
        };
        let strong = Seen {
            shape: -0.01,
            tags: -0.01,
            weakest: 0.98,
            relations: 1.0,
            weakest_relation: 1.0,
            unexplained: 0.0,
            found: true,
        };
        assert!(calibration.confidence(&weak) < 0.3);
        assert!(calibration.confidence(&strong) > 0.7);
    }
}
