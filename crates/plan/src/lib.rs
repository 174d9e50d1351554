#![doc = include_str!("../README.md")]

extern crate self as plan;
use pocketgraph_base::{compact, json};
use pocketgraph_kg as kg;
use pocketgraph_llm as llm;
use pocketgraph_text as text;

mod ast;
pub mod check;
mod error;
pub mod json_form;
mod read;
pub mod rft;
pub mod lpkg;
mod shape;
mod surface;
mod template;
pub mod trace;
pub mod execute;

pub use crate::kg::{Date, Value as Literal};
pub use ast::{
    Compare, Comparison, Condition, Extreme, Head, How, Measure, Operand, Operation, Plan, Relation,
    SearchKg, Statement, Test, same_name,
};
pub use error::{Fault, PlanError, Position};
pub use read::{Parsed, canonical_name};
pub use shape::Shape;
pub use surface::Surface;
pub use template::{Part, Template, TemplateError};

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod surface_tests;
#[cfg(test)]
mod check_tests;
