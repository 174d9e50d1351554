//! Keyword extraction and the AutoKG keyword graph.

pub mod autokg;
pub mod extract;
pub mod llm_keywords;
