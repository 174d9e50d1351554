//! The syntax tree of plans: named statements, each one operation, and which of them is the answer.
//!
//! The operations of Graph-RFT (arXiv 2510.20691: `SearchKG`, `Intersect`, `Union`, `Negation`) and of LPKG (arXiv 2406.14282: `Search`
//! and `Compare`), and those that superlatives, counts and conditions need beyond the papers. A name stands for a *set* of entities
//! and literals, each with its score and the triples or passages that it came from.
//!
//! References are by name rather than by index, so that a plan which is wrong can still be represented, shown and repaired;
//! [`check`](super::check::check) resolves them.

use crate::text::lexicon::{Language, SPOKEN};
use serde::{Deserialize, Serialize};

use super::Template;
use crate::kg::Value;

/// A plan: statements in order, and the name of the one whose set is the answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Plan {
    /// The question that the plan answers, where the surface carried it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The statements; each may refer to those before it.
    pub statements: Vec<Statement>,
    /// The name of the statement whose set is the answer.
    pub answer: String,
}

/// One line of a plan: a name for the set that an operation yields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(type = "{ name: string; thought?: string } & Operation"))]
pub struct Statement {
    /// The name, an ASCII identifier such as `Ans1`; unique in its plan, letter case and underscores aside.
    pub name: String,
    /// Why the planner wants this step, in its own words. Shown in traces, never executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    /// Operation that yields the set.
    #[serde(flatten)]
    pub operation: Operation,
}

/// Operation of a statement. An empty operand makes an intersection empty; it never silently becomes the other operand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Operation {
    /// Follows a relation of the knowledge graph from one entity or from every member of a set (Graph-RFT's `SearchKG`).
    SearchKg(SearchKg),
    /// Answers a free-text sub-question from passages (LPKG's `Search` and `Get_Answer`), once for each combination of members of the
    /// sets that it refers to.
    Search {
        /// The sub-question.
        #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
        query: Template,
    },
    /// Every entity of a type, or that has a relation, or both: at least one of the two is there.
    All {
        /// The type's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// Relation that each has a tail of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relation: Option<Relation>,
    },
    /// The one thing that is named, or all things of a name.
    Entity {
        /// Named thing.
        head: Head,
    },
    /// Members of every operand; two operands or more.
    Intersect {
        /// The names of the operands.
        of: Vec<String>,
    },
    /// Members of any operand; two operands or more.
    Union {
        /// The names of the operands.
        of: Vec<String>,
    },
    /// Members of `main` that are in none of `minus`, by identity. The main set must not come from passages: words that are read there may or
    /// may not be the entity that is taken away.
    Negation {
        /// The name of the set that is reduced.
        main: String,
        /// The names of what is taken away; one or more.
        minus: Vec<String>,
    },
    /// Compares sets with each other.
    Compare(Compare),
    /// How many members a set has: one number.
    Count {
        /// The name of the set.
        of: String,
    },
    /// The members of a set that meet a condition.
    Filter {
        /// The name of the set.
        of: String,
        /// The condition.
        condition: Condition,
    },
    /// The members of a set at which a measure is largest or smallest; all members with that value.
    Superlative {
        /// The name of the set.
        of: String,
        /// Measure; `None` if the members are literals, which are measured themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Measure>,
        /// End of the ranking.
        extreme: Extreme,
        /// How many places to keep: 1 for "the longest", 2 for "the two longest".
        #[serde(default = "one", skip_serializing_if = "is_one")]
        keep: u32,
    },
}

fn one() -> u32 {
    1
}

// serde asks for a function of a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// One step along a relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchKg {
    /// The type that results must have, in the planner's words ("city"); `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Start of the step.
    pub head: Head,
    /// Relation that it follows.
    pub relation: Relation,
}

/// Start of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Head {
    /// A mention in the question's words; the executor links it to an entity.
    Mention(String),
    /// Every member of an earlier set, by its name.
    Reference(String),
    /// The entity with exactly this identifier or label in the graph: nothing is linked.
    Entity(String),
}

/// Relation that a step follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Relation {
    /// Words for it; the executor ranks the relations of the head in both directions against them and takes the best.
    Phrase(String),
    /// The relation with exactly this name in the graph.
    Exact {
        /// The relation's name.
        name: String,
        /// Whether it is followed from tail to head.
        #[serde(default)]
        inverse: bool,
    },
}

/// A number or date for each member of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Measure {
    /// The literal that the relation leads to: a population, a date of birth.
    ValueOf(Relation),
    /// How many things the relation leads to: rivers, children.
    NumberOf(Relation),
}

/// Condition on the members of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Condition {
    /// To be of a type, in the planner's words.
    Type(String),
    /// A measure, or the member itself where it is a literal, compares thus with a value.
    Value(Test),
}

/// A comparison of a measure with a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Test {
    /// What is measured; `None` if the members are literals, which are measured themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Measure>,
    /// How.
    pub comparison: Comparison,
    /// With what.
    pub to: Operand,
}

/// The right-hand side of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Operand {
    /// A value.
    Literal(Value),
    /// The name of an earlier set that holds one literal.
    Reference(String),
}

/// Order between two literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Comparison {
    /// =
    Equal,
    /// !=
    NotEqual,
    /// <
    Less,
    /// <=
    AtMost,
    /// >
    Greater,
    /// >=
    AtLeast,
}

/// An end of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Extreme {
    /// The smallest, earliest, first.
    Min,
    /// The largest, latest, last.
    Max,
}

/// A comparison between sets: of their members by a measure, or of the values that they hold.
///
/// With `Equal`, `Less` and `Greater` (first against second operand) and `In` the result is a truth value. With `Min` and `Max` the result is
/// the operand's members at that end; where the operands hold values that earlier steps found, the result is what the chain of steps to
/// those values began with, so that "which film came out first" and "which film has the older director" answer with a film.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Compare {
    /// The names of the operands; two or more.
    pub of: Vec<String>,
    /// The kind of comparison; `None` if only the question says it (LPKG).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    /// Measure that is compared; `None` if the operands hold the values themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Measure>,
    /// The question that the comparison settles, in words; at least one of this and `how` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// The kinds of comparison between sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum How {
    /// Whether they are the same.
    Equal,
    /// Whether the first is less than the second.
    Less,
    /// Whether the first is greater than the second.
    Greater,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// Whether all of the first are in every other.
    In,
}

impl How {
    /// The comparison that a word asks for, letter case aside: symbols, `min` and `max`, and superlatives and comparatives of
    /// everyday questions. Words of age are read as being about dates, where the *oldest* has the *smallest* date of birth.
    /// `None` for any other word.
    pub fn from_word(word: &str) -> Option<How> {
        let word = word.trim().to_ascii_lowercase();
        Some(match word.as_str() {
            "=" | "==" | "eq" => How::Equal,
            "<" | "lt" => How::Less,
            ">" | "gt" => How::Greater,
            _ => match SPOKEN.comparisons().row(&word).filter(|row| row.has(2, "value")).map(|row| row.field(1)) {
                Some("equal") => How::Equal,
                Some("less") => How::Less,
                Some("greater") => How::Greater,
                _ => match Extreme::from_word(&word)? {
                    Extreme::Min => How::Min,
                    Extreme::Max => How::Max,
                },
            },
        })
    }

    /// The comparison that a plan names: as [`How::from_word`] has it, and `in`, which in questions compares nothing.
    pub fn named(word: &str) -> Option<How> {
        if word.trim().eq_ignore_ascii_case("in") { Some(How::In) } else { How::from_word(word) }
    }

    /// The canonical word: `equal`, `less`, `greater`, `min`, `max`, `in`.
    pub fn word(self) -> &'static str {
        match self {
            How::Equal => "equal",
            How::Less => "less",
            How::Greater => "greater",
            How::Min => "min",
            How::Max => "max",
            How::In => "in",
        }
    }
}

impl Extreme {
    /// The end that a superlative or comparative asks for, letter case aside. Words of age are about dates.
    /// `None` for any other word.
    pub fn from_word(word: &str) -> Option<Extreme> {
        match SPOKEN.comparisons().row(&word.trim().to_ascii_lowercase())?.field(0) {
            "min" => Some(Extreme::Min),
            "max" => Some(Extreme::Max),
            _ => None,
        }
    }

    /// The canonical word: `min` or `max`.
    pub fn word(self) -> &'static str {
        match self {
            Extreme::Min => "min",
            Extreme::Max => "max",
        }
    }
}

impl Comparison {
    /// All comparisons with their symbols, longer symbols first so that a reader can try them in order.
    pub const SYMBOLS: [(&'static str, Comparison); 6] = [
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("!=", Comparison::NotEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];

    /// The symbol: `=`, `!=`, `<`, `<=`, `>`, `>=`.
    pub fn symbol(self) -> &'static str {
        Self::SYMBOLS.iter().find(|(_, c)| *c == self).map_or("=", |(s, _)| s)
    }

    /// The word of the JSON form: `equal`, `not_equal`, `less`, `at_most`, `greater`, `at_least`.
    pub fn word(self) -> &'static str {
        match self {
            Comparison::Equal => "equal",
            Comparison::NotEqual => "not_equal",
            Comparison::Less => "less",
            Comparison::AtMost => "at_most",
            Comparison::Greater => "greater",
            Comparison::AtLeast => "at_least",
        }
    }

    /// Whether an order between a measured value and the condition's value meets the comparison.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}

impl Plan {
    /// The statement of this name, letter case and underscores aside.
    pub fn statement(&self, name: &str) -> Option<&Statement> {
        self.statements.iter().find(|s| same_name(&s.name, name))
    }

    /// Adds an operation as the next statement and returns its name.
    pub fn push(&mut self, operation: Operation) -> String {
        let name = format!("Ans{}", self.statements.len() + 1);
        self.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    }

    /// Makes an operation of the answer the new answer. If the answer was a count, the operation comes before it.
    #[must_use]
    pub fn refine_answer(mut self, operation: impl FnOnce(&mut Plan, String) -> Operation) -> Plan {
        let count = self.statements.pop_if(|s| matches!(s.operation, Operation::Count { .. }));
        let main = match &count {
            Some(Statement { operation: Operation::Count { of }, .. }) => of.clone(),
            _ => self.answer.clone(),
        };
        let operation = operation(&mut self, main);
        self.answer = self.push(operation);
        if count.is_some() {
            self.answer = self.push(Operation::Count { of: self.answer.clone() });
        }
        self
    }
}

impl Operation {
    /// The name of the operation, as it stands in the field `op` of the JSON form.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::SearchKg(_) => "search_kg",
            Operation::Search { .. } => "search",
            Operation::All { .. } => "all",
            Operation::Entity { .. } => "entity",
            Operation::Intersect { .. } => "intersect",
            Operation::Union { .. } => "union",
            Operation::Negation { .. } => "negation",
            Operation::Compare(_) => "compare",
            Operation::Count { .. } => "count",
            Operation::Filter { .. } => "filter",
            Operation::Superlative { .. } => "superlative",
        }
    }

    /// The names that the operation refers to, in order, repeated if it repeats them.
    pub fn references(&self) -> Vec<&str> {
        match self {
            Operation::SearchKg(SearchKg { head, .. }) | Operation::Entity { head } => match head {
                Head::Reference(name) => vec![name],
                Head::Mention(_) | Head::Entity(_) => Vec::new(),
            },
            Operation::Search { query } => query.references().collect(),
            Operation::All { .. } => Vec::new(),
            Operation::Intersect { of } | Operation::Union { of } => of.iter().map(String::as_str).collect(),
            Operation::Negation { main, minus } => std::iter::once(main).chain(minus).map(String::as_str).collect(),
            Operation::Compare(compare) => compare.of.iter().map(String::as_str).collect(),
            Operation::Count { of } | Operation::Superlative { of, .. } => vec![of],
            Operation::Filter { of, condition } => match condition {
                Condition::Value(Test { to: Operand::Reference(name), .. }) => vec![of, name],
                Condition::Value(_) | Condition::Type(_) => vec![of],
            },
        }
    }
}

/// Whether two names are one to a reader: letter case and underscores do not count (`Ans_1`, `ans1`).
pub fn same_name(a: &str, b: &str) -> bool {
    fold_name(a) == fold_name(b)
}

/// A name without what does not count in it.
pub(super) fn fold_name(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}
