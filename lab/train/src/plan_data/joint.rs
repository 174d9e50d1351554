//! Wordings with "both" for what two steps find: "which city is both the capital of … and the birthplace of
//! …".

use super::english::{needs_noun, pick_one};
use super::wording::{Number, QuestionPieces, Role, Wording, piece};
use pocketgraph::kg::Direction;
use pocketgraph::planner::Query;
use pocketgraph_cluster::Random;

impl Wording<'_> {
    /// Phrases steps over two relations: "Which city is both the capital of A and the birthplace of B".
    pub(super) fn asks_both(&self, parts: &[Query], random: &mut Random) -> Option<QuestionPieces> {
        let [Query::Step { target, .. }, Query::Step { .. }] = parts else { return None };
        let (first, second) = self.coordinate_nouns(parts, random)?;
        let which = pick_one(random, &["Which ", "What "]);
        let noun = self.kind_or_thing(*target, Number::One, random);
        let is = pick_one(
            random,
            &[
                " is both ",
                " is both ",
                " is both ",
                " is at the same time ",
                " is associated with both ",
                " is linked to both ",
                " serves as both ",
            ],
        );
        let and = pick_one(random, &[" and ", " and ", " as well as ", " and also "]);
        Some(match random.below(4) {
            0 => QuestionPieces::plain(pick_one(random, &["What is the common ", "What is the shared "]))
                .then(noun)
                .and(pick_one(random, &[" of ", " associated with ", " between "]))
                .then(first)
                .and(" and ")
                .then(second),
            _ => QuestionPieces::plain(which).then(noun).and(is).then(first).and(and).then(second),
        })
    }

    /// "The country that is both the origin of A and the home of B", as a noun phrase.
    pub(super) fn that_is_both(
        &self,
        parts: &[Query],
        number: Number,
        the: &str,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let [Query::Step { target, .. }, Query::Step { .. }] = parts else { return None };
        let (first, second) = self.coordinate_nouns(parts, random)?;
        let noun = self.kind_or_thing(*target, number, random);
        let both = if number == Number::Many { " that are both " } else { " that is both " };
        Some(QuestionPieces::plain(the).then(noun).and(both).then(first).and(" and ").then(second))
    }

    /// Two forward steps over nouns, in either order: "the capital of A", "the birthplace of B".
    fn coordinate_nouns(
        &self,
        parts: &[Query],
        random: &mut Random,
    ) -> Option<(QuestionPieces, QuestionPieces)> {
        let mut phrased = Vec::new();
        for part in parts {
            let Query::Step { of, relation, direction: Direction::Forward, .. } = part else { return None };
            let label = self.label(*relation, random);
            if needs_noun(&label) {
                return None;
            }
            let the = pick_one(random, &["the ", "the ", "a "]);
            let of = self.phrase(of, Number::One, true, random);
            let words = piece(label, Role::Relation(*relation, Direction::Forward));
            phrased.push(
                QuestionPieces::plain(the)
                    .then(words)
                    .and(pick_one(random, &[" of ", " of ", " for ", " with ", " in "]))
                    .then(of),
            );
        }
        if random.below(2) == 0 {
            phrased.reverse();
        }
        let second = phrased.pop()?;
        Some((phrased.pop()?, second))
    }
}
