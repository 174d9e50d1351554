//! A model whose every reply is counted and kept, for runs that ask it from several places.

use super::repetition::{LOOP_STEP, is_loop};
use super::types::Turn;
use crate::llm::{COMPLETE_REPLY, ChatModel, ChatRequest, Delta, Finish, LlmError, OpenedStream, Usage};
use futures::future::FutureExt;
use futures::stream::StreamExt;
use std::cell::{Cell, RefCell};

/// Counts and keeps what a model writes.
pub struct Metered<'a> {
    chat: &'a dyn ChatModel,
    clock: &'a dyn Fn() -> f64,
    count: &'a dyn Fn(&str) -> usize,
    deadline: f64,
    /// Milliseconds of all requests together.
    all: u32,
    tokens_out: u32,
    purpose: Cell<&'static str>,
    kept: RefCell<Vec<CachedReply>>,
}

struct CachedReply {
    turn: Turn,
    read: usize,
    usage: Option<Usage>,
    started: f64,
}

impl<'a> Metered<'a> {
    /// Meters a model, by a clock in milliseconds; `count` estimates the tokens that the endpoint does not
    /// count.
    pub fn new(
        chat: &'a dyn ChatModel,
        clock: &'a dyn Fn() -> f64,
        count: &'a dyn Fn(&str) -> usize,
    ) -> Metered<'a> {
        Metered {
            chat,
            clock,
            count,
            deadline: f64::INFINITY,
            all: u32::MAX,
            tokens_out: u32::MAX,
            purpose: Cell::new("answer"),
            kept: RefCell::default(),
        }
    }

    /// Gives all requests together so many milliseconds from now, and each reply at most so many tokens.
    pub fn within(mut self, milliseconds: u32, tokens_out: Option<u32>) -> Metered<'a> {
        (self.deadline, self.all) = ((self.clock)() + f64::from(milliseconds), milliseconds);
        self.tokens_out = tokens_out.unwrap_or(u32::MAX);
        self
    }

    /// Sets the purpose of the following requests, as the trace names it. Returns the number of the next one.
    pub fn begin(&self, purpose: &'static str) -> u32 {
        self.purpose.set(purpose);
        self.kept.borrow().len() as u32 + 1
    }

    /// Tokens of all requests and replies, and whether some are an estimate.
    pub fn usage(&self) -> (Usage, bool) {
        let mut all = Usage::default();
        let mut estimated = false;
        for kept in self.kept.borrow().iter() {
            let used = kept.usage.unwrap_or_else(|| {
                estimated = true;
                let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                Usage {
                    prompt_tokens: small(kept.read),
                    completion_tokens: small((self.count)(&kept.turn.text)),
                }
            });
            all.prompt_tokens = all.prompt_tokens.saturating_add(used.prompt_tokens);
            all.completion_tokens = all.completion_tokens.saturating_add(used.completion_tokens);
        }
        (all, estimated)
    }

    /// Every reply, in the order of the requests.
    pub fn turns(&self) -> Vec<Turn> {
        self.kept.borrow().iter().map(|k| k.turn.clone()).collect()
    }

    fn change(&self, at: usize, change: impl FnOnce(&mut CachedReply)) {
        if let Some(kept) = self.kept.borrow_mut().get_mut(at) {
            change(kept);
            kept.turn.milliseconds = ((self.clock)() - kept.started).clamp(0.0, f64::from(u32::MAX)) as u32;
        }
    }
}

impl ChatModel for Metered<'_> {
    fn chat<'a>(&'a self, mut request: ChatRequest) -> OpenedStream<'a> {
        if self.deadline.is_finite() {
            let left = (self.deadline - (self.clock)()).clamp(0.0, f64::from(u32::MAX)) as u32;
            if left == 0 {
                let late = LlmError::Timeout { what: COMPLETE_REPLY, milliseconds: self.all };
                return futures::future::ready(Err(late)).boxed_local();
            }
            request.within_ms = Some(request.within_ms.map_or(left, |own| own.min(left)));
        }
        request.max_tokens = request.max_tokens.map(|most| most.min(self.tokens_out));
        async move {
            let at = self.kept.borrow().len();
            let read = request.messages.iter().map(|m| (self.count)(&m.content)).sum();
            let purpose = self.purpose.get().to_owned();
            let turn = Turn {
                number: at as u32 + 1,
                purpose,
                text: String::new(),
                cut: None,
                calls: Vec::new(),
                milliseconds: 0,
            };
            self.kept.borrow_mut().push(CachedReply { turn, read, usage: None, started: (self.clock)() });
            let stream = match self.chat.chat(request).await {
                Ok(stream) => stream,
                Err(error) => {
                    self.change(at, |kept| kept.turn.cut = Some("error".to_owned()));
                    return Err(error);
                }
            };
            // A model that says one thing over and over is let go.
            let mut next_look = LOOP_STEP;
            let mut looped = move || {
                let kept = self.kept.borrow();
                let text = kept.get(at).map_or("", |k| k.turn.text.as_str());
                let due = text.len() >= next_look;
                next_look = if due { text.len() + LOOP_STEP } else { next_look };
                due && is_loop(text.as_bytes())
            };
            let note = move |item: &Result<Delta, LlmError>| {
                self.change(at, |kept| match item {
                    Err(_) => kept.turn.cut = Some("error".to_owned()),
                    Ok(delta) => {
                        kept.turn.text.push_str(&delta.text);
                        kept.usage = delta.usage.or(kept.usage);
                        match delta.finish {
                            Some(Finish::Length) => kept.turn.cut = Some("length".to_owned()),
                            Some(Finish::Filtered) => kept.turn.cut = Some("filter".to_owned()),
                            _ => {}
                        }
                    }
                });
            };
            let going = move |_: &Result<Delta, LlmError>| {
                let over = looped();
                if over {
                    self.change(at, |kept| kept.turn.cut = Some("loop".to_owned()));
                }
                futures::future::ready(!over)
            };
            Ok(stream.inspect(note).take_while(going).boxed_local())
        }
        .boxed_local()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{Scripted, count, scripted_reply};
    use super::*;
    use crate::llm::{Delta, Message, complete_request};

    fn request() -> ChatRequest {
        ChatRequest { messages: vec![Message::user("three words here".to_owned())], ..ChatRequest::default() }
    }

    #[test]
    fn no_request_is_made_once_the_time_of_all_is_spent() {
        let model = Scripted::of(vec![scripted_reply("told"), scripted_reply("late")]);
        let now = Cell::new(0.0);
        let clock = || now.get();
        let meter = Metered::new(&model, &clock, &count).within(10_000, None);
        assert!(complete_request(&meter, request()).now_or_never().unwrap().error.is_none());
        now.set(10_000.0);
        let late = complete_request(&meter, request()).now_or_never().unwrap().error;
        assert_eq!(late, Some(LlmError::Timeout { what: COMPLETE_REPLY, milliseconds: 10_000 }));
        assert_eq!(model.requests.borrow().len(), 1);
    }

    #[test]
    fn replies_are_counted_as_reported_or_else_estimated_and_failures_are_kept() {
        let uncounted = vec![Ok(Delta { text: "two words".to_owned(), ..Delta::default() })];
        let broken = vec![
            Ok(Delta { text: "half".to_owned(), ..Delta::default() }),
            Err(LlmError::Stream("gone".to_owned())),
        ];
        let model = Scripted::of(vec![scripted_reply("told"), uncounted, broken]);
        let meter = Metered::new(&model, &|| 0.0, &count);
        assert_eq!(meter.begin("plan"), 1);
        complete_request(&meter, request()).now_or_never().unwrap();
        assert_eq!(meter.usage(), (Usage { prompt_tokens: 10, completion_tokens: 5 }, false));
        assert_eq!(meter.begin("answer"), 2);
        complete_request(&meter, request()).now_or_never().unwrap();
        assert_eq!(meter.usage(), (Usage { prompt_tokens: 13, completion_tokens: 7 }, true));
        complete_request(&meter, request()).now_or_never().unwrap();
        let turns: Vec<_> = meter.turns().into_iter().map(|t| (t.number, t.purpose, t.text, t.cut)).collect();
        let turn = |n, purpose: &str, text: &str, cut: Option<&str>| {
            (n, purpose.to_owned(), text.to_owned(), cut.map(str::to_owned))
        };
        assert_eq!(
            turns,
            [
                turn(1, "plan", "told", None),
                turn(2, "answer", "two words", None),
                turn(3, "answer", "half", Some("error"))
            ]
        );
    }
}
