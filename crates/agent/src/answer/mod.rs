//! Answers that a language model writes: the prompt, the stream, and the check of what it cites.

mod claim_support;
mod citable;
mod citations;
mod evidence;
mod floor;
mod generate;
mod markers;
mod order;
mod prompt;
mod quotation;
mod statement;
mod support;
mod written;

pub use citable::Citable;
pub use citations::{MAX_CITATIONS, MIN_OWN_SUPPORT, MIN_SUPPORT, check_citations};
pub use evidence::{TAG_NAMES, neutralise, neutralise_also};
pub use floor::{NoAnswer, no_answer};
pub use generate::{check_reply, failed, from_graph_because, gave_none, generate_answer, quoted_because};
pub use markers::{Marker, markers};
pub use pocketgraph_search::answer::*;
pub(crate) use prompt::TASK as ASK_TASK;
pub use prompt::{NoRoom, Prompt};
pub use quotation::with_quotation;
pub use written::ModelReply;
