//! A part of a set of questions, chosen by the questions themselves: what is learnt from or read, and what is kept for measuring.

use sha2::{Digest, Sha256};
use std::str::FromStr;

/// Which of how many parts. A question is in the part that the first eight bytes of its SHA-256, as a little-endian number, leave as the remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    which: u64,
    of: u64,
}

impl Part {
    /// Whether a question is in it.
    pub fn holds(&self, question: &str) -> bool {
        let digest = Sha256::digest(question.as_bytes());
        let first = digest.first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(first) % self.of == self.which - 1
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let numbers = text.split_once('/').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        match numbers {
            Some((which, of)) if (1..=of).contains(&which) => Ok(Part { which, of }),
            _ => Err("write which of how many, such as 1/2".to_owned()),
        }
    }
}

#[cfg(test)]
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
    fn what_is_no_part_is_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "a/b"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }
}
