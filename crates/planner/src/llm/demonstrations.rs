//! Demonstrations for a model that plans, drawn from the graph that it plans over, as LPKG has them in its
//! instructions (arXiv 2406.14282): questions in plain words over the relations that matter most to the
//! question asked, each of another pattern, with their plans.

use super::prompt::{rank_relations, show_name};
use crate::kg::Direction::{Backward, Forward};
use crate::kg::{Edge, KnowledgeGraph, Linker, NodeId, RelationId, Triple, TripleId};
use crate::plan::{Head, Operation, Plan, Relation, SearchKg, Statement};

/// Triples that are looked through for examples.
const MOST: usize = 100_000;
/// Edges of a thing that are looked through.
const EDGES: usize = 32;

/// A question and its plan, of which the relations are exact.
pub type Demonstration = (String, Plan);

/// Up to four demonstrations. None names what the question asked names, so that none answers it.
pub fn demonstrations(linker: &Linker, question: &str, wanted: usize) -> Vec<Demonstration> {
    let graph = linker.graph();
    let asked: Vec<NodeId> =
        linker.mentions(question).iter().flat_map(|m| &m.candidates).map(|c| c.node).collect();
    let relations: Vec<RelationId> =
        rank_relations(graph, &asked, question).into_iter().map(|at| RelationId(at as u32)).collect();
    let draw = Draw { graph, asked: &asked };
    let patterns: [&dyn Fn(Triple) -> Option<Demonstration>; 4] =
        [&|t| draw.one_step(t), &|t| draw.two_steps(t), &|t| draw.both(t), &|t| draw.count(t)];
    let examples = draw.examples(&relations);
    let mut out: Vec<Demonstration> = Vec::new();
    // The next pattern begins with the next relation, so that as many as may be are shown.
    for (at, pattern) in patterns.iter().enumerate().take(wanted) {
        let from = at % examples.len().max(1);
        out.extend(
            examples.iter().cycle().skip(from).take(examples.len()).find_map(|&triple| pattern(triple)),
        );
    }
    out
}

struct Draw<'g> {
    graph: &'g KnowledgeGraph,
    asked: &'g [NodeId],
}

impl Draw<'_> {
    /// A triple of each relation that has one which may be shown, in the order of the relations.
    fn examples(&self, relations: &[RelationId]) -> Vec<Triple> {
        let mut found: Vec<Option<Triple>> = vec![None; relations.len()];
        let mut missing = relations.len();
        for at in 0..self.graph.triples().min(MOST) {
            let Some(triple) = self.graph.triple(TripleId(at as u32)) else { break };
            let place = relations.iter().position(|&r| r == triple.relation);
            let Some(slot) = place.and_then(|place| found.get_mut(place)).filter(|slot| slot.is_none())
            else {
                continue;
            };
            if self.may_be_shown(triple.head) && self.may_be_shown(triple.tail) {
                *slot = Some(triple);
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        found.into_iter().flatten().collect()
    }

    fn may_be_shown(&self, node: NodeId) -> bool {
        !self.asked.contains(&node) && !self.name(node).is_empty()
    }

    fn name(&self, node: NodeId) -> String {
        show_name(self.graph.label(node))
    }

    fn relation(&self, relation: RelationId) -> String {
        self.graph
            .vocabulary()
            .relations()
            .get(relation.0 as usize)
            .map_or_else(String::new, |r| show_name(&r.label))
    }

    /// The first type of a thing, as a plan names it.
    fn class(&self, node: NodeId) -> Option<String> {
        let first = self.graph.types(node).first().and_then(|&t| self.graph.vocabulary().entity_type(t));
        first.map(|t| show_name(&t.label)).filter(|n| !n.is_empty())
    }

    /// The step that finds `of` along a relation, or against it.
    fn search(&self, of: NodeId, head: Head, relation: RelationId, inverse: bool) -> Operation {
        let relation = Relation::Exact { name: self.relation(relation), inverse };
        Operation::SearchKg(SearchKg { target: self.class(of), head, relation })
    }

    /// Another edge from a thing, whose end may be shown.
    fn further(&self, from: NodeId, but: Triple) -> Option<Edge> {
        let other = |e: &Edge| {
            e.relation != but.relation
                && e.other != but.head
                && e.other != but.tail
                && self.may_be_shown(e.other)
        };
        self.graph.is_entity(from).then(|| self.graph.edges(from, Forward).take(EDGES).find(other))?
    }

    fn one_step(&self, t: Triple) -> Option<Demonstration> {
        let head = self.name(t.head);
        let question = format!("What is the {} of {head}?", self.relation(t.relation));
        Some(pair_steps(question, vec![self.search(t.tail, Head::Mention(head), t.relation, false)]))
    }

    fn two_steps(&self, t: Triple) -> Option<Demonstration> {
        let next = self.further(t.tail, t)?;
        let head = self.name(t.head);
        let question = format!(
            "What is the {} of the {} of {head}?",
            self.relation(next.relation),
            self.relation(t.relation)
        );
        let first = self.search(t.tail, Head::Mention(head), t.relation, false);
        let second = self.search(next.other, Head::Reference("Ans1".to_owned()), next.relation, false);
        Some(pair_steps(question, vec![first, second]))
    }

    fn both(&self, t: Triple) -> Option<Demonstration> {
        let next = self.further(t.head, t)?;
        let (a, b) = (self.name(t.tail), self.name(next.other));
        let (first, second) = (self.relation(t.relation), self.relation(next.relation));
        let kind = self.class(t.head).unwrap_or_else(|| "one".to_owned());
        let question = format!("Which {kind} has {a} as its {first} and {b} as its {second}?");
        let [one, two] = [(a, t.relation), (b, next.relation)]
            .map(|(of, r)| self.search(t.head, Head::Mention(of), r, true));
        let of = vec!["Ans1".to_owned(), "Ans2".to_owned()];
        Some(pair_steps(question, vec![one, two, Operation::Intersect { of }]))
    }

    fn count(&self, t: Triple) -> Option<Demonstration> {
        let all = self.graph.follow(t.tail, t.relation, Backward).len();
        let tail = self.name(t.tail);
        let question = format!("How many have {tail} as their {}?", self.relation(t.relation));
        let found = self.search(t.head, Head::Mention(tail), t.relation, true);
        (all > 1).then(|| pair_steps(question, vec![found, Operation::Count { of: "Ans1".to_owned() }]))
    }
}

/// Pairs a question with the plan of these steps.
fn pair_steps(question: String, steps: Vec<Operation>) -> Demonstration {
    let name = |(at, operation)| Statement { name: format!("Ans{at}"), thought: None, operation };
    let answer = format!("Ans{}", steps.len());
    (question, Plan { question: None, statements: (1..).zip(steps).map(name).collect(), answer })
}
