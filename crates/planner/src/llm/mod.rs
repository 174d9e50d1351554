//! The planner that asks a language model: a few examples, the graph's own words for its types and relations,
//! one reply, and one more with what was wrong where the reply is no plan that can be carried out.
//!
//! Whatever a model writes is read as a hostile text: cut to a size, read by the tolerant readers, checked,
//! and never executed here.

mod demonstrations;
mod prompt;

pub use demonstrations::{Demonstration, demonstrations};

use super::{Planner, PlannerError, Proposal};
use crate::kg::Linker;
use crate::plan::check::{self, check};
use crate::plan::{Head, Operation, Parsed, Plan, PlanError, json_form, lpkg, rft};
use futures::StreamExt;
use futures::future::{FutureExt, LocalBoxFuture};
use pocketgraph_llm::{ChatModel, ChatRequest, LlmError, Message, Prompts, Text, after_thinking};

/// No question is longer, in bytes.
const LONGEST: usize = 4096;
/// Bytes of a reply that are read: a plan of eight lines has a twentieth.
const MOST: usize = 32 << 10;
/// Bytes of thinking that are let pass without a word of the plan.
const MOST_THOUGHT: usize = 256 << 10;
/// Tokens of a reply.
const TOKENS: u32 = 1_024;
/// Confidence in a model's plan that passes the checks, before its heads are looked up.
const CHECKED: f32 = 0.5;
/// Loss of confidence in a plan that had to be mended.
const MENDED: f32 = 0.1;

/// The planner's texts.
pub const PROMPTS: &[&Text] = &[&prompt::LINES, &prompt::REPAIR];

/// Plans by a language model.
pub struct LlmPlanner<'a> {
    chat: &'a dyn ChatModel,
    linker: Option<&'a Linker>,
    prompts: Prompts,
    demonstrations: usize,
}

/// A model's plan, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Drafted {
    /// The plan, which has passed the static checks.
    pub plan: Plan,
    /// Trust in it, from 0 to 1: that it passes the checks, how many of its heads the graph knows, and
    /// whether it had to be mended.
    pub confidence: f32,
    /// Faults of the first draft; empty if it was right.
    pub faults: Vec<PlanError>,
}

impl<'a> LlmPlanner<'a> {
    /// A planner that asks `chat`. With a graph behind `linker`, the model is told the graph's words.
    pub fn new(chat: &'a dyn ChatModel, linker: Option<&'a Linker>) -> LlmPlanner<'a> {
        LlmPlanner { chat, linker, prompts: Prompts::default(), demonstrations: 0 }
    }

    /// The same planner with other texts: those named `plan.lines` and `plan.repair`.
    pub fn prompts(self, prompts: &Prompts) -> LlmPlanner<'a> {
        LlmPlanner { prompts: prompts.clone(), ..self }
    }

    /// The same planner with so many demonstrations drawn from the graph in its prompt, four at most.
    pub fn demonstrations(self, demonstrations: usize) -> LlmPlanner<'a> {
        LlmPlanner { demonstrations, ..self }
    }

    /// The model's plan of a question, mended once where the first draft cannot be carried out.
    ///
    /// # Errors
    /// [`PlannerError::TooLong`]; [`PlannerError::Model`] when the model fails, [`PlannerError::Unreadable`]
    /// when neither reply can be carried out, and [`PlannerError::Aborted`].
    pub async fn drafted(&self, question: &str) -> Result<Drafted, PlannerError> {
        if question.len() > LONGEST {
            return Err(PlannerError::TooLong { found: question.len(), limit: LONGEST });
        }
        let wanted = self.demonstrations;
        let shown = self
            .linker
            .filter(|_| wanted > 0)
            .map(|linker| demonstrations::demonstrations(linker, question, wanted));
        let mut messages = prompt::ask(question, self.linker, &self.prompts, &shown.unwrap_or_default());
        let mut faults: Vec<PlanError> = Vec::new();
        for mended in [false, true] {
            let reply = self.reply(messages.clone()).await?;
            let visible = after_thinking(&reply);
            match read_plan(visible) {
                Ok(plan) => {
                    let confidence = self.confidence(&plan) - if mended { MENDED } else { 0.0 };
                    let plan = Plan { question: Some(prompt::join_lines(question)), ..plan };
                    return Ok(Drafted { plan, confidence, faults });
                }
                Err(errors) if mended => {
                    return Err(PlannerError::Unreadable(
                        errors.first().map(ToString::to_string).unwrap_or_default(),
                    ));
                }
                Err(errors) => {
                    messages.push(Message::assistant(prompt::show_reply(visible)));
                    messages.push(Message::user(prompt::repair(&errors, &self.prompts)));
                    faults = errors;
                }
            }
        }
        // The loop's second round has returned.
        Err(PlannerError::Unreadable(String::new()))
    }

    /// Returns the model's reply, up to [`MOST`] bytes.
    async fn reply(&self, messages: Vec<Message>) -> Result<String, PlannerError> {
        let request = ChatRequest {
            messages,
            max_tokens: Some(TOKENS),
            temperature: Some(0.0),
            ..ChatRequest::default()
        };
        let failed = |error: LlmError| match error {
            LlmError::Aborted => PlannerError::Aborted,
            other => PlannerError::Model(other.to_string()),
        };
        let mut text = String::new();
        let mut thought = 0;
        let mut stream = self.chat.chat(request).await.map_err(failed)?;
        while let Some(item) = stream.next().await {
            match item {
                Ok(delta) => {
                    text.push_str(&delta.text);
                    // Empty pieces without end are a reply without end, too.
                    thought += delta.reasoning.len() + 1;
                }
                Err(LlmError::Aborted) => return Err(PlannerError::Aborted),
                // What a broken reply holds may be a whole plan.
                Err(_) if !text.trim().is_empty() => break,
                Err(error) => return Err(failed(error)),
            }
            if text.len() > MOST || thought > MOST_THOUGHT {
                break;
            }
        }
        text.truncate(text.floor_char_boundary(MOST));
        Ok(text)
    }

    /// Trust in a plan that has passed its checks.
    fn confidence(&self, plan: &Plan) -> f32 {
        let Some(linker) = self.linker else { return CHECKED };
        let (mut heads, mut known) = (0, 0);
        for statement in &plan.statements {
            if let Operation::SearchKg(search) = &statement.operation {
                let found = match &search.head {
                    Head::Mention(text) => !linker.link(text, 1).is_empty(),
                    Head::Entity(text) => !linker.exact(text).is_empty(),
                    Head::Reference(_) => continue,
                };
                heads += 1;
                known += usize::from(found);
            }
        }
        CHECKED + if heads == 0 { 0.0 } else { (1.0 - CHECKED) * known as f32 / heads as f32 }
    }
}

impl Planner for LlmPlanner<'_> {
    fn plan<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Proposal, PlannerError>> {
        async move {
            self.drafted(question).await.map(|Drafted { plan, confidence, .. }| Proposal { plan, confidence })
        }
        .boxed_local()
    }
}

/// Reads and checks plan lines; or a plan in another form, if only that one can be read.
fn read_plan(text: &str) -> Result<Plan, Vec<PlanError>> {
    let limits = check::Limits::default();
    let read =
        |parse: fn(&str, &check::Limits) -> Result<Parsed, PlanError>| -> Result<Plan, Vec<PlanError>> {
            let parsed = parse(text, &limits).map_err(|e| vec![e])?;
            check(&parsed.plan, &parsed.positions, &limits).map(|_| parsed.plan)
        };
    read(rft::parse)
        .or_else(|errors| read(lpkg::parse).or_else(|_| read(json_form::parse)).map_err(|_| errors))
}

#[cfg(test)]
mod tests;
