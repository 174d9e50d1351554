//! Patterns of logical queries from which plans are sampled: LPKG's (arXiv 2406.14282), BetaE's with negation
//! (arXiv 2010.11465), counts and superlatives.

use Pattern::*;

/// A pattern, by the field's short name: p is a projection, i an intersection, u a union, n a negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// One step.
    P1,
    /// Two steps in a row.
    P2,
    /// Three steps in a row.
    P3,
    /// Intersection of two steps.
    I2,
    /// Intersection of three steps.
    I3,
    /// A step from what two steps agree on.
    Ip,
    /// Intersection of two steps in a row and one step.
    Pi,
    /// Union of two steps.
    U2,
    /// A step from what either of two steps finds.
    Up,
    /// Difference of two steps.
    In2,
    /// Intersection of two steps without a third.
    In3,
    /// A step from what one step finds and another does not.
    Inp,
    /// Two steps in a row without one step.
    Pin,
    /// One step without two steps in a row.
    Pni,
    /// Number of answers that one or two steps find.
    Count,
    /// The one of what a step finds at which a measure is largest or smallest.
    Superlative,
    /// Comparison of two: which has more, or whether both have the same.
    Compare,
}

/// Every pattern, in the order in which examples are dealt to them.
pub const PATTERNS: [Pattern; 17] =
    [P1, P2, P3, I2, I3, Ip, Pi, U2, Up, In2, In3, Inp, Pin, Pni, Count, Superlative, Compare];

/// The patterns' names, in the order of their definition.
const NAMES: [&str; 17] = [
    "1p",
    "2p",
    "3p",
    "2i",
    "3i",
    "ip",
    "pi",
    "2u",
    "up",
    "2in",
    "3in",
    "inp",
    "pin",
    "pni",
    "count",
    "superlative",
    "compare",
];

impl Pattern {
    /// Returns its name in the papers.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}
