//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

use super::candidates::FEATURES;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -1.300, // a constant
    0.027, // the rules propose it
    4.268, // how sure they are
    -0.565, // the trained planner proposes it
    0.643, // how sure it is
    1.750, // its weakest relation
    -1.096, // it comes nearest in meaning
    1.744, // its cosine
    1.686, // nearer than what else is asked
    1.306, // ahead of the next relation
    0.555, // apart from the next relation
    -0.243, // it passes over what the rules see
    -1.449, // it goes there and back unsaid
    -1.804, // it does not where that is said
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.4;

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = 0.4;
