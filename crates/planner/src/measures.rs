//! What everyday words measure and ask for: "long" speaks of a length, "kind" of a genre, in any graph that
//! has such a relation.

use crate::plan::Extreme;
use crate::text::lexicon::{Language, Row, SPOKEN, values};

/// The words by which relations are known that an adjective measures; empty for a word that measures nothing.
pub(super) fn measures(adjective: &str) -> Names {
    row(adjective).map_or(Names(""), |row| Names(row.field(0)))
}

/// Returns true if an adjective or adverb of measure means that there is little of what it measures:
/// "sparsely".
pub(super) fn is_small(adjective: &str) -> bool {
    row(adjective).is_some_and(|row| row.has(1, "small"))
}

fn row(adjective: &str) -> Option<Row<'static>> {
    bases(adjective).iter().find_map(|base| SPOKEN.measures().row(base))
}

/// Words by which a relation is known, the likeliest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names(&'static str);

impl Names {
    /// Returns true if there are none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The words.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        values(self.0)
    }
}

/// The base forms that a word may have if it is a superlative, a comparative or an adverb: "largest" of
/// "large", "biggest" of "big", "densely" of "dense".
pub(super) fn bases(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    all.extend(word.strip_suffix("ly").filter(|cut| cut.len() >= 2).map(str::to_owned));
    for ending in ["est", "er"] {
        let Some(cut) = word.strip_suffix(ending).filter(|cut| cut.len() >= 2) else { continue };
        all.push(cut.to_owned());
        all.push(format!("{cut}e"));
        if let Some(y) = cut.strip_suffix('i') {
            all.push(format!("{y}y"));
        }
        let mut letters = cut.chars().rev();
        if let (Some(a), Some(b)) = (letters.next(), letters.next())
            && a == b
        {
            all.push(cut[..cut.len() - a.len_utf8()].to_owned());
        }
    }
    all
}

/// The words of questions that ask for relations by other words, and these.
pub(super) fn cues() -> impl Iterator<Item = (&'static str, Names)> {
    SPOKEN.relation_cues().rows().map(|row| (row.word, Names(row.field(0))))
}

/// The end that a superlative stands for.
pub(super) fn find_extreme(word: &str) -> Option<Extreme> {
    let whole = SPOKEN.comparisons().row(word).is_some_and(|row| row.has(2, "whole"));
    let found_extreme = Extreme::from_word(word).filter(|_| whole || word.ends_with("est"));
    // "Densest", "widest": the more, but for what is little: "sparsest".
    let measured = || word.ends_with("est") && !measures(word).is_empty();
    let other = || measured().then(|| if is_small(word) { Extreme::Min } else { Extreme::Max });
    found_extreme.or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superlatives_measure_what_their_base_measures() {
        for (word, first) in [
            ("longest", "length"),
            ("biggest", "area"),
            ("largest", "area"),
            ("heaviest", "weight"),
            ("older", "birth"),
            ("densely", "density"),
        ] {
            assert_eq!(measures(word).iter().next(), Some(first), "{word}");
        }
        assert!(measures("capital").is_empty() && measures("est").is_empty());
        assert_eq!(
            (find_extreme("sparsest"), find_extreme("densest"), find_extreme("slowest")),
            (Some(Extreme::Min), Some(Extreme::Max), Some(Extreme::Min))
        );
    }
}
