//! Whether a span of a passage bears a sentence out as a claim: its numbers, ordinals and names, whether it is denied, which way it compares, and who does
//! it to whom. Sharing words is not enough: "ranking tenth" shares all but one with "ranking sixth".
//!
//! It is told by words, one sentence against the unit of each cited passage that shares most with it. What is said in other words is not held against the
//! sentence; what is said of another number, name or end of a scale is.

use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, stem, without_possessive, words};

/// Words of the same number or name compare equal: folded, without possessive, numbers without grouping marks.
pub(super) fn plain_word(word: &str) -> String {
    stem(without_possessive(&fold(word)))
}

struct ClaimWord {
    folded: String,
    plain: String,
    capital: bool,
}

fn words_of(text: &str) -> Vec<ClaimWord> {
    let say = |w: &str| ClaimWord { folded: fold(w), plain: plain_word(w), capital: w.starts_with(char::is_uppercase) };
    words(text).iter().map(|w| say(w.text)).collect()
}

impl ClaimWord {
    /// The number that the word is, ordinals apart from cardinals; "one" is a pronoun as often.
    fn number(&self) -> Option<(bool, String)> {
        if let Some(row) = SPOKEN.numbers().row(&self.folded).filter(|row| row.field(0) != "1" || row.has(1, "ordinal")) {
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

    fn denies(&self) -> bool {
        SPOKEN.denials().has(&self.folded, "claim") || self.folded.ends_with("n't") || self.folded.ends_with("n’t")
    }

    fn is_content(&self) -> bool {
        !is_stop_word(&self.folded) && !self.denies()
    }
}

/// Whether the passages' `units` (of each cited passage the one that shares most with the sentence) say otherwise than `claim`, or leave out what it says of
/// numbers, names and comparisons. `holds` tells whether a plain word stands anywhere in the passages.
pub(super) fn is_spoilt(claim: &str, units: &[&str], holds: &dyn Fn(&str) -> bool) -> bool {
    let claim = words_of(claim);
    let units: Vec<Vec<ClaimWord>> = units.iter().map(|u| words_of(u)).collect();
    let all = || units.iter().flatten();
    let number = claim.iter().filter_map(ClaimWord::number).any(|n| !all().filter_map(ClaimWord::number).any(|m| m == n));
    number
        || name(&claim, &units, holds)
        || denied(&claim, &units)
        || scaled(&claim, &units)
        || units.iter().any(|u| is_reversed(&claim, u))
}

/// A name that the passages lack; or one that their units have not where these name somebody else and no pronoun stands for anybody.
fn name(claim: &[ClaimWord], units: &[Vec<ClaimWord>], holds: &dyn Fn(&str) -> bool) -> bool {
    let is = |(at, w): (usize, &ClaimWord)| w.capital && w.is_content() && (at > 0 || claim.get(1).is_some_and(|next| next.capital));
    let names: Vec<&ClaimWord> = claim.iter().enumerate().filter(|(at, w)| is((*at, w))).map(|(_, w)| w).collect();
    let all = || units.iter().flatten();
    let there = |w: &ClaimWord| all().any(|u| u.plain == w.plain);
    let pronoun = all().any(|w| SPOKEN.pronouns().contains(&w.folded));
    names.iter().any(|w| !holds(&w.plain) || (!there(w) && !pronoun && units.len() == 1))
}

/// A denial on one side only, of a word that both have.
fn denied(claim: &[ClaimWord], units: &[Vec<ClaimWord>]) -> bool {
    let of = |sentence: &[ClaimWord]| -> Vec<String> {
        let denials = (0..sentence.len()).filter(|&at| sentence[at].denies() && sentence.get(at + 1).is_none_or(|w| w.folded != "only"));
        denials.flat_map(|at| sentence[at + 1..].iter().filter(|w| w.is_content()).take(2).map(|w| w.plain.clone())).collect()
    };
    let has = |sentence: &[ClaimWord], plain: &String| sentence.iter().any(|w| w.plain == *plain);
    let there: Vec<String> = units.iter().flat_map(|u| of(u)).collect();
    let here = of(claim);
    here.iter().any(|w| !there.contains(w) && units.iter().any(|u| has(u, w))) || there.iter().any(|w| !here.contains(w) && has(claim, w))
}

/// An end of a scale where the units speak of the other, or, of the ends that single something out, where they speak of none.
fn scaled(claim: &[ClaimWord], units: &[Vec<ClaimWord>]) -> bool {
    let scale = |w: &ClaimWord| SPOKEN.scales().row(&w.folded).map(|row| (row, row.field(0), row.field(1)));
    let all = || units.iter().flatten().filter_map(scale);
    claim.iter().filter_map(scale).any(|(row, scale, end)| {
        let mut ends = all().filter(|(_, of, _)| *of == scale).map(|(.., end)| end).peekable();
        let other = ends.peek().is_some();
        ends.all(|there| there != end) && (other || row.has(2, "singles out"))
    })
}

/// Two names around a word that both sentences have, the other way round, with neither in the passive.
fn is_reversed(claim: &[ClaimWord], unit: &[ClaimWord]) -> bool {
    let place = |w: &ClaimWord| unit.iter().position(|u| u.plain == w.plain);
    let names: Vec<usize> =
        (0..claim.len()).filter(|&at| claim[at].capital && claim[at].is_content() && place(&claim[at]).is_some()).collect();
    let passive = |s: &[ClaimWord]| s.iter().any(|w| w.folded == "by");
    names.iter().enumerate().any(|(n, &a)| {
        names[n + 1..].iter().any(|&b| {
            let (Some(there_b), Some(there_a)) = (place(&claim[b]), place(&claim[a])) else { return false };
            let shared = |w: &ClaimWord| {
                w.is_content() && !w.capital && unit.get(there_b..there_a).is_some_and(|u| u.iter().any(|u| u.plain == w.plain))
            };
            there_b < there_a && claim[a..b].iter().any(shared) && passive(&claim[a..b]) == passive(&unit[there_b..there_a])
        })
    })
}
