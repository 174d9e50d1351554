#![doc = include_str!("../README.md")]

#[cfg(test)]
use pocketgraph_base::json;
use pocketgraph_base::{compact, csr as sparse, elementary};
use pocketgraph_bundle as bundle;
use pocketgraph_embed as embed;
use pocketgraph_kernels::vector;
use pocketgraph_text as text;
#[cfg(test)]
extern crate self as pocketgraph_search;
#[cfg(test)]
#[path = "../../testing/src/hits.rs"]
mod hits;

pub mod answer;
mod kept;
pub mod keyword;
pub mod lexical;
pub mod names;
pub mod retrieve;
