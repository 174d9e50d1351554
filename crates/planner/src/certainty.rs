//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

use super::candidates::FEATURES;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -1.010, // a constant
    0.052, // the rules propose it
    4.087, // how sure they are
    -0.932, // the trained planner proposes it
    0.887, // how sure it is
    2.058, // its weakest relation
    -1.035, // it comes nearest in meaning
    2.271, // how near
    -0.629, // it passes over what the rules see
    -0.782, // it goes there and back unsaid
    -2.598, // it does not where that is said
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.47;

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = 0.47;
