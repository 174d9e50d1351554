//! Putting an answer together: quoted from the hits, or written by a model and checked.

use super::block::shown_text;
use super::citations::{CitationTracker, reference, span};
use super::extract::{Candidate, Choice, Sureness};
use super::prompt::Prompt;
use super::types::{Answer, AnswerBlock, AnswerBy, AskEvent, AskOptions, BlockForm, CLOSEST, Citation, CitationStatus, Outcome, Reference};
use crate::bundle::Form;
use crate::compact::sort_unique;
use crate::llm::{ChatModel, ChatRequest, Completion, Finish, LlmError};
use crate::retrieve::{Hit, SearchResult};
use crate::text::fold;
use futures::StreamExt;

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
}

impl AnswerError {
    /// A stable name for programs: `aborted`.
    pub fn code(&self) -> &'static str {
        match self {
            AnswerError::Aborted => "aborted",
        }
    }
}

/// Sampling temperature of answers: close to the facts.
const TEMPERATURE: f32 = 0.1;
/// A model that writes more bytes than this for each token of its budget ignores the budget, and is stopped.
const BYTES_PER_TOKEN: usize = 16;

/// The answer without a language model: the block of the hits that answers best, quoted and cited; or the closest passage, shown as that; or the statement
/// that the documents do not say. `found` is what [`candidates`](super::candidates) listed for these hits, and `choice` what was made of it.
pub fn extractive(result: &SearchResult, options: &AskOptions, found: &[Candidate], choice: &Choice) -> Answer {
    let mut answer = Answer {
        text: String::new(),
        answered: choice.sureness == Sureness::Stated,
        outcome: match choice.sureness {
            Sureness::Stated => Outcome::Answer,
            Sureness::Closest => Outcome::Closest,
            Sureness::Silent => Outcome::NotSaid,
        },
        blocks: Vec::new(),
        by: AnswerBy::Extraction,
        citations: Vec::new(),
        references: Vec::new(),
        truncated: None,
        partial: None,
        usage: None,
        warnings: Vec::new(),
    };
    if !answer.answered {
        answer.text = options.not_said().to_owned();
    }
    if answer.outcome == Outcome::Closest {
        answer.text.push(' ');
        answer.text.push_str(CLOSEST);
    }
    for candidate in choice.picked.iter().filter_map(|&i| found.get(i)) {
        if let Some(hit) = result.hits.get(candidate.hit) {
            quote(&mut answer, candidate, hit);
        }
    }
    if !choice.absent.is_empty() && !result.hits.is_empty() {
        let quoted: Vec<String> = choice.absent.iter().map(|w| format!("“{w}”")).collect();
        answer.warnings.push(format!("No passage that was found mentions {}.", quoted.join(", ")));
    }
    warn_of_missing(result, &mut answer.warnings);
    answer
}

/// Appends a candidate's blocks to an answer, and its citation behind them.
fn quote(answer: &mut Answer, candidate: &Candidate, hit: &Hit) {
    let number = match answer.references.iter().find(|r| r.chunk == hit.chunk) {
        Some(known) => known.number,
        None => {
            let number = answer.references.len() as u32 + 1;
            answer.references.push(reference(number, hit));
            number
        }
    };
    let mut blocks = blocks_of(candidate, hit, answer.citations.len() as u32);
    if let Some(last) = blocks.last_mut() {
        last.more = candidate.more;
    }
    let mut start = answer.text.len();
    for block in &blocks {
        if !answer.text.is_empty() {
            answer.text.push('\n');
        }
        write(&mut answer.text, block);
        if block.form == BlockForm::Text {
            start = mark(&mut answer.text, number);
        }
    }
    // A quotation without a sentence has its mark on a line of its own.
    if blocks.iter().all(|b| b.form != BlockForm::Text) {
        answer.text.push('\n');
        start = mark(&mut answer.text, number);
    }
    let covered = candidate.span();
    let end = answer.text[start..].find(']').map_or(start, |i| start + i + 1);
    answer.citations.push(Citation {
        number,
        chunk: Some(hit.chunk),
        title: hit.title.clone(),
        heading_path: hit.heading_path.clone(),
        url: hit.url.clone(),
        quote: hit.text.get(covered.clone()).unwrap_or("").to_owned(),
        span: span(&covered),
        at: span(&(start..end)),
        status: CitationStatus::Verified,
    });
    answer.blocks.append(&mut blocks);
}

/// Appends the mark of a citation; where it begins.
fn mark(text: &mut String, number: u32) -> usize {
    if !text.ends_with('\n') {
        text.push(' ');
    }
    let start = text.len();
    text.push_str(&format!("[{number}]"));
    start
}

/// A block as plain text: sentences in quotation marks, code between fences, items with their marks.
fn write(out: &mut String, block: &AnswerBlock) {
    match block.form {
        BlockForm::Heading => {
            out.push_str(&block.text);
            out.push(':');
        }
        BlockForm::Text => {
            out.push('“');
            out.push_str(&block.text);
            out.push('”');
        }
        BlockForm::Code => {
            out.push_str("```");
            out.push_str(&block.language);
            out.push('\n');
            out.push_str(&block.text);
            out.push_str("\n```");
        }
        BlockForm::List | BlockForm::Table => out.push_str(&block.text),
    }
}

/// What a candidate shows, by form: items in a row are one list, rows one table.
fn blocks_of(candidate: &Candidate, hit: &Hit, citation: u32) -> Vec<AnswerBlock> {
    let mut out: Vec<AnswerBlock> = Vec::new();
    for (i, shown) in candidate.shown.iter().enumerate() {
        let mut text = shown_text(&hit.text, shown);
        let form = match shown.form {
            Form::Heading | Form::Term => BlockForm::Heading,
            Form::Text if candidate.shown.len() > 1 && i == 0 && !ends_sentence(&text) => BlockForm::Heading,
            Form::Text | Form::Quote => BlockForm::Text,
            Form::Item => BlockForm::List,
            Form::Code => BlockForm::Code,
            Form::Table => BlockForm::Table,
        };
        if form == BlockForm::List {
            let mark = if shown.note.is_empty() { "-" } else { shown.note.as_str() };
            text = format!("{mark} {text}");
        }
        let joins = matches!(form, BlockForm::List | BlockForm::Table);
        match out.last_mut().filter(|last| joins && last.form == form) {
            Some(last) => {
                last.text.push('\n');
                last.text.push_str(&text);
                last.span.end = shown.span.end as u32;
            }
            None => {
                let language = if form == BlockForm::Code { shown.note.clone() } else { String::new() };
                out.push(AnswerBlock { form, text, language, citation, span: span(&shown.span), more: false });
            }
        }
    }
    out
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', ';', ',', '…', '。', '！', '？', '：', ')', '"', '”']) || text.len() > 80
}

/// The answer of a language model, streamed as `references`, `token`… and `done` events.
///
/// When the model fails, `fallback` answers from the documents instead ([`extractive`], as a rule): the answer then says so in its warnings,
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

fn warn_of_missing(result: &SearchResult, warnings: &mut Vec<String>) {
    if !result.missing.is_empty() {
        warnings.push(format!("Parts of the documents could not be loaded: {}.", result.missing.join(", ")));
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
