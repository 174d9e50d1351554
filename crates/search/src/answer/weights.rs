//! The weights by which blocks are chosen and answers told from what is merely close. Fitted and written by
//! `tuning/answers.py` on 1 December 2026; not to be changed by hand. Its features, blocks of sites and
//! languages with their texts, are too large to keep; the script says how to make them.

use super::features::FEATURES;

/// Place of what holds where the question's states are known.
pub(super) const BY_MEANING: usize = 0;
/// Place of what holds by words alone.
pub(super) const BY_WORDS: usize = 1;
/// Place of what holds where the states are those of multilingual-e5-small.
pub(super) const IN_MANY_LANGUAGES: usize = 2;

/// Weights of [`FEATURES`]; by words alone those of meaning are 0.
pub(super) const WEIGHTS: [[f32; FEATURES.len()]; 3] = [
    [-8.642, 4.802, 4.671, 1.312, 1.933, 0.751, 1.402, -1.273, -1.941, 0.385, -0.933],
    [-7.430, 0.000, 0.000, 0.000, 4.690, 1.585, 2.584, -1.718, -1.867, 0.510, -0.660],
    [-5.682, 2.594, 0.814, 1.404, 2.861, 1.352, 1.141, -2.202, -1.413, -0.254, -0.736],
];
/// From this certainty on what is chosen is stated.
pub(super) const STATED_FROM: [f32; 3] = [0.442, 0.393, 0.508];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 3] = [0.273, 0.179, 0.284];
/// A second passage is shown that is at least this share as likely as the best.
pub(super) const SECOND_FROM: f32 = 0.300;
