//! Weights of what is known of a plan for its certainty. Hand-set, because all but the last are those of a
//! fit by `tuning/plans.py` before the planner was trained anew: fitted with the new one, they planned
//! questions about documentation that name bare options.

/// Number of features of a plan.
pub const FEATURES: usize = 15;

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
    -1.190, // a constant
    0.402, // the rules propose it
    3.644, // how sure they are
    0.184, // the trained planner proposes it
    0.553, // how sure it is
    0.824, // its weakest relation
    -1.380, // it comes nearest in meaning
    1.245, // its cosine
    1.428, // nearer than what else is asked
    1.644, // ahead of the next relation
    0.911, // apart from the next relation
    -0.834, // it passes over what the rules see
    -0.506, // it goes there and back unsaid
    -1.448, // it does not where that is said
    -3.500, // the trained planner joins sets in another way
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = 0.44;

/// Confidence of the rules from which no other planner runs.
pub(super) const ENOUGH: f32 = 0.44;
