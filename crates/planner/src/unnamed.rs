//! Superlatives of which no word says what is ranked: "who has the highest salary", "what is the longest",
//! "who manages the most projects". Everything that has the measure is.

use super::measures::measures;
use super::question::Token;
use super::rank::Ranking;
use super::superlative::{Reading, Wanted};
use super::voice;
use crate::compact::sort_unique;
use crate::kg::{Class, Direction, RelationId};
use crate::plan::Extreme;
use crate::text::lexicon::{Language, SPOKEN};
use pocketgraph_question::is_article;

fn asks_for_a_thing(token: &Token) -> bool {
    matches!(token.folded.as_str(), "who" | "whom" | "whose" | "what" | "which")
}

/// The only one of these.
fn only<T: Copy + Ord>(mut all: Vec<T>) -> Option<T> {
    sort_unique(&mut all);
    if let [one] = all.as_slice() { Some(*one) } else { None }
}

impl Reading<'_> {
    /// Reads the superlative at a place, of which no word names the kind of what is ranked; `next` is the
    /// word that may name what is measured.
    pub(super) fn unnamed(&mut self, at: usize, next: usize, end: Extreme, counting: bool) {
        let before = &self.tokens[..at];
        if !before.iter().any(asks_for_a_thing) || before.iter().any(|t| !t.types.is_empty()) {
            return;
        }
        if counting && end == Extreme::Max {
            self.most(at, next);
        }
        if !counting {
            self.measured_by_name(at, next, end)
                .or_else(|| self.measured_before(at, next, end))
                .or_else(|| self.measured_by_adjective(at, next, end));
        }
    }

    fn wish(&mut self, by: Ranking, end: Extreme, spoken: bool) {
        self.wishes.push((Wanted::Having { spoken }, by, end));
    }

    /// The numbers or dates that a word speaks of, those alone that it speaks of most.
    fn numbers(&self, at: usize) -> Vec<RelationId> {
        let Some(token) = self.tokens.get(at).filter(|t| t.entity.is_none() && t.types.is_empty()) else {
            return Vec::new();
        };
        let numeric = || token.relations.iter().filter(|(r, _)| self.lexicon.numeric().contains(r));
        let best = numeric().map(|(_, worth)| *worth).fold(0.0, f32::max);
        numeric().filter(|(_, worth)| *worth >= best).map(|(r, _)| *r).collect()
    }

    /// Returns true if a word for having precedes a place, articles aside.
    fn is_had(&self, at: usize) -> bool {
        let before = self.tokens[..at].iter().rev().find(|t| !is_article(&t.folded));
        before.is_some_and(|t| matches!(t.folded.as_str(), "has" | "have" | "had" | "having" | "with"))
    }

    /// Returns true if the question word immediately precedes a place, except for articles and, if `by_be`, a
    /// form of "be": "which salary", "what is the highest salary".
    fn is_asked_for(&self, at: usize, by_be: bool) -> bool {
        let mut before = self.tokens[..at].iter().rev().filter(|t| !is_article(&t.folded)).peekable();
        before.next_if(|t| by_be && SPOKEN.auxiliaries().has(&t.folded, "be"));
        before.next().is_some_and(|t| matches!(t.folded.as_str(), "what" | "which"))
    }

    /// Returns true if a place has no word, an entity, or a function word.
    fn ends(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_none_or(|t| t.entity.is_some() || pocketgraph_question::is_function_word(&t.folded))
    }

    /// "Who has the highest salary"; of "what is the highest salary" the measure is left to be asked for.
    fn measured_by_name(&mut self, at: usize, next: usize, end: Extreme) -> Option<()> {
        let (first, second) = (self.numbers(next), self.numbers(next + 1));
        let both: Vec<RelationId> = first.iter().copied().filter(|r| second.contains(r)).collect();
        let last = if second.is_empty() || first.is_empty() { next } else { next + 1 };
        let by = only(if last == next {
            first
        } else if both.is_empty() {
            second
        } else {
            both
        })?;
        if self.tokens.get(last + 1).is_some_and(|t| !t.types.is_empty()) {
            return None;
        }
        self.wish(Ranking::Value(by), end, true);
        let until = if self.is_asked_for(at, true) { at } else { last };
        self.gone[at..=until].fill(true);
        Some(())
    }

    /// "Whose salary is the highest", "who was hired earliest"; of "which salary is the highest" the measure
    /// is left to be asked for.
    fn measured_before(&mut self, at: usize, next: usize, end: Extreme) -> Option<()> {
        let joins = |t: &Token| is_article(&t.folded) || SPOKEN.auxiliaries().has(&t.folded, "be");
        let named = (0..at).rev().find(|&i| !joins(&self.tokens[i])).filter(|_| self.ends(next))?;
        let by = only(self.numbers(named))?;
        self.wish(Ranking::Value(by), end, true);
        let from = if self.is_asked_for(named, false) { at } else { named };
        self.gone[from..=at].fill(true);
        Some(())
    }

    /// "What is the longest": what the adjective measures.
    fn measured_by_adjective(&mut self, at: usize, next: usize, end: Extreme) -> Option<()> {
        let adjective = &self.tokens[at].folded;
        if measures(adjective).is_empty() || !self.ends(next) {
            return None;
        }
        let all = self.lexicon.measured_by(adjective);
        let best = all.first()?.1;
        let by = only(all.into_iter().filter(|(_, worth)| *worth >= best).map(|(r, _)| r).collect())?;
        self.wish(Ranking::Value(by), end, false);
        self.gone[at] = true;
        Some(())
    }

    /// "Who has the most skills", "who manages the most projects". The fewest may be none at all, and whose
    /// that is no relation tells.
    fn most(&mut self, at: usize, next: usize) -> Option<()> {
        let noun = self.tokens.get(next).filter(|t| t.entity.is_none())?;
        let had = self.is_had(at);
        let spoken: Vec<RelationId> = if had {
            noun.relations.iter().map(|(r, _)| *r).filter(|r| !self.lexicon.numeric().contains(r)).collect()
        } else {
            self.tokens[..at].iter().flat_map(|t| &t.relations).map(|(r, _)| *r).collect()
        };
        let (relation, direction) = if noun.types.is_empty() {
            let relation = only(spoken).filter(|_| had)?;
            let words = [noun.folded.as_str(), "of"];
            // What "the dependencies of X" are, it has.
            let label = self.vocabulary.relation(relation).map_or("", |r| r.label.as_str());
            (
                relation,
                voice::direction(label, &words, words.len(), &|i| i == 0).unwrap_or(Direction::Forward),
            )
        } else {
            let leads = |to: Class| noun.types.iter().any(|t| to == Class::Type(*t));
            let steps = self.schema.steps().filter(|s| spoken.contains(&s.relation) && leads(s.to));
            only(steps.map(|s| (s.relation, s.direction)).collect())?
        };
        self.wish(Ranking::Number(relation, direction), Extreme::Max, true);
        self.gone[at..=next].fill(true);
        for token in &mut self.tokens[..at] {
            token.relations.retain(|(r, _)| *r != relation);
        }
        Some(())
    }
}
