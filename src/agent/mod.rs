//! Answers by a protocol over an open bundle: dialogues with a language model, and plans.

mod ask;
mod ask_plan;
pub mod options;
mod outcome;

pub use ask::ask_with_protocol;
pub use ask_plan::{PlannedQuestion, answer_plan, plan_over, plan_question};
pub use outcome::{AskWith, Carried, ProtocolAnswer};
pub use pocketgraph_agent::*;
