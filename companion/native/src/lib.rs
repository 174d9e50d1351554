#![doc = include_str!("../README.md")]

#[macro_use]
pub mod terminal;

pub mod single_line;
pub mod panics;
pub mod progress;
pub mod today;
