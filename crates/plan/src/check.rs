//! Static checks: faults of a plan that are known before its execution.
//!
//! From Graph-RFT and LPKG come the checks that every reference is defined earlier, without cycles, that set
//! operations have at least two operands, that there are few statements, and that types are not empty.
//! Negation requires a closed set.

use super::ast::fold_name as fold;
use super::template::is_name;
use super::{
    Compare, Condition, Fault, Head, Literal, Measure, Operand, Operation, Part, Plan, PlanError, Position,
    Relation, Test,
};

/// Maximum number of reported errors. More help nobody, and a hostile plan could have one for each reference.
const MAX_ERRORS: usize = 32;

/// Limits on the size of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of statements.
    pub statements: usize,
    /// Number of statements above which a warning is given. The papers' plans have at most 8.
    pub advised_statements: usize,
    /// Maximum number of operands of an operation.
    pub operands: usize,
    /// Maximum length of a mention, phrase, type or sub-question in bytes.
    pub text: usize,
    /// Maximum length of a plan's text in bytes, with the prose around it.
    pub source: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { statements: 64, advised_statements: 8, operands: 64, text: 4096, source: 256 * 1024 }
    }
}

/// Resolved references of a plan. All indexes are of [`Plan::statements`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Statements that each statement refers to, in the order of [`Operation::references`].
    pub inputs: Vec<Vec<usize>>,
    /// Index of the statement whose set is the answer.
    pub answer: usize,
    /// Warnings about unwise but correct parts, each a sentence.
    pub warnings: Vec<String>,
}

/// Checks a plan and resolves its references.
///
/// `positions` has the place of each statement in the plan's text, as readers return it. Pass an empty slice
/// for a plan that was never text; errors then count statements instead of lines.
///
/// # Errors
/// The faults in order, at most 32; never an empty list.
pub fn check(plan: &Plan, positions: &[Position], limits: &Limits) -> Result<Checked, Vec<PlanError>> {
    let count = plan.statements.len();
    if count == 0 {
        return Err(vec![PlanError::new(
            place_of(positions, 0),
            Fault::NoPlan,
            "at least one statement",
            "Write one step a line.",
        )]);
    }
    check_room(count - 1, limits, place_of(positions, limits.statements)).map_err(|error| vec![error])?;
    let folded: Vec<String> = plan.statements.iter().map(|s| fold(&s.name)).collect();
    let mut checker = Checker { plan, limits, folded, errors: Vec::new(), at: place_of(positions, 0) };
    let mut inputs = Vec::with_capacity(count);
    // True for each set with members from passages, whose identity with an entity is a guess.
    let mut open: Vec<bool> = Vec::with_capacity(count);
    for (index, statement) in plan.statements.iter().enumerate() {
        checker.at = place_of(positions, index);
        checker.check_name(index);
        checker.check_operation(&statement.operation);
        let references = statement.operation.references();
        if references.len() > limits.operands {
            let fault = Fault::TooLarge {
                what: "the number of operands",
                found: references.len(),
                limit: limits.operands,
            };
            checker.add_fault(fault, "fewer operands", "Combine them in several steps.");
        }
        let resolved: Vec<usize> = references
            .iter()
            .take(limits.operands)
            .filter_map(|name| checker.resolve_name(name, index))
            .collect();
        let is_open = |input: &usize| open.get(*input) == Some(&true);
        let here = match &statement.operation {
            Operation::Search { .. } => true,
            Operation::SearchKg(_)
            | Operation::All { .. }
            | Operation::Entity { .. }
            | Operation::Count { .. } => false,
            // One closed operand determines the members.
            Operation::Intersect { .. } => resolved.iter().all(is_open),
            Operation::Negation { .. } | Operation::Filter { .. } | Operation::Superlative { .. } => {
                resolved.first().is_some_and(is_open)
            }
            Operation::Union { .. } | Operation::Compare(_) => resolved.iter().any(is_open),
        };
        open.push(here);
        if let Operation::Negation { main, .. } = &statement.operation
            && here
        {
            checker.add_fault(
                Fault::OpenNegation(main.clone()),
                "a main set found by SearchKG, All or set operations over them",
                "Find the main set in the knowledge graph, or leave the exclusion to the answer.",
            );
        }
        inputs.push(resolved);
    }
    checker.at = place_of(positions, count - 1);
    let answer = checker.resolve_answer();
    match answer {
        Some(answer) if checker.errors.is_empty() => {
            let warnings = collect_warnings(plan, &inputs, answer, limits);
            Ok(Checked { inputs, answer, warnings })
        }
        _ => Err(checker.errors),
    }
}

fn collect_warnings(plan: &Plan, inputs: &[Vec<usize>], answer: usize, limits: &Limits) -> Vec<String> {
    let mut warnings = Vec::new();
    if plan.statements.len() > limits.advised_statements {
        let (found, advised) = (plan.statements.len(), limits.advised_statements);
        warnings
            .push(format!("the plan has {found} statements; plans of more than {advised} rarely succeed"));
    }
    let mut used = vec![false; inputs.len()];
    used[answer] = true;
    // References point backwards, so one pass from the end reaches everything that the answer needs.
    for index in (0..inputs.len()).rev() {
        if used[index] {
            inputs[index].iter().for_each(|&input| used[input] = true);
        } else {
            warnings.push(format!("{} is never used", plan.statements[index].name));
        }
    }
    warnings
}

/// Refuses a statement beyond the limit.
pub(super) fn check_room(statements: usize, limits: &Limits, at: Position) -> Result<(), PlanError> {
    if statements < limits.statements {
        return Ok(());
    }
    let fault =
        Fault::TooLarge { what: "the number of statements", found: statements + 1, limit: limits.statements };
    Err(PlanError::new(
        at,
        fault,
        format!("at most {} statements", limits.statements),
        "Ask a simpler question, or merge steps.",
    ))
}

fn place_of(positions: &[Position], index: usize) -> Position {
    let by_number = Position { line: u32::try_from(index + 1).unwrap_or(u32::MAX), column: 1 };
    positions.get(index).copied().unwrap_or(by_number)
}

struct Checker<'a> {
    plan: &'a Plan,
    limits: &'a Limits,
    folded: Vec<String>,
    errors: Vec<PlanError>,
    at: Position,
}

impl Checker<'_> {
    fn add_fault(&mut self, fault: Fault, expected: &str, hint: &str) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(PlanError::new(self.at, fault, expected, hint));
        }
    }

    fn check_name(&mut self, index: usize) {
        let name = &self.plan.statements[index].name;
        if !is_name(name) {
            self.add_fault(
                Fault::Name(excerpt(name)),
                "letters, digits and underscores, first a letter",
                "Call the first step Ans1.",
            );
        } else if self.folded[..index].contains(&self.folded[index]) {
            self.add_fault(
                Fault::DefinedTwice(name.clone()),
                "a new name",
                "Number the steps: Ans1, Ans2, …",
            );
        }
    }

    /// Returns the statement that `name` in statement `user` refers to.
    fn resolve_name(&mut self, name: &str, user: usize) -> Option<usize> {
        let folded = fold(name);
        // The last definition before the use. A second definition is an error of its own.
        if let Some(index) = self.folded[..user].iter().rposition(|f| *f == folded) {
            return Some(index);
        }
        let later = self.folded[user..].iter().position(|f| *f == folded).map(|i| i + user);
        let fault = match later {
            None => Fault::Undefined(excerpt(name)),
            Some(index) if index == user || self.leads_to(index, &self.folded[user]) => {
                Fault::Cycle(self.plan.statements[user].name.clone())
            }
            Some(_) => Fault::UsedBeforeDefined(name.to_owned()),
        };
        let hint = match &fault {
            Fault::Cycle(_) => "Find one of the two sets without the other.",
            Fault::UsedBeforeDefined(_) => "Move the line that defines it up.",
            _ => "Define it on a line of its own, or correct the name.",
        };
        let expected = match user {
            0 => "no reference, since this is the first statement".to_owned(),
            1 => format!("a reference to {}", self.plan.statements[0].name),
            _ => format!(
                "a reference to one of {} to {}",
                self.plan.statements[0].name,
                self.plan.statements[user - 1].name
            ),
        };
        self.add_fault(fault, &excerpt(&expected), hint);
        None
    }

    /// Returns true if statement `from` needs the statement of the folded name `to`, directly or not.
    fn leads_to(&self, from: usize, to: &str) -> bool {
        let mut seen = vec![false; self.folded.len()];
        let mut stack = vec![from];
        while let Some(index) = stack.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            for name in self.plan.statements[index].operation.references() {
                let folded = fold(name);
                if folded == to {
                    return true;
                }
                stack.extend(self.folded.iter().position(|f| *f == folded));
            }
        }
        false
    }

    fn resolve_answer(&mut self) -> Option<usize> {
        let folded = fold(&self.plan.answer);
        let found = self.folded.iter().rposition(|f| *f == folded);
        if found.is_none() {
            let last = self.plan.statements.last().map_or("Ans1", |s| s.name.as_str());
            let expected = format!("the name of a statement, such as {last}");
            self.add_fault(
                Fault::Undefined(excerpt(&self.plan.answer)),
                &excerpt(&expected),
                "Let the answer be the last statement.",
            );
        }
        found
    }

    fn check_operation(&mut self, operation: &Operation) {
        match operation {
            Operation::SearchKg(step) => {
                if let Some(target) = &step.target {
                    self.check_text("type", target);
                }
                self.check_head(&step.head);
                self.check_relation(&step.relation);
            }
            Operation::Entity { head } => self.check_head(head),
            Operation::Search { query } => {
                let length: usize = query
                    .parts()
                    .iter()
                    .map(|p| match p {
                        Part::Text(t) | Part::Reference(t) => t.len(),
                    })
                    .sum();
                self.check_size("sub-question", length);
                if query.parts().iter().all(|p| matches!(p, Part::Text(text) if text.trim().is_empty())) {
                    self.add_fault(
                        Fault::Empty("sub-question"),
                        "a question in words",
                        "Write what this step should find.",
                    );
                }
            }
            Operation::All { target, relation } => {
                if let Some(target) = target {
                    self.check_text("type", target);
                }
                if let Some(relation) = relation {
                    self.check_relation(relation);
                }
                if target.is_none() && relation.is_none() {
                    self.add_fault(
                        Fault::Empty("type"),
                        "a type, or a relation that each member has",
                        "Say what all of them are or have.",
                    );
                }
            }
            Operation::Intersect { of } => self.check_operands("Intersect", of, 2),
            Operation::Union { of } => self.check_operands("Union", of, 2),
            Operation::Negation { minus, .. } => {
                if minus.is_empty() {
                    self.add_fault(
                        Fault::Arity { operation: "Negation", found: 1 },
                        "two or more",
                        "Name what to take away.",
                    );
                }
                self.check_operands("Negation", minus, 1);
            }
            Operation::Compare(compare) => self.check_compare(compare),
            Operation::Count { .. } => {}
            Operation::Filter { condition: Condition::Type(target), .. } => self.check_text("type", target),
            Operation::Filter { condition: Condition::Value(Test { by, to, .. }), .. } => {
                self.check_measure(by.as_ref());
                if let Operand::Literal(literal) = to {
                    self.check_literal(literal);
                }
            }
            Operation::Superlative { by, keep, .. } => {
                self.check_measure(by.as_ref());
                if *keep == 0 {
                    self.add_fault(
                        Fault::Empty("number of places to keep"),
                        "1 or more",
                        "Keep one for the longest, the first, the best.",
                    );
                }
            }
        }
    }

    fn check_head(&mut self, head: &Head) {
        if let Head::Mention(text) | Head::Entity(text) = head {
            self.check_text("head", text);
        }
    }

    fn check_compare(&mut self, compare: &Compare) {
        self.check_operands("Compare", &compare.of, 2);
        self.check_measure(compare.by.as_ref());
        match &compare.question {
            Some(question) => self.check_text("question", question),
            None if compare.how.is_none() => {
                self.add_fault(
                    Fault::Empty("comparison"),
                    "=, <, >, min, max or in, or a question",
                    "Say how the sets are compared.",
                );
            }
            None => {}
        }
    }

    fn check_operands(&mut self, operation: &'static str, of: &[String], least: usize) {
        if of.len() < least && least > 1 {
            let hint = "Give it two earlier names, or use the one set directly.";
            self.add_fault(Fault::Arity { operation, found: of.len() }, "two or more", hint);
        }
    }

    fn check_measure(&mut self, measure: Option<&Measure>) {
        if let Some(Measure::ValueOf(relation) | Measure::NumberOf(relation)) = measure {
            self.check_relation(relation);
        }
    }

    fn check_relation(&mut self, relation: &Relation) {
        match relation {
            Relation::Phrase(text) | Relation::Exact { name: text, .. } => self.check_text("relation", text),
        }
    }

    fn check_literal(&mut self, literal: &Literal) {
        if let Literal::Text(text) | Literal::Number { unit: Some(text), .. } = literal {
            self.check_size("value", text.len());
        }
        if !literal.is_valid() {
            self.add_fault(
                Fault::Literal(literal.to_string()),
                "a finite number, and a unit or none",
                "Write a plain number.",
            );
        }
    }

    fn check_text(&mut self, what: &'static str, text: &str) {
        if text.trim().is_empty() {
            self.add_fault(Fault::Empty(what), "words", "Say it in the question's words.");
        }
        self.check_size(what, text.len());
    }

    fn check_size(&mut self, what: &'static str, found: usize) {
        if found > self.limits.text {
            let fault = Fault::TooLarge { what, found, limit: self.limits.text };
            self.add_fault(fault, "fewer words", "Keep to the words of the question.");
        }
    }
}

/// Returns at most 80 characters of a stranger's text, for a message.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
