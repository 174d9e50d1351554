//! What every native crate stands on: progress, text for terminals, panics of other people's code, dates.

#[macro_use]
pub mod terminal;

pub mod line;
pub mod panics;
pub mod progress;
pub mod today;
