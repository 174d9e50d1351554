//! An answer that a model writes, checked.

use super::citations::check_citations;
use super::floor::{NoAnswer, no_answer, opens_with};
use super::prompt::Prompt;
use super::quotation::with_quotation;
use super::support::{SupportedReply, find_support};
use super::written::ModelReply;
use super::{
    Answer, AnswerBy, AskEvent, AskOptions, Citable, CitationStatus, ModelFailure, Notice, NoticeCode,
    Outcome, Reference, warn_of_missing,
};
use crate::compact::sort_unique;
use crate::llm::{
    COMPLETE_REPLY, ChatModel, ChatRequest, Completion, Finish, LlmError, Message, ThoughtFilter, Usage,
};
use crate::repetition::{LOOP_STEP, is_loop};
use crate::retrieve::SearchResult;
use futures::StreamExt;

/// Sampling temperature of answers: close to the facts.
const TEMPERATURE: f32 = 0.1;
/// A model that writes more bytes than this for each token of its budget ignores the budget, and is stopped.
const BYTES_PER_TOKEN: usize = 16;
/// Thinking may be this many times as long as the answer's budget.
const THINKING: usize = 8;
/// A context window that is too small is met with half of the prompt, so many times.
const HALVINGS: u32 = 3;
/// A prompt of at least so many tokens is compared with what the endpoint says that it read.
const LONG_PROMPT: usize = 1_500;
/// Maximum number of marks without a passage that warnings name.
const DANGLING: usize = 5;
/// Request to a model whose reply the passages contradict.
const ONCE_MORE: &str = "The passages contradict a sentence of that answer. Compare it with them and answer \
                         once more, in one or two sentences, each with the \
                         number of its passage behind it in square brackets.";

/// The answer of a language model from `sources`, streamed as `references`, `token`… and `done` events.
///
/// A reply that the passages contradict is asked for once more. When the model fails, or its reply is no
/// answer (see [`NoAnswer`]), `fallback` answers from the documents instead
/// ([`quote_answer`](super::quote_answer), as a rule): the answer then says so in [`Answer::failure`] and its
/// warnings, and what had been streamed is kept in [`Answer::partial`], because half a sentence without its
/// citations is no answer. Where the model's answer does not hold all that `fallback` says, that stands
/// beneath it as [`Answer::quotation`]. Without sources the model is not asked at all. `result` has the
/// keywords of the question, and tells what could not be loaded.
///
/// # Errors
/// [`LlmError::Aborted`] when the transport reports that the caller aborted.
#[allow(clippy::too_many_arguments)]
pub async fn generate_answer(
    question: &str,
    sources: &[Citable],
    result: &SearchResult,
    options: &AskOptions,
    chat: &dyn ChatModel,
    count_tokens: &dyn Fn(&str) -> usize,
    fallback: &dyn Fn() -> Answer,
    events: &mut dyn FnMut(AskEvent),
) -> Result<Answer, LlmError> {
    let asking = Asking { question, sources, result, options, chat, count_tokens };
    let answer = match asking.ask(events).await? {
        GenerationOutcome::Not(why) => {
            let mut answer = fallback();
            answer.warnings.splice(0..0, why);
            events(AskEvent::References { references: answer.references.clone() });
            answer
        }
        GenerationOutcome::Failed { failure, partial, usage, warnings } => {
            let mut answer = fallback();
            answer.warnings.insert(0, quoted_because(&failure));
            answer.warnings.extend(warnings);
            answer.partial = Some(partial).filter(|text| !text.trim().is_empty());
            answer.failure = Some(failure);
            answer.usage = usage;
            answer
        }
        GenerationOutcome::Answered(answer) => with_quotation(*answer, &fallback(), question),
    };
    events(AskEvent::Done { answer: answer.clone() });
    Ok(answer)
}

enum GenerationOutcome {
    /// The model was not asked, and why, where that is worth telling.
    Not(Option<Notice>),
    Failed {
        failure: ModelFailure,
        partial: String,
        usage: Option<Usage>,
        warnings: Vec<Notice>,
    },
    Answered(Box<Answer>),
}

/// Returns an endpoint's failure for the reader.
pub fn failed(error: &LlmError) -> ModelFailure {
    let status = match error {
        LlmError::Http { status, .. } => *status,
        LlmError::Refused { status, .. } => Some(*status),
        LlmError::RateLimit { .. } => Some(429),
        _ => None,
    };
    ModelFailure { code: error.code().to_owned(), message: error.to_string(), status }
}

/// The notice over a quotation that a model's failure led to.
pub fn quoted_because(failure: &ModelFailure) -> Notice {
    Notice::about(NoticeCode::Quoted, why(failure))
}

/// The notice over an answer of the knowledge graph that a model's failure led to.
pub fn from_graph_because(failure: &ModelFailure) -> Notice {
    Notice::about(NoticeCode::FromGraph, why(failure))
}

/// A failure as a sentence.
fn why(failure: &ModelFailure) -> String {
    match failure.is_no_answer() {
        true => failure.message.clone(),
        false => format!("The language model failed ({}): {}.", failure.code, failure.message),
    }
}

/// Returns the failure of a reply that is no answer.
pub fn gave_none(why: NoAnswer) -> ModelFailure {
    ModelFailure {
        code: ModelFailure::NO_ANSWER.to_owned(),
        message: why.describe().to_owned(),
        status: None,
    }
}

/// The question for a model, and the sources for its answer.
struct Asking<'a> {
    question: &'a str,
    sources: &'a [Citable],
    result: &'a SearchResult,
    options: &'a AskOptions,
    chat: &'a dyn ChatModel,
    count_tokens: &'a dyn Fn(&str) -> usize,
}

/// A reply read to its end.
struct WholeReply {
    reply: Completion,
    cut: Option<&'static str>,
    thought: bool,
}

impl Asking<'_> {
    fn prompt(&self, tokens_in: u32) -> Result<Prompt, Option<Notice>> {
        if self.sources.is_empty() {
            return Err(None);
        }
        let options = AskOptions { tokens_in, ..self.options.clone() };
        Prompt::new(self.question, self.sources, &self.result.keywords, &options, self.count_tokens)
            .map_err(|e| Some(Notice::about(NoticeCode::NotAsked, e.to_string())))
    }

    fn passages(&self, prompt: &Prompt) -> Vec<(u32, &Citable)> {
        (1..).zip(prompt.passages.iter().filter_map(|&i| self.sources.get(i))).collect()
    }

    async fn ask(&self, events: &mut dyn FnMut(AskEvent)) -> Result<GenerationOutcome, LlmError> {
        let mut tokens_in = self.options.tokens_in;
        let mut prompt = match self.prompt(tokens_in) {
            Ok(prompt) => prompt,
            Err(why) => return Ok(GenerationOutcome::Not(why)),
        };
        let mut warnings = Vec::new();
        let mut read = self.reply(&prompt, None, events).await?;
        for _ in 0..HALVINGS {
            let Some(LlmError::Context { .. }) = &read.reply.error else { break };
            tokens_in = u32::try_from(prompt.tokens).unwrap_or(tokens_in).min(tokens_in) / 2;
            let Ok(shorter) = self.prompt(tokens_in) else { break };
            prompt = shorter;
            read = self.reply(&prompt, None, events).await?;
        }
        if tokens_in < self.options.tokens_in && read.reply.error.is_none() {
            warnings.push(Notice::new(NoticeCode::FewerPassages));
        }
        let mut usage = read.reply.usage;
        let mut why = self.verdict(&read, &prompt);
        // Time that is used up is not given twice.
        if why == Some(NoAnswer::Contradicted) && read.cut != Some("time") {
            events(AskEvent::Anew);
            read = self.reply(&prompt, Some(&read.reply.text), events).await?;
            usage = add_usage(usage, read.reply.usage);
            why = self.verdict(&read, &prompt);
        }
        if let Some(read) =
            usage.filter(|u| prompt.tokens > LONG_PROMPT && (u.prompt_tokens as usize) < prompt.tokens / 2)
        {
            warnings.push(Notice::counted(
                NoticeCode::ReadInPart,
                read.prompt_tokens as usize,
                prompt.tokens,
            ));
        }
        if prompt.cut {
            warnings.push(Notice::new(NoticeCode::PassageCut));
        }
        if prompt.left_out > 0 {
            warnings.push(Notice::counted(NoticeCode::PassagesLeftOut, prompt.left_out, self.sources.len()));
        }
        let failure = match (&read.reply.error, why) {
            (Some(error), Some(_)) => Some(failed(error)),
            (_, Some(NoAnswer::Silence)) if read.cut == Some("length") || read.thought => {
                Some(gave_none(NoAnswer::Thought))
            }
            (_, Some(why)) => Some(gave_none(why)),
            (_, None) => None,
        };
        if let Some(failure) = failure {
            return Ok(GenerationOutcome::Failed { failure, partial: read.reply.text, usage, warnings });
        }
        let reply = Completion { usage, ..read.reply };
        let mut answer = check_reply(&reply, read.cut, self.options, &self.passages(&prompt), self.result);
        answer.warnings.extend(warnings);
        Ok(GenerationOutcome::Answered(Box::new(answer)))
    }

    /// One reply. `refused` is the one before it, which was no answer.
    async fn reply(
        &self,
        prompt: &Prompt,
        refused: Option<&str>,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<WholeReply, LlmError> {
        if refused.is_none() {
            events(AskEvent::References { references: references(&self.passages(prompt)) });
        }
        let mut messages = prompt.messages.clone();
        if let Some(refused) = refused {
            // Templates want the roles in turn, and none empty.
            let refused_reply = if refused.trim().is_empty() { "…" } else { refused.trim() };
            messages.push(Message::assistant(refused_reply));
            messages.push(Message::user(ONCE_MORE));
        }
        let request = ChatRequest {
            messages,
            max_tokens: Some(self.options.tokens_out),
            temperature: Some(TEMPERATURE),
            within_ms: Some(self.options.milliseconds),
            ..ChatRequest::default()
        };
        let read = stream_reply(self.chat, request, self.options, events).await;
        if read.reply.error == Some(LlmError::Aborted) { Err(LlmError::Aborted) } else { Ok(read) }
    }

    /// Returns the reason why a reply is no answer; `Silence` if it broke off.
    fn verdict(&self, read: &WholeReply, prompt: &Prompt) -> Option<NoAnswer> {
        if read.reply.error.is_some() {
            return Some(NoAnswer::Silence);
        }
        let prompts: Vec<String> =
            prompt.messages.iter().map(|m| m.content.clone()).chain([ONCE_MORE.to_owned()]).collect();
        no_answer(&ModelReply {
            text: &read.reply.text,
            cut: read.cut.is_some(),
            prompts: &prompts,
            question: self.question,
            passages: &self.passages(prompt),
            facts: &[],
            must_cite: true,
            no_answer_text: self.options.no_answer_text(),
        })
    }
}

/// The passages of the bundle among what is cited: what is from elsewhere cannot be opened by its number.
fn references(passages: &[(u32, &Citable)]) -> Vec<Reference> {
    passages.iter().filter_map(|&(number, source)| source.reference(number)).collect()
}

fn add_usage(a: Option<Usage>, b: Option<Usage>) -> Option<Usage> {
    let Some((a, b)) = a.zip(b) else { return a.or(b) };
    Some(Usage {
        prompt_tokens: a.prompt_tokens.saturating_add(b.prompt_tokens),
        completion_tokens: a.completion_tokens.saturating_add(b.completion_tokens),
    })
}

/// An answer that a model has written elsewhere, its citations resolved and checked against the numbered
/// passages. Of `reply` its text and its tokens count; `cut` says why its text ends before its end, as
/// [`Answer::truncated`]; `result` tells what could not be loaded.
pub fn check_reply(
    reply: &Completion,
    cut: Option<&str>,
    options: &AskOptions,
    passages: &[(u32, &Citable)],
    result: &SearchResult,
) -> Answer {
    let answered = !opens_with(&reply.text, options.no_answer_text());
    let supported = match answered {
        true => find_support(&reply.text, passages),
        false => SupportedReply { text: reply.text.clone(), sentences: Vec::new() },
    };
    let (citations, more) = check_citations(&supported.text, passages);
    let mut warnings = Vec::from_iter(cut.map(of_cut));
    let mut dangling: Vec<u32> =
        citations.iter().filter(|c| c.status == CitationStatus::Dangling).map(|c| c.number).collect();
    sort_unique(&mut dangling);
    if !dangling.is_empty() {
        let mut named: Vec<String> =
            dangling.iter().take(DANGLING).map(|number| format!("[{number}]")).collect();
        named.extend((dangling.len() > DANGLING).then(|| "…".to_owned()));
        warnings.push(Notice::about(NoticeCode::Dangling, named.join(", ")));
    }
    if answered && citations.iter().all(|c| c.status == CitationStatus::Dangling) {
        warnings.push(Notice::new(NoticeCode::Uncited));
    }
    if more {
        warnings.push(Notice::new(NoticeCode::Unchecked));
    }
    warn_of_missing(result, &mut warnings);
    Answer {
        text: supported.text,
        answered,
        outcome: if answered { Outcome::Answer } else { Outcome::NoAnswer },
        by: AnswerBy::Llm,
        citations,
        sentences: supported.sentences,
        references: references(passages),
        truncated: cut.map(str::to_owned),
        usage: reply.usage,
        warnings,
        ..Answer::default()
    }
}

/// Streams a reply out as events.
async fn stream_reply(
    chat: &dyn ChatModel,
    request: ChatRequest,
    options: &AskOptions,
    events: &mut dyn FnMut(AskEvent),
) -> WholeReply {
    let mut read = WholeReply { reply: Completion::default(), cut: None, thought: false };
    let most = (options.tokens_out as usize).saturating_mul(BYTES_PER_TOKEN);
    let mut thoughts = ThoughtFilter::default();
    let mut apart = 0_usize;
    let mut next_look = LOOP_STEP;
    let mut stream = match chat.chat(request).await {
        Ok(stream) => stream,
        Err(error) => {
            read.reply.error = Some(error);
            return read;
        }
    };
    while let Some(item) = stream.next().await {
        let delta = match item {
            Ok(delta) => delta,
            // The reply's own time, not a silence of the endpoint.
            Err(LlmError::Timeout { what: COMPLETE_REPLY, .. }) if !read.reply.text.trim().is_empty() => {
                read.cut = Some("time");
                break;
            }
            Err(error) => {
                read.reply.error = Some(error);
                break;
            }
        };
        apart += delta.reasoning.len();
        read.reply.finish = delta.finish.or(read.reply.finish);
        read.reply.usage = delta.usage.or(read.reply.usage);
        let visible = thoughts.push(&delta.text);
        if visible.anew {
            read.reply.text.clear();
            events(AskEvent::Anew);
        }
        show_text(visible.text, &mut read.reply.text, events);
        let length = read.reply.text.len();
        if length > most || apart + thoughts.thought() > most.saturating_mul(THINKING) {
            read.reply.finish = Some(Finish::Length);
            break;
        }
        if length >= next_look {
            next_look = length + LOOP_STEP;
            if is_loop(read.reply.text.as_bytes()) {
                break;
            }
        }
    }
    show_text(thoughts.finish(), &mut read.reply.text, events);
    read.thought = apart + thoughts.thought() > 0;
    read.cut = read.cut.or(match read.reply.finish {
        Some(Finish::Length) => Some("length"),
        Some(Finish::Filtered) => Some("filter"),
        _ => None,
    });
    read
}

fn show_text(text: String, shown: &mut String, events: &mut dyn FnMut(AskEvent)) {
    if !text.is_empty() {
        shown.push_str(&text);
        events(AskEvent::Token { text });
    }
}

/// Returns the notice of a cut for the reader.
fn of_cut(why: &str) -> Notice {
    Notice::new(match why {
        "filter" => NoticeCode::CutFilter,
        "time" => NoticeCode::CutTime,
        "loop" => NoticeCode::CutLoop,
        _ => NoticeCode::CutLength,
    })
}

#[cfg(test)]
#[path = "generate_tests.rs"]
mod tests;
