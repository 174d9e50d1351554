//! Whether a span of a passage bears a sentence out as a claim: its numbers, ordinals and names, whether it
//! is denied, which way it compares, and who does it to whom. Sharing words is not enough: "ranking tenth"
//! shares all but one with "ranking sixth".
//!
//! It is told by words, one sentence against the unit of each cited passage that shares most with it. What is
//! said in other words is not held against the sentence; what is said of another number, name or end of a
//! scale is.

use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, is_stop_word, stem, without_possessive, words};
use pocketgraph_question::is_denial;

/// Words of the same number or name compare equal: folded, without possessive, numbers without grouping
/// marks.
pub(super) fn plain_word(word: &str) -> String {
    stem(without_possessive(&fold(word)))
}

struct ClaimWord {
    folded: String,
    plain: String,
    capital: bool,
    /// True if punctuation follows.
    ends_clause: bool,
}

fn words_of(text: &str) -> Vec<ClaimWord> {
    let of = |w: &Word<'_>| ClaimWord {
        folded: fold(w.text),
        plain: plain_word(w.text),
        capital: w.text.starts_with(char::is_uppercase),
        ends_clause: text.get(w.span.end..).is_some_and(|rest| rest.starts_with(['.', ',', ':', ';'])),
    };
    words(text).iter().map(of).collect()
}

impl ClaimWord {
    /// The number that the word is, ordinals apart from cardinals; "one" is a pronoun as often.
    fn number(&self) -> Option<(bool, String)> {
        if let Some(row) =
            SPOKEN.numbers().row(&self.folded).filter(|row| row.field(0) != "1" || row.has(1, "ordinal"))
        {
            return match row.field(1) {
                "cardinal" => Some((false, row.field(0).to_owned())),
                "ordinal" => Some((true, row.field(0).to_owned())),
                _ => None,
            };
        }
        if !self.folded.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let cut = ["st", "nd", "rd", "th"].iter().find_map(|end| self.folded.strip_suffix(end));
        Some(cut.map_or_else(|| (false, self.plain.clone()), |n| (true, n.to_owned())))
    }

    fn is_content(&self) -> bool {
        !is_stop_word(&self.folded) && !is_denial(&self.folded)
    }
}

/// Reasons why passages do not support a sentence that shares its words with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// They leave out a number, a name or an end of a scale.
    NotMentioned,
    /// They say otherwise: another number, a denial on one side, the other end of a scale, the other
    /// direction.
    Contradicted,
}

/// Compares a sentence with `units`, of each cited passage the one that shares most with it. `holds` looks a
/// plain word up in the whole passages.
pub(super) fn find_fault(claim: &str, units: &[&str], holds: &dyn Fn(&str) -> bool) -> Option<Fault> {
    let claim = words_of(claim);
    let units: Vec<Vec<ClaimWord>> = units.iter().map(|u| words_of(u)).collect();
    let numbers: Vec<(bool, String)> = units.iter().flatten().filter_map(ClaimWord::number).collect();
    let missing: Vec<(bool, String)> =
        claim.iter().filter_map(ClaimWord::number).filter(|n| !numbers.contains(n)).collect();
    let scale = compare_scales(&claim, &units);
    let contradicted = missing.iter().any(|(ordinal, _)| numbers.iter().any(|(o, _)| o == ordinal))
        || scale == Some(Fault::Contradicted)
        || denies_otherwise(&claim, &units)
        || units.iter().any(|u| is_reversed(&claim, u));
    if contradicted {
        return Some(Fault::Contradicted);
    }
    (!missing.is_empty() || scale.is_some() || has_other_name(&claim, &units, holds))
        .then_some(Fault::NotMentioned)
}

/// A name that the passages lack; or one that their units have not where these name somebody else and no
/// pronoun stands for anybody.
fn has_other_name(claim: &[ClaimWord], units: &[Vec<ClaimWord>], holds: &dyn Fn(&str) -> bool) -> bool {
    let all = || units.iter().flatten();
    let there = |w: &ClaimWord| all().any(|u| u.plain == w.plain);
    let pronoun = all().any(|w| SPOKEN.pronouns().contains(&w.folded));
    claim.iter().enumerate().any(|(at, w)| {
        w.capital
            && w.is_content()
            && (at > 0 || claim.get(1).is_some_and(|next| next.capital))
            && (!holds(&w.plain) || (!there(w) && !pronoun && units.len() == 1))
    })
}

/// Words that a sentence denies, plain.
pub(super) fn denied_words(claim: &str) -> Vec<String> {
    words_denied(&words_of(claim))
}

fn words_denied(sentence: &[ClaimWord]) -> Vec<String> {
    let denials = (0..sentence.len()).filter(|&at| {
        is_denial(&sentence[at].folded) && sentence.get(at + 1).is_none_or(|w| w.folded != "only")
    });
    // A denial reaches as far as its clause: punctuation ends it, words that ask begin another one.
    let opens_clause =
        |w: &ClaimWord| is_stop_word(&w.folded) && SPOKEN.question_words().has(&w.folded, "clause");
    let denied = |at: usize| {
        let clause =
            sentence[at..].iter().position(|w| w.ends_clause).map_or(sentence.len(), |end| at + end + 1);
        sentence[at + 1..clause].iter().take_while(|w| !opens_clause(w))
    };
    denials.flat_map(|at| denied(at).filter(|w| w.is_content()).take(2).map(|w| w.plain.clone())).collect()
}

/// A denial on one side only, of a word that both have.
fn denies_otherwise(claim: &[ClaimWord], units: &[Vec<ClaimWord>]) -> bool {
    let has = |sentence: &[ClaimWord], plain: &String| sentence.iter().any(|w| w.plain == *plain);
    let there: Vec<String> = units.iter().flat_map(|u| words_denied(u)).collect();
    let here = words_denied(claim);
    here.iter().any(|w| !there.contains(w) && units.iter().any(|u| has(u, w)))
        || there.iter().any(|w| !here.contains(w) && has(claim, w))
}

/// Compares ends of scales: the units name the other one, or, of the ends that single something out, none.
fn compare_scales(claim: &[ClaimWord], units: &[Vec<ClaimWord>]) -> Option<Fault> {
    let scale = |w: &ClaimWord| SPOKEN.scales().row(&w.folded).map(|row| (row, row.field(0), row.field(1)));
    let all = || units.iter().flatten().filter_map(scale);
    let faults = claim.iter().filter_map(scale).filter_map(|(row, scale, end)| {
        let ends: Vec<&str> = all().filter(|(_, of, _)| *of == scale).map(|(.., end)| end).collect();
        match () {
            () if ends.contains(&end) => None,
            () if !ends.is_empty() => Some(Fault::Contradicted),
            () => row.has(2, "singles out").then_some(Fault::NotMentioned),
        }
    });
    faults.max_by_key(|fault| *fault == Fault::Contradicted)
}

/// Two names around a word that both sentences have, the other way round, with neither in the passive.
fn is_reversed(claim: &[ClaimWord], unit: &[ClaimWord]) -> bool {
    let place = |w: &ClaimWord| unit.iter().position(|u| u.plain == w.plain);
    let names: Vec<usize> = (0..claim.len())
        .filter(|&at| claim[at].capital && claim[at].is_content() && place(&claim[at]).is_some())
        .collect();
    let passive = |s: &[ClaimWord]| s.iter().any(|w| w.folded == "by");
    names.iter().enumerate().any(|(n, &a)| {
        names[n + 1..].iter().any(|&b| {
            let (Some(there_b), Some(there_a)) = (place(&claim[b]), place(&claim[a])) else { return false };
            let shared = |w: &ClaimWord| {
                w.is_content()
                    && !w.capital
                    && unit.get(there_b..there_a).is_some_and(|u| u.iter().any(|u| u.plain == w.plain))
            };
            there_b < there_a
                && claim[a..b].iter().any(shared)
                && passive(&claim[a..b]) == passive(&unit[there_b..there_a])
        })
    })
}
