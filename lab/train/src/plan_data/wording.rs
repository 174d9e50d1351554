//! Phrases queries as questions: a grammar of templates, with synonyms of relations and entities, order of
//! clauses, active and passive forms and question words; and typing noise. Noun phrases and clauses are in
//! [`super::phrases`].

use super::english::{active, comparative, needs_noun, pick_one, positive, third_person, with_typo};
use crate::lexicon;
use pocketgraph::kg::{Class, Direction, KnowledgeGraph, LiteralKind, NodeId, RelationId, TypeId};
use pocketgraph::plan::Extreme;
use pocketgraph::planner::{LogicalForm, Query};
use pocketgraph::text::lexicon::{Language, SPOKEN};
use pocketgraph_cluster::Random;
use pocketgraph_knowledge::everyday;

/// Role of a piece of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Words between.
    Plain,
    /// A mention of an entity.
    Entity(NodeId),
    /// Words for a relation, in the direction in which the plan follows it.
    Relation(RelationId, Direction),
    /// Words for a type.
    Type(TypeId),
}

/// A question in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionPieces(pub Vec<(String, Role)>);

/// Makes the pieces of a text for one thing.
pub(super) fn piece(text: String, role: Role) -> QuestionPieces {
    QuestionPieces(vec![(text, role)])
}

impl QuestionPieces {
    pub(super) fn plain(text: &str) -> QuestionPieces {
        piece(text.to_owned(), Role::Plain)
    }

    pub(super) fn then(mut self, more: QuestionPieces) -> QuestionPieces {
        self.0.extend(more.0);
        self
    }

    pub(super) fn and(self, text: &str) -> QuestionPieces {
        self.then(QuestionPieces::plain(text))
    }

    /// The question, and where in it (in characters) which piece stands.
    pub fn text(&self) -> (String, Vec<(usize, usize, Role)>) {
        let (mut out, mut spans, mut at) = (String::new(), Vec::new(), 0);
        for (text, role) in &self.0 {
            let end = at + text.chars().count();
            if *role != Role::Plain {
                spans.push((at, end, *role));
            }
            out.push_str(text);
            at = end;
        }
        (out, spans)
    }
}

/// Rates of typing noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Part of the questions in lower case throughout.
    pub lower: f64,
    /// Part of the questions with one wrong letter, outside mentions of entities.
    pub typos: f64,
    /// Part of the relations, entities and types that are said with a synonym where there is one.
    pub synonyms: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Noise { lower: 0.15, typos: 0.05, synonyms: 0.5 }
    }
}

/// Says queries of one graph.
pub struct Wording<'g> {
    pub(super) graph: &'g KnowledgeGraph,
    pub(super) noise: Noise,
}

impl<'g> Wording<'g> {
    /// A grammar over the words of `graph`.
    pub fn new(graph: &'g KnowledgeGraph, noise: Noise) -> Self {
        Wording { graph, noise }
    }

    /// A question for what is asked.
    pub fn question(&self, asked: &LogicalForm, random: &mut Random) -> QuestionPieces {
        let phrased = match asked {
            LogicalForm::Set(query) => self.set_question(query, random),
            LogicalForm::Count(query) => self.count_question(query, random),
            LogicalForm::Superlative { of, relation, number, extreme } => {
                self.superlative(of, *relation, *number, *extreme, random)
            }
            LogicalForm::Compare { of, relation, extreme } => self.compare(*of, *relation, *extreme, random),
        };
        self.noisy(phrased, random)
    }

    fn set_question(&self, query: &Query, random: &mut Random) -> QuestionPieces {
        let request = match random.below(12) {
            0 => pick_one(random, &["Tell me ", "Please tell me ", "Show me ", "Find "]),
            1 => pick_one(random, &["Name ", "Name all ", "Give me ", "Identify "]),
            2 => pick_one(random, &["List ", "List all ", "I am looking for ", "I want to know "]),
            // A polite frame says nothing of how things are joined.
            3 => pick_one(random, &lexicon::frames("request")),
            _ => "",
        };
        // A list means all of it together if its own words say so; the request before it never does.
        if let Query::Or(parts) = query
            && random.below(3) == 0
        {
            let listed = self.listed(parts, random);
            let asks = listed.0.iter().find(|(text, _)| !text.is_empty()).is_some_and(|(text, _)| {
                let first = text.split(' ').next().unwrap_or_default();
                ["who", "which", "what"].contains(&first)
            });
            let lead = if request.is_empty() && !asks {
                pick_one(random, &["What are ", "Which are ", "What is "])
            } else {
                request
            };
            return QuestionPieces::plain(lead).then(listed);
        }
        if !request.is_empty() {
            return QuestionPieces::plain(request).then(self.phrase(query, Number::Many, true, random));
        }
        if let Query::And(parts) = query
            && random.below(4) == 0
            && let Some(phrased) = self.asks_both(parts, random)
        {
            return phrased;
        }
        let direct = match query {
            Query::Step { direction: Direction::Forward, .. } => self.asks_forward(query, random),
            Query::Step { of, relation, direction: Direction::Backward, target } => {
                self.asks_backward(of, *relation, *target, random)
            }
            Query::And(parts) => self.asks_shared(parts, random),
            _ => None,
        };
        if let Some(phrased) = direct {
            return phrased;
        }
        // "Which films were directed by … and have …": the clauses carry the question.
        if matches!(query, Query::And(_) | Query::Not(..)) && random.below(3) > 0 {
            // "Which areas border the region where … lies and are also …": the number decides between both
            // nouns.
            let number = if random.below(3) > 0 { Number::Many } else { Number::One };
            if let Some((noun, clauses)) = self.clauses(query, number, random) {
                let which = if noun.0.is_empty() {
                    QuestionPieces::plain(pick_one(random, &["What", "Who", "Which"]))
                } else {
                    QuestionPieces::plain("Which ").then(noun)
                };
                return which.then(clauses);
            }
        }
        let (is, number) = if random.below(3) == 0 { (" are ", Number::Many) } else { (" is ", Number::One) };
        // "The films of … were written by who": the last step comes after its source.
        if let Query::Step { of, relation, direction: Direction::Forward, target } = query
            && !matches!(of.as_ref(), Query::Entity(_))
            && random.below(6) == 0
        {
            return self.step_last(of, *relation, *target, random);
        }
        // "The genres of … are what": the question word at the end.
        if random.below(12) == 0 {
            let end = pick_one(
                random,
                &[" is what", " are what", " is who", " are who", " is which", " are which ones"],
            );
            return self.phrase(query, number, true, random).and(end);
        }
        QuestionPieces::plain(self.question_word(query))
            .and(is)
            .then(self.phrase(query, number, true, random))
    }

    /// "The films that … were directed by whom", "… fall under which genres": what is asked for at the end.
    fn step_last(
        &self,
        of: &Query,
        relation: RelationId,
        target: Option<TypeId>,
        random: &mut Random,
    ) -> QuestionPieces {
        let label = self.label(relation, random);
        let of = self.phrase(of, Number::Many, true, random);
        let words = |text: String| piece(text, Role::Relation(relation, Direction::Forward));
        let which = pick_one(random, &["which ", "what "]);
        if needs_noun(&label) {
            let were = pick_one(random, &[" were ", " are "]);
            let what = match target {
                Some(t) if random.below(2) == 0 => {
                    QuestionPieces::plain(which).then(self.noun(t, Number::Many, random))
                }
                _ => QuestionPieces::plain(pick_one(random, &["who", "whom", "what"])),
            };
            return of.and(were).then(words(label)).and(" ").then(what);
        }
        let many = if random.below(3) == 0 { label } else { super::english::plural(&label) };
        match random.below(4) {
            0 => of
                .and(pick_one(random, &[" were in ", " are in ", " fall under ", " have ", " had "]))
                .and(which)
                .then(words(many)),
            1 => of
                .and(pick_one(random, &[" were released in ", " were made in ", " belong to "]))
                .and(which)
                .then(words(many)),
            2 => {
                let end = pick_one(random, &[" have", " fall under", " belong to", " go with"]);
                QuestionPieces::plain(pick_one(random, &["What ", "Which "]))
                    .then(words(many))
                    .and(" do ")
                    .then(of)
                    .and(end)
            }
            _ => {
                let lead = pick_one(
                    random,
                    &[
                        "Who is listed as ",
                        "What are the main ",
                        "What were the ",
                        "What are the primary ",
                        "Who are the ",
                    ],
                );
                QuestionPieces::plain(lead)
                    .then(words(many))
                    .and(pick_one(random, &[" of ", " in ", " for "]))
                    .then(of)
            }
        }
    }

    /// "Who directed …", "What … does … have", "Where was … born".
    fn asks_forward(&self, step: &Query, random: &mut Random) -> Option<QuestionPieces> {
        let &Query::Step { ref of, relation, target, .. } = step else { return None };
        let label = self.label(relation, random);
        let words = |text: String| piece(text, Role::Relation(relation, Direction::Forward));
        // "… appears in which films": the name first.
        if random.below(8) == 0
            && let Some(base) = self.verb(relation, random)
        {
            let which = pick_one(random, &["which ", "what "]);
            let what = target.map_or(QuestionPieces::plain("what"), |t| {
                QuestionPieces::plain(which).then(self.noun(t, Number::Many, random))
            });
            return Some(
                self.phrase(of, Number::One, true, random)
                    .and(" ")
                    .then(words(third_person(&base)))
                    .and(" ")
                    .then(what),
            );
        }
        if random.below(6) == 0
            && let Some(phrased) = self.asks_with_end(step, random)
        {
            return Some(phrased);
        }
        let many = !matches!(**of, Query::Entity(_)) && random.below(2) == 0;
        let of_stated = |random: &mut Random| {
            self.phrase(of, if many { Number::Many } else { Number::One }, true, random)
        };
        // "How long is …".
        if let Some(long) = self.adjective(relation, Extreme::Max, random).and_then(positive)
            && random.below(3) == 0
        {
            let is = pick_one(random, if many { &[" are ", " were "] } else { &[" is ", " was "] });
            return Some(QuestionPieces::plain("How ").then(words(long)).and(is).then(of_stated(random)));
        }
        let (was, is, does) = if many { (" were ", " are ", " do ") } else { (" was ", " is ", " does ") };
        let which = |random: &mut Random| match target {
            Some(t) if random.below(2) == 0 => QuestionPieces::plain(pick_one(random, &["Which ", "What "]))
                .then(self.noun(t, Number::One, random)),
            _ => QuestionPieces::plain("What"),
        };
        if let Some(base) = self.verb(relation, random) {
            return Some(which(random).and(does).then(of_stated(random)).and(" ").then(words(base)));
        }
        if let Some(past) = active(&label)
            && random.below(2) == 0
        {
            let who = match target {
                Some(t) if random.below(3) == 0 => {
                    QuestionPieces::plain("Which ").then(self.noun(t, Number::One, random))
                }
                _ => QuestionPieces::plain("Who"),
            };
            return Some(who.and(" ").then(words(past)).and(" ").then(of_stated(random)));
        }
        if let Some(stem) = label.strip_suffix(" by") {
            let words = words(stem.to_owned());
            return match random.below(3) {
                0 => Some(
                    QuestionPieces::plain("Who")
                        .and(was)
                        .then(of_stated(random))
                        .and(" ")
                        .then(words)
                        .and(" by"),
                ),
                1 => Some(
                    QuestionPieces::plain("By whom").and(was).then(of_stated(random)).and(" ").then(words),
                ),
                _ => None,
            };
        }
        if needs_noun(&label) {
            let bare = label.rsplit_once(' ').map_or(label.as_str(), |(stem, _)| stem).to_owned();
            return match random.below(4) {
                0 => Some(
                    QuestionPieces::plain(pick_one(random, &["Where", "Where", "When", "In what"]))
                        .and(was)
                        .then(of_stated(random))
                        .and(" ")
                        .then(words(bare)),
                ),
                1 => Some(which(random).and(was).then(of_stated(random)).and(" ").then(words(label))),
                2 => Some(which(random).and(is).then(of_stated(random)).and(" ").then(words(label))),
                _ => None,
            };
        }
        match random.below(6) {
            0 => {
                let end = pick_one(random, &[" have", " have", " belong to", " fall under", " go by"]);
                Some(
                    QuestionPieces::plain(pick_one(random, &["What ", "Which "]))
                        .then(words(label))
                        .and(does)
                        .then(of_stated(random))
                        .and(end),
                )
            }
            5 if many => Some(
                QuestionPieces::plain(pick_one(random, &["What ", "Which "]))
                    .then(words(super::english::plural(&label)))
                    .and(" are ")
                    .then(of_stated(random)),
            ),
            1 => Some(
                which(random)
                    .and(" is the ")
                    .then(words(label))
                    .and(pick_one(random, &[" of ", " for "]))
                    .then(of_stated(random)),
            ),
            2 => Some(
                QuestionPieces::plain(pick_one(random, &["What ", "Which "]))
                    .then(words(label))
                    .and(pick_one(random, &[" is associated with ", " belongs to "]))
                    .then(of_stated(random)),
            ),
            _ => None,
        }
    }

    /// "Which films have … as …", "What plays for …", "… is the … of which film".
    fn asks_backward(
        &self,
        of: &Query,
        relation: RelationId,
        target: Option<TypeId>,
        random: &mut Random,
    ) -> Option<QuestionPieces> {
        if random.below(4) == 0 {
            return None;
        }
        let number = if random.below(2) == 0 { Number::Many } else { Number::One };
        let label = self.label(relation, random);
        // "… directed which films": the name first.
        if random.below(6) == 0
            && let Some(past) = active(&self.label(relation, random))
        {
            let which = pick_one(random, &["which ", "what "]);
            let what = target.map_or(QuestionPieces::plain("what"), |t| {
                QuestionPieces::plain(which).then(self.noun(t, number, random))
            });
            let words = piece(past, Role::Relation(relation, Direction::Backward));
            return Some(self.phrase(of, Number::One, true, random).and(" ").then(words).and(" ").then(what));
        }
        if !needs_noun(&label) && random.below(5) == 0 {
            let words = piece(label, Role::Relation(relation, Direction::Backward));
            let what = target.map_or(QuestionPieces::plain("what"), |t| {
                QuestionPieces::plain("which ").then(self.noun(t, number, random))
            });
            let of = self.phrase(of, Number::One, true, random);
            return Some(match random.below(2) {
                0 => of.and(" is the ").then(words).and(" of ").then(what),
                _ => QuestionPieces::plain("For ").then(what).and(" is ").then(of).and(" the ").then(words),
            });
        }
        let start = match target {
            Some(t) => QuestionPieces::plain(pick_one(random, &["Which ", "What "]))
                .then(self.noun(t, number, random)),
            None => QuestionPieces::plain(pick_one(random, &["What", "Who"])),
        };
        Some(start.then(self.clause(
            of,
            relation,
            Direction::Backward,
            if target.is_none() { Number::One } else { number },
            false,
            random,
        )))
    }

    fn count_question(&self, query: &Query, random: &mut Random) -> QuestionPieces {
        if let Query::Step { of, relation, direction, target } = query {
            match (direction, target) {
                (Direction::Backward, Some(t)) if random.below(3) > 0 => {
                    let clause = self.clause(of, *relation, Direction::Backward, Number::Many, false, random);
                    return QuestionPieces::plain(pick_one(random, &["How many ", "How many different "]))
                        .then(self.noun(*t, Number::Many, random))
                        .then(clause);
                }
                (Direction::Forward, _) if random.below(2) == 0 => {
                    let label = self.label(*relation, random);
                    if !needs_noun(&label) {
                        let words = piece(
                            super::english::plural(&label),
                            Role::Relation(*relation, Direction::Forward),
                        );
                        let of = self.phrase(of, Number::One, true, random);
                        return QuestionPieces::plain("How many ")
                            .then(words)
                            .and(pick_one(random, &[" does ", " did "]))
                            .then(of)
                            .and(" have");
                    }
                }
                _ => {}
            }
        }
        let lead = pick_one(
            random,
            &[
                "How many ",
                "What is the number of ",
                "Count the ",
                "How many different ",
                "What is the total number of ",
            ],
        );
        QuestionPieces::plain(lead).then(self.phrase(query, Number::Many, false, random))
    }

    /// Returns who, when or where, by the class of the last step's results; else what.
    pub(super) fn question_word(&self, query: &Query) -> &'static str {
        let Query::Step { relation, direction, target, .. } = query else { return "What" };
        let vocabulary = self.graph.vocabulary();
        let class = target.map(Class::Type).or_else(|| {
            let relation = vocabulary.relation(*relation)?;
            let ends = relation.far_end(*direction);
            ends.first().map(|e| e.0)
        });
        match class {
            Some(Class::Literal(LiteralKind::Date)) => "When",
            Some(Class::Type(t)) => {
                let label = vocabulary.entity_type(t).map_or_else(String::new, |t| t.label.to_lowercase());
                let is = |kind: &str| {
                    label.split_whitespace().any(|w| {
                        SPOKEN
                            .answer_kinds()
                            .row(w)
                            .is_some_and(|row| row.field(0) == kind && row.has(1, "said"))
                    })
                };
                if is("person") {
                    "Who"
                } else if is("place") {
                    "Where"
                } else {
                    "What"
                }
            }
            _ => "What",
        }
    }

    fn superlative(
        &self,
        of: &Query,
        relation: RelationId,
        number: bool,
        extreme: Extreme,
        random: &mut Random,
    ) -> QuestionPieces {
        let role = Role::Relation(relation, Direction::Forward);
        // "The longest river": the adjective says what is measured.
        if let Some(adjective) = self.adjective(relation, extreme, random).filter(|_| !number)
            && random.below(5) > 1
        {
            let words = piece(adjective.to_owned(), role);
            let set = self.phrase(of, Number::Many, false, random);
            return match random.below(5) {
                0 => QuestionPieces::plain("Which of the ").then(set).and(" is the ").then(words),
                1 => QuestionPieces::plain("What is the ").then(words).and(" of the ").then(set),
                2 => QuestionPieces::plain("Among the ").then(set).and(", which is the ").then(words),
                // In the middle of the phrase, as in "what is the longest river in Spain".
                3 => QuestionPieces::plain("What is the ").then(words).and(" ").then(self.phrase(
                    of,
                    Number::One,
                    false,
                    random,
                )),
                _ => QuestionPieces::plain("Which is the ").then(words).and(" ").then(self.phrase(
                    of,
                    Number::One,
                    false,
                    random,
                )),
            };
        }
        let words = piece(self.label(relation, random), role);
        let end = match (number, self.is_date(relation), extreme) {
            (true, _, Extreme::Max) => {
                pick_one(random, &["the most ", "the largest number of ", "the greatest number of "])
            }
            (true, _, Extreme::Min) => {
                pick_one(random, &["the fewest ", "the smallest number of ", "the least "])
            }
            (_, true, Extreme::Max) => pick_one(random, &["the latest ", "the most recent "]),
            (_, true, Extreme::Min) => pick_one(random, &["the earliest ", "the first "]),
            (_, _, Extreme::Max) => {
                pick_one(random, &["the largest ", "the highest ", "the greatest ", "the biggest "])
            }
            (_, _, Extreme::Min) => pick_one(random, &["the smallest ", "the lowest ", "the least "]),
        };
        let set = self.phrase(of, Number::Many, true, random);
        match random.below(5) {
            0 => QuestionPieces::plain("Among ").then(set).and(", which has ").and(end).then(words),
            1 => QuestionPieces::plain("Which of ").then(set).and(" has ").and(end).then(words),
            2 => QuestionPieces::plain("Of ").then(set).and(", which one has ").and(end).then(words),
            3 => QuestionPieces::plain("Which ")
                .then(self.phrase(of, Number::One, false, random))
                .and(" has ")
                .and(end)
                .then(words),
            _ => QuestionPieces::plain("What has ").and(end).then(words).and(" of ").then(set),
        }
    }

    fn compare(
        &self,
        of: [NodeId; 2],
        relation: RelationId,
        extreme: Option<Extreme>,
        random: &mut Random,
    ) -> QuestionPieces {
        let role = Role::Relation(relation, Direction::Forward);
        let words = piece(self.label(relation, random), role);
        let [a, b] = of.map(|n| self.mention(n, random));
        let Some(extreme) = extreme else {
            return match random.below(6) {
                0 => QuestionPieces::plain("Do ")
                    .then(a)
                    .and(" and ")
                    .then(b)
                    .and(" have the same ")
                    .then(words),
                1 => QuestionPieces::plain("Is the ")
                    .then(words)
                    .and(" of ")
                    .then(a)
                    .and(" the same as that of ")
                    .then(b),
                2 => QuestionPieces::plain("Are ").then(a).and(" and ").then(b).and(" alike in ").then(words),
                3 => QuestionPieces::plain("Does ")
                    .then(a)
                    .and(" have the same ")
                    .then(words)
                    .and(" as ")
                    .then(b),
                4 => QuestionPieces::plain("Do both ")
                    .then(a)
                    .and(" and ")
                    .then(b)
                    .and(" share the same ")
                    .then(words),
                _ => QuestionPieces::plain("Are ")
                    .then(a)
                    .and(" and ")
                    .then(b)
                    .and(" of the same ")
                    .then(words),
            };
        };
        // "Which is longer": the adjective says what is compared.
        if let Some(adjective) = self.adjective(relation, extreme, random).and_then(comparative)
            && random.below(3) > 0
        {
            let words = piece(adjective, role);
            let which = self.which_of(of[0], &["Which", "Who", "Which one", "What"], random);
            let is = pick_one(random, &[" is ", " was ", " is "]);
            return match random.below(5) {
                0 => QuestionPieces::plain("Is ").then(a).and(" ").then(words).and(" than ").then(b),
                1 => QuestionPieces::plain("Between ")
                    .then(a)
                    .and(" and ")
                    .then(b)
                    .and(",")
                    .then(lower_first(which))
                    .and(is)
                    .then(words),
                2 => QuestionPieces::plain(pick_one(random, &["Which of ", "Of "]))
                    .then(a)
                    .and(" and ")
                    .then(b)
                    .and(", which")
                    .and(is)
                    .then(words),
                _ => which
                    .and(is)
                    .then(words)
                    .and(pick_one(random, &[", ", ": ", " "]))
                    .then(a)
                    .and(" or ")
                    .then(b),
            };
        }
        let more = match (self.is_date(relation), extreme) {
            (true, Extreme::Max) => pick_one(random, &["later ", "more recent "]),
            (true, Extreme::Min) => "earlier ",
            (_, Extreme::Max) => pick_one(random, &["larger ", "higher ", "greater ", "bigger ", "more "]),
            (_, Extreme::Min) => pick_one(random, &["smaller ", "lower ", "less ", "fewer ", "shorter "]),
        };
        let which = self.which_of(of[0], &["Which", "Who", "Which one"], random);
        let (or, the) =
            (pick_one(random, &[" or ", " or "]), pick_one(random, &[" has the ", " has a ", " has "]));
        match random.below(5) {
            0 => {
                QuestionPieces::plain("Does ").then(a).and(or).then(b).and(" have the ").and(more).then(words)
            }
            1 => QuestionPieces::plain("Between ")
                .then(a)
                .and(" and ")
                .then(b)
                .and(", which")
                .and(the)
                .and(more)
                .then(words),
            2 => a.and(or).then(b).and(": which").and(the).and(more).then(words),
            _ => which.and(the).and(more).then(words).and(", ").then(a).and(or).then(b),
        }
    }

    /// "Which film" of what is compared, or one of `plain`.
    fn which_of(&self, node: NodeId, plain: &[&'static str], random: &mut Random) -> QuestionPieces {
        let kind = self.graph.types(node).first().copied().filter(|_| random.below(2) == 0);
        match kind {
            Some(t) => QuestionPieces::plain(pick_one(random, &["Which ", "What "])).then(self.noun(
                t,
                Number::One,
                random,
            )),
            None => QuestionPieces::plain(pick_one(random, plain)),
        }
    }

    /// The superlative that says what a relation measures, where people say it so.
    fn adjective(&self, relation: RelationId, extreme: Extreme, random: &mut Random) -> Option<&'static str> {
        let label = self.graph.vocabulary().relation(relation).map_or("", |r| r.label.as_str());
        let [largest, smallest] = everyday::find_adjectives(label)?;
        let adjectives = if extreme == Extreme::Max { largest } else { smallest };
        (!adjectives.is_empty()).then(|| pick_one(random, &adjectives))
    }

    fn is_date(&self, relation: RelationId) -> bool {
        let range = self.graph.vocabulary().relation(relation).and_then(|r| r.range.first());
        matches!(range, Some((Class::Literal(LiteralKind::Date), _)))
    }

    /// A first capital and a question mark, mostly; lower case and a wrong letter at times.
    fn noisy(&self, mut phrased: QuestionPieces, random: &mut Random) -> QuestionPieces {
        phrased.0.retain(|(text, _)| !text.is_empty());
        if random.unit() < self.noise.typos {
            let plain: Vec<usize> = (0..phrased.0.len())
                .filter(|&i| !matches!(phrased.0[i].1, Role::Entity(_)) && phrased.0[i].0.len() > 5)
                .collect();
            if !plain.is_empty() {
                let piece = &mut phrased.0[plain[random.below(plain.len())]].0;
                *piece = with_typo(piece, random);
            }
        }
        if random.below(8) > 0 {
            let demands =
                ["Tell", "Name", "List", "Count", "Show", "Find", "Give", "Identify", "Please", "I "];
            let ends_with_demand =
                phrased.0.first().is_some_and(|p| demands.iter().any(|w| p.0.starts_with(w)));
            phrased = phrased.and(if ends_with_demand { "." } else { "?" });
        }
        if random.unit() < self.noise.lower {
            phrased.0.iter_mut().for_each(|p| p.0 = p.0.to_lowercase());
        }
        phrased
    }
}

/// A piece at the start of a question as it stands inside of one.
fn lower_first(mut phrased: QuestionPieces) -> QuestionPieces {
    if let Some((text, _)) = phrased.0.first_mut() {
        *text = format!(" {}", text.to_lowercase());
    }
    phrased
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    One,
    /// Several.
    Many,
}
