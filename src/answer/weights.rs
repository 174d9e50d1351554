//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::extract::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] =
    [4.0, 1.0, 0.6, 0.3, 0.8, 0.3, 0.5, 0.1, 0.3, 0.3, -1.0, -0.7, -0.5, -0.8, -0.2, 0.3, -0.2, 0.2, 0.4, 0.2];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] =
    [0.0, 1.6, 1.0, 0.4, 0.9, 0.3, 0.0, 0.1, 0.3, 0.3, -1.0, -0.7, -0.5, -0.8, -0.2, 0.3, -0.2, 0.2, 0.4, 0.2];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] = [-4.0, 6.0, 3.0, 0.0, -1.0, -2.0, 1.0, 0.0, -1.0];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] = [-1.5, 0.0, 5.0, 0.0, -1.0, -2.0, 0.0, 0.0, -1.0];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.6, 0.6];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.3, 0.4];
