//! Selects parts of a set of questions by hashes of the questions, for training and for measuring.

use sha2::{Digest, Sha256};
use std::str::FromStr;

/// A part by number and count, or (`not-`) all the others. A question's part is the remainder of the first
/// eight bytes of its SHA-256, as a little-endian number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    which: u64,
    of: u64,
    /// True for all the others, such as `not-1/10` to train on in a cross-validation.
    others: bool,
}

impl Part {
    /// Returns true if a question is in it.
    pub fn holds(&self, question: &str) -> bool {
        let digest = Sha256::digest(question.as_bytes());
        let first = digest.first_chunk().copied().unwrap_or_default();
        (u64::from_le_bytes(first) % self.of == self.which - 1) != self.others
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let (one, others) = text.strip_prefix("not-").map_or((text, false), |one| (one, true));
        let numbers =
            one.split_once('/').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        match numbers {
            Some((which, of)) if (1..=of).contains(&which) => Ok(Part { which, of, others }),
            _ => Err("write which of how many, such as 1/2, or not-1/10 for the nine others".to_owned()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_in_just_one_part_and_the_parts_are_alike() {
        let parts: Vec<Part> = ["1/3", "2/3", "3/3"].iter().filter_map(|t| t.parse().ok()).collect();
        let mut counts = [0; 3];
        for i in 0..3000 {
            let held: Vec<usize> = (0..3).filter(|&p| parts[p].holds(&format!("question {i}"))).collect();
            assert_eq!(held.len(), 1);
            counts[held[0]] += 1;
        }
        assert!(counts.iter().all(|n| (900..1100).contains(n)), "{counts:?}");
    }

    #[test]
    fn the_others_of_a_part_are_just_the_questions_that_it_leaves() {
        let part = |text: &str| text.parse::<Part>().unwrap();
        let (one, others) = (part("2/10"), part("not-2/10"));
        let questions = || (0..1000).map(|i| format!("question {i}"));
        assert!(questions().all(|q| one.holds(&q) != others.holds(&q)));
        assert!(questions().any(|q| one.holds(&q)));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "a/b", "not-", "not-0/2", "not-not-1/2", "not1/2"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }
}
