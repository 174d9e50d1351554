//! Checks that a plan answers what was asked and nothing else: every content word of the question is
//! explained, the end of the path is of the kind that the question asks for, and steps go the way the verb
//! does.
//!
//! The check is the same for every planner, and hard: no confidence makes up for a word that nothing in the
//! plan stands for ("the wife of the director of Heat" is not its director).

use super::assertion::asks_whether;
use super::chain::is_same_as_cue;
use super::lexicon::Lexicon;
use super::measures::{bases, find_extreme, measures};
use super::negation::negates;
use super::question::{EXACT, Token, called, core_of, read_tokens};
use super::sets::find_sides;
use super::{PlannerError, voice, weights};
use crate::compact::{Set, sort_by};
use crate::kg::{
    Class, Direction, EntityType, KnowledgeGraph, Linker, LiteralKind, Mention, NodeId, RelationId, TypeId,
};
use crate::plan::{Condition, Extreme, Head, How, Measure, Operation, Plan, Relation, SearchKg};
use crate::text::lexicon::{Language, Row, SPOKEN};
use crate::text::{Word, fold, stem, without_possessive, words};
use pocketgraph_question::{is_function_word, is_verb_form, name_words, singulars};
use std::ops::Range;

/// Words of a question beyond these are not looked at.
const LONGEST: usize = 256;

/// Maximum number of neighbours that decide if things on both sides of a relation are of one kind.
const SEEN: usize = 32;

/// The way in which a planner found the relations of its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// By the question's words.
    Words,
    /// By nearness in meaning: so many groups of neighbouring words may stand for as many steps that no word
    /// names.
    Meaning,
}

fn asks_for(word: &str) -> bool {
    SPOKEN.question_words().has(word, "clause")
}

/// Returns true if a word is a preposition of a way.
fn is_along(token: &Token) -> bool {
    SPOKEN.prepositions().has(&token.folded, "way")
}

/// The parts of a plan.
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
    numbers: bool,
    /// True if a comparison answers yes or no.
    decides: bool,
    /// Steps after which others go on: what they lead to is gone through, not found.
    through: Vec<(RelationId, Direction)>,
    values: bool,
    /// True if it starts from things of any kind. A noun that no step explains would then exclude some of
    /// them.
    unexplained: bool,
}

/// Checks a plan against its question.
///
/// # Errors
/// [`PlannerError::Unexplained`] for a word that nothing in the plan stands for, [`PlannerError::NotAsked`]
/// for an answer of another kind, or a step that goes the other way.
pub fn account(linker: &Linker, question: &str, plan: &Plan, evidence: Evidence) -> Result<(), PlannerError> {
    let lexicon = Lexicon::new(linker.graph().vocabulary());
    account_with(linker, &lexicon, &core_of(linker, &lexicon, question), plan, evidence)
}

pub(super) fn account_with(
    linker: &Linker,
    lexicon: &Lexicon,
    question: &str,
    plan: &Plan,
    evidence: Evidence,
) -> Result<(), PlannerError> {
    let graph = linker.graph();
    let Some(mut used) = used(linker, plan) else { return Ok(()) };
    used.numbers = find_answer_classes(graph, plan).contains(&Class::Literal(LiteralKind::Number));
    let mentions = linker.mentions(question);
    let named = find_named(graph, &mentions, question, &used);
    let mut all = words(question);
    check_layout(graph, lexicon, &all, &used)?;
    all.truncate(LONGEST);
    let outside = all.iter().filter(|w| !named.iter().any(|n| overlap(w, n)));
    let plain: Vec<String> = outside.map(|w| without_possessive(&fold(w.text)).to_owned()).collect();
    let plain: Vec<&str> = plain.iter().map(|w| split_contraction(w)).collect();
    let at = all.iter().take_while(|w| !named.iter().any(|n| overlap(w, n))).count();
    if at > 0 && asks_whether(&plain) && !used.decides && !(used.compares && plain.contains(&"or")) {
        return Err(PlannerError::NotAsked("the question asks for yes or no, and it finds things"));
    }
    cues(graph, &plain, &used)?;
    check_directions(graph, lexicon, &plain, at, &used)?;
    check_end(graph, lexicon, &plain, plan, &used)?;
    if !sets_may_meet(graph, plan) {
        return Err(PlannerError::NotAsked("it puts things of different kinds side by side"));
    }
    let tokens = read_tokens(question, &named, lexicon);
    check_sides(linker, question, &mentions, plan, &named, &tokens, &used)?;
    check_explained(linker, lexicon, &tokens, &used, evidence)
}

/// A plan takes away what the question takes away, and joins what it offers as a choice.
fn check_sides(
    linker: &Linker,
    question: &str,
    mentions: &[Mention],
    plan: &Plan,
    named: &[Range<usize>],
    tokens: &[Token],
    used: &Used,
) -> Result<(), PlannerError> {
    let keeps_others_out =
        |w: &[Token]| w[1].entity.is_some() && SPOKEN.denials().has(&w[0].folded, "others");
    if tokens.windows(2).any(keeps_others_out) {
        return Err(PlannerError::NotAsked("the question wants nothing else to be so"));
    }
    if used.compares || named.len() < 2 && !negates(question, mentions) {
        return Ok(());
    }
    let sides = find_sides(tokens);
    let joins_any = sides.windows(2).any(|pair| pair[0].is_some() && pair[0] == pair[1]);
    if joins_any && !plan.statements.iter().any(|s| matches!(s.operation, Operation::Union { .. })) {
        return Err(PlannerError::NotAsked("the question offers a choice, and it wants all of it"));
    }
    let (mut within, mut minus): (Vec<&str>, Vec<NodeId>) = Default::default();
    for statement in plan.statements.iter().rev() {
        if within.contains(&statement.name.as_str()) {
            within.extend(statement.operation.references());
            if let Operation::SearchKg(SearchKg { head: Head::Entity(name) | Head::Mention(name), .. }) =
                &statement.operation
            {
                minus.extend(linker.exact(name));
            }
        } else if let Operation::Negation { minus, .. } = &statement.operation {
            within.extend(minus.iter().map(String::as_str));
        }
    }
    let is_minus = |span: &Range<usize>| {
        let candidates = mentions.iter().flat_map(|m| &m.candidates);
        candidates.filter(|c| c.span == *span).any(|c| minus.contains(&c.node))
    };
    if sides.contains(&None) && named.iter().zip(&sides).any(|(span, side)| is_minus(span) != side.is_none())
    {
        return Err(PlannerError::NotAsked("it takes away other things than the question does"));
    }
    Ok(())
}

/// No step only says how pages are laid out, unless a word asks for pages or their parts.
fn check_layout(
    graph: &KnowledgeGraph,
    lexicon: &Lexicon,
    all: &[Word<'_>],
    used: &Used,
) -> Result<(), PlannerError> {
    let is_unasked = |of: &crate::kg::Relation| {
        let is_part = |t: &TypeId| of.domain.iter().any(|(class, _)| *class == Class::Type(*t));
        of.is_layout() && !all.iter().any(|w| lexicon.types(&fold(w.text)).iter().any(is_part))
    };
    if used.relations.iter().filter_map(|(r, ..)| graph.vocabulary().relation(*r)).any(is_unasked) {
        return Err(PlannerError::NotAsked(
            "it reads how pages are laid out, and the question asks for what they say",
        ));
    }
    Ok(())
}

fn overlap(word: &Word<'_>, span: &Range<usize>) -> bool {
    span.start < word.span.end && word.span.start < span.end
}

/// Returns the parts of a plan; `None` for plans whose relations are phrases, which the executor looks up.
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
    let of_type = |name: &str| graph.vocabulary().type_named(name);
    for statement in &plan.statements {
        match &statement.operation {
            Operation::SearchKg(step) => {
                let (id, direction) = relation(&step.relation)?;
                out.types.extend(step.target.as_deref().and_then(of_type));
                out.names(linker, &step.head);
                out.relations.push((id, direction, step.head.clone()));
                // Another step starts from what it finds.
                let goes_on = |o: &Operation| {
                    matches!(o, Operation::SearchKg(_)) && o.references().contains(&&*statement.name)
                };
                if plan.statements.iter().any(|s| goes_on(&s.operation)) {
                    out.through.push((id, direction));
                }
            }
            Operation::Search { .. } => return None,
            Operation::All { target, relation: having } => {
                out.types.extend(target.as_deref().and_then(of_type));
                out.unexplained |= target.is_none();
                if let Some(having) = having {
                    let (id, direction) = relation(having)?;
                    out.relations.push((id, direction, Head::Reference(String::new())));
                }
            }
            Operation::Entity { head } => out.names(linker, head),
            Operation::Intersect { .. } | Operation::Union { .. } | Operation::Negation { .. } => {}
            Operation::Count { .. } => out.counts = true,
            Operation::Compare(compare) => {
                out.compares = true;
                out.decides |= !matches!(compare.how, Some(How::Min | How::Max));
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
    fn names(&mut self, linker: &Linker, head: &Head) {
        if let Head::Entity(name) | Head::Mention(name) = head {
            self.names.push(name.clone());
            self.nodes.extend(linker.exact(name));
        }
    }

    fn measure(&mut self, by: Option<Option<(RelationId, Direction)>>) {
        self.measures = true;
        if let Some((id, direction)) = by.flatten() {
            self.relations.push((id, direction, Head::Reference(String::new())));
        }
    }
}

/// The places of the question that name what the plan uses, in order; none overlaps another.
fn find_named(
    graph: &KnowledgeGraph,
    mentions: &[Mention],
    question: &str,
    used: &Used,
) -> Vec<Range<usize>> {
    let is = |node: NodeId| {
        used.nodes.contains(&node) || used.names.iter().any(|n| n == graph.id(node) || n == graph.label(node))
    };
    let mut spans: Vec<_> =
        mentions.iter().flat_map(|m| &m.candidates).filter(|c| is(c.node)).map(|c| c.span.clone()).collect();
    // A name within a longer mention: "the Missouri river".
    let own = used.names.iter().map(String::as_str).chain(used.nodes.iter().map(|&n| graph.label(n)));
    let all = words(question);
    for name in own {
        let parts: Vec<String> = words(name).iter().map(|w| fold(w.text)).collect();
        for run in all.windows(parts.len().max(1)).filter(|_| !parts.is_empty()) {
            if run
                .iter()
                .zip(&parts)
                .all(|(w, p)| without_possessive(&fold(w.text)) == p || fold(w.text) == *p)
            {
                spans.extend(run.first().zip(run.last()).map(|(a, b)| a.span.start..b.span.end));
            }
        }
    }
    sort_by(&mut spans, |a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in spans {
        if apart.last().is_none_or(|last| last.end <= span.start) {
            apart.push(span);
        }
    }
    apart
}

/// Checks that "same" and "why" have a step that answers them.
fn cues(graph: &KnowledgeGraph, plain: &[&str], used: &Used) -> Result<(), PlannerError> {
    let has_word = |word: &str| plain.contains(&word);
    if has_word("same") && used.relations.len() < 2 && !used.compares {
        return Err(PlannerError::NotAsked("what has the same is asked for, and it finds what that is"));
    }
    let reason =
        |r: RelationId| label_words(graph, r).iter().any(|w| matches!(w.as_str(), "cause" | "reason"));
    if has_word("why") && !used.relations.iter().any(|(r, ..)| reason(*r)) {
        return Err(PlannerError::NotAsked("the question asks for a reason"));
    }
    Ok(())
}

/// A first step must be what the verb does to its object, and between things of one kind go the way that the
/// verb says.
fn check_directions(
    graph: &KnowledgeGraph,
    lexicon: &Lexicon,
    plain: &[&str],
    at: usize,
    used: &Used,
) -> Result<(), PlannerError> {
    let [(relation, direction, Head::Entity(_))] = used.relations.as_slice() else { return Ok(()) };
    if used.measures {
        return Ok(());
    }
    let label = graph.vocabulary().relation(*relation).map_or("", |r| r.label.as_str());
    let refers = |at: usize| lexicon.relations(plain[at]).iter().any(|(r, _)| r == relation);
    if !between_alike(graph, &used.nodes, *relation, *direction) {
        return Ok(());
    }
    match voice::direction(label, plain, at, &refers) {
        Some(meant) if meant != *direction => {
            Err(PlannerError::NotAsked("its step goes the other way than the question's verb"))
        }
        _ => Ok(()),
    }
}

/// Returns true if a relation's two ends are of one kind: of one declared type, or, without a declared type,
/// if these nodes or their first [`SEEN`] neighbours are on both sides of it.
fn between_alike(
    graph: &KnowledgeGraph,
    nodes: &[NodeId],
    relation: RelationId,
    direction: Direction,
) -> bool {
    let one = |head: Class| matches!(head, Class::Type(_));
    let mut ends = graph
        .vocabulary()
        .schema()
        .iter()
        .filter(|e| e.relation == relation && e.head == e.tail)
        .map(|e| e.head)
        .peekable();
    if ends.peek().is_none() || ends.any(one) {
        return graph.vocabulary().schema().iter().any(|e| e.relation == relation && e.head == e.tail);
    }
    let has = |node: NodeId, direction| graph.follow(node, relation, direction).next().is_some();
    nodes.iter().any(|&n| {
        has(n, direction.reversed())
            || graph.follow(n, relation, direction).take(SEEN).any(|edge| has(edge.other, direction))
    })
}

/// Returns the kinds of the plan's answer.
fn find_answer_classes(graph: &KnowledgeGraph, plan: &Plan) -> Vec<Class> {
    found_by(graph, plan, &plan.answer)
}

/// Tells whether the sets that each operation takes together may have anything in common.
fn sets_may_meet(graph: &KnowledgeGraph, plan: &Plan) -> bool {
    let open = |found: &[Class]| found.is_empty() || found.contains(&Class::Untyped);
    let meet = |a: &str, b: &str| {
        let (a, b) = (found_by(graph, plan, a), found_by(graph, plan, b));
        open(&a) || open(&b) || a.iter().any(|class| b.contains(class))
    };
    plan.statements.iter().all(|s| match &s.operation {
        Operation::Intersect { of } => of.windows(2).all(|w| meet(&w[0], &w[1])),
        Operation::Negation { main, minus } => minus.iter().all(|set| meet(main, set)),
        _ => true,
    })
}

/// Returns the classes that the last step to a statement leads to; none where that is not known.
fn found_by(graph: &KnowledgeGraph, plan: &Plan, statement: &str) -> Vec<Class> {
    let mut at = statement;
    for _ in 0..=plan.statements.len() {
        let Some(statement) = plan.statement(at) else { return Vec::new() };
        match &statement.operation {
            Operation::SearchKg(step) => {
                let Relation::Exact { name, inverse } = &step.relation else { return Vec::new() };
                let Some(of) =
                    graph.vocabulary().relation_named(name).and_then(|id| graph.vocabulary().relation(id))
                else {
                    return Vec::new();
                };
                let all = if *inverse { &of.domain } else { &of.range };
                return all
                    .iter()
                    .filter(|(_, n)| u64::from(*n) * 20 >= u64::from(of.triples))
                    .map(|(c, _)| *c)
                    .collect();
            }
            Operation::Intersect { of } | Operation::Union { of } => {
                at = of.first().map_or("", String::as_str)
            }
            Operation::Negation { main, .. } => at = main,
            Operation::All { target: None, relation: Some(Relation::Exact { name, inverse }) } => {
                let of =
                    graph.vocabulary().relation_named(name).and_then(|id| graph.vocabulary().relation(id));
                let away = if *inverse { Direction::Forward } else { Direction::Backward };
                let near = of.map_or(&[][..], |r| r.far_end(away));
                return near.iter().map(|(c, _)| *c).collect();
            }
            Operation::Filter { of, .. } | Operation::Superlative { of, .. } => at = of,
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

/// The end of the path agrees with who, when, where, how many and which kind.
fn check_end(
    graph: &KnowledgeGraph,
    lexicon: &Lexicon,
    plain: &[&str],
    plan: &Plan,
    used: &Used,
) -> Result<(), PlannerError> {
    if used.compares || used.counts {
        return Ok(());
    }
    let ends = find_answer_classes(graph, plan);
    if ends.is_empty() {
        return Ok(());
    }
    let is = |c: &Class, of: &dyn Fn(Row<'_>) -> bool| match c {
        Class::Type(t) => graph.vocabulary().entity_type(*t).is_some_and(|t| {
            words(&t.label).iter().any(|w| SPOKEN.answer_kinds().row(&fold(w.text)).is_some_and(of))
        }),
        _ => false,
    };
    let found = |c: &Class, kind: &str| is(c, &|row| row.field(0) == kind && row.has(1, "found"));
    let person = |c: &Class| found(c, "person");
    let last =
        plan.statements.iter().rev().find_map(|s| {
            if let Operation::SearchKg(step) = &s.operation { Some(&step.relation) } else { None }
        });
    let last = last.and_then(|r| {
        if let Relation::Exact { name, .. } = r { graph.vocabulary().relation_named(name) } else { None }
    });
    let of_time = last.is_some_and(|r| lexicon.relation_is(r, &called("time", "found")));
    let wrong = |why| Err(PlannerError::NotAsked(why));
    let number = |c: &Class| matches!(c, Class::Literal(LiteralKind::Number | LiteralKind::Date));
    let asks = |at: usize| {
        matches!(plain[at], "who" | "whom" | "when" | "where" | "how" | "what" | "which" | "whose")
    };
    let Some(first) = (0..plain.len()).find(|&at| asks(at)) else { return Ok(()) };
    let next = plain.get(first + 1).copied().unwrap_or_default();
    match plain[first] {
        "who" | "whom" => {
            let people = ends.iter().any(person);
            if !people && ends.iter().all(|c| number(c) || is(c, &|row| row.has(1, "nobody"))) {
                return wrong("it finds nobody, and somebody is asked for");
            }
        }
        "when" => {
            let time = |c: &Class| matches!(c, Class::Literal(LiteralKind::Date)) || found(c, "time");
            if !of_time && !ends.iter().any(time) {
                return wrong("it finds no date, and the question asks when");
            }
        }
        "where" if ends.iter().all(|c| number(c) || person(c) || found(c, "time")) => {
            return wrong("it finds no place, and the question asks where");
        }
        "how"
            if (matches!(next, "many" | "much") || !measures(next).is_empty())
                && !ends.iter().any(number) =>
        {
            return wrong("it finds no number, and a number is asked for");
        }
        "what" | "which" => {
            let asked = lexicon.types(next);
            // "Film genre" asks for genres.
            let is_noun = |w: &&str| {
                lexicon.types(w).is_empty() && lexicon.relations(w).is_empty() || is_function_word(w)
            };
            let own = lexicon.relations(next).iter().any(|(r, _)| Some(*r) == last);
            let typed = ends.iter().all(|c| matches!(c, Class::Type(_) | Class::Literal(_)));
            if !asked.is_empty()
                && plain.get(first + 2).is_none_or(is_noun)
                && !own
                && typed
                && !ends.iter().any(|c| matches!(c, Class::Type(t) if asked.contains(t)))
            {
                return wrong("it finds another kind than is asked for");
            }
        }
        _ => {}
    }
    Ok(())
}

/// Every content word stands for something in the plan, and every step for something in the question.
fn check_explained(
    linker: &Linker,
    lexicon: &Lexicon,
    tokens: &[Token],
    used: &Used,
    evidence: Evidence,
) -> Result<(), PlannerError> {
    let graph = linker.graph();
    let types = list_types(graph, used);
    let untyped = if used.unexplained { 0 } else { untyped_places(graph, used) };
    let is = |t: &TypeId, word: &str| {
        graph.vocabulary().entity_type(*t).is_some_and(|t| stem(&fold(&t.name)) == stem(word))
    };
    let is_kind = |word: &str| types.iter().any(|t| is(t, word));
    let mut cued: Set<RelationId> = Set::default();
    let mut meant: Vec<TypeId> = Vec::new();
    // Groups of neighbouring words that nothing explains; function words do not part them.
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    let along =
        tokens.windows(2).any(|w| is_along(&w[0]) && matches!(w[1].folded.as_str(), "which" | "what"));
    for (at, token) in tokens.iter().enumerate() {
        let word = split_contraction(&token.folded);
        if token.entity.is_some() {
            open = false;
            continue;
        }
        let mut of = relations_of_word(lexicon, word);
        of.extend(token.relations.iter().map(|(r, _)| *r));
        let known = !of.is_empty();
        of.retain(|r| used.relations.iter().any(|(u, ..)| u == r));
        cued.extend(of.iter().copied());
        let named = token.types.iter().chain(lexicon.types(word)).filter(|t| types.contains(t));
        let before = meant.len();
        meant.extend(named);
        let joins = || ends_superlative(lexicon, tokens, at, used) || only_joins(tokens, at);
        if !of.is_empty() || meant.len() > before || is_kind(word) || joins() {
            open = false;
            continue;
        }
        // "Run through", "flows into" lead along a step; which, the kinds at its ends tell.
        let content = !known && !is_frame(word, used);
        if content && (tokens.get(at + 1).is_some_and(is_along) || along) {
            continue;
        }
        // "Comedy films", "junior staff members": the noun in front is none of the kind's names.
        // What is first or largest is one of them, and no kind.
        let narrows = || {
            let is_noun = |next: &Token| {
                is_kind(&next.folded)
                    || next.relations.is_empty() && is_plural(&next.folded) && !is_frame(&next.folded, used)
            };
            tokens.get(at + 1).is_some_and(|next| next.entity.is_none() && is_noun(next))
                || is_value(linker, word)
                || Extreme::from_word(word).is_some()
        };
        if is_frame(word, used) || (untyped > 0 && !known && is_kind_noun(tokens, at, evidence) && !narrows())
        {
            continue;
        }
        match groups.last_mut() {
            Some(group) if open => group.push(word),
            _ => groups.push(vec![word]),
        }
        open = true;
    }
    let silent = || used.relations.iter().filter(|(r, ..)| !cued.items().contains(r));
    let named = |class: &Class| matches!(class, Class::Type(t) if meant.contains(t));
    let passed = |(id, direction): &(RelationId, Direction)| {
        let of = graph.vocabulary().relation(*id);
        let to = of.map(|r| r.far_end(*direction));
        !cued.items().contains(id)
            && !by_preposition(graph, tokens, *id)
            && !to.is_some_and(|to| to.iter().any(|(c, _)| named(c)))
    };
    if evidence == Evidence::Words && used.through.iter().any(passed) {
        return Err(PlannerError::NotAsked("it goes through what no word speaks of"));
    }
    if evidence == Evidence::Words
        && silent().any(|(r, direction, head)| is_one_of_several(linker, head, *r, *direction))
    {
        return Err(PlannerError::NotAsked("several relations lead there, and no word says which"));
    }
    let silent = silent().count();
    let allowed = if evidence == Evidence::Meaning { silent } else { 0 };
    if let Some(group) = groups.get(allowed) {
        return Err(PlannerError::Unexplained(group.first().map_or_else(String::new, |w| (*w).to_owned())));
    }
    Ok(())
}

/// Returns true if other relations also lead from the step's thing to things of the same kind, and not just
/// by accident: "the films of X" are those that X directed as well as those that X acted in.
fn is_one_of_several(linker: &Linker, head: &Head, relation: RelationId, direction: Direction) -> bool {
    let graph = linker.graph();
    let Head::Entity(name) = head else { return false };
    let Some(own) = graph.vocabulary().relation(relation).map(|r| r.far_end(direction)) else { return false };
    let alike = |r: &crate::kg::Relation| {
        r.far_end(direction).iter().any(|(class, _)| own.iter().any(|(c, _)| c == class))
    };
    let all = || {
        (0..).map(RelationId).zip(graph.vocabulary().relations()).filter(|(_, r)| alike(r)).map(|(id, _)| id)
    };
    linker.exact(name).into_iter().any(|node| {
        let joined = |id: RelationId| graph.follow(node, id, direction).len() as f32;
        joined(relation) < weights::rule() * all().map(joined).sum::<f32>()
    })
}

/// Returns true if the preposition before a name is in the relation's label: "who works in Oslo" goes through
/// what is "located in" Oslo.
fn by_preposition(graph: &KnowledgeGraph, tokens: &[Token], relation: RelationId) -> bool {
    let own = label_words(graph, relation);
    let is_label =
        |before: &Token| SPOKEN.prepositions().has(&before.folded, "label") && own.contains(&before.folded);
    tokens.windows(2).any(|w| w[1].entity.is_some() && is_label(&w[0]))
}

/// The relations that a word speaks of, measures among them.
fn relations_of_word(lexicon: &Lexicon, word: &str) -> Vec<RelationId> {
    let mut all: Vec<RelationId> = lexicon.relations(word).into_iter().map(|(r, _)| r).collect();
    if !measures(word).is_empty() || bases(word).iter().any(|b| !measures(b).is_empty()) {
        all.extend(lexicon.measured_by(word).into_iter().map(|(r, _)| r));
    }
    all
}

/// The types that the plan's steps lead from and to, and those of the things it starts from.
fn list_types(graph: &KnowledgeGraph, used: &Used) -> Vec<TypeId> {
    let mut all = used.types.clone();
    all.extend(used.nodes.iter().flat_map(|&n| graph.types(n)).copied());
    for (id, ..) in &used.relations {
        let Some(of) = graph.vocabulary().relation(*id) else { continue };
        all.extend(
            of.domain
                .iter()
                .chain(&of.range)
                .filter_map(|(c, _)| if let Class::Type(t) = c { Some(*t) } else { None }),
        );
    }
    all
}

/// Returns the number of places on the path that hold things without a declared type, whose kind a noun may
/// name.
fn untyped_places(graph: &KnowledgeGraph, used: &Used) -> usize {
    let undeclared = |class: &Class| match class {
        Class::Untyped | Class::Literal(LiteralKind::Text) => true,
        Class::Type(t) => graph.vocabulary().entity_type(*t).is_some_and(EntityType::is_inferred),
        Class::Literal(_) => false,
    };
    let open = |classes: &[(Class, u32)]| classes.iter().any(|(c, _)| undeclared(c));
    let of = |id: &RelationId| graph.vocabulary().relation(*id);
    let steps = used.relations.iter().filter_map(|(id, direction, _)| of(id).map(|r| (r, direction)));
    let ends = steps.filter(|(r, direction)| open(r.far_end(**direction))).count();
    let begins = used.relations.first().and_then(|(id, direction, _)| of(id).map(|r| (r, direction)));
    ends + usize::from(begins.is_some_and(|(r, direction)| open(r.far_end(direction.reversed()))))
}

fn label_words(graph: &KnowledgeGraph, relation: RelationId) -> Vec<String> {
    name_words(graph.vocabulary().relation(relation).map_or("", |r| r.label.as_str()))
}

/// "The highest point": the noun of a superlative, where what is ranked by is called after the same
/// superlative ("highest elevation").
fn ends_superlative(lexicon: &Lexicon, tokens: &[Token], at: usize, used: &Used) -> bool {
    let Some(before) = at.checked_sub(1).map(|b| &tokens[b]).filter(|t| find_extreme(&t.folded).is_some())
    else {
        return false;
    };
    let of = lexicon.relations(&before.folded);
    let shared = |r: RelationId| of.iter().any(|(o, _)| *o == r);
    tokens[at].relations.iter().any(|(r, _)| shared(*r)) && used.relations.iter().any(|(r, ..)| shared(*r))
}

/// Returns true if a verb only joins a thing and its kind by the preposition after it ("fall under", "belong
/// to"), or makes a passive ("gets repaired").
fn only_joins(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at + 1).map_or("", |t| t.folded.as_str());
    let is_passive = SPOKEN.auxiliaries().has(&tokens[at].folded, "be") && is_verb_form(next);
    is_passive || SPOKEN.discourse().row(&tokens[at].folded).is_some_and(|row| row.has(1, next))
}

/// Returns true if a word that no step explains can only name a kind: "which **films** did X direct", "the
/// **film** Heat". A property is no kind: "the budget of Heat", "Heat's budget".
fn is_kind_noun(tokens: &[Token], at: usize, evidence: Evidence) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |t| t.folded.as_str());
    let is_name = |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|t| t.entity.is_some());
    let (before, own, next) = (word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1)));
    // A deed follows "who", and a place or time may close a question: "who formerly repairs", "on Tuesdays".
    let closes = at + 1 == tokens.len() && SPOKEN.prepositions().has(before, "place");
    let other = closes || matches!(before, "who" | "whom");
    if other || is_name(at.checked_sub(1)) || matches!(next, "of" | "behind" | "about") {
        return false;
    }
    // "Which licences do they have", "how many visitors does it have": what is had is what is asked for, and
    // no kind of something else.
    let had = matches!(next, "do" | "does" | "did") && tokens.last().is_some_and(|t| t.folded == "have");
    if had && (asks_for(before) || matches!(before, "many" | "much")) {
        return false;
    }
    let spoken = tokens.get(at + 1).is_some_and(|t| !t.relations.is_empty());
    let beside = is_name(Some(at + 1)) && is_function_word(before) && !asks_for(before) && before != "that";
    let goes_on = beside || spoken || matches!(next, "that" | "where" | "which" | "who" | "whose" | "with");
    let plural = (is_plural(own) && before != "that") || matches!(own, "people" | "person");
    let before_kind = SPOKEN.before_nouns().has(before, "kind");
    if evidence == Evidence::Meaning { plural && before_kind } else { goes_on || plural || before_kind }
}

/// Returns true if a word is a number or the name of something in the graph. Such a word distinguishes things
/// and is not their kind ("films from **1999**", "which **comedies**").
fn is_value(linker: &Linker, word: &str) -> bool {
    let is_name =
        |text: &str| linker.mentions(text).iter().flat_map(|m| &m.candidates).any(|c| c.score >= EXACT);
    word.starts_with(|c: char| c.is_ascii_digit()) || singulars(word).iter().any(|w| is_name(w))
}

fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
}

/// A contraction's first part: "didn't" is "did", "who's" is "who".
fn split_contraction(folded: &str) -> &str {
    let cut = folded.strip_suffix("n't").or_else(|| folded.strip_suffix("n’t")).unwrap_or(folded);
    match cut.split_once(['\'', '’']) {
        Some((first, _)) if is_function_word(first) => first,
        _ => cut,
    }
}

fn is_frame(word: &str, used: &Used) -> bool {
    let ordered = |w: &str| {
        find_extreme(w).is_some()
            || How::from_word(w).is_some()
            || Extreme::from_word(w).is_some()
            || !measures(w).is_empty()
    };
    let cue = |mark: &str| SPOKEN.operation_cues().has(word, mark);
    is_function_word(word)
        || SPOKEN.discourse().row(word).is_some_and(|row| row.field(1).is_empty() && !row.has(0, "lead"))
        || (is_same_as_cue(word) && (used.relations.len() > 1 || !cue("once more")))
        || cue("joins")
        || word.len() == 1
        || ((used.counts || used.ranks || used.compares || used.numbers) && cue("counts"))
        || ((used.ranks || used.compares || used.measures || used.values)
            && (ordered(word) || matches!(word, "than" | "more" | "less" | "fewer" | "since")))
        || (used.values && word.starts_with(|c: char| c.is_ascii_digit()))
}
