//! Trace of a plan's execution, step by step: as data, and as text for people.

use crate::compact::sort_unique;
use crate::json::Hundredths;
use crate::kg::{Direction, Match, NodeId, RelationId, TripleId};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Execution of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Trace {
    /// Steps in the order of the plan.
    pub steps: Vec<StepTrace>,
    /// Name of the step whose set is the answer.
    pub answer: String,
    /// Warnings of the static checks.
    pub warnings: Vec<String>,
    /// Budget that ran out, if any. Later steps are empty and note it.
    pub exhausted: Option<String>,
    /// Milliseconds by the given clock.
    pub milliseconds: f64,
}

/// Execution of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StepTrace {
    /// Name in the plan.
    pub name: String,
    /// Name of the operation in JSON plans.
    pub operation: String,
    /// The step in words.
    pub line: String,
    /// Thought of the planner.
    pub thought: Option<String>,
    /// Steps that it uses, with the sizes of their sets.
    pub inputs: Vec<InputTrace>,
    /// Entities that mentions were linked to.
    pub links: Vec<LinkTrace>,
    /// Relations that were considered, best first.
    pub relations: Vec<RelationTrace>,
    /// Edges that were followed to members of the result, at most [`EDGES_SHOWN`].
    pub edges: Vec<EdgeTrace>,
    /// Number of all such edges.
    pub edge_count: usize,
    /// Passages that were read.
    pub passages: Vec<PassageTrace>,
    /// Source of the result if the graph had none.
    pub fallback: Option<Fallback>,
    /// First members of the result, best first, at most [`MEMBERS_SHOWN`].
    pub members: Vec<MemberTrace>,
    /// Number of members of the result.
    pub size: usize,
    /// Limits that cut something, each a sentence with both numbers.
    pub truncated: Vec<String>,
    /// Further notes for the reader, each a sentence.
    pub notes: Vec<String>,
    /// Missing information, each a sentence.
    pub missing: Vec<String>,
    /// Milliseconds by the given clock.
    pub milliseconds: f64,
}

/// Maximum number of edges of a step in a trace.
pub const EDGES_SHOWN: usize = 256;
/// Maximum number of members of a step in a trace.
pub const MEMBERS_SHOWN: usize = 32;

/// Operand of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct InputTrace {
    /// Name of the step that found it.
    pub name: String,
    /// Number of its members.
    pub size: usize,
}

/// Entities that a mention was linked to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LinkTrace {
    /// Words of the mention.
    pub mention: String,
    /// Candidates, best first.
    pub candidates: Vec<CandidateTrace>,
}

/// Candidate of a mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CandidateTrace {
    /// The node.
    pub node: NodeId,
    /// Its label.
    pub label: String,
    /// Agreement, from 0 to 1.
    pub score: f32,
    /// Kind of agreement.
    pub how: Match,
    /// True if the step started there.
    pub chosen: bool,
}

/// Relation that a step considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RelationTrace {
    /// The relation.
    pub relation: RelationId,
    /// Its label.
    pub label: String,
    /// Direction from the heads.
    pub direction: Direction,
    /// Agreement with the plan's words; 1 for an exact name.
    pub score: f32,
    /// Number of the heads' edges over it.
    pub edges: usize,
    /// True if it was followed.
    pub chosen: bool,
}

/// Edge that was followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct EdgeTrace {
    /// The triple.
    pub triple: TripleId,
    /// Node that it starts at, in any direction of following.
    pub head: NodeId,
    /// Label of that node.
    pub head_label: String,
    /// Label of the relation.
    pub relation: String,
    /// Node that it leads to.
    pub tail: NodeId,
    /// Label of that node.
    pub tail_label: String,
}

/// Passage that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PassageTrace {
    /// Index in the execution's list of passages.
    pub passage: u32,
    /// Chunk of the bundle; `None` if it is from elsewhere.
    pub chunk: Option<u32>,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
}

/// Member of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MemberTrace {
    /// Label of the entity, or the value, or the words.
    pub label: String,
    /// Node, if it is one of the graph.
    pub node: Option<NodeId>,
    /// Score, from 0 to 1.
    pub score: f32,
}

/// Source of a result if the graph had none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Fallback {
    /// A language model read passages of the bundle.
    Model,
    /// Names and values of the target's type were extracted from passages of the bundle without a model.
    Extraction,
    /// A web search's passages were read, by a model or by extraction.
    Web,
}

impl Trace {
    /// Returns all edges that steps followed to members of their results, in the order of triples, once each.
    pub fn edges(&self) -> Vec<&EdgeTrace> {
        let mut all: Vec<&EdgeTrace> = self.steps.iter().flat_map(|s| &s.edges).collect();
        sort_unique(&mut all);
        all
    }

    /// Returns the missing information, each sentence with its step's name.
    pub fn missing(&self) -> Vec<String> {
        self.steps.iter().flat_map(|s| s.missing.iter().map(move |m| format!("{}: {m}", s.name))).collect()
    }

    /// Returns the trace as text: a paragraph a step.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        for step in &self.steps {
            step.write_step(&mut out);
        }
        if let Some(exhausted) = &self.exhausted {
            let _ = writeln!(out, "stopped early: {exhausted}");
        }
        let _ = writeln!(out, "answer: {}", self.answer);
        out
    }
}

impl StepTrace {
    /// Returns the step as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_step(&mut out);
        out
    }

    fn write_step(&self, out: &mut String) {
        let _ = writeln!(out, "{} = {}", self.name, self.line);
        let line = |out: &mut String, text: &str| {
            let _ = writeln!(out, "  {text}");
        };
        if let Some(thought) = &self.thought {
            line(out, &format!("# {thought}"));
        }
        for link in &self.links {
            let of = |c: &CandidateTrace| {
                format!("{}{} ({})", if c.chosen { "" } else { "not " }, c.label, Hundredths(c.score))
            };
            let names: Vec<String> = link.candidates.iter().take(5).map(of).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            line(out, &format!("\"{}\" is {names}", link.mention));
        }
        for r in self.relations.iter().filter(|r| r.chosen) {
            let way = if r.direction == Direction::Forward { "" } else { " backwards" };
            line(out, &format!("followed {}{way} ({}, {} edges)", r.label, Hundredths(r.score), r.edges));
        }
        let others: Vec<String> = self
            .relations
            .iter()
            .filter(|r| !r.chosen)
            .take(5)
            .map(|r| format!("{} ({})", r.label, Hundredths(r.score)))
            .collect();
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
            line(
                out,
                &format!("read [{}] {}", p.passage + 1, if p.title.is_empty() { &p.url } else { &p.title }),
            );
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
