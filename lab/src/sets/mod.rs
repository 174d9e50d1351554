//! The sets whose questions are read here, beside the open form.

mod betae;
mod draft;
mod evidence;
mod geoquery;
mod logic;
mod majors;
pub mod metaqa;
mod prolog;

use betae::BetaE;
use evidence::Evidence;
use geoquery::GeoQuery;
use metaqa::MetaQa;
use pocketgraph_eval::{OpenForm, QuestionSet};

/// Every form of questions. The open one is last: it asks for least.
pub const SETS: &[&dyn QuestionSet] = &[&Evidence, &GeoQuery, &MetaQa, &BetaE, &OpenForm];

#[cfg(test)]
mod tests;
