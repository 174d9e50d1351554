//! Questions with their answers, to find out which plans give exactly these.

use super::execution::{name_answers, relations_of};
use super::gold::{self, Gold, QuestionSet};
use super::part::Part;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph::plan::Plan;
use pocketgraph::plan::execute::Execution;
use pocketgraph_measure::records::DataError;
use std::collections::BTreeSet;
use std::path::Path;

/// A question that the graph is known to answer.
#[derive(Debug, Clone)]
pub struct AnsweredQuestion(Gold);

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

/// Reads the questions of a file (as [`super::evaluate_plans`]) that the graph answers, of a part if given.
///
/// # Errors
/// [`DataError`] for files in none of the forms.
pub fn read_answerable(
    path: &Path,
    sets: &[&dyn QuestionSet],
    part: Option<Part>,
) -> Result<Vec<AnsweredQuestion>, DataError> {
    let kept = |g: &Gold| g.answerable && part.is_none_or(|p| p.holds(&g.question));
    Ok(gold::read_gold(path, sets)?.into_iter().filter(kept).map(AnsweredQuestion).collect())
}
