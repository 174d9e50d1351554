//! Sorting, sorted maps and waiting for several things, each compiled once.
//!
//! The standard library's sorts, its B-trees and the usual crate's joins are compiled again for every type that they meet: together they were a
//! quarter of the wasm. Here the work is done by plain functions over indices and trait objects, and only a thin shell knows the type. They are
//! made for the thousands of things that a question touches; what a build sorts by the million stays with the standard library.

mod join;
mod map;
mod sort;

pub use join::join_all;
pub use map::{Map, Set};
pub use sort::{sort_by, sort_unique};
