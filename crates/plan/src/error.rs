//! Errors of plans: the fault, its place, and what was expected.

/// Place in a plan's text. For a plan that was never text: the statement's number, and column 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of the line, from 1.
    pub line: u32,
    /// Number of the character in the line, from 1.
    pub column: u32,
}

/// Fault of a plan, with its place, what was expected, and advice.
///
/// The message is for two readers: a person, and a language model that has one chance to repair its plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: {fault}; expected {expected}. {hint}", at.line, at.column)]
pub struct PlanError {
    /// Place of the fault.
    pub at: Position,
    /// Kind of the fault.
    pub fault: Fault,
    /// Description of what was expected there.
    pub expected: String,
    /// Advice.
    pub hint: String,
}

/// Kind of fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The text violates the surface's grammar.
    #[error("cannot read this: {0}")]
    Syntax(String),
    /// Plans have no such function.
    #[error("unknown function {0}")]
    UnknownFunction(String),
    /// The text has no plan.
    #[error("no plan found")]
    NoPlan,
    /// The text, a string in it, or the number of statements or operands exceeds a limit.
    #[error("{what} is too large: {found}, the limit is {limit}")]
    TooLarge {
        /// Part that exceeds the limit.
        what: &'static str,
        /// Size of that part.
        found: usize,
        /// Limit.
        limit: usize,
    },
    /// A name is not an identifier.
    #[error("{0:?} is not a name")]
    Name(String),
    /// No statement defines a name.
    #[error("{0} is not defined")]
    Undefined(String),
    /// A name is used before the statement that defines it.
    #[error("{0} is used before it is defined")]
    UsedBeforeDefined(String),
    /// Statements need each other, or one needs itself.
    #[error("{0} depends on itself")]
    Cycle(String),
    /// Two statements have one name.
    #[error("{0} is defined twice")]
    DefinedTwice(String),
    /// An operation has too few operands.
    #[error("{operation} has {found} operands")]
    Arity {
        /// Name of the operation.
        operation: &'static str,
        /// Number of operands.
        found: usize,
    },
    /// A required text is empty.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// A set from passages is the main set of a negation.
    #[error("{0} comes from passages, which may lack members, and cannot be the main set of a negation")]
    OpenNegation(String),
    /// A number is not finite, or no calendar has a date.
    #[error("{0} is not a value")]
    Literal(String),
    /// A surface has no words for an operation.
    #[error("this surface cannot express {0}")]
    Inexpressible(String),
}

impl Fault {
    /// Returns a stable word for each kind of fault, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Syntax(_) => "syntax",
            Fault::UnknownFunction(_) => "unknown-function",
            Fault::NoPlan => "no-plan",
            Fault::TooLarge { .. } => "too-large",
            Fault::Name(_) => "name",
            Fault::Undefined(_) => "undefined",
            Fault::UsedBeforeDefined(_) => "used-before-defined",
            Fault::Cycle(_) => "cycle",
            Fault::DefinedTwice(_) => "defined-twice",
            Fault::Arity { .. } => "arity",
            Fault::Empty(_) => "empty",
            Fault::OpenNegation(_) => "open-negation",
            Fault::Literal(_) => "literal",
            Fault::Inexpressible(_) => "inexpressible",
        }
    }
}

impl PlanError {
    /// Makes an error of its four parts.
    pub fn new(
        at: Position,
        fault: Fault,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) -> PlanError {
        PlanError { at, fault, expected: expected.into(), hint: hint.into() }
    }
}
