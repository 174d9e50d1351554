//! Superlatives of a question: which set is ranked, by what, and which end is kept.
//!
//! "The largest state" ranks states by what "large" measures of them, "the state with the lowest elevation"
//! by what is named, "the river that crosses the most states" by how many states a river leads to. The words
//! that say so are taken out of the question, so that what is left is a question without superlatives; which
//! set of a chain they belong to is told by the words for types.

use super::lexicon::Lexicon;
use super::measures::{find_extreme, is_small, measures};
use super::question::Token;
use super::rank::{Rank, Ranking, Start};
use super::schema::{Schema, Step};
use crate::compact::sort_by;
use crate::kg::{Class, Direction, RelationId, TypeId, Vocabulary};
use crate::plan::Extreme;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Superlatives {
    wishes: Vec<Wish>,
    /// Relations that are themselves named by a superlative ("highest point"): of several things the one at
    /// that end is meant.
    named: Vec<Named>,
}

#[derive(Debug, Clone, PartialEq)]
struct Wish {
    wanted: Wanted,
    /// The classes of what is ranked.
    of: Vec<Class>,
    /// Index of the type's ranked mention, from the outermost.
    mention: usize,
    by: Ranking,
    end: Extreme,
}

/// The things that a superlative ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    /// Things of a type, and the place of its word.
    Of(TypeId, usize),
    /// Whatever has the measure, which a word names (`spoken`) or an adjective alone means.
    Having {
        /// True if a word names the measure.
        spoken: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
struct Named {
    relations: Vec<RelationId>,
    by: RelationId,
    end: Extreme,
}

/// The relations that lead from things of a type to numbers or dates.
pub(super) fn numeric(schema: &Schema, of: TypeId) -> Vec<RelationId> {
    let is = |s: &&Step| s.direction == Direction::Forward && schema.is_value(s.to);
    let mut all: Vec<RelationId> =
        schema.from(Class::Type(of)).iter().filter(is).map(|s| s.relation).collect();
    all.dedup();
    all
}

/// A question's words while superlatives are read in them.
pub(super) struct Reading<'a> {
    pub lexicon: &'a Lexicon,
    pub schema: &'a Schema,
    pub vocabulary: &'a Vocabulary,
    pub tokens: Vec<Token>,
    /// The words that are read.
    pub gone: Vec<bool>,
    /// The ranked things, their measure, and the end.
    pub wishes: Vec<(Wanted, Ranking, Extreme)>,
    named: Vec<Named>,
}

/// Reads the superlatives of a question's words, and gives the words without them.
pub(super) fn read_superlatives(
    tokens: Vec<Token>,
    lexicon: &Lexicon,
    schema: &Schema,
    vocabulary: &Vocabulary,
) -> (Vec<Token>, Superlatives) {
    let gone = vec![false; tokens.len()];
    let mut reading =
        Reading { lexicon, schema, vocabulary, tokens, gone, wishes: Vec::new(), named: Vec::new() };
    for at in 0..reading.tokens.len() {
        if reading.gone[at]
            || reading.tokens[at].entity.is_some()
            || (at > 0 && reading.tokens[at - 1].folded == "at")
        {
            continue;
        }
        if let Some(end) = find_extreme(&reading.tokens[at].folded) {
            reading.superlative(at, end);
        }
    }
    let Reading { tokens, gone, wishes, named, .. } = reading;
    let mention = |of: TypeId, place: usize| {
        (0..place).filter(|&i| !gone[i] && tokens[i].types.first() == Some(&of)).count()
    };
    let wish = |&(wanted, by, end): &(Wanted, Ranking, Extreme)| {
        let (of, mention) = match (wanted, by) {
            (Wanted::Of(of, place), _) => (vec![Class::Type(of)], mention(of, place)),
            (Wanted::Having { .. }, Ranking::Value(relation)) => {
                (schema.holders(relation, Direction::Forward), 0)
            }
            (Wanted::Having { .. }, Ranking::Number(relation, direction)) => {
                (schema.holders(relation, direction), 0)
            }
        };
        Wish { wanted, of, mention, by, end }
    };
    let wishes = wishes.iter().map(wish).collect();
    let left = tokens.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(t, _)| t.clone()).collect();
    (left, Superlatives { wishes, named })
}

impl Reading<'_> {
    fn superlative(&mut self, at: usize, end: Extreme) {
        if self.named_relation(at, end) {
            return;
        }
        let counting = matches!(self.tokens[at].folded.as_str(), "most" | "least" | "fewest");
        let adverb = |t: &Token| t.folded.len() > 4 && t.folded.ends_with("ly") && t.types.is_empty();
        let filler = |t: &Token| {
            matches!(t.folded.as_str(), "number" | "amount" | "of" | "other" | "the") || adverb(t)
        };
        let mut next = at + 1;
        while self.tokens.get(next).is_some_and(filler) {
            next += 1;
        }
        if counting && self.counted(at, next, end) {
            return;
        }
        let known = self.wishes.len();
        if !self.manner(at, next, end) {
            self.valued(at, next, end, counting);
        }
        if self.wishes.len() == known {
            self.unnamed(at, next, end, counting);
        }
    }

    /// "The most densely populated state": what the adverb measures, not what the word behind it does.
    fn manner(&mut self, at: usize, next: usize, end: Extreme) -> bool {
        let Some(adverb) = (at + 1..next).find(|&i| !measures(&self.tokens[i].folded).is_empty()) else {
            return false;
        };
        let behind =
            self.tokens.get(next..next + 2).and_then(|two| two.iter().position(|t| !t.types.is_empty()));
        let place = behind
            .map(|ahead| next + ahead)
            .and_then(|place| Some((place, *self.tokens[place].types.first()?)));
        let Some((place, of)) = place.or_else(|| self.type_before(at)) else { return false };
        let numbers = numeric(self.schema, of);
        let word = &self.tokens[adverb].folded;
        let Some(by) = self.lexicon.measured_by(word).into_iter().map(|r| r.0).find(|r| numbers.contains(r))
        else {
            return false;
        };
        let end = match (is_small(word), end) {
            (false, end) => end,
            (true, Extreme::Max) => Extreme::Min,
            (true, Extreme::Min) => Extreme::Max,
        };
        let last = if place > at { place } else { next + 1 };
        self.wishes.push((Wanted::Of(of, place), Ranking::Value(by), end));
        self.gone[at..last.min(self.tokens.len())].fill(true);
        true
    }

    /// The nearest word for a type before a place.
    fn type_before(&self, at: usize) -> Option<(usize, TypeId)> {
        (0..at).rev().find_map(|i| Some((i, *self.tokens[i].types.first().filter(|_| !self.gone[i])?)))
    }

    /// "The highest point": a relation that a superlative names. "The state with the highest point" ranks
    /// states.
    fn named_relation(&mut self, at: usize, end: Extreme) -> bool {
        let Some(next) = self.tokens.get(at + 1).filter(|t| t.entity.is_none()) else { return false };
        let own: Vec<RelationId> =
            self.tokens[at].relations.iter().filter(|r| r.1 >= 1.0).map(|r| r.0).collect();
        let shared: Vec<RelationId> =
            own.iter().copied().filter(|r| next.relations.iter().any(|n| n.0 == *r)).collect();
        if shared.is_empty() {
            return false;
        }
        let plural = next.folded.ends_with('s');
        let before = self.type_before(at);
        let joins = |t: &Token| {
            matches!(
                t.folded.as_str(),
                "with" | "has" | "have" | "having" | "contain" | "contains" | "containing" | "whose"
            )
        };
        let small = |t: &Token| matches!(t.folded.as_str(), "the" | "a" | "an" | "its" | "that" | "which");
        let of = before.or_else(|| self.any_owner(&own));
        let Some(by) = of.and_then(|(_, of)| {
            let numbers = numeric(self.schema, of);
            shared.iter().chain(&own).copied().find(|r| numbers.contains(r))
        }) else {
            return true;
        };
        if let Some((place, of)) = before {
            let gap = &self.tokens[place + 1..at];
            if gap.iter().any(joins) && gap.iter().all(|t| joins(t) || small(t)) {
                self.wishes.push((Wanted::Of(of, place), Ranking::Value(by), end));
                self.gone[at] = true;
                self.gone[at + 1] = true;
                return true;
            }
        }
        if !plural {
            self.named.push(Named { relations: shared, by, end });
        }
        true
    }

    /// A type whose things have one of these relations.
    fn any_owner(&self, relations: &[RelationId]) -> Option<(usize, TypeId)> {
        self.schema
            .types()
            .find(|&of| numeric(self.schema, of).iter().any(|r| relations.contains(r)))
            .map(|of| (0, of))
    }

    /// "The most states": a number of things.
    fn counted(&mut self, at: usize, next: usize, end: Extreme) -> bool {
        let Some(&counted) = self.tokens.get(next).and_then(|t| t.types.first()) else { return false };
        let Some((place, of)) = self.type_before(at) else { return false };
        let leads = |s: &&Step| s.to == Class::Type(counted);
        let steps: Vec<Step> = self.schema.from(Class::Type(of)).iter().filter(leads).copied().collect();
        let spoken = |range: std::ops::Range<usize>, step: &Step| {
            self.tokens
                .get(range)
                .is_some_and(|all| all.iter().any(|t| t.relations.iter().any(|r| r.0 == step.relation)))
        };
        let between = steps.iter().find(|s| spoken(place + 1..at, s)).copied();
        let until = (next + 1..self.tokens.len())
            .find(|&i| !self.tokens[i].types.is_empty())
            .unwrap_or(self.tokens.len());
        let behind = || steps.iter().find(|s| spoken(next + 1..until, s)).copied();
        let Some(step) = between.or_else(behind).or_else(|| steps.first().copied()) else { return false };
        let words = if between.is_some() { place + 1..at } else { next + 1..until };
        for token in &mut self.tokens[words] {
            if token.relations.iter().any(|r| r.0 == step.relation) {
                token.relations.clear();
            }
        }
        self.wishes.push((Wanted::Of(of, place), Ranking::Number(step.relation, step.direction), end));
        self.gone[at..=next].fill(true);
        true
    }

    /// "The largest state", "the state with the largest population", "the most populous state".
    fn valued(&mut self, at: usize, next: usize, end: Extreme, counting: bool) {
        let token = self.tokens.get(next).cloned();
        let relations = |t: &Token| t.relations.iter().map(|r| r.0).collect::<Vec<_>>();
        let behind = self.tokens.get(next + 1).and_then(|t| Some((next + 1, *t.types.first()?)));
        let known = |of: TypeId, all: &[RelationId]| {
            let numbers = numeric(self.schema, of);
            all.iter().copied().find(|r| numbers.contains(r))
        };
        // A measure is named.
        if let Some(token) = token.as_ref().filter(|t| t.types.is_empty() && !t.relations.is_empty()) {
            let mut named = relations(token);
            let mut last = next;
            // "Population density": what both words speak of, else the second.
            if let Some(more) =
                self.tokens.get(next + 1).filter(|t| t.types.is_empty() && !t.relations.is_empty())
            {
                let second = relations(more);
                let both: Vec<RelationId> = named.iter().copied().filter(|r| second.contains(r)).collect();
                named = if both.is_empty() { second } else { both };
                last = next + 1;
            }
            let modified = behind.filter(|_| last == next);
            for (place, of) in modified.into_iter().chain(self.type_before(at)) {
                if let Some(by) = known(of, &named) {
                    self.wishes.push((Wanted::Of(of, place), Ranking::Value(by), end));
                    self.gone[at..=last].fill(true);
                    return;
                }
            }
        }
        if counting {
            return;
        }
        let mut place = next;
        let noun = token.as_ref().and_then(|t| t.types.first().copied());
        let (place, of) = match noun {
            Some(mut of) => {
                // Of nouns in a row the last says what is meant: "the oldest company museum", "the largest
                // state capital".
                while let Some(&further) = self.tokens.get(place + 1).and_then(|t| t.types.first()) {
                    self.gone[place] = true;
                    place += 1;
                    of = further;
                }
                (place, of)
            }
            None => match self.type_before(at) {
                Some(found) => found,
                None => return,
            },
        };
        let numbers = numeric(self.schema, of);
        // "The largest capital in population", "the largest city in Texas by population".
        let last = self.tokens.len().saturating_sub(2);
        let explicit = [place + 1, last].into_iter().find_map(|from| match self.tokens.get(from..from + 2) {
            Some([by, measure]) if matches!(by.folded.as_str(), "in" | "by") && measure.types.is_empty() => {
                Some((from, known(of, &relations(measure))?))
            }
            _ => None,
        });
        let spoken = explicit.map(|(from, _)| from);
        let explicit = explicit.map(|(_, by)| by);
        let adjective = self.lexicon.measured_by(&self.tokens[at].folded);
        let by = explicit.or_else(|| known(of, &adjective.iter().map(|r| r.0).collect::<Vec<_>>()));
        let only = match numbers.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        let Some(by) = by.or(only) else { return };
        self.wishes.push((Wanted::Of(of, place), Ranking::Value(by), end));
        self.gone[at] = true;
        if let Some(from) = spoken {
            self.gone[from..from + 2].fill(true);
        }
    }
}

impl Superlatives {
    /// The superlatives at their places in a chain, and how many have none.
    pub fn ranks(&self, start: Start, steps: &[Step]) -> (Vec<Rank>, usize) {
        let class = |at: usize| match (at.checked_sub(1), start) {
            (None, Start::All(of)) => Some(Class::Type(of)),
            (None, Start::Node(_) | Start::Having(_)) => None,
            (Some(before), _) => steps.get(before).map(|s| s.to),
        };
        let mut ranks = Vec::new();
        let mut unmet = 0;
        for wish in &self.wishes {
            // What a chain starts from because it is ranked, is ranked.
            let begins = matches!((wish.wanted, start), (Wanted::Having { .. }, Start::Having(_)));
            let is =
                |at: &usize| if begins { *at == 0 } else { class(*at).is_some_and(|c| wish.of.contains(&c)) };
            let places: Vec<usize> = (0..=steps.len()).rev().filter(is).collect();
            match places.get(wish.mention).or(places.last()) {
                Some(&at) => ranks.push(Rank { at, by: wish.by, end: wish.end }),
                None => unmet += 1,
            }
        }
        for named in &self.named {
            let several = |at: &usize| *at > 0 || !matches!(start, Start::Node(_));
            let meant = |step: &Step| {
                step.direction == Direction::Forward
                    && (named.relations.contains(&step.relation) || step.relation == named.by)
            };
            let places = (0..steps.len()).filter(|&at| meant(&steps[at])).filter(several);
            ranks.extend(places.map(|at| Rank { at, by: Ranking::Value(named.by), end: named.end }));
        }
        sort_by(&mut ranks, |a, b| a.at.cmp(&b.at));
        (ranks, unmet)
    }

    /// Returns the relation that all ranked things have, and its direction, where no word names their kind.
    /// The flag is true if a word names the relation.
    pub fn had(&self) -> Option<(RelationId, Direction, bool)> {
        self.wishes.iter().find_map(|wish| match (wish.wanted, wish.by) {
            (Wanted::Of(..), _) => None,
            (Wanted::Having { spoken }, Ranking::Value(relation)) => {
                Some((relation, Direction::Forward, spoken))
            }
            (Wanted::Having { spoken }, Ranking::Number(relation, direction)) => {
                Some((relation, direction, spoken))
            }
        })
    }

    /// The type of things among which a relation that a superlative names is sought, where the question names
    /// no other: "the highest point".
    pub fn owner(&self, schema: &Schema) -> Option<TypeId> {
        let by = self.named.first()?.by;
        schema.types().find(|&of| numeric(schema, of).contains(&by))
    }
}
