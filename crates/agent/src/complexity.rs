//! The size of a task in RAGFlow's four dimensions, and the reflection that an agent owes before it completes
//! one.

/// Size of a task: each of the [`NAMES`] from 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complexity([u8; 4]);

/// Dimensions of a size as a model reads them.
const NAMES: [&str; 4] = ["scope breadth", "data dependency", "decision points", "risk level"];

/// Points of reflection, the first of which every task has: name and question.
const CHECKLIST: [(&str, &str); 3] = [
    ("complete", "Is the whole question answered? Which observation bears out the answer?"),
    ("wrong", "What could be wrong with the answer, and what speaks against that?"),
    ("others", "Which other readings and answers are there, and why not those?"),
];

impl Complexity {
    /// Estimates a question's size by its form alone, in any language: words, clauses, inner questions and
    /// numbers.
    pub fn by_rules(question: &str) -> Complexity {
        let words = question.split_whitespace().count();
        let clauses =
            question.split([',', ';', ':', '(', '、', '，']).filter(|c| !c.trim().is_empty()).count();
        let questions = question.matches(['?', '？', '؟']).count();
        let numbers = question.split_whitespace().filter(|w| w.contains(|c: char| c.is_numeric())).count();
        let size = |n: usize, small: usize, middle: usize| 1 + u8::from(n > small) + u8::from(n > middle);
        Complexity([size(words, 12, 30), size(clauses, 1, 3), size(questions, 1, 2), size(numbers, 0, 2)])
    }

    /// Reads the size that a model's analysis states: a number after each dimension's name. `None` if one is
    /// missing.
    pub fn read(analysis: &str) -> Option<Complexity> {
        let lower = analysis.to_ascii_lowercase();
        let mut sizes = [0; 4];
        for (size, name) in sizes.iter_mut().zip(NAMES) {
            let after = &lower[lower.find(name)? + name.len()..];
            *size =
                after.chars().take(24).find_map(|c| c.to_digit(10)).filter(|d| (1..=3).contains(d))? as u8;
        }
        Some(Complexity(sizes))
    }

    /// Returns the sum of the dimensions, from 4 to 12.
    pub fn score(self) -> u8 {
        self.0.iter().sum()
    }

    /// Returns the points that a model reflects on, in words of its own, before it ends a task of this size.
    pub fn checklist(self) -> &'static [(&'static str, &'static str)] {
        let points = match self.score() {
            ..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        &CHECKLIST[..points]
    }

    /// Returns the dimensions in words.
    pub fn describe(self) -> String {
        let sizes: Vec<String> =
            NAMES.iter().zip(self.0).map(|(name, size)| format!("{name} {size}")).collect();
        format!("{}: complexity {} of 12", sizes.join(", "), self.score())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_question_is_small_and_a_long_one_of_many_parts_is_not() {
        let small = Complexity::by_rules("Who directed Heat?");
        assert_eq!((small.score(), small.checklist().len()), (4, 1));
        let large = "Which of the films of 1995, 1999, 2001 and 2004, directed by Michael Mann, earned most? And \
            which least, if remakes are left out? Why?";
        assert_eq!(Complexity::by_rules(large).checklist().len(), 3, "{:?}", Complexity::by_rules(large));
    }

    #[test]
    fn a_models_analysis_is_read_by_its_dimensions() {
        let analysis = "Scope Breadth: 2\n- **Data dependency** (3)\nDecision points = 1\nRisk level: 2 of \
            3\nObjective: …";
        let read = Complexity::read(analysis);
        assert_eq!(read, Some(Complexity([2, 3, 1, 2])));
        assert_eq!(read.map(|size| size.checklist().len()), Some(2));
        assert_eq!(Complexity::read("Scope breadth: 9"), None);
        assert_eq!(Complexity::read("It is simple."), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(scope breadth|Data dependency|decision points|risk level|: \
            |[0-9]|é|İ|\\?|,){0,16}") {
            let _ = Complexity::read(&text);
            prop_assert!((4..=12).contains(&Complexity::by_rules(&text).score()));
        }
    }
}
