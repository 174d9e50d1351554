//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

/// How many things are known of a plan.
pub const FEATURES: usize = 14;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -0.959, // a constant
    0.722, // the rules propose it
    3.093, // how sure they are
    -0.053, // the trained planner proposes it
    0.352, // how sure it is
    1.173, // its weakest relation
    -1.556, // it comes nearest in meaning
    1.300, // its cosine
    1.448, // nearer than what else is asked
    1.647, // ahead of the next relation
    0.822, // apart from the next relation
    -0.939, // it passes over what the rules see
    -0.103, // it goes there and back unsaid
    -0.425, // it does not where that is said
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.53;

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = 0.53;
