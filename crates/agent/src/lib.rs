#![doc = include_str!("../README.md")]

extern crate self as agent;
use pocketgraph_base::{compact, json};
use pocketgraph_bundle as bundle;
use pocketgraph_embed as embed;
use pocketgraph_kg as kg;
use pocketgraph_llm as llm;
use pocketgraph_plan as plan;
use pocketgraph_planner as planner;
use pocketgraph_search::retrieve;
use pocketgraph_text as text;

mod planners;
pub mod answer;
mod calls;
mod execute_plan;
mod complexity;
mod dialogue;
mod driver;
mod environment;
mod plan_answer;
mod kg_tools;
mod retrieval;
mod meter;
mod neutralise;
mod options;
mod answer_graph;
mod prompts;
mod protocol;
mod registry;
mod repetition;
mod room;
mod rules;
mod run;
mod searxng;
mod final_answer;
mod stream;
pub mod tags;
mod trained;
mod tool_use;
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

pub use answer_graph::{AnswerGraph, AnswerGraphEdge, AnswerGraphNode, AnswerNodeKind};
pub use driver::run_protocol;
pub use environment::{
    CallerTool, CallerTools, Environment, EnvironmentError, Evidence, Fact, GraphTools, Looked, PlanStep,
    Report, WebSearch,
};
pub use execute_plan::WebPassages;
pub use kg_tools::{KgTools, Meanings};
pub use lpkg::prompts::ask_for_plan;
pub use meter::Metered;
pub use neutralise::{Marks, neutralise};
pub use options::{AgentOptions, Analysis, Condense, Continuation, Limits, PlannerChoice, Polarity};
pub use plan_answer::{Load, PlanAnswer, Source, plan_answer, statement_words};
pub use planners::PlanningAids;
pub use prompts::{list_texts, replace_texts};
pub use protocol::Protocol;
pub use registry::{NAMES, PLAN, by_name, needs_model};
pub use run::{AgentError, Run, Services};
pub use searxng::SearXng;
pub use trained::Trained;
pub use types::{AgentEvent, Call, Cap, Numbered, Outcome, PlannedBy, Turn};
