//! Models that say one thing over and over.

use crate::text::{fold, sentences};

/// A reply is looked through for loops whenever it has grown by this much.
pub(crate) const LOOP_STEP: usize = 1024;
/// A tail of so many bytes that is one piece over and over is a loop.
pub(crate) const LOOP_TAIL: usize = 2048;
/// And the piece has at most so many bytes.
const LOOP_PERIOD: usize = 400;
/// A sentence that stands so many times in a row is one in a short text too.
const SAME_SENTENCES: usize = 4;

/// Returns true if an unfinished text ends in one short piece over and over.
pub(crate) fn is_loop(text: &[u8]) -> bool {
    let Some(tail) = text.len().checked_sub(LOOP_TAIL).map(|start| &text[start..]) else { return false };
    (1..=LOOP_PERIOD).any(|period| tail[period..].iter().zip(tail).all(|(a, b)| a == b))
}

/// Returns true if a whole text repeats one thing over and over.
pub(crate) fn repeats_itself(text: &str) -> bool {
    let names: Vec<String> =
        sentences(text).into_iter().map(|r| fold(text[r].trim())).filter(|s| !s.is_empty()).collect();
    is_loop(text.as_bytes()) || names.windows(SAME_SENTENCES).any(|w| w.iter().all(|s| *s == w[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_distinguished_from_a_long_text() {
        assert!(is_loop("and so on ".repeat(300).as_bytes()));
        assert!(!is_loop((0..2_000_u32).map(|n| n.to_string()).collect::<String>().as_bytes()));
        assert!(repeats_itself("It is so. It is so. It is so. It is so."));
        assert!(!repeats_itself("It is so. It is not. It is so. It is not. It is so."));
    }
}
