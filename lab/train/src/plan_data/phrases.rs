//! Queries as noun phrases and clauses of English.

use super::english::{
    active, choose_article, finite, is_participle, needs_noun, pick_one, plural, third_person, verb,
};
use super::wording::{Number, QuestionPieces, Role, Wording, piece};
use crate::lexicon;
use pocketgraph::kg::{Direction, NodeId, RelationId, TypeId};
use pocketgraph::planner::Query;
use pocketgraph_cluster::Random;

impl Wording<'_> {
    /// A noun phrase for the set.
    pub(super) fn phrase(
        &self,
        query: &Query,
        number: Number,
        article: bool,
        random: &mut Random,
    ) -> QuestionPieces {
        let the = if article { "the " } else { "" };
        if let Some(phrased) = self.sharing(query, number, the, random) {
            return phrased;
        }
        match query {
            Query::Entity(node) => self.mention(*node, random),
            Query::All(of) => QuestionPieces::plain(the).then(self.noun(*of, number, random)),
            Query::Step { direction: Direction::Forward, .. } => self.forward(query, number, the, random),
            Query::Step { of, relation, direction: Direction::Backward, target } => {
                let noun = self.kind_or_thing(*target, number, random);
                // "Mark Webber written films".
                if random.below(12) == 0
                    && matches!(of.as_ref(), Query::Entity(_))
                    && let Some(stem) = self.label(*relation, random).strip_suffix(" by")
                {
                    let words = piece(stem.to_owned(), Role::Relation(*relation, Direction::Backward));
                    return QuestionPieces::plain(the)
                        .then(self.phrase(of, Number::One, true, random))
                        .and(" ")
                        .then(words)
                        .and(" ")
                        .then(noun);
                }
                let the =
                    if the.is_empty() || number == Number::Many { the } else { article_of(random, &noun) };
                QuestionPieces::plain(the).then(noun).then(self.having(of, *relation, number, random))
            }
            Query::And(parts) => self.joined(parts, number, article, random),
            Query::Or(parts) => self.either(parts, number, article, random),
            Query::Not(main, minus) => {
                if random.below(2) == 0
                    && let Some((noun, clauses)) = self.clauses(query, number, random)
                {
                    let noun = if noun.0.is_empty() { untyped_noun(number, random) } else { noun };
                    return QuestionPieces::plain(the).then(noun).and(" that").then(clauses);
                }
                let but = pick_one(
                    random,
                    &[
                        " but not ",
                        " except ",
                        " excluding ",
                        " that are not ",
                        " but without ",
                        ", leaving out ",
                        " other than ",
                    ],
                );
                self.phrase(main, number, article, random).and(but).then(self.phrase(
                    minus,
                    Number::Many,
                    true,
                    random,
                ))
            }
        }
    }

    /// "Films that have the same director as …": a step and the same step back.
    fn sharing(
        &self,
        query: &Query,
        number: Number,
        the: &str,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let Query::Step { of, relation, direction, target } = query else { return None };
        let Query::Step { of: entity, relation: first, direction: before, target: between } = of.as_ref()
        else {
            return None;
        };
        if first != relation
            || before == direction
            || !matches!(entity.as_ref(), Query::Entity(_))
            || random.below(4) == 0
        {
            return None;
        }
        let noun = self.kind_or_thing(*target, number, random);
        let entity = self.phrase(entity, Number::One, true, random);
        let many = number == Number::Many;
        let role = Role::Relation(*relation, *before);
        let lead = QuestionPieces::plain(the).then(noun.clone());
        if *before == Direction::Forward {
            let label = self.label(*relation, random);
            if needs_noun(&label) {
                let by = if many { " that were " } else { " that was " };
                let end = pick_one(random, &[" the same one as ", " the same as "]);
                return Some(lead.and(by).then(piece(label, role)).and(end).then(entity));
            }
            let past = active(&self.label(*relation, random));
            let words = piece(if random.below(3) == 0 { plural(&label) } else { label }, role);
            if let Some(past) = past
                && random.below(2) == 0
            {
                return Some(lead.and(" whose ").then(words).and(" also ").and(&past).and(" ").then(entity));
            }
            return Some(match random.below(5) {
                4 => {
                    let also = pick_one(random, &[" is also that of ", " are also those of "]);
                    lead.and(" whose ").then(words).and(also).then(entity)
                }
                0 => lead
                    .and(if many { " that share " } else { " that shares " })
                    .then(words)
                    .and(" with ")
                    .then(entity),
                other @ (1 | 2) => {
                    let same = match (other, many) {
                        (1, true) => " that have the same ",
                        (1, false) => " that has the same ",
                        _ => pick_one(random, &[" with the same ", " of the same ", " from the same "]),
                    };
                    lead.and(same).then(words).and(pick_one(random, &[" as ", " as ", " of "])).then(entity)
                }
                _ => QuestionPieces::plain(the)
                    .and("other ")
                    .then(noun)
                    .and(" of the ")
                    .then(words)
                    .and(" of ")
                    .then(entity),
            });
        }
        // "The actors who starred in the same films as …": what lies between is said by its type.
        let between =
            between.map_or_else(|| QuestionPieces::plain("things"), |t| self.noun(t, Number::Many, random));
        let label = self.label(*relation, random);
        if needs_noun(&label) {
            return None;
        }
        let past = active(&self.label(*relation, random));
        let words = piece(label, role);
        if let Some(past) = past
            && random.below(2) == 0
        {
            let who = lead.and(pick_one(random, &[" who ", " that "])).then(piece(past, role));
            return Some(match random.below(2) {
                0 => who.and(" ").then(between).and(" together with ").then(entity),
                _ => who.and(" the same ").then(between).and(" as ").then(entity),
            });
        }
        Some(match random.below(3) {
            2 => {
                let with = QuestionPieces::plain(the).and(pick_one(random, &["co-", "fellow "])).then(words);
                with.and(pick_one(random, &[" of ", " with "])).then(entity)
            }
            0 => {
                let is = if many { " that are the " } else { " that is the " };
                lead.and(is).then(words).and(" of the same ").then(between).and(" as ").then(entity)
            }
            _ => {
                let sharing = pick_one(random, &[" sharing ", " that have in common "]);
                lead.and(sharing).then(between).and(" with ").then(entity).and(" as ").then(words)
            }
        })
    }

    /// "The director of …" and its like.
    fn forward(&self, step: &Query, number: Number, the: &str, random: &mut Random) -> QuestionPieces {
        let &Query::Step { ref of, relation, target, .. } = step else { return QuestionPieces::default() };
        let role = Role::Relation(relation, Direction::Forward);
        // What is asked of a set is asked of one of it or of all.
        let inner = if random.below(3) == 0 { Number::Many } else { Number::One };
        let of_phrase = |random: &mut Random| self.phrase(of, inner, true, random);
        if let Some(base) = self.verb(relation, random) {
            let noun = self.kind_or_thing(target, number, random);
            let that = pick_one(random, &[" that ", " "]);
            let verb = piece(third_person(&base), role);
            return QuestionPieces::plain(the)
                .then(noun)
                .and(that)
                .then(of_phrase(random))
                .and(" ")
                .then(verb);
        }
        if random.below(4) == 0
            && let Some(phrased) = self.relative(step, number, the, random)
        {
            return phrased;
        }
        let words = piece(self.label(relation, random), role);
        if needs_noun(&words.0[0].0) {
            if random.below(2) == 0
                && let Some(phrased) = self.relative(step, number, the, random)
            {
                return phrased;
            }
            let lead = match target {
                Some(t) => QuestionPieces::plain(the).then(self.noun(t, number, random)).and(" "),
                None => QuestionPieces::plain("what "),
            };
            return lead.then(of_phrase(random)).and(pick_one(random, &[" was ", " is "])).then(words);
        }
        let simple = matches!(**of, Query::Entity(_));
        if random.below(if simple { 3 } else { 8 }) == 0 {
            // "Heat's director" and, more rarely, "the Heat director".
            let own = if simple && random.below(4) == 0 { " " } else { "'s " };
            let the = if own == " " { the } else { "" };
            return QuestionPieces::plain(the).then(of_phrase(random)).and(own).then(words);
        }
        // "The country that is the origin of …": type and relation both.
        if let Some(t) = target
            && random.below(5) == 0
        {
            let that = if number == Number::Many { " that are the " } else { " that is the " };
            return QuestionPieces::plain(the)
                .then(self.noun(t, number, random))
                .and(that)
                .then(words)
                .and(" of ")
                .then(of_phrase(random));
        }
        let words = match number {
            Number::Many if random.below(2) == 0 => {
                QuestionPieces(words.0.into_iter().map(|(text, role)| (plural(&text), role)).collect())
            }
            _ => words,
        };
        let the = if the.is_empty() || number == Number::Many {
            the
        } else {
            choose_article(random, &words.0[0].0)
        };
        let between = match random.below(3) {
            0 => pick_one(random, &lexicon::frames("between")),
            _ => " of ",
        };
        QuestionPieces::plain(the).then(words).and(between).then(of_phrase(random))
    }

    /// " whose director is …" and its like: of what a backward step from `of` finds.
    fn having(
        &self,
        of: &Query,
        relation: RelationId,
        number: Number,
        random: &mut Random,
    ) -> QuestionPieces {
        let many = number == Number::Many;
        if let Some(base) = self.verb(relation, random) {
            let phrased = if many { base } else { third_person(&base) };
            let words = piece(phrased, Role::Relation(relation, Direction::Backward));
            return QuestionPieces::plain(pick_one(random, &[" that ", " which ", " who "]))
                .then(words)
                .and(" ")
                .then(self.phrase(of, Number::One, true, random));
        }
        let label = self.label(relation, random);
        let (is_participle, is_present) = (needs_noun(&label), is_participle(&label));
        let words = piece(label, Role::Relation(relation, Direction::Backward));
        let of = self.phrase(of, Number::One, true, random);
        if is_participle {
            let links =
                if many { [" ", " that are ", " that were "] } else { [" ", " that is ", " that was "] };
            return QuestionPieces::plain(if is_present { " " } else { pick_one(random, &links) })
                .then(words)
                .and(" ")
                .then(of);
        }
        match random.below(7) {
            0 => QuestionPieces::plain(if many { " that have " } else { " that has " })
                .then(of)
                .and(" as ")
                .then(words),
            1 => QuestionPieces::plain(" with ").then(words).and(" ").then(of),
            2 => QuestionPieces::plain(" having ")
                .then(of)
                .and(if many { " as their " } else { " as its " })
                .then(words),
            3 => QuestionPieces::plain(" for which the ").then(words).and(" is ").then(of),
            4 => QuestionPieces::plain(" of which ").then(of).and(" is the ").then(words),
            5 => QuestionPieces::plain(" where ").then(of).and(" is the ").then(words),
            _ => QuestionPieces::plain(" whose ").then(words).and(" is ").then(of),
        }
    }

    /// Phrases what a step states of its results, or its negation: " was directed by …", " is the capital of
    /// …".
    pub(super) fn clause(
        &self,
        of: &Query,
        relation: RelationId,
        direction: Direction,
        number: Number,
        not: bool,
        random: &mut Random,
    ) -> QuestionPieces {
        let many = number == Number::Many;
        let one_piece = |text: String| piece(text, Role::Relation(relation, direction));
        let (is, does, has) =
            if many { (" are ", " do not ", " have ") } else { (" is ", " does not ", " has ") };
        let is_not = if not { format!("{is}not ") } else { is.to_owned() };
        if direction == Direction::Forward {
            let label = self.label(relation, random);
            let of = self.phrase(of, Number::One, true, random);
            let also = if !not && random.below(3) == 0 { "also " } else { "" };
            if needs_noun(&label) {
                // "Is what … was born in": said of the place where somebody was born.
                return QuestionPieces::plain(&is_not)
                    .and("where ")
                    .then(of)
                    .and(" was ")
                    .then(one_piece(label));
            }
            let link = pick_one(random, &[" of ", " of ", " for "]);
            if !not && random.below(8) == 0 {
                return QuestionPieces::plain(if many { " serve as " } else { " serves as " })
                    .and("the ")
                    .then(one_piece(label))
                    .and(link)
                    .then(of);
            }
            return QuestionPieces::plain(&is_not)
                .and(also)
                .and("the ")
                .then(one_piece(label))
                .and(link)
                .then(of);
        }
        if let Some(base) = self.verb(relation, random) {
            let of = self.phrase(of, Number::One, true, random);
            let text = if not || many { base } else { third_person(&base) };
            return QuestionPieces::plain(if not { does } else { " " })
                .then(one_piece(text))
                .and(" ")
                .then(of);
        }
        let label = self.label(relation, random);
        let is_participle = needs_noun(&label);
        let words = one_piece(label);
        let of = self.phrase(of, Number::One, true, random);
        if is_participle {
            let past = if many { " were " } else { " was " };
            let link = if random.below(2) == 0 {
                is_not
            } else if not {
                format!("{past}not ")
            } else {
                past.to_owned()
            };
            return QuestionPieces::plain(&link).then(words).and(" ").then(of);
        }
        let has = if not { format!("{does}have ") } else { has.to_owned() };
        match random.below(3) {
            0 => QuestionPieces::plain(&has).then(of).and(" as ").then(words),
            1 => QuestionPieces::plain(&has)
                .then(of)
                .and(if many { " as their " } else { " as its " })
                .then(words),
            _ => QuestionPieces::plain(&has).and("the ").then(words).and(" ").then(of),
        }
    }

    /// Returns the common noun of all parts, if any, and their clauses: " were directed by … and have …".
    pub(super) fn clauses(
        &self,
        query: &Query,
        number: Number,
        random: &mut Random,
    ) -> Option<(QuestionPieces, QuestionPieces)> {
        match query {
            Query::Step { of, relation, direction, target } => {
                let noun = target.map_or_else(QuestionPieces::default, |t| self.noun(t, number, random));
                Some((noun, self.clause(of, *relation, *direction, number, false, random)))
            }
            // Two over one relation and a third: "… borders both A and B and is also …".
            Query::And(parts) if parts.len() == 3 && random.below(4) > 0 => {
                let pair = [[0, 1, 2], [0, 2, 1], [1, 2, 0]].into_iter().find_map(|[a, b, c]| {
                    let two = [parts[a].clone(), parts[b].clone()];
                    (Self::alike(&two).is_some() && Self::alike(parts).is_none()).then_some((two, c))
                });
                let Some((two, rest)) = pair else { return self.in_a_row(parts, number, random) };
                let shared = self.shared_clause(&two, number, random)?;
                let (noun, other) = self.clauses(&parts[rest], number, random)?;
                let and =
                    pick_one(random, &[" and", " and also", " and at the same time", " and simultaneously"]);
                Some((
                    noun,
                    if random.below(2) == 0 {
                        shared.and(and).then(other)
                    } else {
                        other.and(and).then(shared)
                    },
                ))
            }
            Query::And(parts) if parts.len() == 2 && Self::alike(parts).is_some() && random.below(2) == 0 => {
                let (noun, _) = self.clauses(&parts[0], number, random)?;
                Some((noun, self.shared_clause(parts, number, random)?))
            }
            Query::And(parts) => self.in_a_row(parts, number, random),
            Query::Not(main, minus) => {
                let (noun, phrased) = self.clauses(main, number, random)?;
                let Query::Step { of, relation, direction, .. } = minus.as_ref() else { return None };
                let but = pick_one(random, &[" but", " but", " and", " yet", ", but"]);
                Some((
                    noun,
                    phrased.and(but).then(self.clause(of, *relation, *direction, number, true, random)),
                ))
            }
            Query::Entity(_) | Query::All(_) | Query::Or(_) => None,
        }
    }

    /// A clause for steps over one relation from several entities: " was directed by both A and B".
    fn shared_clause(&self, parts: &[Query], number: Number, random: &mut Random) -> Option<QuestionPieces> {
        let (starts, relation, direction, _) = Self::alike(parts)?;
        let names = self.names(&starts, "and", random);
        let many = number == Number::Many;
        let role = Role::Relation(relation, direction);
        if direction == Direction::Backward {
            if let Some(base) = self.verb(relation, random) {
                let verb = piece(if many { base } else { third_person(&base) }, role);
                return Some(QuestionPieces::plain(" ").then(verb).and(" ").then(names));
            }
            let label = self.label(relation, random);
            let is_participle = needs_noun(&label);
            let words = piece(label, role);
            return Some(match is_participle {
                true => QuestionPieces::plain(if many { " were " } else { " was " })
                    .then(words)
                    .and(" ")
                    .then(names),
                false => QuestionPieces::plain(if many { " have " } else { " has " })
                    .then(names)
                    .and(" as ")
                    .then(words),
            });
        }
        let label = self.label(relation, random);
        let is = if many { " are " } else { " is " };
        if needs_noun(&label) {
            return Some(
                QuestionPieces::plain(is).and("where ").then(names).and(" were ").then(piece(label, role)),
            );
        }
        let link = pick_one(random, &[" of ", " for ", " shared by "]);
        Some(QuestionPieces::plain(is).and("the ").then(piece(label, role)).and(link).then(names))
    }

    /// The clauses of parts one after the other.
    fn in_a_row(
        &self,
        parts: &[Query],
        number: Number,
        random: &mut Random,
    ) -> Option<(QuestionPieces, QuestionPieces)> {
        let order: Vec<usize> =
            if random.below(2) == 0 { (0..parts.len()).collect() } else { (0..parts.len()).rev().collect() };
        let mut found: Option<(QuestionPieces, QuestionPieces)> = None;
        for (place, &i) in order.iter().enumerate() {
            let (noun, clause) = self.clauses(&parts[i], number, random)?;
            found = Some(match found {
                None => (noun, clause),
                Some((noun, phrased)) if place + 1 < order.len() => (noun, phrased.and(",").then(clause)),
                Some((noun, phrased)) => {
                    let and = pick_one(
                        random,
                        &[
                            " and",
                            " and",
                            " and also",
                            " and at the same time",
                            " and simultaneously",
                            " as well as",
                        ],
                    );
                    (noun, phrased.and(and).then(clause))
                }
            });
        }
        found
    }

    /// Returns the common relation of all parts, if they have one, with their sources.
    pub(super) fn alike(parts: &[Query]) -> Option<(Vec<&Query>, RelationId, Direction, Option<TypeId>)> {
        let mut found: Option<(Vec<&Query>, RelationId, Direction, Option<TypeId>)> = None;
        for part in parts {
            let Query::Step { of, relation, direction, target } = part else { return None };
            match &mut found {
                None => found = Some((vec![of], *relation, *direction, *target)),
                Some((starts, r, d, _)) if r == relation && d == direction => starts.push(of),
                Some(_) => return None,
            }
        }
        found
    }

    /// "A and B", "both A and B", "A, B, and C".
    pub(super) fn names(&self, starts: &[&Query], word: &str, random: &mut Random) -> QuestionPieces {
        let lead = match (starts.len(), word) {
            (2, "and") if random.below(2) == 0 => "both ",
            (2, "or") if random.below(2) == 0 => "either ",
            _ => "",
        };
        self.names_after(lead, starts, word, random)
    }

    /// Names that something is true of together, where nothing else says so: "both A and B".
    pub(super) fn names_together(&self, starts: &[&Query], random: &mut Random) -> QuestionPieces {
        self.names_after(if starts.len() == 2 { "both " } else { "" }, starts, "and", random)
    }

    fn names_after(&self, lead: &str, starts: &[&Query], word: &str, random: &mut Random) -> QuestionPieces {
        let comma = if starts.len() > 2 && random.below(2) == 0 { "," } else { "" };
        let mut order: Vec<&Query> = starts.to_vec();
        if random.below(2) == 0 {
            order.reverse();
        }
        // "The film … and the series …", "“…,” “…,” and “…”": each with its type, or all in quotation marks.
        let entities = order.iter().all(|s| matches!(s, Query::Entity(_)));
        let (kinds, quoted, inside) =
            (entities && random.below(6) == 0, entities && random.below(8) == 0, random.below(2) == 0);
        let quote = if quoted { "\"" } else { "" };
        let mut phrased = QuestionPieces::plain(lead);
        for (i, start) in order.iter().enumerate() {
            let gap = match i {
                0 => String::new(),
                i if i + 1 == order.len() => format!("{comma} {word} "),
                _ => ", ".to_owned(),
            };
            let gap = match gap.strip_prefix(',') {
                Some(rest) if inside => format!(",{quote}{rest}"),
                _ if i > 0 => format!("{quote}{gap}"),
                _ => gap,
            };
            phrased = phrased.and(&gap);
            phrased = match start {
                Query::Entity(node) if kinds || quoted => {
                    let kind = self.graph.types(*node).first().filter(|_| kinds);
                    let kind = kind.map_or_else(String::new, |t| format!("the {} ", self.kind(*t, random)));
                    phrased
                        .and(&kind)
                        .and(quote)
                        .then(piece(self.graph.label(*node).to_owned(), Role::Entity(*node)))
                }
                _ => phrased.then(self.phrase(start, Number::One, true, random)),
            };
        }
        phrased.and(quote)
    }

    /// Returns a name for a kind of thing, as people may call it.
    fn kind(&self, of: TypeId, random: &mut Random) -> String {
        let label =
            self.graph.vocabulary().entity_type(of).map_or_else(String::new, |t| t.label.to_lowercase());
        let other: Vec<&'static str> =
            lexicon::type_wordings().row(&label).map(|row| row.list(0).collect()).unwrap_or_default();
        if other.is_empty() || random.below(2) == 0 { label } else { pick_one(random, &other).to_owned() }
    }

    /// Words parts of an intersection, or of a union, that end alike by the noun that they share: "the director
    /// of A or B".
    fn alike_ends(
        &self,
        parts: &[Query],
        either: bool,
        number: Number,
        the: &str,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let (starts, relation, direction, target) = Self::alike(parts).filter(|_| random.below(3) > 0)?;
        let names = self.names(&starts, if either { "or" } else { "and" }, random);
        let the = QuestionPieces::plain(the);
        if let Some(phrased) = self.verbal(&names, (relation, direction), target, number, random) {
            return Some(the.then(phrased));
        }
        let label = self.label(relation, random);
        let is_participle = needs_noun(&label);
        let words = piece(label, Role::Relation(relation, direction));
        if direction == Direction::Backward {
            let asked = the.then(self.kind_or_thing(target, number, random));
            let asked = asked.and(match (is_participle, number == Number::Many) {
                (true, _) if either => pick_one(random, &[" ", " that were "]),
                (false, _) if either => pick_one(random, &[" that have ", " with "]),
                (true, true) => " that were ",
                (true, false) => " that was ",
                (false, true) => " that have ",
                (false, false) => " that has ",
            });
            return Some(if is_participle {
                asked.then(words).and(" ").then(names)
            } else {
                asked.then(names).and(" as ").then(words)
            });
        }
        if is_participle {
            return None;
        }
        let asked = the.then(words);
        if either {
            return Some(asked.and(pick_one(random, &[" of ", " of ", " for "])).then(names));
        }
        let links = [
            " of ",
            " for ",
            " associated with ",
            " shared by ",
            " common to ",
            " that is shared by ",
            " shared between ",
        ];
        let link = pick_one(random, &links);
        // "The genres of A and B" are those of each; together they have them where something says so.
        let names = if links[..3].contains(&link) { self.names_together(&starts, random) } else { names };
        Some(asked.and(link).then(names).and(end_of_list(random)))
    }

    /// Words an intersection. Parts that end alike share their noun.
    fn joined(&self, parts: &[Query], number: Number, article: bool, random: &mut Random) -> QuestionPieces {
        let the = if article { "the " } else { "" };
        if let Some(phrased) = self.alike_ends(parts, false, number, the, random) {
            return phrased;
        }
        if random.below(3) == 0
            && let Some(phrased) = self.that_is_both(parts, number, the, random)
        {
            return phrased;
        }
        if random.below(2) == 0
            && let Some((noun, clauses)) = self.clauses(&Query::And(parts.to_vec()), number, random)
        {
            let noun = if noun.0.is_empty() { untyped_noun(number, random) } else { noun };
            return QuestionPieces::plain(the)
                .then(noun)
                .and(pick_one(random, &[" that", " that", " which"]))
                .then(clauses);
        }
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if random.below(2) == 0 {
            order.reverse();
        }
        let mut phrased: Option<QuestionPieces> = None;
        for &i in &order {
            phrased = Some(match (phrased, &parts[i]) {
                (None, part) => self.phrase(part, number, article, random),
                (Some(phrased), Query::Step { of, relation, direction: Direction::Backward, .. }) => {
                    phrased.and(" and").then(self.having(of, *relation, number, random))
                }
                (Some(phrased), part) => {
                    let and = pick_one(
                        random,
                        &[
                            " and also ",
                            " that is also ",
                            " and at the same time ",
                            " that are also ",
                            " and is also ",
                        ],
                    );
                    phrased.and(and).then(self.phrase(part, number, true, random))
                }
            });
        }
        phrased.unwrap_or_default()
    }

    /// "Areas that border A and B", "films that A and B starred in": names with a verb, by its base form.
    fn verbal(
        &self,
        names: &QuestionPieces,
        (relation, direction): (RelationId, Direction),
        target: Option<TypeId>,
        number: Number,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        let base = self.verb(relation, random)?;
        let names = names.clone();
        let noun = self.kind_or_thing(target, number, random);
        let that = pick_one(random, &[" that ", " which "]);
        let text = if direction == Direction::Forward || number == Number::Many {
            base
        } else {
            third_person(&base)
        };
        let words = piece(text, Role::Relation(relation, direction));
        let [first, second] = if direction == Direction::Forward { [names, words] } else { [words, names] };
        Some(noun.and(that).then(first).and(" ").then(second))
    }

    /// Words a union; if only the entities differ, "the director of A or B".
    fn either(&self, parts: &[Query], number: Number, article: bool, random: &mut Random) -> QuestionPieces {
        let the = if article { "the " } else { "" };
        if let Some(phrased) = self.alike_ends(parts, true, number, the, random) {
            return phrased;
        }
        let mut phrased: Option<QuestionPieces> = None;
        for part in parts {
            phrased = Some(match phrased {
                None => self.phrase(part, number, article, random),
                Some(phrased) => phrased
                    .and(pick_one(random, &[" or ", " or ", " or else "]))
                    .then(self.phrase(part, number, true, random)),
            });
        }
        phrased.unwrap_or_default()
    }

    fn synonym<'s>(
        &self,
        label: &'s str,
        others: impl Iterator<Item = &'s str>,
        random: &mut Random,
    ) -> String {
        // A name as long as a sentence, or of no letters, is nothing that anybody says.
        let sayable = |s: &&str| {
            !s.is_empty() && s.len() <= 60 && s.chars().any(char::is_alphabetic) && verb(s).is_none()
        };
        let others: Vec<&str> = others.filter(sayable).take(12).collect();
        if others.is_empty() || random.unit() >= self.noise.synonyms {
            return label.to_owned();
        }
        others[random.below(others.len())].to_owned()
    }

    /// A noun or participle for a relation.
    pub(super) fn label(&self, relation: RelationId, random: &mut Random) -> String {
        let Some(r) = self.graph.vocabulary().relation(relation) else { return String::new() };
        self.synonym(&r.label, r.aliases.iter().map(String::as_str), random)
    }

    /// A verb for a relation, at times, where it has one.
    pub(super) fn verb(&self, relation: RelationId, random: &mut Random) -> Option<String> {
        let r = self.graph.vocabulary().relation(relation)?;
        let own = finite(&r.label);
        let often = if own.is_some() { 0.9 } else { 0.8 * self.noise.synonyms };
        let verbs: Vec<String> = r
            .aliases
            .iter()
            .filter_map(|a| verb(a).map(str::to_owned).or_else(|| finite(a)))
            .chain(own)
            .collect();
        if verbs.is_empty() || random.unit() >= often {
            return None;
        }
        Some(verbs[random.below(verbs.len())].clone())
    }

    pub(super) fn mention(&self, node: NodeId, random: &mut Random) -> QuestionPieces {
        // Fewer aliases than for relations: of many entities they are codes and spellings in other scripts.
        let label = self.graph.label(node);
        let latin = |s: &&str| s.is_ascii() && s.len() > 3;
        let text = if random.below(3) == 0 {
            self.synonym(label, self.graph.aliases(node).filter(latin), random)
        } else {
            label.to_owned()
        };
        let named = piece(text, Role::Entity(node));
        // "The film …" before a name.
        match self.graph.types(node).first() {
            Some(&t) if random.below(12) == 0 => {
                let kind =
                    self.graph.vocabulary().entity_type(t).map_or_else(String::new, |t| t.label.clone());
                QuestionPieces::plain(&format!("the {kind} ")).then(named)
            }
            _ if random.below(10) == 0 => {
                let [open, close] = [["\"", "\""], ["'", "'"], ["\"", "\""], ["“", "”"]][random.below(4)];
                QuestionPieces::plain(open).then(named).and(close)
            }
            _ => named,
        }
    }

    /// The name of a type, or of a thing that has none.
    pub(super) fn kind_or_thing(
        &self,
        of: Option<TypeId>,
        number: Number,
        random: &mut Random,
    ) -> QuestionPieces {
        match of {
            Some(t) => self.noun(t, number, random),
            None => untyped_noun(number, random),
        }
    }

    pub(super) fn noun(&self, of: TypeId, number: Number, random: &mut Random) -> QuestionPieces {
        let label = self.graph.vocabulary().entity_type(of).map_or_else(String::new, |t| {
            self.synonym(&t.label, t.aliases.iter().map(String::as_str), random)
        });
        let text = if number == Number::Many { plural(&label) } else { label };
        piece(text, Role::Type(of))
    }
}

/// Returns an ending for a question about several things together.
pub(super) fn end_of_list(random: &mut Random) -> &'static str {
    let ends = [
        " respectively",
        " in common",
        " alike",
        " together",
        " as well",
        " in their respective fields",
        " in their own right",
        " over the years",
        " in their lifetime",
        " on their sides",
    ];
    if random.below(5) > 0 { "" } else { pick_one(random, &ends) }
}

fn article_of(random: &mut Random, noun: &QuestionPieces) -> &'static str {
    choose_article(random, noun.0.first().map_or("", |piece| piece.0.as_str()))
}

/// Returns a noun for an untyped thing: "thing", or another that says as little.
fn untyped_noun(number: Number, random: &mut Random) -> QuestionPieces {
    let (one, many) =
        (["thing", "thing", "entity", "item", "one"], ["things", "things", "entities", "items", "ones"]);
    QuestionPieces::plain(pick_one(random, if number == Number::Many { &many } else { &one }))
}
