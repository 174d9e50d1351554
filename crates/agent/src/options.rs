//! How an agent works: its protocol's defaults, and what a caller changes of them.

use crate::answer::AskOptions;
use crate::llm::Prompts;
use crate::retrieve::Filter;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The name of the prompt of a plain answer.
const ASK_PROMPT: &str = "ask.task";

/// Way to continue the text of a turn after evidence, for protocols that were designed as one growing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Continuation {
    /// Evidence comes as a message of the user, and the model begins a new turn. Works everywhere.
    #[default]
    Turns,
    /// The text so far is sent as the last message of the assistant, which the endpoint continues.
    Prefix,
    /// As `prefix`, with the members `continue_final_message` and `add_generation_prompt` that vLLM and its
    /// kin want.
    ContinueFinalMessage,
}

/// Way in which Search-o1 shortens passages before they enter the chain of thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Condense {
    /// The model reads them in a request of its own: the paper's reason-in-documents.
    #[default]
    Model,
    /// The sentences that share most words with the query are picked, without a request.
    Sentences,
    /// They enter as they are.
    None,
}

/// Verdict on which GraphSearch searches again after its first draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Polarity {
    /// The verifier's last word is No: the evidence does not suffice.
    #[default]
    OnNo,
    /// The verdict contains "yes" anywhere, as in the authors' code: for reproducing their figures.
    OnYes,
}

/// Way to estimate the size of a task before tool calling begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Analysis {
    /// By the form of the question, without a request.
    #[default]
    Rules,
    /// By the model, in a request of its own, as RAGFlow's agent did.
    Model,
    /// Not at all: the task may be completed at any time.
    None,
}

/// Planner of a plan that is carried out for the model or without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum PlannerChoice {
    /// The rules; where they are not sure, also the relation nearest in meaning, if the model that embeds
    /// questions is there, and the trained planner, if the bundle brings one; where no plan is sure and there
    /// is a language model, the language model.
    #[default]
    Auto,
    /// The rules alone.
    Rules,
    /// The trained planner, and the others where it is unsure or not there.
    Trained,
    /// The language model, and the rules where it gives no plan that can be carried out.
    Llm,
}

/// Options of a run. An absent option has the protocol's own value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct AgentOptions {
    /// Number of passages that a search brings.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub k: Option<u32>,
    /// The most turns of the model before it must answer.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub turns: Option<u32>,
    /// The most searches.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub searches: Option<u32>,
    /// The most tokens of the whole run, read and written, before the model must answer.
    #[serde(rename = "maxTokens")]
    pub tokens: u32,
    /// The most tokens of one prompt: the oldest evidence is left out of a longer one.
    #[serde(rename = "maxInputTokens")]
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub tokens_in: Option<u32>,
    /// The most tokens of one reply.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(rename = "maxOutputTokens")]
    pub tokens_out: Option<u32>,
    /// A plain answer, and that of a plan: ask the model to leave out telephone numbers, addresses and the
    /// like.
    pub hide_contacts: bool,
    /// The most tokens of what one search brings into the conversation.
    #[serde(rename = "maxEvidenceTokens")]
    pub tokens_evidence: u32,
    /// The most milliseconds before the model must answer. The answer itself is given a quarter of that on
    /// top.
    #[serde(rename = "timeLimitMs")]
    pub milliseconds: u32,
    /// Sampling temperature.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub temperature: Option<f32>,
    /// Way to continue a turn after evidence.
    pub continuation: Continuation,
    /// Add our rules to the protocol's task: cite passages by number, use only them, and say so when they do
    /// not suffice. Off, the prompt is the bare protocol's, as measurements of it want.
    pub grounded: bool,
    /// The retriever by name; the bundle's default when absent.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub retriever: Option<String>,
    /// Documents that are searched; all if absent.
    pub filter: Arc<Filter>,
    /// The reader's language, as `de`, of pages that there are in several; that of the best passage when
    /// absent.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reader_language: Option<String>,
    /// The version of the page that the reader is on, or its address.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reader_version: Option<String>,
    /// The language to answer in, as its name ("German"); the question's when absent.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub language: Option<String>,
    /// The sentence that says that the documents do not say.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub no_answer_text: Option<String>,
    /// Search-o1: how passages are made short.
    pub condense: Condense,
    /// GraphSearch: when it searches again.
    pub polarity: Polarity,
    /// Graph-RFT: the web, or its stand-in, may be searched only where the graph had nothing.
    pub coverage: bool,
    /// Graph-RFT: the model's plan is carried out at once, rather than by its own searches one by one.
    pub execute_plan: bool,
    /// Plan: who plans.
    pub planner: PlannerChoice,
    /// Plan: minimum probability, from 0 to 1, that a plan is right; default the fitted one.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub least_confidence: Option<f32>,
    /// Plan: number of demonstrations from the bundle's graph for a language model that plans; at most four.
    pub demonstrations: u32,
    /// LPKG: how many replies vote on each sub-question.
    pub votes: u32,
    /// Tool calling: use the endpoint's own tool calls rather than JSON in the text.
    pub native_tools: bool,
    /// Tool calling: how the task is sized before.
    pub analysis: Analysis,
    /// Tool calling: today's date, told to the model where given.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub today: Option<String>,
    /// Texts in the stead of ours, as [`replace_texts`](crate::replace_texts) reads them.
    #[serde(skip)]
    pub prompts: Prompts,
}

impl Default for AgentOptions {
    fn default() -> Self {
        AgentOptions {
            k: None,
            turns: None,
            searches: None,
            tokens: 200_000,
            tokens_in: None,
            tokens_out: None,
            hide_contacts: true,
            tokens_evidence: 2_000,
            milliseconds: 300_000,
            temperature: None,
            continuation: Continuation::default(),
            grounded: true,
            retriever: None,
            filter: Arc::default(),
            reader_language: None,
            reader_version: None,
            language: None,
            no_answer_text: None,
            condense: Condense::default(),
            polarity: Polarity::default(),
            coverage: true,
            execute_plan: false,
            planner: PlannerChoice::default(),
            least_confidence: None,
            demonstrations: 0,
            votes: 1,
            native_tools: false,
            analysis: Analysis::default(),
            today: None,
            prompts: Prompts::default(),
        }
    }
}

impl AgentOptions {
    /// The caller's task of a plain answer, where there is one.
    pub fn task(&self) -> Option<String> {
        self.prompts.override_of(ASK_PROMPT).map(str::to_owned)
    }

    /// Returns the most tokens of a protocol's prompt. It grows from turn to turn, and so is longer than a
    /// plain one.
    pub fn prompt_tokens(&self) -> u32 {
        self.tokens_in.unwrap_or(24_000)
    }

    /// Returns the same options for a plain answer.
    pub fn for_plain_answer(&self) -> AskOptions {
        let default = AskOptions::default();
        AskOptions {
            k: self.k,
            retriever: self.retriever.clone(),
            filter: self.filter.clone(),
            tokens_in: self.tokens_in.unwrap_or(default.tokens_in),
            tokens_out: self.tokens_out.unwrap_or(default.tokens_out),
            milliseconds: self.milliseconds,
            language: self.language.clone(),
            reader_language: self.reader_language.clone(),
            reader_version: self.reader_version.clone(),
            hide_contacts: self.hide_contacts,
            no_answer_text: self.no_answer_text.clone(),
            task: self.task(),
        }
    }
}

/// A protocol's own numbers, used where the options are silent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Turns of the model before it must answer.
    pub turns: u32,
    /// Searches.
    pub searches: u32,
    /// Passages a search.
    pub k: u32,
    /// Tokens of one reply.
    pub tokens_out: u32,
    /// Sampling temperature.
    pub temperature: f32,
}

impl Limits {
    /// Limits of a run: the options', otherwise the protocol's; at most 1,000 turns or searches, and 100
    /// passages.
    pub fn with(self, options: &AgentOptions) -> Limits {
        Limits {
            turns: options.turns.unwrap_or(self.turns).clamp(1, 1_000),
            searches: options.searches.unwrap_or(self.searches).min(1_000),
            k: options.k.unwrap_or(self.k).clamp(1, 100),
            tokens_out: options.tokens_out.unwrap_or(self.tokens_out).max(1),
            temperature: options.temperature.unwrap_or(self.temperature),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_win_over_a_protocols_numbers_within_reason() {
        let own = Limits { turns: 4, searches: 4, k: 3, tokens_out: 500, temperature: 1.0 };
        assert_eq!(own.with(&AgentOptions::default()), own);
        let options =
            AgentOptions { turns: Some(0), searches: Some(u32::MAX), k: Some(7), ..AgentOptions::default() };
        assert_eq!(own.with(&options), Limits { turns: 1, searches: 1_000, k: 7, ..own });
    }
}
