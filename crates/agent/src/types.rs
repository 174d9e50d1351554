//! What an agent tells while it works, and what it leaves behind. These types cross into JavaScript.

use super::environment::Evidence;
use crate::answer::{Answer, CitationTarget, NoAnswer, Notice, NoticeCode, Reference};
use crate::llm::{LlmError, Usage};
use crate::plan::Plan;
use crate::plan::trace::StepTrace;
use crate::planner::ChosenFrom;
use crate::retrieve::SearchResult;
use serde::{Deserialize, Serialize};

/// Which budget was spent when the model had to answer.
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
    /// What the reader is told.
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
    /// What a citation of it points at.
    pub target: CitationTarget,
    /// The document's title.
    pub title: String,
    /// Where to read it; may be empty.
    pub url: String,
}

/// What `run` tells while it works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[allow(clippy::large_enum_variant)] // A few dozen events a run; boxes would show in the type that crosses the boundary.
pub enum AgentEvent {
    /// What a search for the question itself found, before the model was asked.
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
    /// What was streamed of an answer so far is no part of it.
    Anew,
    /// It calls a tool, or searches.
    Call {
        /// The tool.
        tool: String,
        /// What it is given.
        query: String,
    },
    /// What a call brought.
    Evidence {
        /// The tool.
        tool: String,
        /// What it was given.
        query: String,
        /// The passages, numbered through the whole run.
        passages: Vec<Numbered>,
        /// Statements of the knowledge graph, where those were asked for.
        facts: Vec<String>,
        /// Why there is none, or what became of the call.
        note: Option<String>,
    },
    /// There is a plan.
    Plan {
        /// As the model wrote it, or as plan lines.
        text: String,
        /// The plan as data; absent for the outlines in prose of some protocols, and for what could not be read.
        plan: Option<Plan>,
        /// Who made it; absent where it is the model that answers.
        by: Option<PlannedBy>,
        /// How sure the planner is of it, from 0 to 1, where it says so.
        confidence: Option<f32>,
        /// Whether it is carried out for the model; else the model carries it out itself, as far as it keeps to it, or it could not be read.
        carried: bool,
    },
    /// A step of a plan was carried out.
    Step {
        /// What, and with what result.
        text: String,
        /// What its execution saw; absent where the model itself was the executor.
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

/// Who made a plan.
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
    /// What it was given.
    pub query: String,
    /// The numbers of the passages that it brought.
    pub passages: Vec<u32>,
    /// The statements of the knowledge graph that it brought.
    pub facts: Vec<String>,
    /// Why it brought none, or what became of it.
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
    /// What the model wrote.
    pub text: String,
    /// Why the text ends before its end, where it does: `length`, `filter`, `time`, `loop` or `error`.
    pub cut: Option<String>,
    /// What was looked for because of it.
    pub calls: Vec<Call>,
    /// How long the reply took.
    pub milliseconds: u32,
}

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The answer as the model gave it; empty when there is none.
    pub text: String,
    /// The budget that forced it, where one did.
    pub forced: Option<Cap>,
    /// Why the answer's text is cut, as [`Turn::cut`].
    pub cut: Option<String>,
    /// The failure of the model that ended the run.
    pub error: Option<LlmError>,
    /// Why what the model gave as its answer is none, where that is so.
    pub no_answer: Option<NoAnswer>,
    /// Tokens: as the endpoint counted them, estimated where it did not.
    pub usage: Usage,
    /// Whether some of `usage` is an estimate.
    pub estimated: bool,
    /// Every passage that was shown; number n is at n − 1.
    pub evidence: Vec<Evidence>,
    /// Every reply, in order.
    pub turns: Vec<Turn>,
    /// What a reader should know.
    pub warnings: Vec<Notice>,
}
