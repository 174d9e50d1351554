//! Sorting, sorted maps and joined futures, each compiled once.
//!
//! The standard library's sorts and B-trees and the usual crate's joins are compiled again for every type.
//! Together they were a quarter of the wasm. Here plain functions over indices and trait objects do the work,
//! and only a thin shell knows the type. They suit the thousands of items that a question touches; a build
//! that sorts millions uses the standard library.

mod join;
mod map;
mod sort;

pub use join::join_all;
pub use map::{Map, Set};
pub use sort::{sort_by, sort_unique};
