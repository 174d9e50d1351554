//! What a reader should know beside an answer.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a notice is about: what programs go by, whatever its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum NoticeCode {
    /// Parts of the documents or of the index could not be loaded.
    Missing,
    /// Words of the question stand in no passage that was found.
    Absent,
    /// The language model gave no answer, and the documents are quoted.
    ModelFailed,
    /// Passages were left out or cut to fit a model's context window or the token budget.
    LeftOut,
    /// The answer is cut off; its field `truncated` says why.
    Cut,
    /// The answer cites passages that there are not.
    Dangling,
    /// The answer cites nothing, or more than was checked.
    Unchecked,
    /// Nothing was planned over a knowledge graph: it concerns who looks into plans, and no reader.
    Unplanned,
    /// A plan found nothing or was not carried out to its end.
    Plan,
    /// A part of what a plan found is from passages or from the web, and not from the graph.
    BeyondGraph,
    /// A budget of a protocol was spent, or a step of it failed.
    Protocol,
}

/// What a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Notice {
    /// What it is about.
    pub code: NoticeCode,
    /// In English, a sentence.
    pub message: String,
}

impl Notice {
    /// A notice.
    pub fn new(code: NoticeCode, message: impl Into<String>) -> Notice {
        Notice { code, message: message.into() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
