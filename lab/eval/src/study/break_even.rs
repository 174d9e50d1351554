//! When an index has paid for itself: what it costs more to build, against what each question costs less.

use pocketgraph_measure::Estimate;
use serde::Serialize;

/// The number of questions at which an index has paid for itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Even {
    /// At so many questions.
    At(u64),
    /// Never: its questions cost as much or more.
    Never,
    /// It costs the same, to build and to ask.
    Same,
}

impl Even {
    /// From what the index costs more to build than another, and what each of its questions costs less.
    pub fn of(more_to_build: f64, less_a_question: f64) -> Even {
        if more_to_build == 0.0 && less_a_question == 0.0 {
            Even::Same
        } else if more_to_build <= 0.0 && less_a_question >= 0.0 {
            Even::At(0)
        } else if less_a_question <= 0.0 {
            Even::Never
        } else {
            Even::At((more_to_build / less_a_question).ceil() as u64)
        }
    }
}

/// One retriever against the baseline, under one protocol and on one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreakEven {
    /// The set.
    pub set: String,
    /// The protocol.
    pub protocol: String,
    /// The retriever.
    pub retriever: String,
    /// The other one.
    pub baseline: String,
    /// How much more of the answers contain what is wanted, question by question: a cheaper index that answers worse has paid for nothing.
    pub contain_em: Estimate,
    /// Tokens of the model more to build.
    pub tokens_more: f64,
    /// Tokens less a question.
    pub tokens_less: f64,
    /// When tokens are even.
    pub tokens_even: Even,
    /// Price more to build; absent without prices.
    pub cost_more: Option<f64>,
    /// Price less a question.
    pub cost_less: Option<f64>,
    /// When prices are even.
    pub cost_even: Option<Even>,
    /// Seconds more to build.
    pub seconds_more: f64,
    /// Seconds less a question.
    pub seconds_less: f64,
    /// When seconds are even.
    pub seconds_even: Even,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_paid_for_itself_when_what_is_saved_reaches_what_it_cost_more() {
        assert_eq!(Even::of(100.0, 3.0), Even::At(34));
        assert_eq!((Even::of(100.0, 0.0), Even::of(100.0, -3.0), Even::of(-5.0, -3.0)), (Even::Never, Even::Never, Even::Never));
        assert_eq!((Even::of(0.0, 2.0), Even::of(-5.0, 0.0), Even::of(0.0, 0.0)), (Even::At(0), Even::At(0), Even::Same));
    }
}
