//! Questions for what several have in common: "What genre do A and B share?"

use super::english::{needs_noun, pick_one, plural, third_person};
use super::phrases::end_of_list;
use super::wording::{Number, QuestionPieces, Role, Wording, piece};
use pocketgraph::kg::Direction;
use pocketgraph::planner::Query;
use pocketgraph_cluster::Random;

impl Wording<'_> {
    /// "What genre do A and B share": a question for what several have in common.
    pub(super) fn asks_shared(&self, parts: &[Query], random: &mut Random) -> Option<QuestionPieces> {
        let phrased = self.shared(parts, random)?;
        // What has an end of its own takes no second one.
        let ended = phrased.0.last().is_some_and(|(_, role)| *role == Role::Plain);
        Some(if ended { phrased } else { phrased.and(end_of_list(random)) })
    }

    fn shared(&self, parts: &[Query], random: &mut Random) -> Option<QuestionPieces> {
        let (starts, relation, direction, target) = Self::alike(parts)?;
        if random.below(4) == 0 {
            return None;
        }
        let role = Role::Relation(relation, direction);
        if direction == Direction::Backward {
            let number = if random.below(2) == 0 { Number::Many } else { Number::One };
            let noun = target.map_or_else(QuestionPieces::default, |t| {
                QuestionPieces::plain(" ").then(self.noun(t, number, random))
            });
            let names = self.names(&starts, "and", random);
            let start = QuestionPieces::plain(pick_one(random, &["Which", "What"])).then(noun);
            if let Some(base) = self.verb(relation, random) {
                let text = if number == Number::Many { base } else { third_person(&base) };
                return Some(start.and(" ").then(piece(text, role)).and(" ").then(names));
            }
            let label = self.label(relation, random);
            let is_participle = needs_noun(&label);
            let words = piece(label, role);
            let many = number == Number::Many;
            return Some(match is_participle {
                true => start.and(if many { " were " } else { " was " }).then(words).and(" ").then(names),
                false => start.and(if many { " have " } else { " has " }).then(names).and(" as ").then(words),
            });
        }
        if let Some(base) = self.verb(relation, random) {
            let start = QuestionPieces::plain(pick_one(random, &["What", "Which"]));
            let noun = target.map_or_else(QuestionPieces::default, |t| {
                QuestionPieces::plain(" ").then(self.noun(t, Number::Many, random))
            });
            let names = self.names(&starts, "and", random);
            let both = pick_one(random, &[" ", " ", " both ", " all "]);
            return Some(
                start
                    .then(noun)
                    .and(" do ")
                    .then(names)
                    .and(both)
                    .then(piece(base, role))
                    .and(end_of_list(random)),
            );
        }
        let label = self.label(relation, random);
        if needs_noun(&label) {
            let bare = label.rsplit_once(' ').map_or(label.as_str(), |(stem, _)| stem).to_owned();
            let names = self.names(&starts, "and", random);
            let both = if starts.len() == 2 && random.below(2) == 0 { " both " } else { " " };
            return Some(
                QuestionPieces::plain(pick_one(random, &["Where were ", "In what were ", "By whom were "]))
                    .then(names)
                    .and(both)
                    .then(piece(bare, role)),
            );
        }
        let label = if random.below(2) == 0 { plural(&label) } else { label };
        let words = piece(label, role);
        let which = QuestionPieces::plain(pick_one(random, &["What ", "Which "])).then(words.clone());
        let names = self.names(&starts, "and", random);
        Some(match random.below(10) {
            6 => QuestionPieces::plain(pick_one(
                random,
                &["What are the shared ", "What are the common ", "What is the common "],
            ))
            .then(words)
            .and(pick_one(random, &[" that ", " which ", " between ", " among ", " in "]))
            .then(names)
            .and(pick_one(random, &["", "", " have", " share", " both have", " had", " hold"])),
            7 => {
                QuestionPieces::plain(pick_one(random, &["What are the ", "What is the ", "Which are the "]))
                    .then(words)
                    .and(pick_one(
                        random,
                        &[" common to ", " shared by ", " in common between ", " shared between "],
                    ))
                    .then(names)
                    .and(end_of_list(random))
            }
            8 => QuestionPieces::plain(pick_one(random, &["In what ", "In which ", "For what "]))
                .then(words)
                .and(" do ")
                .then(names)
                .and(pick_one(random, &[" agree", " serve", " belong", " both appear", " meet"]))
                .and(end_of_list(random)),
            0 => which.and(" do ").then(names).and(pick_one(
                random,
                &[
                    " share",
                    " have in common",
                    " both have",
                    " all have",
                    " both hold",
                    " all have in common",
                ],
            )),
            1 => which
                .and(pick_one(
                    random,
                    &[" is shared by ", " is common to ", " are common to ", " are shared by "],
                ))
                .then(names),
            2 => QuestionPieces::plain(pick_one(
                random,
                &["What is the common ", "What are the common ", "What is the shared "],
            ))
            .then(words)
            .and(" of ")
            .then(names),
            3 => QuestionPieces::plain("What is the ")
                .then(words)
                .and(pick_one(random, &[" shared by ", " common to ", " that is shared by "]))
                .then(names),
            4 => QuestionPieces::plain("What is the ").then(words).and(" that ").then(names).and(pick_one(
                random,
                &[
                    " have in common",
                    " share",
                    " both have",
                    " all share",
                    " have",
                    " had",
                    " received",
                    " used",
                ],
            )),
            5 => which
                .and(pick_one(random, &[" is associated with ", " are associated with "]))
                .then(self.names_together(&starts, random)),
            _ => QuestionPieces::plain(pick_one(random, &["What is the ", "What are the "]))
                .then(words)
                .and(pick_one(random, &[" of ", " for ", " of "]))
                .then(self.names_together(&starts, random)),
        })
    }
}
