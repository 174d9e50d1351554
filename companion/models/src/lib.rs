#![doc = include_str!("../README.md")]

pub mod e5;
pub mod embed_bulk;
pub mod embeddings;
pub mod minilm;
pub mod models;
pub mod native_planners;
pub mod planner_model;
pub mod token_table;
