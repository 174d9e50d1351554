//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

/// How many things are known of a plan.
pub const FEATURES: usize = 14;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -1.192, // a constant
    -0.071, // the rules propose it
    4.094, // how sure they are
    -0.546, // the trained planner proposes it
    0.923, // how sure it is
    1.421, // its weakest relation
    -1.133, // it comes nearest in meaning
    1.553, // its cosine
    1.400, // nearer than what else is asked
    1.500, // ahead of the next relation
    0.497, // apart from the next relation
    -0.191, // it passes over what the rules see
    -1.372, // it goes there and back unsaid
    -1.784, // it does not where that is said
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.43;

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = 0.43;
