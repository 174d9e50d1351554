//! The direction in which a question's voice has a relation followed.

use crate::kg::Direction;
use pocketgraph_question::{End, named_end};

/// Returns the direction in which a relation of this label is followed from the name; see [`named_end`].
pub(super) fn direction(
    label: &str,
    question: &[&str],
    at: usize,
    refers: &dyn Fn(usize) -> bool,
) -> Option<Direction> {
    let end = named_end(label, question, at, refers)?;
    Some(if end == End::Head { Direction::Forward } else { Direction::Backward })
}
