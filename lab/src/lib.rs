#![doc = include_str!("../README.md")]

// Its macros are those of all modules: nothing is printed past them.
#[macro_use(eprintln, println)]
extern crate pocketgraph_native;

mod betae;
pub mod candidates;
pub mod commands;
mod draft;
mod evidence;
mod geoquery;
mod graph_args;
pub mod interface;
pub mod kinds;
pub mod linking;
mod logic;
mod majors;
mod metaqa;
pub mod minilm;
pub mod patterns;
mod prolog;
pub mod sets;
mod sparql;
pub mod walks;
pub mod weights;
