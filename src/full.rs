//! Parts that the module for searching does not have.

pub use pocketgraph_agent::answer;
pub use pocketgraph_graph_retrieval::{entities, retrieve, sparse};
pub use {
    pocketgraph_kg as kg, pocketgraph_llm as llm, pocketgraph_plan as plan, pocketgraph_planner as planner,
};
