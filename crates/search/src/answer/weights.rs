//! The weights by which blocks are chosen and answers told from what is merely close. Written by `tuning/answers.py`; not to be changed by hand.

use super::features::FEATURES;

/// Weights of [`FEATURES`] where the question's states are known.
pub(super) const BY_MEANING: [f32; FEATURES.len()] = [-8.287, 3.386, 3.477, 0.773, 1.920, 1.227, 0.986, -1.694, 0.349, 0.532, 1.009];
/// Weights of [`FEATURES`] by words alone; those of meaning are 0.
pub(super) const BY_WORDS: [f32; FEATURES.len()] = [-6.890, 0.000, 0.000, 1.208, 3.097, 2.258, 1.680, -2.219, 0.646, 0.428, 0.616];
/// From this certainty on what is chosen is stated: by meaning, by words.
pub(super) const STATED_FROM: [f32; 2] = [0.612, 0.731];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 2] = [0.346, 0.301];
/// A second passage is shown that is at least this share as likely as the best.
pub(super) const SECOND_FROM: f32 = 0.300;
