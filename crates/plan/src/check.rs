//! Static checks: what can be known to be wrong with a plan before anything is looked up.
//!
//! From the checks of Graph-RFT and LPKG: every reference is defined earlier, no cycles, at least two operands for set operations, few
//! statements, types that say something; and negation only from a closed set.

use super::ast::fold_name as fold;
use super::template::is_name;
use super::{Compare, Condition, Fault, Head, Literal, Measure, Operand, Operation, Part, Plan, PlanError, Position, Relation, Test};

/// Errors beyond this many help nobody, and a hostile plan could have one for each of its references.
const MAX_ERRORS: usize = 32;

/// Limits on the size of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Statements; more are an error.
    pub statements: usize,
    /// Statements; more are a warning. The papers' plans have at most 8.
    pub advised_statements: usize,
    /// Operands of one operation.
    pub operands: usize,
    /// Bytes of one mention, phrase, type or sub-question.
    pub text: usize,
    /// Bytes of a plan's text, prose around it included.
    pub source: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { statements: 64, advised_statements: 8, operands: 64, text: 4096, source: 256 * 1024 }
    }
}

/// A plan's references, resolved. All indices are of [`Plan::statements`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// For each statement, the statements that it refers to, in the order of [`Operation::references`].
    pub inputs: Vec<Vec<usize>>,
    /// The statement whose set is the answer.
    pub answer: usize,
    /// Warnings about what is unwise but not wrong, each a sentence.
    pub warnings: Vec<String>,
}

/// Checks a plan and resolves its references.
///
/// `positions` holds the place of each statement in the plan's text, as the readers return it; pass an empty slice for a plan that was
/// never text, and errors count statements instead of lines.
///
/// # Errors
/// The faults found, in order, at most 32; never an empty list.
pub fn check(plan: &Plan, positions: &[Position], limits: &Limits) -> Result<Checked, Vec<PlanError>> {
    let count = plan.statements.len();
    if count == 0 {
        return Err(vec![PlanError::new(place(positions, 0), Fault::NoPlan, "at least one statement", "Write one step a line.")]);
    }
    if count > limits.statements {
        let fault = Fault::TooLarge { what: "the number of statements", found: count, limit: limits.statements };
        let expected = format!("at most {} statements", limits.statements);
        return Err(vec![PlanError::new(place(positions, limits.statements), fault, expected, "Ask a simpler question, or merge steps.")]);
    }
    let folded: Vec<String> = plan.statements.iter().map(|s| fold(&s.name)).collect();
    let mut checker = Checker { plan, limits, folded, errors: Vec::new(), at: place(positions, 0) };
    let mut inputs = Vec::with_capacity(count);
    // Which sets hold members that were read from passages: words whose identity with an entity is a guess.
    let mut open: Vec<bool> = Vec::with_capacity(count);
    for (index, statement) in plan.statements.iter().enumerate() {
        checker.at = place(positions, index);
        checker.name(index);
        checker.operation(&statement.operation);
        let references = statement.operation.references();
        if references.len() > limits.operands {
            let fault = Fault::TooLarge { what: "the number of operands", found: references.len(), limit: limits.operands };
            checker.fault(fault, "fewer operands", "Combine them in several steps.");
        }
        let resolved: Vec<usize> = references.iter().take(limits.operands).filter_map(|name| checker.resolve(name, index)).collect();
        let is_open = |input: &usize| open.get(*input) == Some(&true);
        let here = match &statement.operation {
            Operation::Search { .. } => true,
            Operation::SearchKg(_) | Operation::All { .. } | Operation::Entity { .. } | Operation::Count { .. } => false,
            // One closed operand is enough to know who the members are.
            Operation::Intersect { .. } => resolved.iter().all(is_open),
            Operation::Negation { .. } | Operation::Filter { .. } | Operation::Superlative { .. } => resolved.first().is_some_and(is_open),
            Operation::Union { .. } | Operation::Compare(_) => resolved.iter().any(is_open),
        };
        open.push(here);
        if let Operation::Negation { main, .. } = &statement.operation
            && here
        {
            checker.fault(
                Fault::OpenNegation(main.clone()),
                "a main set found by SearchKG, All or set operations over them",
                "Find the main set in the knowledge graph, or leave the exclusion to the answer.",
            );
        }
        inputs.push(resolved);
    }
    checker.at = place(positions, count - 1);
    let answer = checker.answer();
    match answer {
        Some(answer) if checker.errors.is_empty() => {
            let warnings = warnings(plan, &inputs, answer, limits);
            Ok(Checked { inputs, answer, warnings })
        }
        _ => Err(checker.errors),
    }
}

fn warnings(plan: &Plan, inputs: &[Vec<usize>], answer: usize, limits: &Limits) -> Vec<String> {
    let mut warnings = Vec::new();
    if plan.statements.len() > limits.advised_statements {
        let (found, advised) = (plan.statements.len(), limits.advised_statements);
        warnings.push(format!("the plan has {found} statements; plans of more than {advised} rarely succeed"));
    }
    let mut used = vec![false; inputs.len()];
    used[answer] = true;
    // References point backwards, so that one pass from the end reaches everything that the answer needs.
    for index in (0..inputs.len()).rev() {
        if used[index] {
            inputs[index].iter().for_each(|&input| used[input] = true);
        } else {
            warnings.push(format!("{} is never used", plan.statements[index].name));
        }
    }
    warnings
}

fn place(positions: &[Position], index: usize) -> Position {
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
    fn fault(&mut self, fault: Fault, expected: &str, hint: &str) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(PlanError::new(self.at, fault, expected, hint));
        }
    }

    fn name(&mut self, index: usize) {
        let name = &self.plan.statements[index].name;
        if !is_name(name) {
            self.fault(Fault::Name(excerpt(name)), "letters, digits and underscores, first a letter", "Call the first step Ans1.");
        } else if self.folded[..index].contains(&self.folded[index]) {
            self.fault(Fault::DefinedTwice(name.clone()), "a new name", "Number the steps: Ans1, Ans2, …");
        }
    }

    /// The statement that `name`, used in statement `user`, refers to.
    fn resolve(&mut self, name: &str, user: usize) -> Option<usize> {
        let folded = fold(name);
        // The last definition before the use; a second definition is an error of its own.
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
            _ => format!("a reference to one of {} to {}", self.plan.statements[0].name, self.plan.statements[user - 1].name),
        };
        self.fault(fault, &excerpt(&expected), hint);
        None
    }

    /// Whether statement `from` needs the statement of the folded name `to`, directly or not.
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

    fn answer(&mut self) -> Option<usize> {
        let folded = fold(&self.plan.answer);
        let found = self.folded.iter().rposition(|f| *f == folded);
        if found.is_none() {
            let last = self.plan.statements.last().map_or("Ans1", |s| s.name.as_str());
            let expected = format!("the name of a statement, such as {last}");
            self.fault(Fault::Undefined(excerpt(&self.plan.answer)), &excerpt(&expected), "Let the answer be the last statement.");
        }
        found
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::SearchKg(step) => {
                if let Some(target) = &step.target {
                    self.text("type", target);
                }
                self.head(&step.head);
                self.relation(&step.relation);
            }
            Operation::Entity { head } => self.head(head),
            Operation::Search { query } => {
                let length: usize = query
                    .parts()
                    .iter()
                    .map(|p| match p {
                        Part::Text(t) | Part::Reference(t) => t.len(),
                    })
                    .sum();
                self.size("sub-question", length);
                if query.parts().iter().all(|p| matches!(p, Part::Text(text) if text.trim().is_empty())) {
                    self.fault(Fault::Empty("sub-question"), "a question in words", "Write what this step should find.");
                }
            }
            Operation::All { target, relation } => {
                if let Some(target) = target {
                    self.text("type", target);
                }
                if let Some(relation) = relation {
                    self.relation(relation);
                }
                if target.is_none() && relation.is_none() {
                    self.fault(Fault::Empty("type"), "a type, or a relation that each member has", "Say what all of them are or have.");
                }
            }
            Operation::Intersect { of } => self.operands("Intersect", of, 2),
            Operation::Union { of } => self.operands("Union", of, 2),
            Operation::Negation { minus, .. } => {
                if minus.is_empty() {
                    self.fault(Fault::Arity { operation: "Negation", found: 1 }, "two or more", "Name what to take away.");
                }
                self.operands("Negation", minus, 1);
            }
            Operation::Compare(compare) => self.compare(compare),
            Operation::Count { .. } => {}
            Operation::Filter { condition: Condition::Type(target), .. } => self.text("type", target),
            Operation::Filter { condition: Condition::Value(Test { by, to, .. }), .. } => {
                self.measure(by.as_ref());
                if let Operand::Literal(literal) = to {
                    self.literal(literal);
                }
            }
            Operation::Superlative { by, keep, .. } => {
                self.measure(by.as_ref());
                if *keep == 0 {
                    self.fault(Fault::Empty("number of places to keep"), "1 or more", "Keep one for the longest, the first, the best.");
                }
            }
        }
    }

    fn head(&mut self, head: &Head) {
        if let Head::Mention(text) | Head::Entity(text) = head {
            self.text("head", text);
        }
    }

    fn compare(&mut self, compare: &Compare) {
        self.operands("Compare", &compare.of, 2);
        self.measure(compare.by.as_ref());
        match &compare.question {
            Some(question) => self.text("question", question),
            None if compare.how.is_none() => {
                self.fault(Fault::Empty("comparison"), "=, <, >, min, max or in, or a question", "Say how the sets are compared.");
            }
            None => {}
        }
    }

    fn operands(&mut self, operation: &'static str, of: &[String], least: usize) {
        if of.len() < least && least > 1 {
            let hint = "Give it two earlier names, or use the one set directly.";
            self.fault(Fault::Arity { operation, found: of.len() }, "two or more", hint);
        }
    }

    fn measure(&mut self, measure: Option<&Measure>) {
        if let Some(Measure::ValueOf(relation) | Measure::NumberOf(relation)) = measure {
            self.relation(relation);
        }
    }

    fn relation(&mut self, relation: &Relation) {
        match relation {
            Relation::Phrase(text) | Relation::Exact { name: text, .. } => self.text("relation", text),
        }
    }

    fn literal(&mut self, literal: &Literal) {
        if let Literal::Text(text) | Literal::Number { unit: Some(text), .. } = literal {
            self.size("value", text.len());
        }
        if !literal.is_valid() {
            self.fault(Fault::Literal(format!("{literal:?}")), "a finite number, and a unit or none", "Write a plain number.");
        }
    }

    fn text(&mut self, what: &'static str, text: &str) {
        if text.trim().is_empty() {
            self.fault(Fault::Empty(what), "words", "Say it in the question's words.");
        }
        self.size(what, text.len());
    }

    fn size(&mut self, what: &'static str, found: usize) {
        if found > self.limits.text {
            let fault = Fault::TooLarge { what, found, limit: self.limits.text };
            self.fault(fault, "fewer words", "Keep to the words of the question.");
        }
    }
}

/// At most 80 characters of a text that a stranger wrote, for a message.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
