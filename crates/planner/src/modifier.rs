//! Names in front of a kind's word: "comedy films", "French films", "serialization packages".
//!
//! Without the name it is a question of its own, and the name leaves of that one's answer what is joined to
//! it. By which relation no word says: it must be the only one between things of the kind and the name, but
//! for accidents.

use super::exclusion::blank_ranges;
use super::lexicon::Lexicon;
use super::walk::reached;
use super::weights;
use crate::compact::sort_unique;
use crate::kg::{Direction, Linker, Match, NodeId, RelationId, TypeId};
use crate::plan::{Head, Operation, Plan, Relation, SearchKg};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};
use pocketgraph_question::is_function_word;

/// Words of a question that are searched.
const LONGEST: usize = 256;
/// Words of a name.
const NAME: usize = 4;

/// A question without the name in front of a kind's word, and what the name leaves of its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Modifier {
    /// The question with spaces in the place of the name.
    pub rest: String,
    /// The kind whose word follows the name.
    pub kind: TypeId,
    /// The thing that the name means.
    pub named: NodeId,
    /// The relation between it and things of the kind.
    pub relation: RelationId,
    /// The way from what is named to them.
    pub direction: Direction,
    /// Things of the kind that the relation joins to it, ascending.
    pub members: Vec<NodeId>,
}

/// The last name of a question that stands right in front of a kind's word and is joined to things of that
/// kind by one relation.
pub(super) fn modifier(linker: &Linker, lexicon: &Lexicon, question: &str) -> Option<Modifier> {
    let mut all = words(question);
    all.truncate(LONGEST);
    (1..all.len()).rev().find_map(|at| {
        let kinds = lexicon.types(&fold(all[at].text));
        let longest = if kinds.is_empty() { 0 } else { NAME.min(at) };
        // "Not comedy films" leaves out what the name is joined to.
        let denied = |from: usize| from > 0 && SPOKEN.denials().has(&fold(all[from - 1].text), "not");
        let from = (at - longest..at).filter(|&from| !denied(from));
        from.into_iter().find_map(|from| named(linker, lexicon, question, &all[from..at], kinds))
    })
}

/// Returns the modifier that these words form, if they are a name.
fn named(
    linker: &Linker,
    lexicon: &Lexicon,
    question: &str,
    name: &[Word<'_>],
    kinds: &[TypeId],
) -> Option<Modifier> {
    let graph = linker.graph();
    let span = name.first()?.span.start..name.last()?.span.end;
    let has_sense = |w: &Word<'_>| {
        let word = fold(w.text);
        is_function_word(&word) || !lexicon.types(&word).is_empty() || !lexicon.relations(&word).is_empty()
    };
    // What speaks of a relation or a kind is no name there.
    if name.iter().all(has_sense) || is_function_word(&fold(name.first()?.text)) {
        return None;
    }
    let exact = linker
        .named(question.get(span.clone())?)
        .into_iter()
        .filter(|c| c.how < Match::Article)
        .map(|c| c.node);
    let mut ways: Vec<Way> = Vec::new();
    for node in exact {
        for direction in [Direction::Backward, Direction::Forward] {
            for (relation, _) in graph.relations_at(node, direction) {
                for &kind in kinds {
                    let members = reached(graph, &[node], relation, direction, &|n| graph.is_of(n, kind));
                    ways.push(Way { node, relation, direction, kind, members });
                }
            }
        }
    }
    // A genre may be a tag as well: what is tagged so is mostly of the genre. Of what one thing is in two
    // ways, none is meant.
    let mut whole: Vec<NodeId> = ways.iter().flat_map(|w| &w.members).copied().collect();
    sort_unique(&mut whole);
    let most = ways.iter().map(|w| w.members.len()).max().filter(|most| *most > 0)?;
    let at = ways.iter().position(|w| w.members.len() == most)?;
    let of_it: usize = ways.iter().filter(|w| w.node == ways[at].node).map(|w| w.members.len()).sum();
    if (most as f32) < weights::rule() * whole.len().max(of_it) as f32 {
        return None;
    }
    let Way { node, relation, direction, kind, members } = ways.swap_remove(at);
    Some(Modifier { rest: blank_ranges(question, &[span]), kind, named: node, relation, direction, members })
}

/// The relation between a thing and things of a kind.
struct Way {
    node: NodeId,
    relation: RelationId,
    direction: Direction,
    kind: TypeId,
    members: Vec<NodeId>,
}

/// The plan of what another finds that is also joined to a name, before it counts it. `None` where that one
/// ranks what it finds: what is left out comes before.
pub(super) fn intersect_plan(
    plan: Plan,
    question: &str,
    head: &str,
    relation: Relation,
    target: Option<String>,
) -> Option<Plan> {
    let main = plan.statements.iter().rev().find(|s| !matches!(s.operation, Operation::Count { .. }))?;
    if matches!(main.operation, Operation::Superlative { .. } | Operation::Compare(_)) {
        return None;
    }
    let plan = plan.refine_answer(|plan, main| {
        let joined = plan.push(Operation::SearchKg(SearchKg {
            target,
            head: Head::Entity(head.to_owned()),
            relation,
        }));
        Operation::Intersect { of: vec![main, joined] }
    });
    Some(Plan { question: Some(question.to_owned()), ..plan })
}
