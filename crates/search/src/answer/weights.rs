//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::features::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] =
    [4.145, 1.504, 0.905, 1.443, 0.849, 0.892, 0.536, -1.200, -0.838, -1.199, 0.281, 0.472, 0.468, 0.312];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] =
    [0.000, 4.344, 1.028, 3.208, 0.570, 0.770, 0.586, -1.200, -0.751, -0.815, 0.256, 0.593, 1.265, 0.580];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] = [-4.336, 2.364, 2.740, 0.000, 0.000, 0.000, 2.650, 0.862, 0.000, 0.000];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] =
    [-3.754, 0.000, 2.924, 0.635, -1.221, -0.456, 0.000, 0.794, -1.043, 1.978];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.600, 0.406];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.315, 0.116];
