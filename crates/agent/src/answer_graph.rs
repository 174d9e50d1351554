//! The subgraph of a plan's answer: what it started from, what it went through, what it found, and where that
//! was read.

use super::kg_tools::chunk_of;
use crate::compact::{Map, Set};
use crate::kg::{KnowledgeGraph, NodeId, TripleId};
use crate::plan::execute::{Evidence, Execution, Item};
use serde::{Deserialize, Serialize};

/// Statements and passages in a picture, at most.
const SHOWN: usize = 128;

/// The entities, statements and passages that a plan's result rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AnswerGraph {
    /// The nodes; each once.
    pub nodes: Vec<AnswerGraphNode>,
    /// The edges between them.
    pub edges: Vec<AnswerGraphEdge>,
    /// How many more statements and passages there are.
    pub left_out: u32,
}

/// What a node of the picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum AnswerNodeKind {
    /// An entity of the graph.
    Entity,
    /// A literal of the graph, or a value that was computed or read.
    Value,
    /// A passage that was read.
    Passage,
}

/// A node of the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AnswerGraphNode {
    /// Unique in the picture: `node-7`, `passage-2`, `value-0`.
    pub id: String,
    /// What it is.
    pub kind: AnswerNodeKind,
    /// What to write on it.
    pub label: String,
    /// An entity's types, in words.
    pub types: Vec<String>,
    /// Whether the question names it.
    pub start: bool,
    /// Whether it is in the answer.
    pub answer: bool,
    /// For a passage of the bundle: its chunk.
    pub chunk: Option<u32>,
    /// For a passage: where to read it; may be empty.
    pub url: String,
}

/// An edge of the picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AnswerGraphEdge {
    /// The id of the node that it starts at.
    pub from: String,
    /// The id of the node that it leads to.
    pub to: String,
    /// The relation in words; empty from a passage to what was read in it.
    pub label: String,
    /// The triple, where it is one.
    pub triple: Option<TripleId>,
    /// The chunk that says so, where the graph knows.
    pub chunk: Option<u32>,
}

impl AnswerGraph {
    /// The picture of what an execution found.
    pub fn of(graph: &KnowledgeGraph, execution: &Execution) -> AnswerGraph {
        // Steps that build on no other step start from what the question names.
        let first = execution.sets.iter().zip(&execution.inputs).filter(|(_, inputs)| inputs.is_empty());
        let origins = first.flat_map(|(set, _)| &set.members).flat_map(|m| &m.origins);
        let starts = origins.filter_map(|o| o.head.as_ref()?.node()).collect();
        let mut picture =
            Picture { graph, execution, out: AnswerGraph::default(), values: Map::new(), starts };
        let support = execution.support(&[]);
        picture.out.left_out = support.len().saturating_sub(SHOWN) as u32;
        for &evidence in support.iter().take(SHOWN) {
            match evidence {
                Evidence::Triple(id) => picture.triple(id),
                Evidence::Passage(at) => picture.passage(at),
            }
        }
        // What is found without a statement, such as a count, still is the answer.
        for member in execution.answer().ranked().into_iter().take(SHOWN) {
            let id = picture.item(&member.item);
            picture.out.nodes.iter_mut().filter(|n| n.id == id).for_each(|n| n.answer = true);
        }
        picture.out
    }
}

struct Picture<'a> {
    graph: &'a KnowledgeGraph,
    execution: &'a Execution,
    out: AnswerGraph,
    /// Ids of what is no node of the graph.
    values: Map<Item, String>,
    /// What the question names.
    starts: Set<NodeId>,
}

impl Picture<'_> {
    fn add(&mut self, id: String, kind: AnswerNodeKind, label: String) -> &mut AnswerGraphNode {
        let at = self.out.nodes.iter().position(|n| n.id == id).unwrap_or_else(|| {
            let (types, url) = (Vec::new(), String::new());
            self.out.nodes.push(AnswerGraphNode {
                id,
                kind,
                label,
                types,
                start: false,
                answer: false,
                chunk: None,
                url,
            });
            self.out.nodes.len() - 1
        });
        &mut self.out.nodes[at]
    }

    /// The id of a node of the graph, which is added where it is not there yet.
    fn node(&mut self, node: NodeId) -> String {
        let id = format!("node-{}", node.0);
        if self.out.nodes.iter().all(|n| n.id != id) {
            let graph = self.graph;
            let kind = if graph.is_entity(node) { AnswerNodeKind::Entity } else { AnswerNodeKind::Value };
            let types = graph
                .types(node)
                .iter()
                .filter_map(|&t| graph.vocabulary().entity_type(t))
                .map(|t| t.label.clone())
                .collect();
            let start = self.starts.contains(&node);
            let added = self.add(id.clone(), kind, Item::Node(node).label(Some(graph)));
            (added.types, added.start) = (types, start);
        }
        id
    }

    fn item(&mut self, item: &Item) -> String {
        if let Item::Node(node) = item {
            return self.node(*node);
        }
        let count = self.values.len();
        let id = self.values.get_or_insert_with(item.clone(), || format!("value-{count}")).clone();
        let label = item.label(Some(self.graph));
        self.add(id.clone(), AnswerNodeKind::Value, label);
        id
    }

    fn triple(&mut self, id: TripleId) {
        let Some(triple) = self.graph.triple(id) else { return };
        let (from, to) = (self.node(triple.head), self.node(triple.tail));
        let label =
            self.graph.vocabulary().relation(triple.relation).map_or_else(String::new, |r| r.label.clone());
        self.out.edges.push(AnswerGraphEdge {
            from,
            to,
            label,
            triple: Some(id),
            chunk: chunk_of(self.graph, id),
        });
    }

    /// A passage, with edges to everything that was read in it.
    fn passage(&mut self, at: u32) {
        let Some(passage) = self.execution.passages.get(at as usize) else { return };
        let id = format!("passage-{at}");
        let label = if passage.title.is_empty() { passage.url.clone() } else { passage.title.clone() };
        let (chunk, url) = (passage.chunk, passage.url.clone());
        let node = self.add(id.clone(), AnswerNodeKind::Passage, label);
        (node.chunk, node.url) = (chunk, url);
        let execution = self.execution;
        let mut read: Vec<&Item> = Vec::new();
        for member in execution.sets.iter().flat_map(|s| &s.members) {
            let here = member.origins.iter().any(|o| o.evidence == Evidence::Passage(at));
            if here && !read.contains(&&member.item) && read.len() < SHOWN {
                read.push(&member.item);
            }
        }
        for item in read {
            let to = self.item(item);
            self.out.edges.push(AnswerGraphEdge {
                from: id.clone(),
                to,
                label: String::new(),
                triple: None,
                chunk,
            });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kg::Linker;
    use crate::plan::check::Limits as PlanLimits;
    use crate::plan::execute::{Executor, Limits, Resources};
    use crate::plan::rft;
    use futures::future::FutureExt;
    use pocketgraph_testing::films::example;

    fn drawn(lines: &str) -> (Vec<String>, Vec<String>) {
        let linker = Linker::new(&example());
        let plan = rft::parse(lines, &PlanLimits::default()).unwrap().plan;
        let execution = Executor::new(Some(&linker))
            .execute(&plan, Resources::default(), Limits::default())
            .now_or_never()
            .unwrap()
            .unwrap();
        let picture = AnswerGraph::of(linker.graph(), &execution);
        let role = |n: &AnswerGraphNode| match (n.start, n.answer) {
            (true, false) => "start",
            (false, true) => "answer",
            (true, true) => "both",
            (false, false) => "between",
        };
        let label = |id: &str| picture.nodes.iter().find(|n| n.id == id).unwrap().label.clone();
        let nodes = picture.nodes.iter().map(|n| format!("{}: {}", n.label, role(n))).collect();
        (
            nodes,
            picture
                .edges
                .iter()
                .map(|e| format!("{} | {} | {}", label(&e.from), e.label, label(&e.to)))
                .collect(),
        )
    }

    #[test]
    fn the_picture_holds_what_the_answer_rests_on_and_nothing_else() {
        let (nodes, edges) = drawn(
            "A=SearchKG(t=film | h=Al Pacino, r=starred)\nB=SearchKG(t=person | h=A, r=directed \
             by)\nC=SearchKG(t=film | h=B, r=directed by)",
        );
        assert_eq!(nodes, ["Heat: answer", "Michael Mann: between", "Al Pacino: start", "Ali: answer"]);
        assert_eq!(
            edges,
            [
                "Heat | directed by | Michael Mann",
                "Heat | starred actors | Al Pacino",
                "Ali | directed by | Michael Mann"
            ]
        );
    }

    #[test]
    fn a_count_is_drawn_with_what_was_counted() {
        let (nodes, edges) = drawn("A=SearchKG(t=film | h=Al Pacino, r=starred)\nB=Count(A)");
        assert!(nodes.contains(&"2: answer".to_owned()), "{nodes:?}");
        assert_eq!(edges, ["Heat | starred actors | Al Pacino", "Serpico | starred actors | Al Pacino"]);
    }
}
