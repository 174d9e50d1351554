//! An answer that a model writes, checked.

use super::citations::CitationTracker;
use super::prompt::Prompt;
use super::{Answer, AnswerBy, AnswerError, AskEvent, AskOptions, CitationStatus, Outcome, Reference, reference, warn_of_missing};
use crate::compact::sort_unique;
use crate::llm::{ChatModel, ChatRequest, Completion, Finish, LlmError};
use crate::retrieve::{Hit, SearchResult};
use crate::text::fold;
use futures::StreamExt;

/// Sampling temperature of answers: close to the facts.
const TEMPERATURE: f32 = 0.1;
/// A model that writes more bytes than this for each token of its budget ignores the budget, and is stopped.
const BYTES_PER_TOKEN: usize = 16;

/// The answer of a language model, streamed as `references`, `token`… and `done` events.
///
/// When the model fails, `fallback` answers from the documents instead ([`extractive`](super::extractive), as a rule): the answer then says so in its warnings,
/// and what had been streamed is kept in [`Answer::partial`], because half a sentence without its citations is no answer. Without hits the
/// model is not asked at all.
///
/// # Errors
/// [`AnswerError::Aborted`] when the transport reports that the caller aborted.
pub async fn generate(
    question: &str,
    result: &SearchResult,
    options: &AskOptions,
    chat: &dyn ChatModel,
    count_tokens: &dyn Fn(&str) -> usize,
    fallback: &dyn Fn() -> Answer,
    events: &mut dyn FnMut(AskEvent),
) -> Result<Answer, AnswerError> {
    let prompt = match result.hits.is_empty() {
        true => Err(None),
        false => Prompt::new(question, result, options, count_tokens).map_err(|e| Some(format!("The language model was not asked: {e}."))),
    };
    let prompt = match prompt {
        Ok(prompt) => prompt,
        Err(why) => {
            let mut answer = fallback();
            answer.warnings.splice(0..0, why);
            events(AskEvent::References { references: answer.references.clone() });
            events(AskEvent::Done { answer: answer.clone() });
            return Ok(answer);
        }
    };
    let passages: Vec<(u32, &Hit)> = (1..).zip(prompt.passages.iter().filter_map(|&i| result.hits.get(i))).collect();
    let references: Vec<Reference> = passages.iter().map(|&(n, hit)| reference(n, hit)).collect();
    events(AskEvent::References { references: references.clone() });

    let request = ChatRequest {
        messages: prompt.messages,
        max_tokens: Some(options.tokens_out),
        temperature: Some(TEMPERATURE),
        ..ChatRequest::default()
    };
    let mut tracker = CitationTracker::new();
    let reply = stream(chat, request, options, &mut tracker, events).await;
    let text_is_blank = tracker.text().trim().is_empty();
    let failure = match &reply.error {
        Some(LlmError::Aborted) => return Err(AnswerError::Aborted),
        Some(error) => Some(format!("The language model failed ({}): {error}.", error.code())),
        None if text_is_blank => Some("The language model answered nothing.".to_owned()),
        None => None,
    };
    let mut answer = match failure {
        Some(why) => {
            let mut answer = fallback();
            answer.warnings.insert(0, format!("{why} This answer is quoted from the documents instead."));
            answer.partial = (!text_is_blank).then(|| tracker.text().to_owned());
            answer.usage = reply.usage;
            answer
        }
        None => written(&reply, &tracker, options, &passages, references, result),
    };
    if prompt.cut {
        answer.warnings.push("The best passage was cut to fit the token budget.".to_owned());
    }
    if prompt.left_out > 0 {
        answer.warnings.push(format!("{} of {} passages did not fit the token budget.", prompt.left_out, result.hits.len()));
    }
    events(AskEvent::Done { answer: answer.clone() });
    Ok(answer)
}

/// An answer that a model has written elsewhere, its citations resolved and checked against the numbered passages. Of `reply` its text, its end
/// and its tokens count; `result` tells what could not be loaded.
pub fn checked(reply: &Completion, options: &AskOptions, passages: &[(u32, &Hit)], result: &SearchResult) -> Answer {
    let mut tracker = CitationTracker::new();
    tracker.push(&reply.text);
    let references = passages.iter().map(|&(n, hit)| reference(n, hit)).collect();
    written(reply, &tracker, options, passages, references, result)
}

/// Streams a reply into the tracker and out as events. The text of the completion stays empty: the tracker has it.
async fn stream(
    chat: &dyn ChatModel,
    request: ChatRequest,
    options: &AskOptions,
    tracker: &mut CitationTracker,
    events: &mut dyn FnMut(AskEvent),
) -> Completion {
    let mut reply = Completion::default();
    let most = (options.tokens_out as usize).saturating_mul(BYTES_PER_TOKEN);
    let mut thinking = ThinkFilter::default();
    let mut stream = match chat.chat(request).await {
        Ok(stream) => stream,
        Err(error) => {
            reply.error = Some(error);
            return reply;
        }
    };
    while let Some(item) = stream.next().await {
        match item {
            Err(error) => {
                reply.error = Some(error);
                break;
            }
            Ok(mut delta) => {
                let text = thinking.push(&std::mem::take(&mut delta.text));
                reply.finish = delta.finish.or(reply.finish);
                reply.usage = delta.usage.or(reply.usage);
                if !text.is_empty() {
                    tracker.push(&text);
                    events(AskEvent::Token { text });
                }
                if tracker.text().len() > most || thinking.thought > most.saturating_mul(8) {
                    reply.finish = Some(Finish::Length);
                    break;
                }
            }
        }
    }
    let rest = thinking.finish();
    if !rest.is_empty() {
        tracker.push(&rest);
        events(AskEvent::Token { text: rest });
    }
    reply
}

/// The answer that a model has written to its end.
fn written(
    reply: &Completion,
    tracker: &CitationTracker,
    options: &AskOptions,
    passages: &[(u32, &Hit)],
    references: Vec<Reference>,
    result: &SearchResult,
) -> Answer {
    let (citations, more) = tracker.check(passages);
    let answered = !opens_with(tracker.text(), options.not_said());
    let mut warnings = Vec::new();
    let truncated = match reply.finish {
        Some(Finish::Length) => Some(("length", "The answer was cut at its token budget.")),
        Some(Finish::Filtered) => Some(("filter", "The endpoint's content filter cut the answer.")),
        _ => None,
    };
    warnings.extend(truncated.map(|(_, warning)| warning.to_owned()));
    let mut dangling: Vec<u32> = citations.iter().filter(|c| c.status == CitationStatus::Dangling).map(|c| c.number).collect();
    sort_unique(&mut dangling);
    if let Some(first) = dangling.first() {
        let others = match dangling.len() - 1 {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        warnings.push(format!("The answer cites passages that do not exist: [{first}]{others}."));
    }
    if answered && citations.iter().all(|c| c.status == CitationStatus::Dangling) {
        warnings.push("The answer cites no passage: nothing in it could be checked.".to_owned());
    }
    if more {
        warnings.push("The answer holds too many citations; the last ones were not checked.".to_owned());
    }
    warn_of_missing(result, &mut warnings);
    Answer {
        text: tracker.text().to_owned(),
        answered,
        outcome: if answered { Outcome::Answer } else { Outcome::NotSaid },
        blocks: Vec::new(),
        by: AnswerBy::Llm,
        citations,
        references,
        truncated: truncated.map(|(why, _)| why.to_owned()),
        partial: None,
        usage: reply.usage,
        warnings,
    }
}

/// Whether a text begins with a sentence, whatever its case, punctuation and spacing.
fn opens_with(text: &str, sentence: &str) -> bool {
    let letters = |s: &str| fold(s).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let beginning: String = text.chars().take(sentence.chars().count() * 2 + 40).collect();
    letters(&beginning).starts_with(&letters(sentence))
}

/// Cuts out the thinking that some local models write before their answer, between `<think>` and `</think>`.
#[derive(Debug, Default)]
struct ThinkFilter {
    state: Think,
    held: String,
    thought: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Think {
    #[default]
    Start,
    Inside,
    Over,
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

impl ThinkFilter {
    fn push(&mut self, text: &str) -> String {
        if self.state == Think::Over {
            return text.to_owned();
        }
        self.held.push_str(text);
        if self.state == Think::Start {
            let trimmed = self.held.trim_start();
            if let Some(inside) = trimmed.strip_prefix(OPEN) {
                self.held = inside.to_owned();
                self.state = Think::Inside;
            } else if !OPEN.starts_with(trimmed) {
                self.state = Think::Over;
                return std::mem::take(&mut self.held);
            }
        }
        if self.state == Think::Inside {
            if let Some(at) = self.held.find(CLOSE) {
                self.state = Think::Over;
                let answer = self.held[at + CLOSE.len()..].trim_start().to_owned();
                self.held.clear();
                return answer;
            }
            // Only a tail that could begin the closing tag is worth keeping.
            let keep = self.held.floor_char_boundary(self.held.len().saturating_sub(CLOSE.len()));
            self.thought += keep;
            self.held.drain(..keep);
        }
        String::new()
    }

    /// What was held back in case it would become a tag, and did not.
    fn finish(&mut self) -> String {
        if self.state == Think::Start { std::mem::take(&mut self.held) } else { String::new() }
    }
}

#[cfg(test)]
#[path = "generate_tests.rs"]
mod tests;
