//! The size of a task in RAGFlow's four dimensions, and the search that an agent owes before it completes one.

/// A task's size: each dimension from 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complexity {
    /// Breadth of the task.
    pub breadth: u8,
    /// Share of the task that depends on earlier findings.
    pub dependency: u8,
    /// Number of decisions on the way.
    pub decisions: u8,
    /// Damage that a wrong answer does.
    pub risk: u8,
}

/// The dimensions as a model is told them.
const NAMES: [&str; 4] = ["scope breadth", "data dependency", "decision points", "risk level"];

impl Complexity {
    /// Estimates a question's size by its form alone, in any language: words, clauses, inner questions and numbers.
    pub fn by_rules(question: &str) -> Complexity {
        let words = question.split_whitespace().count();
        let clauses = question.split([',', ';', ':', '(', '、', '，']).filter(|c| !c.trim().is_empty()).count();
        let questions = question.matches(['?', '？', '؟']).count();
        let numbers = question.split_whitespace().filter(|w| w.contains(|c: char| c.is_numeric())).count();
        let size = |n: usize, small: usize, middle: usize| {
            if n <= small {
                1
            } else if n <= middle {
                2
            } else {
                3
            }
        };
        Complexity {
            breadth: size(words, 12, 30),
            dependency: size(clauses, 1, 3),
            decisions: size(questions, 1, 2),
            risk: size(numbers, 0, 2),
        }
    }

    /// Reads the size that a model's analysis states: a number after each dimension's name. `None` if one is missing.
    pub fn read(analysis: &str) -> Option<Complexity> {
        let lower = analysis.to_lowercase();
        let of = |name: &str| {
            let after = &lower[lower.find(name)? + name.len()..];
            let digit = after.chars().take(24).find_map(|c| c.to_digit(10))?;
            (1..=3).contains(&digit).then_some(digit as u8)
        };
        let [breadth, dependency, decisions, risk] = NAMES;
        Some(Complexity { breadth: of(breadth)?, dependency: of(dependency)?, decisions: of(decisions)?, risk: of(risk)? })
    }

    /// The sum of the dimensions, from 4 to 12.
    pub fn score(self) -> u8 {
        self.breadth + self.dependency + self.decisions + self.risk
    }

    /// The calls of tools that must have been made before a task of this size is complete.
    pub fn depth(self) -> usize {
        match self.score() {
            ..=5 => 1,
            6..=8 => 2,
            _ => 3,
        }
    }

    /// The dimensions in words.
    pub fn describe(self) -> String {
        let [breadth, dependency, decisions, risk] = NAMES;
        format!(
            "{breadth} {}, {dependency} {}, {decisions} {}, {risk} {}: complexity {} of 12",
            self.breadth,
            self.dependency,
            self.decisions,
            self.risk,
            self.score()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_question_is_small_and_a_long_one_of_many_parts_is_not() {
        let small = Complexity::by_rules("Who directed Heat?");
        assert_eq!((small.score(), small.depth()), (4, 1));
        let large = "Which of the films of 1995, 1999, 2001 and 2004, directed by Michael Mann, earned most? And which least, if remakes are left out? Why?";
        assert!(Complexity::by_rules(large).depth() >= 3, "{:?}", Complexity::by_rules(large));
    }

    #[test]
    fn a_models_analysis_is_read_by_its_dimensions() {
        let analysis = "Scope Breadth: 2\n- **Data dependency** (3)\nDecision points = 1\nRisk level: 2 of 3\nObjective: …";
        let read = Complexity::read(analysis);
        assert_eq!(read, Some(Complexity { breadth: 2, dependency: 3, decisions: 1, risk: 2 }));
        assert_eq!(read.map(Complexity::depth), Some(2));
        assert_eq!(Complexity::read("Scope breadth: 9"), None);
        assert_eq!(Complexity::read("It is simple."), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(scope breadth|Data dependency|decision points|risk level|: |[0-9]|é|İ|\\?|,){0,16}") {
            let _ = Complexity::read(&text);
            prop_assert!((4..=12).contains(&Complexity::by_rules(&text).score()));
        }
    }
}
