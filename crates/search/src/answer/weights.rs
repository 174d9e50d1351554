//! The weights by which blocks are chosen and answers told from what is merely close. Fitted and written by
//! `tuning/answers.py` on 28 November 2026; not to be changed by hand. Its features, blocks of sites and
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
    [-8.134, 4.507, 4.615, 1.188, 1.626, 0.786, 1.549, -1.570, -1.921, 0.448, -1.182],
    [-6.994, 0.000, 0.000, 0.000, 4.277, 1.621, 2.608, -2.021, -1.750, 0.560, -0.895],
    [-10.068, 2.587, 6.833, -0.719, 4.171, 2.492, 1.673, -2.122, -1.116, -0.106, -1.353],
];
/// From this certainty on what is chosen is stated.
pub(super) const STATED_FROM: [f32; 3] = [0.440, 0.380, 0.689];
/// From this certainty on it is shown as the closest passage.
pub(super) const CLOSEST_FROM: [f32; 3] = [0.289, 0.150, 0.492];
/// A second passage is shown that is at least this share as likely as the best.
pub(super) const SECOND_FROM: f32 = 0.300;
