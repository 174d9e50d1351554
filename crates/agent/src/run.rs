//! A run of a protocol: it asks the model, counts what that costs, and says when a budget is spent.

use super::answer::{NoAnswer, Notice, NoticeCode};
use super::dialogue::Dialogue;
use super::environment::{Environment, Evidence};
use super::neutralise::{Marks, neutralise};
use super::options::{AgentOptions, Limits};
use super::rules::render_text;
use super::stream::{Reader, Reply, Stop};
use super::types::{AgentEvent, Call, Cap, Outcome, Turn};
use crate::llm::{COMPLETE_REPLY, ChatModel, ChatRequest, LlmError, Message, Role, Text, Usage};
use futures::StreamExt;

/// Error of a run without any outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
}

/// Tools and limits of a run.
#[derive(Clone, Copy)]
pub struct Services<'a> {
    /// The model.
    pub chat: &'a dyn ChatModel,
    /// Sources that can be searched.
    pub environment: &'a dyn Environment,
    /// Milliseconds since any fixed moment.
    pub clock: &'a dyn Fn() -> f64,
    /// Measures a text.
    pub count_tokens: &'a dyn Fn(&str) -> usize,
}

/// A question is read up to here, in bytes.
const MAX_QUESTION: usize = 8 << 10;
/// A model that writes more bytes than this for each token of its budget ignores the budget, and is stopped.
const BYTES_PER_TOKEN: usize = 16;
/// A model that has said the same thing so many times in a row will not say anything else.
const SAME: u32 = 3;

/// A request of a protocol.
pub struct Ask<'s> {
    /// For what, as events and the trace name it.
    pub purpose: &'static str,
    /// The messages, and whatever else the protocol wants to say. Budget, temperature and stops are filled
    /// in.
    pub request: ChatRequest,
    /// Texts that end the reply.
    pub stops: &'s [Stop],
    /// True if it counts as a turn, which side requests such as reading a document do not.
    pub counts: bool,
}

/// A run under way: what a protocol sees of the world.
pub struct Run<'a> {
    /// The question, safe to stand in a prompt.
    pub question: String,
    /// The caller's wishes.
    pub options: &'a AgentOptions,
    /// The numbers in force.
    pub limits: Limits,
    pub(super) marks: Marks,
    pub(super) services: Services<'a>,
    pub(super) events: &'a mut dyn FnMut(AgentEvent),
    pub(super) turns: Vec<Turn>,
    pub(super) warnings: Vec<Notice>,
    pub(super) shown: Vec<Evidence>,
    /// Every query so far with what it brought: tool, normalised query, numbers.
    pub(super) asked: Vec<(&'static str, String, Vec<u32>)>,
    pub(super) searches: u32,
    pub(super) aborted: bool,
    usage: Usage,
    estimated: bool,
    forced: Option<Cap>,
    deadline: f64,
    counted: u32,
    same: u32,
    last: String,
    /// Findings of a plan that was carried out for the model.
    pub(super) carried: Vec<String>,
    /// Messages of the last request to the model.
    pub(super) stated: Vec<String>,
    /// Reason why the model's reply is no answer.
    pub(super) no_answer: Option<NoAnswer>,
    /// The prompt's length that the model's context window was found to take, once it was found too small.
    tokens_in: u32,
    /// The model has said nothing in all the time that it had.
    mute: bool,
}

impl<'a> Run<'a> {
    /// A run of a protocol of these numbers, whose evidence must not hold `marks`.
    pub(super) fn new(
        (limits, marks): (Limits, Marks),
        question: &str,
        options: &'a AgentOptions,
        services: Services<'a>,
        events: &'a mut dyn FnMut(AgentEvent),
    ) -> Run<'a> {
        Run {
            question: neutralise(question[..question.floor_char_boundary(MAX_QUESTION)].trim(), &marks),
            options,
            limits: limits.with(options),
            marks,
            deadline: (services.clock)() + f64::from(options.milliseconds),
            services,
            events,
            turns: Vec::new(),
            warnings: Vec::new(),
            shown: Vec::new(),
            asked: Vec::new(),
            searches: 0,
            aborted: false,
            usage: Usage::default(),
            estimated: false,
            forced: None,
            counted: 0,
            same: 0,
            last: String::new(),
            carried: Vec::new(),
            stated: Vec::new(),
            no_answer: None,
            tokens_in: options.prompt_tokens(),
            mute: false,
        }
    }

    /// Makes the outcome of the protocol's answer or error.
    pub(super) fn outcome(mut self, result: Result<String, LlmError>) -> Result<Outcome, AgentError> {
        let (text, error) = match result {
            Ok(text) => (text.trim().to_owned(), None),
            Err(LlmError::Aborted) => return Err(AgentError::Aborted),
            Err(error) => (String::new(), Some(error)),
        };
        if self.aborted {
            return Err(AgentError::Aborted);
        }
        let too_slow = LlmError::Timeout { what: COMPLETE_REPLY, milliseconds: self.options.milliseconds };
        let error = error.or_else(|| (self.mute && text.is_empty()).then_some(too_slow));
        let forced = self.forced;
        self.warnings.extend(forced.map(Cap::notice));
        (self.events)(AgentEvent::Answer { text: text.clone(), forced });
        let cut = self.turns.last().and_then(|t| t.cut.clone());
        let Run { usage, estimated, shown: evidence, turns, warnings, no_answer, .. } = self;
        Ok(Outcome { text, forced, cut, error, no_answer, usage, estimated, evidence, turns, warnings })
    }

    /// A text as the model is told it, with the question among what fills its places.
    pub fn render(&self, text: &Text, values: &[(&str, &str)]) -> String {
        render_text(self.options, text, &[values, &[("question", self.question.as_str())]].concat())
    }

    /// Tells of something that happened.
    pub fn emit(&mut self, event: AgentEvent) {
        (self.events)(event);
    }

    /// Tells the reader something of how the protocol went, once.
    pub fn warn(&mut self, notice: Notice) {
        if !self.warnings.contains(&notice) {
            self.warnings.push(notice);
        }
    }

    /// A text that came from documents by way of the model, made safe to stand among evidence.
    pub fn safe(&self, text: &str) -> String {
        neutralise(text, &self.marks)
    }

    /// Number of tokens of a text.
    pub fn count_tokens(&self, text: &str) -> usize {
        (self.services.count_tokens)(text)
    }

    /// Milliseconds until the time is spent.
    pub(super) fn time_left(&self) -> f64 {
        (self.deadline - (self.services.clock)()).max(0.0)
    }

    /// The budget that is spent, if one is: then the next request must be the last one.
    pub fn cap(&self) -> Option<Cap> {
        let tokens = self.usage.prompt_tokens.saturating_add(self.usage.completion_tokens);
        match () {
            () if self.counted >= self.limits.turns => Some(Cap::Turns),
            () if tokens >= self.options.tokens => Some(Cap::Tokens),
            () if (self.services.clock)() >= self.deadline => Some(Cap::Time),
            () if self.same + 1 >= SAME => Some(Cap::Repetition),
            () => None,
        }
    }

    /// The last request of a run that has spent a budget; it is given a quarter of the run's time.
    ///
    /// # Errors
    /// As [`Run::generate`].
    pub async fn last(&mut self, cap: Cap, ask: Ask<'_>) -> Result<Reply, LlmError> {
        // A model that has said nothing in all its time is not asked again.
        if self.mute {
            return Ok(Reply { cut: Some("time"), ..Reply::default() });
        }
        self.forced.get_or_insert(cap);
        self.deadline = (self.services.clock)() + f64::from(self.options.milliseconds) / 4.0;
        self.generate(ask).await
    }

    /// The next turn of a dialogue.
    ///
    /// # Errors
    /// As [`Run::generate`].
    pub async fn turn(&mut self, dialogue: &mut Dialogue, stops: &[Stop]) -> Result<Reply, LlmError> {
        let reply = loop {
            let request = self.request(dialogue);
            match self.generate(Ask { purpose: "reason", request, stops, counts: true }).await {
                Err(LlmError::Context { .. }) if self.shorten(dialogue) => {}
                reply => break reply?,
            }
        };
        dialogue.model(&reply.text);
        Ok(reply)
    }

    /// The last turn of a dialogue that has spent a budget, after some last words to the model.
    ///
    /// # Errors
    /// As [`Run::generate`].
    pub async fn last_turn(
        &mut self,
        cap: Cap,
        dialogue: &mut Dialogue,
        words: &Text,
        stops: &[Stop],
    ) -> Result<Reply, LlmError> {
        dialogue.remark(&self.render(words, &[]));
        loop {
            let request = self.request(dialogue);
            match self.last(cap, Ask { purpose: "final", request, stops, counts: true }).await {
                Err(LlmError::Context { .. }) if self.shorten(dialogue) => {}
                reply => return reply,
            }
        }
    }

    /// The request for the next turn of a dialogue, within the length of a prompt.
    pub(super) fn request(&self, dialogue: &mut Dialogue) -> ChatRequest {
        dialogue.request(self.tokens_in as usize, self.services.count_tokens)
    }

    /// Halves the next prompt, because the model's context window is too small. Returns false if it cannot be
    /// shorter.
    pub(super) fn shorten(&mut self, dialogue: &mut Dialogue) -> bool {
        let count = self.services.count_tokens;
        let length =
            |request: &ChatRequest| request.messages.iter().map(|m| count(&m.content)).sum::<usize>();
        let before = length(&self.request(dialogue));
        self.tokens_in = u32::try_from(before / 2).unwrap_or(self.tokens_in);
        self.warn(Notice::new(NoticeCode::EvidenceLeftOut));
        length(&self.request(dialogue)) < before
    }

    /// A request of its own, apart from any dialogue.
    ///
    /// # Errors
    /// As [`Run::generate`].
    pub async fn aside(
        &mut self,
        purpose: &'static str,
        prompt: String,
        counts: bool,
    ) -> Result<Reply, LlmError> {
        let request = ChatRequest { messages: vec![Message::user(prompt)], ..ChatRequest::default() };
        self.generate(Ask { purpose, request, stops: &[], counts }).await
    }

    /// A run's last request, apart from any dialogue. `cap` is the budget that is spent, if one is.
    ///
    /// # Errors
    /// As [`Run::generate`].
    pub async fn ask_last(
        &mut self,
        purpose: &'static str,
        prompt: String,
        cap: Option<Cap>,
    ) -> Result<Reply, LlmError> {
        let Some(cap) = cap else { return self.aside(purpose, prompt, true).await };
        let request = ChatRequest { messages: vec![Message::user(prompt)], ..ChatRequest::default() };
        self.last(cap, Ask { purpose, request, stops: &[], counts: true }).await
    }

    /// Asks the model, and waits for its reply.
    ///
    /// # Errors
    /// [`LlmError`] when it fails; what it had written is in the trace. What a budget cuts is a reply, not an
    /// error.
    pub async fn generate(&mut self, ask: Ask<'_>) -> Result<Reply, LlmError> {
        if self.aborted {
            return Err(LlmError::Aborted);
        }
        let Ask { purpose, mut request, stops, counts } = ask;
        let number = self.requests() + 1;
        self.emit(AgentEvent::Turn { number, purpose: purpose.to_owned() });
        let started = (self.services.clock)();
        request.max_tokens.get_or_insert(self.limits.tokens_out);
        request.temperature.get_or_insert(self.limits.temperature);
        // The reader ends a reply at its stops in any case.
        request.stop = stops.iter().map(|s| s.sequence().to_owned()).collect();
        request.stop_is_optional = true;
        request.within_ms = Some(self.time_left().clamp(1.0, f64::from(u32::MAX)) as u32);
        self.stated = request
            .messages
            .iter()
            .filter(|m| m.role != Role::Assistant)
            .map(|m| m.content.clone())
            .collect();
        let read: usize = request.messages.iter().map(|m| self.count_tokens(&m.content)).sum();
        let most = (self.limits.tokens_out as usize).saturating_mul(BYTES_PER_TOKEN);
        let mut reader = Reader::new(stops, most);
        let error = self.read(request, &mut reader).await;
        let (reply, back) = reader.finish();
        if error.is_none() && !back.is_empty() {
            self.emit(AgentEvent::Token { text: back.to_owned() });
        }
        self.account(&reply, read);
        let milliseconds = ((self.services.clock)() - started).clamp(0.0, f64::from(u32::MAX)) as u32;
        let cut = if error.is_some() { Some("error") } else { reply.cut }.map(str::to_owned);
        self.turns.push(Turn {
            number,
            purpose: purpose.to_owned(),
            text: reply.text.clone(),
            cut,
            calls: Vec::new(),
            milliseconds,
        });
        if counts {
            self.counted += 1;
            self.same = if self.last == reply.text && !reply.text.is_empty() { self.same + 1 } else { 0 };
            self.last.clone_from(&reply.text);
        }
        error.map_or(Ok(reply), Err)
    }

    /// Reads a reply to its end, or to where it must end.
    async fn read(&mut self, request: ChatRequest, reader: &mut Reader<'_>) -> Option<LlmError> {
        let chat = self.services.chat;
        let mut stream = match chat.chat(request).await {
            Ok(stream) => stream,
            Err(error) => return self.unless_late(error, reader, true),
        };
        while let Some(item) = stream.next().await {
            match item {
                Err(error) => return self.unless_late(error, reader, false),
                Ok(delta) => {
                    let text = reader.push(&delta).to_owned();
                    if !text.is_empty() {
                        self.emit(AgentEvent::Token { text });
                    }
                }
            }
            if !reader.is_over() && (self.services.clock)() >= self.deadline {
                reader.end("time");
            }
            if reader.is_over() {
                break;
            }
        }
        None
    }

    /// An error, unless it is that the run's own time has passed: that is a cut.
    fn unless_late(&mut self, error: LlmError, reader: &mut Reader<'_>, mute: bool) -> Option<LlmError> {
        if !matches!(error, LlmError::Timeout { .. }) || self.time_left() > 0.0 {
            return Some(error);
        }
        self.mute |= mute;
        reader.end("time");
        None
    }

    /// Adds up tokens; where the endpoint does not count them, or was not waited for, they are estimated.
    fn account(&mut self, reply: &Reply, read: usize) {
        let used = reply.usage.unwrap_or_else(|| {
            self.estimated = true;
            let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            Usage { prompt_tokens: small(read), completion_tokens: small(self.count_tokens(&reply.text)) }
        });
        self.usage.prompt_tokens = self.usage.prompt_tokens.saturating_add(used.prompt_tokens);
        self.usage.completion_tokens = self.usage.completion_tokens.saturating_add(used.completion_tokens);
    }

    fn requests(&self) -> u32 {
        self.turns.last().map_or(0, |t| t.number)
    }

    /// Records a call with the turn that led to it. Calls before the first turn belong to a turn with number
    /// 0.
    pub(super) fn note(&mut self, call: Call) {
        if self.turns.is_empty() {
            let (purpose, text) = ("retrieve".to_owned(), String::new());
            self.turns.push(Turn { number: 0, purpose, text, cut: None, calls: Vec::new(), milliseconds: 0 });
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.calls.push(call);
        }
    }
}
