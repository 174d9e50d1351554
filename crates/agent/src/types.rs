//! What an agent tells while it works, and what it leaves behind. These types cross into JavaScript.

use super::environment::Evidence;
use crate::answer::{Answer, CitationTarget, NoAnswer, Notice, NoticeCode, Reference};
use crate::llm::{LlmError, Usage};
use crate::plan::Plan;
use crate::plan::trace::StepTrace;
use crate::planner::ChosenFrom;
use crate::retrieve::SearchResult;
use serde::{Deserialize, Serialize};

/// Budget that was spent when the model had to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Cap {
    /// Turns of the model.
    Turns,
    /// Tokens, read and written.
    Tokens,
    /// Wall time.
    Time,
    /// None, but the model said the same thing three times in a row.
    Repetition,
    /// None, but the model ended without an answer.
    Silence,
    /// None, but what the model gave as its answer was none.
    NoAnswer,
}

impl Cap {
    /// Returns the notice for the reader.
    pub fn notice(self) -> Notice {
        Notice::new(match self {
            Cap::Turns => NoticeCode::TurnsSpent,
            Cap::Tokens => NoticeCode::TokensSpent,
            Cap::Time => NoticeCode::TimeSpent,
            Cap::Repetition => NoticeCode::Repeated,
            Cap::NoAnswer => NoticeCode::AskedAgain,
            Cap::Silence => NoticeCode::Stopped,
        })
    }
}

/// A passage that was shown to the model, under the number that cites it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Numbered {
    /// The number.
    pub number: u32,
    /// Target of its citation.
    pub target: CitationTarget,
    /// The document's title.
    pub title: String,
    /// Address at which to read it; may be empty.
    pub url: String,
}

/// Event of `run` while it works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[allow(clippy::large_enum_variant)] // A few dozen events a run; boxes would show in the type that crosses the boundary.
pub enum AgentEvent {
    /// Result of the search for the question itself, before the model was asked.
    Hits {
        /// The result.
        result: SearchResult,
    },
    /// The model is asked.
    Turn {
        /// The how-manieth time.
        number: u32,
        /// For what: `reason`, `plan`, `condense`, `final`, …
        purpose: String,
    },
    /// The next piece of its reply.
    Token {
        /// Text to append.
        text: String,
    },
    /// The answer streamed so far must be discarded.
    Anew,
    /// It calls a tool, or searches.
    Call {
        /// The tool.
        tool: String,
        /// Its argument.
        query: String,
    },
    /// Findings of a call.
    Evidence {
        /// The tool.
        tool: String,
        /// Its argument.
        query: String,
        /// The passages, numbered through the whole run.
        passages: Vec<Numbered>,
        /// Statements of the knowledge graph, where those were asked for.
        facts: Vec<String>,
        /// Reason why there are none, or a remark on the call.
        note: Option<String>,
    },
    /// There is a plan.
    Plan {
        /// As the model wrote it, or as plan lines.
        text: String,
        /// The plan as data; absent for the outlines in prose of some protocols, and for what could not be
        /// read.
        plan: Option<Plan>,
        /// Planner that made it; absent if the answering model did.
        by: Option<PlannedBy>,
        /// The planner's confidence, from 0 to 1, if it has one.
        confidence: Option<f32>,
        /// True if the plan is carried out for the model, not by the model itself.
        carried: bool,
    },
    /// A step of a plan was carried out.
    Step {
        /// The step with its result.
        text: String,
        /// Trace of its execution; absent if the model carried it out.
        step: Option<StepTrace>,
    },
    /// The passages that the answer may cite.
    References {
        /// The passages, by number.
        references: Vec<Reference>,
    },
    /// The run is over.
    Answer {
        /// Its answer, as the model gave it; empty when there is none.
        text: String,
        /// The budget that forced it, where one did.
        forced: Option<Cap>,
    },
    /// The answer with its citations checked.
    Done {
        /// The answer.
        answer: Answer,
    },
}

/// Maker of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum PlannedBy {
    /// The rules, without a model.
    Rules,
    /// The trained planner.
    Trained,
    /// The relation whose names come nearest to the question, by the model that embeds questions.
    Meaning,
    /// A language model.
    Llm,
    /// Whoever asked: the plan was given.
    Caller,
}

impl From<ChosenFrom> for PlannedBy {
    fn from(chosen: ChosenFrom) -> PlannedBy {
        match chosen {
            ChosenFrom::Rules => PlannedBy::Rules,
            ChosenFrom::Trained => PlannedBy::Trained,
            ChosenFrom::Meaning => PlannedBy::Meaning,
        }
    }
}

/// A call in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its argument.
    pub query: String,
    /// The numbers of the passages that it brought.
    pub passages: Vec<u32>,
    /// The statements of the knowledge graph that it brought.
    pub facts: Vec<String>,
    /// Reason why it brought none, or a remark on the call.
    pub note: Option<String>,
}

/// One reply of the model, and what it led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Turn {
    /// The how-manieth request.
    pub number: u32,
    /// For what.
    pub purpose: String,
    /// Text that the model wrote.
    pub text: String,
    /// Reason why the text was cut: `length`, `filter`, `time`, `loop` or `error`.
    pub cut: Option<String>,
    /// Searches that it caused.
    pub calls: Vec<Call>,
    /// Milliseconds that the reply took.
    pub milliseconds: u32,
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The answer as the model gave it; empty when there is none.
    pub text: String,
    /// The budget that forced it, where one did.
    pub forced: Option<Cap>,
    /// Reason why the answer's text was cut, as [`Turn::cut`].
    pub cut: Option<String>,
    /// The failure of the model that ended the run.
    pub error: Option<LlmError>,
    /// Reason why the model's answer is none, if so.
    pub no_answer: Option<NoAnswer>,
    /// Tokens: as the endpoint counted them, estimated where it did not.
    pub usage: Usage,
    /// True if a part of `usage` is estimated.
    pub estimated: bool,
    /// Every passage that was shown; number n is at n − 1.
    pub evidence: Vec<Evidence>,
    /// Every reply, in order.
    pub turns: Vec<Turn>,
    /// Remarks for the reader.
    pub warnings: Vec<Notice>,
}
