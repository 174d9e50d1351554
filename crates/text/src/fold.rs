//! Case and accent folding.

use super::unicode::{compatible, is_mark, lower};

/// Lower case without accents: compatibility decomposition, combining marks dropped, lower-cased. Non-Latin letters keep their script.
///
/// Marks are dropped only after Latin, Greek and Cyrillic letters: elsewhere (Devanagari, Thai, ...) they are vowels, not accents.
pub fn fold(s: &str) -> String {
    if s.is_ascii() {
        return s.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(s.len());
    let mut accents = true;
    for c in s.chars() {
        compatible(c, |c| {
            if is_mark(c) {
                if !accents {
                    out.push(c);
                }
            } else {
                accents = (c as u32) < 0x530;
                // Lower-casing can bring a mark of its own: the dot of a capital dotted I.
                lower(c, |l| {
                    if !is_mark(l) {
                        out.push(l);
                    }
                });
            }
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fold;
    use proptest::prelude::*;

    #[test]
    fn accents_and_case_go_but_scripts_stay() {
        assert_eq!(fold("Crème BRÛLÉE"), "creme brulee");
        assert_eq!(fold("ﬁle Straße İ"), "file straße i");
        assert_eq!(fold("हिन्दी 東京"), "हिन्दी 東京");
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(s in ".{0,40}") {
            let once = fold(&s);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
