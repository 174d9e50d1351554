//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::extract::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] = [4.138, 1.511, 0.896, 1.448, 0.849, 0.919, 0.547, -1.198, -0.798, -1.197, 0.270, 0.460];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] = [0.000, 1.563, 0.980, 1.590, 0.937, 0.877, 0.554, -1.202, -0.805, -1.191, 0.247, 0.616];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] = [-4.102, 2.601, 2.105, 0.707, -0.994, -0.284, 2.515, 0.841, -0.140];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] = [-0.941, 0.000, 3.685, -0.415, -1.849, -0.212, 0.000, 0.726, -1.685];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.520, 0.732];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.221, 0.387];
