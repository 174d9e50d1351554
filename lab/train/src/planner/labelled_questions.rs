//! Reads lines with labels: those of `pocketgraph train label`, and questions with just a pattern's name.

use super::labels::Labels;
use super::training_example::TrainingExample;
use crate::names::names;
use pocketgraph::planner::model::{Aggregation, Shape, Tag};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A question with its labels. Places are in characters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LabelledQuestion {
    /// The question.
    pub question: String,
    /// The name of its [`Shape`]; CLQA-Wiki calls it a type.
    #[serde(alias = "type")]
    pub shape: String,
    /// The name of its [`Aggregation`]; files of before called it `wrap`.
    #[serde(default, alias = "wrap")]
    pub aggregation: Option<String>,
    /// True if a superlative counts things (1) or reads a value (0).
    #[serde(default)]
    pub number: Option<usize>,
    /// Words, and the names of their tags; without it only the pattern is known.
    #[serde(default)]
    pub tags: Option<Vec<(usize, usize, String)>>,
    /// Mentions of entities; where none are given, what looks like a name is taken for one.
    #[serde(default)]
    pub mentions: Vec<(usize, usize)>,
    /// The question that it was made of (`pocketgraph train rephrase`): both are in the same part of a set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl LabelledQuestion {
    /// Reads a line; `None` where it is none.
    pub fn read(line: &str) -> Option<LabelledQuestion> {
        serde_json::from_str(line).ok()
    }

    /// The labels of a question as a line.
    pub fn of(question: &str, labels: &Labels) -> LabelledQuestion {
        let place = |r: &Range<usize>| {
            let chars = |to: usize| question.get(..to).map_or(0, |s| s.chars().count());
            (chars(r.start), chars(r.end))
        };
        let tag = |(r, t): &(Range<usize>, Tag)| {
            let (start, end) = place(r);
            (start, end, t.name())
        };
        LabelledQuestion {
            question: question.to_owned(),
            shape: labels.shape.name().to_owned(),
            aggregation: Some(labels.aggregation.name().to_owned()),
            number: labels.number,
            tags: Some(labels.tagged.iter().map(tag).collect()),
            mentions: labels.mentions.iter().map(place).collect(),
            of: None,
        }
    }

    /// The training example of it; `None` where a name or a place is none.
    pub fn training_example(self) -> Option<TrainingExample> {
        let shape = Shape::ALL.into_iter().find(|s| s.name() == self.shape)?;
        let aggregation = match &self.aggregation {
            Some(name) => Aggregation::ALL.into_iter().find(|w| w.name() == *name)?,
            None if shape == Shape::Compare => Aggregation::Equal,
            None => Aggregation::Set,
        };
        let ends: Vec<usize> =
            self.question.char_indices().map(|(at, _)| at).chain([self.question.len()]).collect();
        let bytes =
            |start: usize, end: usize| Some(*ends.get(start)?..*ends.get(end)?).filter(|r| !r.is_empty());
        let tag = |(start, end, name): &(usize, usize, String)| {
            Some((bytes(*start, *end)?, Tag::ALL.into_iter().find(|t| t.name() == *name)?))
        };
        let tagged = self.tags.iter().flatten().map(tag).collect::<Option<Vec<_>>>()?;
        let mentions = match self.tags.is_none() && self.mentions.is_empty() {
            true => names(&self.question),
            false => {
                self.mentions.iter().map(|(start, end)| bytes(*start, *end)).collect::<Option<Vec<_>>>()?
            }
        };
        let labels = Labels { shape, aggregation, number: self.number, tagged, mentions };
        let (pattern, tagged) = (self.shape, self.tags.is_some());
        Some(TrainingExample {
            question: self.question,
            of: self.of,
            labels,
            answers: Vec::new(),
            pattern,
            entities: Vec::new(),
            tagged,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_were_written() {
        let question = "Où naquit Ängström?";
        let labels = Labels {
            shape: Shape::P1,
            aggregation: Aggregation::Set,
            number: None,
            tagged: vec![(4..10, Tag::Relation(0, false)), (11..21, Tag::Entity(0))],
            mentions: std::iter::once(11..21).collect(),
        };
        let line = serde_json::to_string(&LabelledQuestion::of(question, &labels)).unwrap();
        let lesson = LabelledQuestion::read(&line).and_then(LabelledQuestion::training_example).unwrap();
        assert_eq!((lesson.labels, lesson.tagged), (labels, true), "{line}");
    }

    #[test]
    fn a_pattern_alone_says_nothing_of_the_words() {
        let lesson = LabelledQuestion::read(
            "{\"question\":\"Is Oslo or Rome larger?\",\"type\":\"compare\",\"answers\":[\"Rome\"]}",
        )
        .and_then(LabelledQuestion::training_example)
        .unwrap();
        assert!(!lesson.tagged && lesson.labels.mentions.len() == 2);
        assert_eq!(lesson.targets(), [Some(Shape::Compare.index()), None, None]);
    }

    #[test]
    fn what_is_outside_the_question_is_refused() {
        let line = "{\"question\":\"Who?\",\"shape\":\"1p\",\"tags\":[[2,9,\"R1\"]]}";
        assert_eq!(LabelledQuestion::read(line).and_then(LabelledQuestion::training_example), None);
    }
}
