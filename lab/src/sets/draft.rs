//! Plans under construction.

use pocketgraph::plan::{Head, Operation, Plan, Relation, SearchKg};

/// Statements under construction.
#[derive(Default)]
pub struct Draft {
    plan: Plan,
}

impl Draft {
    /// Adds an operation; gives the name of its answer.
    pub fn push(&mut self, operation: Operation) -> String {
        self.plan.push(operation)
    }

    /// Adds a step along a relation, or against it.
    pub fn follow(&mut self, head: Head, relation: &str, inverse: bool) -> String {
        self.follow_to(head, relation, inverse, None)
    }

    /// The same to a type.
    pub fn follow_to(&mut self, head: Head, relation: &str, inverse: bool, target: Option<&str>) -> String {
        let relation = Relation::Exact { name: relation.to_owned(), inverse };
        self.push(Operation::SearchKg(SearchKg { target: target.map(str::to_owned), head, relation }))
    }

    /// Adds a chain of steps from an entity; gives the name of the last one's answer.
    pub fn follow_all<'r>(&mut self, start: &str, relations: impl IntoIterator<Item = &'r String>) -> String {
        let (mut head, mut last) = (Head::Entity(start.to_owned()), String::new());
        for relation in relations {
            last = self.follow(head, relation, false);
            head = Head::Reference(last.clone());
        }
        last
    }

    /// The plan whose answer is that of a statement.
    pub fn plan(self, answer: String, question: Option<String>) -> Plan {
        Plan { question, answer, ..self.plan }
    }
}
