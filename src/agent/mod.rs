//! Agents: a model that searches while it answers, by one of the published protocols.
//!
//! [`run`] is the loop that all protocols share: it asks the model, counts what that costs, looks things up, numbers what it shows, and makes the
//! model answer when a budget is spent. A [`Protocol`] is the dialogue: one file each, to be read beside its paper. What can be looked into is an
//! [`Environment`], so that any retriever can serve any protocol. [`ask_with_protocol`] runs one over an open bundle, and checks the citations
//! of what comes back.

mod aids;
mod ask;
mod ask_plan;
mod calls;
mod carry_out;
mod dialogue;
mod environment;
mod found;
mod kg_tools;
mod look;
mod meter;
mod neutralise;
mod options;
mod picture;
mod protocol;
mod rules;
mod run;
mod searxng;
mod stream;
pub mod tags;
mod trained;
mod types;

mod graph_r1;
mod graph_rft;
mod graph_search;
mod graphrag_global;
mod lpkg;
mod react;
mod search_o1;
mod search_r1;
mod self_ask;
mod single_shot;
mod tool_calling;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod behaviour_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod hostile_tests;

pub use aids::PlanningAids;
pub use ask::{AskWith, Carried, ProtocolAnswer, ask_with_protocol};
pub use ask_plan::{PlannedQuestion, UNPLANNED, answer_plan, plan_over, plan_question};
pub use carry_out::WebPassages;
pub use environment::{Environment, EnvironmentError, Evidence, Fact, GraphTools, Looked, PlanStep, Report, WebSearch};
pub use kg_tools::KgTools;
pub use neutralise::{Marks, neutralise};
pub use options::{AgentOptions, Condense, Continuation, Limits, PlannerChoice, Polarity};
pub use picture::{AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AnswerNodeKind};
pub use protocol::{NAMES, Protocol, by_name, needs_model};
pub use run::{AgentError, Run, Services, run};
pub use searxng::SearXng;
pub use trained::Trained;
pub use types::{AgentEvent, Call, Cap, Numbered, Outcome, PlannedBy, Turn};
