//! Input and output of an answer by a protocol.

use crate::answer::{Answer, Citation};
use crate::compact::{Set, sort_by};
use crate::llm::{ChatModel, Usage};
use crate::plan::Plan;
use crate::plan::trace::Trace;
use crate::retrieve::Hit;
use pocketgraph_agent::{AnswerGraph, CallerTools, Cap, GraphTools, PlannedBy, Turn, WebSearch};
use serde::{Deserialize, Serialize};

/// Services that a caller brings in addition to the bundle.
#[derive(Clone, Copy)]
pub struct AskWith<'a> {
    /// The model; every protocol but `plan` needs one.
    pub chat: Option<&'a dyn ChatModel>,
    /// Milliseconds since any fixed moment.
    pub clock: &'a dyn Fn() -> f64,
    /// Knowledge graph; if absent, protocols that need one load the bundle's. `plan` always uses the
    /// bundle's.
    pub graph: Option<&'a dyn GraphTools>,
    /// A way to search the web.
    pub web: Option<&'a dyn WebSearch>,
    /// The caller's own tools, for protocols whose model calls tools.
    pub tools: Option<&'a dyn CallerTools>,
}

/// An answer with the way to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ProtocolAnswer {
    /// The answer, its citations resolved and checked.
    pub answer: Answer,
    /// The protocol by name.
    pub protocol: String,
    /// The budget that forced the answer, where one did.
    pub forced: Option<Cap>,
    /// Tokens of the whole run.
    pub usage: Usage,
    /// True if some are estimated, because the endpoint did not count them or was aborted.
    pub estimated: bool,
    /// Every reply of the model, and what was looked for because of it.
    pub turns: Vec<Turn>,
    /// The plan that was carried out; absent where none was, and where the model itself carried one out.
    pub carried: Option<Carried>,
    /// The passages that the answer refers to, whole and without scores: the spans of its citations are of
    /// their texts.
    pub passages: Vec<Hit>,
}

/// A plan and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Carried {
    /// The plan.
    pub plan: Plan,
    /// The plan as plan lines.
    pub text: String,
    /// Planner that made it.
    pub by: PlannedBy,
    /// Confidence of the planner, from 0 to 1.
    pub confidence: f32,
    /// Trace of its execution, step by step.
    pub trace: Trace,
    /// The entities, statements and passages that the result rests on, for drawing.
    pub graph: AnswerGraph,
}

/// Returns the known passages that an answer refers to, in the order of their chunks.
pub(super) fn find_referred(answer: &Answer, known: impl Iterator<Item = Hit>) -> Vec<Hit> {
    let chunks: Set<u32> = answer
        .references
        .iter()
        .map(|r| r.chunk)
        .chain(answer.citations.iter().filter_map(Citation::chunk))
        .collect();
    let mut out: Vec<Hit> = Vec::new();
    for hit in known {
        if chunks.contains(&hit.chunk) && !out.iter().any(|o| o.chunk == hit.chunk) {
            // How it was found belongs to one search of several.
            out.push(Hit {
                score: 0.0,
                lexical: None,
                dense: None,
                highlights: Vec::new(),
                reached: Vec::new(),
                ..hit
            });
        }
    }
    sort_by(&mut out, |a, b| a.chunk.cmp(&b.chunk));
    out
}
