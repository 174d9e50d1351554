//! Training example of a planner.

use super::labels::Labels;
use pocketgraph::planner::model::Aggregation;

/// A question with what the planner shall say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingExample {
    /// The question.
    pub question: String,
    /// The question that it was made of, if it was.
    pub of: Option<String>,
    /// Its labels.
    pub labels: Labels,
    /// Identifiers of its answers, or their words where they are no entities; empty where the data cut them.
    pub answers: Vec<String>,
    /// The pattern's name in the data.
    pub pattern: String,
    /// Identifiers of the entities that it names.
    pub entities: Vec<String>,
    /// True if the data has the words' tags; questions with a pattern alone have none.
    pub tagged: bool,
}

impl TrainingExample {
    /// The classes of the first token's heads: shape, aggregation and number.
    pub fn targets(&self) -> [Option<usize>; 3] {
        // What is compared by a pattern's name alone may be more, less or the same.
        let aggregation = (self.tagged || self.labels.aggregation != Aggregation::Equal)
            .then(|| self.labels.aggregation.index());
        [Some(self.labels.shape.index()), aggregation, self.labels.number]
    }
}
