#![doc = include_str!("../README.md")]

// Its macros are those of all modules: nothing is printed past them.
#[macro_use(eprintln, print, println)]
extern crate pocketgraph_native;

pub mod commands;
pub mod eval;
mod graph_args;
pub mod interface;
pub mod sets;
pub mod train;
