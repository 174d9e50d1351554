//! Lists of everything that is wanted: "the capital of A and also the counties of B", "the combined genres of
//! A and B".

use super::english::{active, needs_noun, pick_one, plural};
use super::wording::{Number, QuestionPieces, Role, Wording, piece};
use crate::lexicon;
use pocketgraph::kg::{Direction, RelationId, TypeId};
use pocketgraph::planner::Query;
use pocketgraph_cluster::Random;

impl Wording<'_> {
    /// Parts as a list of what is wanted, all together: "the capital of A and also the counties of B".
    pub(super) fn listed(&self, parts: &[Query], random: &mut Random) -> QuestionPieces {
        if let Some((starts, relation, direction, target)) = Self::alike(parts)
            && random.below(2) == 0
            && let Some(phrased) = self.pooled(&starts, (relation, direction), target, random)
        {
            return phrased;
        }
        let mut phrased: Option<QuestionPieces> = None;
        for part in parts {
            let active = match part {
                Query::Step { of, relation, direction: Direction::Forward, .. } if random.below(3) == 0 => {
                    self.who(of, *relation, random)
                }
                // "… and which cities are twinned with B", "… and those that border B".
                Query::Step { of, relation, direction: Direction::Backward, target }
                    if random.below(3) == 0 =>
                {
                    let noun = match (target, phrased.is_some() && random.below(3) == 0) {
                        (Some(t), false) => {
                            QuestionPieces::plain("which ").then(self.noun(*t, Number::Many, random))
                        }
                        (_, true) => QuestionPieces::plain(pick_one(
                            random,
                            &["those that", "the ones that", "those which", "all that"],
                        )),
                        (None, false) => {
                            QuestionPieces::plain(pick_one(random, &["what", "which things", "who"]))
                        }
                    };
                    Some(noun.then(self.clause(
                        of,
                        *relation,
                        Direction::Backward,
                        Number::Many,
                        false,
                        random,
                    )))
                }
                _ => None,
            };
            let number = if random.below(3) == 0 { Number::One } else { Number::Many };
            let all = pick_one(random, &["", "", "", "all ", "all of "]);
            let phrase = active
                .unwrap_or_else(|| QuestionPieces::plain(all).then(self.phrase(part, number, true, random)));
            phrased = Some(match phrased {
                None => phrase,
                Some(phrased) => {
                    // Of "and" alone nobody can tell whether all are wanted or what they have in common.
                    let and =
                        [" or ", " as well as ", " along with ", " together with ", " plus ", " or else "];
                    phrased.and(pick_one(random, &and)).then(phrase)
                }
            });
        }
        phrased.unwrap_or_default()
    }

    /// "Who directed …", where the relation has such a verb.
    fn who(&self, of: &Query, relation: RelationId, random: &mut Random) -> Option<QuestionPieces> {
        let past = active(&self.label(relation, random))?;
        let words = piece(past, Role::Relation(relation, Direction::Forward));
        Some(QuestionPieces::plain("who ").then(words).and(" ").then(self.phrase(
            of,
            Number::One,
            true,
            random,
        )))
    }

    /// Phrases the results of steps over one relation together: "the genres of A and B combined"; `None` if
    /// the relation's words do not fit a list.
    pub(super) fn pooled(
        &self,
        starts: &[&Query],
        (relation, direction): (RelationId, Direction),
        target: Option<TypeId>,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let label = self.label(relation, random);
        let role = Role::Relation(relation, direction);
        // "Both" of a list is each of them, where the rest of the sentence says that it is one.
        let whole = pick_one(random, &lexicon::frames("whole"));
        let end = pick_one(
            random,
            &["", "", "", " combined", " together", " respectively", " in total", " put together"],
        );
        let one = whole.contains("combined")
            || whole.contains("collective")
            || end.contains("combined")
            || end.contains("total");
        // "The genres of A and B" alone may be what they share.
        let word = if one { "and" } else { "or" };
        if direction == Direction::Backward {
            let noun = self.kind_or_thing(target, Number::Many, random);
            let names = self.names(starts, "or", random);
            let which =
                QuestionPieces::plain(pick_one(random, &["which ", "which ", "all the ", "all "])).then(noun);
            if let Some(base) = self.verb(relation, random) {
                return Some(which.and(" ").then(piece(base, role)).and(" ").then(names));
            }
            let (were, is_participle) = (pick_one(random, &[" were ", " are "]), needs_noun(&label));
            let words = piece(label, role);
            return is_participle.then(|| which.and(were).then(words).and(" ").then(names));
        }
        if needs_noun(&label) {
            return None;
        }
        let names = self.names(starts, word, random);
        let words = piece(plural(&label), role);
        let of = [
            " of ",
            " associated with ",
            " for ",
            " related to ",
            " linked to ",
            " connected to ",
            " from ",
            " involved in ",
        ];
        Some(QuestionPieces::plain(whole).then(words).and(pick_one(random, &of)).then(names).and(end))
    }
}
