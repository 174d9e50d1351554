//! The sets whose questions are read here, beside the open form.

use super::betae::BetaE;
use super::evidence::Evidence;
use super::geoquery::GeoQuery;
use super::metaqa::MetaQa;
use pocketgraph_eval::{OpenForm, QuestionSet};

/// Every form of questions. The open one is last: it asks for least.
pub const SETS: &[&dyn QuestionSet] = &[&Evidence, &GeoQuery, &MetaQa, &BetaE, &OpenForm];

#[cfg(test)]
#[path = "sets_tests.rs"]
mod tests;
