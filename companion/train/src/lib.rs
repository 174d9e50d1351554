//! Commands that make the weights under `models/`, and what training is measured by.

pub mod plan_data;
pub mod calibrate;
pub mod gptq;
pub mod encoder;
pub mod minilm;
pub mod network;
pub mod planner;
pub mod query_table;
pub mod texts;
