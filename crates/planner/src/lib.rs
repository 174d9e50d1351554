#![doc = include_str!("../README.md")]

extern crate self as planner;
use pocketgraph_base::{compact, elementary, json::Hundredths};
use pocketgraph_bundle as bundle;
use pocketgraph_embed as embed;
use pocketgraph_kernels::vector;
use pocketgraph_kg as kg;
use pocketgraph_plan as plan;
use pocketgraph_text as text;

mod account;
mod alignment;
mod assertion;
mod candidates;
mod certainty;
mod chain;
mod choice;
mod comparison;
mod compose;
mod conditions;
mod connection;
mod exclusion;
mod kin;
mod lexicon;
mod llm;
mod meaning;
mod measures;
pub mod model;
mod modifier;
mod negation;
mod pattern;
mod phrases;
mod query;
mod question;
mod rank;
mod rules;
mod schema;
mod sets;
mod superlative;
mod token;
mod unnamed;
mod voice;
mod walk;
#[cfg(not(target_arch = "wasm32"))]
pub mod weights;
#[cfg(target_arch = "wasm32")]
mod weights;

use crate::plan::Plan;
use futures::future::LocalBoxFuture;

pub use account::{Evidence, account};
pub use candidates::{Candidate, Candidates, ChosenFrom};
pub use certainty::{FEATURES, LEAST_CERTAINTY};
pub use choice::{Choice, OtherPlanners, RulesAlone, choose_plan, propose_plans};
pub use llm::{Demonstration, Drafted, LlmPlanner, PROMPTS, demonstrations};
pub use meaning::{MeantRelation, Nearest, Nearness, OneEntityQuestion, one_entity_question};
pub use pattern::find_quoted;
pub use phrases::{PHRASES, PhraseIndex, Phrases, load_phrases, phrase_vectors, phrases};
pub use pocketgraph_question::is_verb_form;
pub use query::{LogicalForm, Query};
pub use rules::{Planned, RulesPlanner};

/// Reasons why there is no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlannerError {
    /// The question names nothing that the graph knows.
    #[error("the question names nothing that the knowledge graph knows")]
    NothingLinked,
    /// The question is longer than any question.
    #[error("the question has {found} bytes, the limit is {limit}")]
    TooLong {
        /// Its bytes.
        found: usize,
        /// Maximum number of bytes.
        limit: usize,
    },
    /// The best plan explains too little of the question.
    #[error("the best plan explains too little of the question (confidence {})", Hundredths(*.confidence))]
    Unsure {
        /// From 0 to 1.
        confidence: f32,
    },
    /// A word of the question stands for nothing in the plan.
    #[error("nothing in the best plan stands for “{0}”")]
    Unexplained(String),
    /// The plan answers something else than was asked.
    #[error("the best plan is not what was asked: {0}")]
    NotAsked(&'static str),
    /// A model that the planner needs failed.
    #[error("the planner's model failed: {0}")]
    Model(String),
    /// A model's plan cannot be carried out, nor could the one that it wrote when it was told why.
    #[error("the planner's model gave no plan that can be carried out: {0}")]
    Unreadable(String),
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
}

/// A question to a plan.
pub trait Planner {
    /// The plan of a question, and how sure the planner is of it.
    ///
    /// # Errors
    /// [`PlannerError`] where the planner has no plan that it would stand by; the caller then searches
    /// passages.
    fn plan<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Proposal, PlannerError>>;
}

/// A plan that a planner stands by.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The plan.
    pub plan: Plan,
    /// Degree to which the plan explains the question and beats the next best, from 0 to 1.
    pub confidence: f32,
}

#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod metamorphic_tests;
#[cfg(test)]
mod modifier_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unnamed_tests;
