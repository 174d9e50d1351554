//! Questions with their answers, to find out which plans give exactly these.

use super::execution::{name_answers, relations_of};
use super::gold::Gold;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph::plan::Plan;
use pocketgraph::plan::execute::Execution;
use std::collections::BTreeSet;

/// A question that the graph is known to answer.
#[derive(Debug, Clone)]
pub struct AnsweredQuestion(pub Gold);

impl AnsweredQuestion {
    /// The question.
    pub fn question(&self) -> &str {
        &self.0.question
    }

    /// Returns the set's own plan, if the plan language has one.
    pub fn plan(&self) -> Option<&Plan> {
        self.0.plan.as_ref().ok()
    }

    /// Returns true if a plan follows the relations of the set's own plan, each as often, or there is none.
    pub fn follows(&self, plan: &Plan) -> bool {
        self.plan().is_none_or(|own| relations_of(own) == relations_of(plan))
    }

    /// Returns true if an execution found exactly the answers.
    pub fn is_answered(&self, graph: &KnowledgeGraph, execution: &Execution) -> bool {
        let found: BTreeSet<String> = name_answers(graph, execution, &self.0).into_iter().collect();
        found == self.0.answers
    }
}
