//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::extract::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] = [
    4.457, 1.992, 0.929, 0.258, 1.634, 0.486, 0.974, 1.344, 0.818, 1.570, -0.950, -0.711, -0.441, -0.970, -0.351, 0.299, -0.227, 0.750,
    0.523, -0.480,
];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] = [
    0.000, 2.435, 1.375, 0.347, 2.122, 0.800, 0.000, 1.543, 0.937, 1.576, -0.906, -0.764, -0.554, -0.754, -0.359, 0.293, -0.324, 0.663,
    0.804, -0.348,
];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] = [-5.010, 2.410, 3.469, -0.098, -0.693, 0.129, 1.934, 0.762, -0.379];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] = [-2.475, 0.000, 4.086, 0.150, -0.877, 0.345, 0.000, 0.577, -2.123];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.341, 0.488];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.161, 0.197];
