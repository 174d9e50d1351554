//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::features::{CERTAINTY_FEATURES, FEATURES};

/// Weights of [`FEATURES`] where the question's vector is known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] =
    [4.189, 1.384, 0.828, 1.466, 0.571, 0.694, 0.426, -1.200, -0.785, -1.200, 0.187, 0.369, 0.538, 0.383];
/// Weights of [`FEATURES`] by words alone; the cosine's is 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] =
    [0.000, 3.935, 1.034, 3.354, 0.651, 0.600, 0.605, -1.200, -0.608, -0.957, 0.207, 0.767, 1.302, 0.745];
/// Weights of [`CERTAINTY_FEATURES`] where the question's vector is known.
pub(super) const CERTAINTY: [f32; CERTAINTY_FEATURES.len()] =
    [-4.973, 2.809, 2.212, 0.000, 0.000, 0.000, 2.252, 0.914, 0.000, 0.000, -0.743, 1.052];
/// Weights of [`CERTAINTY_FEATURES`] by words alone.
pub(super) const CERTAINTY_BY_WORDS: [f32; CERTAINTY_FEATURES.len()] =
    [-3.410, 0.000, 1.923, 0.552, -0.972, -0.493, 0.000, 0.886, -1.091, 1.898, -0.546, 1.274];
/// Weights of [`FEATURES`] where the question's vector is by multilingual-e5-small.
pub(super) const BY_E5: [f32; FEATURES.len()] =
    [5.170, 3.885, 0.972, 2.754, 0.218, 0.709, 0.421, -1.200, -0.800, -1.126, 0.299, 0.548, 1.090, 0.732];
/// Weights of [`CERTAINTY_FEATURES`] there.
pub(super) const CERTAINTY_BY_E5: [f32; CERTAINTY_FEATURES.len()] =
    [-5.244, 2.688, 1.438, 0.389, -0.688, -0.066, 1.925, 0.934, -0.450, 1.338, -0.911, 0.993];
/// From this certainty on what is chosen is stated: by meaning, by words, by multilingual-e5-small.
pub(super) const STATED_FROM: [f32; 3] = [0.648, 0.524, 0.582];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 3] = [0.124, 0.122, 0.133];
