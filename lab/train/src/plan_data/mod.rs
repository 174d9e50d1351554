//! Questions with their plans and answers, made from a graph: what a planner is trained on.
//!
//! As in LPKG (arXiv 2406.14282), patterns are grounded in the graph, the executor computes the answers, and
//! a grammar of templates phrases the questions; a language model, if there is one, rewords some. Every other
//! example follows from the seed and its number alone, so that threads do not change the file.

mod card;
mod english;
mod generate;
mod ground;
mod joint;
mod lists;
mod near_duplicates;
mod pairs;
mod pattern;
mod phrases;
mod relative;
mod rephrase;
mod shared;
mod siblings;
mod trajectories;
mod uncued_types;
mod wording;

pub use card::write_card;
pub use generate::{DataError, DataOptions, DataReport, Split, generate_examples};
pub use ground::Grounder;
pub use near_duplicates::Near;
pub use pairs::{LPKG, PairOptions, Written as WrittenPlan, make_pairs, write_plan};
pub use pattern::{PATTERNS, Pattern};
pub use rephrase::rephrase_questions;
pub use siblings::{Sample, Wanted, Written, say_of_pattern};
pub use trajectories::Trajectories;
pub use wording::{Noise, QuestionPieces, Role, Wording};

#[cfg(test)]
mod tests;
