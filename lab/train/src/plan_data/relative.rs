//! Relative clauses around a name ("the place where … was born", "the author who wrote …") and questions that
//! end with a word of their beginning ("Where is the seat of … located?").

use super::english::{active, indefinite, needs_noun, pick_one, third_person};
use super::wording::{Number, QuestionPieces, Role, Wording, piece};
use pocketgraph::kg::Direction;
use pocketgraph::planner::Query;
use pocketgraph::text::lexicon::{Language, SPOKEN};
use pocketgraph_cluster::Random;

/// Continuation after a name of a label that ends in a preposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goes {
    /// "Born in": with "was".
    Passive,
    /// "Member of": with "is a".
    Noun,
    /// "Lives in": by itself.
    Finite,
}

/// A label that ends in a preposition: what stands before it, the preposition, and how it goes on.
pub(super) fn split_stranded(label: &str) -> Option<(&str, &'static str, Goes)> {
    let (stem, last) = label.rsplit_once(' ')?;
    let preposition = SPOKEN.prepositions().row(last).filter(|row| row.has(0, "clause"))?.word;
    let first = stem.split(' ').next().unwrap_or(stem);
    let passive = ["ed", "en", "rn", "de", "ung", "ot", "et", "wn", "ld", "lt", "nt", "un"]
        .iter()
        .any(|e| first.ends_with(e));
    Some(match () {
        () if stem.split(' ').count() == 1
            && first.ends_with('s')
            && !first.ends_with("ss")
            && !first.ends_with("us") =>
        {
            (stem, preposition, Goes::Finite)
        }
        () if passive || preposition != "of" || stem.contains(' ') => (stem, preposition, Goes::Passive),
        () => (stem, preposition, Goes::Noun),
    })
}

impl Wording<'_> {
    /// Returns the result of a forward step as a clause about its source; `None` without words for it.
    pub(super) fn relative(
        &self,
        step: &Query,
        number: Number,
        the: &str,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let &Query::Step { ref of, relation, target, .. } = step else { return None };
        let label = self.label(relation, random);
        let noun = match target {
            Some(t) => self.noun(t, number, random),
            None => self.vague(step, number, random),
        };
        let head = QuestionPieces::plain(the).then(noun);
        let words = |text: String| piece(text, Role::Relation(relation, Direction::Forward));
        let of = self.phrase(of, Number::One, true, random);
        // "The person who directed …".
        if let Some(past) = active(&label)
            && random.below(2) == 0
        {
            return Some(
                head.and(pick_one(random, &[" who ", " that "])).then(words(past)).and(" ").then(of),
            );
        }
        let (stem, preposition, goes) = split_stranded(&label)?;
        let is = pick_one(random, &[" was ", " is "]);
        let (place, whole) = (SPOKEN.prepositions().has(preposition, "place"), words(label.clone()));
        let a = indefinite(stem);
        let stem = words(stem.to_owned());
        let which = format!(" {preposition} which ");
        Some(match (goes, random.below(3)) {
            (Goes::Passive, 0) if place => head.and(" where ").then(of).and(is).then(stem),
            (Goes::Passive, 1) => head.and(&which).then(of).and(is).then(stem),
            (Goes::Passive, _) => {
                head.and(pick_one(random, &[" that ", " which ", " "])).then(of).and(is).then(whole)
            }
            (Goes::Noun, 0) => head.and(&which).then(of).and(" is ").and(a).then(stem),
            (Goes::Noun, _) => {
                head.and(pick_one(random, &[" that ", " which ", " "])).then(of).and(is).and(a).then(whole)
            }
            (Goes::Finite, 0) if place => head.and(" where ").then(of).and(" ").then(stem),
            (Goes::Finite, 1) => head.and(&which).then(of).and(" ").then(stem),
            (Goes::Finite, _) => {
                head.and(pick_one(random, &[" that ", " which ", " "])).then(of).and(" ").then(whole)
            }
        })
    }

    /// Phrases a question with an end that belongs to its beginning: "Which party is … a member of".
    pub(super) fn asks_with_end(&self, step: &Query, random: &mut Random) -> Option<QuestionPieces> {
        let &Query::Step { ref of, relation, target, .. } = step else { return None };
        let label = self.label(relation, random);
        let words = |text: &str| piece(text.to_owned(), Role::Relation(relation, Direction::Forward));
        let asked = match target {
            Some(t) => QuestionPieces::plain(pick_one(random, &["Which ", "What "])).then(self.noun(
                t,
                Number::One,
                random,
            )),
            None => QuestionPieces::plain(pick_one(random, &["What", "What", "Which"])),
        };
        match split_stranded(&label) {
            Some((stem, _, Goes::Noun)) => {
                let of = self.phrase(of, Number::One, true, random);
                Some(asked.and(" is ").then(of).and(" ").and(indefinite(stem)).then(words(&label)))
            }
            Some((stem, _, Goes::Finite)) => {
                // "Which town does … live in": a regular verb loses its ending.
                let base = stem.strip_suffix('s').filter(|b| third_person(b) == stem)?;
                let text = label.replacen(stem, base, 1);
                Some(
                    asked
                        .and(" does ")
                        .then(self.phrase(of, Number::One, true, random))
                        .and(" ")
                        .then(words(&text)),
                )
            }
            Some(_) => None,
            None if !needs_noun(&label) && self.question_word(step) == "Where" => {
                let is = pick_one(random, &["Where is the ", "Where is the ", "Where are the "]);
                let end = pick_one(random, &[" located", " situated", " found", " to be found", " based"]);
                let of = self.phrase(of, Number::One, true, random);
                Some(
                    QuestionPieces::plain(is)
                        .then(words(&label))
                        .and(pick_one(random, &[" of ", " of ", " for "]))
                        .then(of)
                        .and(end),
                )
            }
            None => None,
        }
    }

    /// Words something without a name: a person, a place or a thing, by what the relation leads to.
    fn vague(&self, step: &Query, number: Number, random: &mut Random) -> QuestionPieces {
        let nouns: [&[&'static str]; 2] = match self.question_word(step) {
            "Who" => [&["person", "one", "individual"], &["people", "ones", "individuals"]],
            "Where" => [&["place", "location", "area"], &["places", "locations", "areas"]],
            "When" => [&["date", "time"], &["dates", "times"]],
            _ => [&["thing", "entity", "one"], &["things", "entities", "ones"]],
        };
        QuestionPieces::plain(pick_one(random, nouns[usize::from(number == Number::Many)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_in_a_preposition_goes_on_as_its_word_class_does() {
        for (label, found) in [
            ("born in", Some(("born", "in", Goes::Passive))),
            ("member of", Some(("member", "of", Goes::Noun))),
            ("made of", Some(("made", "of", Goes::Passive))),
            ("lives in", Some(("lives", "in", Goes::Finite))),
            ("part of the series", None),
            ("director", None),
        ] {
            assert_eq!(split_stranded(label), found, "{label}");
        }
    }
}
