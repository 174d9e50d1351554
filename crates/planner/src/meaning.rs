//! Planning by meaning: a question about one thing, whose words name no relation of it, is asked by the
//! relation whose names come nearest to it.
//!
//! The rules and the trained planner know a relation by its names and by everyday words for them. "Who was
//! behind the camera for Heat?" has none. Here the question, with "this film" in the place of the name, and
//! every relation that the thing has, said by its names between its types ("film directed by person") and as
//! one asks for it ("the director of this film"), are embedded by the model that embeds questions, and the
//! nearest relation is meant, if it is nearer than the next and hardly less near than whatever else people
//! ask about things ("the budget of this film"): a graph without budgets does not say what a film cost. Which
//! relations there are to choose from is the graph's: those of the named thing, to what the question word
//! asks for.

use super::lexicon::Lexicon;
use super::query::{LogicalForm, Query};
use super::question::{Ask, Token, ask, asks_how_to, named_mentions, read_tokens};
use super::weights;
use crate::compact::{sort_by, sort_unique};
use crate::kg::{
    Class, Direction, KnowledgeGraph, Linker, LiteralKind, NodeId, Provenance, Relation, RelationId, TripleId,
};
use crate::plan::Plan;
use crate::text::lexicon::{Language, SPOKEN};
use crate::vector::dot_f32;
use pocketgraph_question::is_function_word;

/// No question is longer, in bytes.
const LONGEST: usize = 512;
/// Relations of a thing beyond these are not looked at, so that a hostile graph costs a bounded time.
const CHOICES: usize = 32;
/// Names of a relation beyond these are not embedded.
const NAMES: usize = 6;
/// The longest name that is embedded, in bytes.
const LONGEST_NAME: usize = 200;

/// A question about one thing, and what it may ask of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OneEntityQuestion {
    /// The question to embed: "this" and the thing's type in the place of its name.
    pub question: String,
    /// The relations to choose from; never empty.
    pub choices: Vec<MeantRelation>,
    /// Other questions about such a thing, to embed as well.
    pub others: Vec<String>,
    /// Name of its type; empty if it has none.
    pub class: String,
    asked: String,
    start: NodeId,
    /// The relations that words of the question are names of, word by word.
    spoken: Vec<Vec<RelationId>>,
}

/// A relation that the thing has, in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct MeantRelation {
    /// The relation said by each of its names, in two ways: what to embed.
    pub phrases: Vec<String>,
    /// Name of the type from which the relation leads most often; empty if there is none.
    pub from: String,
    relation: RelationId,
    direction: Direction,
}

/// Returns a question's possible meanings about the one thing that it names. `None` if it names none or
/// several, counts, ranks, or asks how to do something.
pub fn one_entity_question(linker: &Linker, question: &str) -> Option<OneEntityQuestion> {
    if question.len() > LONGEST || asks_how_to(question) {
        return None;
    }
    let graph = linker.graph();
    let lexicon = Lexicon::new(graph.vocabulary());
    let mentions = linker.mentions(question);
    let [mention] = named_mentions(question, &mentions, &lexicon)[..] else { return None };
    let start = mention.candidates.first()?.node;
    let words = read_tokens(question, std::slice::from_ref(&mention.span), &lexicon);
    let asked = ask(&words, &lexicon);
    // One step takes nothing away, counts nothing and ranks nothing.
    let further = |w: &str| SPOKEN.operation_cues().has(w, "further") || (w.len() > 4 && w.ends_with("est"));
    if asked.count || words.iter().any(|w| further(&w.folded)) {
        return None;
    }
    let mut choices = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for (relation, _) in graph.relations_at(start, direction) {
            let Some(of) = graph.vocabulary().relation(relation) else { continue };
            if choices.len() < CHOICES
                && fits(of, relation, direction, &asked)
                && is_imported(graph, start, relation, direction)
            {
                let (from, phrase_list) = relation_phrases(graph, of);
                choices.push(MeantRelation { phrases: phrase_list, from, relation, direction });
            }
        }
    }
    let class = class(graph, start);
    let name = if class.is_empty() { "this".to_owned() } else { format!("this {class}") };
    let spoken = words
        .iter()
        .filter(|w| !is_function_word(&w.folded))
        .map(|w| w.relations.iter().map(|r| r.0).collect::<Vec<_>>());
    let spoken = spoken.filter(|relations| !relations.is_empty()).collect();
    let text = format!("{}{name}{}", question.get(..mention.span.start)?, question.get(mention.span.end..)?);
    if choices.is_empty() {
        return None;
    }
    Some(OneEntityQuestion {
        question: text,
        choices,
        others: others_asked(&class, &words),
        class,
        asked: question.to_owned(),
        start,
        spoken,
    })
}

/// Returns true if a relation of a thing is in an imported graph. The graph of the documents joins pages and
/// sections: there everything is a step away from everything, and a question that names a heading does not
/// ask for the page around it.
fn is_imported(graph: &KnowledgeGraph, of: NodeId, relation: RelationId, direction: Direction) -> bool {
    graph.follow(of, relation, direction).next().is_some_and(|edge| of_a_file(graph, edge.triple))
}

/// Returns true if a triple is in an imported graph.
pub(super) fn of_a_file(graph: &KnowledgeGraph, triple: TripleId) -> bool {
    graph.provenance(triple).any(|p| matches!(p, Provenance::Line { .. }))
}

/// Returns true if a relation leads to the wanted kind of answer.
fn fits(of: &Relation, relation: RelationId, direction: Direction, asked: &Ask) -> bool {
    if asked.is_open() || asked.relations.contains(&relation) {
        return true;
    }
    let fitting: u32 = of
        .far_end(direction)
        .iter()
        .filter(|(c, _)| asked.classes.contains(c))
        .map(|(_, n)| *n)
        .max()
        .unwrap_or(0);
    fitting as f32 >= weights::fitting() * of.triples.max(1) as f32
}

/// Returns the name of the first class of `node` that has one; empty if none has.
pub(super) fn class(graph: &KnowledgeGraph, node: NodeId) -> String {
    graph.classes(node).find_map(|c| word(graph, c)).unwrap_or_default()
}

/// Returns the common topics of questions about things of a class, as one asks for them.
pub(super) fn others(class: &str) -> Vec<String> {
    SPOKEN.common_topics().rows().map(|row| of_this(row.word, class)).collect()
}

/// Returns the common topics that the question word fits: "when" asks for no budget.
fn others_asked(class: &str, words: &[Token]) -> Vec<String> {
    let kind = words.iter().find_map(|w| match w.folded.as_str() {
        "who" | "whom" => Some("who"),
        "when" => Some("when"),
        "where" => Some("where"),
        _ => None,
    });
    kind.map_or_else(
        || others(class),
        |kind| SPOKEN.common_topics().words_with(kind).map(|what| of_this(what, class)).collect(),
    )
}

/// A relation said by each of its names, between the types that it joins most often, and as one asks for it;
/// and the first of these types.
pub(super) fn relation_phrases(graph: &KnowledgeGraph, of: &Relation) -> (String, Vec<String>) {
    let most = |ends: &[(Class, u32)]| {
        ends.iter().max_by_key(|e| e.1).and_then(|e| word(graph, e.0)).unwrap_or_default()
    };
    let (from, to) = (most(&of.domain), most(&of.range));
    let names = std::iter::once(&of.label).chain(&of.aliases).filter(|n| n.len() <= LONGEST_NAME).take(NAMES);
    let phrase_list = names
        .flat_map(|name| [format!("{from} {name} {to}").trim().to_owned(), of_this(name, &from)])
        .collect();
    (from, phrase_list)
}

/// Returns a property of things of a class, as one asks for it. Questions are more similar to this form than
/// to bare words, even those about other things.
fn of_this(what: &str, class: &str) -> String {
    format!("the {what} of this {}", if class.is_empty() { "thing" } else { class })
}

/// Returns the name of a class.
fn word(graph: &KnowledgeGraph, class: Class) -> Option<String> {
    match class {
        Class::Type(t) => {
            graph.vocabulary().entity_type(t).map(|t| t.label.clone()).filter(|l| l.len() <= LONGEST_NAME)
        }
        Class::Literal(LiteralKind::Number) => Some("number".to_owned()),
        Class::Literal(LiteralKind::Date) => Some("date".to_owned()),
        Class::Literal(_) | Class::Untyped => None,
    }
}

/// The plan of the relation that a question comes nearest to, and how near.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The plan.
    pub plan: Plan,
    /// Its similarity.
    pub near: Nearness,
}

/// Similarity of a question and a relation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nearness {
    /// The cosine.
    pub cosine: f32,
    /// By how much the cosine of the next relation is lower; that cosine itself where there is no other.
    pub ahead: f32,
    /// By how much the highest cosine of what else people ask about such things is lower.
    pub of_others: f32,
}

impl OneEntityQuestion {
    /// The texts to embed besides the question, each once.
    pub fn texts(&self) -> Vec<&str> {
        let mut all: Vec<&str> =
            self.choices.iter().flat_map(|c| &c.phrases).chain(&self.others).map(String::as_str).collect();
        sort_unique(&mut all);
        all
    }

    /// The plan that asks for the nearest relation, by the unit vectors of the question and of every text
    /// (`None` where there is none), and what it finds.
    pub fn nearest<'v>(
        &self,
        graph: &KnowledgeGraph,
        question: &[f32],
        vector: &dyn Fn(&str) -> Option<&'v [f32]>,
    ) -> Option<Nearest> {
        let near = |text: &String| vector(text).map_or(-1.0, |v| dot_f32(v, question));
        let nearness = |c: &MeantRelation| c.phrases.iter().map(near).fold(-1.0f32, f32::max);
        let mut ranked: Vec<(f32, &MeantRelation)> = self.choices.iter().map(|c| (nearness(c), c)).collect();
        sort_by(&mut ranked, |a, b| b.0.total_cmp(&a.0));
        let &(best, choice) = ranked.first()?;
        // A word that names another relation speaks of a second step.
        if self.spoken.iter().any(|names| !names.contains(&choice.relation)) {
            return None;
        }
        let next = ranked.get(1).map_or(0.0, |r| r.0.max(0.0));
        let names: Vec<&[f32]> =
            self.choices.iter().flat_map(|c| &c.phrases).filter_map(|text| vector(text)).collect();
        let another = |text: &&String| {
            vector(text).is_some_and(|v| names.iter().all(|name| dot_f32(name, v) < weights::same_meaning()))
        };
        let other = self.others.iter().filter(another).map(near).fold(0.0f32, f32::max);
        let step = Query::Step {
            of: Box::new(Query::Entity(self.start)),
            relation: choice.relation,
            direction: choice.direction,
            target: None,
        };
        let near = Nearness { cosine: best, ahead: best - next, of_others: best - other };
        Some(Nearest { plan: LogicalForm::Set(step).plan(graph, &self.asked), near })
    }
}

#[cfg(test)]
#[path = "meaning_tests.rs"]
mod tests;
