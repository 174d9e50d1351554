//! Whether a plan answers what was asked, and nothing else: every content word of the question is explained, the end of the path is of the kind that the
//! question asks for, steps face the way the verb does, and a set operation has its cue.
//!
//! The check is the same for every planner and hard: confidence says how likely one reading is among others, and no confidence makes up for a word that
//! nothing in the plan stands for ("the wife of the director of Heat" is not its director).

use super::chain::means_again;
use super::lexicon::{Lexicon, is_function_word};
use super::measures::{bases, extreme, measures};
use super::{PlannerError, voice};
use crate::compact::Set;
use crate::kg::{Class, Direction, KnowledgeGraph, Linker, LiteralKind, NodeId, RelationId, TypeId};
use crate::plan::{Condition, Extreme, Head, How, Measure, Operation, Plan, Relation};
use crate::text::{Word, fold, stem, without_possessive, words};

/// Words of a question beyond these are not looked at.
const LONGEST: usize = 256;

/// How a planner came to the relations of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// By the question's words.
    Words,
    /// By nearness in meaning: so many groups of neighbouring words may stand for as many steps that no word names.
    Meaning,
}

/// Words that ask, and say nothing of what is asked.
const FRAME: [&str; 64] = [
    "about",
    "answer",
    "anybody",
    "anyone",
    "apart",
    "appear",
    "besides",
    "both",
    "call",
    "called",
    "certain",
    "curious",
    "different",
    "either",
    "enumerate",
    "entitled",
    "every",
    "exactly",
    "except",
    "excluding",
    "following",
    "full",
    "hello",
    "help",
    "hey",
    "hi",
    "identify",
    "include",
    "including",
    "interested",
    "just",
    "know",
    "known",
    "let",
    "like",
    "looking",
    "love",
    "mention",
    "mentioned",
    "need",
    "neither",
    "nor",
    "ok",
    "one",
    "ones",
    "possible",
    "provide",
    "question",
    "quick",
    "remind",
    "respectively",
    "same",
    "say",
    "several",
    "share",
    "shared",
    "specific",
    "thanks",
    "thing",
    "things",
    "titled",
    "various",
    "want",
    "wonder",
];
/// Words of counting.
const COUNTING: [&str; 6] = ["amount", "count", "number", "numbers", "quantity", "total"];
/// Kinds that nobody asks for by "who".
const NOBODY: [&str; 22] = [
    "place",
    "location",
    "city",
    "country",
    "state",
    "region",
    "territory",
    "year",
    "date",
    "day",
    "time",
    "language",
    "genre",
    "number",
    "rating",
    "tag",
    "film",
    "movie",
    "book",
    "song",
    "river",
    "mountain",
];
const PEOPLE: [&str; 8] = ["person", "people", "human", "actor", "artist", "character", "man", "woman"];
const TIMES: [&str; 10] = ["year", "date", "day", "time", "birth", "death", "when", "since", "until", "inception"];
/// Words that join sets, so that all of either is meant.
const JOINS: [&str; 14] = [
    "or",
    "either",
    "plus",
    "well",
    "combined",
    "combination",
    "collective",
    "together",
    "along",
    "alongside",
    "any",
    "each",
    "nor",
    "total",
];
const AWAY: [&str; 14] =
    ["not", "no", "but", "except", "without", "excluding", "neither", "nor", "besides", "other", "apart", "minus", "never", "none"];

/// What a plan uses.
#[derive(Default)]
struct Used {
    relations: Vec<(RelationId, Direction, Head)>,
    types: Vec<TypeId>,
    nodes: Vec<NodeId>,
    names: Vec<String>,
    measures: bool,
    ranks: bool,
    counts: bool,
    compares: bool,
    joins: bool,
    takes: bool,
    values: bool,
}

/// Checks a plan against its question.
///
/// # Errors
/// [`PlannerError::Unexplained`] for a word that nothing in the plan stands for, [`PlannerError::NotAsked`] for an answer of another kind, a step that faces
/// the other way, or a set operation without a cue.
pub fn account(linker: &Linker, question: &str, plan: &Plan, evidence: Evidence) -> Result<(), PlannerError> {
    account_with(linker, &Lexicon::new(linker.graph().vocabulary()), question, plan, evidence)
}

pub(super) fn account_with(
    linker: &Linker,
    lexicon: &Lexicon,
    question: &str,
    plan: &Plan,
    evidence: Evidence,
) -> Result<(), PlannerError> {
    let graph = linker.graph();
    let Some(used) = used(linker, plan) else { return Ok(()) };
    let mut all = words(question);
    all.truncate(LONGEST);
    let named = named(linker, question, &used);
    let outside: Vec<(usize, String)> = all
        .iter()
        .enumerate()
        .filter(|(_, w)| !named.iter().any(|n| overlap(w, n)))
        .map(|(at, w)| (at, without_possessive(&fold(w.text)).to_owned()))
        .collect();
    let plain: Vec<&str> = outside.iter().map(|(_, w)| w.as_str()).collect();
    cues(&plain, &used)?;
    faces(graph, lexicon, &all, &named, &used)?;
    ends(graph, lexicon, &plain, plan, &used)?;
    explained(graph, lexicon, &outside, &used, evidence)
}

fn overlap(word: &Word<'_>, span: &std::ops::Range<usize>) -> bool {
    span.start < word.span.end && word.span.start < span.end
}

/// What the plan stands on; `None` for plans whose steps are words, which the executor looks up.
fn used(linker: &Linker, plan: &Plan) -> Option<Used> {
    let graph = linker.graph();
    let mut out = Used::default();
    let relation = |r: &Relation| match r {
        Relation::Exact { name, inverse } => {
            let direction = if *inverse { Direction::Backward } else { Direction::Forward };
            graph.vocabulary().relation_named(name).map(|id| (id, direction))
        }
        Relation::Phrase(_) => None,
    };
    let measured = |m: &Measure| match m {
        Measure::ValueOf(r) | Measure::NumberOf(r) => relation(r),
    };
    let of_type = |name: &str| (0..).map(TypeId).zip(graph.vocabulary().types()).find(|(_, t)| t.name == name).map(|(id, _)| id);
    for statement in &plan.statements {
        match &statement.operation {
            Operation::SearchKg(step) => {
                let (id, direction) = relation(&step.relation)?;
                out.types.extend(step.target.as_deref().and_then(of_type));
                if let Head::Entity(name) | Head::Mention(name) = &step.head {
                    out.names.push(name.clone());
                    out.nodes.extend(linker.exact(name));
                }
                out.relations.push((id, direction, step.head.clone()));
            }
            Operation::Search { .. } => return None,
            Operation::All { target } => out.types.extend(of_type(target)),
            Operation::Intersect { .. } => {}
            Operation::Union { .. } => out.joins = true,
            Operation::Negation { .. } => out.takes = true,
            Operation::Count { .. } => out.counts = true,
            Operation::Compare(compare) => {
                out.compares = true;
                out.measure(compare.by.as_ref().map(measured));
            }
            Operation::Filter { condition, .. } => match condition {
                Condition::Type(name) => out.types.extend(of_type(name)),
                Condition::Value(test) => {
                    out.values = true;
                    out.measure(test.by.as_ref().map(measured));
                }
            },
            Operation::Superlative { by, .. } => {
                out.ranks = true;
                out.measure(by.as_ref().map(measured));
            }
        }
    }
    Some(out)
}

impl Used {
    fn measure(&mut self, by: Option<Option<(RelationId, Direction)>>) {
        self.measures = true;
        if let Some((id, direction)) = by.flatten() {
            self.relations.push((id, direction, Head::Reference(String::new())));
        }
    }
}

/// The places of the question that name what the plan uses.
fn named(linker: &Linker, question: &str, used: &Used) -> Vec<std::ops::Range<usize>> {
    let graph = linker.graph();
    let is = |node: NodeId| used.nodes.contains(&node) || used.names.iter().any(|n| n == graph.id(node) || n == graph.label(node));
    let mentions = linker.mentions(question);
    let mut spans: Vec<_> = mentions.iter().flat_map(|m| &m.candidates).filter(|c| is(c.node)).map(|c| c.span.clone()).collect();
    // A name within a longer mention: "the Missouri river".
    let mut own: Vec<String> = used.names.clone();
    own.extend(used.nodes.iter().map(|&n| graph.label(n).to_owned()));
    for name in own {
        let parts: Vec<String> = words(&name).iter().map(|w| fold(w.text)).collect();
        let all = words(question);
        for run in all.windows(parts.len().max(1)) {
            if !parts.is_empty() && run.iter().zip(&parts).all(|(w, p)| without_possessive(&fold(w.text)) == p || fold(w.text) == *p) {
                spans.extend(run.iter().map(|w| w.span.clone()));
            }
        }
    }
    spans
}

/// A set operation needs a word that says it.
fn cues(plain: &[&str], used: &Used) -> Result<(), PlannerError> {
    let says = |of: &[&str]| plain.iter().any(|w| of.contains(w));
    if used.joins && !says(&JOINS) {
        return Err(PlannerError::NotAsked("it joins two sets, and no word says “or”"));
    }
    if used.takes && !says(&AWAY) && !plain.iter().any(|w| w.ends_with("n't") || w.ends_with("n’t")) {
        return Err(PlannerError::NotAsked("it takes something away, and no word says so"));
    }
    if used.counts && !plain.iter().any(|w| COUNTING.contains(w) || matches!(*w, "many" | "much")) {
        return Err(PlannerError::NotAsked("it counts, and no number is asked for"));
    }
    let asks = |w: &&str| matches!(*w, "who" | "whom" | "whose" | "what" | "which" | "when" | "where" | "how" | "why");
    let verb = |w: &&&str| matches!(**w, "is" | "are" | "was" | "were" | "do" | "does" | "did" | "has" | "had");
    let closed = plain.first().filter(verb).is_some() && plain.get(1) != Some(&"you") && !plain.iter().any(asks);
    if closed && !used.compares {
        return Err(PlannerError::NotAsked("the question asks for yes or no, and it finds things"));
    }
    Ok(())
}

/// A first step between things of one kind must go the way that the verb says.
fn faces(
    graph: &KnowledgeGraph,
    lexicon: &Lexicon,
    all: &[Word<'_>],
    named: &[std::ops::Range<usize>],
    used: &Used,
) -> Result<(), PlannerError> {
    let [(relation, direction, Head::Entity(_))] = used.relations.as_slice() else { return Ok(()) };
    if used.measures || !between_alike(graph, *relation) {
        return Ok(());
    }
    let is_name = |w: &&Word<'_>| named.iter().any(|n| overlap(w, n));
    let at = all.iter().take_while(|w| !is_name(w)).count();
    let plain: Vec<String> = all.iter().filter(|w| !is_name(w)).map(|w| without_possessive(&fold(w.text)).to_owned()).collect();
    let label = graph.vocabulary().relation(*relation).map_or("", |r| r.label.as_str());
    match voice::direction(label, &plain, at.min(plain.len()), *relation, lexicon) {
        Some(meant) if meant != *direction => Err(PlannerError::NotAsked("its step goes the other way than the question's verb")),
        _ => Ok(()),
    }
}

/// Whether a relation's two ends are of one kind, as far as is known.
pub(super) fn between_alike(graph: &KnowledgeGraph, relation: RelationId) -> bool {
    graph.vocabulary().schema().iter().any(|e| e.relation == relation && e.head == e.tail)
}

/// The kinds of the plan's answer: the classes that its last step leads to; empty where that is not known.
fn answers(graph: &KnowledgeGraph, plan: &Plan) -> Vec<Class> {
    let mut at = plan.answer.as_str();
    for _ in 0..=plan.statements.len() {
        let Some(statement) = plan.statement(at) else { return Vec::new() };
        match &statement.operation {
            Operation::SearchKg(step) => {
                let Relation::Exact { name, inverse } = &step.relation else { return Vec::new() };
                let Some(of) = graph.vocabulary().relation_named(name).and_then(|id| graph.vocabulary().relation(id)) else {
                    return Vec::new();
                };
                let all = if *inverse { &of.domain } else { &of.range };
                return all.iter().filter(|(_, n)| u64::from(*n) * 20 >= u64::from(of.triples)).map(|(c, _)| *c).collect();
            }
            Operation::Intersect { of } | Operation::Union { of } => at = of.first().map_or("", String::as_str),
            Operation::Negation { main, .. } => at = main,
            Operation::Filter { of, .. } | Operation::Superlative { of, .. } => at = of,
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

/// The end of the path agrees with who, when, where, how many and which kind.
fn ends(graph: &KnowledgeGraph, lexicon: &Lexicon, plain: &[&str], plan: &Plan, used: &Used) -> Result<(), PlannerError> {
    if used.compares || used.counts {
        return Ok(());
    }
    let ends = answers(graph, plan);
    if ends.is_empty() {
        return Ok(());
    }
    let called = |c: &Class, of: &[&str]| match c {
        Class::Type(t) => {
            graph.vocabulary().entity_type(*t).is_some_and(|t| words(&t.label).iter().any(|w| of.contains(&fold(w.text).as_str())))
        }
        _ => false,
    };
    let last =
        plan.statements.iter().rev().find_map(|s| if let Operation::SearchKg(step) = &s.operation { Some(&step.relation) } else { None });
    let last = last.and_then(|r| if let Relation::Exact { name, .. } = r { graph.vocabulary().relation_named(name) } else { None });
    let of_time = last.is_some_and(|r| lexicon.relation_is(r, &TIMES));
    let wrong = |why| Err(PlannerError::NotAsked(why));
    let number = |c: &Class| matches!(c, Class::Literal(LiteralKind::Number | LiteralKind::Date));
    let first = plain.iter().position(|w| matches!(*w, "who" | "whom" | "when" | "where" | "how" | "what" | "which" | "whose"));
    let Some(first) = first else { return Ok(()) };
    let next = plain.get(first + 1).copied().unwrap_or_default();
    match plain[first] {
        "who" | "whom" => {
            let people = ends.iter().any(|c| called(c, &PEOPLE));
            if !people && ends.iter().all(|c| number(c) || called(c, &NOBODY)) {
                return wrong("it finds nobody, and somebody is asked for");
            }
        }
        "when" => {
            let time = |c: &Class| matches!(c, Class::Literal(LiteralKind::Date)) || called(c, &TIMES);
            if !of_time && !ends.iter().any(time) {
                return wrong("it finds no date, and the question asks when");
            }
        }
        "where" => {
            if ends.iter().all(|c| number(c) || called(c, &PEOPLE) || called(c, &TIMES)) {
                return wrong("it finds no place, and the question asks where");
            }
        }
        "how" if matches!(next, "many" | "much") || !measures(next).is_empty() => {
            let spoken = plain.iter().flat_map(|w| lexicon.relations(w)).any(|(r, _)| Some(r) == last);
            let fits = ends.iter().any(number) || (spoken && ends.iter().all(|c| !called(c, &PEOPLE) && !called(c, &NOBODY[..7])));
            if !fits {
                return wrong("it finds no number, and a number is asked for");
            }
        }
        "what" | "which" => {
            let asked = lexicon.types(next);
            let noun =
                plain.get(first + 2).is_none_or(|w| lexicon.types(w).is_empty() && lexicon.relations(w).is_empty() || is_function_word(w));
            let own = lexicon.relations(next).iter().any(|(r, _)| Some(*r) == last);
            let typed = ends.iter().all(|c| matches!(c, Class::Type(_) | Class::Literal(_)));
            if !asked.is_empty() && noun && !own && typed && !ends.iter().any(|c| matches!(c, Class::Type(t) if asked.contains(t))) {
                return wrong("it finds another kind than is asked for");
            }
        }
        _ => {}
    }
    Ok(())
}

/// Every content word stands for something in the plan.
fn explained(
    graph: &KnowledgeGraph,
    lexicon: &Lexicon,
    outside: &[(usize, String)],
    used: &Used,
    evidence: Evidence,
) -> Result<(), PlannerError> {
    let types = kinds(graph, used);
    let untyped = untyped_places(graph, used);
    let mut said: Set<RelationId> = Set::default();
    let mut nouns: Vec<String> = Vec::new();
    // Groups of neighbouring words that nothing explains; function words do not part them.
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    for (place, (_, word)) in outside.iter().enumerate() {
        let of: Vec<RelationId> = spoken(lexicon, word).into_iter().filter(|r| used.relations.iter().any(|(u, ..)| u == r)).collect();
        said.extend(of.iter().copied());
        if !of.is_empty() || lexicon.types(word).iter().any(|t| types.contains(t)) {
            open = false;
            continue;
        }
        if is_frame(word, used) {
            continue;
        }
        let before = place.checked_sub(1).map(|at| outside[at].1.as_str());
        if untyped > 0 && is_kind_noun(word, before) {
            let stem = stem(word);
            if !nouns.contains(&stem) {
                nouns.push(stem);
            }
            if nouns.len() <= untyped {
                open = false;
                continue;
            }
        }
        match groups.last_mut() {
            Some(group) if open => group.push(word),
            _ => groups.push(vec![word]),
        }
        open = true;
    }
    let silent = used.relations.iter().filter(|(r, ..)| !said.items().contains(r)).count();
    let allowed = if evidence == Evidence::Meaning { silent } else { 0 };
    match groups.get(allowed).or(groups.first()) {
        Some(group) if groups.len() > allowed => {
            Err(PlannerError::Unexplained(group.first().map_or_else(String::new, |w| (*w).to_owned())))
        }
        _ => Ok(()),
    }
}

/// The relations that a word speaks of, measures among them.
fn spoken(lexicon: &Lexicon, word: &str) -> Vec<RelationId> {
    let mut all: Vec<RelationId> = lexicon.relations(word).into_iter().map(|(r, _)| r).collect();
    if !measures(word).is_empty() || bases(word).iter().any(|b| !measures(b).is_empty()) {
        all.extend(lexicon.measured_by(word).into_iter().map(|(r, _)| r));
    }
    all
}

/// The types that the plan's steps lead from and to, and those of the things it starts from.
fn kinds(graph: &KnowledgeGraph, used: &Used) -> Vec<TypeId> {
    let mut all = used.types.clone();
    all.extend(used.nodes.iter().flat_map(|&n| graph.types(n)).copied());
    for (id, ..) in &used.relations {
        let Some(of) = graph.vocabulary().relation(*id) else { continue };
        all.extend(of.domain.iter().chain(&of.range).filter_map(|(c, _)| if let Class::Type(t) = c { Some(*t) } else { None }));
    }
    all
}

/// How many places of the path hold things without a type, which a noun may be the kind of.
fn untyped_places(graph: &KnowledgeGraph, used: &Used) -> usize {
    let open = |classes: &[(Class, u32)]| classes.iter().any(|(c, _)| matches!(c, Class::Untyped | Class::Literal(LiteralKind::Text)));
    let of = |id: &RelationId| graph.vocabulary().relation(*id);
    let steps = used.relations.iter().filter_map(|(id, direction, _)| of(id).map(|r| (r, direction)));
    let ends = steps.filter(|(r, direction)| open(if **direction == Direction::Forward { &r.range } else { &r.domain })).count();
    let begins = used.relations.first().and_then(|(id, direction, _)| of(id).map(|r| (r, direction)));
    ends + usize::from(begins.is_some_and(|(r, direction)| open(if *direction == Direction::Forward { &r.domain } else { &r.range })))
}

/// Whether a word that nothing explains is the name of a kind: a plural, or what stands behind "which" or an article of the asked thing.
fn is_kind_noun(word: &str, before: Option<&str>) -> bool {
    let plural = (word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")) || word == "people";
    plural || matches!(before, Some("which" | "what")) || PEOPLE.contains(&word) || matches!(word, "movie" | "film" | "item" | "entity")
}

fn is_frame(word: &str, used: &Used) -> bool {
    let ordered =
        |w: &str| extreme(w).is_some() || How::from_word(w).is_some() || Extreme::from_word(w).is_some() || !measures(w).is_empty();
    is_function_word(word)
        || FRAME.contains(&word)
        || means_again(word)
        || JOINS.contains(&word)
        || AWAY.contains(&word)
        || word.len() == 1
        || ((used.counts || used.ranks || used.compares) && COUNTING.contains(&word))
        || ((used.ranks || used.compares || used.measures || used.values)
            && (ordered(word) || matches!(word, "than" | "more" | "less" | "fewer")))
        || (used.values && word.starts_with(|c: char| c.is_ascii_digit()))
}
