//! The syntax tree of plans: named statements, each with one operation, and the name of the answer.
//!
//! It has the operations of Graph-RFT (arXiv 2510.20691: `SearchKG`, `Intersect`, `Union`, `Negation`) and
//! LPKG (arXiv 2406.14282: `Search` and `Compare`), and further ones for superlatives, counts and conditions.
//! A name denotes a *set* of entities and literals, each with its score and its triples or passages.
//!
//! References are names, not indexes, so that a wrong plan can still be represented, shown and repaired;
//! [`check`](super::check::check) resolves them.

use crate::text::lexicon::{Language, SPOKEN};
use serde::{Deserialize, Serialize};

use super::Template;
use crate::kg::Value;

/// Plan: statements in order, and the name of the one whose set is the answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Plan {
    /// The question that the plan answers, if the surface has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Statements; each may refer to earlier ones.
    pub statements: Vec<Statement>,
    /// Name of the statement whose set is the answer.
    pub answer: String,
}

/// Line of a plan: a name for the set of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    target_arch = "wasm32",
    derive(tsify::Tsify),
    tsify(type = "{ name: string; thought?: string } & Operation")
)]
pub struct Statement {
    /// Name, an ASCII identifier such as `Ans1`; unique in its plan without regard to case and underscores.
    pub name: String,
    /// The planner's reason for this step, in its own words. Shown in traces, never executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    /// Operation that yields the set.
    #[serde(flatten)]
    pub operation: Operation,
}

/// Operation of a statement. An empty operand makes an intersection empty; nothing replaces it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Operation {
    /// Follows a relation of the graph from an entity or every member of a set (Graph-RFT's `SearchKG`).
    SearchKg(SearchKg),
    /// Answers a free-text sub-question from passages (LPKG's `Search` and `Get_Answer`), once for each
    /// combination of members of its sets.
    Search {
        /// Sub-question.
        #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
        query: Template,
    },
    /// Returns every entity of a type, or with a relation, or both. At least one of the two is set.
    All {
        /// Name of the type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// Relation of which each has a tail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relation: Option<Relation>,
    },
    /// Returns the thing that is named, or all things of that name.
    Entity {
        /// Name of the thing.
        head: Head,
    },
    /// Returns the members of all operands; two operands or more.
    Intersect {
        /// Names of the operands.
        of: Vec<String>,
    },
    /// Returns the members of any operand; two operands or more.
    Union {
        /// Names of the operands.
        of: Vec<String>,
    },
    /// Returns members of `main` that are in none of `minus`, by identity. The main set must not come from
    /// passages, whose words may or may not be the entity to be removed.
    Negation {
        /// Name of the set that is reduced.
        main: String,
        /// Names of the sets to be removed; one or more.
        minus: Vec<String>,
    },
    /// Compares sets with each other.
    Compare(Compare),
    /// Returns the number of members of a set.
    Count {
        /// Name of the set.
        of: String,
    },
    /// Returns the members of a set that meet a condition.
    Filter {
        /// Name of the set.
        of: String,
        /// Condition.
        condition: Condition,
    },
    /// Returns the members of a set with the largest or smallest measure; all members with that value.
    Superlative {
        /// Name of the set.
        of: String,
        /// Measure; `None` if the members are literals, which have a value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Measure>,
        /// End of the ranking.
        extreme: Extreme,
        /// Number of places to keep: 1 for "the longest", 2 for "the two longest".
        #[serde(default = "one", skip_serializing_if = "is_one")]
        keep: u32,
    },
}

fn one() -> u32 {
    1
}

// serde requires a function of a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// Step along a relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchKg {
    /// Type of the results in the planner's words ("city"); `None` for any.
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
    /// Mention in the question's words, which the executor links to an entity.
    Mention(String),
    /// Name of an earlier set, for each of its members.
    Reference(String),
    /// Exact identifier or label of an entity in the graph, without linking.
    Entity(String),
}

/// Relation that a step follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Relation {
    /// Words for it. The executor compares the head's relations in both directions and takes the best.
    Phrase(String),
    /// Relation with exactly this name in the graph.
    Exact {
        /// Name of the relation.
        name: String,
        /// True to follow it from tail to head.
        #[serde(default)]
        inverse: bool,
    },
}

impl Relation {
    /// Returns its words: the phrase, or the name in the graph.
    pub fn words(&self) -> &str {
        match self {
            Relation::Phrase(words) | Relation::Exact { name: words, .. } => words,
        }
    }
}

/// Number or date of each member of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Measure {
    /// Literal at the end of the relation: a population, a date of birth.
    ValueOf(Relation),
    /// Number of things at the end of the relation: rivers, children.
    NumberOf(Relation),
}

/// Condition on the members of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Condition {
    /// The member is of a type, in the planner's words.
    Type(String),
    /// A measure, or the member itself if it is a literal, compares with a value.
    Value(Test),
}

/// Comparison of a measure with a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Test {
    /// Measure; `None` if the members are literals, which have a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Measure>,
    /// Comparison of the measure with the value.
    pub comparison: Comparison,
    /// Right-hand side.
    pub to: Operand,
}

/// Right-hand side of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Operand {
    /// Value.
    Literal(Value),
    /// Name of an earlier set with one literal.
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

/// End of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Extreme {
    /// The smallest, earliest or first.
    Min,
    /// The largest, latest or last.
    Max,
}

/// Comparison between sets: of their members by a measure, or of their values.
///
/// `Equal`, `Less` and `Greater` (first against second operand) and `In` yield a truth value. `Min` and `Max`
/// yield the operands' members at that end. If the operands have values that earlier steps found, they yield
/// the start of the chain of steps to those values: "which film came out first" and "which film has the older
/// director" yield a film.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Compare {
    /// Names of the operands; two or more.
    pub of: Vec<String>,
    /// Kind of comparison; `None` if only the question states it (LPKG).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<How>,
    /// Measure to be compared; `None` if the operands have the values themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Measure>,
    /// The question that the comparison decides, in words. At least one of this and `how` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// Kind of comparison between sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum How {
    /// True if they are the same.
    Equal,
    /// True if the first is less than the second.
    Less,
    /// True if the first is greater than the second.
    Greater,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// True if all of the first are in every other.
    In,
    /// The times in which the first are in the others.
    When,
}

impl How {
    /// Returns the comparison of a word (case does not count): symbols, `min` and `max`, and superlatives and
    /// comparatives of everyday questions. Words of age are about dates: the *oldest* has the *smallest* date
    /// of birth. `None` for any other word.
    pub fn from_word(word: &str) -> Option<How> {
        let word = word.trim().to_ascii_lowercase();
        Some(match word.as_str() {
            "=" | "==" | "eq" => How::Equal,
            "<" | "lt" => How::Less,
            ">" | "gt" => How::Greater,
            _ => match SPOKEN
                .comparisons()
                .row(&word)
                .filter(|row| row.has(2, "value"))
                .map(|row| row.field(1))
            {
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

    /// Returns the comparison that a plan names: [`How::from_word`], `in` and `when`, which questions do not
    /// use.
    pub fn named(word: &str) -> Option<How> {
        let named = [How::In, How::When].into_iter().find(|how| word.trim().eq_ignore_ascii_case(how.word()));
        named.or_else(|| How::from_word(word))
    }

    /// Returns the canonical word: `equal`, `less`, `greater`, `min`, `max`, `in`, `when`.
    pub fn word(self) -> &'static str {
        match self {
            How::Equal => "equal",
            How::Less => "less",
            How::Greater => "greater",
            How::Min => "min",
            How::Max => "max",
            How::In => "in",
            How::When => "when",
        }
    }
}

impl Extreme {
    /// Returns the end that a superlative or comparative asks for, as [`How::from_word`] reads it.
    pub fn from_word(word: &str) -> Option<Extreme> {
        match SPOKEN.comparisons().row(&word.trim().to_ascii_lowercase())?.field(0) {
            "min" => Some(Extreme::Min),
            "max" => Some(Extreme::Max),
            _ => None,
        }
    }

    /// Returns the canonical word: `min` or `max`.
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

    /// Returns the symbol: `=`, `!=`, `<`, `<=`, `>`, `>=`.
    pub fn symbol(self) -> &'static str {
        Self::SYMBOLS.iter().find(|(_, c)| *c == self).map_or("=", |(s, _)| s)
    }

    /// Returns the word of the JSON form: `equal`, `not_equal`, `less`, `at_most`, `greater`, `at_least`.
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

    /// Returns true if an order between a measured value and the condition's value meets the comparison.
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
    /// Returns the statement of this name, without regard to case and underscores.
    pub fn statement(&self, name: &str) -> Option<&Statement> {
        self.statements.iter().find(|s| same_name(&s.name, name))
    }

    /// Adds an operation as the next statement and returns its name.
    pub fn push(&mut self, operation: Operation) -> String {
        let name = format!("Ans{}", self.statements.len() + 1);
        self.statements.push(Statement { name: name.clone(), thought: None, operation });
        name
    }

    /// Returns the plan with the names of its steps' relations as phrases.
    pub fn with_phrases(mut self) -> Plan {
        for statement in &mut self.statements {
            if let Operation::SearchKg(step) = &mut statement.operation {
                step.relation = Relation::Phrase(step.relation.words().to_owned());
            }
        }
        self
    }

    /// Keeps of what each search of the graph finds what holds at a time: a date, or an interval as a text.
    #[must_use]
    pub fn held(mut self, comparison: Comparison, time: &Value) -> Plan {
        for Statement { name, thought, operation } in std::mem::take(&mut self.statements) {
            let searches = matches!(operation, Operation::SearchKg(_));
            let of = if searches { format!("{name}Ever") } else { name.clone() };
            self.statements.push(Statement { name: of.clone(), thought, operation });
            if searches {
                let test = Test { by: None, comparison, to: Operand::Literal(time.clone()) };
                let operation = Operation::Filter { of, condition: Condition::Value(test) };
                self.statements.push(Statement { name, thought: None, operation });
            }
        }
        self
    }

    /// Returns the plan that finds when that holds which this plan tests; `None` if it tests no membership.
    pub fn ask_when(&self) -> Option<Plan> {
        let mut plan = self.clone();
        match plan.statements.last_mut().map(|last| &mut last.operation) {
            Some(Operation::Compare(Compare { how: how @ Some(How::In), .. })) => *how = Some(How::When),
            _ => return None,
        }
        Some(plan)
    }

    /// Makes an operation on the answer the new answer, or on the set that the answer counts.
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
    /// Returns the name of the operation, as in the field `op` of the JSON form.
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

    /// Returns the names that the operation refers to, in order, with repetitions.
    pub fn references(&self) -> Vec<&str> {
        match self {
            Operation::SearchKg(SearchKg { head, .. }) | Operation::Entity { head } => match head {
                Head::Reference(name) => vec![name],
                Head::Mention(_) | Head::Entity(_) => Vec::new(),
            },
            Operation::Search { query } => query.references().collect(),
            Operation::All { .. } => Vec::new(),
            Operation::Intersect { of } | Operation::Union { of } => of.iter().map(String::as_str).collect(),
            Operation::Negation { main, minus } => {
                std::iter::once(main).chain(minus).map(String::as_str).collect()
            }
            Operation::Compare(compare) => compare.of.iter().map(String::as_str).collect(),
            Operation::Count { of } | Operation::Superlative { of, .. } => vec![of],
            Operation::Filter { of, condition } => match condition {
                Condition::Value(Test { to: Operand::Reference(name), .. }) => vec![of, name],
                Condition::Value(_) | Condition::Type(_) => vec![of],
            },
        }
    }
}

/// Returns true if two names are the same without regard to case and underscores (`Ans_1`, `ans1`).
pub fn same_name(a: &str, b: &str) -> bool {
    fold_name(a) == fold_name(b)
}

/// Returns a name without underscores, in lower case.
pub(super) fn fold_name(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}
