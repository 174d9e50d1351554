//! Where a citation points.

use serde::{Deserialize, Serialize};

/// What a citation points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum CitationTarget {
    /// A passage of the bundle.
    Chunk {
        /// Its number.
        chunk: u32,
    },
    /// A statement of the knowledge graph that no passage of the bundle says, or what a plan made of
    /// statements.
    Statement {
        /// The statement's number, where it is one of the bundle's graph.
        triple: Option<u32>,
    },
    /// A page of the web, at the citation's `url`.
    Web,
    /// What a tool of the caller said, whose name is the citation's `title`.
    Tool,
}

impl CitationTarget {
    /// The passage of the bundle, where it is one.
    pub fn chunk(self) -> Option<u32> {
        if let CitationTarget::Chunk { chunk } = self { Some(chunk) } else { None }
    }
}
