//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::extract::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] =
    [4.138, 1.511, 0.896, 1.448, 0.849, 0.919, 0.547, -1.198, -0.798, -1.197, 0.270, 0.460, 0.5, 0.3];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] =
    [0.000, 2.012, 0.863, 1.829, 0.502, 0.826, 0.464, -1.201, -0.794, -1.175, 0.261, 0.362, 0.5, 0.3];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] = [-4.102, 2.601, 2.105, 0.707, -0.994, -0.284, 2.515, 0.841, -0.140, 0.0];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] =
    [-3.089, 0.000, 4.456, 0.635, -1.221, -0.249, 0.000, 0.822, -0.848, 0.0];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.520, 0.515];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.221, 0.184];
