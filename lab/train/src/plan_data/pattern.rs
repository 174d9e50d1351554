//! The patterns of logical queries that plans are sampled from: LPKG's (arXiv 2406.14282), those of BetaE with negation (arXiv 2010.11465), and counts
//! and superlatives.

/// A pattern, by the field's short name: p is a projection, i an intersection, u a union, n a negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// One step.
    P1,
    /// Two steps in a row.
    P2,
    /// Three steps in a row.
    P3,
    /// What two steps agree on.
    I2,
    /// What three steps agree on.
    I3,
    /// A step from what two steps agree on.
    Ip,
    /// What two steps in a row and one step agree on.
    Pi,
    /// What either of two steps finds.
    U2,
    /// A step from what either of two steps finds.
    Up,
    /// What one step finds and another does not.
    In2,
    /// What two steps agree on and a third does not find.
    In3,
    /// A step from what one step finds and another does not.
    Inp,
    /// What two steps in a row find and one step does not.
    Pin,
    /// What one step finds and two steps in a row do not.
    Pni,
    /// Number of answers that one or two steps find.
    Count,
    /// The one of what a step finds at which a measure is largest or smallest.
    Superlative,
    /// Which of two has more of something, or whether both have the same.
    Compare,
}

/// Every pattern, in the order in which examples are dealt to them.
pub const PATTERNS: [Pattern; 17] = [
    Pattern::P1,
    Pattern::P2,
    Pattern::P3,
    Pattern::I2,
    Pattern::I3,
    Pattern::Ip,
    Pattern::Pi,
    Pattern::U2,
    Pattern::Up,
    Pattern::In2,
    Pattern::In3,
    Pattern::Inp,
    Pattern::Pin,
    Pattern::Pni,
    Pattern::Count,
    Pattern::Superlative,
    Pattern::Compare,
];

impl Pattern {
    /// Its name in the papers.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::P1 => "1p",
            Pattern::P2 => "2p",
            Pattern::P3 => "3p",
            Pattern::I2 => "2i",
            Pattern::I3 => "3i",
            Pattern::Ip => "ip",
            Pattern::Pi => "pi",
            Pattern::U2 => "2u",
            Pattern::Up => "up",
            Pattern::In2 => "2in",
            Pattern::In3 => "3in",
            Pattern::Inp => "inp",
            Pattern::Pin => "pin",
            Pattern::Pni => "pni",
            Pattern::Count => "count",
            Pattern::Superlative => "superlative",
            Pattern::Compare => "compare",
        }
    }
}
