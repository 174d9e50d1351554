//! The retrievers by name.

use super::{Auto, Dense, Hybrid, Lexical, Retriever};

/// The retriever named `name`, with its default parameters.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    match name {
        "auto" => Some(Box::new(Auto)),
        "lexical" => Some(Box::new(Lexical)),
        "dense" => Some(Box::new(Dense)),
        "hybrid" => Some(Box::new(Hybrid)),
        _ => None,
    }
}

/// The names that [`by_name`] knows.
pub const NAMES: &[&str] = &["auto", "hybrid", "lexical", "dense"];
