#![doc = include_str!("../README.md")]

use pocketgraph_base::{compact, elementary};
use pocketgraph_bundle as bundle;
use pocketgraph_kernels::vector;
use pocketgraph_llm as llm;
use pocketgraph_search::names;
use pocketgraph_text as text;

pub mod entities;
pub mod retrieve;
pub mod sparse;
