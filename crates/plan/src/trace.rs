//! Trace of a plan's execution, step by step: as data, and as text for people.

use crate::compact::sort_unique;
use crate::kg::{Direction, Match, NodeId, RelationId, TripleId};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The execution of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Trace {
    /// The steps in the order of the plan.
    pub steps: Vec<StepTrace>,
    /// The name of the step whose set is the answer.
    pub answer: String,
    /// Warnings of the static checks.
    pub warnings: Vec<String>,
    /// The budget that ran out, if one did: steps after that are empty and say so.
    pub exhausted: Option<String>,
    /// Milliseconds by the clock that was given.
    pub milliseconds: f64,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StepTrace {
    /// Its name in the plan.
    pub name: String,
    /// The operation, as JSON plans call it.
    pub operation: String,
    /// The step in words.
    pub line: String,
    /// The planner's thought.
    pub thought: Option<String>,
    /// The steps that it builds on, with the sizes of their sets.
    pub inputs: Vec<InputTrace>,
    /// Entities that mentions were linked to.
    pub links: Vec<LinkTrace>,
    /// The relations that were considered, best first, and which of them were followed.
    pub relations: Vec<RelationTrace>,
    /// Edges that were followed to members of the result, at most [`EDGES_SHOWN`].
    pub edges: Vec<EdgeTrace>,
    /// How many there were.
    pub edge_count: usize,
    /// Passages that were read.
    pub passages: Vec<PassageTrace>,
    /// Source of the result if the graph had none.
    pub fallback: Option<Fallback>,
    /// The first members of the result, best first, at most [`MEMBERS_SHOWN`].
    pub members: Vec<MemberTrace>,
    /// How many members the result has.
    pub size: usize,
    /// Caps that cut something off, each a sentence with both numbers.
    pub truncated: Vec<String>,
    /// Further notes for the reader, each a sentence.
    pub notes: Vec<String>,
    /// Missing information, each a sentence.
    pub missing: Vec<String>,
    /// Milliseconds by the clock that was given.
    pub milliseconds: f64,
}

/// Edges of one step that a trace shows.
pub const EDGES_SHOWN: usize = 256;
/// Members of one step that a trace shows.
pub const MEMBERS_SHOWN: usize = 32;

/// An operand of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct InputTrace {
    /// The step that found it.
    pub name: String,
    /// How many members it has.
    pub size: usize,
}

/// Entity that a mention was linked to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LinkTrace {
    /// The mention.
    pub mention: String,
    /// The candidates, best first.
    pub candidates: Vec<CandidateTrace>,
}

/// A candidate of a mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CandidateTrace {
    /// The node.
    pub node: NodeId,
    /// Its label.
    pub label: String,
    /// From 0 to 1.
    pub score: f32,
    /// Way in which the name agreed.
    pub how: Match,
    /// Whether the step started there.
    pub chosen: bool,
}

/// A relation that a step considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RelationTrace {
    /// The relation.
    pub relation: RelationId,
    /// Its label.
    pub label: String,
    /// In which direction from the heads.
    pub direction: Direction,
    /// Agreement with the plan's words; 1 for an exact name.
    pub score: f32,
    /// How many edges the heads have over it.
    pub edges: usize,
    /// Whether it was followed.
    pub chosen: bool,
}

/// An edge that was followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct EdgeTrace {
    /// The triple.
    pub triple: TripleId,
    /// The node that it starts at, whatever the direction it was followed in.
    pub head: NodeId,
    /// That node's label.
    pub head_label: String,
    /// The relation's label.
    pub relation: String,
    /// The node that it leads to.
    pub tail: NodeId,
    /// That node's label.
    pub tail_label: String,
}

/// A passage that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PassageTrace {
    /// Its place in the execution's list of passages.
    pub passage: u32,
    /// The chunk of the bundle, unless it came from elsewhere.
    pub chunk: Option<u32>,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
}

/// A member of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MemberTrace {
    /// The label of the entity, or the value, or the words.
    pub label: String,
    /// The node, if it is one of the graph.
    pub node: Option<NodeId>,
    /// From 0 to 1.
    pub score: f32,
}

/// Source of a result if the graph had none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Fallback {
    /// A language model read passages of the bundle.
    Model,
    /// Names and values of the wanted type, taken from passages of the bundle without a model.
    Extraction,
    /// A web search's passages, read by a model or by extraction.
    Web,
}

impl Trace {
    /// All edges that steps followed to members of their results, in the order of the triples, once each.
    pub fn edges(&self) -> Vec<&EdgeTrace> {
        let mut all: Vec<&EdgeTrace> = self.steps.iter().flat_map(|s| &s.edges).collect();
        sort_unique(&mut all);
        all
    }

    /// Returns the missing information, each sentence with its step's name.
    pub fn missing(&self) -> Vec<String> {
        self.steps.iter().flat_map(|s| s.missing.iter().map(move |m| format!("{}: {m}", s.name))).collect()
    }

    /// The trace as text: a paragraph a step.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        for step in &self.steps {
            step.write(&mut out);
        }
        if let Some(exhausted) = &self.exhausted {
            let _ = writeln!(out, "stopped early: {exhausted}");
        }
        let _ = writeln!(out, "answer: {}", self.answer);
        out
    }
}

impl StepTrace {
    /// The step as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "{} = {}", self.name, self.line);
        let line = |out: &mut String, text: &str| {
            let _ = writeln!(out, "  {text}");
        };
        if let Some(thought) = &self.thought {
            line(out, &format!("# {thought}"));
        }
        for link in &self.links {
            let of = |c: &CandidateTrace| format!("{}{} ({:.2})", if c.chosen { "" } else { "not " }, c.label, c.score);
            let names: Vec<String> = link.candidates.iter().take(5).map(of).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            line(out, &format!("\"{}\" is {names}", link.mention));
        }
        for r in self.relations.iter().filter(|r| r.chosen) {
            let way = if r.direction == Direction::Forward { "" } else { " backwards" };
            line(out, &format!("followed {}{way} ({:.2}, {} edges)", r.label, r.score, r.edges));
        }
        let others: Vec<String> =
            self.relations.iter().filter(|r| !r.chosen).take(5).map(|r| format!("{} ({:.2})", r.label, r.score)).collect();
        if !others.is_empty() {
            line(out, &format!("not {}", others.join(", ")));
        }
        for e in self.edges.iter().take(8) {
            line(out, &format!("{} | {} | {}", e.head_label, e.relation, e.tail_label));
        }
        if self.edge_count > 8 {
            line(out, &format!("… {} edges in all", self.edge_count));
        }
        for p in &self.passages {
            line(out, &format!("read [{}] {}", p.passage + 1, if p.title.is_empty() { &p.url } else { &p.title }));
        }
        if let Some(fallback) = self.fallback {
            let how = match fallback {
                Fallback::Model => "the graph had nothing; a model read the passages",
                Fallback::Extraction => "the graph had nothing; taken from the passages",
                Fallback::Web => "graph and documents had nothing; taken from the web",
            };
            line(out, how);
        }
        for text in self.truncated.iter().chain(&self.notes) {
            line(out, text);
        }
        for text in &self.missing {
            line(out, &format!("missing: {text}"));
        }
        let mut members: Vec<&str> = self.members.iter().take(10).map(|m| m.label.as_str()).collect();
        if self.size > members.len() {
            members.push("…");
        }
        line(out, &format!("{}: {}", self.size, members.join("; ")));
    }
}
