//! Planning by meaning: a question about one thing, whose words name no relation of it, is asked by the relation whose names come nearest to it.
//!
//! The rules and the trained planner know a relation by its names and by everyday words for them. "Who was behind the camera for Heat?" has none. Here the
//! question, with "this film" in the place of the name, and every relation that the thing has, said by its names between its types ("film directed
//! by person"), are embedded by the model that embeds questions, and the nearest relation is meant if it is near, and nearer than the next. Which
//! relations there are to choose from is the graph's: those of the named thing, to what the question word asks for.

use super::lexicon::{Lexicon, is_function_word};
use super::query::{Asked, Query};
use super::question::{Ask, ask, asks_for_a_way, tokens, told};
use super::rules::Planned;
use super::walk;
use crate::compact::{sort_by, sort_unique};
use crate::elementary::exp_f32;
use crate::kg::{Class, Direction, KnowledgeGraph, Linker, LiteralKind, NodeId, Relation, RelationId};

/// The confidence from which a relation is taken to be meant.
pub const LEAST_MEANT: f32 = 0.5;
/// No question is longer, in bytes.
const LONGEST: usize = 512;
/// Relations of a thing beyond these are not looked at, so that a hostile graph costs a bounded time.
const CHOICES: usize = 32;
/// Names of a relation beyond these are not embedded.
const NAMES: usize = 6;
/// The longest name that is embedded, in bytes.
const LONGEST_NAME: usize = 200;
/// Words that ask for more than a step, beside superlatives.
const FURTHER: [&str; 10] = ["count", "except", "least", "more", "most", "nor", "not", "number", "than", "without"];
/// The part of a relation's triples that must lead to what the question asks for.
const FITTING: f32 = 0.5;

/// A question about one thing, and what it may ask of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Meant {
    /// The question to embed: "this" and the thing's type in the place of its name.
    pub question: String,
    /// The relations to choose from; never empty.
    pub choices: Vec<Choice>,
    asked: String,
    start: NodeId,
    /// The relations that words of the question are names of, word by word.
    spoken: Vec<Vec<RelationId>>,
}

/// A relation that the thing has, in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The relation said by each of its names: what to embed.
    pub says: Vec<String>,
    relation: RelationId,
    direction: Direction,
}

/// What a question may ask of the one thing that it names; `None` where it names none or several, counts, or asks how to do something.
pub fn meant(linker: &Linker, question: &str) -> Option<Meant> {
    if question.len() > LONGEST || asks_for_a_way(question) {
        return None;
    }
    let graph = linker.graph();
    let lexicon = Lexicon::new(graph.vocabulary());
    let mentions = linker.mentions(question);
    let [mention] = told(question, &mentions, &lexicon)[..] else { return None };
    let start = mention.candidates.first()?.node;
    let words = tokens(question, std::slice::from_ref(&mention.span), &lexicon);
    let asked = ask(&words, &lexicon);
    // One step takes nothing away, counts nothing and ranks nothing.
    let further = |w: &str| FURTHER.contains(&w) || (w.len() > 4 && w.ends_with("est"));
    if asked.count || words.iter().any(|w| further(&w.folded)) {
        return None;
    }
    let mut choices = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for (relation, _) in graph.relations_at(start, direction) {
            let Some(of) = graph.vocabulary().relation(relation) else { continue };
            if choices.len() < CHOICES && fits(of, relation, direction, &asked) {
                choices.push(Choice { says: says(graph, of), relation, direction });
            }
        }
    }
    let class = graph.classes(start).find_map(|c| word(graph, c));
    let name = class.map_or_else(|| "this".to_owned(), |class| format!("this {class}"));
    let spoken = words.iter().filter(|w| !is_function_word(&w.folded)).map(|w| w.relations.iter().map(|r| r.0).collect::<Vec<_>>());
    let spoken = spoken.filter(|relations| !relations.is_empty()).collect();
    let text = format!("{}{name}{}", question.get(..mention.span.start)?, question.get(mention.span.end..)?);
    (!choices.is_empty()).then(|| Meant { question: text, choices, asked: question.to_owned(), start, spoken })
}

/// Whether a relation leads to what is asked for.
fn fits(of: &Relation, relation: RelationId, direction: Direction, asked: &Ask) -> bool {
    if asked.is_open() || asked.relations.contains(&relation) {
        return true;
    }
    let ends = if direction == Direction::Forward { &of.range } else { &of.domain };
    let fitting: u32 = ends.iter().filter(|(c, _)| asked.classes.contains(c)).map(|(_, n)| *n).max().unwrap_or(0);
    fitting as f32 >= FITTING * of.triples.max(1) as f32
}

/// A relation said by each of its names, between the types that it joins most often.
fn says(graph: &KnowledgeGraph, of: &Relation) -> Vec<String> {
    let most = |ends: &[(Class, u32)]| ends.iter().max_by_key(|e| e.1).and_then(|e| word(graph, e.0)).unwrap_or_default();
    let (from, to) = (most(&of.domain), most(&of.range));
    let names = std::iter::once(&of.label).chain(&of.aliases).filter(|n| n.len() <= LONGEST_NAME).take(NAMES);
    names.map(|name| format!("{from} {name} {to}").trim().to_owned()).collect()
}

/// What things of a class are called.
fn word(graph: &KnowledgeGraph, class: Class) -> Option<String> {
    match class {
        Class::Type(t) => graph.vocabulary().entity_type(t).map(|t| t.label.clone()).filter(|l| l.len() <= LONGEST_NAME),
        Class::Literal(LiteralKind::Number) => Some("number".to_owned()),
        Class::Literal(LiteralKind::Date) => Some("date".to_owned()),
        Class::Literal(_) | Class::Untyped => None,
    }
}

impl Meant {
    /// The texts to embed besides the question, each once.
    pub fn texts(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.choices.iter().flat_map(|c| &c.says).map(String::as_str).collect();
        sort_unique(&mut all);
        all
    }

    /// The plan that asks for the nearest relation, by the unit vectors of the question and of every text (`None` where there is none), and what it finds.
    pub fn nearest<'v>(&self, graph: &KnowledgeGraph, question: &[f32], vector: &dyn Fn(&str) -> Option<&'v [f32]>) -> Option<Planned> {
        let near = |text: &String| vector(text).map_or(-1.0, |v| v.iter().zip(question).map(|(a, b)| a * b).sum());
        let nearness = |c: &Choice| c.says.iter().map(near).fold(-1.0f32, f32::max);
        let mut ranked: Vec<(f32, &Choice)> = self.choices.iter().map(|c| (nearness(c), c)).collect();
        sort_by(&mut ranked, |a, b| b.0.total_cmp(&a.0));
        let &(best, choice) = ranked.first()?;
        // A word that names another relation speaks of a second step.
        if self.spoken.iter().any(|names| !names.contains(&choice.relation)) {
            return None;
        }
        let next = ranked.iter().skip(1).map(|r| r.0).next().unwrap_or(0.0).max(0.0);
        let step =
            Query::Step { of: Box::new(Query::Entity(self.start)), relation: choice.relation, direction: choice.direction, target: None };
        let answer = walk::reached(graph, &[self.start], choice.relation, choice.direction, &|_| true);
        Some(Planned { plan: Asked::Set(step).plan(graph, &self.asked), confidence: confidence(best, best - next), answer })
    }
}

/// The probability that a choice is meant: by how near it is, and how much nearer than the next. Read off MetaQA's questions of one hop in other words, and
/// questions of several steps, counts and comparisons, of which every choice is wrong.
fn confidence(best: f32, ahead: f32) -> f32 {
    1.0 / (1.0 + exp_f32(-(12.0 * (best - 0.5) + 30.0 * (ahead.min(0.1) - 0.02))))
}
