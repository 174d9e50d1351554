//! Plans: small programs of logic functions over the knowledge graph and the passages.
//!
//! One syntax tree ([`Plan`]), and several surfaces that print and read it. A plan from anywhere, a person, a rule, a trained
//! model or a language model, is first read, then [checked](check::check), and only then executed.

mod ast;
pub mod check;
mod error;
mod literal;
mod template;

pub use ast::{
    Compare, Comparison, Condition, Extreme, Head, How, Measure, Operand, Operation, Plan, Relation, SearchKg, Statement, Test, same_name,
};
pub use error::{Fault, PlanError, Position};
pub use literal::{Date, Literal, LiteralError};
pub use template::{Part, Template, TemplateError};
