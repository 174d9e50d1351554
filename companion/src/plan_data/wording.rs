//! Queries as questions: a grammar of templates, with paraphrase by synonyms of relations and entities, order of clauses, active and passive forms and
//! question words; and the noise of people who type.

use crate::cluster::Random;
use pocketgraph::kg::{Class, Direction, KnowledgeGraph, LiteralKind, NodeId, RelationId, TypeId};
use pocketgraph::plan::Extreme;
use pocketgraph::planner::{Asked, Query};

/// What a piece of a question stands for.
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
pub struct Said(pub Vec<(String, Role)>);

impl Said {
    fn plain(text: &str) -> Said {
        Said(vec![(text.to_owned(), Role::Plain)])
    }

    fn then(mut self, more: Said) -> Said {
        self.0.extend(more.0);
        self
    }

    fn and(self, text: &str) -> Said {
        self.then(Said::plain(text))
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

/// How much people's typing differs from careful writing.
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
    graph: &'g KnowledgeGraph,
    noise: Noise,
}

impl<'g> Wording<'g> {
    /// A grammar over the words of `graph`.
    pub fn new(graph: &'g KnowledgeGraph, noise: Noise) -> Self {
        Wording { graph, noise }
    }

    /// A question for what is asked.
    pub fn question(&self, asked: &Asked, random: &mut Random) -> Said {
        let said = match asked {
            Asked::Set(query) => self.set_question(query, random),
            Asked::Count(query) => {
                if let Query::Step { of, relation, direction: Direction::Backward, target: Some(t) } = query
                    && random.below(2) == 0
                {
                    let start = Said::plain("How many ").then(self.noun(*t, Number::Many, random)).then(self.have(of, *relation, random));
                    return self.noisy(start, random);
                }
                let lead = pick(random, &["How many ", "What is the number of ", "Count the ", "How many different "]);
                Said::plain(lead).then(self.phrase(query, Number::Many, false, random))
            }
            Asked::Superlative { of, relation, number, extreme } => self.superlative(of, *relation, *number, *extreme, random),
            Asked::Compare { of, relation, extreme } => self.compare(*of, *relation, *extreme, random),
        };
        self.noisy(said, random)
    }

    fn set_question(&self, query: &Query, random: &mut Random) -> Said {
        let wh = self.question_word(query);
        let lead = match random.below(10) {
            0 => "Tell me ",
            1 => "Name ",
            2 => "List ",
            3 => "Can you tell me ",
            _ => "",
        };
        if !lead.is_empty() {
            return Said::plain(lead).then(self.phrase(query, Number::Many, true, random));
        }
        // "Which films have … as their …": the type carries the question where a step goes backwards.
        if let Query::Step { of, relation, direction: Direction::Backward, target: Some(t) } = query
            && random.below(2) == 0
        {
            let start = Said::plain(pick(random, &["Which ", "What "])).then(self.noun(*t, Number::Many, random));
            return start.then(self.have(of, *relation, random));
        }
        if let Query::Step { of, relation, direction: Direction::Forward, .. } = query
            && let Some(stem) = self.label(*relation, random).strip_suffix(" by")
            && random.below(2) == 0
        {
            let relation_said = Said(vec![(stem.to_owned(), Role::Relation(*relation, Direction::Forward))]);
            return match random.below(2) {
                0 => Said::plain("Who was ").then(self.phrase(of, Number::One, true, random)).and(" ").then(relation_said).and(" by"),
                _ => Said::plain("By whom was ").then(self.phrase(of, Number::One, true, random)).and(" ").then(relation_said),
            };
        }
        let (verb, number) = if random.below(3) == 0 { (" are ", Number::Many) } else { (" is ", Number::One) };
        Said::plain(wh).and(verb).then(self.phrase(query, number, true, random))
    }

    /// Who, when or where, by the class of what the last step leads to; else what.
    fn question_word(&self, query: &Query) -> &'static str {
        let Query::Step { relation, direction, target, .. } = query else { return "What" };
        let vocabulary = self.graph.vocabulary();
        let class = target.map(Class::Type).or_else(|| {
            let relation = vocabulary.relation(*relation)?;
            let ends = if *direction == Direction::Forward { &relation.range } else { &relation.domain };
            ends.first().map(|e| e.0)
        });
        match class {
            Some(Class::Literal(LiteralKind::Date)) => "When",
            Some(Class::Type(t)) => {
                let label = vocabulary.entity_type(t).map_or_else(String::new, |t| t.label.to_lowercase());
                let any = |words: &[&str]| words.iter().any(|w| label.split_whitespace().any(|l| l == *w));
                if any(&["human", "person", "people", "actor", "director", "writer"]) {
                    "Who"
                } else if any(&["city", "country", "place", "state", "location", "town", "region"]) {
                    "Where"
                } else {
                    "What"
                }
            }
            _ => "What",
        }
    }

    /// A noun phrase for the set.
    fn phrase(&self, query: &Query, number: Number, article: bool, random: &mut Random) -> Said {
        let the = if article { "the " } else { "" };
        match query {
            Query::Entity(node) => self.mention(*node, random),
            Query::All(of) => Said::plain(the).then(self.noun(*of, number, random)),
            Query::Step { of, relation, direction: Direction::Forward, .. } => {
                let words = (self.label(*relation, random), Role::Relation(*relation, Direction::Forward));
                if participle(&words.0) {
                    let verb = pick(random, &[" was ", " is "]);
                    return Said::plain("what ").then(self.phrase(of, Number::One, true, random)).and(verb).then(Said(vec![words]));
                }
                let possessive = matches!(of.as_ref(), Query::Entity(_)) && random.below(3) == 0;
                if possessive {
                    return self.phrase(of, Number::One, true, random).and("'s ").then(Said(vec![words]));
                }
                let between = pick(random, &[" of ", " of ", " for "]);
                Said::plain(the).then(Said(vec![words])).and(between).then(self.phrase(of, Number::One, true, random))
            }
            Query::Step { of, relation, direction: Direction::Backward, target } => {
                let noun = match target {
                    Some(t) => self.noun(*t, number, random),
                    None => Said::plain(if number == Number::Many { "things" } else { "thing" }),
                };
                Said::plain(the).then(noun).then(self.having(of, *relation, number, random))
            }
            Query::And(parts) => self.joined(parts, number, article, random),
            Query::Or(parts) => self.either(parts, number, article, random),
            Query::Not(main, minus) => {
                let but = pick(random, &[" but not ", " except ", " excluding ", " that are not ", " but without "]);
                self.phrase(main, number, article, random).and(but).then(self.phrase(minus, Number::Many, true, random))
            }
        }
    }

    /// " whose director is …" and its like: of what a backward step from `of` finds.
    fn having(&self, of: &Query, relation: RelationId, number: Number, random: &mut Random) -> Said {
        let label = self.label(relation, random);
        let is_participle = participle(&label);
        let words = Said(vec![(label, Role::Relation(relation, Direction::Backward))]);
        let of = self.phrase(of, Number::One, true, random);
        let many = number == Number::Many;
        if is_participle {
            let links = if many { [" ", " that are ", " that were "] } else { [" ", " that is ", " that was "] };
            return Said::plain(pick(random, &links)).then(words).and(" ").then(of);
        }
        match random.below(5) {
            0 => Said::plain(if many { " that have " } else { " that has " }).then(of).and(" as ").then(words),
            1 => Said::plain(" with ").then(words).and(" ").then(of),
            2 => Said::plain(" having ").then(of).and(if many { " as their " } else { " as its " }).then(words),
            3 => Said::plain(" for which the ").then(words).and(" is ").then(of),
            _ => Said::plain(" whose ").then(words).and(" is ").then(of),
        }
    }

    /// " have … as director": the same as the whole of a sentence about several.
    fn have(&self, of: &Query, relation: RelationId, random: &mut Random) -> Said {
        let label = self.label(relation, random);
        let is_participle = participle(&label);
        let words = Said(vec![(label, Role::Relation(relation, Direction::Backward))]);
        let of = self.phrase(of, Number::One, true, random);
        match (is_participle, random.below(2)) {
            (true, 0) => Said::plain(" are ").then(words).and(" ").then(of),
            (true, _) => Said::plain(" were ").then(words).and(" ").then(of),
            (_, 0) => Said::plain(" have ").then(of).and(" as ").then(words),
            _ => Said::plain(" have the ").then(words).and(" ").then(of),
        }
    }

    /// What all parts find. Parts that end alike share their noun.
    fn joined(&self, parts: &[Query], number: Number, article: bool, random: &mut Random) -> Said {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if random.below(2) == 0 {
            order.reverse();
        }
        let mut said: Option<Said> = None;
        for &i in &order {
            said = Some(match (said, &parts[i]) {
                (None, part) => self.phrase(part, number, article, random),
                (Some(said), Query::Step { of, relation, direction: Direction::Backward, .. }) => {
                    said.and(" and").then(self.having(of, *relation, number, random))
                }
                (Some(said), part) => said
                    .and(pick(random, &[" and also ", " that is also ", " and at the same time "]))
                    .then(self.phrase(part, number, true, random)),
            });
        }
        said.unwrap_or_default()
    }

    /// What any part finds: where only the entities differ, "the director of A or B".
    fn either(&self, parts: &[Query], number: Number, article: bool, random: &mut Random) -> Said {
        let or = pick(random, &[" or ", " or ", " or of "]);
        if let [first, Query::Step { of, .. }] = parts
            && matches!(of.as_ref(), Query::Entity(_))
            && random.below(2) == 0
        {
            let or = if or == " or of " { " or " } else { or };
            return self.phrase(first, number, article, random).and(or).then(self.phrase(of, Number::One, true, random));
        }
        let mut said: Option<Said> = None;
        for part in parts {
            said = Some(match said {
                None => self.phrase(part, number, article, random),
                Some(said) => said.and(" or ").then(self.phrase(part, number, true, random)),
            });
        }
        said.unwrap_or_default()
    }

    fn superlative(&self, of: &Query, relation: RelationId, number: bool, extreme: Extreme, random: &mut Random) -> Said {
        let words = Said(vec![(self.label(relation, random), Role::Relation(relation, Direction::Forward))]);
        let date = self.is_date(relation);
        let end = match (number, date, extreme) {
            (true, _, Extreme::Max) => pick(random, &["the most ", "the largest number of "]),
            (true, _, Extreme::Min) => pick(random, &["the fewest ", "the smallest number of "]),
            (_, true, Extreme::Max) => pick(random, &["the latest ", "the most recent "]),
            (_, true, Extreme::Min) => pick(random, &["the earliest ", "the first "]),
            (_, _, Extreme::Max) => pick(random, &["the largest ", "the highest ", "the greatest "]),
            (_, _, Extreme::Min) => pick(random, &["the smallest ", "the lowest ", "the least "]),
        };
        let set = self.phrase(of, Number::Many, true, random);
        match random.below(3) {
            0 => Said::plain("Among ").then(set).and(", which has ").and(end).then(words),
            1 => Said::plain("Which of ").then(set).and(" has ").and(end).then(words),
            _ => Said::plain("What has ").and(end).then(words).and(" of ").then(set),
        }
    }

    fn compare(&self, of: [NodeId; 2], relation: RelationId, extreme: Option<Extreme>, random: &mut Random) -> Said {
        let words = Said(vec![(self.label(relation, random), Role::Relation(relation, Direction::Forward))]);
        let [a, b] = of.map(|n| self.mention(n, random));
        let Some(extreme) = extreme else {
            return match random.below(3) {
                0 => Said::plain("Do ").then(a).and(" and ").then(b).and(" have the same ").then(words),
                1 => Said::plain("Is the ").then(words).and(" of ").then(a).and(" the same as that of ").then(b),
                _ => Said::plain("Are ").then(a).and(" and ").then(b).and(" alike in ").then(words),
            };
        };
        let more = match (self.is_date(relation), extreme) {
            (true, Extreme::Max) => "later ",
            (true, Extreme::Min) => "earlier ",
            (_, Extreme::Max) => pick(random, &["larger ", "higher ", "greater "]),
            (_, Extreme::Min) => pick(random, &["smaller ", "lower "]),
        };
        match random.below(2) {
            0 => Said::plain("Which has the ").and(more).then(words).and(", ").then(a).and(" or ").then(b),
            _ => Said::plain("Does ").then(a).and(" or ").then(b).and(" have the ").and(more).then(words),
        }
    }

    fn is_date(&self, relation: RelationId) -> bool {
        let range = self.graph.vocabulary().relation(relation).and_then(|r| r.range.first());
        matches!(range, Some((Class::Literal(LiteralKind::Date), _)))
    }

    fn synonym<'s>(&self, label: &'s str, others: impl Iterator<Item = &'s str>, random: &mut Random) -> String {
        // A name as long as a sentence, or of no letters, is nothing that anybody says.
        let sayable = |s: &&str| !s.is_empty() && s.len() <= 60 && s.chars().any(char::is_alphabetic);
        let others: Vec<&str> = others.filter(sayable).take(12).collect();
        if others.is_empty() || random.unit() >= self.noise.synonyms {
            return label.to_owned();
        }
        others[random.below(others.len())].to_owned()
    }

    fn label(&self, relation: RelationId, random: &mut Random) -> String {
        let Some(r) = self.graph.vocabulary().relation(relation) else { return String::new() };
        self.synonym(&r.label, r.aliases.iter().map(String::as_str), random)
    }

    fn mention(&self, node: NodeId, random: &mut Random) -> Said {
        // Fewer aliases than for relations: of many entities they are codes and spellings in other scripts.
        let label = self.graph.label(node);
        let latin = |s: &&str| s.is_ascii() && s.len() > 3;
        let text =
            if random.below(3) == 0 { self.synonym(label, self.graph.aliases(node).filter(latin), random) } else { label.to_owned() };
        Said(vec![(text, Role::Entity(node))])
    }

    fn noun(&self, of: TypeId, number: Number, random: &mut Random) -> Said {
        let label = self
            .graph
            .vocabulary()
            .entity_type(of)
            .map_or_else(String::new, |t| self.synonym(&t.label, t.aliases.iter().map(String::as_str), random));
        let text = if number == Number::Many { plural(&label) } else { label };
        Said(vec![(text, Role::Type(of))])
    }

    /// A first capital and a question mark, mostly; lower case and a wrong letter at times.
    fn noisy(&self, mut said: Said, random: &mut Random) -> Said {
        said.0.retain(|(text, _)| !text.is_empty());
        if random.unit() < self.noise.typos {
            let plain: Vec<usize> =
                (0..said.0.len()).filter(|&i| !matches!(said.0[i].1, Role::Entity(_)) && said.0[i].0.len() > 5).collect();
            if !plain.is_empty() {
                let piece = &mut said.0[plain[random.below(plain.len())]].0;
                *piece = with_typo(piece, random);
            }
        }
        if random.below(8) > 0 {
            let ends_with_demand = said.0.first().is_some_and(|p| ["Tell", "Name", "List", "Count"].iter().any(|w| p.0.starts_with(w)));
            said = said.and(if ends_with_demand { "." } else { "?" });
        }
        if random.unit() < self.noise.lower {
            said.0.iter_mut().for_each(|p| p.0 = p.0.to_lowercase());
        }
        said
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    Many,
}

/// Whether a label goes on by itself ("directed by", "member of"): it is said after a verb, and not as "the … of".
fn participle(label: &str) -> bool {
    [" by", " in", " from", " at", " on", " to", " with", " of"].iter().any(|s| label.ends_with(s))
}

fn pick(random: &mut Random, all: &[&'static str]) -> &'static str {
    all.get(random.below(all.len().max(1))).copied().unwrap_or_default()
}

/// An English plural, good enough for the names of types.
fn plural(noun: &str) -> String {
    let lower = noun.to_lowercase();
    if let Some(stem) = ["person", "human"].iter().find(|w| lower == **w) {
        return if *stem == "person" { "people".to_owned() } else { "humans".to_owned() };
    }
    let last = lower.chars().last();
    let before = lower.chars().rev().nth(1);
    match (before, last) {
        (_, None | Some('s')) => noun.to_owned(),
        (Some('a' | 'e' | 'i' | 'o' | 'u'), Some('y')) => format!("{noun}s"),
        (_, Some('y')) => format!("{}ies", noun.get(..noun.len() - 1).unwrap_or(noun)),
        (Some('c' | 's'), Some('h')) | (_, Some('x' | 'z')) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Two neighbouring letters in the wrong order, a letter lost, or a letter twice.
fn with_typo(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let inner: Vec<usize> =
        (1..letters.len().saturating_sub(1)).filter(|&i| letters[i].is_alphabetic() && letters[i + 1].is_alphabetic()).collect();
    if inner.is_empty() {
        return text.to_owned();
    }
    let at = inner[random.below(inner.len())];
    match random.below(3) {
        0 => letters.swap(at, at + 1),
        1 => {
            letters.remove(at);
        }
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}
