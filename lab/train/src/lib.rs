#![doc = include_str!("../README.md")]

pub mod plan_data;
pub mod calibrate;
pub mod gptq;
pub mod lexicon;
pub mod encoder;
mod names;
pub mod network;
pub mod planner;
pub mod query_table;
pub mod rounding;
pub mod texts;
