//! Conditions on values: "rivers longer than the Red", "cities with a population of more than 150,000".

use super::lexicon::Lexicon;
use super::measures::measures;
use super::question::Token;
use super::schema::Schema;
use super::superlative::numeric;
use crate::compact::sort_unique;
use crate::kg::{RelationId, TypeId, number};
use crate::plan::Comparison;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};
use std::ops::Range;

/// Words of a question that are searched.
const LONGEST: usize = 256;

/// A condition that a question sets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    /// The part of the question before it, which says whose condition it is.
    pub of: Range<usize>,
    /// Type of the things that have the value; `None` if no word names one.
    pub kind: Option<TypeId>,
    /// The relation that leads to it.
    pub by: RelationId,
    /// The comparison.
    pub comparison: Comparison,
    /// With what.
    pub to: Bound,
}

/// The right-hand side of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bound {
    Number(f64),
    /// The same value of what this part of the question names.
    Named(Range<usize>),
}

/// The first condition of a question, its words being read one by one; `None` where nothing is compared by
/// "than", nor with a year, nor with a figure behind "above".
pub(super) fn condition(
    question: &str,
    tokens: &[Token],
    lexicon: &Lexicon,
    schema: &Schema,
) -> Option<Condition> {
    let all: Vec<Word<'_>> = words(question).into_iter().take(LONGEST).collect();
    let folded: Vec<String> = all.iter().map(|w| fold(w.text)).collect();
    let year =
        |at: usize| folded.get(at).is_some_and(|w| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit()));
    let figure = |at: usize| folded.get(at).is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
    let bounds = |at: usize| SPOKEN.comparisons().row(&folded[at]).is_some_and(|row| row.has(2, "figure"));
    let dated = || {
        let is = |at: &usize| {
            matches!(folded[*at].as_str(), "after" | "before" | "since") && year(*at + 1)
                || bounds(*at) && figure(*at + 1)
        };
        (0..folded.len()).find(is)
    };
    // What is compared stands before "than", or is itself the word of time or of a bound: "after 1950",
    // "above 5000".
    let (than, at) = match folded.iter().position(|w| w == "than") {
        Some(than) => (than, than.checked_sub(1)?),
        None => dated().map(|at| (at, at))?,
    };
    let comparison = match SPOKEN.comparisons().row(&folded[at])?.field(1) {
        "greater" => Comparison::Greater,
        "less" => Comparison::Less,
        "at least" => Comparison::AtLeast,
        _ => return None,
    };
    // Words and tokens are the same but for what was drawn together, so that places are found by the words'
    // texts.
    let types = |word: &str| tokens.iter().find(|t| t.folded == word).map_or(&[][..], |t| t.types.as_slice());
    let relations = |word: &str| lexicon.relations(word).into_iter().map(|r| r.0).collect::<Vec<_>>();
    let typed = (0..at).rev().find_map(|i| Some((i, *types(&folded[i]).first()?)));
    let asks = || {
        folded.iter().position(|w| matches!(w.as_str(), "who" | "what" | "which")).filter(|&asks| asks < at)
    };
    let (place, kind) = typed.map(|(place, of)| (place, Some(of))).or_else(|| Some((asks()?, None)))?;
    let numbers = kind.map_or_else(|| lexicon.numeric().to_vec(), |of| numeric(schema, of));
    let spoken = (place + 1..at).flat_map(|i| relations(&folded[i])).chain(
        // "With more than 150,000 people": what is counted stands behind.
        (than + 1..all.len())
            .flat_map(|i| relations(&folded[i]))
            .filter(|_| folded[at] == "more" || folded[at] == "less" || folded[at] == "fewer"),
    );
    let by_adjective = || (!measures(&folded[at]).is_empty()).then(|| lexicon.measured_by(&folded[at]));
    let measured = spoken.filter(|r| numbers.contains(r));
    let by = match kind {
        Some(_) => measured.into_iter().next().or_else(|| {
            let all = by_adjective()?;
            all.into_iter().map(|r| r.0).find(|r| numbers.contains(r))
        }),
        // Where no kind tells which of several is meant, none is.
        None => {
            let mut all: Vec<RelationId> = measured.collect();
            sort_unique(&mut all);
            if let [one] = all.as_slice() { Some(*one) } else { None }
        }
    }?;
    let joint = |w: &str| {
        matches!(
            w,
            "with"
                | "whose"
                | "having"
                | "that"
                | "which"
                | "where"
                | "are"
                | "is"
                | "have"
                | "has"
                | "was"
                | "were"
        )
    };
    let end = (place + 1..at).rfind(|&i| joint(&folded[i])).unwrap_or(at);
    // "Engines built after 1950": what happened then says nothing more of which.
    let happened = (place + 1..end).find(|&i| than == at && relations(&folded[i]).contains(&by));
    let end = happened.unwrap_or(end);
    let rest = all.get(than + 1)?.span.start..question.len();
    let figure = all
        .get(than + 1..)
        .unwrap_or_default()
        .iter()
        .find(|w| w.text.starts_with(|c: char| c.is_ascii_digit()));
    let to = match figure {
        Some(first) => Bound::Number(figures(question.get(first.span.start..)?)?),
        None => Bound::Named(rest),
    };
    Some(Condition { of: 0..all.get(end)?.span.start, kind, by, comparison, to })
}

/// The number that a text begins with, with a word for thousands or millions after it.
fn figures(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let digits = text.get(..end)?.trim_end_matches(['.', ',']);
    let word = fold(
        text.get(end..)?.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or_default(),
    );
    let times =
        SPOKEN.numbers().row(&word).filter(|row| row.has(1, "multiple")).and_then(|row| number(row.field(0)));
    Some(number(digits)? * times.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::figures;

    #[test]
    fn figures_are_read_with_their_words() {
        assert_eq!(figures("150,000 people"), Some(150_000.0));
        assert_eq!(figures("1.5 million?"), Some(1_500_000.0));
        assert_eq!(figures("none"), None);
    }
}
