//! The workflow's prompts, in our words. What each must say, and the form of its reply, is the paper's.

use super::Channel;
use crate::llm::Text;

/// Facts of passages alone, with the numbers of their passages.
pub const SUMMARISE_PASSAGES: Text = Text::new(
    "graph-search.summarise-passages",
    include_str!("../prompts/graph-search.summarise-passages.txt"),
    &["query", "context"],
    &[],
);
/// Statements of a graph alone.
pub const SUMMARISE_GRAPH: Text = Text::new(
    "graph-search.summarise-graph",
    include_str!("../prompts/graph-search.summarise-graph.txt"),
    &["query", "context"],
    &[],
);
/// The question as ordered sub-queries, as text.
pub const DECOMPOSE_PASSAGES: Text = Text::new(
    "graph-search.decompose-passages",
    include_str!("../prompts/graph-search.decompose-passages.txt"),
    &["question"],
    &[],
);
/// The question as ordered sub-queries, as triples.
pub const DECOMPOSE_GRAPH: Text = Text::new(
    "graph-search.decompose-graph",
    include_str!("../prompts/graph-search.decompose-graph.txt"),
    &["question"],
    &[],
);
/// A sub-query with its placeholders filled in.
pub const COMPLETE: Text = Text::new(
    "graph-search.complete",
    include_str!("../prompts/graph-search.complete.txt"),
    &["sub_query", "history"],
    &["plan"],
);
/// A short answer to a sub-query.
pub const ANSWER: Text = Text::new(
    "graph-search.answer",
    include_str!("../prompts/graph-search.answer.txt"),
    &["query", "context"],
    &["history"],
);
/// A grounded argument.
pub const DRAFT: Text = Text::new(
    "graph-search.draft",
    include_str!("../prompts/graph-search.draft.txt"),
    &["question", "history"],
    &[],
);
/// The verdict: Yes if the draft is supported, No if evidence is lacking.
pub const VERIFY: Text = Text::new(
    "graph-search.verify",
    include_str!("../prompts/graph-search.verify.txt"),
    &["question", "draft"],
    &["history"],
);
/// Searches that would fill the gaps.
pub const EXPAND: Text = Text::new(
    "graph-search.expand",
    include_str!("../prompts/graph-search.expand.txt"),
    &["question"],
    &["history", "draft", "verdict"],
);
/// The answer.
pub const LAST: Text = Text::new(
    "graph-search.last",
    include_str!("../prompts/graph-search.last.txt"),
    &["question", "histories"],
    &["known", "rules", "cite"],
);

/// Returns the prompt that summarises a channel's findings.
pub(super) fn summarise(channel: Channel) -> &'static Text {
    match channel {
        Channel::Text => &SUMMARISE_PASSAGES,
        Channel::Graph => &SUMMARISE_GRAPH,
    }
}

/// Returns the prompt that splits the question for a channel.
pub(super) fn decompose(channel: Channel) -> &'static Text {
    match channel {
        Channel::Text => &DECOMPOSE_PASSAGES,
        Channel::Graph => &DECOMPOSE_GRAPH,
    }
}

/// Above a summary of what the question itself found.
pub(super) fn heading(channel: Channel) -> &'static str {
    match channel {
        Channel::Text => "What the passages say:",
        Channel::Graph => "What the knowledge graph says:",
    }
}

/// Above a channel's history.
pub(super) fn history_heading(channel: Channel) -> &'static str {
    match channel {
        Channel::Text => "Steps over the passages:",
        Channel::Graph => "Steps over the knowledge graph:",
    }
}
