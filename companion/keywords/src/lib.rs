#![doc = include_str!("../README.md")]

pub mod autokg;
pub mod extract;
pub mod llm_keywords;
