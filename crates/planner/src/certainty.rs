//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

/// How many things are known of a plan.
pub const FEATURES: usize = 14;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -1.199, // a constant
    0.424, // the rules propose it
    3.622, // how sure they are
    0.191, // the trained planner proposes it
    0.557, // how sure it is
    0.824, // its weakest relation
    -1.377, // it comes nearest in meaning
    1.251, // its cosine
    1.430, // nearer than what else is asked
    1.648, // ahead of the next relation
    0.915, // apart from the next relation
    -0.837, // it passes over what the rules see
    -0.504, // it goes there and back unsaid
    -1.449, // it does not where that is said
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.43;

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = 0.43;
